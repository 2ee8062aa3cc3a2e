package brookside.lending;

import brookside.catalog.Item;

/** An item in the hands of a member. */
public class Loan implements Comparable<Loan> {
    static final int MAX_RENEWALS = 2;

    private final Item item;
    private final Member member;
    private CivilDate due;
    private int renewals;

    Loan(Item item, Member member, CivilDate due) {
        this.item = item;
        this.member = member;
        this.due = due;
    }

    public Item getItem() {
        return item;
    }

    public Member getMember() {
        return member;
    }

    public CivilDate getDue() {
        return due;
    }

    /** How often the loan has been renewed so far. */
    public int getRenewals() {
        return renewals;
    }

    /** Moves the due date, if the loan has not been renewed too often. */
    boolean renew(CivilDate until) {
        if (renewals >= MAX_RENEWALS || until.compareTo(due) <= 0) {
            return false;
        }
        due = until;
        ++renewals;
        return true;
    }

    /** The number of days since the due date, zero on time. */
    public int daysLate(CivilDate today) {
        int late = due.daysUntil(today);
        return late > 0 ? late : 0;
    }

    /** Tells whether the item should have been back before today. */
    public boolean isLate(CivilDate today) {
        return daysLate(today) != 0;
    }

    /** Orders loans by due date, then as the items stand on the shelf. */
    @Override
    public int compareTo(Loan other) {
        int byDue = due.compareTo(other.due);
        return byDue == 0 ? item.compareTo(other.item) : byDue;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Loan)) {
            return false;
        }
        Loan that = (Loan) other;
        return item.equals(that.item) && member.equals(that.member) && due.equals(that.due);
    }

    @Override
    public int hashCode() {
        int hash = item.hashCode();
        hash = 31 * hash + member.hashCode();
        hash = 31 * hash + due.hashCode();
        return hash;
    }
}
