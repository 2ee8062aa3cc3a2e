"""Variables that one case declares and another uses: the cases of a switch are one scope, the
branches that they become are not."""

from __future__ import annotations

from acumen.lang.java.declarations import NONE
from acumen.transforms._switch_parts import RefusedError, Switch
from acumen.transforms.code import COMMENTS, Code
from acumen.transforms.edits import Part, Rewrite

_CLASSES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
SHARED = "a variable is shared between cases"


def shared(code: Code, switch: Switch) -> list[int]:
    """The declarations (statements) that must move before the branches."""
    if switch.rules:
        return []
    found: list[int] = []
    classes = False
    for case in switch.cases:
        for statement in case.statements:
            kind = code.kind[statement]
            if kind in _CLASSES:
                classes = True
            elif kind == "local_variable_declaration":
                names = _names(code, statement)
                if not all(_stays(code, statement, name) for name in names):
                    _check(code, switch, statement, names)
                    found.append(statement)
    if found and classes:
        # Those are in scope in their own case only, and may be the variable's type.
        raise RefusedError(SHARED)
    return found


def _names(code: Code, statement: int) -> list[int]:
    return [code.child(one, "name") for one in code.fields(statement, "declarator")]


def _stays(code: Code, statement: int, name: int) -> bool:
    """Whether a name is used only where it is still in scope when the case is a block."""
    end = code.stop[code.parent[statement]]
    return all(statement <= one < end for one in code.occurrences.get(name, ()))


def _check(code: Code, switch: Switch, statement: int, names: list[int]) -> None:
    """Whether variables may be declared before all branches instead."""
    type_ = code.child(statement, "type")
    if code.kind[statement + 1] == "modifiers" or code.text(type_) == "var":
        raise RefusedError(SHARED)
    for name in names:
        value = code.child(code.parent[name], "value")
        if value != NONE and code.kind[value] == "array_initializer":
            raise RefusedError(SHARED)
        uses = set(code.occurrences[name])
        text = code.bytes(name)
        for node in range(switch.node, code.stop[switch.node]):
            kind = code.kind[node]
            # Another variable of that name, or a field, would be hidden.
            if kind == "identifier" and node not in uses and code.bytes(node) == text:
                raise RefusedError(SHARED)
            if kind == "switch_label" and any(code.inside(one, node) for one in uses):
                raise RefusedError(SHARED)


def declared(code: Code, statement: int) -> bytes:
    """The declaration without values."""
    names = [
        code.bytes(name) + _dimensions(code, code.parent[name]) for name in _names(code, statement)
    ]
    return code.bytes(code.child(statement, "type")) + b" " + b", ".join(names) + b";"


def _dimensions(code: Code, declarator: int) -> bytes:
    found = code.child(declarator, "dimensions")
    return code.bytes(found) if found != NONE else b""


def assigned(code: Code, statement: int) -> Rewrite:
    """What is left where a declaration was: its values are assigned."""
    parts: list[Part] = []
    for name in _names(code, statement):
        value = code.child(code.parent[name], "value")
        if value != NONE:
            space = b" " if parts else b""
            parts += (space + code.bytes(name) + b" = ", code.span(value), b";")
    if not parts and any(
        code.kind[one] in COMMENTS for one in range(statement, code.stop[statement])
    ):
        parts = [b";"]
    return Rewrite(*code.span(statement), tuple(parts or [b";"]))
