package ballot.count;

import ballot.paper.Paper;
import java.util.List;
import java.util.Set;

/** Whoever would beat each of the others alone (Condorcet). */
public final class Pairwise implements CountingRule {
    @Override
    public String title() {
        return "each against each";
    }

    /** By how many papers one candidate beats another; negative if they lose. */
    public static int duel(List<Paper> papers, String one, String other) {
        int balance = 0;
        for (Paper paper : papers) {
            if (paper.prefers(one, other)) {
                balance += 1;
            } else if (paper.prefers(other, one)) {
                balance -= 1;
            }
        }
        return balance;
    }

    @Override
    public String winner(List<Paper> papers, Set<String> standing) {
        candidates:
        for (String one : standing) {
            for (String other : standing) {
                if (!one.equals(other) && duel(papers, one, other) <= 0) {
                    continue candidates;
                }
            }
            return one;
        }
        return null;
    }

    /** All duels as a table, the ids in their order. */
    public int[][] table(List<Paper> papers, List<String> ids) {
        int[][] table = new int[ids.size()][ids.size()];
        for (int row = 0; row < table.length; row++) {
            for (int column = 0; column < row; column++) {
                int balance = duel(papers, ids.get(row), ids.get(column));
                table[row][column] = balance;
                table[column][row] = -balance;
            }
        }
        return table;
    }

    /** The candidate whom somebody beats most clearly; {@code null} if they beat nobody. */
    public String easiest(List<Paper> papers, String id, Set<String> standing) {
        String easiest = null;
        int most = 0;
        for (String other : standing) {
            int balance = duel(papers, id, other);
            if (balance > most) {
                most = balance;
                easiest = other;
            }
        }
        return easiest;
    }

    /** What a supporter would shout. */
    public String boast(List<Paper> papers, String id, Set<String> standing) {
        String beaten = easiest(papers, id, standing);
        return id + " beats " + beaten.toUpperCase();
    }
}
