import com.github.javaparser.JavaParser;
import com.github.javaparser.ParseResult;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.*;
import com.github.javaparser.ast.body.*;
import com.github.javaparser.ast.expr.*;
import com.github.javaparser.ast.stmt.*;
import com.github.javaparser.ast.type.*;
import java.nio.file.*;
import java.util.*;

/**
 * JavaParser's own reading of Java, arranged as version 3.0.0-alpha.4 arranged it: an oracle for
 * what the pieces of syntax are, not for the order of children, which follows the same table as
 * ours. Needs a JavaParser 3.16 on the class path.
 *
 * <p>Prints, for each file named in a list, "= file", then for each method with a body "- name" and
 * its nodes in the order of the walk: depth, kind, child id, and a leaf's text. A file that this
 * parser cannot read is left out.
 */
public class JavaParserTrees {
    /** A node; {@code range} is null where the old parser knew none, and phantoms have no kind. */
    static final class View {
        final String kind;
        final Object range;
        final List<View> children = new ArrayList<>();
        String text;

        View(String kind, Object range) {
            this.kind = kind;
            this.range = range;
        }

        View with(View... more) {
            children.addAll(Arrays.asList(more));
            return this;
        }

        View with(List<View> more) {
            children.addAll(more);
            return this;
        }

        View says(String words) {
            text = words;
            return this;
        }
    }

    static Object range(Node node) {
        return node.getRange().map(Object::toString).orElse("?");
    }

    static View plain(Node node, String kind) {
        return new View(kind, range(node));
    }

    static View plain(Node node) {
        return plain(node, node.getClass().getSimpleName());
    }

    static View phantom() {
        return new View(null, null);
    }

    static View name(SimpleName node) {
        return new View("NameExpr", range(node)).says(node.getIdentifier());
    }

    static List<View> all(NodeList<? extends Node> nodes) {
        List<View> views = new ArrayList<>();
        for (Node node : nodes) views.add(view(node));
        return views;
    }

    static List<View> all(Optional<? extends NodeList<? extends Node>> nodes) {
        return nodes.isPresent() ? all(nodes.get()) : List.of();
    }

    static List<View> maybe(Optional<? extends Node> node) {
        return node.isPresent() ? List.of(view(node.get())) : List.of();
    }

    static Type element(Type type) {
        while (type instanceof ArrayType) type = ((ArrayType) type).getComponentType();
        return type;
    }

    /** Brackets of a declared type: those at the type have no range, those at the name have. */
    static List<View> brackets(Type type, ArrayType.Origin origin) {
        LinkedList<View> views = new LinkedList<>();
        int number = 0;
        for (; type instanceof ArrayType; type = ((ArrayType) type).getComponentType()) {
            if (((ArrayType) type).getOrigin() != origin) continue;
            Object range = origin == ArrayType.Origin.TYPE ? null : "[]" + number++;
            views.add(new View("ArrayBracketPair", range).says("[]"));
        }
        return views;
    }

    static View id(SimpleName name, Type type) {
        View view = new View("VariableDeclaratorId", range(name));
        return view.says(name.getIdentifier()).with(brackets(type, ArrayType.Origin.NAME));
    }

    static View declarator(VariableDeclarator node) {
        return plain(node).with(id(node.getName(), node.getType())).with(maybe(node.getInitializer()));
    }

    static View variables(
            Node node, String kind, NodeList<AnnotationExpr> notes, NodeList<VariableDeclarator> of) {
        Type type = of.get(0).getType();
        View view = plain(node, kind).with(all(notes)).with(view(element(type)));
        for (VariableDeclarator one : of) view.with(declarator(one));
        return view.with(brackets(type, ArrayType.Origin.TYPE));
    }

    static View parameter(Parameter node, Object range) {
        View view = new View("Parameter", range).with(all(node.getAnnotations()));
        view.with(id(node.getName(), node.getType()));
        if (element(node.getType()) instanceof UnknownType) return view;
        return view.with(view(element(node.getType())))
                .with(brackets(node.getType(), ArrayType.Origin.TYPE));
    }

    static View type(ClassOrInterfaceType node) {
        boolean boxed = node.isBoxedType();
        View view = plain(node, boxed ? "PrimitiveType" : "ClassOrInterfaceType");
        view.with(maybe(node.getScope())).with(all(node.getTypeArguments()));
        view.with(all(node.getAnnotations()));
        boolean diamond = node.getTypeArguments().isPresent();
        return view.says(node.getName().getIdentifier() + (diamond ? "<>" : ""));
    }

    /** What a lambda after a cast or a colon leaves behind, and the lambda. */
    static List<View> last(Expression node) {
        if (!(node instanceof LambdaExpr)) return List.of(view(node));
        LambdaExpr lambda = (LambdaExpr) node;
        NodeList<Parameter> of = lambda.getParameters();
        boolean typed = of.size() > 0 && !(of.get(0).getType() instanceof UnknownType);
        if (typed || of.size() > 1) return List.of(view(node));
        if (!lambda.isEnclosingParameters()) {
            View left = name(of.get(0).getName());
            View right = new View("LambdaExpr", left.range).with(view(node).children);
            return List.of(left, right);
        }
        View left = new View("EnclosedExpr", "before").says("()");
        if (of.size() == 1) left.with(name(of.get(0).getName()));
        return List.of(left, view(node));
    }

    static View cast(CastExpr node) {
        View view = plain(node);
        if (!(node.getType() instanceof IntersectionType)) {
            return view.with(view(node.getType())).with(last(node.getExpression()));
        }
        List<View> types = all(((IntersectionType) node.getType()).getElements());
        View several = new View("IntersectionType", "types");
        several.with(types.subList(0, types.size() - 1));
        View inner = new View("CastExpr", "inner").with(several).with(last(node.getExpression()));
        return view.with(types.get(types.size() - 1), inner);
    }

    static View annotationName(Name node) {
        if (!node.getQualifier().isPresent()) {
            return plain(node, "NameExpr").says(node.getIdentifier());
        }
        return plain(node, "QualifiedNameExpr").with(annotationName(node.getQualifier().get()));
    }

    static View scope(Node node, String kind, Optional<Name> name) {
        View view = plain(node, kind);
        if (!name.isPresent()) return view.says(kind.equals("ThisExpr") ? "this" : "super");
        return view.with(asExpression(name.get()));
    }

    static View asExpression(Name node) {
        View own = new View("NameExpr", range(node) + "name").says(node.getIdentifier());
        if (!node.getQualifier().isPresent()) return own;
        return plain(node, "FieldAccessExpr")
                .with(asExpression(node.getQualifier().get()), phantom(), own);
    }

    static View operator(Node node, String kind, Enum<?> operator, Map<String, String> names) {
        String name = names.get(operator.name());
        return plain(node, kind + ":" + name);
    }

    static final Map<String, String> BINARY = new HashMap<>();
    static final Map<String, String> ASSIGN = new HashMap<>();
    static final Map<String, String> UNARY = new HashMap<>();

    static {
        String[] binary = {
            "OR or", "AND and", "BINARY_OR binOr", "BINARY_AND binAnd", "XOR xor", "EQUALS equals",
            "NOT_EQUALS notEquals", "LESS less", "GREATER greater", "LESS_EQUALS lessEquals",
            "GREATER_EQUALS greaterEquals", "LEFT_SHIFT lShift", "SIGNED_RIGHT_SHIFT rSignedShift",
            "UNSIGNED_RIGHT_SHIFT rUnsignedShift", "PLUS plus", "MINUS minus", "MULTIPLY times",
            "DIVIDE divide", "REMAINDER remainder"
        };
        String[] assign = {
            "ASSIGN assign", "PLUS plus", "MINUS minus", "MULTIPLY star", "DIVIDE slash",
            "REMAINDER rem", "BINARY_AND and", "BINARY_OR or", "XOR xor", "LEFT_SHIFT lShift",
            "SIGNED_RIGHT_SHIFT rSignedShift", "UNSIGNED_RIGHT_SHIFT rUnsignedShift"
        };
        String[] unary = {
            "PLUS positive", "MINUS negative", "PREFIX_INCREMENT preIncrement",
            "PREFIX_DECREMENT preDecrement", "LOGICAL_COMPLEMENT not",
            "BITWISE_COMPLEMENT inverse", "POSTFIX_INCREMENT posIncrement",
            "POSTFIX_DECREMENT posDecrement"
        };
        for (String pair : binary) BINARY.put(pair.split(" ")[0], pair.split(" ")[1]);
        for (String pair : assign) ASSIGN.put(pair.split(" ")[0], pair.split(" ")[1]);
        for (String pair : unary) UNARY.put(pair.split(" ")[0], pair.split(" ")[1]);
    }

    static View unary(UnaryExpr node) {
        if (node.getOperator() == UnaryExpr.Operator.MINUS) {
            String digits = node.getExpression().toString();
            boolean literal = node.getExpression() instanceof LiteralStringValueExpr;
            if (literal && digits.equals("2147483648")) {
                return plain(node, "IntegerLiteralMinValueExpr").says("-2147483648");
            }
            if (literal && digits.toUpperCase().equals("9223372036854775808L")) {
                return plain(node, "LongLiteralMinValueExpr").says("-9223372036854775808L");
            }
        }
        return operator(node, "UnaryExpr", node.getOperator(), UNARY).with(view(node.getExpression()));
    }

    static View view(Node node) {
        View v = plain(node);
        if (node instanceof MethodDeclaration) {
            MethodDeclaration n = (MethodDeclaration) node;
            v.with(all(n.getAnnotations())).with(all(n.getTypeParameters()));
            v.with(view(element(n.getType())), name(n.getName())).with(all(n.getParameters()));
            v.with(brackets(n.getType(), ArrayType.Origin.TYPE));
            v.with(brackets(n.getType(), ArrayType.Origin.NAME));
            return v.with(all(n.getThrownExceptions())).with(maybe(n.getBody()));
        }
        if (node instanceof ConstructorDeclaration) {
            ConstructorDeclaration n = (ConstructorDeclaration) node;
            v.with(all(n.getAnnotations())).with(all(n.getTypeParameters())).with(phantom());
            v.with(all(n.getParameters())).with(all(n.getThrownExceptions()));
            return v.with(view(n.getBody()), name(n.getName()));
        }
        if (node instanceof ClassOrInterfaceDeclaration) {
            ClassOrInterfaceDeclaration n = (ClassOrInterfaceDeclaration) node;
            v.with(all(n.getAnnotations())).with(phantom()).with(all(n.getMembers()));
            v.with(all(n.getTypeParameters())).with(all(n.getExtendedTypes()));
            return v.with(all(n.getImplementedTypes())).with(name(n.getName()));
        }
        if (node instanceof EnumDeclaration) {
            EnumDeclaration n = (EnumDeclaration) node;
            v.with(all(n.getAnnotations())).with(phantom()).with(all(n.getMembers()));
            v.with(all(n.getImplementedTypes())).with(all(n.getEntries()));
            return v.with(name(n.getName()));
        }
        if (node instanceof EnumConstantDeclaration) {
            EnumConstantDeclaration n = (EnumConstantDeclaration) node;
            v.with(all(n.getAnnotations())).with(all(n.getArguments()));
            return v.with(all(n.getClassBody())).says(n.getNameAsString());
        }
        if (node instanceof AnnotationDeclaration) {
            AnnotationDeclaration n = (AnnotationDeclaration) node;
            v.with(all(n.getAnnotations())).with(phantom()).with(all(n.getMembers()));
            return v.with(name(n.getName()));
        }
        if (node instanceof AnnotationMemberDeclaration) {
            AnnotationMemberDeclaration n = (AnnotationMemberDeclaration) node;
            v.with(all(n.getAnnotations())).with(view(n.getType()));
            return v.with(maybe(n.getDefaultValue()));
        }
        if (node instanceof FieldDeclaration) {
            FieldDeclaration n = (FieldDeclaration) node;
            return variables(n, "FieldDeclaration", n.getAnnotations(), n.getVariables());
        }
        if (node instanceof InitializerDeclaration) {
            return v.with(view(((InitializerDeclaration) node).getBody()));
        }
        if (node instanceof Parameter) return parameter((Parameter) node, range(node));
        if (node instanceof TypeParameter) {
            TypeParameter n = (TypeParameter) node;
            v.with(all(n.getTypeBound())).with(all(n.getAnnotations()));
            return v.says(n.getNameAsString());
        }
        if (node instanceof MarkerAnnotationExpr) {
            return v.with(annotationName(((MarkerAnnotationExpr) node).getName()));
        }
        if (node instanceof SingleMemberAnnotationExpr) {
            SingleMemberAnnotationExpr n = (SingleMemberAnnotationExpr) node;
            return v.with(annotationName(n.getName()), view(n.getMemberValue()));
        }
        if (node instanceof NormalAnnotationExpr) {
            NormalAnnotationExpr n = (NormalAnnotationExpr) node;
            return v.with(annotationName(n.getName())).with(all(n.getPairs()));
        }
        if (node instanceof MemberValuePair) return v.with(view(((MemberValuePair) node).getValue()));
        if (node instanceof ClassOrInterfaceType) return type((ClassOrInterfaceType) node);
        if (node instanceof ArrayType) {
            return new View("ArrayType", null).with(view(((ArrayType) node).getComponentType()));
        }
        if (node instanceof WildcardType) {
            WildcardType n = (WildcardType) node;
            v.with(maybe(n.getExtendedType())).with(maybe(n.getSuperType()));
            return v.with(all(n.getAnnotations())).says("?");
        }
        if (node instanceof UnionType) {
            return new View("UnionType", null).with(all(((UnionType) node).getElements()));
        }
        if (node instanceof VarType) return plain(node, "ClassOrInterfaceType").says("var");
        if (node instanceof Type) {
            return v.with(all(((Type) node).getAnnotations())).says(node.toString());
        }
        if (node instanceof Statement || node instanceof CatchClause || node instanceof SwitchEntry) {
            return statement(node, v);
        }
        if (node instanceof Expression) return expression((Expression) node, v);
        if (node instanceof ArrayCreationLevel) {
            ArrayCreationLevel n = (ArrayCreationLevel) node;
            return v.with(maybe(n.getDimension())).with(all(n.getAnnotations())).says("[]");
        }
        throw new IllegalStateException(node.getClass().getSimpleName());
    }

    static View statement(Node node, View v) {
        if (node instanceof BlockStmt) return v.with(all(((BlockStmt) node).getStatements()));
        if (node instanceof ExpressionStmt) return v.with(view(((ExpressionStmt) node).getExpression()));
        if (node instanceof LocalClassDeclarationStmt) {
            View type = view(((LocalClassDeclarationStmt) node).getClassDeclaration());
            return plain(node, "TypeDeclarationStmt").with(type);
        }
        if (node instanceof IfStmt) {
            IfStmt n = (IfStmt) node;
            return v.with(view(n.getCondition()), view(n.getThenStmt())).with(maybe(n.getElseStmt()));
        }
        if (node instanceof WhileStmt) {
            return v.with(view(((WhileStmt) node).getCondition()), view(((WhileStmt) node).getBody()));
        }
        if (node instanceof DoStmt) {
            return v.with(view(((DoStmt) node).getBody()), view(((DoStmt) node).getCondition()));
        }
        if (node instanceof ForStmt) {
            ForStmt n = (ForStmt) node;
            v.with(maybe(n.getCompare())).with(all(n.getInitialization()));
            return v.with(all(n.getUpdate())).with(view(n.getBody()));
        }
        if (node instanceof ForEachStmt) {
            ForEachStmt n = (ForEachStmt) node;
            View each = plain(node, "ForeachStmt").with(view(n.getVariable()));
            return each.with(view(n.getIterable()), view(n.getBody()));
        }
        if (node instanceof SwitchStmt) {
            return v.with(view(((SwitchStmt) node).getSelector())).with(all(((SwitchStmt) node).getEntries()));
        }
        if (node instanceof SwitchEntry) {
            SwitchEntry n = (SwitchEntry) node;
            return plain(node, "SwitchEntryStmt").with(all(n.getLabels())).with(all(n.getStatements()));
        }
        if (node instanceof TryStmt) {
            TryStmt n = (TryStmt) node;
            v.with(all(n.getResources())).with(view(n.getTryBlock()));
            return v.with(all(n.getCatchClauses())).with(maybe(n.getFinallyBlock()));
        }
        if (node instanceof CatchClause) {
            CatchClause n = (CatchClause) node;
            return v.with(parameter(n.getParameter(), null), view(n.getBody()));
        }
        if (node instanceof SynchronizedStmt) {
            SynchronizedStmt n = (SynchronizedStmt) node;
            return v.with(view(n.getExpression()), view(n.getBody()));
        }
        if (node instanceof ReturnStmt) return v.with(maybe(((ReturnStmt) node).getExpression()));
        if (node instanceof ThrowStmt) return v.with(view(((ThrowStmt) node).getExpression()));
        if (node instanceof YieldStmt) return v.with(view(((YieldStmt) node).getExpression()));
        if (node instanceof LabeledStmt) return v.with(view(((LabeledStmt) node).getStatement()));
        if (node instanceof AssertStmt) {
            return v.with(view(((AssertStmt) node).getCheck())).with(maybe(((AssertStmt) node).getMessage()));
        }
        if (node instanceof ExplicitConstructorInvocationStmt) {
            ExplicitConstructorInvocationStmt n = (ExplicitConstructorInvocationStmt) node;
            v.with(all(n.getTypeArguments())).with(maybe(n.getExpression()));
            return v.with(all(n.getArguments()));
        }
        return v; // break, continue, empty
    }

    static View expression(Expression node, View v) {
        if (node instanceof NameExpr) return v.says(((NameExpr) node).getNameAsString());
        if (node instanceof ThisExpr) return scope(node, "ThisExpr", ((ThisExpr) node).getTypeName());
        if (node instanceof SuperExpr) return scope(node, "SuperExpr", ((SuperExpr) node).getTypeName());
        if (node instanceof LiteralExpr) {
            String text = node.getTokenRange().get().getBegin().getText();
            return v.says(text);
        }
        if (node instanceof BinaryExpr) {
            BinaryExpr n = (BinaryExpr) node;
            View view = operator(node, "BinaryExpr", n.getOperator(), BINARY);
            return view.with(view(n.getLeft()), view(n.getRight()));
        }
        if (node instanceof AssignExpr) {
            AssignExpr n = (AssignExpr) node;
            View view = operator(node, "AssignExpr", n.getOperator(), ASSIGN);
            return view.with(view(n.getTarget()), view(n.getValue()));
        }
        if (node instanceof UnaryExpr) return unary((UnaryExpr) node);
        if (node instanceof ConditionalExpr) {
            ConditionalExpr n = (ConditionalExpr) node;
            v.with(view(n.getCondition()), view(n.getThenExpr()));
            return v.with(last(n.getElseExpr()));
        }
        if (node instanceof CastExpr) return cast((CastExpr) node);
        if (node instanceof InstanceOfExpr) {
            return v.with(view(((InstanceOfExpr) node).getExpression()), view(((InstanceOfExpr) node).getType()));
        }
        if (node instanceof EnclosedExpr) return v.with(view(((EnclosedExpr) node).getInner()));
        if (node instanceof LambdaExpr) {
            return v.with(all(((LambdaExpr) node).getParameters())).with(view(((LambdaExpr) node).getBody()));
        }
        if (node instanceof MethodCallExpr) {
            MethodCallExpr n = (MethodCallExpr) node;
            v.with(maybe(n.getScope())).with(all(n.getTypeArguments())).with(phantom());
            return v.with(all(n.getArguments())).with(name(n.getName()));
        }
        if (node instanceof FieldAccessExpr) {
            FieldAccessExpr n = (FieldAccessExpr) node;
            return v.with(view(n.getScope()), phantom(), name(n.getName()));
        }
        if (node instanceof ArrayAccessExpr) {
            return v.with(view(((ArrayAccessExpr) node).getName()), view(((ArrayAccessExpr) node).getIndex()));
        }
        if (node instanceof ObjectCreationExpr) {
            ObjectCreationExpr n = (ObjectCreationExpr) node;
            v.with(maybe(n.getScope())).with(view(n.getType())).with(all(n.getTypeArguments()));
            return v.with(all(n.getArguments())).with(all(n.getAnonymousClassBody()));
        }
        if (node instanceof ArrayCreationExpr) {
            ArrayCreationExpr n = (ArrayCreationExpr) node;
            for (ArrayCreationLevel level : n.getLevels()) {
                View inner = view(level);
                v.with(new View("ArrayCreationLevel", v.range).with(inner.children).says("[]"));
            }
            return v.with(view(n.getElementType())).with(maybe(n.getInitializer()));
        }
        if (node instanceof ArrayInitializerExpr) {
            return v.with(all(((ArrayInitializerExpr) node).getValues())).says("{}");
        }
        if (node instanceof ClassExpr) return v.with(view(((ClassExpr) node).getType()));
        if (node instanceof MethodReferenceExpr) {
            MethodReferenceExpr n = (MethodReferenceExpr) node;
            return v.with(view(n.getScope())).with(all(n.getTypeArguments()));
        }
        if (node instanceof TypeExpr) return v.with(view(((TypeExpr) node).getType()));
        if (node instanceof VariableDeclarationExpr) {
            VariableDeclarationExpr n = (VariableDeclarationExpr) node;
            return variables(n, "VariableDeclarationExpr", n.getAnnotations(), n.getVariables());
        }
        if (node instanceof SwitchExpr) {
            return v.with(view(((SwitchExpr) node).getSelector())).with(all(((SwitchExpr) node).getEntries()));
        }
        return view(node);
    }

    static void print(View view, int depth, int child, StringBuilder out) {
        out.append(depth).append('\t').append(view.kind).append('\t').append(child);
        if (view.children.isEmpty() && view.text != null) {
            out.append('\t').append(view.text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"));
        }
        out.append('\n');
        for (int i = 0; i < view.children.size(); i++) {
            View one = view.children.get(i);
            int first = i;
            for (int j = i - 1; j >= 0; j--) {
                if (Objects.equals(view.children.get(j).range, one.range)) first = j;
            }
            if (one.kind != null) print(one, depth + 1, first, out);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ParserConfiguration configuration = new ParserConfiguration();
        configuration.setLanguageLevel(ParserConfiguration.LanguageLevel.RAW);
        configuration.setAttributeComments(false);
        for (String file : Files.readAllLines(Path.of(arguments[0]))) {
            ParseResult<CompilationUnit> parsed = new JavaParser(configuration).parse(Path.of(file));
            if (!parsed.isSuccessful()) continue;
            StringBuilder out = new StringBuilder("= " + file + "\n");
            for (MethodDeclaration method : parsed.getResult().get().findAll(MethodDeclaration.class)) {
                if (!method.getBody().isPresent()) continue;
                out.append("- ").append(method.getNameAsString()).append('\n');
                print(view(method), 0, 0, out);
            }
            System.out.print(out);
        }
    }
}
