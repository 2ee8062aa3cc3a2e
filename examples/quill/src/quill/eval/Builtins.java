package quill.eval;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import quill.value.FunctionValue;
import quill.value.Kind;
import quill.value.ListValue;
import quill.value.NumberValue;
import quill.value.Value;

/** The functions every program begins with. */
public final class Builtins {
    /** A function of the host, with the kinds of arguments it takes. */
    private static final class Native extends FunctionValue {
        private final int[] wanted;
        private final Function<List<Value>, Value> body;

        Native(String name, int[] wanted, Function<List<Value>, Value> body) {
            super(name);
            this.wanted = wanted;
            this.body = body;
        }

        /** Checks number and kinds of the arguments before it calls the host. */
        @Override
        public Value call(List<Value> arguments) {
            if (arguments.size() != wanted.length) {
                throw new EvaluationException(
                        name() + " takes " + wanted.length + ", not " + arguments.size());
            }
            for (int i = 0; i < wanted.length; i++) {
                Kind kind = arguments.get(i).kind();
                if (!kind.in(wanted[i])) {
                    throw new EvaluationException(
                            name() + " wants " + Kind.describe(wanted[i]) + ", not " + kind);
                }
            }
            return body.apply(arguments);
        }
    }

    private static final int NUMBER = Kind.NUMBER.bit();
    private static final int LIST = Kind.LIST.bit();
    private static final int FUNCTION = Kind.FUNCTION.bit();

    private final Scope scope;

    private Builtins(Scope scope) {
        this.scope = scope;
    }

    /** Makes a scope with all built-in functions. */
    public static Scope scope() {
        var builtins = new Builtins(new Scope());
        builtins.defineNumbers();
        builtins.defineLists();
        return builtins.scope;
    }

    /** Functions of numbers, and of values of any kind. */
    private void defineNumbers() {
        define("sqrt", Math::sqrt);
        define("abs", Math::abs);
        define("round", Math::rint);
        define("max", (a, b) -> a.compareTo(b) >= 0 ? a : b);
        define("min", (a, b) -> a.compareTo(b) <= 0 ? a : b);
        define("gcd", a -> Value.of(gcd(whole(a.get(0)), whole(a.get(1)))), NUMBER, NUMBER);
        define("bits", a -> Value.of(countBits(whole(a.get(0)))), NUMBER);
        define("isEven", a -> Value.of(isEven(Math.abs(whole(a.get(0))))), NUMBER);
        define("kind", a -> Value.of(a.get(0).kind().name().toLowerCase()), Kind.ANY);
    }

    /** Functions of lists. */
    private void defineLists() {
        define("range", a -> range(whole(a.get(0)), whole(a.get(1))), NUMBER, NUMBER);
        define("size", a -> Value.of(((ListValue) a.get(0)).size()), LIST);
        define("sort", a -> ((ListValue) a.get(0)).sorted(), LIST);
        define("reverse", a -> ((ListValue) a.get(0)).reversed(), LIST);
        define("map", a -> map((ListValue) a.get(0), (FunctionValue) a.get(1)), LIST, FUNCTION);
        define("keep", a -> filter((ListValue) a.get(0), (FunctionValue) a.get(1)), LIST, FUNCTION);
        define(
                "fold",
                a -> fold((ListValue) a.get(0), a.get(1), (FunctionValue) a.get(2)),
                LIST,
                Kind.except(FUNCTION),
                FUNCTION);
        define(
                "at",
                a -> {
                    Value item = ((ListValue) a.get(0)).get((int) whole(a.get(1)));
                    return item == null ? Value.of((Object) null) : item;
                },
                LIST,
                NUMBER);
    }

    /**
     * Defines a function.
     *
     * @param body what it does with its arguments
     * @param wanted a mask of kinds for each argument
     */
    private void define(String name, Function<List<Value>, Value> body, int... wanted) {
        scope.define(name, new Native(name, wanted, body));
    }

    /** Defines a function of one number. */
    private void define(String name, DoubleUnaryOperator body) {
        define(name, a -> Value.of(body.applyAsDouble(((NumberValue) a.get(0)).number())), NUMBER);
    }

    /** Defines a function that picks one of two values of any kind. */
    private void define(String name, BinaryOperator<Value> body) {
        define(name, a -> body.apply(a.get(0), a.get(1)), Kind.ANY, Kind.ANY);
    }

    /**
     * The whole number in a value.
     *
     * @throws ArithmeticException if there is a fraction
     */
    static long whole(Value value) {
        double number = ((NumberValue) value).number();
        long whole = (long) number;
        if (whole != number) {
            throw new ArithmeticException(value.show() + " is not whole");
        }
        return whole;
    }

    /** The greatest number that divides both, by Euclid's method. */
    static long gcd(long a, long b) {
        return b == 0 ? Math.abs(a) : gcd(b, a % b);
    }

    /** Counts the ones in the binary form of a number. */
    static int countBits(long number) {
        int count = 0;
        while (number != 0) {
            count += (int) (number & 1);
            number >>>= 1;
        }
        return count;
    }

    /** Tells whether a number is even: zero is, and so is whatever follows an odd one. */
    static boolean isEven(long number) {
        return number == 0 || isOdd((number - 1) % 64);
    }

    static boolean isOdd(long number) {
        return number != 0 && isEven((number - 1) % 64);
    }

    /** The whole numbers from one to another, both included; backwards if the second is less. */
    static ListValue range(long from, long to) {
        List<Value> items = new ArrayList<>();
        long step = from <= to ? 1 : -1;
        for (long i = from; i != to + step; i += step) {
            items.add(Value.of(i));
        }
        return new ListValue(items);
    }

    /** Calls a function with each item and lists the results. */
    static ListValue map(ListValue list, FunctionValue function) {
        List<Value> mapped = new ArrayList<>(list.size());
        for (Value item : list) {
            mapped.add(function.call(item));
        }
        return new ListValue(mapped);
    }

    /** Keeps the items for which a function is true. */
    static ListValue filter(ListValue list, FunctionValue wanted) {
        List<Value> kept = new ArrayList<>();
        list.forEach(
                item -> {
                    if (wanted.call(item).isTrue()) {
                        kept.add(item);
                    }
                });
        return new ListValue(kept);
    }

    /** Combines all items into one value, from the left. */
    static Value fold(ListValue list, Value start, FunctionValue combine) {
        Value result = start;
        for (int i = 0; i < list.size(); i++) {
            result = combine.call(result, list.get(i));
        }
        return result;
    }
}
