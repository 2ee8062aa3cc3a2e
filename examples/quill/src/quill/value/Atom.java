package quill.value;

/** The values of which there is only one each. */
public final class Atom extends Value {
    public static final Atom TRUE = new Atom(Kind.TRUTH, "true");
    public static final Atom FALSE = new Atom(Kind.TRUTH, "false");
    public static final Atom NOTHING = new Atom(Kind.NOTHING, "nothing");

    private final Kind kind;
    private final String word;

    private Atom(Kind kind, String word) {
        this.kind = kind;
        this.word = word;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String show() {
        return word;
    }

    @Override
    public boolean isTrue() {
        return this == TRUE;
    }

    /** False comes before true. */
    @Override
    protected int compareSame(Value other) {
        if (this == other) {
            return 0;
        }
        return isTrue() ? 1 : -1;
    }
}
