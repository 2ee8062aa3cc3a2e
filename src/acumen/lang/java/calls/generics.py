"""What a call of a generic method gives, and what it expects: type arguments from arguments, from
lambdas' bodies, and from where the call stands (JLS 18.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

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
    unknown,
    wildcard,
)  # fmt: skip

if TYPE_CHECKING:
    from acumen.lang.java.calls.attribution import Attribution

_POLY = (code.CALL, code.INVOKE, code.UPCALL, code.NEW, code.INNER)


class Generic(NamedTuple):
    """A call of a generic method: its row and arguments, the method's parameters and result, and
    the type variables that the call chooses. Of a diamond, those of the class too."""

    row: int
    method: Method
    arguments: Sequence[Argument]
    types: Sequence[Type]
    gives: Type
    chosen: tuple[Variable, ...]


def result(at: Attribution, row: int, one: Candidate, wanted: Type | None = None) -> Type:
    """The type of a call. Where it is an argument of another one, what is wanted; then NULL
    stands for what the other call may still tell."""
    method, site = one.method, one.site
    world = at.world
    if method.name == "getClass" and method.count == 0 and site is not None:
        return class_type(world.named("java.lang.Class"), (wildcard("+", erasure(site)),))
    types, gives = member_types(world, site, method)
    own = method_variables(world, method) if gives.free else ()
    if own and mentions(gives, frozenset(own)):
        call = Generic(row, method, at.rows.arguments(row), types, gives, own)
        gives = substitute(gives, infer(at, call, wanted=wanted))
    return at.settled(gives, row)


def infer(
    at: Attribution,
    call: Generic,
    before: int | None = None,
    wanted: Type | None = None,
    context: bool = False,
) -> dict[Variable, Type]:
    """What a generic method's call chooses. ``before``: only functions before that argument are
    looked into, and the argument itself is not. ``context``: if more is needed, ask what is
    expected where the call stands."""
    written = _written(at, call)
    if written is not None:
        return written
    constraints = Constraints(at.world, frozenset(call.chosen))
    functions: list[tuple[int, int, Type]] = []
    for place, argument in enumerate(call.arguments):
        formal = parameter(at, call.method, call.types, place, call.arguments)
        if formal is None or not formal.free:
            continue
        if not isinstance(argument, int):
            constraints.add(formal, argument)
        elif at.rows.code[argument] in (code.LAMBDA, code.REFERENCE):
            functions.append((place, argument, formal))
            _add_written(at, argument, formal, constraints)
        elif place != before:
            constraints.add(formal, _given(at, argument, formal, constraints, call.chosen))
    for place, argument, formal in functions:
        if before is not None and place >= before:
            break
        # A function takes what is known so far, and tells what it gives.
        told = function(at.world, formal)
        if told is not None and told[1].free:
            constraints.add(told[1], at.function_result(argument))
    found = solve(constraints, call.chosen, rest=False)
    missing = [one for one in call.chosen if one not in found]
    expectation = at.expected(call.row) if missing and context else wanted
    if missing and expectation is not None:
        more = Constraints(at.world, frozenset(missing))
        more.add(call.gives, expectation, BELOW)
        found |= solve(more, missing, rest=False)
        missing = [one for one in missing if one not in found]
    nothing = Constraints(at.world, frozenset())
    return found | solve(nothing, missing, rest=True, open_=wanted is not None)


def _written(at: Attribution, call: Generic) -> dict[Variable, Type] | None:
    """Type arguments that a call writes; None if it writes none, or not for these variables."""
    rows = at.rows
    text = rows.type_arguments(call.row) if rows.code[call.row] in _POLY else ""
    if not text:
        return None
    scope = rows.scopes[call.row]
    told = type_in(at.world, scope.cls, scope.method, f"${text}")
    if not isinstance(told, ClassType) or len(told.args) != len(call.chosen):
        return None
    return dict(zip(call.chosen, told.args, strict=True))


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
        if one.diamond:
            call = _creation(at, row, one.method)
        else:
            types, gives = member_types(at.world, one.site, one.method)
            own = method_variables(at.world, one.method)
            call = Generic(row, one.method, arguments, types, gives, own)
        formal = parameter(at, call.method, call.types, place, arguments)
        if formal is None:
            return None
        if call.chosen and formal.free and mentions(formal, frozenset(call.chosen)):
            formal = substitute(formal, infer(at, call, before=place, context=True))
        if found is not None and formal is not found:
            return None
        found = formal
    return None if found is None else at.settled(found, row)


def is_diamond(at: Attribution, row: int) -> bool:
    return at.rows.text(row).endswith("<>")


def _creation(at: Attribution, row: int, method: Method) -> Generic:
    """``new T<>(…)`` as a call of a method that has the class's type parameters (JLS 15.9.3)."""
    chosen = variables(at.world, method.cls) + method_variables(at.world, method)
    types, gives = parameters(at.world, method), own_type(at.world, method.cls)
    return Generic(row, method, at.rows.arguments(row), types, gives, chosen)


def diamond(at: Attribution, row: int, cls: Class, wanted: Type | None) -> Type:
    """The type of ``new T<>(…)``."""
    own = variables(at.world, cls)
    candidates = at.resolution(row).candidates
    if not own:
        return class_type(cls)
    if len(candidates) != 1 or candidates[0].method.cls is not cls:
        return class_type(cls, (UNKNOWN,) * len(own))
    given = infer(at, _creation(at, row, candidates[0].method), wanted=wanted)
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
            strange[type_] = unknown(bound.cls) if isinstance(bound, ClassType) else UNKNOWN
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
