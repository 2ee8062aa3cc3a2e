"""Codes shared by ``rules``, ``kinds`` and ``plans``, independent of the grammar's numbers.

Compiled code contains these numbers and is cached by the time stamp of its own file only, so
``VERSION`` detects stale code.
"""

from __future__ import annotations

import zlib

from codeacumen.views.ast.labels import LABELS

# Columns of the nodes of a file, one row each: the code of a node's symbol, its field, the node
# after its last descendant, its parent, start and end in bytes; the code that ``kinds`` assigns,
# its label if the code does not imply it, and the node whose annotations belong to it; the operands
# of an operation that ``casts`` corrects. The last three are -1 where they do not apply.
SYMBOL, FIELD, STOP, UP, START, END, CODE, LABEL, ANNOTATED, LEFT, RIGHT = range(11)
COLUMNS = 11

# Fields of the grammar; a field's number is its index.
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

# Codes of syntax without a tree: tokens and parts of trees. HIDDEN nodes are skipped.
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
# Codes of operators: OPERATORS plus the index in ``tables._OPERATORS``; the last one is a masked
# operator.
OPERATORS = 32
# Codes of trees that occur in compiled code; others have the numbers from FREE on. MARKED means
# with annotations.
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
# Trees that are not an operand, statement or type of the tree around them.
ASIDE = 240
ANNOTATION, LENGTH_ANNOTATION, ERROR, EMPTY, MODIFIERS, BARE_MODIFIERS = range(ASIDE, ASIDE + 6)

# Treatments of a part of a tree. ADD draws the label alone, LEAF only if the selected child exists.
# HOLD draws the label with the child's tree below, LATE and DRAW the tree without a label (merged
# with its getter; without a getter). LIST, OWN, REST and STATEMENT_LIST draw the label with a list:
# members of the child, members of the node, siblings after the node, and members of the node with
# expressions as statements. TYPED and ELEMENT_TYPED draw a type with all brackets or all but the
# first, OUTER_ANNOTATIONS the annotations of the first brackets. SELECT draws a name that may be a
# member of an object, CREATED the class that a creation names.
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
# A selection is the sum of two numbers: whose children are candidates (these multiples of 512), and
# which of them (the numbers from FIRST on, or a field). The candidates are children of the node, of
# its parent, of the record around it, or of the declarator in it. From OF_ANNOTATED on, a column
# holds the selected node: the one whose annotations belong to it, or an operand.
OF_NODE, OF_OWNER, OF_RECORD, OF_DECLARATOR = 0, 512, 1024, 1536
OF_ANNOTATED, OF_LEFT, OF_RIGHT = 2048, 2560, 3072
# Selection of a child: by its field (numbers below these); by its position among the trees, as the
# first one without a field, or the last; at either end, tree or not; by its code, added to BY_CODE.
FIRST, SECOND, UNFIELDED, LAST, LEFT_END, RIGHT_END, BY_CODE = 64, 65, 67, 68, 69, 70, 128
# Members of a list by their field, added to BY_FIELD; lower numbers are lists in ``rules.WHICH``.
BY_FIELD = 32
# Membership of a code in a list: not a member, a member, or its children are members.
NO, ITSELF, BELOW = range(3)

# Kinds of children of a code (``Tables.below``): statements in a list, in a field, alone;
# annotations of a type.
IN_LIST, IN_FIELD, ALONE, OF_TYPE = range(1, 5)
# Position of an operator: between operands, in an assignment, before or after its operand.
BETWEEN, ASSIGNING, BEFORE, AFTER = range(4)

# Flags of the label in a plan's row: its edge comes last; it refers to another node's plan.
LATER, PLAN_OF = 1 << 8, 1 << 9
# Special labels of a part: the label of the node itself; no label.
OWN_LABEL, NO_LABEL = 255, -1

# Compiled code refuses to run if it contains another version of these numbers.
VERSION = zlib.crc32(repr((LABELS, {k: v for k, v in globals().items() if k.isupper()})).encode())
