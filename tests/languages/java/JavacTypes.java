import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.code.Types;
import com.sun.tools.javac.tree.EndPosTable;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the erased type that javac gives to each expression of some files. The list of files may
 * hold options of javac: lines that begin with a hyphen. Positions are in characters.
 *
 * "= path" begins a file. An expression is a tab-separated line: "s" if it is the selector of a
 * switch, else "x"; its start and end; its erased type; what kind of type that is. "e" and a
 * message is an error of the compiler.
 */
public class JavacTypes {
    private final PrintStream out = new PrintStream(
            new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
    private Types types;

    public static void main(String[] arguments) throws Exception {
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-nowarn",
            "-XDshould-stop.ifError=FLOW", "-implicit:none", "-encoding", "UTF-8"));
        List<Path> paths = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (line.startsWith("-")) {
                options.add(line);
            } else {
                paths.add(Path.of(line));
            }
        }
        new JavacTypes().run(options, paths);
    }

    private void run(List<String> options, List<Path> paths) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        JavacTask task = (JavacTask) compiler.getTask(null, manager, found -> {
            if (found.getKind() == javax.tools.Diagnostic.Kind.ERROR) {
                out.println("e\t" + found.toString().replaceAll("\\s+", " "));
            }
        }, options, null, manager.getJavaFileObjectsFromPaths(paths));
        List<JCTree.JCCompilationUnit> units = new ArrayList<>();
        for (CompilationUnitTree unit : task.parse()) {
            units.add((JCTree.JCCompilationUnit) unit);
        }
        task.analyze();
        types = Types.instance(((BasicJavacTask) task).getContext());
        for (JCTree.JCCompilationUnit unit : units) {
            out.println("= " + Path.of(unit.getSourceFile().toUri()));
            new Expressions(unit).scan(unit);
        }
        out.flush();
    }

    private final class Expressions extends TreeScanner {
        private final EndPosTable ends;
        private JCTree selector;

        Expressions(JCTree.JCCompilationUnit unit) {
            this.ends = unit.endPositions;
        }

        @Override
        public void scan(JCTree tree) {
            if (tree instanceof JCTree.JCExpression one && isValue(one)) {
                tell(one);
            }
            super.scan(tree);
        }

        @Override
        public void visitSwitch(JCTree.JCSwitch tree) {
            selector = TreeInfo.skipParens(tree.selector);
            super.visitSwitch(tree);
        }

        @Override
        public void visitSwitchExpression(JCTree.JCSwitchExpression tree) {
            selector = TreeInfo.skipParens(tree.selector);
            super.visitSwitchExpression(tree);
        }

        @Override
        public void visitAnnotation(JCTree.JCAnnotation tree) {}

        private boolean isValue(JCTree.JCExpression tree) {
            if (tree instanceof JCTree.JCParens || tree instanceof JCTree.JCAnnotation) {
                return false;
            }
            if (tree instanceof JCTree.JCIdent || tree instanceof JCTree.JCFieldAccess) {
                return TreeInfo.symbol(tree) instanceof
                    com.sun.tools.javac.code.Symbol.VarSymbol;
            }
            return !(tree instanceof JCTree.JCPrimitiveTypeTree
                || tree instanceof JCTree.JCArrayTypeTree
                || tree instanceof JCTree.JCTypeApply
                || tree instanceof JCTree.JCTypeUnion
                || tree instanceof JCTree.JCTypeIntersection
                || tree instanceof JCTree.JCWildcard
                || tree instanceof JCTree.JCAnnotatedType);
        }

        private void tell(JCTree.JCExpression tree) {
            int start = TreeInfo.getStartPos(tree);
            int end = TreeInfo.getEndPos(tree, ends);
            if (start < 0 || end <= start || tree.type == null) {
                return;
            }
            // A primitive constant's type prints its value unless erased.
            Type type = types.erasure(tree.type.baseType());
            String name = type.hasTag(TypeTag.BOT) ? "null" : type.toString();
            out.println((tree == selector ? "s" : "x") + "\t" + start + "\t" + end + "\t" + name
                + "\t" + kind(type));
        }

        private String kind(Type type) {
            if (type.hasTag(TypeTag.BOT)) {
                return "null";
            }
            if (type.hasTag(TypeTag.VOID)) {
                return "void";
            }
            if (type.isPrimitive()) {
                return "primitive";
            }
            if (type.hasTag(TypeTag.ARRAY)) {
                return "array";
            }
            if (!type.hasTag(TypeTag.CLASS)) {
                return type.getTag().toString();
            }
            long flags = type.tsym.flags();
            if ((flags & Flags.ANNOTATION) != 0) {
                return "annotation";
            }
            if ((flags & Flags.INTERFACE) != 0) {
                return "interface";
            }
            if ((flags & Flags.ENUM) != 0) {
                return "enum";
            }
            return (flags & Flags.RECORD) != 0 ? "record" : "class";
        }
    }
}
