package quill.text;

/** A program's text, with a way from offsets to lines and columns. */
public final class SourceText {
    private final String name;
    private final String text;
    private final int[] lineStarts;

    public SourceText(String name, String text) {
        this.name = name;
        this.text = text;
        this.lineStarts = lineStarts(text);
    }

    /** A text that comes from no file. */
    public SourceText(String text) {
        this("input", text);
    }

    /** Finds the offsets at which lines begin. */
    private static int[] lineStarts(String text) {
        int lines = 1;
        for (char c : text.toCharArray()) {
            if (c == '\n') {
                lines++;
            }
        }
        int[] starts = new int[lines];
        int line = 1;
        int at = 0;
        while (line < lines) {
            at = text.indexOf('\n', at) + 1;
            starts[line++] = at;
        }
        return starts;
    }

    public String name() {
        return name;
    }

    public int length() {
        return text.length();
    }

    /** The character at an offset; the character 0 behind the end. */
    public char at(int offset) {
        return offset < text.length() ? text.charAt(offset) : '\0';
    }

    /** The characters from an offset up to, but not including, another one. */
    public String slice(int from, int to) {
        return text.substring(from, to);
    }

    /** The line of an offset, counted from one. */
    public int line(int offset) {
        int low = 0;
        int high = lineStarts.length;
        while (high - low > 1) {
            int middle = low + (high - low) / 2;
            if (lineStarts[middle] > offset) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return low + 1;
    }

    /** The column of an offset, counted from one. */
    public int column(int offset) {
        return offset - lineStarts[line(offset) - 1] + 1;
    }

    /** Where an offset is, for people: {@code input:3:14}. */
    public String where(int offset) {
        return name + ":" + line(offset) + ":" + column(offset);
    }

    /**
     * Shows the line of an offset with a caret below it.
     *
     * @return two lines without a line break at the end
     */
    public String excerpt(int offset) {
        int line = line(offset);
        int from = lineStarts[line - 1];
        int to = line < lineStarts.length ? lineStarts[line] - 1 : text.length();
        return slice(from, to) + "\n" + " ".repeat(offset - from) + "^";
    }
}
