import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the methods javac's parser finds: a line "= path" for each file, then tab-separated the
 * name, start and end (in characters), the names of the enclosing types ("" for one without a
 * name), the parameters' types, the return type, whether it has a body, whether a documentation
 * comment.
 */
public class JavacMethods {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        for (String path : Files.readAllLines(Path.of(arguments[0]))) {
            out.println("= " + path);
            JavacTask task = (JavacTask) compiler.getTask(
                null, manager, diagnostic -> {}, List.of("-proc:none"), null,
                manager.getJavaFileObjects(Path.of(path)));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new Printer(unit, trees, out).scan(unit, null);
            }
        }
        out.flush();
    }

    private static final class Printer extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final DocTrees trees;
        private final SourcePositions positions;
        private final PrintStream out;
        private final Deque<String> enclosing = new ArrayDeque<>();

        Printer(CompilationUnitTree unit, DocTrees trees, PrintStream out) {
            this.unit = unit;
            this.trees = trees;
            this.positions = trees.getSourcePositions();
            this.out = out;
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            enclosing.addLast(tree.getSimpleName().toString());
            super.visitClass(tree, nothing);
            enclosing.removeLast();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            List<String> types = new ArrayList<>();
            for (VariableTree parameter : tree.getParameters()) {
                types.add(plain(parameter.getType()));
            }
            long end = positions.getEndPosition(unit, tree);
            if (end >= 0) {  // a constructor that the compiler made has no place
                out.println(String.join("\t",
                    tree.getName().toString(),
                    Long.toString(positions.getStartPosition(unit, tree)),
                    Long.toString(end),
                    String.join(".", enclosing),
                    String.join(";", types),
                    plain(tree.getReturnType()),
                    Boolean.toString(tree.getBody() != null),
                    Boolean.toString(trees.getDocComment(getCurrentPath()) != null)));
            }
            return super.visitMethod(tree, nothing);
        }

        private static String plain(Object type) {
            return type == null ? "" : type.toString().replaceAll("@\\w+(\\([^)]*\\))? ?", "")
                .replaceAll("\\s+", "");
        }
    }
}
