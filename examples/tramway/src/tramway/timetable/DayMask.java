package tramway.timetable;

/** On which days of the week something runs: Monday is the lowest of seven bits. */
public final class DayMask {
    public static final DayMask DAILY = new DayMask(0b111_1111);
    public static final DayMask WEEKDAYS = new DayMask(0b001_1111);

    private static final String LETTERS = "MTWTFSS";

    private final int bits;

    private DayMask(int bits) {
        this.bits = bits;
    }

    /**
     * Makes a mask of days.
     *
     * @param days numbers from 0, Monday, to 6, Sunday
     */
    public static DayMask of(int... days) {
        int bits = 0;
        for (int day : days) {
            bits |= 1 << day;
        }
        return new DayMask(bits);
    }

    /**
     * Reads seven characters, a dash for each day off: {@code MTWT---}.
     *
     * @throws IllegalArgumentException if the characters are wrong
     */
    public static DayMask parse(String text) {
        if (text.length() != LETTERS.length()) {
            throw new IllegalArgumentException("seven days expected: " + text);
        }
        int bits = 0;
        for (int day = 0; day < 7; day++) {
            char c = text.charAt(day);
            if (c == LETTERS.charAt(day)) {
                bits ^= 1 << day;
            } else if (c != '-') {
                throw new IllegalArgumentException("'" + c + "' on day " + day);
            }
        }
        return new DayMask(bits);
    }

    /** Tells whether it runs on a day. */
    public boolean has(int day) {
        return (bits >> day & 1) == 1;
    }

    /** The days that are in both masks. */
    public DayMask and(DayMask other) {
        return new DayMask(bits & other.bits);
    }

    /** The days that are in one of the masks or in both. */
    public DayMask or(DayMask other) {
        return new DayMask(bits | other.bits);
    }

    /** The days on which it does not run. */
    public DayMask complement() {
        return new DayMask(~bits & DAILY.bits);
    }

    /** The same days, some days later; Sunday is followed by Monday. */
    public DayMask shift(int days) {
        int by = days % 7;
        by += 7;
        by %= 7;
        int moved = bits << by;
        moved |= moved >>> 7;
        moved &= DAILY.bits;
        return new DayMask(moved);
    }

    /** On how many days of a week it runs. */
    public int count() {
        int left = bits;
        int count = 0;
        while (left != 0) {
            left &= left - 1;
            count++;
        }
        return count;
    }

    /** How the heading of a timetable says it. */
    public String describe() {
        String text;
        switch (bits) {
            case 0b111_1111:
                text = "daily";
                break;
            case 0b001_1111:
                text = "Monday to Friday";
                break;
            case 0b110_0000:
                text = "weekends";
                break;
            case 0:
                text = "never";
                break;
            default:
                text = count() + " days a week";
        }
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DayMask && bits == ((DayMask) other).bits;
    }

    @Override
    public int hashCode() {
        return bits;
    }

    @Override
    public String toString() {
        char[] text = LETTERS.toCharArray();
        for (int day = 0; day < text.length; day++) {
            if (!has(day)) {
                text[day] = '-';
            }
        }
        return new String(text);
    }
}
