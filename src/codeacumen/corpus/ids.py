"""Stable ids: the same source has the same id on every machine and in every run.

The id of a method is a UUIDv5 of project, path, enclosing types and erased signature; the text of
the method does not change it. Projects, files and types have ids too. An index that is ``NONE``
means that there is no such type or method.
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

# Innermost type arguments (nested ones are removed from the inside out), and the first bound of a
# type variable.
_ARGUMENTS = re.compile(r"<[^<>]*>")
_BOUND = re.compile(r"(\w+)(?: extends ([^&]+))?")


def project_id(project: str) -> uuid.UUID:
    """Return the id of a project, given its name."""
    return uuid.uuid5(NAMESPACE, f"project\0{project}")


def file_id(project: str, path: str) -> uuid.UUID:
    """Return the id of a file, given its project's name and its path in the project."""
    return uuid.uuid5(NAMESPACE, "\0".join(("file", project, path)))


def compute_type_ids(project: str, path: str, declarations: Declarations) -> list[uuid.UUID]:
    """Return the ids of a file's types, in order.

    An id is computed from the id of the enclosing type or file, so that deep nesting is not slower.
    A local class counts as a member of the type around its method.
    """
    ids: list[uuid.UUID] = []
    name_counts: Counter[tuple[uuid.UUID, str]] = Counter()
    for declared_type in declarations.types:
        parent = ids[declared_type.owner] if declared_type.owner != NONE else file_id(project, path)
        ids.append(_child_id(parent, f"type\0{declared_type.name}", name_counts))
    return ids


def compute_method_ids(project: str, path: str, declarations: Declarations) -> list[uuid.UUID]:
    """Return the ids of a file's methods, in order."""
    types = compute_type_ids(project, path, declarations)
    return compute_method_ids_within_types(
        project, path, declarations, types, compute_signatures(declarations)
    )


def compute_signatures(declarations: Declarations) -> list[str]:
    """Return the erased signatures of a file's methods, in order."""
    return [compute_signature(declarations, method) for method in declarations.methods]


def compute_method_ids_within_types(
    project: str,
    path: str,
    declarations: Declarations,
    types: list[uuid.UUID],
    signatures: list[str],
) -> list[uuid.UUID]:
    """Return the ids of a file's methods, given the ids of its types and the signatures."""
    name_counts: Counter[tuple[uuid.UUID, str]] = Counter()
    return [
        _child_id(
            types[method.type] if method.type != NONE else file_id(project, path),
            f"method\0{signature}",
            name_counts,
        )
        for method, signature in zip(declarations.methods, signatures, strict=True)
    ]


def name_target_set(numbers: NDArray[Any]) -> int:
    """Return the name of a set of call targets: the methods of the project that a call may reach.

    ``numbers`` has the sorted numbers of these methods in the project. The name is a hash, so that
    equal sets of different shards have the same name.
    """
    digest = hashlib.sha256(numbers.astype("<i4").tobytes()).digest()
    return int.from_bytes(digest[:8], "little", signed=True)


def _child_id(
    parent: uuid.UUID, name: str, name_counts: Counter[tuple[uuid.UUID, str]]
) -> uuid.UUID:
    """Return the id of a name inside its parent, and count the name in ``name_counts``.

    Two methods may each have a local class of the same name, and broken source may declare a method
    twice: the second and later ones have a number in their ids.
    """
    name_counts[parent, name] += 1
    count = name_counts[parent, name]
    return uuid.uuid5(parent, name if count == 1 else f"{name}#{count}")


def erase_type(declared: str, variables: Mapping[str, str]) -> str:
    """Return the erasure of a type (JLS 4.6): no type arguments, first bounds for variables.

    ``variables`` has the bound of each type variable in scope. ``...`` becomes ``[]``.
    """
    previous = ""
    while previous != declared:
        previous, declared = declared, _ARGUMENTS.sub("", declared)
    brackets = "[]" if declared.endswith("...") else ""
    erased = declared.removesuffix("...") + brackets
    name = erased.split("[")[0]
    # A bound may be a variable itself. Broken source may have a cycle of bounds: stop then.
    for _ in range(len(variables)):
        if name not in variables:
            break
        erased = variables[name] + erased[len(name) :]
        name = erased.split("[")[0]
    return erased


def erase_type_variables(parameters: tuple[str, ...]) -> dict[str, str]:
    """Return the first bound of each declared type variable, without type arguments.

    >>> erase_type_variables(("T", "K extends Comparable<K>&Serializable"))
    {'T': 'Object', 'K': 'Comparable'}
    """
    erasures: dict[str, str] = {}
    for parameter in parameters:
        previous = ""
        while previous != parameter:
            previous, parameter = parameter, _ARGUMENTS.sub("", parameter)
        match = _BOUND.match(parameter)
        if match:
            erasures[match.group(1)] = match.group(2) or "Object"
    return erasures


def compute_signature(declarations: Declarations, method: MethodDeclaration) -> str:
    """Return the erased signature of a method: name and parameter types (JLS 8.4.2).

    Type variables of enclosing types and methods are in scope; inner ones shadow outer ones. The
    name of a constructor is ``<init>``.
    """
    variables = erase_type_variables(method.type_parameters)
    owner = method.type
    while owner != NONE:
        enclosing_type = declarations.types[owner]
        for name, bound in erase_type_variables(enclosing_type.type_parameters).items():
            variables.setdefault(name, bound)
        if enclosing_type.method != NONE:
            enclosing_method = declarations.methods[enclosing_type.method]
            for name, bound in erase_type_variables(enclosing_method.type_parameters).items():
                variables.setdefault(name, bound)
        owner = enclosing_type.owner
    name = "<init>" if "constructor" in method.kind else method.name
    types = ",".join(erase_type(parameter.type, variables) for parameter in method.parameters)
    return f"{name}({types})"
