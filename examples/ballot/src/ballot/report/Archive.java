package ballot.report;

import java.util.Map;
import java.util.TreeMap;

/** Who was elected in earlier years. */
public class Archive {
    /**
     * An election.
     *
     * @param mayor who won, or {@code null} if nobody did
     * @param turnout in per cent
     */
    public record Entry(int year, String mayor, int turnout) {
        /** Who won, in capitals; {@code null} if nobody did. */
        public String headline() {
            return mayor == null ? null : mayor.toUpperCase();
        }
    }

    private final TreeMap<Integer, Entry> entries = new TreeMap<>();

    /** Adds an election. */
    public Archive add(int year, String mayor, int turnout) {
        entries.put(year, new Entry(year, mayor, turnout));
        return this;
    }

    /** The election of a year; {@code null} if there was none. */
    public Entry of(int year) {
        return entries.get(year);
    }

    /** Who was mayor at the end of a year; {@code null} before the first election. */
    public String mayorIn(int year) {
        Map.Entry<Integer, Entry> last = entries.floorEntry(year);
        return last == null ? null : last.getValue().mayor();
    }

    /** The last name of the mayor of a year. */
    public String sign(int year) {
        String mayor = mayorIn(year);
        return "Mayor " + mayor.substring(mayor.indexOf(' ') + 1);
    }

    /** Tells whether a mayor was in office in a year. */
    public boolean wasMayor(String name, int year) {
        String mayor = mayorIn(year);
        return mayor != null && mayor.equals(name);
    }

    /** By how much more people came in a year than in another, in per cent. */
    public int change(Entry now, int before) {
        Entry old = of(before);
        return now.turnout() - old.turnout();
    }

    /** Tells whether an election is due in a year: every fourth, but not at the century's turn. */
    public static boolean isDue(int year) {
        return year % 4 == 0 && year % 100 != 0;
    }

    /** Tells whether people were asked in a year. */
    public boolean hasYear(int year) {
        return of(year) != null;
    }

    /** The width of the headline of an election. */
    public static int width(Entry entry) {
        return entry.headline().length();
    }

    /** The years until the next election that is on record. */
    public int wait(int year) {
        return entries.ceilingKey(year) - year;
    }

    /** The election to which most people came. */
    public int bestYear() {
        Entry best = null;
        for (Entry entry : entries.values()) {
            if (best == null || entry.turnout() >= best.turnout()) {
                best = entry;
            }
        }
        return best.year();
    }
}
