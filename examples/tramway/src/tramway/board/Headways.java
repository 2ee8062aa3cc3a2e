package tramway.board;

import java.util.Arrays;
import java.util.List;
import tramway.timetable.ClockTime;

/** Figures about how regularly trams come. */
public final class Headways {
    private final int[] gaps;

    /**
     * Creates the figures from times of departure.
     *
     * @param times in any order
     */
    public Headways(List<ClockTime> times) {
        int[] seconds = times.stream().mapToInt(ClockTime::seconds).sorted().toArray();
        gaps = new int[Math.max(0, seconds.length - 1)];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = seconds[i + 1] - seconds[i];
        }
    }

    /** The mean gap in seconds; 0 if there are fewer than two departures. */
    public double mean() {
        long sum = 0;
        for (int gap : gaps) {
            sum += gap;
        }
        return gaps.length == 0 ? 0 : (double) sum / gaps.length;
    }

    /**
     * The gap that a share of all gaps do not exceed.
     *
     * @param percent 50 for the middle one, 100 for the longest
     * @throws IllegalStateException if there are no gaps
     */
    public int percentile(int percent) {
        if (gaps.length == 0) {
            throw new IllegalStateException("no gaps");
        }
        int[] sorted = gaps.clone();
        Arrays.sort(sorted);
        int place = (sorted.length * percent + 99) / 100;
        return sorted[Math.max(1, place) - 1];
    }

    /** The interval that divides all gaps, as in "every ten minutes"; 0 if there are none. */
    public int interval() {
        int common = 0;
        for (int gap : gaps) {
            common = divisor(common, gap);
        }
        return common;
    }

    /** The greatest common divisor of two numbers. */
    static int divisor(int a, int b) {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    /** Tells whether all gaps are equal. */
    public boolean isRegular() {
        for (int i = 1; i < gaps.length; i++) {
            if (gaps[i] != gaps[0]) {
                return false;
            }
        }
        return true;
    }

    /** Counts the gaps by length: those below each of some limits, and the longer ones. */
    public int[] histogram(int... limits) {
        int[] counts = new int[limits.length + 1];
        gaps:
        for (int gap : gaps) {
            for (int i = 0; i < limits.length; i++) {
                if (gap < limits[i]) {
                    counts[i]++;
                    continue gaps;
                }
            }
            counts[limits.length]++;
        }
        return counts;
    }
}
