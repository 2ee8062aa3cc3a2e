"""Variable renaming: one variable of a method gets the name ``varN`` at all of its occurrences.

Occurrences come from the bindings, not from equal text. The new name occurs nowhere in the file, so
it neither shadows another declaration nor is shadowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import MAY_BE_INHERITED, Code, code_of, may_be_field
from codeacumen.transforms.edits import Rewrite, replace
from codeacumen.transforms.location import Location, Numbered


class Rename:
    """Renaming of one local variable (abbreviated VN in the paper)."""

    name = "rename"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        numbered = Numbered(self.name)
        broken = code.unreadable(method)
        canonical = _canonical(code, method)
        found = [
            Location(
                numbered.id(name := code.text(variable)),
                method,
                *code.span(variable),
                broken or _refused(code, variable, name, canonical),
                variable,
            )
            for variable in code.variables.get(method, ())
        ]
        for node in _components(code, method):
            why = broken or "it is a component of a record"
            found.append(Location(numbered.id(code.text(node)), method, *code.span(node), why))
        return sorted(found, key=lambda one: one.start)

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        found: list[Rewrite] = []
        for location, new in zip(chosen, _new_names(code, chosen), strict=False):
            text = new.encode()
            places = code.occurrences[location.detail]
            found += [replace(*code.span(node), text) for node in places]
        return found


def _new_names(code: Code, chosen: Sequence[Location]) -> Iterator[str]:
    """Yield names that the file does not use.

    A method inside another one skips as many names as the methods around it have variables: both
    may be changed, and the inner method may use variables of the outer one.
    """
    names = (name for n in count() if (name := f"var{n}") not in code.words)
    return islice(names, _around(code, chosen[0].method) if chosen else 0, None)


def _around(code: Code, method: int) -> int:
    """Return the number of variables of the methods around a method."""
    declared = code.file.declarations
    found, type_ = 0, declared.methods[method].type
    while type_ != NONE:
        found += len(code.variables.get(declared.types[type_].method, ()))
        type_ = declared.types[type_].owner
    return found


def _refused(code: Code, variable: int, name: str, canonical: bool) -> str:
    """Return why a variable must keep its name; empty if it can be renamed."""
    if name == "this":
        return "it is the receiver"
    if name == "_":
        return "it has no name"
    if canonical and code.role[variable] == "parameter":
        return "a record's canonical constructor names the components"
    label = code.file.once(_labels).get(name, NONE)
    if label > variable and _constant(code, variable):
        return "a case label may mean it or an enum's constant"
    return MAY_BE_INHERITED if may_be_field(code, variable) else ""


def _canonical(code: Code, method: int) -> bool:
    """Return whether a method is a record's constructor whose parameters must be named like the
    components (JLS 8.10.4.1).

    Every other constructor of a record calls a constructor.
    """
    declared = code.file.declarations
    one = declared.methods[method]
    if one.kind != "constructor" or one.type == NONE:
        return False
    if declared.types[one.type].kind != "record":
        return False
    body = [code.kind[statement] for statement in code.children(one.body)]
    return "explicit_constructor_invocation" not in body


def _components(code: Code, method: int) -> list[int]:
    """Return the first occurrence of each parameter in a compact constructor."""
    one = code.file.declarations.methods[method]
    if one.kind != "compact constructor":
        return []
    first: dict[int, int] = {}
    for node in code.of_kind(one.node, "identifier"):
        if code.role.get(node) == "parameter" and code.declaration[node] < one.node:
            first.setdefault(code.declaration[node], node)
    return list(first.values())


def _constant(code: Code, variable: int) -> bool:
    """Return whether a variable may be a constant (JLS 4.12.4), so that a case label may name
    it."""
    declaration = code.parent[code.parent[variable]]
    if code.kind[declaration] != "local_variable_declaration":
        return False
    modifiers = code.children(declaration)[0]
    return code.kind[modifiers] == "modifiers" and bool(code.of_kind(modifiers, "final"))


def _labels(file: JavaFile) -> dict[str, int]:
    """Return the names in case labels that may denote constants of enums declared in other files,
    each with its last case label."""
    code = code_of(file)
    return {
        code.text(node): node
        for node, role in code.role.items()
        if role == "enum constant"
        and code.declaration[node] == NONE
        and code.kind[code.parent[node]] == "switch_label"
    }
