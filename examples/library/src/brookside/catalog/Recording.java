package brookside.catalog;

/** Sound or pictures on a carrier. */
public class Recording extends Item {
    /** What the recording is stored on; each carrier plays at its own cost. */
    public enum Carrier {
        DISC("disc"),
        TAPE("tape") {
            @Override
            int wear(int minutes) {
                return 2 + minutes / 30;
            }
        },
        VINYL("record") {
            @Override
            int wear(int minutes) {
                return 5 + minutes / 20;
            }
        };

        private final String word;

        Carrier(String word) {
            this.word = word;
        }

        /** How much of its life one loan takes from the carrier. */
        int wear(int minutes) {
            return 1;
        }
    }

    private final Carrier carrier;
    private final int minutes;
    private int life = 100;

    public Recording(String shelfMark, String title, int year, Carrier carrier, int minutes) {
        super(shelfMark, title, year);
        this.carrier = carrier;
        this.minutes = minutes;
    }

    /**
     * Wears the recording out by one playing and withdraws it when nothing is left.
     *
     * @return the life that is left, never below zero
     */
    public int play() {
        life -= carrier.wear(minutes);
        if (life <= 0) {
            life = 0;
            setWithdrawn(true);
        }
        return life;
    }

    /** The running time as hours and minutes: {@code 1:05}. */
    public String runningTime() {
        int hours = minutes / 60;
        int rest = minutes % 60;
        return hours + (rest < 10 ? ":0" : ":") + rest;
    }

    /** Records are wanted by many and lent for a week only. */
    @Override
    public int loanDays() {
        switch (carrier) {
            case VINYL:
                return 7;
            case TAPE:
            case DISC:
            default:
                return 14;
        }
    }

    @Override
    public int dailyFine() {
        return carrier == Carrier.VINYL ? 50 : 30;
    }

    @Override
    protected String kind() {
        return carrier.word;
    }
}
