package brookside.catalog;

/**
 * An International Standard Book Number of thirteen digits.
 *
 * @param digits the digits, without hyphens
 */
public record Isbn(String digits) implements Comparable<Isbn> {
    private static final String BOOKLAND = "978";

    public Isbn {
        if (digits.length() != 13 || !isNumber(digits)) {
            throw new IllegalArgumentException("thirteen digits expected: " + digits);
        }
        char expected = checkDigit(digits);
        if (digits.charAt(12) != expected) {
            throw new IllegalArgumentException(digits + " should end with " + expected);
        }
    }

    /**
     * Reads a number as it is printed in a book, old (ten digits) or new (thirteen), with hyphens
     * and spaces anywhere.
     *
     * @param printed what the book says
     * @return the number, or {@code null} if this is none
     */
    public static Isbn parse(String printed) {
        StringBuilder kept = new StringBuilder();
        for (char c : printed.toCharArray()) {
            if (c == '-' || c == ' ') {
                continue;
            }
            kept.append(Character.toUpperCase(c));
        }
        String number = kept.toString();
        try {
            switch (number.length()) {
                case 10:
                    return isOldNumber(number) ? fromOld(number) : null;
                case 13:
                    return new Isbn(number);
                default:
                    return null;
            }
        } catch (IllegalArgumentException wrong) {
            return null;
        }
    }

    /** Computes the last digit from the first twelve: weights 1 and 3 in turn, modulo ten. */
    static char checkDigit(CharSequence number) {
        int sum = 0;
        for (int i = 0; i < 12; i++) {
            int digit = number.charAt(i) - '0';
            sum += (i & 1) == 0 ? digit : 3 * digit;
        }
        return (char) ('0' + (10 - sum % 10) % 10);
    }

    /** Tells whether the weighted sum of an old number is a multiple of eleven; X stands for 10. */
    static boolean isOldNumber(String number) {
        int sum = 0;
        for (int place = 0, weight = 10; place < 10; place++, weight--) {
            char c = number.charAt(place);
            boolean cross = c == 'X' && place == 9;
            if (!cross && (c < '0' || c > '9')) {
                return false;
            }
            sum += weight * (cross ? 10 : c - '0');
        }
        return sum % 11 == 0;
    }

    /** Puts the prefix of all books before an old number and computes the last digit anew. */
    private static Isbn fromOld(String number) {
        String twelve = BOOKLAND + number.substring(0, 9);
        return new Isbn(twelve + checkDigit(twelve));
    }

    /** Tells whether a text consists of digits only. */
    private static boolean isNumber(String text) {
        for (int i = text.length() - 1; i >= 0; --i) {
            if (text.charAt(i) < '0' || '9' < text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Converts back to the ten digits that were printed before 2007.
     *
     * @return the old number, or {@code null} for a prefix that had none
     */
    public String toOld() {
        if (!digits.startsWith(BOOKLAND)) {
            return null;
        }
        String nine = digits.substring(3, 12);
        int sum = 0;
        int weight = 10;
        int at = 0;
        while (weight >= 2) {
            sum += weight-- * (nine.charAt(at++) - '0');
        }
        int last = (11 - sum % 11) % 11;
        return nine + (last == 10 ? "X" : String.valueOf(last));
    }

    @Override
    public int compareTo(Isbn other) {
        return digits.compareTo(other.digits);
    }

    @Override
    public String toString() {
        return "ISBN " + digits.substring(0, 3) + "-" + digits.substring(3);
    }
}
