import java.nio.file.*;

/** Prints String.hashCode of each line of a file. */
public class HashCodes {
    public static void main(String[] arguments) throws Exception {
        StringBuilder out = new StringBuilder();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            out.append(line.hashCode()).append('\n');
        }
        System.out.print(out);
    }
}
