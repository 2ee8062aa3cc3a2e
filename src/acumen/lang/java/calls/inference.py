"""The type arguments of a generic method's call, as far as a few plain rules find them (JLS 18).

From each argument, constraints on the method's type variables: equal to, above, below a type. A
variable whose constraints do not agree at once stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from acumen.lang.java.calls.conversions import STRICT, boxed, is_below
from acumen.lang.java.calls.scopes import as_super, common
from acumen.lang.java.calls.types import (
    NULL,
    UNKNOWN,
    VOID,
    ArrayType,
    ClassType,
    Primitive,
    Type,
    Unknown,
    Variable,
    Wildcard,
    array_of,
    class_type,
    erasure,
    unknown,
    upper,
    wildcard,
)  # fmt: skip
from acumen.lang.java.calls.world import World

EQUAL, ABOVE, BELOW = range(3)


@dataclass(slots=True)
class Constraints:
    """What is known of type variables: types each is equal to, above, below."""

    world: World
    wanted: frozenset[Variable]
    known: dict[Variable, tuple[list[Type], list[Type], list[Type]]] = field(default_factory=dict)

    def add(self, formal: Type, actual: Type, how: int = ABOVE) -> None:
        """A parameter's type gets a value's type (ABOVE); EQUAL inside of type arguments."""
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
            # What is expected is above the formal type: seen from there.
            seen = as_super(self.world, formal, actual.cls)
            pairs = zip(seen.args, actual.args, strict=False) if seen else ()
        else:
            seen = as_super(self.world, actual, formal.cls)
            pairs = zip(formal.args, seen.args, strict=False) if seen else ()
        for one, other in pairs:
            self._add_argument(one, other, how)

    def _add_argument(self, formal: Type, actual: Type, how: int) -> None:
        if how == BELOW and isinstance(actual, Wildcard):
            # The expected argument is a range; the formal one lies in it.
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
            # Captured: what can be read is all there is to know.
            self.add(formal, upper(actual), EQUAL)
        else:
            self.add(formal, actual, EQUAL)

    def solution(self, variable: Variable) -> Type | None:
        """What a variable must be; Unknown if that is not clear, None if nothing is known."""
        equal, above, below = self.known.get(variable, ((), (), ()))
        clear = [one for one in above if not isinstance(one, Unknown)]
        for types, pick in ((equal, _same), (clear, self._highest), (below, _same)):
            if types:
                found = pick(types)
                # Something unknown may be above all that is known.
                doubt = types is clear and len(clear) < len(above)
                return closed(found) if found is not None and not doubt else _some(variable)
        return None

    def _highest(self, types: Iterable[Type]) -> Type | None:
        """The one that all others are below; else what they have in common."""
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
    """A type in which NULL, of which nothing is known yet, has become unknown for good."""
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
    """Some type that a variable may stand for."""
    bound = erasure(variable)
    return unknown(bound.cls) if isinstance(bound, ClassType) else UNKNOWN


def solve(
    constraints: Constraints, variables: Iterable[Variable], rest: bool, open_: bool = False
) -> dict[Variable, Type]:
    """What variables stand for; with ``rest``, unknown types for those of which nothing is known,
    or NULL if others may still tell (``open_``)."""
    found: dict[Variable, Type] = {}
    for variable in variables:
        type_ = constraints.solution(variable)
        if type_ is not None:
            found[variable] = type_
        elif rest:
            found[variable] = NULL if open_ else _some(variable)
    return found
