package brookside.lending;

import java.util.NoSuchElementException;
import java.util.function.Consumer;

/**
 * Who waits for an item, first come, first served. A ring that grows when it is full.
 *
 * @param <T> who waits
 */
public class HoldQueue<T> {
    private Object[] ring = new Object[2];
    private int head;
    private int count;

    /** Puts somebody at the end, unless they wait already. */
    public boolean join(T waiting) {
        if (position(waiting) >= 0) {
            return false;
        }
        if (count == ring.length) {
            grow();
        }
        ring[(head + count) % ring.length] = waiting;
        count++;
        return true;
    }

    /** Puts everybody of another queue at the end of this one, in their order. */
    public void joinAll(HoldQueue<? extends T> others) {
        others.forEach(this::join);
    }

    /**
     * Takes out who waits longest.
     *
     * @throws NoSuchElementException if nobody waits
     */
    public T leave() {
        T first = peek();
        if (first == null) {
            throw new NoSuchElementException("nobody waits");
        }
        ring[head] = null;
        head = (head + 1) % ring.length;
        count--;
        return first;
    }

    /** Who waits longest; {@code null} if nobody does. */
    public T peek() {
        return count == 0 ? null : at(0);
    }

    /** The place of somebody in the queue, counted from zero; -1 if they do not wait. */
    public int position(T waiting) {
        for (int i = 0; i < count; i++) {
            if (at(i).equals(waiting)) {
                return i;
            }
        }
        return -1;
    }

    /** Does something with everybody in turn, without taking anybody out. */
    public void forEach(Consumer<? super T> action) {
        for (int i = 0; i < count; i++) {
            action.accept(at(i));
        }
    }

    public int size() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    @SuppressWarnings("unchecked")
    private T at(int place) {
        return (T) ring[(head + place) % ring.length];
    }

    /** Doubles the ring and turns it so that the first one stands at its beginning. */
    private void grow() {
        Object[] wider = new Object[ring.length << 1];
        for (int i = 0; i < count; i++) {
            wider[i] = at(i);
        }
        ring = wider;
        head = 0;
    }
}
