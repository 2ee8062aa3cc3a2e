package brookside.notice;

/** A message to a member; more urgent ones come first. */
public record Notice(Urgency urgency, String to, String body) implements Comparable<Notice> {
    /** How much a notice matters. */
    public enum Urgency {
        NEWS,
        REMINDER,
        WARNING,
        LAST_WARNING;

        /** The next step, if a member does not react. */
        public Urgency next() {
            int last = values().length - 1;
            return ordinal() == last ? this : values()[ordinal() + 1];
        }
    }

    public Notice {
        body = body.stripTrailing();
    }

    public Notice(String to, String body) {
        this(Urgency.NEWS, to, body);
    }

    /** The same notice, one step more urgent. */
    public Notice escalate() {
        return new Notice(urgency.next(), to, body);
    }

    /**
     * Chooses the wording of the first line.
     *
     * <p>Each step repeats what the gentler ones say.
     */
    @SuppressWarnings("fallthrough")
    public String salutation() {
        StringBuilder line = new StringBuilder();
        switch (urgency) {
            case LAST_WARNING:
                line.append("For the last time. ");
            case WARNING:
                line.append("Please read this. ");
            case REMINDER:
                line.append("A reminder. ");
            default:
                line.append("Dear ").append(to).append(',');
        }
        return line.toString();
    }

    @Override
    public int compareTo(Notice other) {
        int byUrgency = other.urgency.compareTo(urgency);
        return byUrgency != 0 ? byUrgency : to.compareTo(other.to);
    }
}
