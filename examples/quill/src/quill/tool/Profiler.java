package quill.tool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import quill.text.Nullable;
import quill.text.Strings;

/** Counts calls and the time they take. Time is whatever the caller's clock says. */
public class Profiler {
    /** What is known of one function. */
    public static final class Entry {
        private final String name;
        private int calls;
        private long time;

        Entry(String name) {
            this.name = name;
        }

        public String name() {
            return name;
        }

        public int calls() {
            return calls;
        }

        public long time() {
            return time;
        }

        /** The time of one call, on average. */
        public double mean() {
            return calls == 0 ? 0 : (double) time / calls;
        }

        /** Notes a call that is over. */
        void count(long elapsed) {
            calls++;
            time += elapsed;
        }
    }

    /** A call that is not over yet. */
    private record Running(String name, long since) {}

    private final Map<String, Entry> entries = new HashMap<>();
    private final Deque<Running> running = new ArrayDeque<>();
    private final TreeMap<Long, String> marks = new TreeMap<>();

    /** Notes that a function is called. */
    public void enter(String name, long now) {
        running.push(new Running(name, now));
    }

    /** Notes that the innermost call is over. */
    public void leave(long now) {
        Running call = running.poll();
        Entry entry = entries.computeIfAbsent(call.name(), Entry::new);
        entry.count(now - call.since());
    }

    /** The function that runs now; {@code null} between two statements. */
    public String current() {
        Running call = running.peek();
        return call == null ? null : call.name();
    }

    /** For how long the innermost call has been running. */
    public long elapsed(long now) {
        return now - running.peek().since();
    }

    /** What the screen shows while a program runs. */
    public String status(long now) {
        String name = current();
        return name == null ? "idle" : Strings.fill(name, 12, '.') + " " + elapsed(now);
    }

    /** What is known of a function; {@code null} if it was never called. */
    @Nullable
    public Entry entry(String name) {
        return entries.get(name);
    }

    /** How often a function was called. */
    public int calls(String name) {
        Entry entry = entry(name);
        return entry == null ? 0 : entry.calls();
    }

    /** The time of a function compared with that of all functions, in per cent. */
    public int share(String name) {
        long all = 0;
        for (Entry entry : entries.values()) {
            all += entry.time();
        }
        long mine = entry(name).time();
        return all == 0 ? 0 : (int) (mine * 100 / all);
    }

    /** Tells whether one function is slower than another, call by call. */
    public boolean isSlower(String name, Entry than) {
        Entry entry = entry(name);
        return entry.mean() > than.mean();
    }

    /** The function that took most time in all; {@code null} if none was called. */
    public Entry slowest() {
        return entries.values().stream().max(Comparator.comparingLong(Entry::time)).orElse(null);
    }

    /** A sentence about the function on which work would pay. */
    public String advice() {
        Entry entry = slowest();
        return "look at " + entry.name() + ", " + entry.calls() + " calls";
    }

    /** Puts a mark at a time, to find the part of a program that ran then. */
    public void mark(long now, String label) {
        marks.put(now, label);
    }

    /** The label of the part that ran at a time. */
    public String partAt(long time) {
        return marks.floorEntry(time).getValue();
    }

    /** How long the part lasted that ran at a time. */
    public long lengthOfPart(long time) {
        Long from = marks.floorKey(time);
        Long to = marks.higherKey(time);
        if (from == null) {
            return 0;
        }
        return to - from;
    }

    /** All entries, those with most calls first. */
    public List<Entry> byCalls() {
        List<Entry> sorted = new ArrayList<>(entries.values());
        sorted.sort(Comparator.comparingInt(Entry::calls).reversed().thenComparing(Entry::name));
        return sorted;
    }
}
