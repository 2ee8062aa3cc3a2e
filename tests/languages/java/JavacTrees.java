import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.InstanceOfTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.tools.javac.parser.Scanner;
import com.sun.tools.javac.parser.ScannerFactory;
import com.sun.tools.javac.parser.Tokens.Token;
import com.sun.tools.javac.parser.Tokens.TokenKind;
import com.sun.tools.javac.file.JavacFileManager;
import com.sun.tools.javac.tree.EndPosTable;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.util.Context;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the trees of methods with a body, drawn from javac's own trees the way features-javac
 * draws them: a line "= path" for each file, then one for each method in source order, its labels
 * and, for each node, its parent (a star: its edge comes last), both separated by commas.
 *
 * The drawing follows the tool step by step, and so shares no rule with what it checks: every
 * getter of every tree by reflection; a leaf for every plain value; each token of javac's scanner
 * given to the smallest tree around it, and there to the first leaf of the same text; leaves
 * removed, holders merged with an only child of the same label, what has neither child nor token
 * pruned. It departs from the tool in these points, because parents must make a tree and the order
 * must not depend on the virtual machine:
 *  - getters in the order of ORDER;
 *  - a tree that javac shares (the type of "int a, b") is drawn once for each place;
 *  - a variable's name is its own token; the tool takes the first token of its declaration with
 *    that text, be it the type's ("A A") or another variable's ("int a = o.b, b");
 *  - a part that javac 17 tells by several getters is drawn once (see trees);
 *  - the supertype of a class without a name stands inside it as its extends clause: attribution
 *    puts it there, and knows interfaces, which a parser does not.
 */
public class JavacTrees {
    private static final Map<String, List<String>> ORDER = new HashMap<>();

    static {
        order("AnnotatedType", "Annotations", "UnderlyingType");
        order("Annotation", "AnnotationType", "Arguments");
        order("ArrayAccess", "Expression", "Index");
        order("ArrayType", "Type");
        order("Assert", "Condition", "Detail");
        order("Assignment", "Variable", "Expression");
        order("Binary", "LeftOperand", "RightOperand");
        order("BindingPattern", "Variable");
        order("Block", "isStatic", "Statements");
        order("Break", "Label");
        order("Case", "Expressions", "Labels", "Statements", "Body", "CaseKind");
        order("Catch", "Block", "Parameter");
        order("Class", "Modifiers", "SimpleName", "TypeParameters", "ExtendsClause",
            "ImplementsClause", "PermitsClause", "Members");
        order("CompilationUnit", "Package", "Imports", "TypeDecls", "Module");
        order("CompoundAssignment", "Variable", "Expression");
        order("ConditionalExpression", "Condition", "TrueExpression", "FalseExpression");
        order("Continue", "Label");
        order("DefaultCaseLabel");
        order("DoWhileLoop", "Condition", "Statement");
        order("EmptyStatement");
        order("EnhancedForLoop", "Variable", "Expression", "Statement");
        order("Erroneous", "ErrorTrees");
        order("ExpressionStatement", "Expression");
        order("ForLoop", "Initializer", "Condition", "Update", "Statement");
        order("GuardedPattern", "Pattern", "Expression");
        order("Identifier", "Name");
        order("If", "Condition", "ThenStatement", "ElseStatement");
        order("Import", "isStatic", "QualifiedIdentifier");
        order("InstanceOf", "Expression", "Type", "Pattern");
        order("IntersectionType", "Bounds");
        order("LabeledStatement", "Label", "Statement");
        order("LambdaExpression", "Parameters", "Body", "BodyKind");
        order("Literal", "Value");
        order("MemberReference", "QualifierExpression", "TypeArguments", "Name", "Mode");
        order("MemberSelect", "Expression", "Identifier");
        order("Method", "Name", "Modifiers", "TypeParameters", "ReturnType", "ReceiverParameter",
            "Parameters", "Throws", "Body", "DefaultValue");
        order("MethodInvocation", "TypeArguments", "MethodSelect", "Arguments");
        order("Modifiers", "Flags", "Annotations");
        order("NewArray", "Type", "Annotations", "DimAnnotations", "Dimensions", "Initializers");
        order("NewClass", "EnclosingExpression", "TypeArguments", "Arguments", "Identifier",
            "ClassBody");
        order("Package", "Annotations", "PackageName");
        order("ParameterizedType", "Type", "TypeArguments");
        order("Parenthesized", "Expression");
        order("ParenthesizedPattern", "Pattern");
        order("PrimitiveType", "PrimitiveTypeKind");
        order("Return", "Expression");
        order("Switch", "Expression", "Cases");
        order("SwitchExpression", "Expression", "Cases");
        order("Synchronized", "Expression", "Block");
        order("Throw", "Expression");
        order("Try", "Resources", "Block", "Catches", "FinallyBlock");
        order("TypeCast", "Type", "Expression");
        order("TypeParameter", "Annotations", "Name", "Bounds");
        order("Unary", "Expression");
        order("UnionType", "TypeAlternatives");
        order("Variable", "Name", "Modifiers", "Type", "NameExpression", "Initializer");
        order("WhileLoop", "Condition", "Statement");
        order("Wildcard", "Bound");
        order("Yield", "Value");
        order("Module", "Annotations", "Name", "Directives", "ModuleType");
        order("Exports", "PackageName", "ModuleNames");
        order("Opens", "PackageName", "ModuleNames");
        order("Provides", "ServiceName", "ImplementationNames");
        order("Requires", "isStatic", "isTransitive", "ModuleName");
        order("Uses", "ServiceName");
    }

    /** Getters that would draw a part twice, or that tell nothing of the source. */
    private static final Set<String> LEFT_OUT = Set.of(
        "Case.getExpression", "CompilationUnit.getPackageName",
        "CompilationUnit.getPackageAnnotations", "CompilationUnit.getSourceFile",
        "CompilationUnit.getLineMap");

    private static void order(String tree, String... getters) {
        ORDER.put(tree, Arrays.stream(getters)
            .map(name -> name.startsWith("is") ? name : "get" + name)
            .collect(Collectors.toList()));
    }

    public static void main(String[] arguments) throws Exception {
        Thread thread = new Thread(null, () -> {
            try {
                run(arguments[0]);
            } catch (Exception problem) {
                throw new IllegalStateException(problem);
            }
        }, "trees", 1L << 30);
        thread.setUncaughtExceptionHandler((where, problem) -> {
            problem.printStackTrace();
            System.exit(1);
        });
        thread.start();
        thread.join();
    }

    private static void run(String list) throws Exception {
        PrintWriter out = new PrintWriter(new BufferedWriter(
            new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        Context context = new Context();
        JavacFileManager.preRegister(context);
        ScannerFactory scanners = ScannerFactory.instance(context);
        for (String path : Files.readAllLines(Path.of(list))) {
            out.println("= " + path);
            // Every string of the source is a literal of its own: javac's parser would join
            // neighbours ("a" + "b") otherwise.
            JavacTask task = (JavacTask) compiler.getTask(
                null, manager, diagnostic -> {}, List.of("-proc:none", "-XDallowStringFolding=false"),
                null, manager.getJavaFileObjects(Path.of(path)));
            for (CompilationUnitTree unit : task.parse()) {
                String source = unit.getSourceFile().getCharContent(true).toString();
                JavacTrees drawn = new JavacTrees((JCTree.JCCompilationUnit) unit,
                    scanners.newScanner(source, false));
                drawn.print(out);
            }
        }
        out.flush();
    }

    /** A node of the drawing: of a tree, or of a getter ("holder"). */
    private static final class Node {
        final String label;
        final JCTree tree;
        final Set<String> leaves = new HashSet<>();
        List<Node> children = new ArrayList<>();
        boolean late;
        boolean named;

        Node(String label, JCTree tree) {
            this.label = label;
            this.tree = tree;
        }
    }

    private final EndPosTable ends;
    private final Map<JCTree, Integer> numbers = new IdentityHashMap<>();
    private final Map<JCTree, Set<String>> own = new IdentityHashMap<>();
    private final List<JCTree> variables = new ArrayList<>();
    private final List<Node> methods = new ArrayList<>();

    private JavacTrees(JCTree.JCCompilationUnit unit, Scanner scanner) throws Exception {
        ends = unit.endPositions;
        Node root = draw(unit, null);
        giveTokens(scanner);
        finish(root);
    }

    private Node draw(JCTree tree, String className) throws Exception {
        Node node = new Node(tree.getKind().toString(), tree);
        numbers.putIfAbsent(tree, numbers.size());
        if (tree instanceof VariableTree) {
            variables.add(tree);
        }
        if (tree instanceof MethodTree && ((MethodTree) tree).getBody() != null) {
            methods.add(node);
        }
        if (tree instanceof ClassTree) {
            className = ((ClassTree) tree).getSimpleName().toString();
        }
        Class<?> face = tree.getKind().asInterface();
        String name = face.getSimpleName().replaceAll("Tree$", "");
        List<String> getters = ORDER.get(name);
        for (Method getter : face.getDeclaredMethods()) {
            if (!getters.contains(getter.getName()) && getter.getParameterCount() == 0
                    && !LEFT_OUT.contains(name + "." + getter.getName())) {
                throw new IllegalStateException("no place for " + name + "." + getter.getName());
            }
        }
        for (String getter : getters) {
            Node holder = new Node(label(getter), null);
            Object value = face.getMethod(getter).invoke(tree);
            Class<?> type = face.getMethod(getter).getReturnType();
            if (Tree.class.isAssignableFrom(type) || List.class.isAssignableFrom(type)) {
                for (JCTree child : trees(tree, getter, value)) {
                    holder.children.add(draw(child, className));
                }
                if (holder.children.isEmpty()) {
                    continue;
                }
            } else if (value instanceof Set) {
                ((Set<?>) value).forEach(one -> holder.leaves.add(one.toString()));
            } else {
                String text = Objects.toString(value);
                if (getter.equals("isStatic")) {
                    if (text.equals("false")) {
                        continue;
                    }
                    text = "static";
                }
                boolean constructor = tree instanceof MethodTree && text.equals("<init>");
                holder.leaves.add(constructor ? className : text);
                holder.named = tree instanceof VariableTree;
            }
            node.children.add(holder);
        }
        return node;
    }

    private static String label(String getter) {
        return getter.replaceAll("^get", "").replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase();
    }

    /** The trees that a getter holds, where some would otherwise be drawn twice. */
    private static List<JCTree> trees(JCTree tree, String getter, Object value) {
        List<Object> found = new ArrayList<>();
        if (value instanceof List) {
            for (Object one : (List<?>) value) {
                if (one instanceof List) {  // annotations of dimensions
                    found.addAll((List<?>) one);
                } else {
                    found.add(one);
                }
            }
        } else if (value != null) {
            found.add(value);
        }
        if (tree instanceof CaseTree && getter.equals("getLabels")) {
            found.removeAll(((CaseTree) tree).getExpressions());
            if (found.size() == 1 && ((CaseTree) tree).getExpressions().isEmpty()) {
                // "default:" is what a case without expressions means.
                found.removeIf(one -> ((Tree) one).getKind().name().equals("DEFAULT_CASE_LABEL"));
            }
        }
        if (tree instanceof InstanceOfTree && getter.equals("getType")
                && ((InstanceOfTree) tree).getPattern() != null) {
            found.clear();
        }
        if (tree instanceof NewClassTree && ((NewClassTree) tree).getClassBody() != null) {
            JCTree.JCNewClass created = (JCTree.JCNewClass) tree;
            if (getter.equals("getIdentifier")) {
                found.clear();
            }
            if (created.def.extending == null) {
                created.def.extending = created.clazz;
            }
        }
        return found.stream().map(one -> (JCTree) one).collect(Collectors.toList());
    }

    /** Variables take their names, then each token goes to the smallest tree around it, the
     *  youngest of equals. */
    private void giveTokens(Scanner scanner) {
        List<Integer> starts = new ArrayList<>();
        List<Integer> stops = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        Map<String, TreeSet<Integer>> places = new HashMap<>();
        scanner.nextToken();
        for (Token token = scanner.token(); token.kind != TokenKind.EOF; token = scanner.token()) {
            String text = text(token);
            places.computeIfAbsent(text, one -> new TreeSet<>()).add(starts.size());
            starts.add(token.pos);
            stops.add(token.endPos);
            texts.add(text);
            scanner.nextToken();
        }
        List<JCTree> order = new ArrayList<>(numbers.keySet());
        order.removeIf(tree -> tree.getEndPosition(ends) < 0);
        order.sort(Comparator
            .comparingInt((JCTree tree) -> tree.getEndPosition(ends) - tree.getStartPosition())
            .thenComparing(Comparator.comparing(numbers::get).reversed()));
        // The next token that nobody has: taken ones point beyond themselves.
        int[] free = new int[texts.size() + 1];
        for (int i = 0; i < free.length; i++) {
            free[i] = i;
        }
        for (JCTree variable : variables) {
            String name = ((VariableTree) variable).getName().toString();
            int from = Collections.binarySearch(starts, variable.pos);
            Integer token = places.getOrDefault(name, new TreeSet<>())
                .ceiling(from < 0 ? -from - 1 : from);
            if (token != null) {
                free[token] = token + 1;
            }
        }
        for (JCTree tree : order) {
            Set<String> taken = new HashSet<>();
            int first = Collections.binarySearch(starts, tree.getStartPosition());
            for (int i = free(free, first < 0 ? -first - 1 : first);
                    i < texts.size() && stops.get(i) <= tree.getEndPosition(ends);
                    i = free(free, i)) {
                taken.add(texts.get(i));
                free[i] = i + 1;
            }
            own.put(tree, taken);
        }
    }

    private static int free(int[] free, int i) {
        while (free[i] != i) {
            free[i] = free[free[i]];
            i = free[i];
        }
        return i;
    }

    private static String text(Token token) {
        // By name: the enum behind the tag is not accessible from here.
        switch (String.valueOf((Object) token.kind.tag)) {
            case "STRING":
                return '"' + token.stringVal() + '"';
            case "NUMERIC":
                return token.stringVal();
            case "NAMED":
                return token.name().toString();
            default:
                return token.kind.name();
        }
    }

    /** Removes leaves, merges, prunes; tells whether anything is left of the node. */
    private boolean finish(Node node) {
        Set<String> tokens = own.getOrDefault(node.tree, Set.of());
        Set<String> unmatched = new HashSet<>(tokens);
        List<Node> first = new ArrayList<>();
        for (Node holder : node.children) {
            boolean held = holder.named;
            for (String leaf : holder.leaves) {
                held |= unmatched.removeIf(token -> token.equalsIgnoreCase(leaf));
            }
            boolean merged =
                holder.children.size() == 1 && holder.children.get(0).label.equals(holder.label);
            holder.children.removeIf(child -> !finish(child));
            if (merged) {
                holder.children.forEach(child -> child.late = true);
                first.addAll(holder.children);
            } else if (held || !holder.children.isEmpty()) {
                first.add(holder);
            }
        }
        node.children = first;
        return !first.isEmpty() || !tokens.isEmpty();
    }

    private void print(PrintWriter out) {
        methods.sort(Comparator.comparingInt(node -> node.tree.getStartPosition()));
        for (Node method : methods) {
            List<String> labels = new ArrayList<>();
            List<String> parents = new ArrayList<>();
            list(method, -1, labels, parents);
            out.println(String.join(",", labels) + "\t" + String.join(",", parents));
        }
    }

    private static void list(Node node, int parent, List<String> labels, List<String> parents) {
        int number = labels.size();
        labels.add(node.label);
        parents.add(parent + (node.late ? "*" : ""));
        for (Node child : node.children) {
            list(child, number, labels, parents);
        }
    }
}
