package tramway.network;

/** Something with a label for signs and boards. */
public interface Labelled {
    String label();

    /** The label, cut to a width; a dot stands for what is missing. */
    default String label(int width) {
        String full = label();
        return full.length() <= width ? full : full.substring(0, width - 1) + ".";
    }

    /**
     * Finds the constant of an enum that has a label.
     *
     * @param type the enum
     * @param label compared without regard to case
     * @return the constant, or {@code null} if none has that label
     */
    static <E extends Enum<E> & Labelled> E find(Class<E> type, String label) {
        for (E constant : type.getEnumConstants()) {
            if (constant.label().equalsIgnoreCase(label)) {
                return constant;
            }
        }
        return null;
    }
}
