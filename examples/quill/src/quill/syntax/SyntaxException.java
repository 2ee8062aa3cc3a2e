package quill.syntax;

import quill.text.QuillException;

/** The program is not well formed. */
public class SyntaxException extends QuillException {
    private static final long serialVersionUID = 1L;

    public SyntaxException(int offset, String message) {
        super(offset, message);
    }

    /** Says what was expected in place of a token. */
    public SyntaxException(Token found, Token.Kind expected) {
        this(found.start(), "expected " + expected.label() + ", found " + found);
    }

    @Override
    protected String stage() {
        return "syntax";
    }
}
