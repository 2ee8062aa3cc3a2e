package ballot.paper;

/**
 * Somebody who can be elected.
 *
 * @param id what voters write, such as {@code G1}
 * @param job what they do, or {@code null}
 */
public record Candidate(String id, String name, Party party, String job) {
    public Candidate {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a candidate needs an id");
        }
    }

    public Candidate(String id, String name, Party party) {
        this(id, name, party, null);
    }

    /** The job as it is printed below the name; {@code null} if nothing is. */
    public String jobLine() {
        return job == null ? null : "(" + job + ")";
    }

    /** How many letters the longer of the two lines about a candidate has. */
    public int width() {
        return Math.max(name.length(), jobLine().length());
    }

    /** Both lines, or the name alone. */
    public String print() {
        String second = jobLine();
        return second != null ? name + "\n" + second : name;
    }
}
