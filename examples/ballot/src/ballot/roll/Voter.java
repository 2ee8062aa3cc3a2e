package ballot.roll;

/**
 * Somebody who may vote.
 *
 * @param number the number on their card
 * @param ward where they live
 * @param born the year
 * @param proxy the number of whoever votes for them, or 0
 */
public record Voter(int number, String name, String ward, int born, int proxy)
        implements Comparable<Voter> {
    private static final int AGE = 18;

    public Voter(int number, String name, String ward, int born) {
        this(number, name, ward, born, 0);
    }

    /** Tells whether the voter is old enough in a year. */
    public boolean mayVoteIn(int year) {
        return year - born >= AGE;
    }

    /** The same voter, for whom somebody else votes. */
    public Voter withProxy(int other) {
        return new Voter(number, name, ward, born, other);
    }

    /** The last part of the name, by which rolls are sorted. */
    public String lastName() {
        int space = name.lastIndexOf(' ');
        return name.substring(space + 1);
    }

    @Override
    public int compareTo(Voter other) {
        int byName = lastName().compareTo(other.lastName());
        return byName != 0 ? byName : number - other.number;
    }
}
