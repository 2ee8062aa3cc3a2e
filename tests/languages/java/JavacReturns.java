import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what each method with a body returns, as javac's parser sees it: a line "= path" for each
 * file, then a line for each method, in the order of the source: its name, and sorted what it
 * returns: "null", "variable", "call NAME".
 */
public class JavacReturns extends TreeScanner<Void, Void> {
    private static final Set<String> PROMISES = Set.of("Nullable", "CheckForNull");
    private Set<String> returned = new TreeSet<>();
    private final List<String> lines = new ArrayList<>();

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
        if (method.getBody() == null || method.getReturnType() == null) {
            return super.visitMethod(method, null); // a constructor
        }
        Set<String> around = returned;
        returned = new TreeSet<>();
        int place = lines.size();
        lines.add("");
        for (AnnotationTree one : method.getModifiers().getAnnotations()) {
            String name = one.getAnnotationType().toString();
            if (PROMISES.contains(name.substring(name.lastIndexOf('.') + 1))) {
                returned.add("null");
            }
        }
        super.visitMethod(method, null);
        lines.set(place, method.getName() + " " + String.join(",", returned));
        returned = around;
        return null;
    }

    @Override
    public Void visitClass(ClassTree type, Void nothing) {
        Set<String> around = returned;
        returned = new TreeSet<>();
        super.visitClass(type, null);
        returned = around;
        return null;
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree lambda, Void nothing) {
        Set<String> around = returned;
        returned = new TreeSet<>();
        super.visitLambdaExpression(lambda, null);
        returned = around;
        return null;
    }

    @Override
    public Void visitReturn(ReturnTree tree, Void nothing) {
        keep(tree.getExpression());
        return super.visitReturn(tree, null);
    }

    private void keep(ExpressionTree tree) {
        if (tree == null) {
            return;
        } else if (tree instanceof ParenthesizedTree) {
            keep(((ParenthesizedTree) tree).getExpression());
        } else if (tree instanceof TypeCastTree) {
            keep(((TypeCastTree) tree).getExpression());
        } else if (tree instanceof AssignmentTree) {
            keep(((AssignmentTree) tree).getExpression());
        } else if (tree instanceof ConditionalExpressionTree) {
            keep(((ConditionalExpressionTree) tree).getTrueExpression());
            keep(((ConditionalExpressionTree) tree).getFalseExpression());
        } else if (tree.getKind() == Tree.Kind.NULL_LITERAL) {
            returned.add("null");
        } else if (tree instanceof MethodInvocationTree) {
            ExpressionTree select = ((MethodInvocationTree) tree).getMethodSelect();
            returned.add("call " + (select instanceof MemberSelectTree
                    ? ((MemberSelectTree) select).getIdentifier()
                    : ((IdentifierTree) select).getName()));
        } else if (tree instanceof IdentifierTree) {
            if (!((IdentifierTree) tree).getName().contentEquals("this")) {
                returned.add("variable");
            }
        } else if (tree instanceof MemberSelectTree) {
            String name = ((MemberSelectTree) tree).getIdentifier().toString();
            if (!name.equals("class") && !name.equals("this")) {
                returned.add("variable");
            }
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
                null, files, null, List.of("-proc:none"), null,
                files.getJavaFileObjectsFromPaths(paths));
        for (CompilationUnitTree unit : task.parse()) {
            JavacReturns seen = new JavacReturns();
            seen.scan(unit, null);
            System.out.println("= " + Path.of(unit.getSourceFile().toUri()));
            seen.lines.forEach(System.out::println);
        }
    }
}
