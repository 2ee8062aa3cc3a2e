"""The small language that a method is analysed in: what happens to references, and where to.

A method is a list of instructions, each WIDTH numbers: operation, ``d``, ``a``, ``b``, ``c``,
``e``, the instruction that handles an exception (-1: none), the byte it stands at. Registers hold
values; register THIS is the object itself, then the parameters follow, then variables and
intermediate values. Jumps name instructions.
"""

from __future__ import annotations

WIDTH = 8
THIS = 0

(
    CONST,  # d := a value of kind a
    TEXT,  # d := the constant whose text is c
    COPY,  # d := a
    LOAD,  # d := field c of a (-1: of a class), b: what the declaration tells
    STORE,  # field c of a := b; e: 1 if it is the class's
    INDEX,  # d := a[b]
    SET_INDEX,  # a[b] := c
    ARRAY,  # d := a new array; a: its elements are null at first
    EACH,  # d := some element of a
    STEP,  # d := a + c
    AWAY,  # what follows runs some other time
    CALL,  # d := call c
    DEREF,  # a must not be null; b: why; c: the expression
    JUMP,  # to c
    IF_NULL,  # a is null: to c, else to e
    IF_TRUE,  # a is true: to c, else to e
    IF_EQUAL,  # a and b are the same: to c, else to e
    IF_LESS,  # a < b: to c, else to e
    IF_KIND,  # a is an instance of the class in text b (-1: of something): to c, else to e
    IF_CAUGHT,  # what was thrown is one of the classes in text a: to c, else to e
    EITHER,  # to c or to e; with a: to c if there is something in it, else to e
    RETURN,  # a (-1: nothing)
    THROW,  # to its handler, or out: a new object of class c (-1: what was caught)
    HALT,  # never left
) = range(24)

# How the class is written that has none above it.
ROOT = ("Object.class", "java.lang.Object.class")
# Kinds of constants.
UNKNOWN, NONNULL, NULL, TRUE, FALSE = range(5)
# What a field's declaration tells: nothing; may be null; no reference; never null; never null
# and the same for all.
PLAIN, NULLABLE, PRIMITIVE, FILLED, TABLE = range(5)
# Why something must not be null, as a reader is told.
WHY = (
    "is dereferenced by a call",
    "is dereferenced for a field",
    "is dereferenced as an array",
    "is unboxed",
    "is thrown",
    "is locked",
    "is iterated over",
    "is switched on",
)
BY_CALL, BY_FIELD, BY_INDEX, BY_UNBOXING, BY_THROW, BY_LOCK, BY_LOOP, BY_SWITCH = range(len(WHY))
