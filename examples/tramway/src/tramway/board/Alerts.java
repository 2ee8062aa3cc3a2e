package tramway.board;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import tramway.network.Line;
import tramway.network.Network;
import tramway.network.Stop;
import tramway.timetable.ClockTime;

/** What goes wrong in the network, and until when. */
public class Alerts {
    /** How bad it is. */
    public enum Severity {
        INFO,
        DELAY,
        CLOSED;

        /** The severity that a word names; {@code null} if it names none. */
        public static Severity of(String word) {
            for (Severity severity : values()) {
                if (severity.name().equalsIgnoreCase(word)) {
                    return severity;
                }
            }
            return null;
        }
    }

    /**
     * A disturbance.
     *
     * @param line the number of the line, or {@code null} for all lines
     * @param until when it is over, or {@code null} if nobody knows
     */
    public record Alert(Severity severity, String line, String text, ClockTime until)
            implements Comparable<Alert> {
        /** When it is over, if that is after a time; {@code null} if not, or if nobody knows. */
        public ClockTime endAfter(ClockTime now) {
            return until == null || until.isBefore(now) ? null : until;
        }

        /** The worse comes first. */
        @Override
        public int compareTo(Alert other) {
            return other.severity.compareTo(severity);
        }
    }

    private final Network network;
    private final PriorityQueue<Alert> alerts = new PriorityQueue<>();
    private final Map<String, Stop> detours = new HashMap<>();

    public Alerts(Network network) {
        this.network = network;
    }

    /** Adds a disturbance. */
    public Alert add(Severity severity, String line, String text, ClockTime until) {
        Alert alert = new Alert(severity, line, text, until);
        alerts.add(alert);
        return alert;
    }

    /** Adds what the control room sends: {@code delay 4 slippery rails}. */
    public boolean receive(String message) {
        String[] words = message.split(" ", 3);
        Severity severity = Severity.of(words[0]);
        if (severity == null || words.length < 3) {
            return false;
        }
        add(severity, words[1], words[2], null);
        return true;
    }

    /** How bad a word of the control room is, from 0. */
    public static int rank(String word) {
        return Severity.of(word).ordinal();
    }

    /** The worst that is known. */
    public String worst() {
        Alert worst = alerts.peek();
        return worst.severity() + ": " + worst.text();
    }

    /** Takes the worst off the list, when it is over. */
    public String resolve() {
        return "over: " + alerts.poll().text();
    }

    /** The disturbance of a line; {@code null} if it runs as it should. */
    public Alert of(String line) {
        for (Alert alert : alerts) {
            if (line.equals(alert.line())) {
                return alert;
            }
        }
        return null;
    }

    /** What the board at a stop says about a line. */
    public String boardText(Line line) {
        Alert alert = of(line.getNumber());
        return alert == null ? "on time" : alert.text();
    }

    /** Tells whether a line is closed. */
    public boolean isClosed(String line) {
        return of(line).severity() == Severity.CLOSED;
    }

    /** How many minutes a disturbance will still last. */
    public static int minutesLeft(Alert alert, ClockTime now) {
        ClockTime end = alert.endAfter(now);
        return end.since(now) / 60;
    }

    /** Those that are over at a time, or may be. */
    public List<Alert> doubtful(ClockTime now) {
        List<Alert> found = new ArrayList<>();
        for (Alert alert : alerts) {
            if (alert.endAfter(now) == null) {
                found.add(alert);
            }
        }
        return found;
    }

    /** What is said in the vehicles of the line that a disturbance is about. */
    public String announcement(Alert alert) {
        Line line = Objects.requireNonNull(network.line(alert.line()), "line");
        return "Passengers on " + line.label() + ": " + alert.text();
    }

    /** The colour of a disturbance on the map; grey if its line is gone. */
    public String colour(Alert alert) {
        Line line = network.line(alert.line());
        if (line == null) {
            return "grey";
        }
        return alert.severity() == Severity.CLOSED ? "red" : "yellow";
    }

    /** Lets a line call at another stop meanwhile. */
    public void detour(Line line, Stop stop) {
        detours.put(line.getNumber(), stop);
    }

    /** Where to wait instead. */
    public String waitAt(Line line) {
        Stop stop = detours.get(line.getNumber());
        return "please wait at " + stop.getName();
    }

    /** Where a line calls meanwhile; {@code null} if it has no detour. */
    public String detourOf(Line line) {
        Stop stop = detours.get(line.getNumber());
        return stop != null ? stop.getName() : null;
    }

    /** A line's detour in a column of a table. */
    public String detourColumn(Line line, int width) {
        return DepartureBoard.column(detourOf(line), width);
    }

    /** Where one can change from a line that is closed. */
    public String changeAt(Line closed, Line other) {
        return "change at " + closed.crossing(other).getName();
    }

    /** The last text of a severity, in the order of the list. */
    public int lengthOfLast(Severity severity) {
        String last = null;
        for (Alert alert : alerts) {
            if (alert.severity() == severity) {
                last = alert.text();
            }
        }
        return last.length();
    }
}
