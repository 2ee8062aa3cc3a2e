package hard.patterns;

import java.util.List;
import java.util.function.Predicate;

/** Patterns of Java 21: records taken apart, types and guards in switches. It compiles. */
class Patterns {
    sealed interface Shape permits Circle, Square, Pair {}

    record Circle(int radius) implements Shape {}

    record Square(int side, String name) implements Shape {}

    record Pair<A, B>(A left, B right) implements Shape {}

    enum Mode { ON, OFF }

    int side = 1, left = 2, text = 3;

    int instances(Object o, Object p) {
        if (o instanceof Square(int side, var name) && side > name.length()) {
            return side + this.side;
        }
        if (!(o instanceof Pair(Circle(var left), Square right))) {
            return left + side;
        }
        int sum = left + right.side() + right.side;
        while (!(p instanceof Circle(int text))) {
            p = o;
            sum += this.text;
        }
        sum += text;
        if (p instanceof Pair<?, ?>(Pair<?, ?>(var a, var b), Object c) && a == b || o == null) {
            sum++;
        } else if (o instanceof Square square && p instanceof Circle(int radius)) {
            sum += square.side + radius;
        } else {
            sum += side;
        }
        return sum;
    }

    int switches(Object o, Shape shape, Mode mode) {
        int radius = 5;
        int first = switch (shape) {
            case Circle c when c.radius() > radius -> c.radius;
            case Circle(int r) -> r + radius;
            case Square(int side, var name) when name.isEmpty() && side > 1 -> side;
            case Square s -> s.side + side;
            case Pair(Circle(var left), Circle(var right)) -> left + right;
            case Pair(var left, var right) -> left.hashCode() + right.hashCode();
        };
        switch (o) {
            case null -> first = left;
            case String text when text.length() > this.text -> first = text.length();
            case Integer i when i > 0 && o.equals(i) -> {
                int left = i;
                first = left;
            }
            case int[] many -> first = many.length;
            case Mode.ON -> first = text;
            case List<?> list -> {
                if (!(list.get(0) instanceof Square(int side, String text))) {
                    throw new IllegalStateException();
                }
                first = side + text.length();
            }
            default -> first = text;
        }
        switch (o) {
            case String s:
                int inside = s.length();
                first += inside;
                break;
            case Circle left when left.radius > 1:
                inside = left.radius;
                first += inside + text;
                break;
            default:
                inside = left;
                first += inside;
        }
        return first + switch (mode) {
            case ON -> side;
            case OFF -> {
                int side = left;
                yield side;
            }
        };
    }

    boolean lambdas(Object o) {
        Predicate<Object> even = x -> x instanceof Integer left && left % 2 == 0;
        Predicate<Object> odd = x -> !(x instanceof Integer left) || left % 2 == 1;
        if (o instanceof Circle(var side)) {
            side++;
        }
        while (!(o instanceof Square square)) {
            o = odd;
        }
        boolean both = square.side > 0 ? o instanceof Square left && left.side > 1 : left > 1;
        done:
        while (!(o instanceof Circle left)) {
            if (side > 0) {
                break done;
            }
        }
        return left > 0 && odd.test(o) && both;
    }
}
