"""Stable ids: the same source has the same id on every machine and in every run.

An id is a UUIDv5 of project, path, enclosing types and erased signature.
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

# Never change this: another namespace would change the id of every method.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "acumen:corpus")

_ARGUMENTS = re.compile(r"<[^<>]*>")
_BOUND = re.compile(r"(\w+)(?: extends ([^&]+))?")


def project_id(project: str) -> uuid.UUID:
    return uuid.uuid5(NAMESPACE, f"project\0{project}")


def file_id(project: str, path: str) -> uuid.UUID:
    return uuid.uuid5(NAMESPACE, "\0".join(("file", project, path)))


def type_ids(project: str, path: str, found: Declarations) -> list[uuid.UUID]:
    """Return the ids of a file's types, in order.

    Each id derives from the id of the enclosing type or file, so that deep nesting is not slower.
    """
    ids: list[uuid.UUID] = []
    taken: Counter[tuple[uuid.UUID, str]] = Counter()
    for one in found.types:
        mother = ids[one.owner] if one.owner != NONE else file_id(project, path)
        ids.append(_below(mother, f"type\0{one.name}", taken))
    return ids


def method_ids(project: str, path: str, found: Declarations) -> list[uuid.UUID]:
    """Return the ids of a file's methods, in order."""
    types = type_ids(project, path, found)
    return ids_of_methods(project, path, found, types, signatures(found))


def signatures(found: Declarations) -> list[str]:
    return [signature(found, method) for method in found.methods]


def ids_of_methods(
    project: str, path: str, found: Declarations, types: list[uuid.UUID], erased: list[str]
) -> list[uuid.UUID]:
    """Return the ids of a file's methods, given the ids of its types and the signatures."""
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
    """Return the name of a set of call targets, given their sorted numbers in the project.

    The name is a hash, so that equal sets of different shards have the same name.
    """
    digest = hashlib.sha256(numbers.astype("<i4").tobytes()).digest()
    return int.from_bytes(digest[:8], "little", signed=True)


def _below(mother: uuid.UUID, name: str, taken: Counter[tuple[uuid.UUID, str]]) -> uuid.UUID:
    """Return the id of a name inside its parent.

    Two methods may each have a local class of the same name, and broken source may declare a method
    twice: the second and later ones are numbered.
    """
    taken[mother, name] += 1
    count = taken[mother, name]
    return uuid.uuid5(mother, name if count == 1 else f"{name}#{count}")


def erased(declared: str, variables: Mapping[str, str]) -> str:
    """Return the erasure of a type (JLS 4.6): no type arguments, first bounds for variables."""
    before = ""
    while before != declared:
        before, declared = declared, _ARGUMENTS.sub("", declared)
    brackets = "[]" if declared.endswith("...") else ""
    plain = declared.removesuffix("...") + brackets
    name = plain.split("[")[0]
    # A bound may be a variable itself. Broken source may have a cycle of bounds: stop then.
    for _ in range(len(variables)):
        if name not in variables:
            break
        plain = variables[name] + plain[len(name) :]
        name = plain.split("[")[0]
    return plain


def type_variables(parameters: tuple[str, ...]) -> dict[str, str]:
    """Return the erasure of each declared type variable.

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
    """Return the erased signature of a method: name and parameter types (JLS 8.4.2).

    Type variables of enclosing types and methods are in scope; inner ones shadow outer ones.
    """
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
