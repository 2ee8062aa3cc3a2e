package quill.text;

import java.util.List;
import java.util.StringJoiner;

/** What the language needs of text and the JDK does not have. */
public interface Strings {
    char QUOTE = '"';

    /**
     * Writes a text the way a program would: between quotes, with escapes.
     *
     * @param raw any text
     * @return a literal that {@link #unquote} turns back into {@code raw}
     */
    static String quote(String raw) {
        var out = new StringBuilder().append(QUOTE);
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            switch (c) {
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                case '\\', QUOTE -> out.append('\\').append(c);
                default -> {
                    if (c < 0x20 || c == 0x7f) {
                        out.append("\\u").append(hex(c, 4));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.append(QUOTE).toString();
    }

    /**
     * Reads a literal back.
     *
     * @return the text it stands for, or {@code null} if the literal is broken
     */
    static String unquote(String literal) {
        int end = literal.length() - 1;
        if (end < 1 || literal.charAt(0) != QUOTE || literal.charAt(end) != QUOTE) {
            return null;
        }
        var out = new StringBuilder();
        for (int i = 1; i < end; i++) {
            char c = literal.charAt(i);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (++i == end) {
                return null;
            }
            c = literal.charAt(i);
            if (c == 'u') {
                int code = i + 4 < end ? unhex(literal.substring(i + 1, i + 5)) : -1;
                if (code < 0) {
                    return null;
                }
                out.append((char) code);
                i += 4;
            } else {
                out.append(c == 'n' ? '\n' : c == 't' ? '\t' : c);
            }
        }
        return out.toString();
    }

    /** The lowest digits of a number in base sixteen, with leading zeros. */
    static String hex(int number, int digits) {
        char[] out = new char[digits];
        for (int i = digits - 1; i >= 0; i--) {
            out[i] = "0123456789abcdef".charAt(number & 0xf);
            number >>>= 4;
        }
        return new String(out);
    }

    /** Reads base sixteen; -1 for anything else. */
    static int unhex(String digits) {
        int number = 0;
        for (char c : digits.toCharArray()) {
            int digit = Character.digit(c, 16);
            if (digit == -1) {
                return -1;
            }
            number = number << 4 | digit;
        }
        return number;
    }

    /**
     * Measures how different two names are: the number of single-letter changes between them.
     *
     * <p>Only two rows of the table are ever in memory.
     */
    static int distance(CharSequence a, CharSequence b) {
        int[] above = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int same = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(same, Math.min(above[j], row[j - 1]) + 1);
            }
            int[] swap = above;
            above = row;
            row = swap;
        }
        return above[b.length()];
    }

    /** Joins things with commas, each shown by its own {@code toString}. */
    static String commas(List<?> things) {
        var joined = new StringJoiner(", ");
        things.forEach(thing -> joined.add(String.valueOf(thing)));
        return joined.toString();
    }

    /** Joins any number of things with commas. */
    static String commas(Object... things) {
        return commas(List.of(things));
    }

    /** A number without the fraction that is zero: {@code 3}, {@code 0.25}. */
    static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return number((long) value);
        }
        return Double.toString(value);
    }

    /** A whole number; the compiler prefers this one for {@code int} and {@code long}. */
    static String number(long value) {
        return Long.toString(value);
    }

    /** Repeats a character until a text is as wide as it should be. */
    static String fill(String text, int width, char with) {
        var out = new StringBuilder(text);
        while (out.length() < width) {
            out.append(with);
        }
        return out.toString();
    }
}
