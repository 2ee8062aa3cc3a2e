package quill.text;

/** Anything that is wrong with a program, and where. */
public abstract class QuillException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int offset;

    protected QuillException(int offset, String message) {
        super(message);
        this.offset = offset;
    }

    /** Where the program is wrong; negative if nobody knows. */
    public int offset() {
        return offset;
    }

    /** The part of the work that failed, for the first word of the message. */
    protected abstract String stage();

    /** A message with the place and the line it is about. */
    public String explain(SourceText source) {
        int place = Math.max(0, offset);
        return stage() + " error at " + source.where(place) + ": " + getMessage()
                + "\n" + source.excerpt(place);
    }
}
