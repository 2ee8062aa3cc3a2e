package tramway.fleet;

import tramway.network.Line;
import tramway.network.LineKind;
import tramway.timetable.ClockTime;

/** A tram, a bus or a car of the funicular. */
public class Vehicle {
    private final int number;
    private final LineKind kind;
    private final int seats;
    private Line line;
    private boolean broken;
    private ClockTime washed;

    public Vehicle(int number, LineKind kind, int seats) {
        this.number = number;
        this.kind = kind;
        this.seats = seats;
    }

    public int getNumber() {
        return number;
    }

    public LineKind getKind() {
        return kind;
    }

    public int getSeats() {
        return seats;
    }

    /** The line on which the vehicle runs; {@code null} while it is in the depot or broken. */
    public Line getLine() {
        return broken ? null : line;
    }

    /** Sends the vehicle to a line, if it is of the right kind. */
    public boolean assign(Line to) {
        if (to.getKind() != kind) {
            return false;
        }
        line = to;
        return true;
    }

    public void setBroken(boolean broken) {
        this.broken = broken;
    }

    public boolean isBroken() {
        return broken;
    }

    /** What is written at its front. */
    public String sign() {
        return getLine().headsign();
    }

    /** Tells whether the vehicle runs on a line. */
    public boolean isOn(Line wanted) {
        Line mine = getLine();
        return mine != null && mine.getNumber().equals(wanted.getNumber());
    }

    /** Notes when the vehicle was washed. */
    public void wash(ClockTime now) {
        washed = now;
    }

    /** When the vehicle was washed today; {@code null} if it was not, or before the day began. */
    public ClockTime washedAfter(ClockTime start) {
        if (washed == null || washed.isBefore(start)) {
            return null;
        }
        return washed;
    }

    /** How long the vehicle has been clean, in minutes. */
    public int cleanFor(ClockTime start, ClockTime now) {
        ClockTime since = washedAfter(start);
        return now.since(since) / 60;
    }

    /** The number and what it is, as the depot's list has it. */
    @Override
    public String toString() {
        return kind.label() + " no. " + number;
    }
}
