"""Edits of variables as the published tool applies them: names are words, whatever they denote.

Renaming: a variable gets another name, and so does every other occurrence of the same word. Unused
statement: an unused string is declared before a statement of the method's body. Boolean exchange: a
boolean's values are negated, and its uses where the tool recognises them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import COMMENTS, LOCALS, STATEMENTS, Code
from codeacumen.transforms.edits import Rewrite, replace, wrap
from codeacumen.transforms.location import Doubt, Location, Numbered, seeded, worst
from codeacumen.transforms.unused import CALLS_CONSTRUCTOR, inserted, moment, string_of

_IDENTIFIERS = ("identifier", "type_identifier")
# Declarations of methods and types, and annotations: the tool does not rename their names.
_OWN_NAMES = frozenset(
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
_DECLARED = (LOCALS - {"pattern variable"}) | {"field"}
_LABELS = frozenset(("labeled_statement", "break_statement", "continue_statement"))


def method_node(code: Code, method: int) -> int:
    """Return the node of a method's declaration."""
    return code.file.declarations.methods[method].node


def words(code: Code, top: int) -> Iterator[int]:
    """Yield the names below a node that the tool compares and renames, in order."""
    for node in code.of_kind(top, *_IDENTIFIERS):
        above = code.kind[code.parent[node]]
        if above in _OWN_NAMES and code.field[node] == "name":
            continue
        if above == "method_reference" and node != code.parent[node] + 1:
            continue
        yield node


def by_text(code: Code, top: int) -> dict[bytes, list[int]]:
    """Return the names below a node by their text."""
    found: dict[bytes, list[int]] = {}
    for node in words(code, top):
        found.setdefault(code.bytes(node), []).append(node)
    return found


def declared(code: Code, top: int) -> list[int]:
    """Return the names of variables at their declarations, including fields of classes inside the
    method."""
    return [
        node
        for node in words(code, top)
        if code.declaration.get(node) == node and code.role.get(node) in _DECLARED
    ]


def is_expression(code: Code, node: int) -> bool:
    """Return whether a name is an expression by itself: not a member, label, type or declared
    name."""
    above, field = code.kind[code.parent[node]], code.field[node]
    if code.kind[node] != "identifier" or above in _LABELS or field == "name":
        return False
    if code.declaration.get(node, NONE) == node:
        return False
    return not (above == "field_access" and field == "field")


def shape(code: Code, node: int) -> tuple[bytes, ...]:
    """Return the tokens of a node without comments; the tool treats nodes with equal tokens as the
    same."""
    return tuple(
        code.bytes(at)
        for at in range(node, code.stop[node])
        if code.stop[at] == at + 1 and code.kind[at] not in COMMENTS
    )


class PublishedRename:
    """Variable renaming as in the published tool."""

    name = "published-rename"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why = method_node(code, method), code.unreadable(method)
        numbered, written = Numbered(self.name), by_text(code, top)
        return [
            Location(
                numbered.id(code.text(node)),
                method,
                *code.span(node),
                why,
                node,
                doubt=_doubt(code, written[code.bytes(node)]),
            )
            for node in declared(code, top)
        ]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        written = by_text(code, method_node(code, chosen[0].method))
        new: dict[bytes, bytes] = {}
        number = 0
        for location in chosen:
            while b"var%d" % number in written:
                number += 1
            # A second variable of the same name renames all occurrences again.
            new[code.bytes(location.detail)] = b"var%d" % number
            number += 1
        return [
            replace(*code.span(node), text) for old, text in new.items() for node in written[old]
        ]


def _doubt(code: Code, nodes: Sequence[int]) -> Doubt | None:
    """Return a doubt if one of the names does not belong to a variable declared among them."""
    renamed = set(nodes)
    for node in nodes:
        if code.declaration.get(node, NONE) not in renamed:
            role = code.role.get(node, "unknown")
            article = "an" if role[0] in "aeiou" else "a"
            told = "something else" if role == "unknown" else f"{article} {role}"
            return Doubt(f"it renames {told} of that name, too", role != "unknown")
    return None


class PublishedUnused:
    """Unused statement as in the published tool.

    The tool writes the current time; here the time is sampled with the seed.
    """

    name = "published-unused"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top = method_node(code, method)
        body = code.child(top, "body")
        if body == NONE or b"timestamp" in by_text(code, top):
            return []
        statements = [one for one in code.children(body) if code.kind[one] in STATEMENTS]
        if not statements:
            return []
        drawn = seeded(seed, self.name, code.key(method))
        place = drawn.choice(statements)
        text = f'String timestamp = "{moment(drawn)}";'.encode()
        doubt = None
        if code.file.once(string_of) != "String":
            doubt = Doubt("String is another type here")
        elif code.kind[place] == CALLS_CONSTRUCTOR:
            doubt = Doubt("it stands before the call of another constructor")
        id_ = Numbered(self.name).id("body")
        why = code.unreadable(method)
        return [Location(id_, method, *code.span(place), why, (place, text), doubt=doubt)]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [inserted(code, place, place, text) for place, text in (c.detail for c in chosen)]


# Statements whose expression may be the name itself (conditions are in parentheses).
_STATEMENTS = frozenset(
    (
        "return_statement",
        "assert_statement",
        "expression_statement",
        "yield_statement",
        "for_statement",
    )
)
_CONDITIONED = frozenset(("if_statement", "while_statement", "do_statement", "switch_expression"))


class PublishedBoolean:
    """Boolean exchange as in the published tool."""

    name = "published-boolean"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why = method_node(code, method), code.unreadable(method)
        numbered, written = Numbered(self.name), by_text(code, top)
        found: list[Location] = []
        for node in declared(code, top):
            above = code.parent[node]
            if code.kind[above] != "variable_declarator" or code.child(above, "value") == NONE:
                continue
            if code.declared_type(node).lower() != "boolean":
                continue
            id_ = numbered.id(code.text(node))
            doubt = None if why else worst(_doubts(code, node, written[code.bytes(node)]))
            found.append(Location(id_, method, *code.span(node), why, node, doubt=doubt))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        written = by_text(code, method_node(code, chosen[0].method))
        values, found = [], []
        for text in dict.fromkeys(code.bytes(location.detail) for location in chosen):
            for node in written[text]:
                rewrite, value = _use(code, node)
                if rewrite is not None:
                    found.append(rewrite)
                if value != NONE:
                    values.append(value)
        values += [code.child(code.parent[location.detail], "value") for location in chosen]
        # Later rewrites of the same range are the outer ones, so values come last.
        return [*found, *(wrap(*code.span(one), b"!(", b")") for one in dict.fromkeys(values))]


def _use(code: Code, node: int) -> tuple[Rewrite | None, int]:
    """Return the rewrite of a use, and the value to negate if the use is an assignment."""
    if not is_expression(code, node):
        return None, NONE
    above = code.parent[node]
    kind, field = code.kind[above], code.field[node]
    if kind == "assignment_expression" and field == "left":
        return None, code.child(above, "right")
    if kind == "unary_expression" and code.kind[above + 1] == "!":
        return replace(*code.span(above), code.bytes(node)), NONE
    if _is_known(code, node):
        return replace(*code.span(node), b"!" + code.bytes(node)), NONE
    return None, NONE


def _is_known(code: Code, node: int) -> bool:
    """Return whether the tool negates a use in this context."""
    above = code.parent[node]
    kind, field = code.kind[above], code.field[node]
    if kind in ("binary_expression", "variable_declarator", "assignment_expression"):
        return True
    if kind in _STATEMENTS or (kind == "lambda_expression" and field == "body"):
        return True
    if kind == "parenthesized_expression":
        return code.kind[code.parent[above]] in _CONDITIONED
    if kind == "argument_list":
        return code.kind[code.parent[above]] == "method_invocation"
    return kind == "method_invocation" and field == "object"


def _doubts(code: Code, variable: int, nodes: Sequence[int]) -> Iterator[Doubt]:
    """Yield the reasons why the exchange of a variable may be wrong."""
    for node in nodes:
        if not is_expression(code, node):
            continue
        above = code.parent[node]
        if code.declaration.get(node, NONE) != variable:
            # Correct if the values of the other variable are negated as well.
            yield Doubt("it changes another variable of that name, too", wrong=False)
        elif code.kind[above] == "assignment_expression" and code.field[node] == "left":
            if code.kind[code.child(above, "operator")] != "=":
                yield Doubt("what is added to it is negated")
        elif code.kind[above] != "unary_expression" and not _is_known(code, node):
            yield Doubt("a use stays as it was")
    if code.declared_type(variable) != "boolean":
        yield Doubt("Boolean may be null", wrong=False)
