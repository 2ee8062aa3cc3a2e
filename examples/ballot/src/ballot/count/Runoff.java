package ballot.count;

import ballot.paper.Paper;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The last is left out until somebody has more than half of the papers. */
public final class Runoff implements CountingRule {
    private final List<String> eliminated = new ArrayList<>();

    @Override
    public String title() {
        return "instant runoff";
    }

    @Override
    public String winner(List<Paper> papers, Set<String> standing) {
        Set<String> left = new TreeSet<>(standing);
        eliminated.clear();
        while (!left.isEmpty()) {
            Tally<String> tally = new Tally<>();
            left.forEach(id -> tally.add(id, 0));
            for (Paper paper : papers) {
                String choice = paper.firstOf(left);
                if (choice != null) {
                    tally.add(choice, 1);
                }
            }
            if (tally.hasMajority()) {
                return tally.winner();
            }
            String last = tally.last();
            left.remove(last);
            eliminated.add(last);
        }
        return null;
    }

    /** Who was left out in the last count, in order. */
    public List<String> eliminated() {
        return eliminated;
    }

    /** Who was left out first; {@code null} if nobody was. */
    public String firstOut() {
        return eliminated.isEmpty() ? null : eliminated.get(0);
    }

    /** A line for the minutes. */
    public String minutes() {
        return "left out first: " + firstOut().toLowerCase();
    }

    /** The party letter of the winner of a count. */
    public char winningLetter(List<Paper> papers, Set<String> standing) {
        String winner = winner(papers, standing);
        return winner.charAt(0);
    }
}
