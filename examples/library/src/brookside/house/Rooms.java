package brookside.house;

import brookside.lending.CivilDate;
import brookside.lending.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rooms that members may reserve for a day. */
public class Rooms {
    /**
     * A room.
     *
     * @param seats how many people can sit in it
     * @param key the number of its key, or {@code null} if it is never locked
     */
    public record Room(String name, int seats, Integer key) {}

    /** A day on which a room is taken. */
    public record Booking(Room room, CivilDate day, Member member, int people) {
        /** Tells whether all can sit. */
        public boolean fits() {
            return people <= room.seats();
        }
    }

    private final Map<String, Room> rooms = new LinkedHashMap<>();
    private final TreeMap<CivilDate, List<Booking>> bookings = new TreeMap<>();

    /** Adds a room. */
    public Room add(String name, int seats, Integer key) {
        Room room = new Room(name, seats, key);
        rooms.put(name, room);
        return room;
    }

    /** A room by its name; {@code null} if the house has none of that name. */
    public Room room(String name) {
        return rooms.get(name);
    }

    /** How many people can sit in a room. */
    public int seats(String name) {
        Room room = room(name);
        return room.seats();
    }

    /** The smallest room for a number of people; {@code null} if they are too many. */
    public Room smallestFor(int people) {
        Room best = null;
        for (Room room : rooms.values()) {
            boolean smaller = best == null || room.seats() < best.seats();
            if (room.seats() >= people && smaller) {
                best = room;
            }
        }
        return best;
    }

    /** Proposes a room. */
    public String propose(int people) {
        return "How about " + smallestFor(people).name() + "?";
    }

    /** Tells whether there is a room for a number of people. */
    public boolean canSeat(int people) {
        return smallestFor(people) != null;
    }

    /**
     * Reserves a room.
     *
     * @return the booking, or {@code null} if the room is taken or does not exist
     */
    public Booking book(String name, CivilDate day, Member member, int people) {
        Room room = room(name);
        if (room == null || find(room, day) != null) {
            return null;
        }
        Booking booking = new Booking(room, day, member, people);
        bookings.computeIfAbsent(day, key -> new ArrayList<>()).add(booking);
        return booking;
    }

    /** Reserves a room and writes what the member takes home. */
    public String receipt(String name, CivilDate day, Member member, int people) {
        Booking booking = book(name, day, member, people);
        return booking.room().name() + " on " + booking.day() + " for " + member;
    }

    /** Reserves any room that is large enough; {@code false} if there is none. */
    public boolean bookAny(CivilDate day, Member member, int people) {
        Room room = smallestFor(people);
        return room != null && book(room.name(), day, member, people) != null;
    }

    /** Who has a room on a day; {@code null} if it is free. */
    public Booking find(Room room, CivilDate day) {
        for (Booking booking : bookings.getOrDefault(day, List.of())) {
            if (booking.room().equals(room)) {
                return booking;
            }
        }
        return null;
    }

    /** The sign on the door. */
    public String doorSign(Room room, CivilDate day) {
        Booking booking = find(room, day);
        return room.name() + ": " + booking.member().getName();
    }

    /** How many rooms are taken on a day. */
    public int taken(CivilDate day) {
        List<Booking> all = bookings.get(day);
        return all == null ? 0 : all.size();
    }

    /** How many people come on a day. */
    public int visitors(CivilDate day) {
        int people = 0;
        for (Booking booking : bookings.get(day)) {
            people += booking.people();
        }
        return people;
    }

    /** How many days it is until somebody comes again. */
    public int daysUntilNext(CivilDate today) {
        return today.daysUntil(bookings.higherKey(today));
    }

    /** Who comes next. */
    public String nextVisitor(CivilDate today) {
        Map.Entry<CivilDate, List<Booking>> next = bookings.ceilingEntry(today);
        if (next == null) {
            return "nobody";
        }
        return next.getValue().get(0).member().getName();
    }

    /** The last day for which anything is reserved. */
    public String lastDay() {
        var last = bookings.lastEntry();
        return last.getKey().weekday() + " " + last.getKey();
    }
}
