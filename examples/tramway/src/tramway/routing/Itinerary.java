package tramway.routing;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import tramway.network.Stop;
import tramway.timetable.ClockTime;

/** A whole journey, leg by leg. */
public class Itinerary implements Comparable<Itinerary>, Iterable<Leg> {
    private final List<Leg> legs = new ArrayList<>();

    public Itinerary(List<? extends Leg> legs) {
        legs.forEach(this::add);
    }

    /** Adds a leg; a ride that only continues the last one is joined to it. */
    private void add(Leg leg) {
        int last = legs.size() - 1;
        if (last >= 0 && leg instanceof Leg.Ride next && legs.get(last) instanceof Leg.Ride ride) {
            Leg.Ride joined = ride.join(next);
            if (joined != null) {
                legs.set(last, joined);
                return;
            }
        }
        legs.add(leg);
    }

    @Override
    public Iterator<Leg> iterator() {
        return legs.iterator();
    }

    /** How often one gets from one vehicle into another. */
    public int changes() {
        int rides = 0;
        for (Leg leg : legs) {
            if (leg instanceof Leg.Ride) {
                rides++;
            }
        }
        return Math.max(0, rides - 1);
    }

    /** When one arrives; {@code null} for a journey without legs. */
    public ClockTime arrival() {
        return legs.isEmpty() ? null : legs.get(legs.size() - 1).arrival();
    }

    /** What the clock shows on arrival. */
    public String arrivalText() {
        return arrival().toString();
    }

    /** From the first departure to the last arrival, in minutes, rounded up. */
    public int minutes() {
        ClockTime end = arrival();
        if (end == null) {
            return 0;
        }
        int seconds = end.since(legs.get(0).departure());
        return (seconds + 59) / 60;
    }

    /** What the journey costs a passenger who sees things like a model. */
    public double cost(CostModel model) {
        return legs.stream().mapToDouble(model::cost).sum();
    }

    /** Tells whether all legs can be done without steps. */
    public boolean isStepFree() {
        boolean free = true;
        for (Leg leg : legs) {
            free &= leg.isStepFree();
        }
        return free;
    }

    /** The stops where the passenger gets on or off, in order. */
    public List<Stop> stops() {
        List<Stop> stops = new ArrayList<>();
        for (Leg leg : legs) {
            if (stops.isEmpty()) {
                stops.add(leg.from());
            }
            stops.add(leg.to());
        }
        return stops;
    }

    /** Earlier arrivals first, then fewer changes. */
    @Override
    public int compareTo(Itinerary other) {
        int byArrival = arrival().compareTo(other.arrival());
        return byArrival != 0 ? byArrival : Integer.compare(changes(), other.changes());
    }

    @Override
    public boolean equals(Object other) {
        if (other == this) {
            return true;
        }
        return other instanceof Itinerary that && legs.equals(that.legs);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(legs);
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner("; ");
        for (Leg leg : legs) {
            text.add(leg.instruction());
        }
        return text.toString();
    }
}
