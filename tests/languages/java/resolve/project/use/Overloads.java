package use;

import static java.util.Objects.requireNonNull;
import static shapes.Shape.by;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import shapes.Shape;
import shapes.Shapes;
import shapes.Shapes.Bag;
import shapes.Shapes.Circle;
import shapes.Shapes.Named;
import shapes.Shapes.Square;
import shapes.Shapes.Unit;

/** Overloads, generic methods, lambdas: what the compiler has to choose. */
class Overloads {
    void take(Object one) {}

    void take(Shapes.Measured one) {}

    void take(Square one) {}

    void take(int one) {}

    void take(long one) {}

    void take(Integer one) {}

    void take(double one) {}

    void take(int... many) {}

    void take(String format, Object... many) {}

    void take(Runnable one) {}

    <T> T take(Callable<T> one) throws Exception {
        return one.call();
    }

    void run(Function<Shape, String> one) {}

    void run(BiFunction<Shape, Shape, String> one) {}

    void count(ToIntFunction<Shape> one) {}

    void count(Supplier<Shape> one) {}

    <T extends Comparable<T>> T most(Collection<? extends T> all) {
        return all.iterator().next();
    }

    <T> T pick(T one, T other) {
        return one;
    }

    void phases(byte b, char c, short s, long l, float f, Integer boxed, Character letter)
            throws Exception {
        take(b);
        take(c);
        take(s);
        take(l);
        take(f);
        take(boxed);
        take(letter);
        take(1, 2, 3);
        take();
        take("%s", 1, "x");
        take("x");
        take((Object) "x");
        take(1 + 2L);
        take(c + 1);
        take(c > 1 ? 1 : 2L);
        take('x' + "y");
        take(l << 2);
        take(boxed == null ? null : new Circle(1));
        take(new Named(1, () -> "n"));
        take(new Circle(1));
        take(() -> {});
        take(() -> 1);
        take(() -> first(List.of()));
        take(this::phases0);
        take(new int[] {1});
        take(boxed.intValue() / 2.0f);
        take(b++);
        take(-c);
        take(~b);
    }

    void phases0() {}

    Object first(List<?> all) {
        return all.isEmpty() ? null : all.get(0);
    }

    void generics(Bag<Named> bag, Map<String, List<Circle>> byName, Shape[] shapes) {
        bag.first().scaled(2).name();
        bag.with(new Named(1, () -> "a")).with(null).largest().name();
        bag.each(one -> one.scaled(3).area());
        bag.each(Shape::name);
        bag.iterator().next().scaled(1);
        bag.new Cursor().take().name();
        for (var one : bag) {
            one.scaled(1).name();
        }
        for (Map.Entry<String, List<Circle>> entry : byName.entrySet()) {
            entry.getValue().get(0).radius();
            entry.getKey().trim();
        }
        byName.forEach((key, all) -> all.forEach(one -> one.area()));
        byName.computeIfAbsent("x", key -> new ArrayList<>()).add(new Circle(1, 2));
        byName.values().stream().flatMap(all -> all.stream()).map(Circle::radius).count();
        most(Arrays.asList("a", "b")).trim();
        pick(new Circle(1), new Square(1)).area();
        pick(new Named(1, null), new Named(2, null)).scaled(1);
        requireNonNull(bag.first(), "none").scaled(1);
        Optional.of(bag).map(Bag::largest).get().scaled(1);
        Optional.ofNullable(shapes[0]).filter(one -> one.area() > 0).orElseGet(() -> new Circle(1)).name();
        shapes.clone()[0].area();
        Stream.of(new Square(1), new Named(1, null)).forEach(one -> one.area());
        new HashMap<Shape, Bag<Square>>().get(null).first().area();
        this.<Square>pick(new Named(1, null), null).area();
        List.of(1, 2).get(0).compareTo(3);
    }

    String streams(Collection<? extends Shape> all) {
        Map<String, List<Shape>> grouped =
            all.stream().collect(Collectors.groupingBy(one -> one.name()));
        grouped.values().forEach(some -> some.sort((a, b) -> a.compareTo(b)));
        List<Double> areas = all.stream().map(one -> one.area()).sorted().toList();
        areas.get(0).intValue();
        Map<Boolean, Long> split =
            all.stream().collect(Collectors.partitioningBy(one -> one.area() > 1, Collectors.counting()));
        split.get(true).longValue();
        Bag<Shape> bag = all.stream().reduce(new Bag<Shape>(), (sum, one) -> sum.with(one), (a, b) -> a);
        bag.largest().name();
        IntStream.range(0, 3).mapToObj(i -> new Square(i)).map(one -> one.scaled(2)).toArray(Square[]::new);
        return all.stream().sorted(by(one -> one.area())).map(Shape::name).collect(Collectors.joining());
    }

    void functions() {
        Function<Shape, String> named = one -> one.name();
        named.andThen(text -> text.trim()).apply(new Circle(1));
        Predicate<Square> wide = one -> one.scaled(1).area() > 2;
        wide.negate().test(null);
        IntFunction<Square> made = Square::new;
        made.apply(3).scaled(2);
        Supplier<Supplier<Named>> nested = () -> () -> new Named(1, Overloads::text);
        nested.get().get().scaled(1);
        run(one -> one.name());
        run((one, other) -> one.name() + other.name());
        count(one -> (int) one.area());
        count(() -> new Circle(2));
        Runnable[] all = {() -> functions(), this::functions, () -> new Overloads().functions()};
        all[0].run();
        Callable<Named> call = () -> {
            if (all.length > 1) {
                return null;
            }
            return new Named(1, () -> "x");
        };
        ((Runnable & java.io.Serializable) () -> functions()).run();
        Object o = all.length > 1 ? (Supplier<String>) () -> text() : (Function<String, String>) String::trim;
        o.toString();
    }

    static String text() {
        return Unit.valueOf("DOT").name_() + Unit.values()[0].name() + Unit.PLAIN.ordinal();
    }

    void patterns(Object o, Shape shape) {
        if (o instanceof Square square && square.area() > 1) {
            square.scaled(2);
        }
        if (!(shape instanceof Named named)) {
            return;
        }
        named.scaled(1).name();
        String kind = switch (shape.name()) {
            case "square" -> shape.name();
            default -> {
                yield Shape.label("x");
            }
        };
        kind.trim();
        try (AutoCloseable closing = () -> functions()) {
            closing.close();
        } catch (IllegalStateException | IllegalArgumentException e) {
            e.getMessage();
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    void locals(Bag<Square> bag) {
        class Local extends Square {
            Local() {
                super(1);
            }

            @Override
            public double area() {
                return bag.largest().area() + Overloads.this.hashCode();
            }
        }
        Square side = new Local();
        side.area();
        Shape other = new Shape() {
            final Square side = new Named(1, null);

            @Override
            public double area() {
                return side.scaled(2).area() + name().length();
            }

            @Override
            public String name() {
                return Shape.super.name();
            }
        };
        other.area();
        var nameless = new Object() {
            int hidden() {
                return 1;
            }
        };
        nameless.hidden();
        Shapes<Square>.Cursor cursor = bag.new Cursor() {
            @Override
            public Square take() {
                return super.take().scaled(2);
            }
        };
        cursor.take().scaled(1);
    }

    static final Shape FIELD = new Shapes.Circle(1);
    static final double AREA = FIELD.area();
    final Supplier<String> lazy = () -> FIELD.name() + this.lazy.get();

    static {
        FIELD.compareTo(null);
    }
}
