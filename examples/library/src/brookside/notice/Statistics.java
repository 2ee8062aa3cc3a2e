package brookside.notice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Numbers for the yearly report. */
public final class Statistics {
    /**
     * Counts how often each value of a property occurs.
     *
     * @param things what to count
     * @param property what is looked at
     */
    public static <T, K> Map<K, Integer> countBy(
            Iterable<? extends T> things, Function<? super T, ? extends K> property) {
        Map<K, Integer> counts = new HashMap<>();
        for (T thing : things) {
            counts.merge(property.apply(thing), 1, Integer::sum);
        }
        return counts;
    }

    /** The keys with the highest counts, the highest first; equal counts in the keys' order. */
    public static <K extends Comparable<? super K>> List<K> top(Map<K, Integer> counts, int n) {
        List<K> keys = new ArrayList<>(counts.keySet());
        keys.sort(
                new Comparator<K>() {
                    @Override
                    public int compare(K left, K right) {
                        int byCount = counts.get(right) - counts.get(left);
                        return byCount != 0 ? byCount : left.compareTo(right);
                    }
                });
        return keys.subList(0, Math.min(n, keys.size()));
    }

    /**
     * The value in the middle; of an even number of values, the mean of the two in the middle.
     *
     * @throws IllegalArgumentException if there is no value
     */
    public static double median(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        if (sorted.length % 2 == 1) {
            return sorted[middle];
        }
        return (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * The mean of a property.
     *
     * @param things whose property is taken
     * @return the mean, or 0 if there is nothing to take it of
     */
    public static <T> double mean(Collection<T> things, ToDoubleFunction<? super T> value) {
        double sum = 0;
        for (T thing : things) {
            sum += value.applyAsDouble(thing);
        }
        if (!things.isEmpty()) {
            sum /= things.size();
        }
        return sum;
    }

    /** Draws a line of hashes for each count, the longest of a given length. */
    public static String bars(int[] counts, int longest) {
        int most = 1;
        for (int count : counts) {
            if (count > most) {
                most = count;
            }
        }
        StringBuilder bars = new StringBuilder();
        for (int row = 0; row < counts.length; row++) {
            int length = counts[row] * longest / most;
            for (int i = 0; i < length; i++) {
                bars.append('#');
            }
            bars.append('\n');
        }
        return bars.toString();
    }

    /** Looks for the first week in which nothing was lent, in a table of weeks by days. */
    public static int firstQuietWeek(int[][] lent) {
        weeks:
        for (int week = 0; week < lent.length; week++) {
            for (int day = 0; day < lent[week].length; day++) {
                if (lent[week][day] != 0) {
                    continue weeks;
                }
            }
            return week;
        }
        return -1;
    }
}
