package tramway.routing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import tramway.network.Network;
import tramway.network.Stop;
import tramway.timetable.ClockTime;

/** Breadth first: the fewest stops, whatever the timetable says. */
public class FewestStops extends Router {
    private static final int RIDE = 120;

    public FewestStops(Network network) {
        super(network);
    }

    @Override
    protected void explore(Stop from, Stop to, ClockTime start, Map<Stop, Leg> reachedBy) {
        Deque<Stop> waiting = new ArrayDeque<>();
        waiting.add(from);
        while (!waiting.isEmpty() && !reachedBy.containsKey(to)) {
            Stop stop = waiting.remove();
            Leg before = reachedBy.get(stop);
            ClockTime now = before == null ? start : before.arrival();
            network.forEachNeighbour(
                    stop,
                    (next, line) -> {
                        if (next.equals(from) || reachedBy.containsKey(next)) {
                            return;
                        }
                        reachedBy.put(next, new Leg.Ride(line, stop, next, now, now.plus(RIDE)));
                        waiting.add(next);
                    });
        }
    }
}
