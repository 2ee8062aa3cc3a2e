import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.tree.EndPosTable;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import java.nio.file.Path;
import java.util.List;

/**
 * Prints the erased type that javac gives to each expression of some files.
 *
 * "= path" begins a file. An expression is a tab-separated line: "s" if it is the selector of a
 * switch, else "x"; its start and end; its erased type; what kind of type that is.
 */
public class JavacTypes extends JavacAttribution {

    public static void main(String[] arguments) throws Exception {
        new JavacTypes().run(arguments[0]);
    }

    @Override
    protected void print(List<JCTree.JCCompilationUnit> units) throws Exception {
        for (JCTree.JCCompilationUnit unit : units) {
            out.println("= " + Path.of(unit.getSourceFile().toUri()));
            new Expressions(unit).scan(unit);
        }
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
