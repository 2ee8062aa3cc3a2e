package quill.eval;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import quill.syntax.Expr;
import quill.syntax.FreeNames;
import quill.syntax.Parser;
import quill.syntax.Parser.Statement;
import quill.text.QuillException;
import quill.text.SourceText;
import quill.text.Strings;
import quill.value.Atom;
import quill.value.Value;

/** A conversation: definitions stay from one line to the next. */
public class Session {
    private static final String HELP =
            """
            :help     shows this
            :names    lists what you defined
            :forget   begins anew
            """;

    private final Memo<String, List<Statement>> parsed = new Memo<>(16);
    private final Map<String, Expr> definitions = new TreeMap<>();
    private Scope scope;
    private boolean simplifying;

    {
        scope = new Scope(Builtins.scope());
    }

    /** Chooses whether expressions are simplified before they are evaluated. */
    public void setSimplifying(boolean simplifying) {
        this.simplifying = simplifying;
    }

    /**
     * Runs a program.
     *
     * @param program its text
     * @return the value of its last statement
     * @throws QuillException if it is wrong
     */
    public Value run(String program) {
        Value last = Atom.NOTHING;
        for (Statement statement : parsed.get(program, this::parse)) {
            last = execute(statement);
        }
        return last;
    }

    /** Reads a program without running it. */
    private List<Statement> parse(String program) {
        return new Parser(new SourceText(program)).program();
    }

    /** Evaluates a statement and, if it has a name, defines it. */
    private Value execute(Statement statement) {
        Expr expr = simplifying ? new Simplifier().walk(statement.expr()) : statement.expr();
        var evaluator = new Evaluator(scope);
        if (!statement.defines()) {
            return evaluator.walk(expr);
        }
        Value value =
                expr instanceof Expr.Function function
                        ? evaluator.closure(statement.name(), function)
                        : evaluator.walk(expr);
        definitions.put(statement.name(), expr);
        scope.define(statement.name(), value);
        return value;
    }

    /**
     * Answers one line of a conversation.
     *
     * @return what is printed; {@code null} if there is nothing to say
     */
    public String answer(String line) {
        switch (line.strip()) {
            case "":
                return null;
            default:
                try {
                    Value value = run(line);
                    return value == Atom.NOTHING ? null : value.show();
                } catch (QuillException problem) {
                    return problem.explain(new SourceText(line));
                }
            case ":names":
                List<String> names = List.copyOf(definitions.keySet());
                return names.isEmpty() ? null : Strings.commas(names);
            case ":forget":
                definitions.clear();
                scope = new Scope(Builtins.scope());
                return "forgotten";
            case ":help":
                return HELP;
        }
    }

    /** The length of an answer, to know whether it fits on the screen. */
    public int answerWidth(String line) {
        String answer = answer(line);
        return answer.length();
    }

    /**
     * Answers line by line.
     *
     * @return the answers in order, without those that say nothing
     * @throws IOException if the lines cannot be read
     */
    public List<String> converse(Reader reader) throws IOException {
        List<String> answers = new ArrayList<>();
        try (var lines = new BufferedReader(reader)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String answer = answer(line);
                if (answer != null) {
                    answers.add(answer);
                }
            }
        }
        return answers;
    }

    /** Answers the lines of a text. */
    public List<String> converse(String text) {
        try {
            return converse(new StringReader(text));
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Finds definitions that use each other in a circle, which can only work for functions.
     *
     * @return a name on a circle, or {@code null} if there is none
     */
    public String findCircle() {
        search:
        for (String start : definitions.keySet()) {
            List<String> path = new ArrayList<>();
            String name = start;
            while (name != null) {
                if (path.contains(name)) {
                    if (name.equals(start)) {
                        return start;
                    }
                    continue search;
                }
                path.add(name);
                name = firstUse(name);
            }
        }
        return null;
    }

    /** The first own definition that another one uses. */
    private String firstUse(String name) {
        for (String used : FreeNames.of(definitions.get(name))) {
            if (definitions.containsKey(used)) {
                return used;
            }
        }
        return null;
    }
}
