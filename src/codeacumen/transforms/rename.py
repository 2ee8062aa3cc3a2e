"""Variable renaming: one variable of a method gets the name ``varN``, everywhere it is meant.

Occurrences are those that the bindings find, never those that read the same. The new name occurs
nowhere in the file, so it neither hides anything nor is hidden.
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
    """Names nobody mentions. A method inside another one takes later ones: both may be changed,
    and the inner one may use the outer one's variables."""
    names = (name for n in count() if (name := f"var{n}") not in code.words)
    return islice(names, _around(code, chosen[0].method) if chosen else 0, None)


def _around(code: Code, method: int) -> int:
    """How many variables the methods around a method have."""
    declared = code.file.declarations
    found, type_ = 0, declared.methods[method].type
    while type_ != NONE:
        found += len(code.variables.get(declared.types[type_].method, ()))
        type_ = declared.types[type_].owner
    return found


def _refused(code: Code, variable: int, name: str, canonical: bool) -> str:
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
    """Whether a method is the constructor of a record whose parameters must be called as the
    components (JLS 8.10.4.1): any other constructor calls one."""
    declared = code.file.declarations
    one = declared.methods[method]
    if one.kind != "constructor" or one.type == NONE:
        return False
    if declared.types[one.type].kind != "record":
        return False
    body = [code.kind[statement] for statement in code.children(one.body)]
    return "explicit_constructor_invocation" not in body


def _components(code: Code, method: int) -> list[int]:
    """Where a compact constructor first mentions each of its parameters."""
    one = code.file.declarations.methods[method]
    if one.kind != "compact constructor":
        return []
    first: dict[int, int] = {}
    for node in code.of_kind(one.node, "identifier"):
        if code.role.get(node) == "parameter" and code.declaration[node] < one.node:
            first.setdefault(code.declaration[node], node)
    return list(first.values())


def _constant(code: Code, variable: int) -> bool:
    """Whether a variable may be a constant (JLS 4.12.4), so that a case label may name it."""
    declaration = code.parent[code.parent[variable]]
    if code.kind[declaration] != "local_variable_declaration":
        return False
    modifiers = code.children(declaration)[0]
    return code.kind[modifiers] == "modifiers" and bool(code.of_kind(modifiers, "final"))


def _labels(file: JavaFile) -> dict[str, int]:
    """Words that name constants of enums declared elsewhere, as far as can be told, and the last
    case label of each."""
    code = code_of(file)
    return {
        code.text(node): node
        for node, role in code.role.items()
        if role == "enum constant"
        and code.declaration[node] == NONE
        and code.kind[code.parent[node]] == "switch_label"
    }
