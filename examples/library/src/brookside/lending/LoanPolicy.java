package brookside.lending;

import brookside.catalog.Item;

/** Decides when an item must be back. */
@FunctionalInterface
public interface LoanPolicy {
    /** How many days a member may keep an item. */
    int days(Member member, Item item);

    /** The day by which the item must be back: the next open day after the term. */
    default CivilDate dueDate(Member member, Item item, CivilDate today) {
        CivilDate due = today.plus(days(member, item));
        while (due.isClosed()) {
            due = due.next();
        }
        return due;
    }

    /** The same policy, but never longer than a number of days. */
    default LoanPolicy atMost(int limit) {
        return (member, item) -> Math.min(limit, days(member, item));
    }

    /** The term that is printed on the item, for everybody. */
    static LoanPolicy byItem() {
        return (member, item) -> item.loanDays();
    }

    /**
     * Favours one kind of member.
     *
     * @param kind who is favoured
     * @param factor by how much their term is longer
     * @return a policy that asks another one first
     */
    static LoanPolicy favouring(MemberKind kind, double factor, LoanPolicy usual) {
        return new LoanPolicy() {
            @Override
            public int days(Member member, Item item) {
                int days = usual.days(member, item);
                if (member.getKind() == kind) {
                    days = (int) Math.round(days * factor);
                }
                return days;
            }

            @Override
            public String toString() {
                return "favouring " + kind;
            }
        };
    }
}
