package quill.eval;

import quill.syntax.Expr;
import quill.syntax.Operator;

/** Does as much of the work as possible before the program runs. */
public class Simplifier implements Expr.Walker<Expr> {
    private int steps;

    /** How many simplifications were made so far. */
    public int steps() {
        return steps;
    }

    @Override
    public Expr constant(Expr.Constant constant) {
        return constant;
    }

    @Override
    public Expr name(Expr.Name name) {
        return name;
    }

    /** {@inheritDoc} A sign before a constant becomes part of it; two signs cancel out. */
    @Override
    public Expr negation(Expr.Negation negation) {
        Expr operand = walk(negation.operand());
        if (operand instanceof Expr.Negation inner
                && !inner.logical()
                && !negation.logical()
                && givesNumber(inner.operand())) {
            return replace(inner.operand());
        }
        if (operand instanceof Expr.Constant constant) {
            if (!negation.logical() && constant.value() instanceof Double number) {
                return replace(new Expr.Constant(negation.offset(), -number));
            }
            if (negation.logical() && constant.value() instanceof Boolean truth) {
                return replace(new Expr.Constant(negation.offset(), !truth));
            }
        }
        return new Expr.Negation(negation.offset(), negation.logical(), operand);
    }

    /** {@inheritDoc} Constants are computed, except where that would hide an error. */
    @Override
    public Expr binary(Expr.Binary binary) {
        Expr left = walk(binary.left());
        Expr right = walk(binary.right());
        Operator operator = binary.operator();
        if (left instanceof Expr.Constant a && right instanceof Expr.Constant b) {
            boolean numbers = a.isNumber() && b.isNumber();
            if (numbers && operator != Operator.AND && operator != Operator.OR) {
                double result = operator.apply((Double) a.value(), (Double) b.value());
                Object value = operator.isComparison() ? (Object) (result != 0) : (Object) result;
                return replace(new Expr.Constant(binary.offset(), value));
            }
        }
        Expr simpler = withNeutral(operator, left, right);
        if (simpler == null && left instanceof Expr.Constant && !(right instanceof Expr.Constant)) {
            // 1 < x reads better as x > 1.
            simpler = binary.with(left, right).mirrored();
        }
        return simpler != null ? replace(simpler) : binary.with(left, right);
    }

    /** Tells whether an expression, if it has a value at all, has a number. */
    private static boolean givesNumber(Expr expr) {
        if (expr instanceof Expr.Binary binary) {
            return binary.operator().givesNumber();
        }
        return expr instanceof Expr.Negation negation && !negation.logical();
    }

    /**
     * Drops an operand that changes nothing: a difference of zero, a factor or power of one.
     *
     * @return what is left, or {@code null} if both operands matter
     */
    static Expr withNeutral(Operator operator, Expr left, Expr right) {
        if (!(right instanceof Expr.Constant constant)) {
            return null;
        }
        double neutral;
        switch (operator) {
            case SUBTRACT:
                neutral = 0;
                break;
            case MULTIPLY:
            case DIVIDE:
            case POWER:
                neutral = 1;
                break;
            default:
                return null;
        }
        // Without the operator, nobody would complain about an operand that is not a number.
        return constant.is(neutral) && givesNumber(left) ? left : null;
    }

    /** {@inheritDoc} If the condition is known, so is the branch. */
    @Override
    public Expr choice(Expr.Choice choice) {
        Expr condition = walk(choice.condition());
        if (condition instanceof Expr.Constant constant
                && constant.value() instanceof Boolean holds) {
            return replace(walk(holds ? choice.yes() : choice.no()));
        }
        return new Expr.Choice(choice.offset(), condition, walk(choice.yes()), walk(choice.no()));
    }

    @Override
    public Expr list(Expr.ListOf list) {
        return new Expr.ListOf(list.offset(), walkAll(list.items()));
    }

    @Override
    public Expr call(Expr.Call call) {
        return new Expr.Call(walk(call.function()), walkAll(call.arguments()));
    }

    @Override
    public Expr function(Expr.Function function) {
        return new Expr.Function(function.offset(), function.parameters(), walk(function.body()));
    }

    /** Counts a step and passes its result on. */
    private <E extends Expr> E replace(E simpler) {
        steps++;
        return simpler;
    }
}
