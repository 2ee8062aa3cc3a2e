package shapes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Classes of every kind: nested, inner, local, without a name, enums with bodies, records. */
public abstract class Shapes<S extends Shape> implements Iterable<S> {
    protected final List<S> all = new ArrayList<>();

    protected Shapes() {
        this(10);
    }

    protected Shapes(int size) {
        reserve(size);
    }

    abstract void reserve(int size);

    public S first() {
        return all.get(0);
    }

    @Override
    public Iterator<S> iterator() {
        return new Iterator<>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < count();
            }

            @Override
            public S next() {
                return all.get(at++);
            }

            private int count() {
                return all.size();
            }
        };
    }

    public class Cursor {
        private final Iterator<S> inner = iterator();

        public S take() {
            return inner.next();
        }

        class Deeper {
            S again() {
                return Cursor.this.take();
            }
        }
    }

    public interface Measured {
        double area();
    }

    public record Circle(double radius) implements Shape {
        public Circle {
            check(radius);
        }

        public Circle(double width, double height) {
            this(Math.min(width, height) / 2);
        }

        private static void check(double radius) {
            if (radius < 0) {
                throw new IllegalArgumentException(String.valueOf(radius));
            }
        }

        @Override
        public double area() {
            return Math.PI * radius() * radius;
        }
    }

    public static class Square implements Shape {
        protected final double side;

        public Square(double side) {
            this.side = side;
        }

        @Override
        public double area() {
            return side * side;
        }

        public Square scaled(double by) {
            return new Square(side * by);
        }
    }

    public static final class Named extends Square {
        private final Supplier<String> text;

        public Named(double side, Supplier<String> text) {
            super(side);
            this.text = text;
        }

        @Override
        public String name() {
            return text.get() + super.name();
        }

        @Override
        public Named scaled(double by) {
            return new Named(side * by, text::get);
        }
    }

    public enum Unit implements Measured {
        DOT {
            @Override
            public double area() {
                return 0;
            }
        },
        CELL(2) {
            @Override
            public String name_() {
                return super.name_() + factor();
            }
        },
        PLAIN(3);

        private final int factor;

        Unit() {
            this(1);
        }

        Unit(int factor) {
            this.factor = factor;
        }

        int factor() {
            return factor;
        }

        public String name_() {
            return toString().toLowerCase();
        }

        @Override
        public double area() {
            return factor;
        }
    }

    public static class Bag<T extends Shape> extends Shapes<T> {
        @Override
        void reserve(int size) {
            ((ArrayList<T>) all).ensureCapacity(size);
        }

        public Bag<T> with(T one) {
            all.add(one);
            return this;
        }

        public void each(Consumer<? super T> action) {
            for (T one : this) {
                action.accept(one);
            }
            all.forEach(action);
        }

        public T largest() {
            return Collections.max(all, (one, other) -> one.compareTo(other));
        }
    }
}
