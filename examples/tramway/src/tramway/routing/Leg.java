package tramway.routing;

import tramway.network.Line;
import tramway.network.Stop;
import tramway.timetable.ClockTime;

/** A part of a journey: one ride or one walk. */
public sealed interface Leg permits Leg.Ride, Leg.Walk {
    Stop from();

    Stop to();

    ClockTime departure();

    ClockTime arrival();

    /** What a passenger is told to do. */
    String instruction();

    /** How long the leg takes. */
    default int seconds() {
        return arrival().since(departure());
    }

    /** Tells whether somebody who cannot climb steps can do it. */
    default boolean isStepFree() {
        return from().isStepFree() && to().isStepFree();
    }

    /** A ride without changing. */
    record Ride(Line line, Stop from, Stop to, ClockTime departure, ClockTime arrival)
            implements Leg {
        public Ride {
            if (arrival.isBefore(departure)) {
                throw new IllegalArgumentException("no tram is that fast");
            }
        }

        /** Two rides on one line make a longer one; {@code null} if they do not meet. */
        public Ride join(Ride next) {
            boolean sameLine = line.getNumber().equals(next.line.getNumber());
            if (!sameLine || !to.equals(next.from)) {
                return null;
            }
            return new Ride(line, from, next.to, departure, next.arrival);
        }

        @Override
        public String instruction() {
            return departure + " take " + line.label() + " to " + to;
        }
    }

    /** A way on foot. */
    record Walk(Stop from, Stop to, ClockTime departure, int metres) implements Leg {
        private static final double SPEED = 1.2;

        @Override
        public ClockTime arrival() {
            return departure.plus((int) Math.ceil(metres / SPEED));
        }

        @Override
        public String instruction() {
            return departure + " walk " + metres + " m to " + to;
        }

        @Override
        public boolean isStepFree() {
            return metres < 200 && Leg.super.isStepFree();
        }
    }
}
