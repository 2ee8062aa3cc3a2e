package brookside.lending;

import brookside.catalog.Catalog;
import brookside.catalog.Item;
import brookside.lending.Outcome.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Where items go out and come back. Whatever changes the desk's books holds its lock. */
public class LendingDesk {
    /** Somebody who wants to know what happens at the desk. */
    public interface Observer {
        void event(String what, Item item, Member member);
    }

    private static final int DEBT_LIMIT = 500;

    private final Object lock = new Object();
    private final Catalog catalog;
    private final LoanPolicy policy;
    private final FineSchedule fines;
    private final Map<String, Loan> loans = new HashMap<>();
    private final Map<String, HoldQueue<Member>> holds = new HashMap<>();
    private final List<Observer> observers;
    private CivilDate today;

    {
        observers = new ArrayList<>();
        today = new CivilDate(2000, 1, 1);
    }

    public LendingDesk(Catalog catalog, LoanPolicy policy, FineSchedule fines) {
        this.catalog = catalog;
        this.policy = policy;
        this.fines = fines;
    }

    /** A desk with the usual terms: the item's own days and a flat fine of 10.00 at most. */
    public LendingDesk(Catalog catalog) {
        this(catalog, LoanPolicy.byItem(), FineSchedule.flat(1000));
    }

    public void addObserver(Observer observer) {
        observers.add(observer);
    }

    public CivilDate getToday() {
        return today;
    }

    public void setToday(CivilDate today) {
        synchronized (lock) {
            this.today = today;
        }
    }

    /**
     * Lends an item to a member or, if it is out, puts the member on the list of those who wait.
     *
     * @param mark the item's shelf mark
     * @param member who asks
     * @return what became of it; never {@code null}
     */
    public Outcome lend(String mark, Member member) {
        synchronized (lock) {
            Item item = catalog.find(mark);
            if (item == null) {
                return Outcome.refuse(Reason.UNKNOWN_ITEM);
            }
            if (!member.getKind().mayTake(item)) {
                return Outcome.refuse(Reason.NOT_FOR_LOAN);
            }
            if (member.getOwed() > DEBT_LIMIT) {
                return Outcome.refuse(Reason.MONEY_OWED);
            }
            if (loansOf(member).size() >= member.getKind().limit()) {
                return Outcome.refuse(Reason.TOO_MANY_LOANS);
            }
            HoldQueue<Member> queue = holds.computeIfAbsent(mark, key -> new HoldQueue<>());
            boolean isOut = loans.containsKey(mark);
            boolean waitsFirst = queue.isEmpty() || queue.peek().equals(member);
            if (isOut || !waitsFirst) {
                queue.join(member);
                tell("waits", item, member);
                return new Outcome.Queued(queue.position(member) + 1);
            }
            if (!queue.isEmpty()) {
                queue.leave();
            }
            Loan loan = new Loan(item, member, policy.dueDate(member, item, today));
            loans.put(mark, loan);
            tell("lent", item, member);
            return new Outcome.Lent(loan);
        }
    }

    /**
     * Takes an item back and charges the fine.
     *
     * @return who may fetch it next, or {@code null} if nobody waits or the item was not out
     */
    public Member giveBack(String mark) {
        synchronized (lock) {
            Loan loan = loans.remove(mark);
            if (loan == null) {
                return null;
            }
            loan.getMember().charge(fines.fine(loan, today));
            tell("back", loan.getItem(), loan.getMember());
            HoldQueue<Member> queue = holds.get(mark);
            return queue == null ? null : queue.peek();
        }
    }

    /** Renews a loan from today on, unless it is late or somebody waits for the item. */
    public Outcome renew(String mark) {
        synchronized (lock) {
            Loan loan = loans.get(mark);
            if (loan == null) {
                return Outcome.refuse(Reason.UNKNOWN_ITEM);
            }
            HoldQueue<Member> queue = holds.get(mark);
            if (queue != null && !queue.isEmpty()) {
                return Outcome.refuse(Reason.RESERVED);
            }
            CivilDate until = policy.dueDate(loan.getMember(), loan.getItem(), today);
            if (loan.isLate(today) || !loan.renew(until)) {
                return Outcome.refuse(Reason.NOT_FOR_LOAN);
            }
            return new Outcome.Lent(loan);
        }
    }

    /** The loan of an item; {@code null} while it stands on the shelf. */
    public Loan loanOf(String mark) {
        return loans.get(mark);
    }

    /** The name of whoever has the item at home. */
    public String borrowerOf(String mark) {
        return loanOf(mark).getMember().getName();
    }

    /** What a member has at home, the next due first. */
    public List<Loan> loansOf(Member member) {
        List<Loan> found = new ArrayList<>();
        for (Loan loan : loans.values()) {
            if (loan.getMember().equals(member)) {
                found.add(loan);
            }
        }
        found.sort(null);
        return found;
    }

    /** All loans that are late today, by member's name. */
    public Map<String, List<Loan>> lateLoans() {
        Map<String, List<Loan>> late = new TreeMap<>();
        loans.values().stream()
                .filter(loan -> loan.isLate(today))
                .sorted(Loan::compareTo)
                .forEach(
                        loan -> {
                            String name = loan.getMember().getName();
                            late.computeIfAbsent(name, key -> new ArrayList<>()).add(loan);
                        });
        return late;
    }

    /**
     * Closes the desk for a number of days.
     *
     * @return how many loans became late meanwhile
     */
    public int closeFor(int days) {
        int before = lateLoans().values().stream().mapToInt(List::size).sum();
        int remaining = days;
        do {
            today = today.next();
            remaining--;
        } while (remaining > 0 || today.isClosed());
        int after = lateLoans().values().stream().mapToInt(List::size).sum();
        return after - before;
    }

    /** Passes an event on to everybody who wants to know. */
    private void tell(String what, Item item, Member member) {
        for (Observer observer : observers) {
            observer.event(what, item, member);
        }
    }
}
