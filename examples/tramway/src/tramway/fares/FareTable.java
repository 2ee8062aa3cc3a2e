package tramway.fares;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import tramway.network.Stop;
import tramway.routing.Itinerary;

/** What a journey costs. */
public class FareTable {
    private static final int[] BY_ZONES = new int[6];
    private static final int EXTRA_ZONE = 90;

    static {
        BY_ZONES[0] = 0;
        BY_ZONES[1] = 280;
        for (int zones = 2; zones < BY_ZONES.length; zones++) {
            BY_ZONES[zones] = BY_ZONES[zones - 1] + 160 - 10 * zones;
        }
    }

    private final Map<Passenger, Integer> sold = new EnumMap<>(Passenger.class);

    /** The full fare for a number of zones, in cents. */
    public static int base(int zones) {
        if (zones < BY_ZONES.length) {
            return BY_ZONES[zones];
        }
        int most = BY_ZONES.length - 1;
        return BY_ZONES[most] + (zones - most) * EXTRA_ZONE;
    }

    /** Counts the different zones of some stops. */
    static int zones(Iterable<Stop> stops) {
        TreeSet<Integer> seen = new TreeSet<>();
        for (Stop stop : stops) {
            seen.add(stop.getZone());
        }
        return seen.size();
    }

    /**
     * The fare of one passenger, rounded up to ten cents.
     *
     * @param journey where they go
     * @param passenger who they are
     */
    public int fare(Itinerary journey, Passenger passenger) {
        int full = base(zones(journey.stops()));
        int cents = full * (100 - passenger.discount()) / 100;
        sold.merge(passenger, 1, Integer::sum);
        return (cents + 9) / 10 * 10;
    }

    /** The fare of a group; with two adults, children are free. */
    public int fare(Itinerary journey, Passenger... group) {
        int adults = 0;
        int total = 0;
        for (Passenger passenger : group) {
            if (passenger == Passenger.ADULT) {
                adults++;
            }
        }
        for (Passenger passenger : group) {
            boolean free = adults >= 2 && passenger == Passenger.CHILD;
            if (!free) {
                total += fare(journey, passenger);
            }
        }
        return total;
    }

    /** The fare of a group that is given as a list. */
    public int fare(Itinerary journey, List<Passenger> group) {
        return fare(journey, group.toArray(new Passenger[0]));
    }

    /** How many tickets were sold to a kind of passenger. */
    public int sold(Passenger passenger) {
        Integer count = sold.get(passenger);
        return count == null ? 0 : count;
    }

    /** How many more tickets one kind of passenger bought than another. */
    public int lead(Passenger one, Passenger other) {
        int more = sold.get(one);
        int less = sold.get(other);
        return more - less;
    }
}
