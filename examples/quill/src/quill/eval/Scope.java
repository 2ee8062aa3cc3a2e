package quill.eval;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import quill.text.Strings;
import quill.value.Value;

/** Names and their values, inside another scope. */
public class Scope {
    private final Scope outer;
    private final Map<String, Value> values = new HashMap<>();

    /** The outermost scope. */
    public Scope() {
        this(null);
    }

    public Scope(Scope outer) {
        this.outer = outer;
    }

    /** Gives a name a value here; what the scopes outside say about it is hidden. */
    public void define(String name, Value value) {
        values.put(name, value);
    }

    /**
     * Looks a name up, from the inside out.
     *
     * @return its value, or {@code null} if nobody defined it
     */
    public Value lookup(String name) {
        for (Scope scope = this; scope != null; scope = scope.outer) {
            Value value = scope.values.get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** How a name's value is written. */
    public String show(String name) {
        Value value = lookup(name);
        return name + " = " + value.show();
    }

    /** How many scopes lie around this one. */
    public int depth() {
        return outer == null ? 0 : 1 + outer.depth();
    }

    /**
     * Guesses which name was meant.
     *
     * @param missing a name that is not defined
     * @return the defined name nearest to it, or {@code null} if none is near
     */
    public String suggest(String missing) {
        String best = null;
        int bound = missing.length() / 2 + 1;
        Scope scope = this;
        do {
            for (String name : new TreeSet<>(scope.values.keySet())) {
                int distance = Strings.distance(missing, name);
                if (distance < bound) {
                    bound = distance;
                    best = name;
                }
            }
            scope = scope.outer;
        } while (scope != null);
        return best;
    }
}
