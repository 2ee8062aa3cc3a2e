package quill.eval;

import java.util.List;
import quill.syntax.Expr;
import quill.syntax.Operator;
import quill.value.FunctionValue;
import quill.value.ListValue;
import quill.value.NumberValue;
import quill.value.TextValue;
import quill.value.Value;

/** Computes the values of expressions in a scope. */
public class Evaluator implements Expr.Walker<Value> {
    static final int MAX_DEPTH = 200;

    /** A function with the scope it was made in. */
    final class Closure extends FunctionValue {
        private final Expr.Function function;

        Closure(String name, Expr.Function function) {
            super(name);
            this.function = function;
        }

        /**
         * Evaluates the body in a new scope with the arguments in it.
         *
         * @throws EvaluationException if their number is wrong or calls are nested too deeply
         */
        @Override
        public Value call(List<Value> arguments) {
            List<String> parameters = function.parameters();
            if (arguments.size() != parameters.size()) {
                throw new EvaluationException(
                        name() + " takes " + parameters.size() + ", not " + arguments.size());
            }
            Scope inner = new Scope(scope);
            for (int i = 0; i < parameters.size(); i++) {
                inner.define(parameters.get(i), arguments.get(i));
            }
            try {
                if (++running[0] > MAX_DEPTH) {
                    throw new EvaluationException("too many calls within calls");
                }
                return new Evaluator(inner, running).walk(function.body());
            } finally {
                running[0]--;
            }
        }
    }

    private final Scope scope;
    private final int[] running;

    public Evaluator(Scope scope) {
        this(scope, new int[1]);
    }

    /** An evaluator inside another one; both count calls in the same place. */
    private Evaluator(Scope scope, int[] running) {
        this.scope = scope;
        this.running = running;
    }

    @Override
    public Value constant(Expr.Constant constant) {
        return Value.of(constant.value());
    }

    /** {@inheritDoc} A name that nobody defined is an error, with a guess what was meant. */
    @Override
    public Value name(Expr.Name name) {
        Value value = scope.lookup(name.text());
        if (value != null) {
            return value;
        }
        String guess = scope.suggest(name.text());
        String hint = guess == null ? "" : "; did you mean " + guess + "?";
        throw new EvaluationException(name.offset(), "no " + name.text() + " here" + hint);
    }

    @Override
    public Value negation(Expr.Negation negation) {
        Value value = walk(negation.operand());
        if (negation.logical()) {
            return Value.of(!value.isTrue());
        }
        if (!(value instanceof NumberValue number)) {
            throw new EvaluationException(negation.offset(), "cannot negate " + value.show());
        }
        return Value.of(-number.number());
    }

    /** {@inheritDoc} The right side of {@code &} and {@code |} is looked at only if it matters. */
    @Override
    public Value binary(Expr.Binary binary) {
        Value left = walk(binary.left());
        switch (binary.operator()) {
            case AND:
                return left.isTrue() ? walk(binary.right()) : left;
            case OR:
                return left.isTrue() ? left : walk(binary.right());
            default:
                break;
        }
        Value right = walk(binary.right());
        Value result = combine(binary.operator(), left, right);
        if (result == null) {
            String sign = binary.operator().sign();
            throw new EvaluationException(
                    binary.offset(), "no " + left.show() + " " + sign + " " + right.show());
        }
        return result;
    }

    /** Applies an operator; {@code null} if it does not fit its operands. */
    static Value combine(Operator operator, Value left, Value right) {
        if (left instanceof NumberValue a && right instanceof NumberValue b) {
            double result = operator.apply(a.number(), b.number());
            return operator.isComparison() ? Value.of(result != 0) : Value.of(result);
        }
        if (operator.isComparison()) {
            return Value.of(operator.apply(left.compareTo(right), 0) == 1);
        }
        if (operator == Operator.ADD) {
            if (left instanceof ListValue a && right instanceof ListValue b) {
                return a.concat(b);
            }
            if (left instanceof TextValue || right instanceof TextValue) {
                return Value.of(left.toString() + right);
            }
        } else if (operator == Operator.MULTIPLY
                && left instanceof TextValue
                && right instanceof NumberValue times
                && times.number() >= 0) {
            return Value.of(left.toString().repeat((int) times.number()));
        }
        return null;
    }

    /** {@inheritDoc} Only the branch that is taken is evaluated. */
    @Override
    public Value choice(Expr.Choice choice) {
        return walk(choice.condition()).isTrue() ? walk(choice.yes()) : walk(choice.no());
    }

    @Override
    public Value list(Expr.ListOf list) {
        return new ListValue(walkAll(list.items()));
    }

    /** {@inheritDoc} Complaints from inside are given a place. */
    @Override
    public Value call(Expr.Call call) {
        Value callee = walk(call.function());
        if (!(callee instanceof FunctionValue function)) {
            throw new EvaluationException(call.offset(), callee.show() + " is no function");
        }
        try {
            return function.call(walkAll(call.arguments()));
        } catch (EvaluationException problem) {
            throw problem.at(call.offset());
        } catch (ArithmeticException | ClassCastException problem) {
            throw new EvaluationException(call.offset(), problem.getMessage());
        }
    }

    @Override
    public Value function(Expr.Function function) {
        return closure("(" + String.join(" ", function.parameters()) + ")", function);
    }

    /** Makes a function that remembers this evaluator's scope. */
    Closure closure(String name, Expr.Function function) {
        return new Closure(name, function);
    }
}
