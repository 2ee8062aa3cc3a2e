package tramway.routing;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tramway.network.Network;
import tramway.network.Stop;
import tramway.timetable.ClockTime;
import tramway.timetable.Timetable;
import tramway.timetable.Trip;

/** Dijkstra over the timetable, on foot where that helps. */
public class EarliestArrival extends Router {
    /** A stop and when one can be there. */
    private record Label(Stop stop, ClockTime time) implements Comparable<Label> {
        @Override
        public int compareTo(Label other) {
            return time.compareTo(other.time);
        }
    }

    private static final int CHOICES = 20;

    private final Timetable timetable;
    private final int day;
    private boolean walking = true;

    public EarliestArrival(Network network, Timetable timetable, int day) {
        super(network);
        this.timetable = timetable;
        this.day = day;
    }

    public boolean isWalking() {
        return walking;
    }

    public void setWalking(boolean walking) {
        this.walking = walking;
    }

    @Override
    protected void explore(Stop from, Stop to, ClockTime start, Map<Stop, Leg> reachedBy) {
        BinaryHeap<Label> heap = BinaryHeap.natural();
        Set<Stop> settled = new HashSet<>();
        heap.push(new Label(from, start));
        while (!heap.isEmpty()) {
            Label label = heap.pop();
            Stop stop = label.stop();
            if (stop.equals(to)) {
                return;
            }
            if (!settled.add(stop)) {
                continue;
            }
            for (var departure : timetable.next(stop, day, label.time(), CHOICES)) {
                relaxTrip(departure.getTrip(), stop, settled, reachedBy, heap);
            }
            if (walking) {
                for (Stop near : network.walkable(stop)) {
                    int metres = (int) Math.round(stop.walkTo(near));
                    relax(new Leg.Walk(stop, near, label.time(), metres), settled, reachedBy, heap);
                }
            }
        }
    }

    /** Rides a trip to each of the stops that are still to come. */
    private void relaxTrip(
            Trip trip,
            Stop from,
            Set<Stop> settled,
            Map<Stop, Leg> reachedBy,
            BinaryHeap<Label> heap) {
        List<Stop> stops = trip.getLine().getStops();
        int at = stops.indexOf(from);
        while (++at < stops.size()) {
            Stop next = stops.get(at);
            Leg ride =
                    new Leg.Ride(
                            trip.getLine(), from, next, trip.timeAt(from), trip.timeAt(next));
            relax(ride, settled, reachedBy, heap);
        }
    }

    /** Notes a leg if nothing known so far leads to its end as early. */
    private static void relax(
            Leg leg, Set<Stop> settled, Map<Stop, Leg> reachedBy, BinaryHeap<? super Label> heap) {
        if (settled.contains(leg.to())) {
            return;
        }
        Leg known = reachedBy.get(leg.to());
        if (known == null || leg.arrival().isBefore(known.arrival())) {
            reachedBy.put(leg.to(), leg);
            heap.push(new Label(leg.to(), leg.arrival()));
        }
    }
}
