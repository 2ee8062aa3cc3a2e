package quill.syntax;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Finds the names an expression takes from outside. */
public class FreeNames implements Expr.Walker<Void> {
    private final Set<String> found = new TreeSet<>();
    private final Deque<List<String>> bound = new ArrayDeque<>();

    /**
     * Lists the free names of an expression.
     *
     * @return the names in alphabetical order; the parameters of its functions are not among them
     */
    public static Set<String> of(Expr expr) {
        var names = new FreeNames();
        names.walk(expr);
        return Collections.unmodifiableSet(names.found);
    }

    @Override
    public Void constant(Expr.Constant constant) {
        return null;
    }

    /** Notes a name, unless a function around it has a parameter of that name. */
    @Override
    public Void name(Expr.Name name) {
        for (List<String> parameters : bound) {
            if (parameters.contains(name.text())) {
                return null;
            }
        }
        found.add(name.text());
        return null;
    }

    @Override
    public Void negation(Expr.Negation negation) {
        return walk(negation.operand());
    }

    @Override
    public Void binary(Expr.Binary binary) {
        walk(binary.left());
        return walk(binary.right());
    }

    @Override
    public Void choice(Expr.Choice choice) {
        walk(choice.condition());
        walk(choice.yes());
        return walk(choice.no());
    }

    @Override
    public Void list(Expr.ListOf list) {
        walkAll(list.items());
        return null;
    }

    @Override
    public Void call(Expr.Call call) {
        walk(call.function());
        walkAll(call.arguments());
        return null;
    }

    /** Looks into the body while the parameters are bound. */
    @Override
    public Void function(Expr.Function function) {
        bound.push(function.parameters());
        try {
            return walk(function.body());
        } finally {
            bound.pop();
        }
    }
}
