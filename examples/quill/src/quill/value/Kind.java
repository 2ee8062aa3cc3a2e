package quill.value;

/** The kinds of values, each a bit of a mask. */
public enum Kind {
    NOTHING,
    TRUTH,
    NUMBER,
    TEXT,
    LIST,
    FUNCTION;

    /** All kinds at once. */
    public static final int ANY = (1 << values().length) - 1;

    /** The bit that stands for this kind. */
    public int bit() {
        return 1 << ordinal();
    }

    /** Tells whether a mask has this kind's bit. */
    public boolean in(int mask) {
        return (mask & bit()) != 0;
    }

    /** The mask that has the bits of some kinds, and no others. */
    public static int mask(Kind... kinds) {
        int mask = 0;
        for (Kind kind : kinds) {
            mask |= kind.bit();
        }
        return mask;
    }

    /** All kinds but those of a mask. */
    public static int except(int mask) {
        return ~mask & ANY;
    }

    /**
     * Names the kinds of a mask, for messages: {@code number or text}.
     *
     * @return the names, or "anything" if no kind is missing
     */
    public static String describe(int mask) {
        if (mask == ANY) {
            return "anything";
        }
        StringBuilder names = new StringBuilder();
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            Kind kind = values()[Integer.numberOfTrailingZeros(rest)];
            if (names.length() != 0) {
                names.append(" or ");
            }
            names.append(kind.name().toLowerCase());
        }
        return names.toString();
    }
}
