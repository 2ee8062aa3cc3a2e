package tramway.fares;

import tramway.timetable.ClockTime;

/** A ticket with a number that shows when it was mistyped. */
public class Ticket {
    /** How long a ticket is good for. */
    public enum Validity {
        SHORT,
        HOURLY,
        DAILY
    }

    private static long sold = 1000;

    private final String number;
    private final Validity validity;
    private ClockTime stamped;

    public Ticket(Validity validity) {
        this(validity, nextNumber());
    }

    private Ticket(Validity validity, String number) {
        this.validity = validity;
        this.number = number;
    }

    /** The next number, with its check digit; tickets are sold at several machines at once. */
    private static synchronized String nextNumber() {
        String digits = Long.toString(++sold);
        return digits + checkDigit(digits);
    }

    /**
     * Computes the digit that makes a number right (Luhn): from the right, every other digit is
     * doubled.
     */
    public static int checkDigit(String digits) {
        int sum = 0;
        boolean twice = true;
        for (int i = digits.length() - 1; i >= 0; i--) {
            int digit = Character.getNumericValue(digits.charAt(i));
            if (twice) {
                digit *= 2;
                if (digit > 9) {
                    digit -= 9;
                }
            }
            sum += digit;
            twice = !twice;
        }
        return (10 - sum % 10) % 10;
    }

    /** Tells whether a number ends with the right digit. */
    public static boolean isValid(String number) {
        int last = number.length() - 1;
        if (last < 1 || !number.chars().allMatch(Character::isDigit)) {
            return false;
        }
        return number.charAt(last) - '0' == checkDigit(number.substring(0, last));
    }

    public String getNumber() {
        return number;
    }

    /** Stamps the ticket, once. */
    public boolean stamp(ClockTime now) {
        if (stamped != null) {
            return false;
        }
        stamped = now;
        return true;
    }

    /** How many minutes the ticket lasts from the stamp. */
    int minutes() {
        switch (validity) {
            case SHORT:
                return 30;
            case HOURLY:
                return 60;
            default:
                return 24 * 60;
        }
    }

    /** Tells whether an inspector would be content. */
    public boolean isGoodAt(ClockTime now) {
        if (stamped == null || now.isBefore(stamped)) {
            return false;
        }
        return now.since(stamped) <= minutes() * 60;
    }

    /** When the ticket was stamped, as printed on it. */
    public String stampText() {
        return "stamped " + stamped.toString();
    }
}
