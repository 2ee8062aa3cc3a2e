package brookside.catalog;

import java.util.Collection;

/** Helps readers who nearly know what they look for. */
public final class Spelling {
    private static final int TOLERANCE = 3;

    /**
     * Counts the letters one must insert, delete or replace to turn one word into the other.
     *
     * @param left a word
     * @param right another
     * @return zero if they are equal, never more than the length of the longer
     */
    public static int editDistance(String left, String right) {
        int[][] cost = new int[left.length() + 1][right.length() + 1];
        for (int i = 0; i <= left.length(); i++) {
            for (int j = 0; j <= right.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int replace = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
                int best = cost[i - 1][j - 1] + replace;
                best = Math.min(best, cost[i - 1][j] + 1);
                best = Math.min(best, cost[i][j - 1] + 1);
                cost[i][j] = best;
            }
        }
        return cost[left.length()][right.length()];
    }

    /**
     * Picks the title that was probably meant.
     *
     * @return the nearest title, or {@code null} if all are too far from what was typed
     */
    public static String nearest(String typed, Collection<String> titles) {
        String best = null;
        int least = TOLERANCE + 1;
        for (String title : titles) {
            int distance = editDistance(TitleIndex.letters(typed), TitleIndex.letters(title));
            if (distance < least) {
                least = distance;
                best = title;
            }
        }
        return best;
    }

    /** The question a reader is asked when nothing was found. */
    public static String didYouMean(String typed, Collection<String> titles) {
        String title = nearest(typed, titles);
        return "Did you mean \"" + title.strip() + "\"?";
    }
}
