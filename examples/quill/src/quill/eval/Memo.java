package quill.eval;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Remembers the latest results of a function and forgets what was not used for longest.
 *
 * @param <K> what the function is asked
 * @param <V> what it answers
 */
public class Memo<K extends Comparable<? super K>, V> {
    /** An entry in a chain from the latest use to the oldest. */
    private class Entry {
        final K key;
        final V value;
        Entry newer;
        Entry older;

        Entry(K key, V value) {
            this.key = key;
            this.value = value;
        }

        /** Takes the entry out of the chain; its neighbours get to know each other. */
        void unlink() {
            if (newer != null) {
                newer.older = older;
            } else {
                newest = older;
            }
            if (older != null) {
                older.newer = newer;
            } else {
                oldest = newer;
            }
        }

        /** Puts the entry at the chain's newer end. */
        void linkFirst() {
            newer = null;
            older = newest;
            if (newest != null) {
                newest.newer = this;
            }
            newest = this;
            if (oldest == null) {
                oldest = this;
            }
        }
    }

    private final Map<K, Entry> entries = new HashMap<>();
    private final int capacity;
    private Entry newest;
    private Entry oldest;

    public Memo(int capacity) {
        assert capacity > 0 : "a memo must remember something";
        this.capacity = capacity;
    }

    /**
     * Gives the remembered answer or asks the function.
     *
     * @param key the question
     * @param function asked only if the answer is not known
     */
    public synchronized V get(K key, Function<? super K, ? extends V> function) {
        Entry entry = entries.get(key);
        if (entry != null) {
            entry.unlink();
        } else {
            entry = new Entry(key, function.apply(key));
            if (entries.size() >= capacity) {
                forget();
            }
            entries.put(key, entry);
        }
        entry.linkFirst();
        return entry.value;
    }

    /** Drops the entry at the chain's older end. */
    private void forget() {
        Entry last = oldest;
        last.unlink();
        entries.remove(last.key);
    }

    /** The question that would be forgotten next. */
    public K eldest() {
        return oldest.key;
    }

    /** How many answers are remembered now. */
    public int size() {
        return entries.size();
    }
}
