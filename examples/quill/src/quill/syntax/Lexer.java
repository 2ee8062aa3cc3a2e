package quill.syntax;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import quill.text.SourceText;

/** Cuts a program into tokens, one at a time. */
public class Lexer implements Iterator<Token> {
    private final SourceText source;
    private int at;
    private boolean finished;

    public Lexer(SourceText source) {
        this.source = source;
    }

    /** All tokens of a text, the last of them {@link Token.Kind#END}. */
    public static List<Token> tokens(String text) {
        var all = new ArrayList<Token>();
        new Lexer(new SourceText(text)).forEachRemaining(all::add);
        return all;
    }

    @Override
    public boolean hasNext() {
        return !finished;
    }

    /**
     * Reads the next token.
     *
     * @throws SyntaxException if the characters make none
     */
    @Override
    public Token next() {
        if (finished) {
            throw new NoSuchElementException();
        }
        skipBlanks();
        int start = at;
        char c = source.at(at);
        Token.Kind kind;
        if (at >= source.length()) {
            finished = true;
            kind = Token.Kind.END;
        } else if (isDigit(c)) {
            readNumber();
            kind = Token.Kind.NUMBER;
        } else if (Character.isJavaIdentifierStart(c)) {
            do {
                at++;
            } while (Character.isLetterOrDigit(source.at(at)) || source.at(at) == '_');
            Token.Kind keyword = Token.Kind.ofSpelling(source.slice(start, at));
            kind = keyword == null ? Token.Kind.NAME : keyword;
        } else if (c == '"') {
            readText();
            kind = Token.Kind.TEXT;
        } else {
            kind = readSymbol(c);
        }
        return new Token(kind, source.slice(start, at), start);
    }

    /** Passes over blanks and over comments, which begin with a hash. */
    private void skipBlanks() {
        while (true) {
            char c = source.at(at);
            if (c == '#') {
                while (at < source.length() && source.at(at) != '\n') {
                    at++;
                }
            } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                at++;
            } else {
                break;
            }
        }
    }

    /** Digits, a fraction and an exponent; or the bits of a number after {@code 0b}. */
    private void readNumber() {
        if (source.at(at) == '0' && source.at(at + 1) == 'b') {
            at += 2;
            while (source.at(at) == '0' || source.at(at) == '1') {
                at++;
            }
            return;
        }
        skipDigits();
        if (source.at(at) == '.' && isDigit(source.at(at + 1))) {
            at++;
            skipDigits();
        }
        if (source.at(at) == 'e' || source.at(at) == 'E') {
            int sign = source.at(at + 1) == '-' ? 1 : 0;
            if (!isDigit(source.at(at + 1 + sign))) {
                throw new SyntaxException(at, "an exponent needs digits");
            }
            at += 1 + sign;
            skipDigits();
        }
    }

    /** Moves behind the digits that stand here, if any do. */
    private void skipDigits() {
        for (; isDigit(source.at(at)); at++) {
            // the loop's head does it all
        }
    }

    /** Moves behind a text; what its escapes mean is the parser's business. */
    private void readText() {
        int start = at++;
        for (char c = source.at(at); c != '"'; c = source.at(at)) {
            if (at >= source.length() || c == '\n') {
                throw new SyntaxException(start, "this text has no end");
            }
            at += c == '\\' ? 2 : 1;
        }
        at++;
    }

    /** Reads punctuation, the longest sign that fits. */
    @SuppressWarnings("fallthrough")
    private Token.Kind readSymbol(char c) {
        char second = source.at(at + 1);
        switch (c) {
            case '=':
                if (second == '>') {
                    at += 2;
                    return Token.Kind.ARROW;
                }
                // fall through: == is an operator like the others
            case '<':
            case '>':
            case '!':
                if (second == '=') {
                    at += 2;
                    return Token.Kind.OPERATOR;
                }
                if (c == '!') {
                    throw new SyntaxException(at, "a lonely '!'; say 'not'");
                }
                at++;
                return c == '=' ? Token.Kind.ASSIGN : Token.Kind.OPERATOR;
            case '+':
            case '-':
            case '*':
            case '/':
            case '%':
            case '^':
            case '&':
            case '|':
                at++;
                return Token.Kind.OPERATOR;
            default:
                Token.Kind kind = Token.Kind.ofSpelling(String.valueOf(c));
                if (kind == null) {
                    throw new SyntaxException(at, "what is '" + c + "'?");
                }
                at++;
                return kind;
        }
    }

    /** Tells whether a character is one of the ten digits, and not of some other script. */
    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
