package brookside.catalog;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What the house wants to buy, and from whom. */
public class Orders {
    /**
     * A shop.
     *
     * @param name how it is called
     * @param discount what it takes off the price, in per cent
     * @param contact whom to call, or {@code null}
     */
    public record Supplier(String name, int discount, String contact) {}

    /** A wish, which becomes an order when there is a supplier for it. */
    public static final class Order {
        private final String title;
        private final int cents;
        private Supplier supplier;
        private boolean cancelled;

        Order(String title, int cents) {
            this.title = title;
            this.cents = cents;
        }

        public String title() {
            return title;
        }

        /** Takes the wish back. */
        public void cancel() {
            cancelled = true;
        }

        /** Who delivers; {@code null} if the wish was taken back. */
        public Supplier supplier() {
            return cancelled ? null : supplier;
        }

        /** What the house pays, in cents. */
        public int price() {
            return cents * (100 - supplier().discount()) / 100;
        }

        /** Tells whether somebody was asked for it. */
        public boolean isPlaced() {
            return supplier() != null;
        }
    }

    private final Map<String, Supplier> suppliers = new LinkedHashMap<>();
    private final Map<String, Order> orders = new HashMap<>();
    private final Deque<Order> waiting = new ArrayDeque<>();
    private int spent;

    /** Adds a shop. */
    public Supplier add(Supplier supplier) {
        suppliers.put(supplier.name(), supplier);
        return supplier;
    }

    /** Notes a wish. */
    public Order wish(String title, int cents) {
        Order order = new Order(title, cents);
        orders.put(title, order);
        waiting.add(order);
        return order;
    }

    /** The order of a title; {@code null} if nobody wished for it. */
    public Order order(String title) {
        return orders.get(title);
    }

    /** A shop by its name; {@code null} if the house does not know it. */
    public Supplier supplier(String name) {
        return suppliers.get(name);
    }

    /**
     * Orders a title from a shop.
     *
     * @return {@code false} if there is no such wish or no such shop
     */
    public boolean place(String title, String from) {
        Order order = order(title);
        Supplier supplier = supplier(from);
        if (order == null || supplier == null) {
            return false;
        }
        order.supplier = supplier;
        waiting.remove(order);
        return true;
    }

    /** Orders what has waited longest from the best shop. */
    public String placeNext() {
        Order order = waiting.poll();
        order.supplier = cheapest();
        return order.title();
    }

    /** The shop that takes off most; {@code null} if there is none. */
    public Supplier cheapest() {
        Supplier best = null;
        for (Supplier supplier : suppliers.values()) {
            if (best == null || supplier.discount() > best.discount()) {
                best = supplier;
            }
        }
        return best;
    }

    /** What the best shop takes off a price, in cents. */
    public int saving(int cents) {
        Supplier best = cheapest();
        return cents * best.discount() / 100;
    }

    /** Pays for a title that has come. */
    public int pay(String title) {
        Order order = order(title);
        spent += order.price();
        return spent;
    }

    /** Where a title stands: nobody wished for it, it waits, or it was ordered. */
    public String state(String title) {
        Order order = order(title);
        if (order == null) {
            return "unknown";
        }
        return order.isPlaced() ? "ordered" : "waiting";
    }

    /** Whom to call about a title. */
    public String contactFor(String title) {
        Supplier supplier = order(title).supplier();
        return supplier == null ? "the desk" : supplier.contact();
    }

    /** The first letters of a shop's name, as a mark on the parcel. */
    public String parcelMark(String name) {
        Supplier supplier = supplier(name);
        return supplier.name().substring(0, 3).toUpperCase();
    }

    /** The title that is looked at next in a meeting. */
    public String agenda() {
        return "next: " + waiting.peek().title();
    }

    /** A shop that sells with some discount at least. */
    public String anyWith(int discount) {
        Optional<Supplier> found =
                suppliers.values().stream()
                        .filter(supplier -> supplier.discount() >= discount)
                        .findFirst();
        return found.orElse(null).name();
    }
}
