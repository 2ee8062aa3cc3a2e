"""The type that is expected where an expression stands: what a lambda has to be (JLS 15.27.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acumen.lang.java.calls import expressions as code
from acumen.lang.java.calls.expressions import BLOCK, CALLS
from acumen.lang.java.calls.generics import expected_argument
from acumen.lang.java.calls.members import function
from acumen.lang.java.calls.scopes import field_type, returns, type_in
from acumen.lang.java.calls.types import ArrayType, Type, array_of

if TYPE_CHECKING:
    from acumen.lang.java.calls.attribution import Attribution


def expected(at: Attribution, row: int) -> Type | None:
    """None if nothing is expected, or nobody knows what."""
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
    """What a return statement has to give: to the lambda or the method it stands in."""
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
