"""Variable renaming: one variable of a method gets the name ``varN`` at all of its occurrences.

The bindings determine the occurrences: equal text is not enough. The new name occurs nowhere in the
file, so it neither shadows another declaration nor is shadowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import MAY_BE_INHERITED, Code, code_of, may_be_field
from codeacumen.transforms.edits import Rewrite, replace_range
from codeacumen.transforms.location import Location, LocationIds


class Rename:
    """Renaming of one local variable (abbreviated VN in the paper)."""

    name = "rename"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        location_ids = LocationIds(self.name)
        unreadable_reason = code.unreadable_reason(method)
        is_canonical = _is_canonical_constructor(code, method)
        locations = [
            Location(
                location_ids.next_id(name := code.text(variable)),
                method,
                *code.span(variable),
                unreadable_reason or _refusal_reason(code, variable, name, is_canonical),
                variable,
            )
            for variable in code.local_variables.get(method, ())
        ]
        for node in _first_component_uses(code, method):
            refusal = unreadable_reason or "it is a component of a record"
            locations.append(
                Location(location_ids.next_id(code.text(node)), method, *code.span(node), refusal)
            )
        return sorted(locations, key=lambda location: location.start)

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        rewrites: list[Rewrite] = []
        for location, new_name in zip(selected, _new_names(code, selected), strict=False):
            text = new_name.encode()
            occurrences = code.occurrences[location.detail]
            rewrites += [replace_range(*code.span(node), text) for node in occurrences]
        return rewrites


def _new_names(code: Code, selected: Sequence[Location]) -> Iterator[str]:
    """Yield without end the names ``var0``, ``var1`` and so on that the file does not use.

    For a method inside other methods, the first names are skipped, one for each variable of those
    methods: a caller may change both, and the inner method may use variables of the outer one.
    """
    names = (name for n in count() if (name := f"var{n}") not in code.identifiers)
    return islice(names, _count_outer_variables(code, selected[0].method) if selected else 0, None)


def _count_outer_variables(code: Code, method: int) -> int:
    """Return the number of local variables that all methods around a method have together."""
    declarations = code.file.declarations
    variable_count, type_ = 0, declarations.methods[method].type
    while type_ != NONE:
        variable_count += len(code.local_variables.get(declarations.types[type_].method, ()))
        type_ = declarations.types[type_].owner
    return variable_count


def _refusal_reason(code: Code, variable: int, name: str, is_canonical: bool) -> str:
    """Return why a variable must keep its name; empty if it can be renamed."""
    if name == "this":
        return "it is the receiver"
    if name == "_":
        return "it has no name"
    if is_canonical and code.role[variable] == "parameter":
        return "a record's canonical constructor must name its parameters like the components"
    # Nodes are numbered in source order: a label before the declaration cannot mean the variable.
    last_label = code.file.compute_once(_enum_case_labels).get(name, NONE)
    if last_label > variable and _may_be_constant(code, variable):
        return "a case label may mean it or an enum's constant"
    return MAY_BE_INHERITED if may_be_field(code, variable) else ""


def _is_canonical_constructor(code: Code, method: int) -> bool:
    """Return whether a method is a record's constructor whose parameters must be named like the
    components (JLS 8.10.4.1).

    It is the one without a call of ``this(...)``, with which all other constructors of a record
    must begin. A compact constructor does not count, because it declares no parameters.
    """
    declarations = code.file.declarations
    declaration = declarations.methods[method]
    if declaration.kind != "constructor" or declaration.type == NONE:
        return False
    if declarations.types[declaration.type].kind != "record":
        return False
    statement_kinds = [code.kind[statement] for statement in code.children(declaration.body)]
    return "explicit_constructor_invocation" not in statement_kinds


def _first_component_uses(code: Code, method: int) -> list[int]:
    """Return the first use of each component of a record in its compact constructor.

    There its role is ``parameter``, but the record's header, before the constructor, declares it.
    """
    declaration = code.file.declarations.methods[method]
    if declaration.kind != "compact constructor":
        return []
    first_uses: dict[int, int] = {}
    for node in code.descendants_of_kind(declaration.node, "identifier"):
        if code.role.get(node) == "parameter" and code.declaration[node] < declaration.node:
            first_uses.setdefault(code.declaration[node], node)
    return list(first_uses.values())


def _may_be_constant(code: Code, variable: int) -> bool:
    """Return whether a variable is declared as a final local variable.

    A case label may name such a variable if its value is constant too (JLS 4.12.4).
    """
    declaration = code.parent[code.parent[variable]]
    if code.kind[declaration] != "local_variable_declaration":
        return False
    modifiers = code.children(declaration)[0]
    return code.kind[modifiers] == "modifiers" and bool(
        code.descendants_of_kind(modifiers, "final")
    )


def _enum_case_labels(file: JavaFile) -> dict[str, int]:
    """Return the last node of each name that is a case label without a declaration in this file.

    Such a label may denote a constant of an enum: one of another file, or the selector's type is
    unknown.
    """
    code = code_of(file)
    return {
        code.text(node): node
        for node, role in code.role.items()
        if role == "enum constant"
        and code.declaration[node] == NONE
        and code.kind[code.parent[node]] == "switch_label"
    }
