package tramway.fares;

import tramway.network.Labelled;

/** Who travels, for the fare. */
public enum Passenger implements Labelled {
    ADULT,
    CHILD {
        @Override
        int discount() {
            return 50;
        }
    },
    SENIOR {
        @Override
        int discount() {
            return 30;
        }
    },
    DOG {
        @Override
        int discount() {
            return 50;
        }

        @Override
        public String label() {
            return "dog (on a lead)";
        }
    };

    /** What is taken off the fare, in per cent. */
    int discount() {
        return 0;
    }

    @Override
    public String label() {
        return name().toLowerCase();
    }

    /**
     * Guesses who somebody is from their age.
     *
     * @param age full years, or {@code null} if it is not known
     */
    public static Passenger ofAge(Integer age) {
        return age == null ? ADULT : ofAge(age.intValue());
    }

    /** Tells who somebody is from their age. */
    public static Passenger ofAge(int age) {
        if (age < 16) {
            return CHILD;
        }
        return age >= 65 ? SENIOR : ADULT;
    }
}
