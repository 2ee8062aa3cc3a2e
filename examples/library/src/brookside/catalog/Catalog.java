package brookside.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** All items of the house, found by mark, by number, by title or by any condition. */
public class Catalog implements Iterable<Item> {
    private final Map<String, Item> byMark = new LinkedHashMap<>();
    private final Map<Isbn, List<Book>> byIsbn = new HashMap<>();
    private final TitleIndex titles = new TitleIndex();

    /**
     * Adds an item.
     *
     * @return {@code false} if an item with this mark is there already
     */
    public boolean add(Item item) {
        if (byMark.putIfAbsent(item.getShelfMark(), item) != null) {
            return false;
        }
        titles.add(item.getTitle(), item.getShelfMark());
        if (item instanceof Book book && book.getIsbn() != null) {
            byIsbn.computeIfAbsent(book.getIsbn(), key -> new ArrayList<>()).add(book);
        }
        return true;
    }

    /** Adds all items of a collection and returns how many of them were new. */
    public int addAll(Collection<? extends Item> items) {
        int added = 0;
        for (Item item : items) {
            if (add(item)) {
                added++;
            }
        }
        return added;
    }

    public int size() {
        return byMark.size();
    }

    /**
     * Finds the item with a shelf mark.
     *
     * @param mark the mark, as on the spine
     * @return the item, or {@code null} if there is none
     */
    public Item find(String mark) {
        return byMark.get(mark);
    }

    /** Finds a copy of a book that may be lent; {@code null} if the house has none. */
    public Book find(Isbn isbn) {
        List<Book> copies = byIsbn.get(isbn);
        if (copies == null) {
            return null;
        }
        for (Book copy : copies) {
            if (copy.isLendable()) {
                return copy;
            }
        }
        return null;
    }

    /** How many copies of a book there are, lendable or not. */
    public int copiesOf(Isbn isbn) {
        return byIsbn.getOrDefault(isbn, Collections.emptyList()).size();
    }

    /**
     * Selects the items that fulfil a condition.
     *
     * @param wanted the condition
     * @return the items in the order of the shelf
     */
    public List<Item> select(Predicate<? super Item> wanted) {
        return byMark.values().stream().filter(wanted).sorted().collect(Collectors.toList());
    }

    /** Selects the items of one type that fulfil a condition, as that type. */
    public <T extends Item> List<T> select(Class<T> type, Predicate<? super T> wanted) {
        List<T> found = new ArrayList<>();
        for (Item item : byMark.values()) {
            if (type.isInstance(item)) {
                T candidate = type.cast(item);
                if (wanted.test(candidate)) {
                    found.add(candidate);
                }
            }
        }
        Collections.sort(found);
        return found;
    }

    /** Items whose title begins with the given words. */
    public List<Item> titlesFrom(String beginning) {
        List<Item> found = new ArrayList<>();
        for (String mark : titles.marksFrom(beginning)) {
            found.add(byMark.get(mark));
        }
        return found;
    }

    /** The title of an item, for a receipt. */
    public String titleOf(String mark) {
        Item item = find(mark);
        return item.getTitle();
    }

    /** The oldest item of the house; {@code null} while the house is empty. */
    public Item oldest() {
        return first(Comparator.comparingInt(Item::getYear));
    }

    /** The item that any order puts first. */
    private Item first(Comparator<? super Item> order) {
        Item best = null;
        for (Item item : byMark.values()) {
            if (best == null || order.compare(item, best) < 0) {
                best = item;
            }
        }
        return best;
    }

    /**
     * Takes every item out of the catalogue that has been withdrawn.
     *
     * @return the marks of what was taken out
     */
    public List<String> weed() {
        List<String> marks = new ArrayList<>();
        Iterator<Item> each = byMark.values().iterator();
        while (each.hasNext()) {
            Item item = each.next();
            if (!item.isWithdrawn()) {
                continue;
            }
            marks.add(item.getShelfMark());
            each.remove();
            if (item instanceof Book) {
                byIsbn.values().forEach(copies -> copies.remove(item));
            }
        }
        for (String mark : marks) {
            titles.remove(mark);
        }
        return marks;
    }

    /** Walks over the items that may be lent, in the order in which they came. */
    @Override
    public Iterator<Item> iterator() {
        return new Lendable();
    }

    /** Looks one item ahead, so that {@link #hasNext} can tell. */
    private class Lendable implements Iterator<Item> {
        private final Iterator<Item> all = byMark.values().iterator();
        private Item ahead = advance();

        /** The next item that may be lent; {@code null} after the last. */
        private Item advance() {
            while (all.hasNext()) {
                Item item = all.next();
                if (item.isLendable()) {
                    return item;
                }
            }
            return null;
        }

        @Override
        public boolean hasNext() {
            return ahead != null;
        }

        /**
         * Returns the item ahead and looks for another one.
         *
         * @throws NoSuchElementException after the last item
         */
        @Override
        public Item next() {
            if (ahead == null) {
                throw new NoSuchElementException();
            }
            Item current = ahead;
            ahead = advance();
            return current;
        }
    }
}
