package tramway.routing;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;

/**
 * A queue that gives the least element first.
 *
 * @param <T> the elements
 */
public class BinaryHeap<T> {
    private final Comparator<? super T> order;
    private Object[] heap = new Object[4];
    private int size;

    public BinaryHeap(Comparator<? super T> order) {
        this.order = order;
    }

    /** A heap of elements that have an order of their own. */
    public static <T extends Comparable<? super T>> BinaryHeap<T> natural() {
        return new BinaryHeap<>(Comparator.<T>naturalOrder());
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Adds an element. */
    public void push(T element) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        heap[size] = element;
        siftUp(size++);
    }

    /** Adds all elements of a collection. */
    public void pushAll(Collection<? extends T> elements) {
        for (T element : elements) {
            push(element);
        }
    }

    /** The least element, which stays; {@code null} if there is none. */
    public T peek() {
        return size > 0 ? at(0) : null;
    }

    /**
     * Takes the least element out.
     *
     * @return the element, or {@code null} if there is none
     */
    public T pop() {
        if (size == 0) {
            return null;
        }
        T least = at(0);
        size--;
        heap[0] = heap[size];
        heap[size] = null;
        siftDown(0);
        return least;
    }

    /** Moves an element towards the root until its parent is not greater. */
    private void siftUp(int place) {
        while (place > 0) {
            int parent = (place - 1) / 2;
            if (order.compare(at(parent), at(place)) <= 0) {
                return;
            }
            swap(parent, place);
            place = parent;
        }
    }

    /** Moves an element away from the root until both children are not less. */
    private void siftDown(int place) {
        for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
            if (child + 1 < size && order.compare(at(child + 1), at(child)) < 0) {
                child++;
            }
            if (order.compare(at(place), at(child)) <= 0) {
                break;
            }
            swap(place, child);
            place = child;
        }
    }

    /** Exchanges the elements at two places. */
    private void swap(int a, int b) {
        Object kept = heap[a];
        heap[a] = heap[b];
        heap[b] = kept;
    }

    @SuppressWarnings("unchecked")
    private T at(int place) {
        return (T) heap[place];
    }
}
