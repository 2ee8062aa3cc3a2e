package tramway.timetable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tramway.network.Stop;

/** All trips, sorted by departure at every stop. */
public class Timetable {
    /** A trip at a stop. */
    public static class Departure implements Comparable<Departure> {
        private final Trip trip;
        private final Stop stop;
        private final ClockTime time;

        Departure(Trip trip, Stop stop) {
            this.trip = trip;
            this.stop = stop;
            this.time = trip.timeAt(stop);
        }

        public Trip getTrip() {
            return trip;
        }

        public ClockTime getTime() {
            return time;
        }

        /** Orders by time, then by line, as a board does. */
        @Override
        public int compareTo(Departure other) {
            int byTime = time.compareTo(other.time);
            if (byTime != 0) {
                return byTime;
            }
            return trip.getLine().getNumber().compareTo(other.trip.getLine().getNumber());
        }

        @Override
        public String toString() {
            return time + " " + trip.getLine().label() + " from " + stop;
        }
    }

    private final Map<Stop, List<Departure>> departures = new HashMap<>();
    private int trips;

    /** Adds a trip at all of its stops but the last. */
    public void add(Trip trip) {
        List<Stop> stops = trip.getLine().getStops();
        for (Stop stop : stops.subList(0, stops.size() - 1)) {
            List<Departure> here = departures.computeIfAbsent(stop, key -> new ArrayList<>());
            Departure departure = new Departure(trip, stop);
            here.add(lowerBound(here, departure), departure);
        }
        trips++;
    }

    /**
     * Adds a trip again and again.
     *
     * @param first the first of them
     * @param interval seconds between two trips
     * @param last no trip leaves later than that
     */
    public void add(Trip first, int interval, ClockTime last) {
        Stop start = first.getLine().getStops().get(0);
        Trip trip = first;
        do {
            add(trip);
            trip = trip.shifted(interval);
        } while (trip.timeAt(start).compareTo(last) <= 0);
    }

    public int size() {
        return trips;
    }

    /** Finds where to insert: the number of elements that are less than a key. */
    static <T extends Comparable<? super T>> int lowerBound(List<? extends T> sorted, T key) {
        int from = 0;
        int to = sorted.size();
        while (from < to) {
            int middle = from + to >>> 1;
            if (sorted.get(middle).compareTo(key) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /**
     * Lists what leaves a stop.
     *
     * @param day 0 is Monday
     * @param earliest nothing that leaves before
     * @param limit at most so many
     */
    public List<Departure> next(Stop stop, int day, ClockTime earliest, int limit) {
        List<Departure> found = new ArrayList<>();
        for (Departure departure : departures.getOrDefault(stop, List.of())) {
            if (found.size() == limit) {
                break;
            }
            if (departure.trip.runsOn(day) && departure.trip.canBoard(stop, earliest)) {
                found.add(departure);
            }
        }
        return found;
    }

    /** The next departure from a stop; {@code null} when the day is over. */
    public Departure next(Stop stop, int day, ClockTime earliest) {
        List<Departure> found = next(stop, day, earliest, 1);
        return found.isEmpty() ? null : found.get(0);
    }

    /** How many seconds one waits for the next departure. */
    public int waiting(Stop stop, int day, ClockTime now) {
        Departure departure = next(stop, day, now);
        return departure.getTime().since(now);
    }

    /** The longest gap between two departures from a stop, in seconds; 0 if there are not two. */
    public int longestGap(Stop stop) {
        int longest = 0;
        ClockTime before = null;
        for (Departure departure : departures.getOrDefault(stop, Collections.emptyList())) {
            if (before != null) {
                longest = Math.max(longest, departure.time.since(before));
            }
            before = departure.time;
        }
        return longest;
    }

    /** The stops with most departures, the busiest first. */
    public List<Stop> busiest(int limit) {
        List<Stop> stops = new ArrayList<>(departures.keySet());
        Comparator<Stop> order = Comparator.comparingInt(stop -> -departures.get(stop).size());
        stops.sort(order.thenComparing(Comparator.naturalOrder()));
        while (stops.size() > limit) {
            stops.remove(stops.size() - 1);
        }
        return stops;
    }
}
