package quill.syntax;

import java.util.ArrayList;
import java.util.List;
import quill.text.SourceText;
import quill.text.Strings;

/**
 * Turns tokens into expressions: recursive descent, with {@linkplain #binary(int) precedence
 * climbing} for operators.
 */
public class Parser {
    /**
     * A statement: an expression, and the name that its value gets.
     *
     * @param name the name, or {@code null} if the value is only shown
     */
    public record Statement(String name, Expr expr) {
        /** Tells whether the value gets a name. */
        public boolean defines() {
            return name != null;
        }

        /** Tells whether the statement defines a function, which may then call itself. */
        public boolean definesFunction() {
            return defines() && expr instanceof Expr.Function;
        }

        /** The first letter of the name, under which an index would list it. */
        public char initial() {
            return name.charAt(0);
        }
    }

    private final Lexer lexer;
    private Token token;

    public Parser(SourceText source) {
        lexer = new Lexer(source);
        token = lexer.next();
    }

    /** Reads a single expression, and nothing behind it. */
    public static Expr expression(String text) {
        var parser = new Parser(new SourceText(text));
        Expr expr = parser.expression();
        parser.expect(Token.Kind.END);
        return expr;
    }

    /**
     * Reads a whole program.
     *
     * @return its statements, none if it is blank
     * @throws SyntaxException at the first thing that is wrong
     */
    public List<Statement> program() {
        List<Statement> statements = new ArrayList<>();
        while (!token.is(Token.Kind.END)) {
            statements.add(statement());
            if (!accept(Token.Kind.END_STATEMENT)) {
                expect(Token.Kind.END);
            }
        }
        return statements;
    }

    /** {@code let x = …}, {@code let f(a, b) = …} or an expression. */
    private Statement statement() {
        if (!accept(Token.Kind.LET)) {
            return new Statement(null, expression());
        }
        int start = token.start();
        String name = expect(Token.Kind.NAME).text();
        List<String> parameters = token.is(Token.Kind.OPEN) ? parameters() : null;
        expect(Token.Kind.ASSIGN);
        Expr value = expression();
        if (parameters != null) {
            value = new Expr.Function(start, parameters, value);
        }
        return new Statement(name, value);
    }

    /** Names between parentheses, no two of them the same. */
    private List<String> parameters() {
        List<String> names = new ArrayList<>();
        expect(Token.Kind.OPEN);
        while (!accept(Token.Kind.CLOSE)) {
            if (!names.isEmpty()) {
                expect(Token.Kind.COMMA);
            }
            Token name = expect(Token.Kind.NAME);
            if (names.contains(name.text())) {
                throw new SyntaxException(name.start(), "a second parameter " + name);
            }
            names.add(name.text());
        }
        return names;
    }

    /** Reads a choice, a function, or operators and operands. */
    Expr expression() {
        int start = token.start();
        if (accept(Token.Kind.IF)) {
            Expr condition = expression();
            expect(Token.Kind.THEN);
            Expr yes = expression();
            expect(Token.Kind.ELSE);
            return new Expr.Choice(start, condition, yes, expression());
        }
        if (accept(Token.Kind.FN)) {
            List<String> parameters = parameters();
            expect(Token.Kind.ARROW);
            return new Expr.Function(start, parameters, expression());
        }
        return binary(0);
    }

    /**
     * Reads operands as long as the operators between them bind tightly enough.
     *
     * @param least the lowest precedence that still belongs here
     */
    private Expr binary(int least) {
        Expr left = unary();
        Operator operator = Operator.of(token);
        while (operator != null && operator.precedence() >= least) {
            token = lexer.next();
            int tighter = operator.precedence() + (operator.bindsToTheRight() ? 0 : 1);
            Expr right = binary(tighter);
            left = new Expr.Binary(operator, left, right);
            operator = Operator.of(token);
        }
        return left;
    }

    /** Reads an operand with the signs before it. */
    private Expr unary() {
        int start = token.start();
        if (token.is("-")) {
            token = lexer.next();
            return new Expr.Negation(start, false, unary());
        }
        if (accept(Token.Kind.NOT)) {
            return new Expr.Negation(start, true, unary());
        }
        return postfix();
    }

    /** Calls and subscripts, any number of them, after a primary. */
    private Expr postfix() {
        Expr expr = primary();
        for (;;) {
            if (token.is(Token.Kind.OPEN)) {
                expr = new Expr.Call(expr, items(Token.Kind.OPEN, Token.Kind.CLOSE));
            } else if (accept(Token.Kind.OPEN_LIST)) {
                // A subscript is a call of the built-in function "at".
                Expr index = expression();
                expect(Token.Kind.CLOSE_LIST);
                expr = new Expr.Call(new Expr.Name(expr.offset(), "at"), expr, index);
            } else {
                return expr;
            }
        }
    }

    /**
     * Reads what cannot be taken apart: a constant, a name, a list, something in parentheses.
     *
     * @throws SyntaxException if the next token begins none of them
     */
    private Expr primary() {
        Token first = token;
        int start = first.start();
        return switch (first.kind()) {
            case NUMBER -> {
                token = lexer.next();
                yield new Expr.Constant(start, number(first));
            }
            case TEXT -> {
                token = lexer.next();
                String text = Strings.unquote(first.text());
                if (text == null) {
                    throw new SyntaxException(start, "a broken escape in " + first.text());
                }
                yield new Expr.Constant(start, text);
            }
            case TRUE, FALSE -> {
                token = lexer.next();
                yield new Expr.Constant(start, first.is(Token.Kind.TRUE));
            }
            case NOTHING -> {
                token = lexer.next();
                yield new Expr.Constant(start, null);
            }
            case NAME -> {
                token = lexer.next();
                yield new Expr.Name(start, first.text());
            }
            case OPEN_LIST ->
                    new Expr.ListOf(start, items(Token.Kind.OPEN_LIST, Token.Kind.CLOSE_LIST));
            case OPEN -> {
                token = lexer.next();
                Expr inner = expression();
                expect(Token.Kind.CLOSE);
                yield inner;
            }
            default -> throw new SyntaxException(start, "no expression begins with " + first);
        };
    }

    /** Expressions between brackets, with commas; a comma before the closing one is allowed. */
    private List<Expr> items(Token.Kind open, Token.Kind close) {
        expect(open);
        List<Expr> items = new ArrayList<>();
        while (token.kind().beginsExpression() || token.is("-")) {
            items.add(expression());
            if (!accept(Token.Kind.COMMA)) {
                break;
            }
        }
        expect(close);
        return items;
    }

    /** The number a token spells, in base ten or two. */
    private static double number(Token token) {
        String text = token.text();
        if (text.startsWith("0b")) {
            long bits = 0;
            for (int i = 2; i < text.length(); i++) {
                bits <<= 1;
                bits |= text.charAt(i) - '0';
            }
            return bits;
        }
        return Double.parseDouble(text);
    }

    /** Moves on if the next token is of a kind; tells whether it was. */
    private boolean accept(Token.Kind kind) {
        boolean matches = token.is(kind);
        if (matches && kind != Token.Kind.END) {
            token = lexer.next();
        }
        return matches;
    }

    /**
     * Moves on if the next token is of a kind.
     *
     * @return that token
     * @throws SyntaxException if it is of another kind
     */
    private Token expect(Token.Kind kind) {
        Token found = token;
        if (!accept(kind)) {
            throw new SyntaxException(found, kind);
        }
        return found;
    }
}
