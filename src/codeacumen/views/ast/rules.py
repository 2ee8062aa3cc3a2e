"""Rules of the ast view: the parts of each kind of tree, in the canonical order of getters.

Short functions define the parts. ``hold("CONDITION", "condition")`` is the getter CONDITION and,
below it, the tree in the grammar's field ``condition``. A part's depth is 0 for the root of the
node's tree and 1 for the getters directly below. A node's **code** (see ``codes``) selects its
rule: a tuple of parts. The edge to a label with the suffix `` late`` comes after those to its
siblings. The label ``own`` is the one that ``kinds`` assigns to the node.
``tables`` converts the rules to arrays.
"""

from __future__ import annotations

from typing import TypeAlias

from codeacumen.views.ast import codes as c
from codeacumen.views.ast.labels import LABEL

# Treatment (``codes.ADD`` to ``CREATED``), label, depth, child, and the number of a list or the
# child with the brackets.
Part: TypeAlias = tuple[int, int, int, int, int]
# A child by the name of its field, or by a selection of ``codes``, such as FIRST.
ChildSelector: TypeAlias = str | int

# Lists by their members: certain trees (ONLY), or all but certain trees and modifiers (BUT).
ONLY: dict[str, tuple[int, ...]] = {
    "annotations": (c.ANNOTATION,),
    "catches": (c.CATCH,),
    "patterns": (c.CASE_PATTERN, c.DEFAULT_LABEL),
    "guards": (c.GUARD,),
    "receivers": (c.RECEIVER, c.QUALIFIED_RECEIVER, c.RECEIVING_PARAMETER),
    "lengths": (c.LENGTH, c.MARKED_LENGTH),
    "length annotations": (c.LENGTH_ANNOTATION,),
    "labels": (c.GROUP_LABEL, c.LAST_LABEL),
}
BUT: dict[str, tuple[int, ...]] = {
    "all": (c.EMPTY,),
    "statements": (),
    "constants": (*ONLY["patterns"], c.GUARD),
    "parameters": ONLY["receivers"],
}
# Numbers of the lists above.
WHICH = {name: place for place, name in enumerate((*ONLY, *BUT))}


def list_number(which: str) -> int:
    """Return the number of a list: a name in ``WHICH``, or a field that holds the members."""
    return WHICH[which] if which in WHICH else c.BY_FIELD + c.FIELDS.index(which)


def make_part(
    treatment: int, label: str, depth: int, child: ChildSelector = 0, second: ChildSelector = 0
) -> Part:
    """Return a part, with names of labels and fields replaced by numbers.

    An empty label means none, so that members and types get no getter.
    """
    name, _, late = label.partition(" ")
    numbers = {"": c.NO_LABEL, "own": c.OWN_LABEL}
    number = numbers[name] if name in numbers else LABEL[name]
    return (
        treatment,
        number | c.LATER if late else number,
        depth,
        c.FIELDS.index(child) if isinstance(child, str) else child,
        c.FIELDS.index(second) if isinstance(second, str) else second,
    )


def child_with_code(number: int) -> int:
    """Return the selection of the first child with this code."""
    return c.BY_CODE + number


def add(label: str, depth: int = 0) -> Part:
    """Return the part that adds a node in any case."""
    return make_part(c.ADD, label, depth)


def leaf(label: str, child: ChildSelector, depth: int = 1) -> Part:
    """Return the part that adds a getter without a tree if the node has such a child."""
    return make_part(c.LEAF, label, depth, child)


def hold(label: str, child: ChildSelector, depth: int = 1) -> Part:
    """Return the part that adds a getter with the tree of a child."""
    return make_part(c.HOLD, label, depth, child)


def late(child: ChildSelector, depth: int = 1) -> Part:
    """Return the part that adds the tree of a child, merged with its getter."""
    return make_part(c.LATE, "", depth, child)


def modifiers(depth: int = 1, of: int = c.OF_NODE) -> tuple[Part, Part]:
    """Return the parts that add the modifiers, with or without flags, merged with their getter.

    ``of`` selects whose modifiers, such as ``codes.OF_OWNER``.
    """
    return late(of + child_with_code(c.MODIFIERS), depth), late(
        of + child_with_code(c.BARE_MODIFIERS), depth
    )


def inner(child: ChildSelector) -> Part:
    """Return the part that replaces the node by the tree of a child."""
    return make_part(c.DRAW, "", 0, child)


def listed(label: str, child: ChildSelector, which: str = "all", depth: int = 1) -> Part:
    """Return the part that adds a getter with the members of a child that is a list."""
    return make_part(c.LIST, label, depth, child, list_number(which))


def own(label: str, which: str = "all", depth: int = 1) -> Part:
    """Return the part that adds a getter with a list of the node's children.

    Without a label, the children replace the node: members are drawn one below the depth of their
    getter, so that depth is then -1.
    """
    return make_part(c.OWN, label, depth if label else -1, 0, list_number(which))


def typed(
    label: str,
    child: ChildSelector = "type",
    depth: int = 1,
    brackets: ChildSelector = "dimensions",
) -> Part:
    """Return the part that adds a getter with a type and the brackets of another child."""
    return make_part(c.TYPED, label, depth, child, brackets)


def select(label: str, name: str, depth: int = 1) -> Part:
    """Return the part that adds a getter with a name that may be a member of an object."""
    return make_part(c.SELECT, label, depth, name)


_BODY = child_with_code(c.CLASS_BODY)
_NAME = leaf("NAME", "name")
_TYPE_PARAMETERS = listed("TYPE_PARAMETERS", "type_parameters")
_TYPE_ARGUMENTS = listed("TYPE_ARGUMENTS", "type_arguments")
_ARGUMENTS = listed("ARGUMENTS", "arguments")
_MEMBERS = listed("MEMBERS", "body")
_IDENTIFIER = (add("IDENTIFIER"), add("NAME", 1))
_DECLARED = (*modifiers(), leaf("SIMPLE_NAME", "name"), _TYPE_PARAMETERS)
_SIGNATURE = (
    _TYPE_PARAMETERS,
    typed("RETURN_TYPE"),
    listed("RECEIVER_PARAMETER", "parameters", "receivers"),
    listed("PARAMETERS", "parameters", "parameters"),
    listed("THROWS", child_with_code(c.THROWS)),
    hold("BODY", "body"),
    hold("DEFAULT_VALUE", "value"),
)
# A type with annotations of its own: first the annotations, then the type.
_ANNOTATED = (add("ANNOTATED_TYPE"), own("ANNOTATIONS", "annotations"), add("UNDERLYING_TYPE", 1))
_INNERMOST = (
    add("ANNOTATED_TYPE"),
    listed("ANNOTATIONS", c.OF_ANNOTATED, "annotations"),
    add("UNDERLYING_TYPE", 1),
)
_CREATION = (
    add("NEW_CLASS"),
    hold("ENCLOSING_EXPRESSION", c.UNFIELDED),
    _TYPE_ARGUMENTS,
    _ARGUMENTS,
)
_BOUND = (
    add("INSTANCE_OF"),
    hold("EXPRESSION", "left"),
    add("PATTERN", 1),
    add("BINDING_PATTERN", 2),
    add("VARIABLE late", 3),
    leaf("NAME", "name", 4),
)
_BOUND_FINAL = (
    leaf("MODIFIERS late", child_with_code(c.FLAG), 4),
    leaf("FLAGS", child_with_code(c.FLAG), 5),
)
_BOUND_MARKS = listed("ANNOTATIONS", child_with_code(c.ANNOTATED_TYPE), "annotations", 5)
_BOUND_TYPE = hold("TYPE", "right", 4)
_CASE = (
    add("CASE"),
    own("EXPRESSIONS", "constants"),
    own("LABELS", "patterns"),
    own("GUARD", "guards"),
)
_LABEL = child_with_code(c.CASE_LABEL)
_PARAMETER = (add("VARIABLE"), _NAME, *modifiers(), typed("TYPE"))
_RECEIVER = (
    add("VARIABLE"),
    leaf("NAME", c.LAST),
    leaf("MODIFIERS late", child_with_code(c.ANNOTATION)),
    own("ANNOTATIONS", "annotations", 2),
    hold("TYPE", c.FIRST),
)
_CONSTANT = (add("VARIABLE"), _NAME, *modifiers())
_CREATED = (add("INITIALIZER", 1), add("NEW_CLASS", 2), listed("ARGUMENTS", "arguments", depth=3))
_ANNOTATION = (add("own"), hold("ANNOTATION_TYPE", "name"), _ARGUMENTS)
_BLOCK = (add("BLOCK"), own("STATEMENTS", "statements"))
_TRY = (
    add("TRY"),
    listed("RESOURCES", "resources"),
    late("body"),
    own("CATCHES", "catches"),
    hold("FINALLY_BLOCK", child_with_code(c.INNER)),
)

# Parts by code, for the trees whose code depends on more than their symbol.
BY_KIND: dict[int, tuple[Part, ...]] = {
    c.IDENTIFIER: _IDENTIFIER,
    c.SUPER: _IDENTIFIER,
    c.UNDERSCORE: _IDENTIFIER,
    c.MARKED_IDENTIFIER: (*_INNERMOST, add("IDENTIFIER", 2), add("NAME", 3)),
    c.PRIMITIVE: (add("PRIMITIVE_TYPE"), add("PRIMITIVE_TYPE_KIND", 1)),
    c.MARKED_PRIMITIVE: (*_INNERMOST, add("PRIMITIVE_TYPE", 2), add("PRIMITIVE_TYPE_KIND", 3)),
    c.LAMBDA_NAME: (add("VARIABLE"), add("NAME", 1)),
    c.UNNAMED: (add("VARIABLE"),),
    c.PLAIN: (add("own"),),
    c.VALUED: (add("own"), add("VALUE", 1)),
    c.INNER: (inner(c.FIRST),),
    c.GUARD: (inner(c.FIRST),),
    c.LENGTH: (inner(c.FIRST),),
    c.MARKED_LENGTH: (inner(c.FIRST),),
    c.ANNOTATED_TYPE: (inner(c.FIRST),),
    c.CATCH_TYPE: (inner(c.FIRST),),
    c.UNION: (add("UNION_TYPE"), own("TYPE_ALTERNATIVES")),
    c.SCOPED_TYPE: (
        add("MEMBER_SELECT"),
        hold("EXPRESSION", c.FIRST),
        leaf("IDENTIFIER", c.LAST),
    ),
    c.MARKED_SCOPED_TYPE: (
        *_ANNOTATED,
        add("MEMBER_SELECT", 2),
        hold("EXPRESSION", c.FIRST, 3),
        leaf("IDENTIFIER", c.LAST, 3),
    ),
    c.GENERIC_TYPE: (
        add("PARAMETERIZED_TYPE"),
        hold("TYPE", c.FIRST),
        listed("TYPE_ARGUMENTS", child_with_code(c.TYPE_ARGUMENT_LIST)),
    ),
    c.ARRAY_TYPE: (typed("", "element", 0),),
    c.WILDCARD: (add("own"), hold("BOUND", c.LAST)),
    c.MARKED_WILDCARD: (*_ANNOTATED, add("own", 2), hold("BOUND", c.LAST, 3)),
    c.TYPE_PARAMETER: (
        add("TYPE_PARAMETER"),
        own("ANNOTATIONS", "annotations"),
        leaf("NAME", c.FIRST),
        listed("BOUNDS", child_with_code(c.BOUNDS)),
    ),
    c.CREATION: (*_CREATION, make_part(c.CREATED, "IDENTIFIER", 1, "type")),
    c.ANONYMOUS: (
        *_CREATION,
        leaf("CLASS_BODY", _BODY),
        leaf("CLASS", _BODY, 2),
        hold("EXTENDS_CLAUSE", "type", 3),
        listed("MEMBERS", _BODY, depth=3),
    ),
    c.ARRAY_CREATION: (
        add("NEW_ARRAY"),
        typed("TYPE", brackets=child_with_code(c.DIMS)),
        own("DIM_ANNOTATIONS", "length annotations"),
        own("DIMENSIONS", "lengths"),
    ),
    c.VALUES_CREATION: (
        add("NEW_ARRAY"),
        make_part(c.ELEMENT_TYPED, "TYPE", 1, "type", child_with_code(c.DIMS)),
        make_part(c.OUTER_ANNOTATIONS, "ANNOTATIONS", 1, child_with_code(c.DIMS)),
        listed("INITIALIZERS", "value"),
    ),
    c.CAST: (add("TYPE_CAST"), hold("TYPE", "type"), hold("EXPRESSION", "value")),
    c.INTERSECTION: (
        add("TYPE_CAST"),
        add("TYPE", 1),
        add("INTERSECTION_TYPE", 2),
        own("BOUNDS", "type", 3),
        hold("EXPRESSION", "value"),
    ),
    c.INSTANCE_OF: (
        add("INSTANCE_OF"),
        hold("EXPRESSION", "left"),
        hold("TYPE", "right"),
        hold("PATTERN", "pattern"),
    ),
    c.BINDING: (*_BOUND, _BOUND_TYPE),
    c.FINAL_BINDING: (*_BOUND, *_BOUND_FINAL, _BOUND_TYPE),
    c.MARKED_BINDING: (*_BOUND, add("MODIFIERS late", 4), _BOUND_MARKS, _BOUND_TYPE),
    c.FINAL_MARKED_BINDING: (*_BOUND, *_BOUND_FINAL, _BOUND_MARKS, _BOUND_TYPE),
    c.UNARY: (add("own"), hold("EXPRESSION", "operand")),
    c.INCREMENTED_UNARY: (
        add("own"),
        add("EXPRESSION", 1),
        add("POSTFIX_INCREMENT", 2),
        hold("EXPRESSION", "operand", 3),
    ),
    c.DECREMENTED_UNARY: (
        add("own"),
        add("EXPRESSION", 1),
        add("POSTFIX_DECREMENT", 2),
        hold("EXPRESSION", "operand", 3),
    ),
    c.STEP: (add("own"), hold("EXPRESSION", c.FIRST)),
    c.OPERATION: (add("own"), hold("LEFT_OPERAND", "left"), hold("RIGHT_OPERAND", "right")),
    c.OPERATION_ON: (
        add("own"),
        hold("LEFT_OPERAND", c.OF_LEFT),
        hold("RIGHT_OPERAND", c.OF_RIGHT),
    ),
    c.UNARY_ON: (add("own"), hold("EXPRESSION", c.OF_RIGHT)),
    c.CAST_ON: (add("TYPE_CAST"), hold("TYPE", c.OF_LEFT), hold("EXPRESSION", c.OF_RIGHT)),
    c.PARENTHESIZED_NAME: (
        add("PARENTHESIZED"),
        hold("EXPRESSION", c.OF_OWNER + c.F_TYPE),
    ),
    c.ASSIGNMENT: (add("own"), hold("VARIABLE", "left"), hold("EXPRESSION", "right")),
    c.LAMBDA: (
        add("LAMBDA_EXPRESSION"),
        hold("PARAMETERS", child_with_code(c.LAMBDA_NAME)),
        hold("PARAMETERS", child_with_code(c.UNNAMED)),
        listed("PARAMETERS", "parameters"),
        hold("BODY", "body"),
    ),
    c.SWITCH: (add("own"), hold("EXPRESSION", "condition"), listed("CASES", "body")),
    c.GROUP: (own("", "labels"),),
    c.GROUP_LABEL: _CASE,
    c.LAST_LABEL: (*_CASE, make_part(c.REST, "STATEMENTS", 1, 0, list_number("statements"))),
    c.RULE: (
        add("CASE"),
        listed("EXPRESSIONS", _LABEL, "constants"),
        listed("LABELS", _LABEL, "patterns"),
        listed("GUARD", _LABEL, "guards"),
        hold("BODY", c.LAST),
    ),
    c.CASE_PATTERN: (add("PATTERN_CASE_LABEL"), hold("PATTERN", c.FIRST)),
    c.DEFAULT_LABEL: (add("DEFAULT_CASE_LABEL"),),
    c.TYPE_PATTERN: (
        add("BINDING_PATTERN"),
        add("VARIABLE late", 1),
        leaf("NAME", c.RIGHT_END, 2),
        hold("TYPE", c.LEFT_END, 2),
    ),
    c.ANY_PATTERN: (add("ANY_PATTERN"),),
    c.EXPRESSION_STATEMENT: (add("EXPRESSION_STATEMENT"), hold("EXPRESSION", c.FIRST)),
    c.SWITCH_STATEMENT: (inner(c.FIRST), inner(child_with_code(c.EMPTY))),
    c.FOREACH: (
        add("ENHANCED_FOR_LOOP"),
        add("VARIABLE late", 1),
        leaf("NAME", "name", 2),
        *modifiers(2),
        typed("TYPE", depth=2),
        hold("EXPRESSION", "value"),
        hold("STATEMENT", "body"),
    ),
    c.CATCH: (add("CATCH"), late("body"), hold("PARAMETER", c.FIRST)),
    c.METHOD: (add("METHOD"), _NAME, *modifiers(), *_SIGNATURE),
    c.MARKED_METHOD: (
        add("METHOD"),
        _NAME,
        add("MODIFIERS late", 1),
        leaf("FLAGS", child_with_code(c.MODIFIERS), 2),
        listed("ANNOTATIONS", child_with_code(c.MODIFIERS), depth=2),
        listed("ANNOTATIONS", child_with_code(c.BARE_MODIFIERS), depth=2),
        own("ANNOTATIONS", "annotations", 2),
        *_SIGNATURE,
    ),
    c.DECLARATION: (own("", "declarator"),),
    c.DECLARATOR: (
        add("VARIABLE"),
        _NAME,
        *modifiers(of=c.OF_OWNER),
        typed("TYPE", c.OF_OWNER + c.F_TYPE),
        hold("INITIALIZER", "value"),
    ),
    c.PARAMETER: _PARAMETER,
    c.RECEIVING_PARAMETER: _PARAMETER,
    c.RECEIVER: _RECEIVER,
    c.QUALIFIED_RECEIVER: (
        *_RECEIVER,
        add("NAME_EXPRESSION", 1),
        add("MEMBER_SELECT", 2),
        hold("EXPRESSION", c.SECOND, 3),
    ),
    c.RESOURCE: (
        add("VARIABLE"),
        _NAME,
        *modifiers(),
        typed("TYPE"),
        hold("INITIALIZER", "value"),
    ),
    c.VAR_RESOURCE: (
        add("VARIABLE"),
        _NAME,
        add("MODIFIERS late", 1),
        hold("INITIALIZER", "value"),
    ),
    c.ENUM_CONSTANT: _CONSTANT,
    c.CREATED_CONSTANT: (*_CONSTANT, *_CREATED),
    c.CONSTANT_WITH_BODY: (
        *_CONSTANT,
        *_CREATED,
        leaf("CLASS_BODY", _BODY, 3),
        leaf("ENUM", _BODY, 4),
        listed("MEMBERS", _BODY, depth=5),
    ),
    c.RECORD: (
        add("RECORD"),
        *_DECLARED,
        listed("IMPLEMENTS_CLAUSE", "interfaces"),
        listed("MEMBERS", "parameters"),
        _MEMBERS,
    ),
    c.ANNOTATION_TYPE: (add("ANNOTATION_TYPE"), *_DECLARED, _MEMBERS),
    c.UNMODIFIED_ANNOTATION_TYPE: (
        add("ANNOTATION_TYPE"),
        add("MODIFIERS late", 1),
        *_DECLARED,
        _MEMBERS,
    ),
    c.ANNOTATION: _ANNOTATION,
    c.LENGTH_ANNOTATION: _ANNOTATION,
    c.MODIFIERS: (add("MODIFIERS"), add("FLAGS", 1), own("ANNOTATIONS", "annotations")),
    c.BARE_MODIFIERS: (add("MODIFIERS"), own("ANNOTATIONS", "annotations")),
    c.EMPTY: (add("EMPTY_STATEMENT"),),
    c.ERROR: (add("ERRONEOUS"), own("ERROR_TREES")),
}

# Parts by the name of the symbol, for the trees whose code depends on their symbol alone;
# ``tables`` gives them the codes from ``codes.FREE`` on.
BY_SYMBOL: dict[str, tuple[Part, ...]] = {
    "scoped_identifier": (
        add("MEMBER_SELECT"),
        hold("EXPRESSION", "scope"),
        leaf("IDENTIFIER", "name"),
    ),
    "field_access": (select("", "field", 0),),
    "class_literal": (
        add("MEMBER_SELECT"),
        hold("EXPRESSION", c.FIRST),
        leaf("IDENTIFIER", child_with_code(c.CLASS)),
    ),
    "method_invocation": (
        add("METHOD_INVOCATION"),
        _TYPE_ARGUMENTS,
        select("METHOD_SELECT", "name"),
        _ARGUMENTS,
    ),
    "explicit_constructor_invocation": (
        add("EXPRESSION_STATEMENT"),
        add("EXPRESSION", 1),
        add("METHOD_INVOCATION", 2),
        listed("TYPE_ARGUMENTS", "type_arguments", depth=3),
        select("METHOD_SELECT", "constructor", 3),
        listed("ARGUMENTS", "arguments", depth=3),
    ),
    "method_reference": (
        add("MEMBER_REFERENCE"),
        hold("QUALIFIER_EXPRESSION", c.FIRST),
        listed("TYPE_ARGUMENTS", child_with_code(c.TYPE_ARGUMENT_LIST)),
        leaf("NAME", c.SECOND),
        leaf("MODE", child_with_code(c.NEW)),
    ),
    "parenthesized_expression": (add("PARENTHESIZED"), hold("EXPRESSION", c.FIRST)),
    "array_access": (add("ARRAY_ACCESS"), hold("EXPRESSION", "array"), hold("INDEX", "index")),
    "ternary_expression": (
        add("CONDITIONAL_EXPRESSION"),
        hold("CONDITION", "condition"),
        hold("TRUE_EXPRESSION", "consequence"),
        hold("FALSE_EXPRESSION", "alternative"),
    ),
    "array_initializer": (add("NEW_ARRAY"), own("INITIALIZERS")),
    "element_value_array_initializer": (add("NEW_ARRAY"), own("INITIALIZERS")),
    "element_value_pair": (add("ASSIGNMENT"), hold("VARIABLE", "key"), hold("EXPRESSION", "value")),
    "template_expression": (
        add("TEMPLATE"),
        hold("PROCESSOR", "template_processor"),
        listed("EXPRESSIONS", "template_argument"),
    ),
    "record_pattern": (
        add("DECONSTRUCTION_PATTERN"),
        hold("DECONSTRUCTOR", c.FIRST),
        listed("NESTED_PATTERNS", child_with_code(c.PATTERN_BODY)),
    ),
    "block": _BLOCK,
    "constructor_body": _BLOCK,
    "static_initializer": (
        add("BLOCK"),
        leaf("IS_STATIC", child_with_code(c.FLAG)),
        listed("STATEMENTS", c.FIRST, "statements"),
    ),
    "labeled_statement": (
        add("LABELED_STATEMENT"),
        leaf("LABEL", c.FIRST),
        hold("STATEMENT", c.LAST),
    ),
    "assert_statement": (add("ASSERT"), hold("CONDITION", c.FIRST), hold("DETAIL", c.SECOND)),
    "break_statement": (add("BREAK"), leaf("LABEL", c.FIRST)),
    "continue_statement": (add("CONTINUE"), leaf("LABEL", c.FIRST)),
    "return_statement": (add("RETURN"), hold("EXPRESSION", c.FIRST)),
    "throw_statement": (add("THROW"), hold("EXPRESSION", c.FIRST)),
    "yield_statement": (add("YIELD"), hold("VALUE", c.FIRST)),
    "if_statement": (
        add("IF"),
        hold("CONDITION", "condition"),
        hold("THEN_STATEMENT", "consequence"),
        hold("ELSE_STATEMENT", "alternative"),
    ),
    "while_statement": (
        add("WHILE_LOOP"),
        hold("CONDITION", "condition"),
        hold("STATEMENT", "body"),
    ),
    "do_statement": (
        add("DO_WHILE_LOOP"),
        hold("CONDITION", "condition"),
        hold("STATEMENT", "body"),
    ),
    "for_statement": (
        add("FOR_LOOP"),
        make_part(c.STATEMENT_LIST, "INITIALIZER", 1, 0, list_number("init")),
        hold("CONDITION", "condition"),
        make_part(c.STATEMENT_LIST, "UPDATE", 1, 0, list_number("update")),
        hold("STATEMENT", "body"),
    ),
    "synchronized_statement": (add("SYNCHRONIZED"), hold("EXPRESSION", c.FIRST), late("body")),
    "try_statement": _TRY,
    "try_with_resources_statement": _TRY,
    "catch_formal_parameter": (add("VARIABLE"), _NAME, *modifiers(), typed("TYPE", c.FIRST)),
    "spread_parameter": (
        add("VARIABLE"),
        leaf("NAME", c.OF_DECLARATOR + c.F_NAME),
        *modifiers(),
        typed("TYPE", c.FIRST, brackets=child_with_code(c.ELLIPSIS)),
    ),
    "compact_constructor_declaration": (
        add("METHOD"),
        _NAME,
        *modifiers(),
        listed("PARAMETERS", c.OF_RECORD + c.F_PARAMETERS),
        hold("BODY", "body"),
    ),
    "class_declaration": (
        add("CLASS"),
        *_DECLARED,
        hold("EXTENDS_CLAUSE", "superclass"),
        listed("IMPLEMENTS_CLAUSE", "interfaces"),
        listed("PERMITS_CLAUSE", "permits"),
        _MEMBERS,
    ),
    "interface_declaration": (
        add("INTERFACE"),
        *_DECLARED,
        listed("IMPLEMENTS_CLAUSE", child_with_code(c.EXTENDS_TYPES)),
        listed("PERMITS_CLAUSE", "permits"),
        _MEMBERS,
    ),
    "enum_declaration": (
        add("ENUM"),
        *_DECLARED,
        listed("IMPLEMENTS_CLAUSE", "interfaces"),
        _MEMBERS,
    ),
}
