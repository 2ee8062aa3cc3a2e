package brookside.catalog;

/** A line of a catalogue file that cannot be understood. */
public class CatalogFormatException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int line;

    public CatalogFormatException(int line, String message) {
        this(line, message, null);
    }

    public CatalogFormatException(int line, String message, Throwable cause) {
        super("line " + line + ": " + message, cause);
        this.line = line;
    }

    public int getLine() {
        return line;
    }
}
