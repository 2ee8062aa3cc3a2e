package quill.value;

import java.util.List;

/** Something that can be called. */
public abstract class FunctionValue extends Value {
    private static int made;

    private final int serial = ++made;
    private final String name;

    protected FunctionValue(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    /**
     * Calls the function.
     *
     * @param arguments as many as it wants; it complains about any other number
     * @return its value, never {@code null}
     */
    public abstract Value call(List<Value> arguments);

    /** Calls the function with arguments that are at hand. */
    public final Value call(Value... arguments) {
        return call(List.of(arguments));
    }

    @Override
    public Kind kind() {
        return Kind.FUNCTION;
    }

    @Override
    public String show() {
        return "fn " + name;
    }

    /** Functions have no natural order; the older one comes first. */
    @Override
    protected int compareSame(Value other) {
        return Integer.compare(serial, ((FunctionValue) other).serial);
    }
}
