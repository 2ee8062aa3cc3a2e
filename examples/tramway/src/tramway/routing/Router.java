package tramway.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tramway.network.Network;
import tramway.network.Stop;
import tramway.timetable.ClockTime;

/** Finds journeys; how is left to its subclasses. */
public abstract class Router {
    protected final Network network;
    private int searches;

    protected Router(Network network) {
        this.network = network;
    }

    /**
     * Finds a journey.
     *
     * @return the journey, or {@code null} if there is none
     */
    public final Itinerary find(Stop from, Stop to, ClockTime start) {
        searches++;
        if (from.equals(to)) {
            return new Itinerary(List.of());
        }
        Map<Stop, Leg> reachedBy = new HashMap<>();
        explore(from, to, start, reachedBy);
        return reachedBy.containsKey(to) ? trace(from, to, reachedBy) : null;
    }

    /** Finds a journey between stops given by their ids. */
    public Itinerary find(String from, String to, String start) {
        Stop origin = network.stop(from);
        Stop target = network.stop(to);
        ClockTime time = ClockTime.parse(start);
        if (origin == null || target == null || time == null) {
            return null;
        }
        return find(origin, target, time);
    }

    /** How long the way takes, in minutes. */
    public int minutesBetween(Stop from, Stop to, ClockTime start) {
        Itinerary way = find(from, to, start);
        return way.minutes();
    }

    public int getSearches() {
        return searches;
    }

    /**
     * Explores the network until the target is reached.
     *
     * @param reachedBy receives, for each stop on the way, the leg by which it is reached
     */
    protected abstract void explore(
            Stop from, Stop to, ClockTime start, Map<Stop, Leg> reachedBy);

    /** Follows the legs from the target back to the start. */
    private static Itinerary trace(Stop from, Stop to, Map<Stop, Leg> reachedBy) {
        List<Leg> backwards = new ArrayList<>();
        Stop at = to;
        while (!at.equals(from)) {
            Leg leg = reachedBy.get(at);
            backwards.add(leg);
            at = leg.from();
        }
        Collections.reverse(backwards);
        return new Itinerary(backwards);
    }
}
