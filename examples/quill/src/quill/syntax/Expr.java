package quill.syntax;

import java.util.ArrayList;
import java.util.List;

/** An expression: every shape it can have is listed here, and nowhere else. */
public sealed interface Expr {
    /** Where it begins in the source. */
    int offset();

    <R> R accept(Walker<R> walker);

    /** A value that stands in the program itself. */
    record Constant(int offset, Object value) implements Expr {
        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.constant(this);
        }

        /** Tells whether this is a number, and not a text or a truth. */
        public boolean isNumber() {
            return value instanceof Double;
        }

        /** Tells whether this is one certain number. */
        public boolean is(double number) {
            return value instanceof Double mine && mine == number;
        }
    }

    /** A name, whatever it means. */
    record Name(int offset, String text) implements Expr {
        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.name(this);
        }
    }

    /** Minus or not. */
    record Negation(int offset, boolean logical, Expr operand) implements Expr {
        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.negation(this);
        }
    }

    /** Two operands with an operator between them. */
    record Binary(Operator operator, Expr left, Expr right) implements Expr {
        @Override
        public int offset() {
            return left.offset();
        }

        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.binary(this);
        }

        /** The same operator on other operands; this very node if they are the same. */
        public Binary with(Expr newLeft, Expr newRight) {
            boolean same = newLeft == left && newRight == right;
            return same ? this : new Binary(operator, newLeft, newRight);
        }

        /** The same comparison, read from right to left; {@code null} if this is none. */
        public Binary mirrored() {
            Operator turned = operator.mirrored();
            return turned == null ? null : new Binary(turned, right, left);
        }
    }

    /** If, then, else. */
    record Choice(int offset, Expr condition, Expr yes, Expr no) implements Expr {
        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.choice(this);
        }
    }

    /** Expressions between square brackets. */
    record ListOf(int offset, List<Expr> items) implements Expr {
        public ListOf {
            items = List.copyOf(items);
        }

        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.list(this);
        }
    }

    /** A function and what it is called with. */
    record Call(Expr function, List<Expr> arguments) implements Expr {
        public Call {
            arguments = List.copyOf(arguments);
        }

        /** A call with arguments that are at hand. */
        public Call(Expr function, Expr... arguments) {
            this(function, List.of(arguments));
        }

        @Override
        public int offset() {
            return function.offset();
        }

        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.call(this);
        }
    }

    /** A function without a name. */
    record Function(int offset, List<String> parameters, Expr body) implements Expr {
        public Function {
            parameters = List.copyOf(parameters);
        }

        @Override
        public <R> R accept(Walker<R> walker) {
            return walker.function(this);
        }
    }

    /**
     * Something that has an answer for every shape of expression.
     *
     * @param <R> the answer
     */
    interface Walker<R> {
        R constant(Constant constant);

        R name(Name name);

        R negation(Negation negation);

        R binary(Binary binary);

        R choice(Choice choice);

        R list(ListOf list);

        R call(Call call);

        R function(Function function);

        /** The answer for any expression. */
        default R walk(Expr expr) {
            return expr.accept(this);
        }

        /** The answers for several expressions, in order. */
        default List<R> walkAll(Iterable<? extends Expr> exprs) {
            List<R> answers = new ArrayList<>();
            for (Expr expr : exprs) {
                answers.add(walk(expr));
            }
            return answers;
        }
    }
}
