package ballot.count;

import ballot.paper.Paper;
import java.util.List;
import java.util.Set;

/** Whoever is first on most papers. */
public final class Plurality implements CountingRule {
    @Override
    public String title() {
        return "first past the post";
    }

    /** Counts the first choices. */
    public static Tally<String> count(List<Paper> papers, Set<String> standing) {
        Tally<String> tally = new Tally<>();
        for (Paper paper : papers) {
            String first = paper.firstOf(standing);
            if (first != null) {
                tally.add(first, 1);
            }
        }
        return tally;
    }

    @Override
    public String winner(List<Paper> papers, Set<String> standing) {
        return count(papers, standing).winner();
    }

    /** How many votes the winner had more than half, or less if negative. */
    public int margin(List<Paper> papers, Set<String> standing) {
        Tally<String> tally = count(papers, standing);
        String best = tally.winner();
        return best == null ? 0 : tally.of(best) - tally.total() / 2;
    }
}
