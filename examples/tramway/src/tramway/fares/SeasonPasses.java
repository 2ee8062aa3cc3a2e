package tramway.fares;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import tramway.network.Labelled;
import tramway.network.Stop;

/** Passes for a month or a year, by number. */
public class SeasonPasses {
    /** A pass; its zones are those between its two stops. */
    public static final class Pass {
        private final String number;
        private final Passenger passenger;
        private final int from;
        private final int to;
        private String owner;

        Pass(String number, Passenger passenger, int from, int to) {
            this.number = number;
            this.passenger = passenger;
            this.from = Math.min(from, to);
            this.to = Math.max(from, to);
        }

        public String number() {
            return number;
        }

        /** Writes a name on the pass. */
        public Pass name(String newOwner) {
            owner = newOwner;
            return this;
        }

        /** Whose pass it is; {@code null} if anybody may use it. */
        public String owner() {
            return owner == null || owner.isBlank() ? null : owner;
        }

        /** Tells whether the pass is good at a stop. */
        public boolean covers(Stop stop) {
            return from <= stop.getZone() && stop.getZone() <= to;
        }

        /** What it costs for a month, in cents. */
        public int price() {
            return FareTable.base(to - from + 1) * 20 * (100 - passenger.discount()) / 100;
        }
    }

    private final Map<String, Pass> passes = new HashMap<>();
    private final TreeMap<Integer, String> rebates = new TreeMap<>();
    private final Properties office = new Properties();

    /** Sells a pass. */
    public Pass sell(String number, Passenger passenger, Stop from, Stop to) {
        Pass pass = new Pass(number, passenger, from.getZone(), to.getZone());
        passes.put(number, pass);
        return pass;
    }

    /** A pass by its number; {@code null} if it was never sold. */
    public Pass pass(String number) {
        return passes.get(number);
    }

    /** What an inspector's device says. */
    public boolean inspect(String number, Stop stop) {
        Pass pass = pass(number);
        return pass != null && pass.covers(stop);
    }

    /** Names the owner of a pass that was found. */
    public String ownerOf(String number) {
        return pass(number).owner();
    }

    /** Renews a pass under another number. */
    public int renew(String old, String number) {
        Pass pass = passes.remove(old);
        passes.put(number, pass);
        return pass.price();
    }

    /** What it costs to have a pass until the end of the year. */
    public int priceFor(String number, int months) {
        Pass pass = pass(number);
        return pass.price() * months;
    }

    /** The first name on a pass. */
    public static String firstName(Pass pass) {
        return pass.owner().split(" ")[0];
    }

    /** How a letter begins. */
    public static String salutation(Pass pass) {
        String owner = pass.owner();
        return owner == null ? "Dear passenger" : "Dear " + owner;
    }

    /** Tells whether two passes belong to one person. */
    public boolean sameOwner(Pass mine, String number) {
        Pass other = pass(number);
        if (other == null) {
            return false;
        }
        return other.owner().equals(mine.owner());
    }

    /** Gives something to those who keep a pass for some months. */
    public void rebate(int months, String gift) {
        rebates.put(months, gift);
    }

    /** What one gets after some months. */
    public String giftAfter(int months) {
        return rebates.floorEntry(months).getValue();
    }

    /** How many months are left until the next gift. */
    public int monthsToGift(int months) {
        Integer next = rebates.higherKey(months);
        return next - months;
    }

    /** Sets something about the office: its hours, its phone. */
    public void set(String what, String value) {
        office.setProperty(what, value);
    }

    /** The office's hours, as a line on the back of a pass. */
    public String hours() {
        String hours = office.getProperty("hours");
        return "open " + hours.replace("-", " to ");
    }

    /** The office's phone; a dash if there is none. */
    public String phone() {
        String phone = office.getProperty("phone");
        return phone == null ? "-" : phone;
    }

    /** The kind of passenger that a form names. */
    public static int discountFor(String word) {
        Passenger passenger = Labelled.find(Passenger.class, word);
        return passenger.discount();
    }

    /** The cheapest of some passes that is good at a stop. */
    public static String cheapestAt(Stop stop, List<Pass> candidates) {
        Pass best = null;
        for (Pass pass : candidates) {
            if (pass.covers(stop) && (best == null || pass.price() < best.price())) {
                best = pass;
            }
        }
        return best.number();
    }
}
