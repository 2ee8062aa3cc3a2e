import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symtab;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.tree.EndPosTable;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Prints what javac takes each call in some files to mean.
 *
 * "= path" begins a file. A call is a tab-separated line: "c", position of its name, start of the
 * method it stands in (-1: none), the method it names as Class.name(types), where that is declared
 * ("file:start", "-" outside of the files, "?" in them but written by nobody), whether it is
 * abstract, whether the files and the platform's API show that the receiver has it, and two
 * numbers of sets. The first set holds the methods of the files that run when an object of any
 * instantiable class below the receiver's is called; the second, all of classes below it that
 * are not abstract and override the one named. A set is a line "s", number, its methods. What a
 * class inherits through one that is neither in the files nor in the API is not looked at.
 */
public class JavacCalls extends JavacAttribution {
    private final Map<Symbol, String> places = new HashMap<>();
    private final List<ClassSymbol> classes = new ArrayList<>();
    private final Set<Symbol> ours = new HashSet<>();
    private final Map<String, Integer> sets = new LinkedHashMap<>();
    private final Map<List<Object>, int[]> known = new HashMap<>();
    private final Map<Symbol, List<ClassSymbol>> subclasses = new HashMap<>();
    private final Map<Symbol, Set<Symbol>> ancestors = new HashMap<>();
    private Symbol object;

    public static void main(String[] arguments) throws Exception {
        new JavacCalls().run(arguments[0]);
    }

    @Override
    protected void print(List<JCTree.JCCompilationUnit> units) throws Exception {
        object = Symtab.instance(context).objectType.tsym;
        for (JCTree.JCCompilationUnit unit : units) {
            new Declarations(unit).scan(unit);
        }
        for (JCTree.JCCompilationUnit unit : units) {
            out.println("= " + Path.of(unit.getSourceFile().toUri()));
            new Calls(unit).scan(unit);
        }
        sets.forEach((text, number) -> out.println("s\t" + number + "\t" + text));
    }

    /** Where methods are declared, and all classes. */
    private final class Declarations extends TreeScanner {
        private final JCTree.JCCompilationUnit unit;
        private final String path;

        Declarations(JCTree.JCCompilationUnit unit) {
            this.unit = unit;
            this.path = Path.of(unit.getSourceFile().toUri()).toString();
        }

        @Override
        public void visitClassDef(JCTree.JCClassDecl tree) {
            if (tree.sym != null) {
                classes.add(tree.sym);
                ours.add(tree.sym);
            }
            super.visitClassDef(tree);
        }

        @Override
        public void visitMethodDef(JCTree.JCMethodDecl tree) {
            long made = Flags.GENERATEDCONSTR | Flags.GENERATED_MEMBER;
            if (tree.sym != null && ((tree.mods.flags | tree.sym.flags()) & made) == 0) {
                places.put(tree.sym, path + ":" + TreeInfo.getStartPos(tree));
            }
            super.visitMethodDef(tree);
        }
    }

    private final class Calls extends TreeScanner {
        private final EndPosTable ends;
        private final String source;
        private final Deque<Integer> methods = new ArrayDeque<>(List.of(-1));
        private final Deque<ClassSymbol> within = new ArrayDeque<>();
        private final Set<JCTree> constants = new HashSet<>();

        Calls(JCTree.JCCompilationUnit unit) throws Exception {
            this.ends = unit.endPositions;
            this.source = unit.getSourceFile().getCharContent(true).toString();
        }

        @Override
        public void visitClassDef(JCTree.JCClassDecl tree) {
            methods.push(-1);
            if (tree.sym != null) {
                within.push(tree.sym);
            }
            super.visitClassDef(tree);
            if (tree.sym != null) {
                within.pop();
            }
            methods.pop();
        }

        @Override
        public void visitMethodDef(JCTree.JCMethodDecl tree) {
            if ((tree.mods.flags & Flags.GENERATEDCONSTR) != 0) {
                return;
            }
            methods.push(TreeInfo.getStartPos(tree));
            super.visitMethodDef(tree);
            methods.pop();
        }

        @Override
        public void visitVarDef(JCTree.JCVariableDecl tree) {
            boolean constant = (tree.mods.flags & Flags.ENUM) != 0;
            if (constant && tree.init instanceof JCTree.JCNewClass made) {
                constants.add(made);
                print(tree.vartype.pos, tree.name.toString(), constructor(made), null);
            }
            super.visitVarDef(tree);
        }

        @Override
        public void visitApply(JCTree.JCMethodInvocation tree) {
            JCTree.JCExpression called = TreeInfo.skipParens(tree.meth);
            Symbol symbol = TreeInfo.symbol(called);
            if (symbol instanceof MethodSymbol method) {
                if (called instanceof JCTree.JCFieldAccess select) {
                    print(ends.getEndPos(select) - select.name.length(), select.name.toString(),
                        method, site(select.selected, method));
                } else if (called instanceof JCTree.JCIdent name) {
                    print(name.pos, name.name.toString(), method, enclosing(method));
                }
            }
            super.visitApply(tree);
        }

        @Override
        public void visitNewClass(JCTree.JCNewClass tree) {
            if (!constants.contains(tree)) {
                JCTree name = TreeInfo.skipParens(tree.clazz);
                while (!(name instanceof JCTree.JCIdent || name instanceof JCTree.JCFieldAccess)) {
                    name = name instanceof JCTree.JCTypeApply apply ? apply.clazz
                        : ((JCTree.JCAnnotatedType) name).underlyingType;
                }
                String text = TreeInfo.name(name).toString();
                print(ends.getEndPos(name) - text.length(), text, constructor(tree), null);
            }
            super.visitNewClass(tree);
        }

        @Override
        public void visitReference(JCTree.JCMemberReference tree) {
            if (tree.sym instanceof MethodSymbol method
                    && tree.expr.type.getTag() != TypeTag.ARRAY) {
                boolean made = method.isConstructor();
                String text = made ? "new" : tree.name.toString();
                print(ends.getEndPos(tree) - text.length(), text, method,
                    made ? null : site(tree.expr, method));
            }
            super.visitReference(tree);
        }

        /** Of a class without a name, the constructor that its own calls. */
        private MethodSymbol constructor(JCTree.JCNewClass tree) {
            if (tree.def == null) {
                return tree.constructor instanceof MethodSymbol found ? found : null;
            }
            for (JCTree member : tree.def.defs) {
                if (member instanceof JCTree.JCMethodDecl method && TreeInfo.isConstructor(method)) {
                    JCTree.JCMethodInvocation call = TreeInfo.firstConstructorCall(method);
                    return TreeInfo.symbol(call.meth) instanceof MethodSymbol found ? found : null;
                }
            }
            return null;
        }

        /** The type an object is known to have; null where nothing below it is called. */
        private Symbol site(JCTree.JCExpression receiver, MethodSymbol method) {
            Symbol symbol = TreeInfo.symbol(receiver);
            if (symbol != null && symbol.name == symbol.name.table.names._super) {
                return null;
            }
            Symbol type = types.erasure(types.skipTypeVars(receiver.type, false)).tsym;
            boolean known = type instanceof ClassSymbol && type.isSubClass(method.owner, types);
            return known ? type : method.owner;
        }

        /** The class whose object a method called by its mere name belongs to. */
        private Symbol enclosing(MethodSymbol method) {
            for (ClassSymbol one : within) {
                if (one.isSubClass(method.owner, types)) {
                    return one;
                }
            }
            return method.owner;
        }

        private void print(int at, String text, MethodSymbol method, Symbol site) {
            // What the compiler wrote stands nowhere in the source.
            if (method == null || at < 0 || !source.startsWith(text, at)) {
                return;
            }
            method = (MethodSymbol) method.baseSymbol();
            boolean runs = site == null || method.isStatic() || method.isConstructor()
                || (method.flags() & Flags.PRIVATE) != 0;
            int[] both = known.computeIfAbsent(
                runs ? List.of(method) : List.of(method, site), key -> reach((MethodSymbol) key.get(0),
                    key.size() > 1 ? (Symbol) key.get(1) : null));
            boolean inside = ours.contains(method.owner);
            out.println(String.join("\t", "c", Integer.toString(at),
                Integer.toString(methods.peek()), name(method),
                places.getOrDefault(method, inside ? "?" : "-"),
                Boolean.toString(isAbstract(method)),
                Boolean.toString(visible(method.owner)
                    && (site == null || seen(site).contains(method.owner))),
                Integer.toString(both[0]), Integer.toString(both[1])));
        }
    }

    private String name(MethodSymbol method) {
        StringBuilder text = new StringBuilder(method.owner.getQualifiedName());
        text.append('.').append(method.name).append('(');
        String comma = "";
        for (Type one : types.erasure(method.type).getParameterTypes()) {
            text.append(comma).append(one);
            comma = ",";
        }
        return text.append(')').toString();
    }

    private int[] reach(MethodSymbol method, Symbol site) {
        Set<String> running = new TreeSet<>();
        Set<String> overriding = new TreeSet<>();
        if (site == null) {
            add(method, running);
        } else {
            for (ClassSymbol one : below(site)) {
                boolean made = (one.flags() & (Flags.ABSTRACT | Flags.INTERFACE)) == 0;
                for (MethodSymbol found : implementations(method, one)) {
                    add(found, made ? running : overriding);
                }
                for (Symbol member : one.members().getSymbolsByName(method.name)) {
                    if (member instanceof MethodSymbol other && other.overrides(method, one, types, true)
                            && !isAbstract(other)) {
                        add(other, overriding);
                    }
                }
            }
        }
        overriding.addAll(running);
        return new int[] {number(running), number(overriding)};
    }

    /** What runs of a method for an object of a class: one, or a default of an interface. */
    private List<MethodSymbol> implementations(MethodSymbol method, ClassSymbol one) {
        MethodSymbol found = method.implementation(one, types, true);
        if (found != null && !isAbstract(found)) {
            return List.of(found);
        }
        List<MethodSymbol> defaults = new ArrayList<>(types.interfaceCandidates(one.type, method));
        defaults.removeIf(JavacCalls::isAbstract);
        return defaults;
    }

    private List<ClassSymbol> below(Symbol site) {
        return subclasses.computeIfAbsent(site, above -> {
            List<ClassSymbol> found = new ArrayList<>();
            for (ClassSymbol one : classes) {
                if (seen(one).contains(above)) {
                    found.add(one);
                }
            }
            return found;
        });
    }

    /** A class and what is above it, as far as the files and the platform's API show. */
    private Set<Symbol> seen(Symbol one) {
        Set<Symbol> found = ancestors.get(one);
        if (found == null) {
            found = new HashSet<>(Set.of(one));
            found.add(object);  // whatever it is
            ancestors.put(one, found);
            if (visible(one)) {
                for (Type above : types.directSupertypes(one.type)) {
                    found.addAll(seen(above.tsym));
                }
            }
        }
        return found;
    }

    /** javac calls default methods abstract, too. */
    private static boolean isAbstract(MethodSymbol method) {
        return (method.flags() & (Flags.ABSTRACT | Flags.DEFAULT)) == Flags.ABSTRACT;
    }

    private boolean visible(Symbol one) {
        if (ours.contains(one)) {
            return true;
        }
        Symbol.PackageSymbol inside = one.packge();
        if (inside.modle == null) {
            return true;  // the class of arrays
        }
        return inside.modle.name.toString().startsWith("java.")
            && inside.modle.exports.stream().anyMatch(
                given -> given.packge == inside && given.modules == null);
    }

    private void add(MethodSymbol method, Set<String> found) {
        String place = places.get(method);
        if (place != null) {
            found.add(place);
        }
    }

    private int number(Set<String> found) {
        return sets.computeIfAbsent(String.join("\t", found), text -> sets.size());
    }
}
