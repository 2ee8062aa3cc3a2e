"""The numbers that rules, kinds and plans speak in, whatever the grammar's own numbers are.

Compiled code keeps them, and is itself kept beside its own file: see VERSION.
"""

from __future__ import annotations

import zlib

from codeacumen.views.ast.labels import LABELS

# Columns of the nodes: the code of a node's symbol, its field, stop, parent, start and end; the
# code that is settled, its label if that code does not tell it, and the node whose annotations
# belong to it; the operands of an operation that are not where the grammar put them.
SYMBOL, FIELD, STOP, UP, START, END, CODE, LABEL, ANNOTATED, LEFT, RIGHT = range(11)
COLUMNS = 11

# Fields of the grammar, by their places here.
FIELDS = (
    "",
    "name",
    "type",
    "dimensions",
    "value",
    "parameters",
    "object",
    "operator",
    "operand",
    "body",
    "consequence",
    "alternative",
    "init",
    "update",
    "declarator",
    "arguments",
    "type_arguments",
    "type_parameters",
    "superclass",
    "interfaces",
    "permits",
    "resources",
    "left",
    "right",
    "pattern",
    "condition",
    "array",
    "index",
    "constructor",
    "field",
    "element",
    "scope",
    "key",
    "template_processor",
    "template_argument",
)
(
    _,
    F_NAME,
    F_TYPE,
    F_DIMENSIONS,
    F_VALUE,
    F_PARAMETERS,
    F_OBJECT,
    F_OPERATOR,
    F_OPERAND,
    F_BODY,
    F_CONSEQUENCE,
    F_ALTERNATIVE,
) = range(12)

# Codes of what is no tree: tokens, and syntax that is part of a tree; HIDDEN: as if not there.
(
    NOTHING,
    COMMENT,
    HIDDEN,
    FLAG,
    OPEN,
    ELLIPSIS,
    COLON,
    NEW,
    EXTENDS,
    CLASS,
    DOT,
    CLASS_BODY,
    TYPE_LIST,
    TYPES_CLAUSE,
    EXTENDS_TYPES,
    THROWS,
    BOUNDS,
    TYPE_ARGUMENT_LIST,
    ARGUMENT_LIST,
    CASE_LABEL,
    PATTERN_BODY,
    DIMS,
    INFERRED,
) = range(23)
OPERATORS = 32
# Codes of trees that compiled code asks for; others have the numbers from FREE on.
TREES = 80
(
    IDENTIFIER,
    SUPER,
    UNDERSCORE,
    PRIMITIVE,
    MARKED_IDENTIFIER,
    MARKED_PRIMITIVE,
    LAMBDA_NAME,
    UNNAMED,
    DECIMAL,
    HEXADECIMAL,
    OCTAL,
    BINARY,
    FLOATING,
    HEX_FLOATING,
    CHARACTER,
    STRING,
    BOOLEAN,
    NULL,
    PLAIN,
    VALUED,
    INNER,
    CASE_PATTERN,
    DEFAULT_LABEL,
    GUARD,
    LENGTH,
    MARKED_LENGTH,
    ANNOTATED_TYPE,
    SCOPED_TYPE,
    MARKED_SCOPED_TYPE,
    GENERIC_TYPE,
    ARRAY_TYPE,
    WILDCARD,
    MARKED_WILDCARD,
    CATCH_TYPE,
    UNION,
    TYPE_PARAMETER,
    CREATION,
    ANONYMOUS,
    ARRAY_CREATION,
    VALUES_CREATION,
    CAST,
    INTERSECTION,
    INSTANCE_OF,
    BINDING,
    FINAL_BINDING,
    MARKED_BINDING,
    FINAL_MARKED_BINDING,
    UNARY,
    STEP,
    OPERATION,
    ASSIGNMENT,
    LAMBDA,
    SWITCH,
    GROUP,
    GROUP_LABEL,
    LAST_LABEL,
    RULE,
    EXPRESSION_STATEMENT,
    SWITCH_STATEMENT,
    FOREACH,
    METHOD,
    MARKED_METHOD,
    DECLARATION,
    DECLARATOR,
    PARAMETER,
    RECEIVER,
    QUALIFIED_RECEIVER,
    RESOURCE,
    TYPE_PATTERN,
    ANY_PATTERN,
    ENUM_CONSTANT,
    CREATED_CONSTANT,
    CONSTANT_WITH_BODY,
    ENUM_REST,
    RECORD,
    ANNOTATION_TYPE,
    UNMODIFIED_ANNOTATION_TYPE,
    CATCH,
    RECEIVING_PARAMETER,
    INCREMENTED_UNARY,
    DECREMENTED_UNARY,
    OPERATION_ON,
    UNARY_ON,
    CAST_ON,
    PARENTHESIZED_NAME,
    VAR_RESOURCE,
) = range(TREES, TREES + 86)
FREE = 168
# Trees that are no operand, statement or type of the tree around them.
ASIDE = 240
ANNOTATION, LENGTH_ANNOTATION, ERROR, EMPTY, MODIFIERS, BARE_MODIFIERS = range(ASIDE, ASIDE + 6)

# How a part of a tree is drawn: its label alone, whatever is there, or if something chosen is;
# with what is chosen below it; what is chosen without it (merged, or having none); with a list:
# of what is chosen, of the node's own children, of what follows it, of expressions as
# statements; with a type and its brackets, all or but the first, or with the first one's
# annotations; with a name that may be a member of something; the class that is created.
(
    ADD,
    LEAF,
    HOLD,
    LATE,
    DRAW,
    LIST,
    OWN,
    REST,
    STATEMENT_LIST,
    TYPED,
    ELEMENT_TYPED,
    OUTER_ANNOTATIONS,
    SELECT,
    CREATED,
) = range(14)
# Whose children are chosen from: the node's own, its parent's, those of the record around it, of
# the declarator in it; or nodes that it was given: the one whose annotations it has, its operands.
OF_NODE, OF_OWNER, OF_RECORD, OF_DECLARATOR = 0, 512, 1024, 1536
OF_ANNOTATED, OF_LEFT, OF_RIGHT = 2048, 2560, 3072
# How a child is chosen: by its field (below these); by its place among the trees, as the first
# of those in no field, or the last; at either end, tree or not; by its code (which is added).
FIRST, SECOND, UNFIELDED, LAST, LEFT_END, RIGHT_END, BY_CODE = 64, 65, 67, 68, 69, 70, 128
# Which children a list has, if not those in a field (which is added).
BY_FIELD = 32
# Whether a code is in a list: not, itself, or what is below it.
NO, ITSELF, BELOW = range(3)

# What a code may have below it: statements in a list, in a field, alone; annotations of a type.
IN_LIST, IN_FIELD, ALONE, OF_TYPE = range(1, 5)
# Where an operator stands: between operands, in an assignment, before or after its operand.
BETWEEN, ASSIGNING, BEFORE, AFTER = range(4)

# What a row of a plan says beside its label: its edge comes last; it is another node's plan.
LATER, PLAN_OF = 1 << 8, 1 << 9
# In place of a label: the one that the node itself has; none.
OWN_LABEL, NO_LABEL = 255, -1

# Compiled code that knows other numbers than these does nothing.
VERSION = zlib.crc32(repr((LABELS, {k: v for k, v in globals().items() if k.isupper()})).encode())
