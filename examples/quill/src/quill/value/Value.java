package quill.value;

/** What an expression can evaluate to. Values never change. */
public abstract class Value implements Comparable<Value> {
    public abstract Kind kind();

    /** The value as a program would write it. */
    public abstract String show();

    /** Tells whether a condition with this value holds. */
    public boolean isTrue() {
        return true;
    }

    /**
     * Orders values of one kind among themselves, and the others by kind.
     *
     * @param other any value
     */
    @Override
    public final int compareTo(Value other) {
        if (kind() != other.kind()) {
            return kind().compareTo(other.kind());
        }
        return compareSame(other);
    }

    /** Compares with a value of the same kind. */
    protected abstract int compareSame(Value other);

    /** The value as it is joined to a text; the same as {@link #show}, except for texts. */
    @Override
    public String toString() {
        return show();
    }

    public static Value of(double number) {
        return new NumberValue(number);
    }

    public static Value of(String text) {
        return new TextValue(text);
    }

    /** One of the two truths; no new object is made. */
    public static Value of(boolean truth) {
        return truth ? Atom.TRUE : Atom.FALSE;
    }

    /** A list of none, two or more values; a single one {@linkplain #of(Object) stays itself}. */
    public static Value of(Value... items) {
        return new ListValue(items);
    }

    /**
     * Wraps an object of the host.
     *
     * @param object a number, a text, a truth, a value or {@code null}
     * @throws IllegalArgumentException for an object of another class
     */
    public static Value of(Object object) {
        if (object == null) {
            return Atom.NOTHING;
        }
        if (object instanceof Value value) {
            return value;
        }
        if (object instanceof Number number) {
            return of(number.doubleValue());
        }
        if (object instanceof Boolean truth) {
            return of(truth.booleanValue());
        }
        if (object instanceof CharSequence || object instanceof Character) {
            return of(object.toString());
        }
        throw new IllegalArgumentException("no value for " + object.getClass().getSimpleName());
    }
}
