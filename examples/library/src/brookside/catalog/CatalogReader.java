package brookside.catalog;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a catalogue from text: one item a line, its fields separated by semicolons.
 *
 * <pre>
 * book; B1; Middlemarch; 1871; 978-0-14-143954-9; George Eliot
 * magazine; M1; The Gramophone; 1998; 4
 * # a comment
 * </pre>
 */
public class CatalogReader {
    private final List<String> problems = new ArrayList<>();
    private int line;

    /**
     * Reads all lines into a catalogue; lines that cannot be understood are kept as
     * {@link #getProblems problems} and passed over.
     *
     * @param source where the text comes from; it is closed
     * @return what could be read
     */
    public Catalog read(Reader source) {
        Catalog catalog = new Catalog();
        line = 0;
        try (BufferedReader lines = new BufferedReader(source)) {
            String text;
            while ((text = lines.readLine()) != null) {
                line++;
                if (text.isBlank() || text.startsWith("#")) {
                    continue;
                }
                try {
                    if (!catalog.add(parse(text))) {
                        problems.add("line " + line + ": this mark is taken");
                    }
                } catch (CatalogFormatException problem) {
                    problems.add(problem.getMessage());
                }
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return catalog;
    }

    public List<String> getProblems() {
        return problems;
    }

    /** Reads one line. */
    Item parse(String text) throws CatalogFormatException {
        List<String> fields = split(text, ';');
        if (fields.size() < 5) {
            throw new CatalogFormatException(line, "five fields expected, found " + fields.size());
        }
        String mark = fields.get(1);
        String title = fields.get(2);
        try {
            int year = Integer.parseInt(fields.get(3));
            switch (fields.get(0)) {
                case "book":
                    String[] authors = fields.subList(5, fields.size()).toArray(new String[0]);
                    return new Book(mark, title, year, Isbn.parse(fields.get(4)), authors);
                case "magazine":
                    return new Magazine(mark, title, year, Integer.parseInt(fields.get(4)));
                default:
                    throw new CatalogFormatException(line, "unknown kind " + fields.get(0));
                case "recording":
                    Recording.Carrier carrier = Recording.Carrier.valueOf(fields.get(4));
                    int minutes = Integer.parseInt(fields.get(5));
                    return new Recording(mark, title, year, carrier, minutes);
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException wrong) {
            throw new CatalogFormatException(line, "bad field in " + mark, wrong);
        }
    }

    /**
     * Cuts a line at a separator and strips the pieces. Between double quotes the separator is an
     * ordinary character.
     */
    static List<String> split(String text, char separator) {
        List<String> pieces = new ArrayList<>();
        StringBuilder piece = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == separator && !quoted) {
                pieces.add(piece.toString().strip());
                piece.setLength(0);
            } else {
                piece.append(c);
            }
        }
        pieces.add(piece.toString().strip());
        return pieces;
    }
}
