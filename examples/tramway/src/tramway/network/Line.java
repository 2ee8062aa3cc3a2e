package tramway.network;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** A line: vehicles of one kind that call at the same stops, there and back. */
public class Line implements Labelled, Iterable<Stop> {
    private final String number;
    private final LineKind kind;
    private final List<Stop> stops = new ArrayList<>();

    public Line(String number, LineKind kind) {
        this.number = number;
        this.kind = kind;
    }

    public Line(String number, LineKind kind, Stop... stops) {
        this(number, kind);
        Collections.addAll(this.stops, stops);
    }

    public String getNumber() {
        return number;
    }

    public LineKind getKind() {
        return kind;
    }

    public List<Stop> getStops() {
        return Collections.unmodifiableList(stops);
    }

    /** Puts a stop at the end of the line. */
    public Line append(Stop stop) {
        stops.add(stop);
        return this;
    }

    /** Puts a stop behind another one; at the end if that one is not on the line. */
    public Line append(Stop stop, Stop after) {
        int place = stops.indexOf(after);
        if (place < 0) {
            return append(stop);
        }
        stops.add(place + 1, stop);
        return this;
    }

    /** Tells whether the line calls at a stop. */
    public boolean serves(Stop stop) {
        return stops.contains(stop);
    }

    /** Where the line ends; {@code null} as long as it has no stops. */
    public Stop terminus() {
        return stops.isEmpty() ? null : stops.get(stops.size() - 1);
    }

    /** What is written above the windscreen. */
    public String headsign() {
        return number + " " + terminus().getName();
    }

    /**
     * Counts the stops one passes between two stops of the line.
     *
     * @return how many steps they are apart; -1 if the line does not serve both
     */
    public int stepsBetween(Stop from, Stop to) {
        int a = stops.indexOf(from);
        int b = stops.indexOf(to);
        return a < 0 || b < 0 ? -1 : Math.abs(a - b);
    }

    /**
     * Finds a stop where one can change to another line.
     *
     * @return the first stop both lines serve, or {@code null}
     */
    public Stop crossing(Line other) {
        Stop found = null;
        search:
        for (Stop mine : stops) {
            for (Stop theirs : other.stops) {
                if (mine.equals(theirs)) {
                    found = mine;
                    break search;
                }
            }
        }
        return found;
    }

    @Override
    public String label() {
        return kind.label() + " " + number;
    }

    /** A round trip: to the end of the line and back, the terminus only once. */
    @Override
    public Iterator<Stop> iterator() {
        return new Iterator<>() {
            private int at = 0;
            private int step = 1;

            @Override
            public boolean hasNext() {
                return at >= 0 && at < stops.size();
            }

            @Override
            public Stop next() {
                if (!hasNext()) {
                    throw new NoSuchElementException(number);
                }
                Stop stop = stops.get(at);
                if (at == stops.size() - 1) {
                    step = -1;
                }
                at += step;
                return stop;
            }
        };
    }
}
