package brookside.lending;

/** What happened at the desk. */
public sealed interface Outcome permits Outcome.Lent, Outcome.Refused, Outcome.Queued {
    /** The item went home with the member. */
    record Lent(Loan loan) implements Outcome {
        @Override
        public String message() {
            return loan.getItem().getTitle() + " until " + loan.getDue();
        }

        @Override
        public boolean isSuccess() {
            return true;
        }
    }

    /** The member went home without it. */
    record Refused(Reason reason) implements Outcome {
        @Override
        public String message() {
            return "Sorry: " + reason.text();
        }
    }

    /** Somebody else has it; the member waits. */
    record Queued(int place) implements Outcome {
        public Queued {
            if (place < 1) {
                throw new IllegalArgumentException("places are counted from one");
            }
        }

        @Override
        public String message() {
            return place == 1 ? "You are next." : "You are number " + place + " in the queue.";
        }
    }

    /** Why an item is not lent. */
    enum Reason {
        UNKNOWN_ITEM,
        NOT_FOR_LOAN,
        TOO_MANY_LOANS,
        MONEY_OWED,
        RESERVED;

        String text() {
            return switch (this) {
                case UNKNOWN_ITEM -> "we have no such item";
                case NOT_FOR_LOAN -> "this stays in the house";
                case TOO_MANY_LOANS -> "too many items at home";
                case MONEY_OWED -> "please pay first";
                case RESERVED -> "somebody waits for it";
            };
        }
    }

    /** What the screen says. */
    String message();

    default boolean isSuccess() {
        return false;
    }

    /** Shorthand for a refusal. */
    static Outcome refuse(Reason reason) {
        return new Refused(reason);
    }
}
