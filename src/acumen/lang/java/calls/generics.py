"""What a call of a generic method gives, and what it expects: type arguments from arguments, from
lambdas' bodies, and from where the call stands (JLS 18.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acumen.lang.java.calls import expressions as code
from acumen.lang.java.calls.conversions import boxed
from acumen.lang.java.calls.inference import BELOW, EQUAL, Constraints, solve
from acumen.lang.java.calls.members import function, member_types
from acumen.lang.java.calls.model import Class, Method
from acumen.lang.java.calls.overloads import Argument, Candidate, parameter
from acumen.lang.java.calls.scopes import (
    method_variables,
    own_type,
    parameters,
    type_in,
    variables,
)  # fmt: skip
from acumen.lang.java.calls.types import (
    NULL,
    UNKNOWN,
    VOID,
    ArrayType,
    Both,
    ClassType,
    Type,
    Unknown,
    Variable,
    Wildcard,
    array_of,
    class_type,
    erasure,
    mentions,
    substitute,
    wildcard,
)  # fmt: skip

if TYPE_CHECKING:
    from acumen.lang.java.calls.attribution import Attribution

_POLY = (code.CALL, code.INVOKE, code.UPCALL, code.NEW, code.INNER)


def result(at: Attribution, row: int, one: Candidate, wanted: Type | None = None) -> Type:
    """The type of a call. Where it is an argument of another one, what is wanted; then NULL
    stands for what the other call may still tell."""
    method, site = one.method, one.site
    world = at.world
    if method.name == "getClass" and method.count == 0 and site is not None:
        return class_type(world.named("java.lang.Class"), (wildcard("+", erasure(site)),))
    types, given = member_types(world, site, method)
    if given.free and method_variables(world, method):
        own = method_variables(world, method)
        if mentions(given, frozenset(own)):
            arguments = at.rows.arguments(row)
            found = infer(at, row, one, arguments, types, given, wanted=wanted)
            given = substitute(given, found)
    return at.settled(given, row)


def infer(
    at: Attribution,
    row: int,
    one: Candidate,
    arguments: Sequence[Argument],
    types: Sequence[Type],
    gives: Type,
    before: int | None = None,
    wanted: Type | None = None,
    context: bool = False,
) -> dict[Variable, Type]:
    """Type arguments of a generic method's call. ``before``: only lambdas before that argument
    are looked into. ``context``: if more is needed, ask what is expected where the call
    stands."""
    world, rows = at.world, at.rows
    own = method_variables(world, one.method)
    written = rows.type_arguments(row) if rows.code[row] in _POLY else ""
    if written:
        scope = rows.scopes[row]
        told = type_in(world, scope.cls, scope.method, f"${written}")
        if isinstance(told, ClassType) and len(told.args) == len(own):
            return dict(zip(own, told.args, strict=True))
    return _solve(at, row, own, one.method, arguments, types, gives, before, wanted, context)


def _solve(
    at: Attribution,
    row: int,
    own: tuple[Variable, ...],
    method: Method,
    arguments: Sequence[Argument],
    types: Sequence[Type],
    gives: Type,
    before: int | None,
    wanted: Type | None,
    context: bool,
) -> dict[Variable, Type]:
    world = at.world
    constraints = Constraints(world, frozenset(own))
    functions: list[tuple[int, int, Type]] = []
    for place, argument in enumerate(arguments):
        formal = parameter(at, method, types, place, arguments)
        if formal is None or not formal.free:
            continue
        if isinstance(argument, int):
            if at.rows.code[argument] in (code.LAMBDA, code.REFERENCE):
                functions.append((place, argument, formal))
                _add_written(at, argument, formal, constraints)
                continue
            if before is None or place != before:
                constraints.add(formal, _given(at, argument, formal, constraints, own))
        else:
            constraints.add(formal, argument)
    if before is None and wanted is None and not any(m for m in functions):
        return solve(constraints, own, rest=True)
    # Functions take what is known so far, and tell what they give.
    expectation = wanted
    for place, argument, formal in functions:
        if before is not None and place >= before:
            break
        told = function(world, formal)
        if told is not None and told[1].free:
            gave = at.function_result(argument)
            if gave is not VOID and not isinstance(gave, Unknown):
                constraints.add(told[1], gave)
    found = solve(constraints, own, rest=False)
    missing = [one for one in own if one not in found]
    if missing and (expectation is not None or context):
        if expectation is None:
            expectation = at.expected(row)
        if expectation is not None:
            more = Constraints(world, frozenset(missing))
            more.add(gives, expectation, BELOW)
            found |= solve(more, missing, rest=False)
    missing = [one for one in own if one not in found]
    rest = solve(Constraints(world, frozenset()), missing, rest=True, open_=wanted is not None)
    return found | rest


def _add_written(at: Attribution, row: int, formal: Type, constraints: Constraints) -> None:
    """The types a lambda writes for its parameters are those of the function (JLS 18.2.1)."""
    rows = at.rows
    told = function(at.world, formal) if rows.code[row] == code.LAMBDA and rows.a[row] else None
    if told is not None and len(told[0]) == rows.a[row]:
        for wanted, one in zip(told[0], rows.children(row), strict=False):
            if rows.code[one] == code.DECL:
                constraints.add(wanted, at.declared(one), EQUAL)


def _given(
    at: Attribution,
    argument: int,
    formal: Type,
    constraints: Constraints,
    own: tuple[Variable, ...],
) -> Type:
    """The type of an argument; of a generic call among them, with what is expected of it."""
    type_ = at.type_of(argument)
    if at.rows.code[argument] in _POLY and has_unknown(type_):
        known = solve(constraints, own, rest=False)
        # What is not yet known expects nothing: NULL says nothing to an inference.
        hidden = {one: known.get(one, NULL) for one in own}
        return at.call_type(argument, _hide(formal, hidden))
    return type_


def _hide(formal: Type, hidden: dict[Variable, Type]) -> Type:
    if isinstance(formal, ClassType):
        return class_type(formal.cls, tuple([_hide(one, hidden) for one in formal.args]))
    if isinstance(formal, Wildcard) and formal.bound is not None:
        return wildcard(formal.sign, _hide(formal.bound, hidden))
    if isinstance(formal, ArrayType):
        return array_of(_hide(formal.of, hidden))
    return hidden.get(formal, formal) if isinstance(formal, Variable) else formal


def has_unknown(type_: Type) -> bool:
    if isinstance(type_, Unknown):
        return True
    if isinstance(type_, ClassType):
        return any(has_unknown(one) for one in type_.args)
    if isinstance(type_, ArrayType):
        return has_unknown(type_.of)
    return isinstance(type_, Wildcard) and type_.bound is not None and has_unknown(type_.bound)


def expected_argument(at: Attribution, row: int, place: int) -> Type | None:
    """The type that a call expects at a place, for a lambda or a generic call there."""
    found: Type | None = None
    arguments = at.rows.arguments(row)
    for one in at.resolution(row).candidates:
        types, gives = member_types(at.world, one.site, one.method)
        formal = parameter(at, one.method, types, place, arguments)
        if formal is None:
            return None
        own = method_variables(at.world, one.method)
        if at.rows.code[row] in (code.NEW, code.INNER) and is_diamond(at, row) and one.site:
            # The class's parameters are the constructor's (JLS 15.9.3).
            own = variables(at.world, one.site.cls) + own
            types = parameters(at.world, one.method)
            formal = parameter(at, one.method, types, place, arguments) or formal
            gives = own_type(at.world, one.site.cls)
        if own and formal.free and mentions(formal, frozenset(own)):
            given = (
                _solve(at, row, own, one.method, arguments, types, gives, place, None, context=True)
                if not _written(at, row)
                else infer(at, row, one, arguments, types, gives)
            )
            formal = substitute(formal, given)
        if found is not None and formal is not found:
            return None
        found = formal
    return None if found is None else at.settled(found, row)


def _written(at: Attribution, row: int) -> bool:
    return at.rows.code[row] in _POLY and bool(at.rows.type_arguments(row))


def is_diamond(at: Attribution, row: int) -> bool:
    return at.rows.text(row).endswith("<>")


def diamond(at: Attribution, row: int, cls: Class, wanted: Type | None) -> Type:
    """The type of ``new T<>(…)``: its arguments follow from the constructor's (JLS 15.9.3)."""
    own = variables(at.world, cls)
    candidates = at.resolution(row).candidates
    if not own:
        return class_type(cls)
    if len(candidates) != 1:
        return class_type(cls, (UNKNOWN,) * len(own))
    method = candidates[0].method
    types = parameters(at.world, method)
    every = own + method_variables(at.world, method)
    given = _solve(
        at, row, every, method, at.rows.arguments(row), types, own_type(at.world, cls), None,
        wanted, context=False,
    )  # fmt: skip
    return class_type(cls, tuple([boxed(at.world, given[one]) for one in own]))


def settle(at: Attribution, type_: Type, row: int) -> Type:
    """A type without variables that mean nothing where it stands: those of an outer class whose
    arguments were lost on the way."""
    if not type_.free:
        return type_
    inside = at.in_scope(row)
    strange: dict[Variable, Type] = {}
    _collect(type_, inside, strange)
    return substitute(type_, strange) if strange else type_


def _collect(type_: Type, inside: frozenset[object], strange: dict[Variable, Type]) -> None:
    if not type_.free:
        return
    if isinstance(type_, Variable):
        if type_.owner not in inside:
            bound = erasure(type_)
            strange[type_] = at_most(bound)
    elif isinstance(type_, ClassType):
        for one in type_.args:
            _collect(one, inside, strange)
    elif isinstance(type_, ArrayType):
        _collect(type_.of, inside, strange)
    elif isinstance(type_, Wildcard) and type_.bound is not None:
        _collect(type_.bound, inside, strange)
    elif isinstance(type_, Both):
        for one in type_.parts:
            _collect(one, inside, strange)


def at_most(bound: Type) -> Type:
    from acumen.lang.java.calls.types import unknown

    return unknown(bound.cls) if isinstance(bound, ClassType) else UNKNOWN
