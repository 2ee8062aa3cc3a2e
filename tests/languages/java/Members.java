// Every way to declare a member, for comparison with javac 17. Written for these tests.
package members;

import java.lang.annotation.*;
import java.util.*;
import java.util.function.*;

/** Documented. */
@Target({ElementType.TYPE_USE, ElementType.METHOD})
@interface Mark { int value() default 1; /** An element. */ String[] names() default {}; }

interface Greets { void greet(); default String twice(String s) { return s + s; } private int hidden() { return 1; }
    static <T> List<T> none() { return new ArrayList<T>(); } }

enum Size implements Greets {
    SMALL { @Override public void greet() { } int more()[] { return null; } }, LARGE;
    /** Not abstract. */ // a remark between
    public void greet() { }
    Size() { }
}

record Point(int x, @Mark List<? extends Number>... rest) {
    Point { if (x < 0) throw new IllegalArgumentException(); }
    Point(int x) { this(x, new List[0]); }
    static int origin() { return 0; }
    record Nested(char c) { Nested { } }
}

abstract class Outer<K extends Comparable<? super K> & java.io.Serializable, V> {
    static { class InInitializer { void deep() { } } }
    { new Object() { void inInstance() { } }; }
    /** Stale. */
    int field = 1, array[] = {}, grid[][];
    int following() { return field; }
    Supplier<Object> lambda = () -> new Object() { public String toString() { return "x"; } };
    protected abstract <X extends Throwable, Y> Map<K, List<? super V[]>>[] complex(final int[] a, Map.Entry<K, V> b[], Outer<K, V>.Inner c) throws X;
    @SuppressWarnings({"a", "b"}) @Deprecated synchronized final strictfp native static void odd(String @Mark [] s, int... more);
    void receiver(Outer<K, V> this, int a) { }
    int[] brackets(int a[])[] { return null; }
    Outer() { super(); }
    <T> Outer(T t) { new Outer<K, V>() { protected Map complex(int[] a, Map.Entry b[], Outer.Inner c) { return null; } }; }
    class Inner { class Innermost { void deepest() { class Local { void inLocal() { Runnable r = new Runnable() { public void run() { } }; } } } } }
}
