import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.tree.JCTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the operators of twelve classes that stand in bodies of methods, as javac's parser sees
 * them: a line "= path" for each file, then the character at which each stands and how it is
 * written, in order.
 */
public class JavacOperators extends TreeScanner<Void, Void> {
    private static final Map<Tree.Kind, String> WRITTEN = Map.ofEntries(
            Map.entry(Tree.Kind.PLUS, "+"), Map.entry(Tree.Kind.MINUS, "-"),
            Map.entry(Tree.Kind.MULTIPLY, "*"), Map.entry(Tree.Kind.DIVIDE, "/"),
            Map.entry(Tree.Kind.REMAINDER, "%"), Map.entry(Tree.Kind.EQUAL_TO, "=="),
            Map.entry(Tree.Kind.NOT_EQUAL_TO, "!="), Map.entry(Tree.Kind.LESS_THAN, "<"),
            Map.entry(Tree.Kind.LESS_THAN_EQUAL, "<="), Map.entry(Tree.Kind.GREATER_THAN, ">"),
            Map.entry(Tree.Kind.GREATER_THAN_EQUAL, ">="));

    private final List<String> found = new ArrayList<>();
    private int bodies;

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
        scan(method.getModifiers(), null);
        // What stands in an annotation or a default value is in no body.
        int outside = bodies;
        bodies = 0;
        scan(method.getParameters(), null);
        bodies = 1;
        scan(method.getBody(), null);
        bodies = outside;
        return null;
    }

    @Override
    public Void visitAnnotation(AnnotationTree annotation, Void nothing) {
        return null; // its pairs look like assignments and are none
    }

    @Override
    public Void visitBinary(BinaryTree tree, Void nothing) {
        super.visitBinary(tree, null);
        keep(tree, WRITTEN.get(tree.getKind()));
        return null;
    }

    @Override
    public Void visitAssignment(AssignmentTree tree, Void nothing) {
        super.visitAssignment(tree, null);
        keep(tree, "=");
        return null;
    }

    private void keep(Tree tree, String written) {
        if (written != null && bodies > 0) {
            found.add(String.format("%09d %s", ((JCTree) tree).pos, written));
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Path> paths = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            paths.add(Path.of(line));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files =
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        JavacTask task = (JavacTask) compiler.getTask(
                null, files, null, List.of("-proc:none", "-XDallowStringFolding=false"), null,
                files.getJavaFileObjectsFromPaths(paths));
        for (CompilationUnitTree unit : task.parse()) {
            JavacOperators seen = new JavacOperators();
            seen.scan(unit, null);
            Collections.sort(seen.found);
            System.out.println("= " + Path.of(unit.getSourceFile().toUri()));
            for (String line : seen.found) {
                System.out.println(Integer.parseInt(line.substring(0, 9)) + line.substring(9));
            }
        }
    }
}
