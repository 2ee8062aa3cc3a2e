package ballot.paper;

import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** A filled-in paper: candidates' ids, the most wanted first. */
public final class Paper implements Iterable<String> {
    private final List<String> choices;

    public Paper(String... choices) {
        this(List.of(choices));
    }

    public Paper(List<String> choices) {
        this.choices = List.copyOf(choices);
    }

    /** Tells whether nothing was written on it. */
    public boolean isBlank() {
        return choices.isEmpty();
    }

    /** Tells whether anybody was written down twice, which spoils the paper. */
    public boolean isSpoilt() {
        for (int i = 1; i < choices.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (choices.get(i).equals(choices.get(j))) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Finds the most wanted of those who are left.
     *
     * @return an id, or {@code null} if the paper names none of them
     */
    public String firstOf(Set<String> left) {
        for (String choice : choices) {
            if (left.contains(choice)) {
                return choice;
            }
        }
        return null;
    }

    /** The letter of the party that is wanted most. */
    public String letter(Set<String> left) {
        return firstOf(left).substring(0, 1);
    }

    /** The place of a candidate on the paper, from 1; 0 if they are not on it. */
    public int rank(String id) {
        return choices.indexOf(id) + 1;
    }

    /** Tells whether one candidate stands before another, or alone. */
    public boolean prefers(String one, String other) {
        int mine = rank(one);
        int theirs = rank(other);
        return mine != 0 && (theirs == 0 || mine < theirs);
    }

    @Override
    public Iterator<String> iterator() {
        return choices.iterator();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Paper that && choices.equals(that.choices);
    }

    @Override
    public int hashCode() {
        return choices.hashCode();
    }

    @Override
    public String toString() {
        return String.join(" > ", choices);
    }
}
