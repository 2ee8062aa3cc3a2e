import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntSupplier;

/**
 * What generated programs call: chance, and a log of what is done to their variables. One log
 * belongs to one run of one body. Each occurrence of a variable has a number, and so has each
 * variable. Observed are pairs of an occurrence and the one before it (use) or the last one that
 * wrote (write).
 */
public class FlowLog {
    static final class Left extends RuntimeException { }
    static final class Right extends RuntimeException { }
    /** Ends a run that goes on for too long. */
    static final class Stop extends Error { }

    static final class Resource implements AutoCloseable {
        @Override public void close() { step(); }
    }

    static Random random = new Random(0);
    static int fuel;
    static final TreeSet<String> observed = new TreeSet<>();

    private final Map<Integer, Integer> uses = new HashMap<>();
    private final Map<Integer, Integer> writes = new HashMap<>();

    private void observe(int variable, int occurrence) {
        if (uses.containsKey(variable)) {
            observed.add("use " + occurrence + " " + uses.get(variable));
        }
        if (writes.containsKey(variable)) {
            observed.add("write " + occurrence + " " + writes.get(variable));
        }
        uses.put(variable, occurrence);
    }

    int read(int variable, int occurrence, int value) {
        observe(variable, occurrence);
        return value;
    }

    <T> T read(int variable, int occurrence, T value) {
        observe(variable, occurrence);
        return value;
    }

    int write(int variable, int occurrence, int value) {
        observe(variable, occurrence);
        writes.put(variable, occurrence);
        return value;
    }

    /** A variable comes to life, without a value. */
    void declare(int variable, int occurrence) {
        uses.put(variable, occurrence);
        writes.remove(variable);
    }

    boolean bind(int variable, int occurrence) {
        uses.put(variable, occurrence);
        writes.put(variable, occurrence);
        return true;
    }

    <T> T bind(int variable, int occurrence, T value) {
        bind(variable, occurrence);
        return value;
    }

    /** Any call may fail. */
    static void step() {
        if (--fuel < 0) {
            throw new Stop();
        }
        int chance = random.nextInt(60);
        if (chance == 0) {
            throw new Left();
        }
        if (chance == 1) {
            throw new Right();
        }
    }

    static boolean p() { step(); return random.nextBoolean(); }
    static int f() { step(); return random.nextInt(4); }
    static int g(int a, int b) { step(); return a + b & 3; }
    static int[] array() { step(); return new int[random.nextInt(4)]; }
    static Object o() { step(); return random.nextBoolean() ? (Object) random.nextInt(4) : "s"; }
    static Integer box() { step(); return random.nextInt(6) == 0 ? null : random.nextInt(4); }
    static Resource open(int value) { step(); return new Resource(); }
    static int run(IntSupplier body) { step(); return body.getAsInt(); }
}
