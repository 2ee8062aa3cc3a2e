package quill.tool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import quill.text.Nullable;
import quill.text.SourceText;
import quill.value.Value;

/** What a debugger knows of a program that has stopped: frames inside each other. */
public class CallStack {
    /** A call with its local values; the frame that called it lies outside. */
    public static final class Frame {
        private final String function;
        private final int offset;
        private final Frame caller;
        private final Map<String, Value> locals = new HashMap<>();

        Frame(String function, int offset, Frame caller) {
            this.function = function;
            this.offset = offset;
            this.caller = caller;
        }

        public String function() {
            return function;
        }

        public int offset() {
            return offset;
        }

        /** The frame that called this one; {@code null} for the program itself. */
        @Nullable
        public Frame caller() {
            return caller;
        }

        /** Gives a local name its value. */
        public Frame with(String name, Value value) {
            locals.put(name, value);
            return this;
        }

        /** How a local value is written. */
        public String show(String name) {
            Value value = locals.get(name);
            return name + " = " + value.show();
        }

        /** Tells whether a condition of a breakpoint holds here; an unknown name never does. */
        public boolean holds(String name) {
            Value value = locals.get(name);
            return value != null && value.isTrue();
        }
    }

    private final SourceText source;
    private final TreeSet<Integer> breakpoints = new TreeSet<>();
    private Frame top;

    public CallStack(SourceText source) {
        this.source = source;
    }

    /** Enters a function that is called at an offset. */
    public Frame push(String function, int offset) {
        top = new Frame(function, offset, top);
        return top;
    }

    /** Leaves the innermost function. */
    public Frame pop() {
        Frame left = top;
        top = left.caller();
        return left;
    }

    public boolean isEmpty() {
        return top == null;
    }

    /**
     * Finds the innermost frame of a function.
     *
     * @return the frame, or {@code null} if the function does not run
     */
    public Frame find(String function) {
        Frame frame = top;
        while (frame != null && !frame.function().equals(function)) {
            frame = frame.caller();
        }
        return frame;
    }

    /** Tells whether a function runs, however deep below others. */
    public boolean isRunning(String function) {
        return find(function) != null;
    }

    /** The line on which a running function was called. */
    public int lineOf(String function) {
        return source.line(find(function).offset());
    }

    /** The name of whoever called a function. */
    public String callerOf(String function) {
        Frame frame = find(function);
        if (frame == null) {
            return "nobody";
        }
        Frame caller = frame.caller();
        return caller.function();
    }

    /** Where a function was called, for people. */
    public String where(String function) {
        Frame frame = find(function);
        return source.where(frame.offset());
    }

    /** How many frames lie around the innermost one of a function. */
    public int depthOf(String function) {
        int depth = 0;
        Frame frame = find(function);
        while (frame.caller() != null) {
            frame = frame.caller();
            depth++;
        }
        return depth;
    }

    /** Sets a breakpoint on a line. */
    public void stopAt(int line) {
        breakpoints.add(line);
    }

    /** The first breakpoint behind an offset; {@code null} if the program will run to its end. */
    public Integer nextStop(int offset) {
        return breakpoints.higher(source.line(offset));
    }

    /** How many lines are left until the next breakpoint. */
    public int linesLeft(int offset) {
        int next = nextStop(offset);
        return next - source.line(offset);
    }

    /** Removes the breakpoint on a line or, if there is none, the last one before it. */
    public int clear(int line) {
        Integer nearest = breakpoints.floor(line);
        breakpoints.remove(nearest);
        return nearest.intValue();
    }

    /** The functions that run, the innermost first. */
    public List<String> trace() {
        List<String> names = new ArrayList<>();
        for (Frame frame = top; frame != null; frame = frame.caller()) {
            names.add(frame.function() + " at " + source.where(frame.offset()));
        }
        return names;
    }
}
