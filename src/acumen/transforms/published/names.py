"""Names as the published tool sees them: words, whatever they mean."""

from __future__ import annotations

from collections.abc import Iterator

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import COMMENTS, LOCALS, Code

_IDENTIFIERS = ("identifier", "type_identifier")
# Whose names are no words like others: declarations of methods and types, and annotations.
_OWN_NAMES = frozenset((
    "method_declaration", "constructor_declaration", "compact_constructor_declaration",
    "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
    "annotation_type_declaration", "annotation", "marker_annotation",
))  # fmt: skip
# A pattern's variable came to Java after the tool.
_DECLARED = (LOCALS - {"pattern variable"}) | {"field"}
_LABELS = frozenset(("labeled_statement", "break_statement", "continue_statement"))


def method_node(code: Code, method: int) -> int:
    return code.file.declarations.methods[method].node


def words(code: Code, top: int) -> Iterator[int]:
    """The names below a node, in order, that are compared and renamed."""
    for node in code.of_kind(top, *_IDENTIFIERS):
        above = code.kind[code.parent[node]]
        if above in _OWN_NAMES and code.field[node] == "name":
            continue
        if above == "method_reference" and node != code.parent[node] + 1:
            continue
        yield node


def by_text(code: Code, top: int) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    for node in words(code, top):
        found.setdefault(code.bytes(node), []).append(node)
    return found


def declared(code: Code, top: int) -> list[int]:
    """Names of variables where they are declared: fields of classes inside a method, too."""
    return [
        node
        for node in words(code, top)
        if code.declaration.get(node) == node and code.role.get(node) in _DECLARED
    ]


def is_expression(code: Code, node: int) -> bool:
    """Whether a name is an expression by itself: no member, label, type or declared name."""
    above, field = code.kind[code.parent[node]], code.field[node]
    if code.kind[node] != "identifier" or above in _LABELS or field == "name":
        return False
    if code.declaration.get(node, NONE) == node:
        return False
    return not (above == "field_access" and field == "field")


def shape(code: Code, node: int) -> tuple[bytes, ...]:
    """A stretch of code without white space and comments: equal ones are one to the tool."""
    return tuple(
        code.bytes(at)
        for at in range(node, code.stop[node])
        if code.stop[at] == at + 1 and code.kind[at] not in COMMENTS
    )
