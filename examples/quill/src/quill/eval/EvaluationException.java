package quill.eval;

import quill.text.QuillException;

/** The program is well formed, but cannot be evaluated. */
public class EvaluationException extends QuillException {
    private static final long serialVersionUID = 1L;
    private static final int NOWHERE = -1;

    /** A complaint about a value, wherever it came from. */
    public EvaluationException(String message) {
        this(NOWHERE, message);
    }

    public EvaluationException(int offset, String message) {
        super(offset, message);
    }

    @Override
    protected String stage() {
        return "evaluation";
    }

    /** The same complaint about another place, unless it has one already. */
    EvaluationException at(int offset) {
        return offset() != NOWHERE ? this : new EvaluationException(offset, getMessage());
    }
}
