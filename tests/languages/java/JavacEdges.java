import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Kinds;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the syntactic edges that features-javac would draw, from javac's own attribution: a line
 * "= path" for each file, then kind, source and target, as places of names (in UTF-16 units), or
 * of the condition's opening parenthesis for GB and GN. Lines of the list that begin with "-" are
 * options of javac; all files of the list are compiled together.
 */
public class JavacEdges {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options = new ArrayList<>(List.of(
            "-proc:none", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW", "-nowarn"));
        List<Path> files = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (line.startsWith("-")) {
                options.addAll(List.of(line.split(" ")));
            } else {
                files.add(Path.of(line));
            }
        }
        JavacTask task = (JavacTask) compiler.getTask(
            null, manager, diagnostic -> { }, options, null,
            manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) {
            out.println("= " + Path.of(unit.getSourceFile().toUri()));
            Edges edges = new Edges();
            new Methods(edges.methods).scan(unit, null);
            edges.scan(unit, null);
            new Lexical(edges.lines).scan(unit, null);
            new Computed(edges.lines).scan(unit, null);
            edges.lines.forEach(out::println);
        }
        out.flush();
    }

    static boolean isVariable(IdentifierTree tree) {
        Symbol symbol = ((JCTree.JCIdent) tree).sym;
        return symbol != null && symbol.kind == Kinds.Kind.VAR;
    }

    static int place(Tree tree) {
        return tree instanceof VariableTree
            ? ((JCTree.JCVariableDecl) tree).pos : ((JCTree) tree).getStartPosition();
    }

    /** What javac made up is not in the source. */
    static boolean isGenerated(MethodTree tree) {
        return (((JCTree.JCMethodDecl) tree).mods.flags & Flags.GENERATEDCONSTR) != 0;
    }

    static List<Integer> variables(Tree tree) {
        List<Integer> found = new ArrayList<>();
        new TreeScanner<Void, Void>() {
            @Override public Void visitIdentifier(IdentifierTree node, Void nothing) {
                if (isVariable(node)) {
                    found.add(place(node));
                }
                return null;
            }

            @Override public Void visitNewClass(NewClassTree node, Void nothing) {
                scan(node.getEnclosingExpression(), null);
                scan(node.getArguments(), null);
                return null;
            }
        }.scan(tree, null);
        return found;
    }

    static class Methods extends TreeScanner<Void, Void> {
        private final Map<Symbol, MethodTree> methods;

        Methods(Map<Symbol, MethodTree> methods) { this.methods = methods; }

        @Override public Void visitMethod(MethodTree node, Void nothing) {
            methods.put(((JCTree.JCMethodDecl) node).sym, node);
            return super.visitMethod(node, null);
        }
    }

    static class Edges extends TreeScanner<Void, Void> {
        final List<String> lines = new ArrayList<>();
        final Map<Symbol, MethodTree> methods = new IdentityHashMap<>();

        @Override public Void visitMethod(MethodTree node, Void nothing) {
            return isGenerated(node) ? null : super.visitMethod(node, null);
        }

        @Override public Void visitIf(IfTree node, Void nothing) {
            guard("GB", node.getThenStatement(), node.getCondition());
            guard("GN", node.getElseStatement(), node.getCondition());
            return super.visitIf(node, null);
        }

        private void guard(String kind, Tree branch, Tree condition) {
            for (int name : variables(branch)) {
                lines.add(kind + " " + name + " " + place(condition));
            }
        }

        @Override public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
            call(TreeInfo.symbol((JCTree) node.getMethodSelect()), node.getArguments());
            return super.visitMethodInvocation(node, null);
        }

        @Override public Void visitNewClass(NewClassTree node, Void nothing) {
            call(((JCTree.JCNewClass) node).constructor, node.getArguments());
            return super.visitNewClass(node, null);
        }

        private void call(Symbol symbol, List<? extends ExpressionTree> arguments) {
            MethodTree method = methods.get(symbol);
            if (method == null || isGenerated(method)) {
                return;
            }
            int count = Math.min(arguments.size(), method.getParameters().size());
            for (int at = 0; at < count; at++) {
                for (int name : variables(arguments.get(at))) {
                    lines.add("FA " + name + " " + place(method.getParameters().get(at)));
                }
            }
        }
    }

    static class Lexical extends TreeScanner<Void, Void> {
        private final List<String> lines;
        private final Map<Symbol, Integer> last = new HashMap<>();

        Lexical(List<String> lines) { this.lines = lines; }

        private void occurs(Symbol symbol, int place) {
            Integer before = last.put(symbol, place);
            if (before != null) {
                lines.add("LL " + before + " " + place);
            }
        }

        @Override public Void visitMethod(MethodTree node, Void nothing) {
            return isGenerated(node) ? null : super.visitMethod(node, null);
        }

        @Override public Void visitVariable(VariableTree node, Void nothing) {
            occurs(((JCTree.JCVariableDecl) node).sym, place(node));
            return super.visitVariable(node, null);
        }

        @Override public Void visitIdentifier(IdentifierTree node, Void nothing) {
            if (isVariable(node)) {
                occurs(((JCTree.JCIdent) node).sym, place(node));
            }
            return null;
        }
    }

    static class Computed extends TreeScanner<Void, Void> {
        private final List<String> lines;

        Computed(List<String> lines) { this.lines = lines; }

        @Override public Void visitAssignment(AssignmentTree node, Void nothing) {
            for (int written : variables(node.getVariable())) {
                for (int read : variables(node.getExpression())) {
                    lines.add("CF " + written + " " + read);
                }
            }
            return null;
        }

        @Override public Void visitVariable(VariableTree node, Void nothing) {
            for (int read : variables(node.getInitializer())) {
                lines.add("CF " + place(node) + " " + read);
            }
            return null;
        }
    }
}
