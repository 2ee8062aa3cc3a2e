import com.sun.tools.javac.file.JavacFileManager;
import com.sun.tools.javac.parser.Scanner;
import com.sun.tools.javac.parser.ScannerFactory;
import com.sun.tools.javac.parser.Tokens.Token;
import com.sun.tools.javac.parser.Tokens.TokenKind;
import com.sun.tools.javac.util.Context;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints javac's own tokens of files: a line "= path" for each, then "KIND value in hexadecimal". */
public class JavacTokens {
    public static void main(String[] paths) throws Exception {
        PrintWriter out = new PrintWriter(new BufferedWriter(
            new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
        Context context = new Context();
        JavacFileManager.preRegister(context);
        ScannerFactory factory = ScannerFactory.instance(context);
        for (String path : Files.readAllLines(Path.of(paths[0]))) {
            out.println("= " + path);
            String source = Files.readString(Path.of(path));
            Scanner scanner = factory.newScanner(source, false);
            scanner.nextToken();
            for (Token token = scanner.token(); token.kind != TokenKind.EOF; token = scanner.token()) {
                out.println(token.kind.name() + " " + hex(value(token)));
                scanner.nextToken();
            }
        }
        out.flush();
    }

    /** UTF-16 units in hexadecimal: a character literal may be half a surrogate pair. */
    private static String hex(String text) {
        StringBuilder out = new StringBuilder();
        text.chars().forEach(unit -> out.append(String.format("%04x", unit)));
        return out.toString();
    }

    private static String value(Token token) {
        // By name: the enum behind the tag is not accessible from here.
        String tag = String.valueOf((Object) token.kind.tag);
        if (tag.equals("NAMED")) {
            return token.name().toString();
        }
        return tag.equals("STRING") || tag.equals("NUMERIC") ? token.stringVal() : "";
    }
}
