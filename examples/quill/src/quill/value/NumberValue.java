package quill.value;

import quill.text.Strings;

/** A number. */
public final class NumberValue extends Value {
    private final double number;

    public NumberValue(double number) {
        this.number = number;
    }

    public double number() {
        return number;
    }

    @Override
    public Kind kind() {
        return Kind.NUMBER;
    }

    @Override
    public String show() {
        return Strings.number(number);
    }

    /** Every number but zero is true; what is not a number is not. */
    @Override
    public boolean isTrue() {
        return number != 0 && !Double.isNaN(number);
    }

    @Override
    protected int compareSame(Value other) {
        return Double.compare(number, ((NumberValue) other).number);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NumberValue that && number == that.number;
    }

    /** Zero and minus zero are equal, so they must share a hash. */
    @Override
    public int hashCode() {
        long bits = Double.doubleToLongBits(number + 0.0);
        return (int) (bits ^ bits >>> 32);
    }
}
