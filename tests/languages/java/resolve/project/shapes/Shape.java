package shapes;

import java.util.Comparator;
import java.util.function.Function;

public interface Shape {
    double area();

    default String name() {
        return label(getClass().getSimpleName());
    }

    static String label(String text) {
        return text.toLowerCase();
    }

    default int compareTo(Shape other) {
        return Double.compare(area(), other.area());
    }

    static <T extends Shape, K extends Comparable<K>> Comparator<T> by(Function<T, K> key) {
        return (one, other) -> key.apply(one).compareTo(key.apply(other));
    }
}
