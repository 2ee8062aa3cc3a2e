package quill.tool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import quill.text.Strings;

/** The lines somebody typed, from the oldest to the latest. */
public class History {
    private final Deque<String> lines = new ArrayDeque<>();
    private final int room;
    private int letters;

    /**
     * Creates an empty history.
     *
     * @param room how many letters all lines may have together
     */
    public History(int room) {
        this.room = room;
    }

    /** Adds a line, unless it is blank or repeats the one before. */
    public boolean add(String line) {
        if (line.isBlank() || line.equals(latest())) {
            return false;
        }
        lines.addLast(line);
        letters += line.length();
        trim();
        return true;
    }

    /** Forgets the oldest lines until the others fit. */
    private void trim() {
        while (letters > room) {
            String oldest = lines.pollFirst();
            letters -= oldest.length();
        }
    }

    public int size() {
        return lines.size();
    }

    /** The line that was typed last; {@code null} if there is none. */
    public String latest() {
        return lines.peekLast();
    }

    /**
     * Finds the latest line that begins in a certain way.
     *
     * @return the line, or {@code null} if none does
     */
    public String find(String beginning) {
        Iterator<String> each = lines.descendingIterator();
        while (each.hasNext()) {
            String line = each.next();
            if (line.startsWith(beginning)) {
                return line;
            }
        }
        return null;
    }

    /** Completes what is being typed from the history; what nobody typed before stays as it is. */
    public String complete(String typed) {
        String line = find(typed);
        return line == null ? typed : line;
    }

    /** Replaces {@code !begin} by the line that begins so; other lines are left alone. */
    public String expand(String line) {
        if (!line.startsWith("!")) {
            return line;
        }
        String found = find(line.substring(1).strip());
        return found.strip();
    }

    /** The latest line without its last word, to type another one in its place. */
    public String again() {
        String line = latest();
        int cut = line.lastIndexOf(' ');
        return cut < 0 ? "" : line.substring(0, cut + 1);
    }

    /** How wide the screen must be for the longest line that mentions a name. */
    public int widthOf(String name) {
        String longest = null;
        for (String line : lines) {
            if (line.contains(name) && (longest == null || line.length() > longest.length())) {
                longest = line;
            }
        }
        return longest.length();
    }

    /** The first letters of the oldest line, as a heading for a page of the history. */
    public String heading(int width) {
        String oldest = lines.peekFirst();
        if (oldest != null && oldest.length() < width) {
            return oldest;
        }
        return oldest.substring(0, width - 1) + "…";
    }

    /** Takes the latest line back, if it was the one that was meant. */
    public boolean undo(String line) {
        String latest = lines.peekLast();
        if (!latest.equals(line)) {
            return false;
        }
        lines.removeLast();
        letters -= line.length();
        return true;
    }

    /** The lines most like another one, the nearest first and the latest of equals first. */
    public List<String> like(String line, int limit) {
        List<String> sorted = new ArrayList<>();
        lines.descendingIterator().forEachRemaining(sorted::add);
        sorted.sort(
                (a, b) ->
                        Integer.compare(Strings.distance(line, a), Strings.distance(line, b)));
        return sorted.subList(0, Math.min(limit, sorted.size()));
    }
}
