package ballot.count;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts votes.
 *
 * @param <K> for whom or what
 */
public class Tally<K extends Comparable<? super K>> {
    private final Map<K, Integer> votes = new TreeMap<>();
    private int total;

    /** Adds votes. */
    public void add(K to, int more) {
        votes.merge(to, more, Integer::sum);
        total += more;
    }

    public int total() {
        return total;
    }

    /** The votes for somebody; none if nobody voted for them. */
    public int of(K key) {
        Integer count = votes.get(key);
        return count == null ? 0 : count;
    }

    /** By how many votes one is ahead of a number. */
    public int lead(K key, int over) {
        int count = votes.get(key);
        return count - over;
    }

    /** The keys with most votes first; of equals, the lesser key. */
    public List<K> ranking() {
        List<K> keys = new ArrayList<>(votes.keySet());
        keys.sort((a, b) -> of(a) != of(b) ? of(b) - of(a) : a.compareTo(b));
        return keys;
    }

    /** The key with most votes; {@code null} if there were none, or if two have as many. */
    public K winner() {
        K best = null;
        boolean tied = false;
        for (Map.Entry<K, Integer> entry : votes.entrySet()) {
            int count = entry.getValue();
            if (best == null || count > of(best)) {
                best = entry.getKey();
                tied = false;
            } else if (count == of(best)) {
                tied = true;
            }
        }
        return tied ? null : best;
    }

    /** The key with fewest votes; {@code null} if there are no keys. */
    public K last() {
        List<K> keys = ranking();
        return keys.isEmpty() ? null : keys.get(keys.size() - 1);
    }

    /** The share of a key in all votes, in per mille, rounded to the nearest. */
    public int share(K key) {
        return total == 0 ? 0 : (of(key) * 2000 + total) / (2 * total);
    }

    /** Tells whether somebody has more than half of the votes. */
    public boolean hasMajority() {
        K best = winner();
        return best != null && of(best) * 2 > total;
    }

    /** The name of the winner, as it is called from the balcony. */
    public String proclaim() {
        return winner().toString() + "!";
    }
}
