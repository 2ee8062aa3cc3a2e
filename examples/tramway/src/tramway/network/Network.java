package tramway.network;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** All stops and lines of a town. */
public class Network {
    private static final double WALKING_DISTANCE = 400;

    private final Map<String, Stop> stops = new LinkedHashMap<>();
    private final Map<String, Line> lines = new LinkedHashMap<>();

    /** Adds a stop; one with the same id is replaced. */
    public Stop add(Stop stop) {
        stops.put(stop.getId(), stop);
        return stop;
    }

    /** Adds a line together with the stops it serves. */
    public Line add(Line line) {
        line.getStops().forEach(this::add);
        lines.put(line.getNumber(), line);
        return line;
    }

    /** The stop with an id; {@code null} if there is none. */
    public Stop stop(String id) {
        return stops.get(id);
    }

    /** The line with a number; {@code null} if there is none. */
    public Line line(String number) {
        return lines.get(number);
    }

    public Collection<Stop> stops() {
        return stops.values();
    }

    /** The fare zone of a stop, by the stop's id. */
    public int zoneOf(String id) {
        return stop(id).getZone();
    }

    /** The lines that call at a stop. */
    public List<Line> linesAt(Stop stop) {
        List<Line> found = new ArrayList<>();
        for (Line line : lines.values()) {
            if (line.serves(stop)) {
                found.add(line);
            }
        }
        return found;
    }

    /**
     * Visits the stops that are one step away by any line.
     *
     * @param stop where to start
     * @param visit called with each neighbour and the line that goes there
     */
    public void forEachNeighbour(Stop stop, BiConsumer<? super Stop, ? super Line> visit) {
        for (Line line : linesAt(stop)) {
            List<Stop> served = line.getStops();
            for (int i = 0; i < served.size(); i++) {
                if (!served.get(i).equals(stop)) {
                    continue;
                }
                if (i > 0) {
                    visit.accept(served.get(i - 1), line);
                }
                if (i + 1 < served.size()) {
                    visit.accept(served.get(i + 1), line);
                }
            }
        }
    }

    /** The stops to which one can walk in a few minutes, the nearest first. */
    public List<Stop> walkable(Stop from) {
        Map<Stop, Double> near = new HashMap<>();
        for (Stop stop : stops.values()) {
            if (stop.equals(from) || stop.getPlace() == null || from.getPlace() == null) {
                continue;
            }
            double metres = from.walkTo(stop);
            if (metres <= WALKING_DISTANCE) {
                near.put(stop, metres);
            }
        }
        List<Stop> sorted = new ArrayList<>(near.keySet());
        sorted.sort((a, b) -> Double.compare(near.get(a), near.get(b)));
        return sorted;
    }

    /** Tells whether one can get from any stop to any other without walking. */
    public boolean isConnected() {
        if (stops.isEmpty()) {
            return true;
        }
        Set<Stop> reached = new HashSet<>();
        reach(stops.values().iterator().next(), reached);
        return reached.size() == stops.size();
    }

    /** Collects all stops that can be reached from one of them. */
    private void reach(Stop stop, Set<Stop> reached) {
        if (reached.add(stop)) {
            forEachNeighbour(stop, (next, line) -> reach(next, reached));
        }
    }

    /** The stops at which at least a number of lines meet. */
    public Set<Stop> hubs(int least) {
        Set<Stop> hubs = new LinkedHashSet<>();
        for (Stop stop : stops.values()) {
            if (linesAt(stop).size() >= least) {
                hubs.add(stop);
            }
        }
        return hubs;
    }
}
