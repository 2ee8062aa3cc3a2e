package quill.value;

import quill.text.Strings;

/** A text. */
public final class TextValue extends Value {
    private final String text;

    public TextValue(String text) {
        this.text = text;
    }

    @Override
    public Kind kind() {
        return Kind.TEXT;
    }

    @Override
    public String show() {
        return Strings.quote(text);
    }

    /** Every text but the empty one is true. */
    @Override
    public boolean isTrue() {
        return !text.isEmpty();
    }

    @Override
    protected int compareSame(Value other) {
        return text.compareTo(other.toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TextValue that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The text itself, without the quotes that {@link #show} puts around it. */
    @Override
    public String toString() {
        return text;
    }
}
