"""Ids that survive: the same source gives the same id on every machine and in every run.

A UUIDv5 of project, path, enclosing types and erased signature (design, decision 2).
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from codeacumen.languages.java.syntax.declarations import NONE, Declarations, MethodDeclaration

# Fixed forever: another namespace would give every method another id.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "acumen:corpus")

_ARGUMENTS = re.compile(r"<[^<>]*>")
_BOUND = re.compile(r"(\w+)(?: extends ([^&]+))?")


def project_id(project: str) -> uuid.UUID:
    return uuid.uuid5(NAMESPACE, f"project\0{project}")


def file_id(project: str, path: str) -> uuid.UUID:
    return uuid.uuid5(NAMESPACE, "\0".join(("file", project, path)))


def type_ids(project: str, path: str, found: Declarations) -> list[uuid.UUID]:
    """Ids of a file's types, in their order. Each is made from that of what encloses it, so that
    deep nesting costs no more than shallow."""
    ids: list[uuid.UUID] = []
    taken: Counter[tuple[uuid.UUID, str]] = Counter()
    for one in found.types:
        mother = ids[one.owner] if one.owner != NONE else file_id(project, path)
        ids.append(_below(mother, f"type\0{one.name}", taken))
    return ids


def method_ids(project: str, path: str, found: Declarations) -> list[uuid.UUID]:
    """Ids of a file's methods, in their order."""
    types = type_ids(project, path, found)
    return ids_of_methods(project, path, found, types, signatures(found))


def signatures(found: Declarations) -> list[str]:
    return [signature(found, method) for method in found.methods]


def ids_of_methods(
    project: str, path: str, found: Declarations, types: list[uuid.UUID], erased: list[str]
) -> list[uuid.UUID]:
    """The same for one who has the types' ids and the signatures already."""
    taken: Counter[tuple[uuid.UUID, str]] = Counter()
    return [
        _below(
            types[method.type] if method.type != NONE else file_id(project, path),
            f"method\0{text}",
            taken,
        )
        for method, text in zip(found.methods, erased, strict=True)
    ]


def targets_name(numbers: NDArray[Any]) -> int:
    """The name of a set of methods that a call may reach, by their numbers in the project, which
    are in order: equal sets have the same name wherever they are met."""
    digest = hashlib.sha256(numbers.astype("<i4").tobytes()).digest()
    return int.from_bytes(digest[:8], "little", signed=True)


def _below(mother: uuid.UUID, name: str, taken: Counter[tuple[uuid.UUID, str]]) -> uuid.UUID:
    """An id for a name inside something. Two methods may each have a local class of one name,
    and broken source may declare a method twice: from the second on they are numbered."""
    taken[mother, name] += 1
    count = taken[mother, name]
    return uuid.uuid5(mother, name if count == 1 else f"{name}#{count}")


def erased(declared: str, variables: Mapping[str, str]) -> str:
    """A type without its type arguments; a type variable becomes its first bound."""
    before = ""
    while before != declared:
        before, declared = declared, _ARGUMENTS.sub("", declared)
    brackets = "[]" if declared.endswith("...") else ""
    plain = declared.removesuffix("...") + brackets
    name = plain.split("[")[0]
    # A bound may be a variable itself; a circle of bounds is no Java.
    for _ in range(len(variables)):
        if name not in variables:
            break
        plain = variables[name] + plain[len(name) :]
        name = plain.split("[")[0]
    return plain


def type_variables(parameters: tuple[str, ...]) -> dict[str, str]:
    """The erasure of each declared type variable.

    >>> type_variables(("T", "K extends Comparable<K>&Serializable"))
    {'T': 'Object', 'K': 'Comparable'}
    """
    found: dict[str, str] = {}
    for parameter in parameters:
        before = ""
        while before != parameter:
            before, parameter = parameter, _ARGUMENTS.sub("", parameter)
        match = _BOUND.match(parameter)
        if match:
            found[match.group(1)] = match.group(2) or "Object"
    return found


def signature(found: Declarations, method: MethodDeclaration) -> str:
    """The erased signature: name and parameter types. Variables of the enclosing types and
    methods count, the innermost first."""
    variables = type_variables(method.type_parameters)
    owner = method.type
    while owner != NONE:
        declaring = found.types[owner]
        for name, bound in type_variables(declaring.type_parameters).items():
            variables.setdefault(name, bound)
        if declaring.method != NONE:
            outer = found.methods[declaring.method]
            for name, bound in type_variables(outer.type_parameters).items():
                variables.setdefault(name, bound)
        owner = declaring.owner
    name = "<init>" if "constructor" in method.kind else method.name
    types = ",".join(erased(parameter.type, variables) for parameter in method.parameters)
    return f"{name}({types})"
