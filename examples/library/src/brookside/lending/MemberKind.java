package brookside.lending;

import brookside.catalog.Item;

/** What a member may do depends on who they are. */
public enum MemberKind {
    ADULT('A', 8) {
        @Override
        public int share(int fine) {
            return fine;
        }
    },
    CHILD('C', 5) {
        @Override
        public int share(int fine) {
            return 0;
        }

        @Override
        boolean mayTake(Item item) {
            // Nothing that breaks easily.
            return super.mayTake(item) && item.dailyFine() < 50;
        }
    },
    STUDENT('S', 12) {
        @Override
        public int share(int fine) {
            return fine / 2;
        }
    },
    STAFF('X', Integer.MAX_VALUE) {
        @Override
        public int share(int fine) {
            return Math.min(fine, 100);
        }

        @Override
        boolean mayTake(Item item) {
            return true;
        }
    };

    private final char letter;
    private final int limit;

    MemberKind(char letter, int limit) {
        this.letter = letter;
        this.limit = limit;
    }

    /** The part of a fine that this kind of member really pays. */
    public abstract int share(int fine);

    /** Tells whether an item may go home with this kind of member. */
    boolean mayTake(Item item) {
        return item.isLendable();
    }

    /** The most items this kind of member may have at home. */
    public int limit() {
        return limit;
    }

    public char letter() {
        return letter;
    }

    /**
     * Finds the kind behind the first letter of a card number.
     *
     * @return the kind, or {@code null} for a letter that is not in use
     */
    public static MemberKind ofLetter(char letter) {
        for (MemberKind kind : values()) {
            if (kind.letter == letter) {
                return kind;
            }
        }
        return null;
    }
}
