package brookside.catalog;

import java.util.ArrayList;
import java.util.List;

/** The subjects of the house, each a range of Dewey's hundreds. */
public enum Subject {
    REFERENCE(0, 99),
    SOCIETY(300, 399),
    LANGUAGE(400, 499),
    SCIENCE(500, 699) {
        @Override
        public String label() {
            return "science and technology";
        }
    },
    ARTS(700, 799),
    LITERATURE(800, 899) {
        @Override
        public boolean covers(int dewey) {
            // Fiction is shelved by author and carries no number.
            return super.covers(dewey) || dewey == FICTION;
        }
    },
    HISTORY(900, 999);

    /** Stands on the spine of novels in place of a number. */
    public static final int FICTION = -1;

    private final int from;
    private final int to;

    Subject(int from, int to) {
        this.from = from;
        this.to = to;
    }

    /** The subject's name as readers see it. */
    public String label() {
        return name().toLowerCase();
    }

    /**
     * Tells whether a book with the given number belongs here.
     *
     * @param dewey the number on the spine, or {@link #FICTION}
     */
    public boolean covers(int dewey) {
        return from <= dewey && dewey <= to;
    }

    /**
     * Looks a subject up by the number on a spine.
     *
     * @return the subject, or {@code null} for a number of which the house has no books
     */
    public static Subject ofDewey(int dewey) {
        for (Subject subject : values()) {
            if (subject.covers(dewey)) {
                return subject;
            }
        }
        return null;
    }

    /** Looks a subject up by the text on a spine; what is not a number counts as fiction. */
    public static Subject ofDewey(String spine) {
        int dewey;
        try {
            dewey = (int) Double.parseDouble(spine);
        } catch (NumberFormatException noNumber) {
            dewey = FICTION;
        }
        return ofDewey(dewey);
    }

    /** Where to go for a book: the room's sign, from the number on its spine. */
    public static String signFor(int dewey) {
        Subject subject = ofDewey(dewey);
        return "Room " + (subject.ordinal() + 1) + ": " + subject.label();
    }

    /** All labels that begin with the given letters, whatever their case. */
    public static List<String> labelsLike(String beginning) {
        String wanted = beginning.toLowerCase();
        List<String> found = new ArrayList<>();
        for (Subject subject : values()) {
            String label = subject.label();
            if (label.startsWith(wanted)) {
                found.add(label);
            }
        }
        return found;
    }
}
