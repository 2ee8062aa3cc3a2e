import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.file.JavacFileManager;
import com.sun.tools.javac.parser.Scanner;
import com.sun.tools.javac.parser.ScannerFactory;
import com.sun.tools.javac.parser.Tokens.Token;
import com.sun.tools.javac.parser.Tokens.TokenKind;
import com.sun.tools.javac.util.Context;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what javac finds in files: a line "= path" for each, then lines of a word and a text.
 * "method": a method's name where it is declared, called, referred to or imported; "name": each
 * identifier; "string": a string's value; "between": what stands between two tokens, comments.
 * Line ends in texts are blanks; "!" is a file that javac cannot parse.
 */
public class JavacNames {
    private static final Pattern ESCAPE = Pattern.compile("\\\\u+([0-9a-fA-F]{4})");
    private static final Pattern LINE_END = Pattern.compile("[\\n\\r\\u0085\\u2028\\u2029\\f\\x0b]");
    // System.out hands on every line by itself, and there are millions.
    private static final PrintStream out = new PrintStream(
            new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);

    public static void main(String[] arguments) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Context context = new Context();
        new JavacFileManager(context, true, StandardCharsets.UTF_8);
        ScannerFactory scanners = ScannerFactory.instance(context);
        for (String path : Files.readAllLines(Path.of(arguments[0]))) {
            out.println("= " + path);
            int[] errors = {0};
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, problem -> errors[0]++, List.of("-encoding", "UTF-8"), null,
                    files.getJavaFileObjects(path));
            for (CompilationUnitTree unit : task.parse()) {
                new Names().scan(unit, null);
            }
            if (errors[0] > 0) {
                out.println("! ");
            }
            tokens(scanners, Files.readString(Path.of(path)));
        }
        out.flush();
    }

    private static void tokens(ScannerFactory scanners, String text) {
        Scanner scanner = scanners.newScanner(text, true);
        int done = 0;
        do {
            scanner.nextToken();
            Token token = scanner.token();
            if (token.pos > done) {
                tell("between", text.substring(done, token.pos));
            }
            done = Math.max(done, token.endPos);
            if (token.kind == TokenKind.IDENTIFIER) {
                tell("name", token.name().toString());
            } else if (token.kind == TokenKind.STRINGLITERAL) {
                tell("string", token.stringVal());
            }
        } while (scanner.token().kind != TokenKind.EOF);
    }

    private static void tell(String what, String text) {
        Matcher escapes = ESCAPE.matcher(text);
        String plain = what.equals("between")
                ? escapes.replaceAll(one -> Matcher.quoteReplacement(
                        String.valueOf((char) Integer.parseInt(one.group(1), 16))))
                : text;
        if (!plain.isBlank()) {
            out.println(what + " " + LINE_END.matcher(plain).replaceAll(" "));
        }
    }

    private static class Names extends TreeScanner<Void, Void> {
        @Override
        public Void visitMethod(MethodTree node, Void nothing) {
            tell("method", node.getName().toString());
            return super.visitMethod(node, nothing);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
            Tree select = node.getMethodSelect();
            if (select instanceof IdentifierTree) {
                tell("method", ((IdentifierTree) select).getName().toString());
            } else if (select instanceof MemberSelectTree) {
                tell("method", ((MemberSelectTree) select).getIdentifier().toString());
            }
            return super.visitMethodInvocation(node, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
            tell("method", node.getName().toString());
            return super.visitMemberReference(node, nothing);
        }

        @Override
        public Void visitImport(ImportTree node, Void nothing) {
            if (node.isStatic()) {
                MemberSelectTree named = (MemberSelectTree) node.getQualifiedIdentifier();
                tell("method", named.getIdentifier().toString());
            }
            return super.visitImport(node, nothing);
        }
    }
}
