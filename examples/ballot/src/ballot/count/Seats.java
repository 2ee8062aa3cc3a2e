package ballot.count;

import ballot.paper.Party;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;

/** Shares seats among parties by dividing their votes again and again. */
public final class Seats {
    /** How the divisors grow. */
    public enum Rule {
        DHONDT {
            @Override
            int divisor(int seats) {
                return seats + 1;
            }
        },
        SAINTE_LAGUE {
            @Override
            int divisor(int seats) {
                return 2 * seats + 1;
            }
        };

        /** What a party's votes are divided by when it has some seats already. */
        abstract int divisor(int seats);
    }

    private final Rule rule;
    private final Map<Party, Integer> seats = new EnumMap<>(Party.class);
    private final Deque<Party> order = new ArrayDeque<>();

    public Seats(Rule rule) {
        this.rule = rule;
    }

    /**
     * Shares seats; whoever has the lower letter gets a seat that two deserve.
     *
     * @param threshold parties with a smaller share, in per mille, get nothing
     */
    public void share(Tally<Party> votes, int count, int threshold) {
        for (int seat = 0; seat < count; seat++) {
            Party best = null;
            long most = 0;
            long under = 1;
            for (Party party : votes.ranking()) {
                if (votes.share(party) < threshold || party == Party.NONE) {
                    continue;
                }
                long mine = votes.of(party);
                long divisor = rule.divisor(of(party));
                if (mine * under > most * divisor) {
                    best = party;
                    most = mine;
                    under = divisor;
                }
            }
            if (best == null) {
                return;
            }
            seats.merge(best, 1, Integer::sum);
            order.push(best);
        }
    }

    /** The seats of a party. */
    public int of(Party party) {
        return seats.getOrDefault(party, 0);
    }

    /** The party that got the last seat; {@code null} if there were none. */
    public Party lastServed() {
        return order.peek();
    }

    /** A sentence about the last seat. */
    public String lastSeat() {
        return "the last seat goes to " + lastServed().title();
    }

    /** Takes the last seat back, after a recount, and gives how many its party still has. */
    public int withdraw() {
        Party party = order.poll();
        if (party == null) {
            return 0;
        }
        return seats.merge(party, -1, Integer::sum);
    }

    /** Tells whether a party alone has more than half of the seats. */
    public boolean rules(Party party) {
        return of(party) * 2 > order.size();
    }

    /** Bits of the parties that have a seat, the first party lowest. */
    public int present() {
        int bits = 0;
        for (Party party : seats.keySet()) {
            if (of(party) > 0) {
                bits |= 1 << party.ordinal();
            }
        }
        return bits;
    }

    /** A bar for a party, a letter for each seat. */
    public String bar(Party party) {
        StringBuilder bar = new StringBuilder();
        for (int i = of(party); i > 0; i--) {
            bar.append(party.shortName().charAt(0));
        }
        return bar.toString();
    }
}
