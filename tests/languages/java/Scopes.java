package hard.scopes;

import static hard.scopes.Scopes.Colour.*;
import static java.lang.Math.max;

import hard.scopes.Scopes.Colour;
import java.io.StringReader;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Names that mean something else than a quick reader thinks. It compiles. */
@Scopes.Marked(level = Scopes.LEVEL, names = {"x", Scopes.NAME})
class Scopes<T extends Comparable<T>> extends Base implements Constants {
    static final int LEVEL = 1;
    static final String NAME = "name";
    int x = 1, later = this.early + 1, early;
    T value;
    Scopes<T> next;
    int[] length = new int[LEVEL];
    static int counter;

    static {
        int counter = 2;
        Scopes.counter = counter;
    }

    {
        int x = this.x;
        this.x = x + early;
    }

    Scopes() {
        this(counter, null);
    }

    <U extends Number> Scopes(int x, U value) {
        super(x);
        this.x = x;
        inherited = protectedField + super.shadowed + this.shadowed + shadowed;
    }

    enum Colour implements Supplier<String> {
        RED(LEVEL) {
            int only = shade;

            @Override
            public String get() {
                return name() + only + GREEN.shade + RED;
            }
        },
        @Deprecated
        GREEN(RED.shade + 1),
        BLUE(3);

        final int shade;
        static final Colour FIRST = RED;

        Colour(int shade) {
            this.shade = shade;
        }

        Colour self() {
            return this;
        }

        public String get() {
            return switch (this) {
                case RED -> "red";
                case GREEN, BLUE -> FIRST.toString();
            };
        }
    }

    @interface Marked {
        int level() default LEVEL;
        String[] names();
        int LEVEL = 7;
    }

    interface Shape {
        double area();

        default Shape scaled(double area) {
            return () -> area * this.area() + area();
        }
    }

    record Point(int x, int y, String... tags) implements Shape {
        static int made;

        Point {
            x = max(x, 0);
            made += y;
        }

        Point(int x) {
            this(x, x);
        }

        @Override
        public double area() {
            return x * y() + tags.length + this.x;
        }

        public int y() {
            return y;
        }

        static Point of(int y) {
            return new Point(y);
        }
    }

    // Variables, types, methods and labels of one name.
    int same(int same) {
        class same {
            int same = 1;

            int same() {
                return same + this.same;
            }
        }
        same:
        for (;;) {
            if (same > 1) {
                break same;
            }
            same thing = new same();
            same += thing.same() + thing.same;
            continue same;
        }
        return same(same);
    }

    void blocks(int x) {
        {
            int y = x;
            x = y;
        }
        int y = x++;
        for (int i = 0, j = i; i < y; i++, --j) {
            int k = i + j;
            y += k;
        }
        for (int i : length) {
            y -= i;
        }
        for (var i : new int[] {y}) {
            y *= i;
        }
        for (int early : new int[] {early, this.early}) {
            y = early;
        }
        int i = y, a[] = {i}, b = a[i = 0];
        a[i] = b;
        a[a[0]]++;
        (y)++;
        this.length[i] += length.length;
        switch (y) {
            case LEVEL:
                int inSwitch = 1;
                break;
            case Base.CONSTANT:
                inSwitch = 2;
                y = inSwitch;
            default:
                inSwitch = y;
                y = inSwitch;
        }
        do {
            int inDo = 1;
            y = inDo;
        } while (y < 0);
        synchronized (next) {
            int later = y;
            y = later;
        }
        y = later;
    }

    String tries(Object in) throws Exception {
        StringReader outer = new StringReader("");
        try (StringReader in1 = new StringReader(NAME);
                outer;
                var in2 = in1) {
            return "" + in1.read() + in2;
        } catch (IllegalStateException | java.io.IOException e) {
            return e.getMessage() + in;
        } catch (RuntimeException e) {
            throw e;
        } finally {
            int e = 1;
            counter = e;
        }
    }

    Object lambdas(int a) {
        Function<Integer, Integer> f = x -> x + a;
        Function<Integer, Function<Integer, Integer>> g = (y) -> z -> y + z + this.x + x;
        BiFunction<Integer, Integer, Integer> h = (final Integer b, Integer c) -> {
            int d = b;
            return d + c + a;
        };
        BiFunction<Integer, Integer, Integer> k = (var b, var c) -> b * c;
        Supplier<Colour> s = Colour.RED::self;
        Supplier<String> get = Colour.GREEN::get;
        Supplier<Scopes<T>> t = Scopes::new;
        Function<Scopes<T>, T> u = Scopes::value;
        Runnable r = this::hashCode;
        Function<Integer, int[]> v = int[]::new;
        return List.of(f, g, h, k, s, get, t, u, r, v);
    }

    T value() {
        return value;
    }

    // Anonymous and local classes: what they inherit is nearer than what stands around them.
    Base nested(final int captured, int shadowed) {
        int protectedField = 5;
        class Local extends Base {
            int own = captured + LEVEL;

            Local(int own) {
                super(own);
                this.own = own + protectedField + inherited;
            }

            int sum() {
                return own + shadowed + Scopes.this.shadowed + super.shadowed + early;
            }

            class Deeper extends Local {
                Deeper() {
                    super(captured);
                    own = Local.this.own + sum();
                }
            }
        }
        record Pair<A, B>(A left, B right) {
            static int early;

            A swap() {
                early++;
                return left() == left ? left : this.left;
            }
        }
        interface Inner {
            int early = 3;

            int f(int early);
        }
        enum Level {
            LOW, HIGH;
            static final Level MIDDLE = LOW;
        }
        Inner in = early -> early + Inner.early;
        Pair<Level, Inner> pair = new Pair<>(Level.HIGH, in);
        Local local = new Local(1);
        Local.Deeper deeper = local.new Deeper();
        return new Base(pair.left().ordinal() + deeper.own) {
            int here = captured;
            int inherited = here;

            @Override
            int method(int early) {
                return here + inherited + super.inherited + early + method() + later
                    + protectedField + Scopes.this.method();
            }
        };
    }

    // Pattern variables go where the match goes.
    int patterns(Object o, Object p) {
        if (o instanceof String s && s.length() > 1 || p instanceof Integer i && i > 1) {
            return o.hashCode();
        }
        if (!(o instanceof String s)) {
            return p instanceof Integer value ? value : this.value == null ? 0 : 1;
        }
        int n = s.length();
        while (!(p instanceof Scopes<?> early)) {
            p = next;
        }
        n += early.early;
        for (; !(o instanceof Point later); o = p) {
            n += later;
        }
        n += later.x + later.x() + later.y();
        if (o instanceof Integer x) {
            n += x;
        } else {
            n += x;
        }
        boolean both = o instanceof final Point q && q.x > 0 && !(p instanceof Base base && base.shadowed > q.y);
        do {
            n++;
        } while (!(p instanceof Colour colour));
        n += colour.shade;
        while (o instanceof Point next) {
            n += next.x;
            break;
        }
        if (!(o instanceof Colour x)) {
            throw new IllegalStateException();
        } else {
            n += x.shade;
        }
        return n + x.shade + (both ? 1 : next.x);
    }

    int switches(Colour c, int n, String text, Object unknown) {
        switch (c) {
            case RED:
                n = 1;
                break;
            case BLUE:
                int x = n;
                return x;
            default:
                x = 3;
        }
        final int one = 1;
        switch (n) {
            case one:
            case LEVEL + 1:
                return one;
            default:
        }
        switch (text) {
            case NAME:
                return x;
            default:
        }
        return switch (Colour.valueOf(text)) {
            case RED -> {
                int x = 4;
                yield x;
            }
            case GREEN -> x;
            case BLUE -> throw new IllegalArgumentException(NAME + BLUE.shade);
        };
    }

    // Labels.
    int labels(int[][] rows) {
        outer:
        for (int[] row : rows) {
            inner:
            for (int cell : row) {
                if (cell == 0) {
                    continue outer;
                }
                block: {
                    if (cell == 1) {
                        break block;
                    }
                    break inner;
                }
            }
            break outer;
        }
        outer: {
            break outer;
        }
        return 0;
    }

    void calls() {
        counted(next.next.x);
        Scopes.counted(1);
        method();
        method(early);
        toString();
        Base.fixed();
        fixed();
        new Base(1) { }.method();
    }

    static int counted(int x) {
        return x;
    }

    @Override
    int method(int early) {
        return super.method(early) + method();
    }

    public boolean equals(Object other) {
        return other instanceof Scopes<?> that && that.x == x && that.value() == value;
    }

    // What the grammar takes for casts.
    double differences(int a, int b) {
        int Scopes = (a) - b, c = (Scopes) + (b) - (a);
        return (a) + (double) -b + c + hard.scopes.Scopes.counted((c)) + this.next.next.later;
    }

    int hidden() {
        return DEPTH + Constants.DEPTH + MAXIMUM + java.lang.Integer.MAX_VALUE + length.length;
    }
}

interface Constants {
    int DEPTH = 9;
    int MAXIMUM = DEPTH + 1;
}

class Base {
    static final int CONSTANT = 99;
    protected int protectedField;
    int inherited, shadowed;
    private int early = 4;

    Base(int shadowed) {
        this.shadowed = shadowed + early;
    }

    int method() {
        return shadowed;
    }

    int method(int x) {
        return x;
    }

    static void fixed() {}

    private int later() {
        return early;
    }
}

class Cycle extends Cycle2 {
    int z = y;
}

class Cycle2 {
    int y;
    Scopes.Colour c = Scopes.Colour.RED;
    hard.scopes.Scopes<String> whole = new hard.scopes.Scopes<>();
    Scopes.Point p = new Scopes.Point(1, 2);
    int q = p.x() + p.y() + p.tags().length + whole.x + whole.next.early;
}
