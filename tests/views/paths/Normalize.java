import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/**
 * Names by the Java library's own regular expressions, from the definition of the extractors'
 * normalisation. Reads texts, one a line; prints code2vec's name, a tab, and code2seq's parts.
 */
public class Normalize {
    static final Set<String> KEPT = Set.of("0", "1", "32", "64");

    static String normalize(String text, String otherwise) {
        String printed =
                text.toLowerCase(Locale.ROOT)
                        .replaceAll("\\\\n", "")
                        .replaceAll("//s+", "")
                        .replaceAll("[\"',]", "")
                        .replaceAll("\\P{Print}", "");
        String letters = printed.replaceAll("[^A-Za-z]", "");
        if (!letters.isEmpty()) return letters;
        String blanks = printed.replaceAll(" ", "_");
        return blanks.isEmpty() ? otherwise : blanks;
    }

    public static void main(String[] arguments) throws Exception {
        String split = "(?<=[a-z])(?=[A-Z])|_|[0-9]|(?<=[A-Z])(?=[A-Z][a-z])|\\s+";
        StringBuilder out = new StringBuilder();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String name = normalize(line, "BLANK");
            String parts =
                    Stream.of(line.replace("|", " ").trim().split(split))
                            .map(piece -> normalize(piece, ""))
                            .filter(piece -> !piece.isEmpty())
                            .collect(Collectors.joining("|"));
            name = name.substring(0, Math.min(50, name.length()));
            if (parts.isEmpty()) {
                boolean number = line.matches("[0-9][0-9_]*") && !KEPT.contains(name);
                parts = number ? "<NUM>" : name;
            }
            out.append(name).append('\t').append(parts).append('\n');
        }
        System.out.write(out.toString().getBytes("UTF-8"));
    }
}
