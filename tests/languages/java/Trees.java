// Every construct of Java 17 that a method can hold, for comparison with javac's trees: it has to
// parse, not to compile. Written for these tests.
package trees;

import java.util.*;
import java.util.function.*;

abstract class Trees<K extends Comparable<? super K> & java.io.Serializable, @Mark V> extends Base<K>.Inner
        implements A, B<K> {
    // Literals: which keep their value.
    void literals() {
        int a = -1, b = - 1, c = -0, d = 0x5, e = 0X1F, f = 017, g = 0b1, h = 0B11, i = 1_000, j = 0, k = 00;
        long l = 10L, m = -10l, n = 0x9L, o = 0xFFFF_FFFFL, p = 0b0L, q = -0x5L, r = 0L, s = -/* far */ 7L;
        double t = 1.0, u = 1.50, v = -2.5, w = .5, x = 1., y = 2e3, z = 1.0E10, aa = 1.0e-5, ab = 5D, ac = 0.001;
        double ad = 1e7, ae = 1.0E7, af = 123456.789, ag = 0x1.8p1, ah = 1_0.5, ai = 9999999.0, aj = 4.9E-324, ak = 0.0;
        float al = 1.5f, am = 2e3F, an = 0x1p3f, ao = 1f;
        char ap = 'a', aq = '\n', ar = '\'', as = '\u0041', at = '\177', au = 'ß';
        String av = "a" + "b" + 'c' + "", aw = """
            text "block" \
            of lines
            """, ax = "null";
        Object ay = null; boolean az = true, ba = !false;
    }

    // Operators.
    int operators(int a, int b) {
        a = b; a += b; a -= b; a *= b; a /= b; a &= b; a |= b; a ^= b; a %= b; a <<= b; a >>= b; a >>>= b;
        boolean c = a > b && a < b || a >= b & a <= b | a == b ^ a != b;
        a = a + b - a * b / a % b << a >> b >>> a & b | a ^ b;
        a++; b--; ++a; --b; a = +b; a = -b; a = ~b; c = !c; a = - -b; a = -(1); a = -1 + 2; a = - 1 - -1;
        a = -b++; a = ~-b--; c = !a.b[0]++ == -c--; a = (int) -b++; a = /* before */ -b /* after */ ++ /* end */;
        a = a * b * (c) + d * e; a = (b) - c * d; a = (b.c) - 1 * d % e - f; a = a << (b) + c * (d) - e * f >> g; c = (a) + b * c > d && (e) - f / g == h || i; a = b + (c) - d * (e.f) + -g; a = (b)+c*(d)+e*f;
        a = (b) + c; a = (int) + c * d; a = (Integer) (b) + c * d; a = (int) - (c) + d * e; a = b * -(c) + d * e; a = -(int) ~(c.d) - (e) + f * (g) - h * i; c = !(a) + b * c == d; a = b * (c) + (d) * e; f((a) + b * c);
        a = c ? b : c ? a : b; a = b = a; a = ((a + (b)));
        return c ? a : b;
    }

    // Access, calls, creation.
    @SuppressWarnings({"unchecked", "x"}) @Marks(value = {@Mark, @Mark(1)}, name = "n", other = 1 + 2) @Empty()
    public static final synchronized strictfp <T extends Number, U> T access(final T first, U[]... rest) throws java.io.IOException, @Mark E {
        this.x = super.y; Outer.this.z = Outer.super.w(); a.b.c.d = e[1][f(2)]; g().h().i.j(); k.<T>l(); this.<A, B<C>>m(1, 2);
        super.n(); Outer.Inner.super.o(1); a.super.p(); int.class.q(); int[][].class.r(); void.class.s(); A.B.class.t(); A[].class.u();
        new V(); new W<>(1); new X<A, B>(); new a.b.Y(); new a.b<C>.Z<D>(); o.new P(); o.new <T> Q<R>(1) { }; new <T> S(); new T() { };
        new U(1, 2) { int f = 1, g[]; { f = 2; } void v() { new W() { void x() { } }; } class Y { } ; };
        new @Mark V(); new @Mark @Other a.b.W<@Mark C>(); o.new @Mark P<Q>(); new @Mark T() { };
        x = new int[1]; x = new int[1][2]; x = new int[1][2][][]; x = new int[] {1, 2,}; x = new int[][] {{1}, {}, {2, 3}}; x = new a.b.C<?>[0];
        x = new @Mark int @Other [1] @Mark @Other [2] @Third []; x = new @Mark A @Other [] @Third [] { {} }; x = new A @Mark [] { };
        int[] y = {}, z[] = {{}, {1}}, w = {a, b};
        return (T) x;
    }

    // Types, wherever they may stand.
    List<? extends Number>[] types(Map.Entry<K, V>.Deep<A> a, int[] b[], java.util.List<int[]>... c)[][] throws E {
        A<?> d; A<? super B<?>, ? extends C[], D> e; a.b.C f; a.B<C>.D<E<F>>[][] g; final var h = 1; var i = new A<>() { };
        @Mark A j; final @Mark A.@Other B<@Third C> k; java.util.@Mark List<@Mark ? extends @Other D @Third []> l; String @Mark [] @Other [] m @Third [], n;
        Object o = (A) x, p = (A & B<C> & D) () -> { }, q = (@Mark A) x, r = (int) -1, s = (int[]) x, t = (@Mark A.B & @Other C<D>[]) x, u = (A<B>) x;
        Object v = (@Mark int) x, w = (@Mark a.b.C<D>[]) x, y = (A) (B) x, z = (A) -> x;
        boolean aa = x instanceof A, ab = x instanceof A<?>, ac = x instanceof int[], ad = x instanceof A b1 && b1.c, ae = x instanceof final A c1;
        boolean af = x instanceof @Mark A, ag = x instanceof @Mark A d1, ah = x instanceof final @Mark A.B<C>[] e1, ai = !(x instanceof a.b.C f1);
        return null;
    }
    <T> @Mark A annotated(@Mark final int a, @Other(1) String... b) { }
    public <T> @Mark @Other A twice() { }
    @Mark public <@Mark T extends @Other A & B, @Third U> @Other A thrice() { }
    void receiver(Trees<K, V> this, int a) { }
    void marked(@Mark @Other Trees this) { }
    class Inside { Inside(Trees Trees.this, int a) { } void more(Trees<K, V>.Inside this) { } }

    // Lambdas and method references.
    void functions() {
        a = () -> { }; a = () -> 1; a = b -> c; a = (b) -> (c); a = (b, c) -> { return b; }; a = (int b) -> c; a = (final A b, @Mark C... d) -> { };
        a = (var b, final var c) -> b; a = b -> c -> d; a = (b) -> { class L { void m() { } } }; a = () -> () -> null; f(a -> a, (b, c) -> b);
        a = A::b; a = a.b::c; a = this::d; a = super::e; a = Outer.super::f; a = A::new; a = int[]::new; a = A<B>::new; a = A<B>::c; a = A::<B>c; a = A::<B>new;
        a = "s"::length; a = new A()::b; a = c()::d; a = (e)::f; a = A[]::clone; a = a.b<C>.D<E>::f; a = A::invoke; a = x[0]::y; a = (A) B::c;
    }

    // Statements.
    void statements() throws Exception {
        ; ; { } { ; { a(); } } int a; final int b = 1, c[] = {1}, d; @Mark A e;
        if (a) b(); if (a) { } else { } if (a) ; else if (b) c(); else ; if ((a)) b = 1;
        while (a) b(); while (true) { } while (a); do a(); while (b); do { } while ((a)); do ; while (a);
        for (;;) ; for (int i = 0; i < 1; i++) { } for (int i = 0, j[] = {}; ; i++, --j) a(); for (i = 0, j(); i < 1; ) { } for (; a ; ) ; for (final var i = 1; ; ) break;
        for (A x : y) a(); for (final @Mark A x[] : y()) { } for (var x : y) ; for (int[] x : y) continue;
        outer: for (;;) { inner: while (a) { if (b) break outer; continue inner; } break; } lone: { } empty: ; two: three: a();
        assert a; assert a > b : "c" + d; synchronized (a) { } synchronized (this.b) { c(); } throw new E(a); 
        try { } finally { } try { a(); } catch (A x) { } try { } catch (final A | b.C x) { } catch (@Mark D x) { return; } finally { ; }
        try (A x = b) { } try (var x = b) { } try (var x = b; A<B> y = c) { } try (A x = b; final var y = c(); d; this.e; super.f;) { } catch (E x) { } try (@Mark A<B> x[] = b) { } finally { }
        class L<T> extends M<T> implements N, O { static int p; static { q(); } { r(); } L() { } L(int a) { this(); } <T> L(T t) { super(t); } abstract void s(); ; }
        abstract @Mark class Empty { } final class F extends a.b.C { } interface I<T> extends J, K<T> { int L = 1; void m(); default int n() { return 1; } static void o() { } private void p() { } class Q { } enum R { S } record T() { } @interface U { } }
        enum E implements F { A, B(), C(1), D { }, E { ; }, F(2) { void g() { } int h; }, @Mark G, @Mark @Other H(3); private int i; E() { } E(int i) { this.i = i; } class J { } }
        enum Bare { } enum Comma { A, } enum Rest { ; } enum Both { A; }
        record P() { } record Q<T>(int a, @Mark List<T>... b) implements R, S { static int c = 1; Q { a = 1; } Q(int d) { this(d, null); } public int a() { return 1; } record T(char[] u) { T { } } }
        @interface W { int a(); String[] b() default {"c"}; @Mark(1) A c() default @A; int D = 1; enum X { } class Y { } ; int z()[] default 1; }
        @Mark abstract @interface V { }
        return;
    }

    // Switches.
    int switches(int a) {
        switch (a) { } switch (a) { case 1: case 2: b(); break; case 3: { } default: } switch (a) { default: c(); case A: ; } switch ((a)) { case 1, 2, B.C: d(); int e; case 'f': }
        switch (a) { case 1 -> b(); case 2, 3 -> { c(); } case D -> throw new E(); default -> { } } switch (a) { case 1: // remark
            /* another */ case 2: /* third */ f(); };
        int g = switch (a) { case 1 -> 2; case 3, 4 -> { yield 5; } case 6 -> throw new H(); default -> i(); };
        int j = switch (a) { case 1: yield 2; case 3: case 4: k(); yield (5); default: yield -6; };
        l(switch (a) { default -> switch (b) { default -> 1; }; }); m = () -> switch (a) { default -> 2; };
        if (a > 1) switch (a) { case 1: n(); } else switch (a) { default -> { } } o: switch (a) { case 2: break o; } for (;;) switch (a) { case 3 -> p(); }
        while (b) switch (a) { } do switch (a) { case 1: } while (c); switch (a) { case 1: switch (b) { case 2: } case 3: }
        return switch (a) { case 1 -> 1; default -> 2; } + 1;
    }

    Trees() { super(); } Trees(int a) { this(); b(); } <T> Trees(T a) { <T>this(1, a); } Trees(A a) { a.super(); } Trees(B b) { b.c().<D>super(1); } private Trees(C c) throws D { Outer.this.super(); } @Mark Trees(E e) { }
    native void none(); abstract int neither(); int f = 1; static { } { }
    int brackets()[] { return null; }
    int record(int record, int sealed, int permits, int yield, int when, int module, int open, int with) { record = sealed; open.module(with).when = permits; return this.yield + record(record); }
}
