package quill.syntax;

/** Operators between two operands, with what they do to numbers. */
public enum Operator {
    OR("|", 1),
    AND("&", 2),
    EQUAL("==", 3) {
        @Override
        public double apply(double left, double right) {
            return truth(left == right);
        }
    },
    UNEQUAL("!=", 3) {
        @Override
        public double apply(double left, double right) {
            return truth(left != right);
        }
    },
    LESS("<", 4) {
        @Override
        public double apply(double left, double right) {
            return truth(left < right);
        }
    },
    AT_MOST("<=", 4) {
        @Override
        public double apply(double left, double right) {
            return truth(left <= right);
        }
    },
    GREATER(">", 4) {
        @Override
        public double apply(double left, double right) {
            return truth(left > right);
        }
    },
    AT_LEAST(">=", 4) {
        @Override
        public double apply(double left, double right) {
            return truth(left >= right);
        }
    },
    ADD("+", 5) {
        @Override
        public double apply(double left, double right) {
            return left + right;
        }
    },
    SUBTRACT("-", 5) {
        @Override
        public double apply(double left, double right) {
            return left - right;
        }
    },
    MULTIPLY("*", 6) {
        @Override
        public double apply(double left, double right) {
            return left * right;
        }
    },
    DIVIDE("/", 6) {
        @Override
        public double apply(double left, double right) {
            return left / right;
        }
    },
    REMAINDER("%", 6) {
        @Override
        public double apply(double left, double right) {
            return left % right;
        }
    },
    POWER("^", 7) {
        /** Squares its way through the exponent when that is a small whole number. */
        @Override
        public double apply(double left, double right) {
            if (right != (int) right || right < 0) {
                return Math.pow(left, right);
            }
            double result = 1;
            double square = left;
            for (int bits = (int) right; bits != 0; bits >>= 1) {
                if ((bits & 1) == 1) {
                    result *= square;
                }
                square *= square;
            }
            return result;
        }

        @Override
        public boolean bindsToTheRight() {
            return true;
        }
    };

    private final String sign;
    private final int precedence;

    Operator(String sign, int precedence) {
        this.sign = sign;
        this.precedence = precedence;
    }

    /**
     * Computes the operator's value for two numbers; comparisons give 1 or 0.
     *
     * @throws UnsupportedOperationException for an operator that is not about numbers
     */
    public double apply(double left, double right) {
        throw new UnsupportedOperationException(sign);
    }

    /** How the operator is spelled. */
    public String sign() {
        return sign;
    }

    /** The higher, the tighter. */
    public int precedence() {
        return precedence;
    }

    /** Tells whether {@code a ^ b ^ c} means {@code a ^ (b ^ c)}. */
    public boolean bindsToTheRight() {
        return false;
    }

    /** Tells whether the operator's value is a truth rather than a number. */
    public boolean isComparison() {
        return precedence == 3 || precedence == 4;
    }

    /** Tells whether the value is a number, whatever the operands are, or else an error. */
    public boolean givesNumber() {
        return switch (this) {
            case SUBTRACT, DIVIDE, REMAINDER, POWER -> true;
            default -> false;
        };
    }

    /**
     * Finds the operator that says the same when the operands change places.
     *
     * @return {@code >} for {@code <} and so on; {@code null} if there is no such operator
     */
    public Operator mirrored() {
        switch (this) {
            case EQUAL:
            case UNEQUAL:
                return this;
            case LESS:
                return GREATER;
            case AT_MOST:
                return AT_LEAST;
            case GREATER:
                return LESS;
            case AT_LEAST:
                return AT_MOST;
            default:
                return null;
        }
    }

    /** The number that stands for a truth. */
    private static double truth(boolean holds) {
        return holds ? 1 : 0;
    }

    /** The operator that a token spells; {@code null} if it spells none. */
    public static Operator of(Token token) {
        if (!token.is(Token.Kind.OPERATOR)) {
            return null;
        }
        for (Operator operator : values()) {
            if (token.is(operator.sign)) {
                return operator;
            }
        }
        return null;
    }
}
