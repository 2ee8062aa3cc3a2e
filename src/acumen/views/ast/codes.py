"""The numbers that plans and rules speak in, whatever the grammar's own numbers are.

Compiled code keeps them: a number never changes, new ones are added.
"""

from __future__ import annotations

# Fields of the grammar, by their places here.
FIELDS = (
    "", "name", "type", "dimensions", "value", "body", "object", "arguments", "type_arguments",
    "parameters", "right", "operator", "operand", "pattern", "declarator", "init", "update",
    "constructor", "field", "left", "condition", "consequence", "alternative", "array", "index",
    "type_parameters", "superclass", "interfaces", "permits", "resources", "element", "scope",
    "key", "template_processor", "template_argument",
)  # fmt: skip
(
    _, F_NAME, F_TYPE, F_DIMENSIONS, F_VALUE, F_BODY, F_OBJECT, F_ARGUMENTS, F_TYPE_ARGUMENTS,
    F_PARAMETERS, F_RIGHT, F_OPERATOR, F_OPERAND, F_PATTERN, F_DECLARATOR, F_INIT, F_UPDATE,
    F_CONSTRUCTOR, F_FIELD, F_LEFT, F_CONDITION, F_CONSEQUENCE, F_ALTERNATIVE,
) = range(23)  # fmt: skip

# Trees whose plan has code of its own.
(
    NOTHING, IDENTIFIER, SUPER, UNDERSCORE, PRIMITIVE,
    DECIMAL, HEXADECIMAL, OCTAL, BINARY, FLOATING, HEX_FLOATING, CHARACTER, STRING, BOOLEAN, NULL,
    INNER, GUARD, CASE_PATTERN, LENGTH, ANNOTATED_TYPE,
    SCOPED_TYPE, GENERIC_TYPE, ARRAY_TYPE, CREATION, ARRAY_CREATION, WILDCARD, CATCH_TYPE,
    FIELD_ACCESS, INVOCATION, CONSTRUCTOR_CALL, REFERENCE, LAMBDA, CAST, INSTANCE_OF,
    UNARY, STEP, OPERATION, ASSIGNMENT,
    SWITCH, GROUP, RULE, EXPRESSION_STATEMENT, FOREACH, CATCH,
    METHOD, COMPACT, DECLARATION, VARIABLE, PARAMETER, SPREAD, RECEIVER, CAUGHT, RESOURCE,
    TYPE_PATTERN, ENUM_CONSTANT, ENUM_REST, RECORD, ANNOTATION_TYPE, ANNOTATION, MODIFIERS,
    SEMICOLON, ERROR,
) = range(62)  # fmt: skip
# Trees that rows of a table plan have the codes from here on, ...
ROWS = 64
# ... parts of trees that are no trees themselves from here, ...
PARTS = 128
(
    COMMENT, CLASS_BODY, TYPE_LIST, TYPES_CLAUSE, EXTENDS_TYPES, THROWS, BOUNDS,
    TYPE_ARGUMENT_LIST, CASE_LABEL, PATTERN_BODY,
) = range(PARTS, PARTS + 10)  # fmt: skip
# ... tokens from here, operators last.
TOKENS = 160
FLAG, OPEN, ELLIPSIS, COLON, NEW, EXTENDS, STATIC, CLASS, FINAL = range(TOKENS, TOKENS + 9)
OPERATORS = 176

# How a part of a row is drawn: a getter with what it holds; the getter alone; what it holds alone,
# because the two are merged; the getter with a list; with a list of the node's own children.
HOLD, LEAF, LATE, LIST, OWN_LIST = range(5)
# How it is chosen among the children: by its field (below these), by its place among the trees,
# by its code (which is added).
FIRST, SECOND, LAST, BY_CODE = 64, 65, 127, 128
# Which children a list has: all trees; those and lone semicolons; ...
(
    ALL, STATEMENTS, ANNOTATIONS, CATCHES, NAMES, CONSTANTS, PATTERNS, PARAMETERS, LENGTHS, MARKED,
) = range(10)  # fmt: skip
# ... those in a field (which is added).
BY_FIELD = 32

# What a code may have below it: statements, each in a list, in a field, alone; annotations that
# belong to a type.
IN_LIST, IN_FIELD, ALONE, OF_TYPE = range(1, 5)
# Where an operator stands: between operands, in an assignment, before or after its operand.
BETWEEN, ASSIGNING, BEFORE, AFTER = range(4)

# What a row of a plan says beside its label: its edge comes last; it is the plan of a node.
LATER, PLAN_OF = 1 << 8, 1 << 9
