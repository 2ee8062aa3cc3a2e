package tramway.board;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import tramway.network.Labelled;
import tramway.network.Line;
import tramway.network.LineKind;
import tramway.network.Stop;
import tramway.timetable.ClockTime;
import tramway.timetable.Timetable;
import tramway.timetable.Timetable.Departure;

/** The board at a stop: what leaves next, and what else there is to say. */
public class DepartureBoard {
    private static final String FRAME =
            """
            +{line}+
            |{title}|
            +{line}+
            """;

    private final Timetable timetable;
    private final Stop stop;
    private final int width;
    private final List<String> messages = new ArrayList<>();

    public DepartureBoard(Timetable timetable, Stop stop, int width) {
        this.timetable = timetable;
        this.stop = stop;
        this.width = width;
    }

    /** Adds a message below the departures; an empty one is ignored. */
    public void announce(String message) {
        if (message != null && !message.isEmpty()) {
            messages.add(message);
        }
    }

    /** Adds a message that is only made if there is room for it. */
    public boolean announce(Supplier<String> message) {
        boolean room = messages.size() < 3;
        if (room) {
            announce(message.get());
        }
        return room;
    }

    /**
     * Draws the board.
     *
     * @param rows how many departures it shows
     * @return lines of equal width, each with a line break
     */
    public String draw(int day, ClockTime now, int rows) {
        StringBuilder board = new StringBuilder();
        board.append(
                FRAME.replace("{line}", "-".repeat(width))
                        .replace("{title}", centre(stop.label(width), width)));
        for (Departure departure : timetable.next(stop, day, now, rows)) {
            board.append('|').append(row(departure, now)).append("|\n");
        }
        for (String message : messages) {
            for (String line : breakLines(message, width)) {
                board.append('|').append(column(line, width)).append("|\n");
            }
        }
        return board.toString();
    }

    /** One departure: line, destination and minutes. */
    private String row(Departure departure, ClockTime now) {
        Line line = departure.getTrip().getLine();
        String minutes = countdown(departure.getTime().since(now));
        String left = symbol(line.getKind()) + " " + line.headsign();
        return column(left, width - minutes.length()) + minutes;
    }

    /** A letter for the kind of vehicle. */
    static char symbol(LineKind kind) {
        return switch (kind) {
            case TRAM -> 'T';
            case BUS -> 'B';
            default -> {
                char first = kind.label().charAt(0);
                yield Character.toUpperCase(first);
            }
        };
    }

    /** How long one still has to wait, in words as few as possible. */
    static String countdown(int seconds) {
        int minutes = seconds / 60;
        if (minutes < 1) {
            return "now";
        } else if (minutes < 60) {
            return minutes + "'";
        } else {
            return minutes / 60 + "h" + minutes % 60 + "'";
        }
    }

    /**
     * Puts a message of the control room into words.
     *
     * @param code what the control room sends
     * @param minutes how long it will last, 0 if nobody knows
     * @return a sentence, or {@code null} if the passengers need not know
     */
    public static String wording(String code, int minutes) {
        String sentence;
        switch (code) {
            case "delay":
                sentence = "Trams are late";
                break;
            case "closed":
            case "works":
                sentence = "This stop is closed";
                break;
            case "test":
                return null;
            default:
                sentence = "Please listen to the announcements";
                break;
        }
        if (minutes > 0) {
            sentence += " for " + minutes + (minutes == 1 ? " minute" : " minutes");
        }
        return sentence + ".";
    }

    /** Makes a text exactly as wide as a column: spaces are added or letters cut off. */
    static String column(String text, int width) {
        StringBuilder cell = new StringBuilder(text);
        for (int i = text.length(); i < width; i++) {
            cell.append(' ');
        }
        cell.setLength(width);
        return cell.toString();
    }

    /** Puts a text in the middle of a column. */
    static String centre(String text, int width) {
        int left = (width - text.length()) / 2;
        return column(" ".repeat(Math.max(0, left)) + text, width);
    }

    /**
     * Breaks a message into lines at its blanks.
     *
     * @param message what to break
     * @param width how long a line may be; longer words are left as they are
     */
    static List<String> breakLines(String message, int width) {
        List<String> lines = new ArrayList<>();
        String rest = message.strip();
        while (rest.length() > width) {
            int cut = rest.lastIndexOf(' ', width);
            if (cut <= 0) {
                cut = rest.indexOf(' ');
                if (cut < 0) {
                    break;
                }
            }
            lines.add(rest.substring(0, cut).stripTrailing());
            rest = rest.substring(cut).stripLeading();
        }
        lines.add(rest);
        return lines;
    }

    /** Lists labels one below the other, numbered by a rule. */
    public static String list(Iterable<? extends Labelled> things, IntUnaryOperator numbering) {
        StringBuilder text = new StringBuilder();
        int index = 0;
        for (Labelled thing : things) {
            text.append(numbering.applyAsInt(index++)).append(". ");
            text.append(thing.label()).append('\n');
        }
        return text.toString();
    }
}
