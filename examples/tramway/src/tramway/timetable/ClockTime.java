package tramway.timetable;

/**
 * A time of the operating day, which ends in the small hours: 25:10 is ten past one.
 *
 * @param seconds since midnight
 */
public record ClockTime(int seconds) implements Comparable<ClockTime> {
    public static final ClockTime MIDNIGHT = new ClockTime(0);

    private static final int MINUTE = 60;
    private static final int HOUR = 60 * MINUTE;

    public ClockTime {
        if (seconds < 0 || seconds >= 30 * HOUR) {
            throw new IllegalArgumentException("outside the operating day: " + seconds);
        }
    }

    /** A time on the minute. */
    public ClockTime(int hours, int minutes) {
        this(hours * HOUR + minutes * MINUTE);
    }

    /**
     * Reads {@code 7:05} or {@code 7:05:30}.
     *
     * @return the time, or {@code null} if the text is none
     */
    public static ClockTime parse(String text) {
        int total = 0;
        int part = 0;
        int parts = 1;
        int digits = 0;
        for (char c : text.toCharArray()) {
            if (c == ':') {
                if (digits == 0 || ++parts > 3) {
                    return null;
                }
                total = total * 60 + part;
                part = 0;
                digits = 0;
            } else if (c >= '0' && c <= '9' && digits < 2) {
                part = part * 10 + (c - '0');
                digits++;
                if (parts > 1 && part > 59) {
                    return null;
                }
            } else {
                return null;
            }
        }
        if (parts == 1 || digits != 2) {
            return null;
        }
        total = total * 60 + part;
        total *= parts == 2 ? MINUTE : 1;
        return total < 30 * HOUR ? new ClockTime(total) : null;
    }

    public int hour() {
        return seconds / HOUR;
    }

    public int minute() {
        return seconds / MINUTE % 60;
    }

    /**
     * Goes forward.
     *
     * @param more seconds; negative ones go back
     */
    public ClockTime plus(int more) {
        return new ClockTime(seconds + more);
    }

    /** The seconds from another time until this one. */
    public int since(ClockTime earlier) {
        return seconds - earlier.seconds;
    }

    public boolean isBefore(ClockTime other) {
        return seconds < other.seconds;
    }

    /** The part of the day, for people who ask roughly when. */
    public String period() {
        switch (hour() % 24 / 3) {
            case 0:
            case 1:
                return "night";
            case 2:
            case 3:
                return "morning";
            case 4:
            case 5:
                return "afternoon";
            default:
                return "evening";
        }
    }

    /** Rounds up to the next full number of minutes, as timetables do. */
    public ClockTime roundUp(int minutes) {
        int step = minutes * MINUTE;
        int rest = seconds % step;
        return rest == 0 ? this : new ClockTime(seconds - rest + step);
    }

    @Override
    public int compareTo(ClockTime other) {
        return seconds - other.seconds;
    }

    /** The time as a clock shows it; hours begin anew after 23. */
    @Override
    public String toString() {
        int hour = hour() % 24;
        int minute = minute();
        return "" + hour / 10 + hour % 10 + ':' + minute / 10 + minute % 10;
    }
}
