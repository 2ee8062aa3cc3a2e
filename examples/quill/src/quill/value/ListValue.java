package quill.value;

import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import quill.text.Strings;

/** Values in order. */
public final class ListValue extends Value implements Iterable<Value> {
    private final List<Value> items;

    public ListValue(Value... items) {
        this(Arrays.asList(items));
    }

    /** A list of the items of any collection, in the order of its iterator. */
    public ListValue(Collection<? extends Value> items) {
        this.items = List.copyOf(items);
    }

    public int size() {
        return items.size();
    }

    /**
     * Looks an item up.
     *
     * @param index counted from zero, or from the end if negative
     * @return the item, or {@code null} if the list is not that long
     */
    public Value get(int index) {
        int place = index < 0 ? items.size() + index : index;
        return place >= 0 && place < items.size() ? items.get(place) : null;
    }

    /** The last item, as a program would write it. */
    public String showLast() {
        return get(-1).show();
    }

    @Override
    public Iterator<Value> iterator() {
        return items.iterator();
    }

    /** The items of this list and then those of another one. */
    public ListValue concat(ListValue more) {
        Value[] all = Arrays.copyOf(items.toArray(new Value[0]), size() + more.size());
        int at = size();
        for (Value item : more) {
            all[at++] = item;
        }
        return new ListValue(all);
    }

    /** The items from the last to the first. */
    public ListValue reversed() {
        Value[] turned = items.toArray(new Value[0]);
        for (int low = 0, high = turned.length - 1; low < high; low++, high--) {
            Value kept = turned[low];
            turned[low] = turned[high];
            turned[high] = kept;
        }
        return new ListValue(turned);
    }

    /**
     * Sorts the items by insertion, which keeps the order of equal ones.
     *
     * @return a new list; this one stays as it is
     */
    public ListValue sorted() {
        Value[] values = items.toArray(new Value[0]);
        for (int i = 1; i < values.length; i++) {
            Value moved = values[i];
            int j = i;
            while (j > 0 && values[j - 1].compareTo(moved) > 0) {
                values[j] = values[j - 1];
                j--;
            }
            values[j] = moved;
        }
        return new ListValue(values);
    }

    @Override
    public Kind kind() {
        return Kind.LIST;
    }

    @Override
    public String show() {
        return "[" + Strings.commas(items.stream().map(Value::show).toList()) + "]";
    }

    /** A list is true if there is anything in it. */
    @Override
    public boolean isTrue() {
        return !items.isEmpty();
    }

    /** Compares item by item; if one list is the beginning of the other, the shorter is less. */
    @Override
    protected int compareSame(Value other) {
        ListValue that = (ListValue) other;
        int common = Math.min(size(), that.size());
        for (int i = 0; i < common; i++) {
            int order = items.get(i).compareTo(that.items.get(i));
            if (order != 0) {
                return order;
            }
        }
        return size() - that.size();
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof ListValue that && items.equals(that.items);
    }

    /** Mixes the items' hashes, so that their order matters. */
    @Override
    public int hashCode() {
        int hash = 7;
        for (Value item : items) {
            hash = hash * 31 ^ item.hashCode();
        }
        return hash;
    }
}
