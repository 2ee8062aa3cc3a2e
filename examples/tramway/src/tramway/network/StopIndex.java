package tramway.network;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tramway.geo.Point;

/** Finds stops by what people type or where they stand. */
public class StopIndex {
    private final TreeMap<String, Stop> byName = new TreeMap<>();
    private final Map<String, String> nicknames = new HashMap<>();

    public StopIndex(Iterable<Stop> stops) {
        for (Stop stop : stops) {
            byName.put(key(stop.getName()), stop);
        }
    }

    /** A name as it is compared: without blanks at its ends and in small letters. */
    static String key(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }

    /** Lets a stop be found by another name, too. */
    public void nickname(String nick, Stop stop) {
        nicknames.put(key(nick), key(stop.getName()));
    }

    /** The stop with a name, which need not be written to its end; {@code null} if there is none. */
    public Stop find(String typed) {
        Map.Entry<String, Stop> first = byName.ceilingEntry(key(typed));
        if (first == null || !first.getKey().startsWith(key(typed))) {
            return null;
        }
        return first.getValue();
    }

    /** The stop with a nickname; {@code null} if nobody calls any stop so. */
    public Stop findNick(String nick) {
        String name = nicknames.get(key(nick));
        return name == null ? null : byName.get(name);
    }

    /** What a nickname stands for, as an answer to a passenger. */
    public String explain(String nick) {
        Stop stop = findNick(nick);
        return nick + " is " + stop.getName();
    }

    /** Tells whether a stop is known by a name or a nickname. */
    public boolean knows(String typed) {
        return find(typed) != null || findNick(typed) != null;
    }

    /** The id of a stop, for a link. */
    public String link(String typed) {
        return "/stops/" + find(typed).getId();
    }

    /** The zone of a stop; 0 if nobody knows the stop. */
    public int zone(String typed) {
        Stop stop = find(typed);
        return stop == null ? 0 : stop.getZone();
    }

    /** Tells whether two stops are in one zone. */
    public boolean sameZone(Stop here, String typed) {
        Stop there = find(typed);
        return here.getZone() == there.getZone();
    }

    /** The stop that comes after another one in the alphabet. */
    public String nextName(String name) {
        return byName.higherEntry(key(name)).getValue().getName();
    }

    /** The letters from the first name to the last. */
    public String span() {
        String first = byName.firstKey();
        Map.Entry<String, Stop> last = byName.lastEntry();
        return first.charAt(0) + "-" + last.getKey().charAt(0);
    }

    /** The stop nearest to a place; {@code null} if none of them was measured. */
    public Stop nearest(Point place) {
        Stop nearest = null;
        double least = Double.MAX_VALUE;
        for (Stop stop : byName.values()) {
            if (stop.getPlace() == null) {
                continue;
            }
            double metres = place.distanceTo(stop.getPlace());
            if (metres < least) {
                least = metres;
                nearest = stop;
            }
        }
        return nearest;
    }

    /** What a phone says to somebody at a place. */
    public String guide(Point place) {
        Stop stop = nearest(place);
        return "Go to " + stop.getName();
    }

    /** The direction of the nearest stop, as a word. */
    public static String arrow(Point here, Stop stop) {
        String direction = here.directionTo(stop.getPlace());
        return "to the " + direction.toLowerCase(Locale.ROOT);
    }

    /** The stop of some that lies farthest from a place. */
    public static String farthest(Point place, List<Stop> stops) {
        Stop farthest = null;
        double most = -1;
        for (Stop stop : stops) {
            Point there = stop.getPlace();
            if (there != null && place.distanceTo(there) > most) {
                most = place.distanceTo(there);
                farthest = stop;
            }
        }
        return farthest.getName();
    }
}
