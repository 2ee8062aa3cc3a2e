package tramway.timetable;

import tramway.network.Line;
import tramway.network.Stop;

/** One vehicle's way along a line, with its times. */
public class Trip {
    private final Line line;
    private final DayMask days;
    private final ClockTime[] times;

    /**
     * Creates a trip.
     *
     * @param times one for each stop of the line, ascending
     */
    public Trip(Line line, DayMask days, ClockTime... times) {
        if (times.length != line.getStops().size()) {
            throw new IllegalArgumentException(
                    line.label() + " has " + line.getStops().size() + " stops");
        }
        this.line = line;
        this.days = days;
        this.times = times.clone();
    }

    /** Estimates the times from the distances of the stops and the kind of the line. */
    public static Trip estimate(Line line, DayMask days, ClockTime departure, int passengers) {
        ClockTime[] times = new ClockTime[line.getStops().size()];
        times[0] = departure;
        for (int i = 1; i < times.length; i++) {
            double metres = line.getStops().get(i - 1).walkTo(line.getStops().get(i));
            int seconds = line.getKind().travelSeconds(metres) + line.getKind().dwell(passengers);
            times[i] = times[i - 1].plus(seconds).roundUp(1);
        }
        return new Trip(line, days, times);
    }

    public Line getLine() {
        return line;
    }

    public boolean runsOn(int day) {
        return days.has(day);
    }

    /**
     * When the trip calls at a stop.
     *
     * @return the time, or {@code null} if it does not call there
     */
    public ClockTime timeAt(Stop stop) {
        int place = line.getStops().indexOf(stop);
        return place == -1 ? null : times[place];
    }

    /** Tells whether one can get on at a stop at or after a time. */
    public boolean canBoard(Stop stop, ClockTime earliest) {
        ClockTime time = timeAt(stop);
        return time != null && !time.isBefore(earliest) && !stop.equals(line.terminus());
    }

    /** How long the trip takes between two of its stops, in seconds. */
    public int duration(Stop from, Stop to) {
        ClockTime departure = timeAt(from);
        ClockTime arrival = timeAt(to);
        return arrival.since(departure);
    }

    /** The same trip at another time of the day. */
    public Trip shifted(int seconds) {
        ClockTime[] later = new ClockTime[times.length];
        for (int i = 0; i < later.length; i++) {
            later[i] = times[i].plus(seconds);
        }
        return new Trip(line, days, later);
    }
}
