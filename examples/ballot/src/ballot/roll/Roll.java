package ballot.roll;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Everybody who may vote, and who has voted. */
public class Roll {
    private final TreeMap<Integer, Voter> voters = new TreeMap<>();
    private final Map<String, Ward> wards = new HashMap<>();
    private final Set<Integer> voted = new HashSet<>();

    /** Adds a ward. */
    public Ward add(Ward ward) {
        wards.put(ward.getName(), ward);
        return ward;
    }

    /** Adds a voter; {@code false} if the number is taken. */
    public boolean add(Voter voter) {
        return voters.putIfAbsent(voter.number(), voter) == null;
    }

    public int size() {
        return voters.size();
    }

    /** The voter with a number; {@code null} if there is none. */
    public Voter voter(int number) {
        return voters.get(number);
    }

    /** A ward by its name; {@code null} if the town has none of that name. */
    public Ward ward(String name) {
        return wards.get(name);
    }

    /** How a voter is called at the door of the station. */
    public String call(int number) {
        Voter voter = voter(number);
        return number + ", " + voter.name();
    }

    /** Where a voter votes. */
    public String stationOf(Voter voter) {
        Ward ward = ward(voter.ward());
        return ward.getStation();
    }

    /** Tells whether a voter could vote at an hour. */
    public boolean isOpenFor(Voter voter, int hour) {
        Ward ward = ward(voter.ward());
        return ward != null && ward.isOpenAt(hour);
    }

    /**
     * Notes that somebody votes, for themselves or for somebody else.
     *
     * @return {@code false} if they may not, or have voted already
     */
    public boolean vote(int number, int year) {
        Voter voter = voter(number);
        if (voter == null || !voter.mayVoteIn(year)) {
            return false;
        }
        return voted.add(number);
    }

    public boolean hasVoted(Voter voter) {
        return voted.contains(voter.number());
    }

    /** Who votes for a voter; {@code null} if they come themselves. */
    public Voter proxyOf(Voter voter) {
        return voter.proxy() == 0 ? null : voters.get(voter.proxy());
    }

    /** The name under which a vote is handed in. */
    public String handedInBy(Voter voter) {
        Voter proxy = proxyOf(voter);
        return proxy == null ? voter.name() : proxy.name() + " for " + voter.name();
    }

    /** Tells whether somebody's proxy lives in another ward, which the law forbids. */
    public boolean isProxyFar(Voter voter) {
        return !proxyOf(voter).ward().equals(voter.ward());
    }

    /** The first free number behind another one that is taken. */
    public int freeAfter(int number) {
        int free = number;
        do {
            free++;
        } while (voters.containsKey(free));
        return free;
    }

    /** The name on the card that follows a number. */
    public String nextName(int number) {
        return voters.higherEntry(number).getValue().name();
    }

    /** The voters of a ward, by last name. */
    public List<Voter> of(String ward) {
        List<Voter> found = new ArrayList<>();
        for (Voter voter : voters.values()) {
            if (voter.ward().equals(ward)) {
                found.add(voter);
            }
        }
        Collections.sort(found);
        return found;
    }

    /** The part of a ward's voters that came, in per cent. */
    public int turnout(String ward) {
        List<Voter> all = of(ward);
        int came = 0;
        for (int i = 0; i < all.size(); i++) {
            if (hasVoted(all.get(i))) {
                came++;
            }
        }
        return all.isEmpty() ? 0 : came * 100 / all.size();
    }

    /** The oldest voter of a ward, who opens the first meeting. */
    public String oldest(String ward) {
        Voter oldest = null;
        for (Voter voter : of(ward)) {
            if (oldest == null || voter.born() < oldest.born()) {
                oldest = voter;
            }
        }
        return oldest.name();
    }
}
