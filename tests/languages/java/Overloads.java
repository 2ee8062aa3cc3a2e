package hard.overloads;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Methods of one name, and which of them a call means; type variables. It compiles. */
class Overloads extends Parent<String> {
    static final int LEVEL = 1;
    int[] length = new int[LEVEL];
    Overloads next;

    interface Shape {
        double area();
    }

    record Point(int x, int y) implements Shape {
        public double area() {
            return x() * y();
        }
    }

    enum Mode {
        ON, OFF;

        static Mode valueOf(int n) {
            return n > 0 ? valueOf("ON") : values()[n].self(Mode.valueOf("OFF"));
        }

        Mode self(Mode other) {
            return other.self(this);
        }
    }

    void over(int a) {}

    void over(long a) {}

    void over(double a) {}

    void over(Integer a) {}

    void over(String a) {}

    void over(Object a) {}

    void over(char a, Object b) {}

    void over(int a, String b) {}

    void over(Object... all) {}

    void over(Shape s, Runnable r) {}

    void over(int[] a) {}

    void calls(byte b, char c, float f, Integer boxed, Point point, String text) {
        over(1);
        over(1L);
        over(1.5);
        over('c');
        over(b);
        over(f);
        over(boxed);
        over("a" + b);
        over(text);
        over(point);
        over(this);
        over(new int[] {1});
        over(c, boxed);
        over(1, "b");
        over(point, () -> {});
        over(1, 2, 3);
        over((Object) text);
        over((long) b);
        over(b + c);
        over(b > c ? 1 : 2);
        this.over(length);
        over((c) + 1);
        over(() -> text);
        next.over(LEVEL);
        next.next.over(next.length.length);
        this.next.over(-b);
        super.over(c);
        generic(text);
        generic(point);
        generic(null, text);
        several("a", "b");
        several("a");
        several(new String[0]);
        hidden(1);
        hidden(text);
    }

    void over(Supplier<String> s) {}

    <T> void generic(T t) {}

    <T extends Shape> void generic(List<T> list, String text) {}

    void several(String first) {}

    void several(String... all) {}

    @Override
    void hidden(String text) {}

    // Type variables hide types, and are hidden.
    <Shape, Point extends List<Shape>> Shape types(Point point, Shape base, Class<? super Shape> c) {
        Shape local = base;
        List<Map.Entry<String, Shape>> list = new ArrayList<>();
        return point.isEmpty() ? local : (Shape) list.get(0).getValue();
    }

    static class Generic<E, Mode> {
        E element;
        Mode mode;
        Generic<E, Mode>.Part part = new Part();

        class Part {
            E element = Generic.this.element;
            Mode Mode = mode;
        }

        <E> E other(E element, Part part) {
            Generic<E, E>.Part x = null;
            return part.element == this.element && x.element == element ? element : null;
        }
    }

    // The outer method is not meant where the inner class has one of the name.
    class Inner {
        void over(boolean only) {
            over(only);
            Overloads.this.over(1);
            several("a");
        }
    }
}

class Parent<E> {
    void over(char c) {}

    void hidden(E e) {}

    void hidden(int n) {}

    private void generic(int n) {}
}
