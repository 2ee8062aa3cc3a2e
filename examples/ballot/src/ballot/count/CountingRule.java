package ballot.count;

import ballot.paper.Paper;
import java.util.List;
import java.util.Set;

/** A way to find one winner. */
public sealed interface CountingRule permits Plurality, Runoff, Pairwise {
    String title();

    /**
     * Counts papers.
     *
     * @param standing the ids of those who stand
     * @return the winner's id, or {@code null} if there is none
     */
    String winner(List<Paper> papers, Set<String> standing);

    /** Tells whether this rule and another one elect the same candidate. */
    default boolean agrees(CountingRule other, List<Paper> papers, Set<String> standing) {
        String mine = winner(papers, standing);
        return mine != null && mine.equals(other.winner(papers, standing));
    }

    /** Leaves out papers that do not count. */
    static List<Paper> valid(List<Paper> papers) {
        return papers.stream().filter(paper -> !paper.isBlank() && !paper.isSpoilt()).toList();
    }
}
