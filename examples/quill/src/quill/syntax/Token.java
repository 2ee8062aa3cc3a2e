package quill.syntax;

/**
 * A word of a program.
 *
 * @param text how it is spelled there
 * @param start the offset of its first character
 */
public record Token(Kind kind, String text, int start) {
    /** The kinds of words of the language. */
    public enum Kind {
        NUMBER,
        TEXT,
        NAME,
        LET("let"),
        IF("if"),
        THEN("then"),
        ELSE("else"),
        FN("fn"),
        NOT("not"),
        TRUE("true"),
        FALSE("false"),
        NOTHING("nothing"),
        OPERATOR,
        ARROW("=>"),
        ASSIGN("="),
        OPEN("("),
        CLOSE(")"),
        OPEN_LIST("["),
        CLOSE_LIST("]"),
        COMMA(","),
        END_STATEMENT(";"),
        END {
            @Override
            public String label() {
                return "the end";
            }
        };

        private final String spelling;

        Kind() {
            this(null);
        }

        Kind(String spelling) {
            this.spelling = spelling;
        }

        /** How the kind is called in messages. */
        public String label() {
            return spelling == null ? "a " + name().toLowerCase() : "'" + spelling + "'";
        }

        /**
         * Finds the kind that is always spelled in one way.
         *
         * @return the kind, or {@code null} if the word is a name, a number, or no word at all
         */
        public static Kind ofSpelling(String word) {
            for (Kind kind : values()) {
                if (word.equals(kind.spelling)) {
                    return kind;
                }
            }
            return null;
        }

        /** The group by which an editor chooses a colour. */
        public String group() {
            String group = "keyword";
            switch (this) {
                case NUMBER:
                case TEXT:
                case TRUE:
                case FALSE:
                case NOTHING:
                    group = "literal";
                    break;
                case NAME:
                    group = "name";
                    break;
                case LET:
                case IF:
                case THEN:
                case ELSE:
                case FN:
                case NOT:
                    break;
                default:
                    group = "sign";
            }
            return group;
        }

        /** Tells whether an expression can begin with a token of this kind. */
        public boolean beginsExpression() {
            switch (this) {
                case NUMBER:
                case TEXT:
                case NAME:
                case IF:
                case FN:
                case NOT:
                case TRUE:
                case FALSE:
                case NOTHING:
                case OPEN:
                case OPEN_LIST:
                    return true;
                default:
                    return false;
            }
        }
    }

    public Token {
        if (start < 0) {
            throw new IllegalArgumentException("before the beginning: " + start);
        }
    }

    /** The offset behind the token's last character. */
    public int end() {
        return start + text.length();
    }

    public boolean is(Kind wanted) {
        return kind == wanted;
    }

    /** Tells whether this is an operator, and spelled like that. */
    public boolean is(String operator) {
        return kind == Kind.OPERATOR && text.equals(operator);
    }

    /** How the token is quoted in messages. */
    @Override
    public String toString() {
        return kind == Kind.END ? kind.label() : "'" + text + "'";
    }
}
