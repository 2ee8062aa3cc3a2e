package ballot.roll;

/** A part of the town with a polling station of its own. */
public class Ward {
    private final String name;
    private final int seats;
    private String station;
    private int opens = 8;
    private int closes = 18;

    public Ward(String name, int seats) {
        this.name = name;
        this.seats = seats;
    }

    public String getName() {
        return name;
    }

    public int getSeats() {
        return seats;
    }

    /** Where people vote; {@code null} as long as no house was found. */
    public String getStation() {
        return station == null || station.isBlank() ? null : station;
    }

    public void setStation(String station) {
        this.station = station;
    }

    /**
     * Sets the hours, in full hours.
     *
     * @throws IllegalArgumentException if the station would close before it opens
     */
    public void setHours(int from, int to) {
        if (from < 0 || to > 24 || from >= to) {
            throw new IllegalArgumentException(from + " to " + to);
        }
        opens = from;
        closes = to;
    }

    /** Tells whether one can vote at an hour. */
    public boolean isOpenAt(int hour) {
        return hour >= opens && hour < closes;
    }

    /** The line on a voter's card. */
    public String cardLine() {
        return getStation().strip() + ", " + opens + " to " + closes;
    }

    /** Tells whether voters can be told where to go. */
    public boolean isReady() {
        return getStation() != null;
    }

    /** What the hours are called in the bulletin. */
    public String shift() {
        switch (closes - opens) {
            case 24:
                return "all day";
            case 10:
            case 11:
            case 12:
                return "usual hours";
            default:
                return closes - opens + " hours";
        }
    }
}
