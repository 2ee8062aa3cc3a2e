package brookside.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Where things stand: each shelf begins at a title and goes on until the next shelf begins. */
public class Shelving {
    /**
     * A shelf.
     *
     * @param number painted on its side
     * @param room the room it stands in
     * @param metres how much fits on it
     */
    public record Shelf(int number, String room, double metres) {
        /** How a reader is sent there. */
        public String sign() {
            return "shelf " + number + ", " + room;
        }
    }

    private static final double BOOKS_PER_METRE = 35;

    private final TreeMap<String, Shelf> byFirst = new TreeMap<>();
    private final Map<String, String> moved = new HashMap<>();

    /** Puts a shelf up that begins at some title. */
    public void put(String first, Shelf shelf) {
        byFirst.put(first.toLowerCase(), shelf);
    }

    public int size() {
        return byFirst.size();
    }

    /** The sign for an item: the last shelf that begins before its title. */
    public String signFor(Item item) {
        return byFirst.floorEntry(item.sortKey()).getValue().sign();
    }

    /** The shelf with a number; {@code null} if there is none. */
    public Shelf shelf(int number) {
        for (Shelf shelf : byFirst.values()) {
            if (shelf.number() == number) {
                return shelf;
            }
        }
        return null;
    }

    /** The room of a shelf; "the stacks" for numbers that nobody painted. */
    public String roomOf(int number) {
        Shelf shelf = shelf(number);
        return shelf == null ? "the stacks" : shelf.room();
    }

    /** How many books fit on a shelf. */
    public int capacity(int number) {
        return (int) (shelf(number).metres() * BOOKS_PER_METRE);
    }

    /** Tells whether one need not leave the room to get from one shelf to another. */
    public boolean sameRoom(Shelf here, int number) {
        Shelf there = shelf(number);
        return there.room().equals(here.room());
    }

    /** The title at which the shelf behind another one begins. */
    public String nextBegins(String title) {
        String next = byFirst.higherKey(title.toLowerCase());
        return Character.toUpperCase(next.charAt(0)) + next.substring(1);
    }

    /** Takes the first shelf away. */
    public int removeFirst() {
        Map.Entry<String, Shelf> first = byFirst.pollFirstEntry();
        return first.getValue().number();
    }

    /** Notes that an item stands somewhere else for a while. */
    public void move(Item item, String where) {
        moved.put(item.getShelfMark(), where);
    }

    /** Where an item stands now. */
    public String placeOf(Item item) {
        String where = moved.get(item.getShelfMark());
        return where != null ? where : signFor(item);
    }

    /** The note that stands in for an item that was moved. */
    public String standIn(Item item) {
        String where = moved.get(item.getShelfMark());
        return item.getTitle() + " → " + where.toUpperCase();
    }

    /** The widest shelf of a room. */
    public double widest(String room) {
        Shelf widest = null;
        for (Shelf shelf : byFirst.values()) {
            if (!shelf.room().equals(room)) {
                continue;
            }
            if (widest == null || shelf.metres() > widest.metres()) {
                widest = shelf;
            }
        }
        return widest.metres();
    }

    /** All rooms, each once, in the order of the shelves. */
    public List<String> rooms() {
        List<String> rooms = new ArrayList<>();
        for (Shelf shelf : byFirst.values()) {
            if (!rooms.contains(shelf.room())) {
                rooms.add(shelf.room());
            }
        }
        return rooms;
    }
}
