"""Classification of names as values, types or packages (JLS 6.5), and expected types.

The expected type of an expression determines what a lambda implements (JLS 15.27.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.expressions import BLOCK, CALLS, FIELD, NAME
from codeacumen.languages.java.resolve.generics import expected_argument
from codeacumen.languages.java.resolve.members import bound_types, find_field, function, read_field
from codeacumen.languages.java.resolve.scopes import (
    NESTING,
    field_type,
    lookup,
    member_type,
    own_type,
    returns,
    type_in,
)
from codeacumen.languages.java.resolve.types import (
    INT,
    UNKNOWN,
    ArrayType,
    Class,
    ClassType,
    Type,
    Variable,
    array_of,
    class_type,
)

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution


class Meaning(NamedTuple):
    """``kind``: value, type or package. ``type``: the type of the value, or the type itself."""

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
    """Return the type of the field that a simple name means in a class.

    UNKNOWN if an unknown class may declare such a field, None if there is none.
    """
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
            # A class in between may inherit another field of the name from an unknown class.
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


def expected(at: Attribution, row: int) -> Type | None:
    """Return the type expected of an expression; None if nothing is expected, or it is unknown."""
    rows, world = at.rows, at.world
    above = rows.parent[row]
    if above < 0:
        return None
    what = rows.code[above]
    scope = rows.scopes[above]
    if what == code.DECL or what == code.CAST:
        declared = type_in(world, scope.cls, scope.method, rows.text(above))
        return array_of(declared, rows.b[above]) if what == code.DECL else declared
    if what == code.INIT:
        return field_type(world, rows.unit.fields[rows.a[above]])
    if what == code.RETURN:
        return _returned(at, above)
    if what == code.LAMBDA:
        return None if rows.b[above] & BLOCK else _result(at, above)
    if what in (code.SWITCH, code.YIELD):
        return at.expected(above)
    children = rows.children(above)
    if what == code.ASSIGN:
        return at.type_of(children[0]) if children[0] != row and rows.a[above] else None
    if what == code.CONDITION:
        return at.expected(above) if children[0] != row or len(children) < 3 else None
    if what == code.LIST:
        outer = at.expected(above)
        return outer.of if isinstance(outer, ArrayType) else None
    if what == code.ARRAY:
        return at.type_of(above) if rows.code[row] == code.LIST else None
    if what in CALLS:
        arguments = rows.arguments(above)
        return expected_argument(at, above, arguments.index(row)) if row in arguments else None
    return None


def _returned(at: Attribution, row: int) -> Type | None:
    """Return the type expected of a returned value by the lambda or method around it."""
    rows = at.rows
    above = rows.parent[row]
    while above >= 0 and rows.code[above] not in (code.LAMBDA, code.BODY, code.CLASS):
        above = rows.parent[above]
    if above >= 0 and rows.code[above] == code.LAMBDA:
        return _result(at, above)
    if above >= 0 and rows.code[above] == code.BODY:
        return returns(at.world, rows.unit.methods[rows.a[above]])
    return None


def _result(at: Attribution, row: int) -> Type | None:
    wanted = at.expected(row)
    told = function(at.world, wanted) if wanted is not None else None
    return told[1] if told is not None else None
