"""What a name in an expression means: a variable, a type or a package (JLS 6.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from acumen.lang.java.calls.expressions import FIELD, NAME
from acumen.lang.java.calls.members import bound_types, find_field, read_field
from acumen.lang.java.calls.model import Class
from acumen.lang.java.calls.scopes import NESTING, field_type, lookup, member_type, own_type
from acumen.lang.java.calls.types import (
    INT,
    UNKNOWN,
    ArrayType,
    ClassType,
    Type,
    Variable,
    class_type,
)  # fmt: skip

if TYPE_CHECKING:
    from acumen.lang.java.calls.attribution import Attribution


class Meaning(NamedTuple):
    """``kind``: value, type or package; ``type``: of the value, or the type itself."""

    kind: str
    type: Type = UNKNOWN
    package: str = ""


NOBODY_KNOWS = Meaning("value")


def meaning(at: Attribution, row: int) -> Meaning:
    code = at.rows.code[row]
    if code == NAME:
        scope = at.rows.scopes[row]
        return _simple(at, scope.cls, scope.method, at.rows.text(row))
    if code == FIELD and at.rows.size[row] > 1:
        return _selected(at, row, at.meaning(row + 1), at.rows.text(row))
    return Meaning("value", at.type_of(row))


def _simple(at: Attribution, cls: Class, method: int, name: str) -> Meaning:
    value = variable(at, cls, name)
    if value is not None and value is not UNKNOWN:
        return Meaning("value", value)
    found = lookup(at.world, cls, method, name)
    if isinstance(found, Class):
        return Meaning("type", class_type(found))
    if isinstance(found, Variable):
        return Meaning("type", found)
    if value is UNKNOWN:
        return NOBODY_KNOWS
    if name[:1].isupper():
        return Meaning("type", class_type(at.world.guess(name, at.rows.unit)))
    return Meaning("package", package=name)


def _selected(at: Attribution, row: int, before: Meaning, name: str) -> Meaning:
    world = at.world
    if before.kind == "package":
        qualified = f"{before.package}.{name}"
        cls = world.find(qualified, at.rows.unit)
        if cls is None and name[:1].isupper():
            cls = world.named(qualified)
        if cls is not None:
            return Meaning("type", class_type(cls))
        return Meaning("package", package=qualified)
    if before.kind == "type" and isinstance(before.type, ClassType):
        cls = before.type.cls
        field = find_field(world, cls, name)
        if field is not None:
            return Meaning("value", field_type(world, field))
        inner = member_type(world, cls, name)
        if inner is not None:
            return Meaning("type", class_type(inner))
        return NOBODY_KNOWS
    for type_ in bound_types(before.type):
        if isinstance(type_, ArrayType) and name == "length":
            return Meaning("value", INT)
        if isinstance(type_, ClassType):
            field = find_field(world, type_.cls, name)
            if field is not None:
                return Meaning("value", at.settled(read_field(world, type_, field), row))
    return NOBODY_KNOWS


def variable(at: Attribution, cls: Class, name: str) -> Type | None:
    """The type of the field that a simple name means in a class; UNKNOWN if there may be one
    that nobody sees, None if there is none."""
    key = (cls, name)
    if key not in at.variables:
        at.variables[key] = _variable(at, cls, name)
    return at.variables[key]


def _variable(at: Attribution, cls: Class, name: str) -> Type | None:
    world = at.world
    here: Class | None = cls
    unclear = False
    for _ in range(NESTING):
        if here is None:
            break
        field = find_field(world, here, name)
        if field is not None:
            # A class between may inherit another one of the same name from outside.
            return UNKNOWN if unclear else read_field(world, own_type(world, here), field)
        unclear = unclear or not here.complete
        here = here.owner
    unit = at.rows.unit
    for before in (*unit.static.get(name, ()), *unit.static_on_demand):
        holder = world.find(before, unit)
        if holder is None:
            unclear = True
            continue
        field = find_field(world, holder, name)
        if field is not None:
            return UNKNOWN if unclear else field_type(world, field)
        unclear = unclear or not holder.complete
    return UNKNOWN if unclear else None
