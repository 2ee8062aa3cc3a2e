package brookside.lending;

import java.util.List;

/** Fines by length of delay: the longer, the dearer each day, up to a ceiling. */
public class FineSchedule {
    private final int[] fromDay;
    private final int[] percent;
    private final int ceiling;

    /**
     * Creates a schedule of steps.
     *
     * @param fromDay the first day of each step, ascending, beginning with 1
     * @param percent what a day costs in that step, in per cent of the item's daily fine
     * @param ceiling the most that is ever asked, in cents
     */
    public FineSchedule(int[] fromDay, int[] percent, int ceiling) {
        if (fromDay.length == 0 || fromDay.length != percent.length) {
            throw new IllegalArgumentException("steps and prices differ in number");
        }
        this.fromDay = fromDay.clone();
        this.percent = percent.clone();
        this.ceiling = ceiling;
    }

    /** One price for every day. */
    public static FineSchedule flat(int ceiling) {
        return new FineSchedule(new int[] {1}, new int[] {100}, ceiling);
    }

    /** Finds the step a day belongs to: the last one that begins on or before it. */
    int stepOf(int day) {
        int low = 0;
        int high = fromDay.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (fromDay[middle] <= day) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /**
     * Computes the fine for one item.
     *
     * @param daysLate how late it is
     * @param daily what a day costs at 100 %
     * @return cents, zero on time
     */
    public int fine(int daysLate, int daily) {
        int total = 0;
        for (int day = 1; day <= daysLate; day++) {
            total += daily * percent[stepOf(day)] / 100;
            if (total >= ceiling) {
                return ceiling;
            }
        }
        return total;
    }

    /** Computes the fine a loan would cost if the item came back today. */
    public int fine(Loan loan, CivilDate today) {
        return fine(loan.daysLate(today), loan.getItem().dailyFine());
    }

    /** The fine for several loans together; each has a ceiling of its own. */
    public long fine(List<Loan> loans, CivilDate today) {
        long sum = 0L;
        for (Loan loan : loans) {
            sum += fine(loan, today);
        }
        return sum;
    }

    /** Writes an amount of cents as readers know it: {@code 3.05}. */
    public static String money(int cents) {
        String sign = cents < 0 ? "-" : "";
        int amount = cents < 0 ? -cents : cents;
        return sign + amount / 100 + "." + amount / 10 % 10 + amount % 10;
    }
}
