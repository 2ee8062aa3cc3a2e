"""Tables of the flow kernel: a code for each kind of node of the grammar, and for each code the
recipe of its evaluation.

To lower a node is to emit the kernel's instructions for it. A point is an event of the evaluation;
a label stands for a position among the instructions (``flow/kernel.py``). A recipe is a list of
steps, with ``;`` between them. A step names a child by its field, as ``first`` or ``second`` of the
evaluated children, or as ``self``, the node itself:

- ``visit x``: lower x; ``children``: lower all children; ``each x``: lower all in that field;
- ``decide x yes no``: x is a condition; control continues at one of two labels;
- ``set l``: place a label here; ``jump l``: continue at a label;
- ``point x event``: emit a point for x; ``operate x``: emit an operation that may throw;
- ``aim x event``: lower what an assignment evaluates of its left side before the right side, with
  the event of a plain variable; ``write x``: emit the write;
- ``fork x yes no``: branch to one of two labels at x itself; ``raise x``: throw always;
- ``leave self``, ``try self``, ``choose self``, ``name self again``: lower a jump, a try, a switch,
  a labelled statement, for which the kernel has functions.

A step whose child is missing does nothing; a missing condition is true. The caller sets the labels
``then`` and ``else`` of a condition; the recipe makes ``yes``, ``no``, ``end`` and ``again``. A
recipe that sets ``again`` is a loop: ``continue`` jumps there and ``break`` to ``end``.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.flow import kernel as flow
from codeacumen.languages.java.syntax.grammar import field_number
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS

# Codes of the grammar's named nodes; all others are OTHER.
KINDS = {
    "identifier": flow.IDENT,
    "parenthesized_expression": flow.PAREN,
    "field_access": flow.FIELD_ACCESS,
    "array_access": flow.ARRAY_ACCESS,
    "assignment_expression": flow.ASSIGN,
    "update_expression": flow.UPDATE,
    "binary_expression": flow.BINARY,
    "ternary_expression": flow.TERNARY,
    "instanceof_expression": flow.INSTANCEOF,
    "lambda_expression": flow.LAMBDA,
    "true": flow.TRUE,
    "false": flow.FALSE,
    "null_literal": flow.NULL,
    "variable_declarator": flow.DECLARED,
    "resource_specification": flow.RESOURCES,
    "resource": flow.RESOURCE,
    "class_body": flow.CLASS_BODY,
    "enum_body": flow.CLASS_BODY,
    "interface_body": flow.CLASS_BODY,
    "annotation_type_body": flow.CLASS_BODY,
    "method_declaration": flow.METHOD,
    "constructor_declaration": flow.METHOD,
    "compact_constructor_declaration": flow.METHOD,
    "static_initializer": flow.STATIC_BLOCK,
    "field_declaration": flow.FIELD,
    "constant_declaration": flow.FIELD,
    "enum_constant": flow.CONSTANT,
    "formal_parameter": flow.FORMAL,
    "catch_formal_parameter": flow.FORMAL,
    "spread_parameter": flow.SPREAD,
    "inferred_parameters": flow.INFERRED,
    "type_pattern": flow.BINDING,
    "record_pattern_component": flow.BINDING,
    "record_pattern": flow.RECORD_PATTERN,
    "pattern": flow.PATTERN,
    "switch_block_statement_group": flow.GROUP,
    "switch_rule": flow.RULE,
    "switch_label": flow.LABEL,
    "guard": flow.GUARD,
    "catch_clause": flow.CATCH,
    "finally_clause": flow.FINALLY,
    # A switch expression; ``refine_codes`` recognises switch statements by their parent.
    "switch_expression": flow.ANSWER,
    "block": flow.BLOCK,
    "constructor_body": flow.BLOCK,
    "expression_statement": flow.SIMPLE,
    "local_variable_declaration": flow.LOCAL,
    "labeled_statement": flow.LABELED,
    "assert_statement": flow.ASSERT,
    "do_statement": flow.DO,
    "break_statement": flow.BREAK,
    "continue_statement": flow.CONTINUE,
    "return_statement": flow.RETURN,
    "yield_statement": flow.YIELD,
    "throw_statement": flow.THROW,
    "try_statement": flow.TRY,
    "try_with_resources_statement": flow.TRY,
    "if_statement": flow.IF,
    "while_statement": flow.WHILE,
    "for_statement": flow.FOR,
    "enhanced_for_statement": flow.FOREACH,
    "synchronized_statement": flow.SYNCHRONIZED,
    **dict.fromkeys(
        (
            "method_invocation", "explicit_constructor_invocation", "object_creation_expression",
            "array_creation_expression", "cast_expression", "method_reference",
            "template_expression",
        ),
        flow.OPERATION,
    ),
    # Nothing is evaluated at run time: types, comments, annotations; and a class declared in a
    # body does not run there.
    **dict.fromkeys(
        (
            "line_comment", "block_comment", "modifiers", "annotation", "marker_annotation",
            "type_identifier", "scoped_type_identifier", "generic_type", "array_type",
            "annotated_type", "integral_type", "floating_point_type", "boolean_type", "void_type",
            "type_arguments", "type_parameters", "dimensions", "catch_type", "throws",
            "receiver_parameter", "class_literal", "this", "super", "underscore_pattern",
            *NUMBER_LITERALS, "character_literal", "string_fragment", "multiline_string_fragment",
            "escape_sequence", "class_declaration", "interface_declaration", "enum_declaration",
            "record_declaration", "annotation_type_declaration", "import_declaration",
            "package_declaration", "annotation_type_element_declaration",
        ),
        flow.SKIP,
    ),
}  # fmt: skip
# Selectors of the grammar's fields; a child in any other field has NO_FIELD.
FIELDS = {
    "alternative": flow.IN_ALTERNATIVE,
    "body": flow.IN_BODY,
    "condition": flow.IN_CONDITION,
    "consequence": flow.IN_CONSEQUENCE,
    "declarator": flow.IN_DECLARATOR,
    "field": flow.IN_FIELD,
    "init": flow.IN_INIT,
    "left": flow.IN_LEFT,
    "name": flow.IN_NAME,
    "object": flow.IN_OBJECT,
    "operator": flow.IN_OPERATOR,
    "parameters": flow.IN_PARAMETERS,
    "pattern": flow.IN_PATTERN,
    "resources": flow.IN_RESOURCES,
    "right": flow.IN_RIGHT,
    "type": flow.IN_TYPE,
    "update": flow.IN_UPDATE,
    "value": flow.IN_VALUE,
}
# Codes of expressions by their operator; / and % are operations because they may throw.
OPERATORS = {
    "&&": flow.AND,
    "||": flow.OR,
    "!": flow.NOT,
    "/": flow.OPERATION,
    "%": flow.OPERATION,
    "+": flow.CONCAT,
    "=": flow.ASSIGN,
    "/=": flow.DIVIDE_BY,
    "%=": flow.DIVIDE_BY,
    **dict.fromkeys(("+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", ">>>="), flow.COMPOUND),
}

_WHILE = "set again; decide condition yes end; set yes; visit body; jump again; set end"
# Recipes of nodes that are evaluated for effect or value; a code without one does nothing.
RECIPES = {
    **dict.fromkeys(
        (
            flow.OTHER, flow.PAREN, flow.BINARY, flow.CONCAT, flow.NOT, flow.RESOURCES, flow.FORMAL,
            flow.SPREAD, flow.INFERRED, flow.BINDING, flow.PATTERN, flow.BLOCK, flow.FINALLY,
        ),
        "children",
    ),
    flow.IDENT: "aim self READ",
    flow.NAME: "point self BIND",
    flow.ALWAYS: "point self READ",
    flow.NEVER: "point self READ",
    flow.OPERATION: "children; operate self",
    flow.ARRAY_ACCESS: "children; operate self",
    flow.FIELD_ACCESS: "visit object; operate self",
    flow.RECORD_PATTERN: "operate self; children",
    flow.ASSIGN: "aim left NOTHING; visit right; write left",
    flow.COMPOUND: "aim left READ; visit right; write left",
    flow.DIVIDE_BY: "aim left READ; visit right; operate self; write left",
    flow.UPDATE: "aim first READ; write first",
    flow.AND: "decide self end end; set end",
    flow.OR: "decide self end end; set end",
    flow.INSTANCEOF: "decide self end end; set end",
    flow.TERNARY: "decide condition yes no; set yes; visit consequence; jump end;"
    " set no; visit alternative; set end",
    flow.LAMBDA: "point self OPERATES",
    flow.DECLARED: "point name DECLARE",
    flow.INITIALISED: "visit value; point name BIND",
    flow.RESOURCE: "visit value; point name BIND",
    flow.ANSWER: "visit condition; choose self",
    flow.SWITCH: "point self STATEMENT; visit condition; choose self",
    flow.SIMPLE: "point self STATEMENT; children",
    flow.LOCAL: "point self STATEMENT; each declarator",
    flow.LABELED: "point self STATEMENT; name self again",
    flow.RETURN: "point self STATEMENT; visit first; leave self",
    flow.YIELD: "point self STATEMENT; visit first; leave self",
    flow.BREAK: "point self STATEMENT; leave self",
    flow.CONTINUE: "point self STATEMENT; leave self",
    flow.THROW: "point self STATEMENT; visit first; raise self",
    flow.TRY: "try self",
    flow.IF: "point self STATEMENT; decide condition yes no; set yes; visit consequence; jump end;"
    " set no; visit alternative; set end",
    flow.WHILE: f"point self STATEMENT; {_WHILE}",
    flow.DO: "point self STATEMENT; set yes; visit body; set again; decide condition yes end;"
    " set end",
    flow.FOR: "point self STATEMENT; each init; set no; decide condition yes end; set yes;"
    " visit body; set again; each update; jump no; set end",
    flow.FOREACH: "point self STATEMENT; visit value; set again; operate self; fork self yes end;"
    " set yes; point name BIND; visit body; jump again; set end",
    flow.SYNCHRONIZED: "point self STATEMENT; visit first; operate self; visit body",
    # Assertions may be disabled.
    flow.ASSERT: "point self STATEMENT; fork self yes end; set yes; decide first end no; set no;"
    " visit second; raise self; set end",
}  # fmt: skip
# Recipes of nodes as conditions; all other codes have _OTHER_CONDITION.
CONDITIONS = {
    flow.GUARD: "decide first then else",
    flow.NOT: "decide first else then",
    flow.AND: "decide left yes else; set yes; decide right then else",
    flow.OR: "decide left then yes; set yes; decide right then else",
    flow.TERNARY: "decide condition yes no; set yes; decide consequence then else;"
    " set no; decide alternative then else",
    flow.INSTANCEOF: "visit left; fork self yes else; set yes; visit name; visit pattern;"
    " jump then",
    flow.TRUE: "jump then",
    flow.FALSE: "jump else",
    flow.ALWAYS: "point self READ; jump then",
    flow.NEVER: "point self READ; jump else",
}
_OTHER_CONDITION = "visit self; fork self then else"
# Recipes that differ in the Checker Framework's graph: it has a point for the target of an
# assignment before the right side. It folds no constants either (see ``compile_recipes``).
CHECKER = {flow.ASSIGN: "aim left TARGET; visit right; write left"}

# The kernel's numbers of the words of a step: its task, the child, the arguments (slots).
_TASKS = {
    "point": flow.POINT, "visit": flow.VISIT, "each": flow.EACH, "children": flow.CHILDREN,
    "decide": flow.DECIDE, "fork": flow.FORK, "operate": flow.OPERATE, "raise": flow.RAISES,
    "leave": flow.LEAVES, "aim": flow.AIMS, "write": flow.WRITES, "try": flow.TRIES,
    "name": flow.NAMES, "choose": flow.CHOOSES, "set": flow.SET, "jump": flow.JUMP,
}  # fmt: skip
_CHILDREN = {**FIELDS, "first": flow.FIRST, "second": flow.SECOND, "self": flow.SELF}
_ARGUMENTS = {
    "then": flow.THEN,
    "else": flow.ELSE,
    "yes": flow.YES,
    "no": flow.NO,
    "end": flow.END,
    "again": flow.AGAIN,
    **{
        name: flow.EVENTS + getattr(flow, name)
        for name in ("STATEMENT", "OPERATES", "BIND", "DECLARE", "READ", "TARGET", "NOTHING")
    },
}

Recipes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]


@cache
def compile_recipes(checker: bool) -> Recipes:
    """Return offsets (2 * CODES + 1), steps (steps, 4) and needed labels (2 * CODES, NONE + 1).

    Recipe c is of the nodes with code c, recipe CODES + c of conditions with code c. A step is the
    task, the selector of the child and two slots of arguments. ``needs[r, slot]``: recipe r makes
    the label of the slot; ``needs[r, NONE]``: it is a loop. With ``checker`` the recipes are those
    of the Checker Framework's graph."""
    texts = [RECIPES.get(code, "") for code in range(flow.CODES)]
    texts += [CONDITIONS.get(code, _OTHER_CONDITION) for code in range(flow.CODES)]
    if checker:
        for code, text in CHECKER.items():
            texts[code] = text
        for code in (flow.TRUE, flow.FALSE, flow.ALWAYS, flow.NEVER):
            texts[flow.CODES + code] = _OTHER_CONDITION
    offsets = [0]
    steps: list[tuple[int, int, int, int]] = []
    needs = np.zeros((len(texts), flow.NONE + 1), dtype=np.bool_)
    for recipe, text in enumerate(texts):
        for step in filter(None, text.split(";")):
            task, *rest = step.split()
            child = flow.SELF
            if rest and task not in ("set", "jump"):
                child = _CHILDREN[rest.pop(0)]
            # At most two; NONE fills the slots that are left.
            arguments = [_ARGUMENTS[name] for name in rest]
            # The recipe that places a label also makes it.
            needs[
                recipe,
                [argument for argument in arguments if task == "set" and argument >= flow.YES],
            ] = True
            first, second = (*arguments, flow.NONE, flow.NONE)[:2]
            steps.append((_TASKS[task], child, first, second))
        needs[recipe, flow.NONE] = needs[recipe, flow.AGAIN]
        offsets.append(len(steps))
    return np.array(offsets), np.array(steps), needs


@lru_cache(maxsize=1)
def make_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the code of each symbol of the grammar, the selector of each field, and the code that
    each operator gives its expression (0: none), as arrays of 65,536 elements.

    Tokens are skipped; the children of an ERROR are evaluated."""
    grammar = load_grammar()
    kinds = np.zeros(1 << 16, dtype=np.uint8)
    operators = np.zeros(1 << 16, dtype=np.uint8)
    grammar_names: set[str] = set()
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if grammar.node_kind_is_named(symbol):
            kinds[symbol] = KINDS.get(name, flow.OTHER)
        else:
            kinds[symbol] = flow.DEFAULT if name == "default" else flow.SKIP
            operators[symbol] = OPERATORS.get(name, 0)
        grammar_names.add(name)
    unknown = {*KINDS, *OPERATORS} - grammar_names
    if unknown:
        raise ValueError(f"the grammar has no {', '.join(sorted(unknown))}")
    fields = np.zeros(1 << 16, dtype=np.uint8)
    for name, code in FIELDS.items():
        fields[field_number(name)] = code
    return kinds, fields, operators
