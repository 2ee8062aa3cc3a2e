package brookside.lending;

/**
 * A day of the Gregorian calendar.
 *
 * @param month 1 for January
 */
public record CivilDate(int year, int month, int day) implements Comparable<CivilDate> {
    private static final String[] WEEKDAYS = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

    public CivilDate {
        if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) {
            throw new IllegalArgumentException("no such day: " + year + "/" + month + "/" + day);
        }
    }

    /** Tells whether a year has a 29th of February. */
    public static boolean isLeap(int year) {
        return year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    }

    /**
     * Counts the days of a month.
     *
     * @param month 1 to 12
     */
    public static int daysIn(int year, int month) {
        switch (month) {
            case 4:
            case 6:
            case 9:
            case 11:
                return 30;
            case 2:
                return isLeap(year) ? 29 : 28;
            default:
                return 31;
        }
    }

    /** Reads a date as {@code 2021-03-09}; {@code null} if the text is none. */
    public static CivilDate parse(String text) {
        String[] parts = text.split("-");
        if (parts.length != 3) {
            return null;
        }
        try {
            int year = Integer.parseInt(parts[0]);
            int month = Integer.parseInt(parts[1]);
            int day = Integer.parseInt(parts[2]);
            return new CivilDate(year, month, day);
        } catch (IllegalArgumentException wrong) {
            return null;
        }
    }

    /** Counts the days since the first of January of the year 1, which is day 0 and a Monday. */
    public int dayNumber() {
        int before = year - 1;
        int days = 365 * before + before / 4 - before / 100 + before / 400;
        for (int m = 1; m < month; m++) {
            days += daysIn(year, m);
        }
        return days + day - 1;
    }

    /** The day after this one. */
    public CivilDate next() {
        if (day < daysIn(year, month)) {
            return new CivilDate(year, month, day + 1);
        }
        return month == 12 ? new CivilDate(year + 1, 1, 1) : new CivilDate(year, month + 1, 1);
    }

    /**
     * Goes forward by a number of days.
     *
     * @param days not negative
     */
    public CivilDate plus(int days) {
        CivilDate date = this;
        while (days-- > 0) {
            date = date.next();
        }
        return date;
    }

    /** How many days lie between this day and a later one; negative if it is earlier. */
    public int daysUntil(CivilDate later) {
        return later.dayNumber() - dayNumber();
    }

    /** The day of the week, in three letters. */
    public String weekday() {
        return WEEKDAYS[dayNumber() % 7];
    }

    /** The season, which decides over the opening hours. */
    public String season() {
        String season;
        switch (month) {
            case 12:
            case 1:
            case 2:
                season = "winter";
                break;
            case 3:
            case 4:
            case 5:
                season = "spring";
                break;
            case 6:
            case 7:
            case 8:
                season = "summer";
                break;
            default:
                season = "autumn";
                break;
        }
        return season;
    }

    /** The house is closed on Sundays and on New Year's Day. */
    public boolean isClosed() {
        boolean sunday = dayNumber() % 7 == 6;
        boolean newYear = month == 1 & day == 1;
        return sunday | newYear;
    }

    @Override
    public int compareTo(CivilDate other) {
        return Integer.compare(dayNumber(), other.dayNumber());
    }

    @Override
    public String toString() {
        return String.format("%04d-%02d-%02d", year, month, day);
    }
}
