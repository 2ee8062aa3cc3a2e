"""Edits of variables as the published tool applies them: names are words, whatever they denote.

Renaming: a variable gets another name, and so does every other occurrence of the same word. Unused
statement: an unused string is declared before a statement of the method's body. Boolean exchange: a
boolean's values are negated, and its uses where the tool recognises them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeacumen.languages.java.bindings.names import LOCALS
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import COMMENTS, STATEMENTS, Code
from codeacumen.transforms.edits import Rewrite, replace_range, wrap_range
from codeacumen.transforms.location import Doubt, Location, LocationIds, seeded_random, worst_doubt
from codeacumen.transforms.unused import (
    CALLS_CONSTRUCTOR,
    insert_declaration,
    random_timestamp,
    string_type_name,
)

_IDENTIFIERS = ("identifier", "type_identifier")
# Declarations of methods and types, and annotations: the tool does not rename their names.
_NAMED_DECLARATIONS = frozenset(
    (
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "annotation",
        "marker_annotation",
    )
)
# Pattern variables are newer than the tool.
_VARIABLE_ROLES = (frozenset(LOCALS) - {"pattern variable"}) | {"field"}
_LABELS = frozenset(("labeled_statement", "break_statement", "continue_statement"))


def method_node(code: Code, method: int) -> int:
    """Return the node of a method's declaration."""
    return code.file.declarations.methods[method].node


def find_words(code: Code, top: int) -> Iterator[int]:
    """Yield the nodes of the names below a node that the tool compares and renames, in order."""
    for node in code.descendants_of_kind(top, *_IDENTIFIERS):
        parent_kind = code.kind[code.parent[node]]
        if parent_kind in _NAMED_DECLARATIONS and code.field[node] == "name":
            continue
        # The first child of a method reference is its object; the method's name is not renamed.
        if parent_kind == "method_reference" and node != code.parent[node] + 1:
            continue
        yield node


def words_by_text(code: Code, top: int) -> dict[bytes, list[int]]:
    """Return the nodes of ``find_words`` by their text."""
    by_text: dict[bytes, list[int]] = {}
    for node in find_words(code, top):
        by_text.setdefault(code.node_bytes(node), []).append(node)
    return by_text


def find_declarations(code: Code, top: int) -> list[int]:
    """Return the identifiers at the declarations of variables below a node, including fields of
    classes inside the method."""
    return [
        node
        for node in find_words(code, top)
        if code.declaration.get(node) == node and code.role.get(node) in _VARIABLE_ROLES
    ]


def is_expression(code: Code, node: int) -> bool:
    """Return whether a name is an expression by itself: not a member, label, type or declared
    name."""
    parent_kind, field = code.kind[code.parent[node]], code.field[node]
    if code.kind[node] != "identifier" or parent_kind in _LABELS or field == "name":
        return False
    if code.declaration.get(node, NONE) == node:
        return False
    return not (parent_kind == "field_access" and field == "field")


def token_texts(code: Code, node: int) -> tuple[bytes, ...]:
    """Return the tokens of a node without comments; the tool treats nodes with equal tokens as the
    same."""
    return tuple(
        code.node_bytes(descendant)
        for descendant in range(node, code.stop[node])
        if code.stop[descendant] == descendant + 1 and code.kind[descendant] not in COMMENTS
    )


class PublishedRename:
    """Variable renaming as in the published tool."""

    name = "published-rename"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, refusal = method_node(code, method), code.unreadable_reason(method)
        location_ids, nodes_by_text = LocationIds(self.name), words_by_text(code, top)
        return [
            Location(
                location_ids.next_id(code.text(node)),
                method,
                *code.span(node),
                refusal,
                node,
                doubt=_find_rename_doubt(code, nodes_by_text[code.node_bytes(node)]),
            )
            for node in find_declarations(code, top)
        ]

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        nodes_by_text = words_by_text(code, method_node(code, selected[0].method))
        new_names: dict[bytes, bytes] = {}
        number = 0
        for location in selected:
            while b"var%d" % number in nodes_by_text:
                number += 1
            # A second variable of the same name renames all occurrences again.
            new_names[code.node_bytes(location.detail)] = b"var%d" % number
            number += 1
        return [
            replace_range(*code.span(node), text)
            for old, text in new_names.items()
            for node in nodes_by_text[old]
        ]


def _find_rename_doubt(code: Code, nodes: Sequence[int]) -> Doubt | None:
    """Return a doubt if one of the names does not belong to a variable declared among them."""
    renamed = set(nodes)
    for node in nodes:
        if code.declaration.get(node, NONE) not in renamed:
            role = code.role.get(node, "unknown")
            article = "an" if role[0] in "aeiou" else "a"
            description = "something else" if role == "unknown" else f"{article} {role}"
            return Doubt(f"it renames {description} of that name, too", role != "unknown")
    return None


class PublishedUnused:
    """Unused statement as in the published tool.

    The tool writes the current time; here the time is sampled with the seed.
    """

    name = "published-unused"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top = method_node(code, method)
        body = code.child(top, "body")
        if body == NONE or b"timestamp" in words_by_text(code, top):
            return []
        statements = [child for child in code.children(body) if code.kind[child] in STATEMENTS]
        if not statements:
            return []
        generator = seeded_random(seed, self.name, code.method_key(method))
        statement = generator.choice(statements)
        text = f'String timestamp = "{random_timestamp(generator)}";'.encode()
        doubt = None
        if code.file.compute_once(string_type_name) != "String":
            doubt = Doubt("String is another type here")
        elif code.kind[statement] == CALLS_CONSTRUCTOR:
            doubt = Doubt("it precedes an explicit constructor call")
        id_ = LocationIds(self.name).next_id("body")
        refusal = code.unreadable_reason(method)
        return [
            Location(id_, method, *code.span(statement), refusal, (statement, text), doubt=doubt)
        ]

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        return [
            insert_declaration(code, statement, statement, text)
            for statement, text in (location.detail for location in selected)
        ]


# Statements whose expression may be the name itself (conditions are in parentheses).
_EXPRESSION_STATEMENTS = frozenset(
    (
        "return_statement",
        "assert_statement",
        "expression_statement",
        "yield_statement",
        "for_statement",
    )
)
_CONDITION_STATEMENTS = frozenset(
    ("if_statement", "while_statement", "do_statement", "switch_expression")
)


class PublishedBoolean:
    """Boolean exchange as in the published tool."""

    name = "published-boolean"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, refusal = method_node(code, method), code.unreadable_reason(method)
        location_ids, nodes_by_text = LocationIds(self.name), words_by_text(code, top)
        locations: list[Location] = []
        for node in find_declarations(code, top):
            parent = code.parent[node]
            if code.kind[parent] != "variable_declarator" or code.child(parent, "value") == NONE:
                continue
            if code.declared_type(node).lower() != "boolean":
                continue
            id_ = location_ids.next_id(code.text(node))
            doubt = (
                None
                if refusal
                else worst_doubt(
                    _find_boolean_doubts(code, node, nodes_by_text[code.node_bytes(node)])
                )
            )
            locations.append(Location(id_, method, *code.span(node), refusal, node, doubt=doubt))
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        nodes_by_text = words_by_text(code, method_node(code, selected[0].method))
        values, rewrites = [], []
        for text in dict.fromkeys(code.node_bytes(location.detail) for location in selected):
            for node in nodes_by_text[text]:
                rewrite, value = _rewrite_use(code, node)
                if rewrite is not None:
                    rewrites.append(rewrite)
                if value != NONE:
                    values.append(value)
        values += [code.child(code.parent[location.detail], "value") for location in selected]
        # Later rewrites of the same range are the outer ones, so values come last.
        return [
            *rewrites,
            *(wrap_range(*code.span(value), b"!(", b")") for value in dict.fromkeys(values)),
        ]


def _rewrite_use(code: Code, node: int) -> tuple[Rewrite | None, int]:
    """Return the rewrite of a use, and the value to negate if the use is an assignment."""
    if not is_expression(code, node):
        return None, NONE
    parent = code.parent[node]
    kind, field = code.kind[parent], code.field[node]
    if kind == "assignment_expression" and field == "left":
        return None, code.child(parent, "right")
    if kind == "unary_expression" and code.kind[parent + 1] == "!":
        return replace_range(*code.span(parent), code.node_bytes(node)), NONE
    if _is_negated_context(code, node):
        return replace_range(*code.span(node), b"!" + code.node_bytes(node)), NONE
    return None, NONE


def _is_negated_context(code: Code, node: int) -> bool:
    """Return whether the tool negates a use in this context."""
    parent = code.parent[node]
    kind, field = code.kind[parent], code.field[node]
    if kind in ("binary_expression", "variable_declarator", "assignment_expression"):
        return True
    if kind in _EXPRESSION_STATEMENTS or (kind == "lambda_expression" and field == "body"):
        return True
    if kind == "parenthesized_expression":
        return code.kind[code.parent[parent]] in _CONDITION_STATEMENTS
    if kind == "argument_list":
        return code.kind[code.parent[parent]] == "method_invocation"
    return kind == "method_invocation" and field == "object"


def _find_boolean_doubts(code: Code, variable: int, nodes: Sequence[int]) -> Iterator[Doubt]:
    """Yield the reasons why the exchange of a variable may be wrong."""
    for node in nodes:
        if not is_expression(code, node):
            continue
        parent = code.parent[node]
        if code.declaration.get(node, NONE) != variable:
            # Correct if the values of the other variable are negated as well.
            yield Doubt("it changes another variable of that name, too", wrong=False)
        elif code.kind[parent] == "assignment_expression" and code.field[node] == "left":
            if code.kind[code.child(parent, "operator")] != "=":
                yield Doubt("the added value is negated")
        elif code.kind[parent] != "unary_expression" and not _is_negated_context(code, node):
            yield Doubt("a use stays as it was")
    if code.declared_type(variable) != "boolean":
        yield Doubt("Boolean may be null", wrong=False)
