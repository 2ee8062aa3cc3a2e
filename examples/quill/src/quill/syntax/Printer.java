package quill.syntax;

import java.util.Objects;
import quill.text.Strings;

/** Writes expressions as programs do, with no more parentheses than they need. */
public class Printer implements Expr.Walker<String> {
    private static final int TIGHTEST = Integer.MAX_VALUE;

    /** {@inheritDoc} Texts get their quotes and escapes back. */
    @Override
    public String constant(Expr.Constant constant) {
        Object value = constant.value();
        if (value instanceof Double number) {
            return Strings.number(number);
        } else if (value instanceof String text) {
            return Strings.quote(text);
        }
        return Objects.toString(value, "nothing");
    }

    @Override
    public String name(Expr.Name name) {
        return name.text();
    }

    @Override
    public String negation(Expr.Negation negation) {
        return (negation.logical() ? "not " : "-") + tight(negation.operand());
    }

    /** {@inheritDoc} One side may repeat the operator without parentheses, the other may not. */
    @Override
    public String binary(Expr.Binary binary) {
        Operator operator = binary.operator();
        boolean toTheRight = operator.bindsToTheRight();
        String left = operand(binary.left(), operator.precedence() + (toTheRight ? 1 : 0));
        String right = operand(binary.right(), operator.precedence() + (toTheRight ? 0 : 1));
        return left + " " + operator.sign() + " " + right;
    }

    @Override
    public String choice(Expr.Choice choice) {
        return "if " + walk(choice.condition())
                + " then " + walk(choice.yes())
                + " else " + walk(choice.no());
    }

    @Override
    public String list(Expr.ListOf list) {
        return "[" + Strings.commas(walkAll(list.items())) + "]";
    }

    @Override
    public String call(Expr.Call call) {
        return tight(call.function()) + "(" + Strings.commas(walkAll(call.arguments())) + ")";
    }

    @Override
    public String function(Expr.Function function) {
        return "fn(" + Strings.commas(function.parameters()) + ") => " + walk(function.body());
    }

    /** An operand, in parentheses if it binds less tightly than its place needs. */
    private String operand(Expr expr, int least) {
        boolean loose;
        if (expr instanceof Expr.Binary inner) {
            loose = inner.operator().precedence() < least;
        } else {
            boolean prefix = expr instanceof Expr.Negation && least == TIGHTEST;
            loose = prefix || expr instanceof Expr.Choice || expr instanceof Expr.Function;
        }
        return loose ? "(" + walk(expr) + ")" : walk(expr);
    }

    /** An operand that stands where nothing loose may. */
    private String tight(Expr expr) {
        return operand(expr, TIGHTEST);
    }
}
