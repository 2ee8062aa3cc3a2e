"""Simplified inference of type arguments for calls of generic methods (JLS 18.5).

Each argument, the body of a lambda and the type expected of the call yield constraints on the
method's type variables: equal to, above or below a type. A variable whose constraints do not agree
directly stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.conversions import STRICT, boxed, is_below
from codeacumen.languages.java.resolve.members import function, member_types
from codeacumen.languages.java.resolve.overloads import Argument, Candidate, parameter
from codeacumen.languages.java.resolve.scopes import (
    as_super,
    common,
    method_variables,
    own_type,
    parameters,
    type_in,
    variables,
)
from codeacumen.languages.java.resolve.types import (
    NULL,
    UNKNOWN,
    VOID,
    ArrayType,
    Both,
    Class,
    ClassType,
    Method,
    Primitive,
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
    upper,
    wildcard,
)
from codeacumen.languages.java.resolve.world import World

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution

EQUAL, ABOVE, BELOW = range(3)


@dataclass(slots=True)
class Constraints:
    """The types that each inferred type variable is equal to, above and below."""

    world: World
    wanted: frozenset[Variable]
    known: dict[Variable, tuple[list[Type], list[Type], list[Type]]] = field(default_factory=dict)

    def add(self, formal: Type, actual: Type, how: int = ABOVE) -> None:
        """Add the constraints of ``formal`` being ABOVE, EQUAL to or BELOW ``actual``.

        A parameter's type is ABOVE an argument's type; type arguments are EQUAL.
        """
        if not formal.free or actual is NULL or actual is VOID:
            return
        if isinstance(formal, Variable):
            if formal in self.wanted and actual is not formal:
                self.known.setdefault(formal, ([], [], []))[how].append(boxed(self.world, actual))
        elif isinstance(formal, ArrayType):
            if isinstance(actual, ArrayType) and not isinstance(actual.of, Primitive):
                self.add(formal.of, actual.of, how)
        elif isinstance(formal, ClassType):
            self._add_class(formal, actual, how)

    def _add_class(self, formal: ClassType, actual: Type, how: int) -> None:
        if isinstance(actual, Variable):
            for bound in actual.bounds:
                if bound is not actual:
                    self.add(formal, bound, how)
            return
        if not isinstance(actual, ClassType):
            return
        if how == BELOW:
            # The formal type is the subtype: compare it as the expected supertype.
            seen = as_super(self.world, formal, actual.cls)
            pairs = zip(seen.args, actual.args, strict=False) if seen else ()
        else:
            seen = as_super(self.world, actual, formal.cls)
            pairs = zip(formal.args, seen.args, strict=False) if seen else ()
        for one, other in pairs:
            self._add_argument(one, other, how)

    def _add_argument(self, formal: Type, actual: Type, how: int) -> None:
        if how == BELOW and isinstance(actual, Wildcard):
            # The formal argument lies in the range of the expected wildcard.
            if actual.bound is not None and not isinstance(formal, Wildcard):
                self.add(formal, actual.bound, BELOW if actual.sign == "+" else ABOVE)
            return
        if isinstance(formal, Wildcard):
            if formal.bound is None:
                return
            inner = actual
            if isinstance(actual, Wildcard):
                if actual.bound is None or actual.sign != formal.sign:
                    return
                inner = actual.bound
            self.add(formal.bound, inner, ABOVE if formal.sign == "+" else BELOW)
        elif isinstance(actual, Wildcard):
            # Captured: only the upper bound is known.
            self.add(formal, upper(actual), EQUAL)
        else:
            self.add(formal, actual, EQUAL)

    def solution(self, variable: Variable) -> Type | None:
        """Return a variable's type: an unknown one if it is ambiguous, None without constraints."""
        equal, above, below = self.known.get(variable, ((), (), ()))
        clear = [one for one in above if not isinstance(one, Unknown)]
        for types, pick in ((equal, _same), (clear, self._highest), (below, _same)):
            if types:
                found = pick(types)
                # An unknown argument may need a higher type than the known ones.
                doubt = types is clear and len(clear) < len(above)
                return closed(found) if found is not None and not doubt else _some(variable)
        return None

    def _highest(self, types: Iterable[Type]) -> Type | None:
        """Return the type that all others are below, else their least upper bound."""
        distinct = list(dict.fromkeys(types))
        if len(distinct) == 1:
            return distinct[0]
        for one in distinct:
            if isinstance(one, ClassType) and all(
                isinstance(other, ClassType)
                and not other.args
                and not one.args
                and is_below(self.world, other.cls, one.cls) == STRICT
                for other in distinct
            ):
                return one
        return common(self.world, distinct)


def closed(type_: Type) -> Type:
    """Return the type with NULL, which stands for not yet inferred types, made unknown."""
    if type_ is NULL:
        return UNKNOWN
    if isinstance(type_, ClassType) and type_.args:
        return class_type(type_.cls, tuple([closed(one) for one in type_.args]))
    if isinstance(type_, ArrayType):
        return array_of(closed(type_.of))
    if isinstance(type_, Wildcard) and type_.bound is not None:
        return wildcard(type_.sign, closed(type_.bound))
    return type_


def _same(types: Iterable[Type]) -> Type | None:
    distinct = list(dict.fromkeys(types))
    return distinct[0] if len(distinct) == 1 else None


def _some(variable: Variable) -> Unknown:
    """Return an unknown type within the variable's bound."""
    bound = erasure(variable)
    return unknown(bound.cls) if isinstance(bound, ClassType) else UNKNOWN


def solve(
    constraints: Constraints, variables: Iterable[Variable], rest: bool, open_: bool = False
) -> dict[Variable, Type]:
    """Return the types of variables.

    Variables without constraints are left out. With ``fill_missing`` they are unknown types
    instead, or NULL if an enclosing call may still determine them (``is_open``).
    """
    found: dict[Variable, Type] = {}
    for variable in variables:
        type_ = constraints.solution(variable)
        if type_ is not None:
            found[variable] = type_
        elif rest:
            found[variable] = NULL if open_ else _some(variable)
    return found


_POLY = (code.CALL, code.INVOKE, code.UPCALL, code.NEW, code.INNER)


class Generic(NamedTuple):
    """A call of a generic method, with its parameter types and its result type.

    ``inferred`` are the type variables that the call infers; for a diamond also the class's.
    """

    row: int
    method: Method
    arguments: Sequence[Argument]
    types: Sequence[Type]
    gives: Type
    chosen: tuple[Variable, ...]


def result(at: Attribution, row: int, one: Candidate, wanted: Type | None = None) -> Type:
    """Return the type of a call.

    ``target_type`` is what an enclosing call expects of it; then NULL stands for what that call
    may still infer.
    """
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
    """Infer the type arguments of a generic method's call.

    ``stop_at``: skip this argument, and lambdas and method references from it on.
    ``use_context``: for variables that the arguments leave open, use the type that is expected
    where the call stands.
    """
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
        # The parameters of a lambda follow from the constraints so far; its result adds one.
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
    """Return a call's explicit type arguments; None if it has none, or of another number."""
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
    """Constrain function parameters to the explicit types of a lambda's (JLS 18.2.1)."""
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
    """Return the type of an argument; a generic call is typed by the formal type it has to fit."""
    type_ = at.type_of(argument)
    if at.rows.code[argument] in _POLY and has_unknown(type_):
        known = solve(constraints, own, rest=False)
        # NULL adds no constraint: variables without a solution expect nothing.
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
    """Return the type that a call expects of a lambda or generic call at an argument's position."""
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
    """Treat ``new T<>(…)`` as a call of a method with the class's type parameters (JLS 15.9.3)."""
    chosen = variables(at.world, method.cls) + method_variables(at.world, method)
    types, gives = parameters(at.world, method), own_type(at.world, method.cls)
    return Generic(row, method, at.rows.arguments(row), types, gives, chosen)


def diamond(at: Attribution, row: int, cls: Class, wanted: Type | None) -> Type:
    """Return the type of ``new T<>(…)``."""
    own = variables(at.world, cls)
    candidates = at.resolution(row).candidates
    if not own:
        return class_type(cls)
    if len(candidates) != 1 or candidates[0].method.cls is not cls:
        return class_type(cls, (UNKNOWN,) * len(own))
    given = infer(at, _creation(at, row, candidates[0].method), wanted=wanted)
    return class_type(cls, tuple([boxed(at.world, given[one]) for one in own]))


def settle(at: Attribution, type_: Type, row: int) -> Type:
    """Replace type variables that are not in scope at a row by unknown types.

    They belong to an outer class whose type arguments got lost.
    """
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
