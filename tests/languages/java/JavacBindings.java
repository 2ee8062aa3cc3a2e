import com.sun.source.tree.BreakTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ContinueTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LabeledStatementTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.ElementKind;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what javac's attribution takes each identifier for: a line "= path" for each file, then
 * the identifier's place (in UTF-16 units), the kind of element, and the place of the declaring
 * name if it stands in the same file, else -1. Lines of the list that begin with "-" are options
 * of javac; all files of the list are compiled together. What javac could not attribute is left
 * out.
 */
public class JavacBindings {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        // Errors do not stop the attribution of the rest.
        List<String> options = new ArrayList<>(List.of(
            "-proc:none", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW", "-Xmaxerrs", "0"));
        List<Path> files = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (line.startsWith("-")) {
                options.addAll(List.of(line.split(" ")));
            } else {
                files.add(Path.of(line));
            }
        }
        JavacTask task = (JavacTask) compiler.getTask(
            null, manager, diagnostic -> {
                if (diagnostic.getKind() == javax.tools.Diagnostic.Kind.ERROR) {
                    System.err.println(diagnostic);
                }
            }, options, null, manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : units) {
            out.println("= " + Path.of(unit.getSourceFile().toUri()));
            Declared declared = new Declared(unit);
            declared.scan(unit, null);
            Printer printer = new Printer(unit, trees, declared.places);
            printer.scan(unit, null);
            printer.lines.forEach((place, line) -> out.println(place + " " + line));
        }
        out.flush();
    }

    /** Where the names stand that declare the symbols of a file. */
    private static final class Declared extends TreePathScanner<Void, Void> {
        final Map<Symbol, Integer> places = new IdentityHashMap<>();
        private final CharSequence text;

        Declared(CompilationUnitTree unit) throws Exception {
            this.text = unit.getSourceFile().getCharContent(true);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void nothing) {
            JCTree.JCVariableDecl declared = (JCTree.JCVariableDecl) tree;
            add(declared.sym, nameFrom(text, declared.pos, declared.name));
            return super.visitVariable(tree, nothing);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            add(((JCTree.JCMethodDecl) tree).sym, ((JCTree.JCMethodDecl) tree).pos);
            return super.visitMethod(tree, nothing);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            JCTree.JCClassDecl declared = (JCTree.JCClassDecl) tree;
            if (!declared.name.isEmpty()) {
                add(declared.sym, wordAfter(text, declared.pos));
            }
            return super.visitClass(tree, nothing);
        }

        @Override
        public Void visitTypeParameter(TypeParameterTree tree, Void nothing) {
            JCTree.JCTypeParameter declared = (JCTree.JCTypeParameter) tree;
            if (declared.type != null) {
                add(declared.type.tsym, nameFrom(text, declared.pos, declared.name));
            }
            return super.visitTypeParameter(tree, nothing);
        }

        private void add(Symbol symbol, int place) {
            if (symbol != null) {
                places.putIfAbsent(symbol, place);
            }
        }
    }

    /**
     * The place of a name at or after a place: javac puts an enum's constant where its annotations
     * begin, and the parameter of a compact constructor where the component's type does.
     */
    static int nameFrom(CharSequence text, int at, CharSequence name) {
        Matcher found = Pattern.compile("(?<![\\w$])" + Pattern.quote(name.toString()) + "(?![\\w$])")
            .matcher(text);
        return at >= 0 && found.find(at) ? found.start() : at;
    }

    /** The place of the word after the one that begins here; comments may stand between. */
    static int wordAfter(CharSequence text, int at) {
        while (at < text.length() && Character.isJavaIdentifierPart(text.charAt(at))) {
            at++;
        }
        while (at < text.length() && !Character.isJavaIdentifierPart(text.charAt(at))) {
            if (text.charAt(at) == '/' && text.charAt(at + 1) == '*') {
                at = text.toString().indexOf("*/", at) + 2;
            } else if (text.charAt(at) == '/' && text.charAt(at + 1) == '/') {
                at = text.toString().indexOf("\n", at);
            } else {
                at++;
            }
        }
        return at;
    }

    private static final class Printer extends TreePathScanner<Void, Void> {
        final Map<Integer, String> lines = new TreeMap<>();
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final CharSequence text;
        private final Map<Symbol, Integer> places;

        Printer(CompilationUnitTree unit, Trees trees, Map<Symbol, Integer> places)
                throws Exception {
            this.unit = unit;
            this.positions = trees.getSourcePositions();
            this.text = unit.getSourceFile().getCharContent(true);
            this.places = places;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void nothing) {
            print(((JCTree.JCIdent) tree).pos, tree.getName(), TreeInfo.symbol((JCTree) tree));
            return super.visitIdentifier(tree, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            int end = (int) positions.getEndPosition(unit, tree);
            print(end - tree.getIdentifier().length(), tree.getIdentifier(),
                TreeInfo.symbol((JCTree) tree));
            return super.visitMemberSelect(tree, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            int end = (int) positions.getEndPosition(unit, tree);
            print(end - tree.getName().length(), tree.getName(),
                ((JCTree.JCMemberReference) tree).sym);
            return super.visitMemberReference(tree, nothing);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void nothing) {
            JCTree.JCVariableDecl declared = (JCTree.JCVariableDecl) tree;
            print(nameFrom(text, declared.pos, declared.name), tree.getName(), declared.sym);
            return super.visitVariable(tree, nothing);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            JCTree.JCMethodDecl declared = (JCTree.JCMethodDecl) tree;
            if (declared.sym != null && (declared.sym.flags() & Flags.GENERATEDCONSTR) != 0) {
                return null; // nobody wrote it
            }
            print(declared.pos, tree.getName(), declared.sym);
            return super.visitMethod(tree, nothing);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            JCTree.JCClassDecl declared = (JCTree.JCClassDecl) tree;
            if (!declared.name.isEmpty()) {
                print(wordAfter(text, declared.pos), declared.name, declared.sym);
            }
            return super.visitClass(tree, nothing);
        }

        @Override
        public Void visitTypeParameter(TypeParameterTree tree, Void nothing) {
            JCTree.JCTypeParameter declared = (JCTree.JCTypeParameter) tree;
            if (declared.type != null) {
                print(nameFrom(text, declared.pos, declared.name), declared.name,
                    declared.type.tsym);
            }
            return super.visitTypeParameter(tree, nothing);
        }

        @Override
        public Void visitLabeledStatement(LabeledStatementTree tree, Void nothing) {
            int place = ((JCTree) tree).pos;
            lines.putIfAbsent(place, "LABEL " + place);
            return super.visitLabeledStatement(tree, nothing);
        }

        @Override
        public Void visitBreak(BreakTree tree, Void nothing) {
            if (tree.getLabel() != null) {
                jump((JCTree) tree, ((JCTree.JCBreak) tree).target, tree.getLabel());
            }
            return super.visitBreak(tree, nothing);
        }

        @Override
        public Void visitContinue(ContinueTree tree, Void nothing) {
            if (tree.getLabel() != null) {
                jump((JCTree) tree, ((JCTree.JCContinue) tree).target, tree.getLabel());
            }
            return super.visitContinue(tree, nothing);
        }

        /** javac keeps the statement that a jump leads to; its label is the one around it. */
        private void jump(JCTree tree, JCTree target, CharSequence label) {
            for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath()) {
                if (at.getLeaf() instanceof JCTree.JCLabeledStatement) {
                    JCTree.JCLabeledStatement labeled = (JCTree.JCLabeledStatement) at.getLeaf();
                    if ((labeled == target || TreeInfo.referencedStatement(labeled) == target)
                            && labeled.label.contentEquals(label)) {
                        lines.putIfAbsent(wordAfter(text, tree.pos), "LABEL " + labeled.pos);
                        return;
                    }
                }
            }
        }

        /** The first tree at a place is the written one; what javac adds comes below it. */
        private void print(int place, CharSequence name, Symbol symbol) {
            boolean constructor = symbol != null && symbol.isConstructor();
            if (symbol == null || place < 0 || place + name.length() > text.length()) {
                return;
            }
            String written = text.subSequence(place, place + name.length()).toString();
            if (!constructor && !written.contentEquals(name)) {
                return;
            }
            if (List.of("this", "super", "class").contains(written)) {
                return;
            }
            String kind;
            try {
                kind = symbol.getKind().toString();
            } catch (RuntimeException e) {
                return; // an erroneous symbol has no kind
            }
            if (symbol.type != null && symbol.type.isErroneous() && symbol.owner == null) {
                return;
            }
            Integer found = places.get(symbol);
            if (found == null) {
                found = places.get(symbol.baseSymbol());
            }
            if (found == null && symbol.owner instanceof Symbol.ClassSymbol) {
                // The accessor that javac makes for a record's component has no tree.
                for (Symbol.RecordComponent one
                        : ((Symbol.ClassSymbol) symbol.owner).getRecordComponents()) {
                    if (one.accessor == symbol) {
                        found = places.entrySet().stream()
                            .filter(entry -> entry.getKey().owner == symbol.owner
                                && entry.getKey().getKind() == ElementKind.FIELD
                                && entry.getKey().name == symbol.name)
                            .map(Map.Entry::getValue).findFirst().orElse(null);
                    }
                }
            }
            lines.putIfAbsent(place, kind + " " + (found == null ? -1 : found));
        }
    }
}
