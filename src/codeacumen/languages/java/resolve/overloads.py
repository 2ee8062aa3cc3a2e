"""Overload resolution: select the methods of one name that a call may mean (JLS 15.12.2).

Three phases: without boxing, with boxing, with a variable number of arguments. Where an argument's
type is unknown, a method may or may not be applicable. Such methods stay, so that the result
contains every method that the compiler could have chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from codeacumen.languages.java.resolve.conversions import (
    MAYBE,
    NO,
    STRICT,
    Open,
    convert,
    is_below,
    unboxed,
)
from codeacumen.languages.java.resolve.expressions import (
    BLOCK,
    CALL,
    CONDITION,
    ENDLESS,
    GIVES,
    INNER,
    INVOKE,
    LAMBDA,
    LEAVES,
    NEW,
    PARAM,
    REFERENCE,
    STATEMENT,
    UPCALL,
)
from codeacumen.languages.java.resolve.members import function, member_types, same_signature
from codeacumen.languages.java.resolve.scopes import own_type
from codeacumen.languages.java.resolve.types import (
    NULL,
    VOID,
    WIDER,
    ArrayType,
    ClassType,
    Method,
    Primitive,
    Type,
    Unknown,
    Variable,
    erasure,
)

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution

# Nested conditional expressions with more branches may have any type.
MOST_BRANCHES = 100
# More pairs of methods are not compared for the most specific one (hundreds may all accept null).
MOST_PAIRS = 2500
# The row of an expression, or a type without one (parameter of a functional interface).
Argument: TypeAlias = int | Type


class Candidate(NamedTuple):
    """A method and the type of the object it is called on (None: no object).

    ``is_diamond``: a constructor whose call also infers the class's type arguments.
    """

    method: Method
    site: ClassType | None
    diamond: bool = False


def _open(at: Attribution, one: Candidate) -> Open:
    if one.diamond:
        return Open((one.method, one.method.cls))
    own = one.site is not None and one.site is own_type(at.world, one.site.cls)
    return Open((one.method,), one.site.cls if own and one.site is not None else None)


def takes(method: Method, count: int) -> bool:
    return method.count == count or (method.varargs and count >= method.count - 1)


def choose(
    at: Attribution, candidates: Sequence[Candidate], arguments: Sequence[Argument]
) -> list[Candidate]:
    """Return the candidates that the call may mean; a single one if that is certain."""
    fitting = [one for one in candidates if takes(one.method, len(arguments))]
    if len(fitting) < 2 or _alike(at, fitting):
        return fitting
    world = at.world
    types = {one: member_types(world, one.site, one.method)[0] for one in fitting}
    left = [one for one in fitting if one.method.count == len(arguments)]
    fits = {
        one: [_fits(at, a, p, _open(at, one)) for a, p in zip(arguments, types[one], strict=True)]
        for one in left
    }
    strict = [one for one in left if all(f in (STRICT, MAYBE) for f in fits[one])]
    sure = [one for one in strict if MAYBE not in fits[one]]
    if sure:
        return _most_specific(at, strict, sure, types, arguments)
    loose = [one for one in left if one not in strict and NO not in fits[one]]
    sure = [one for one in loose if MAYBE not in fits[one]]
    if sure:
        return strict + _most_specific(at, loose, sure, types, arguments)
    several = []
    for one in fitting:
        if one.method.varargs and one not in strict and one not in loose:
            spread = _spread(types[one], len(arguments))
            found = [
                _fits(at, a, p, _open(at, one)) for a, p in zip(arguments, spread, strict=True)
            ]
            if NO not in found:
                several.append(one)
                types[one] = tuple(spread)
                if MAYBE not in found:
                    sure.append(one)
    if sure:
        several = _most_specific(at, several, sure, types, arguments)
    # The source compiles, so if nothing fits, a type is wrong: any candidate may be meant.
    return strict + loose + several or fitting


def applicable(at: Attribution, one: Candidate, arguments: Sequence[Argument]) -> int:
    """Return whether a method is applicable to a call's arguments: STRICT, NO or MAYBE."""
    types = member_types(at.world, one.site, one.method)[0]
    found = NO
    for wanted in (types, _spread(types, len(arguments)) if one.method.varargs else ()):
        if len(wanted) == len(arguments):
            fits = [_fits(at, a, p, _open(at, one)) for a, p in zip(arguments, wanted, strict=True)]
            if NO not in fits and MAYBE not in fits:
                return STRICT
            found = NO if NO in fits and found == NO else MAYBE
    return found


def _alike(at: Attribution, candidates: Sequence[Candidate]) -> bool:
    """Return whether all candidates are one method that is inherited from several ancestors."""
    first = candidates[0]
    if first.site is None:
        return False
    return all(
        one.site is first.site
        and same_signature(at.world, first.site.cls, first.method, one.method)
        for one in candidates[1:]
    )


def one_method(at: Attribution, candidates: Sequence[Candidate]) -> bool:
    """Return whether the candidates are one method."""
    return len(candidates) == 1 or (bool(candidates) and _alike(at, candidates))


def _spread(types: Sequence[Type], count: int) -> list[Type]:
    """Return the parameter types of a varargs method for so many arguments."""
    last = types[-1]
    of = last.of if isinstance(last, ArrayType) else last
    return [*types[:-1], *[of] * (count - len(types) + 1)]


def parameter(
    at: Attribution,
    method: Method,
    types: Sequence[Type],
    place: int,
    arguments: Sequence[Argument],
) -> Type | None:
    """Return the type that a method expects at an argument's position."""
    if method.varargs and types and place >= len(types) - 1:
        one = arguments[place]
        if len(arguments) != len(types) or not _is_array(at, one):
            return _spread(types, len(arguments))[place]
    return types[place] if place < len(types) else None


def _is_array(at: Attribution, argument: Argument) -> bool:
    """Return whether an argument may be passed as the array of a varargs parameter."""
    if isinstance(argument, int):
        if at.rows.code[argument] in (LAMBDA, REFERENCE):
            return False
        argument = at.type_of(argument)
    return argument is NULL or not isinstance(argument, Primitive | ClassType)


def _fits(at: Attribution, argument: Argument, wanted: Type, open_: Open) -> int:
    if not isinstance(argument, int):
        return convert(at.world, argument, wanted, open_)
    code = at.rows.code[argument]
    if code == LAMBDA:
        return _lambda_fits(at, argument, wanted, open_)
    if code == REFERENCE:
        return _reference_fits(at, argument, wanted)
    if code == CONDITION:
        return _condition_fits(at, argument, wanted, open_)
    given = at.type_of(argument)
    if code in (CALL, INVOKE, UPCALL, NEW, INNER):
        # A poly expression: the expected type may still determine its type arguments.
        given = given if isinstance(given, Variable) else at.without_arguments(given)
    return convert(at.world, given, wanted, open_)


def _condition_fits(at: Attribution, row: int, wanted: Type, open_: Open) -> int:
    """Check ``a ? b : c``: all branches have to fit, unless they are numbers (JLS 15.25)."""
    waiting, branches = [row], []
    while waiting:
        one = waiting.pop()
        if at.rows.code[one] == CONDITION:
            waiting += at.rows.children(one)[1:]
        else:
            branches.append(one)
        if len(waiting) + len(branches) > MOST_BRANCHES:
            return MAYBE
    types = [at.type_of(one) for one in branches]
    if all(unboxed(one) for one in types):
        return convert(at.world, at.type_of(row), wanted, open_)
    found = {_fits(at, one, wanted, open_) for one in branches}
    if len(found) == 1:
        return found.pop()
    # A numeric conditional may have a type that neither branch has.
    numbers = [one for one in types if isinstance(one, Primitive | Unknown) and one is not NULL]
    if NO in found:
        return MAYBE if numbers else NO
    return max(found)


def shape_fits(at: Attribution, row: int, result: Type) -> int:
    """Check whether a lambda's body is compatible with void or a value (JLS 15.12.2.1)."""
    flags = at.rows.b[row]
    if result is VOID:
        return NO if (flags & GIVES if flags & BLOCK else not flags & STATEMENT) else STRICT
    if flags & BLOCK:
        if flags & LEAVES or not flags & (GIVES | ENDLESS):
            return NO
        return STRICT if flags & GIVES else MAYBE
    return STRICT


def is_explicit(at: Attribution, row: int) -> bool:
    """Return whether a lambda is explicitly typed (JLS 15.27.1); true without parameters."""
    count = at.rows.a[row]
    return not any(at.rows.code[one] == PARAM for one in at.rows.children(row)[:count])


def _lambda_fits(at: Attribution, row: int, wanted: Type, open_: Open) -> int:
    if not isinstance(wanted, ClassType):
        return NO if isinstance(wanted, Primitive | ArrayType) else MAYBE
    told = function(at.world, wanted)
    if told is None:
        return MAYBE if wanted.cls.kind == "outside" or not wanted.cls.complete else NO
    given, result = told
    if len(given) != at.rows.a[row]:
        return NO
    found = shape_fits(at, row, result)
    if found == NO or not is_explicit(at, row) or at.rows.b[row] & BLOCK or result is VOID:
        return found
    # Only the body of an explicitly typed lambda is pertinent to applicability (JLS 15.12.2.2).
    body = at.type_of(at.rows.children(row)[-1])
    if body is VOID:
        return NO
    if isinstance(body, Unknown):
        return MAYBE
    if result.free or isinstance(result, Unknown):
        return STRICT
    fits = convert(at.world, at.without_arguments(body), result, open_)
    narrow = isinstance(body, Primitive) and isinstance(result, Primitive)
    # A constant may be narrowed, depending on its value (JLS 5.2).
    return MAYBE if fits == MAYBE or (fits == NO and narrow) else (NO if fits == NO else STRICT)


def _reference_fits(at: Attribution, row: int, wanted: Type) -> int:
    if not isinstance(wanted, ClassType):
        return NO if isinstance(wanted, Primitive | ArrayType) else MAYBE
    told = function(at.world, wanted)
    if told is None:
        return MAYBE if wanted.cls.kind == "outside" or not wanted.cls.complete else NO
    given, result = told
    methods, unbound = at.referred(row)
    if not methods:
        return MAYBE
    if not any(_refers(one, len(given), unbound) for one in methods):
        return NO
    if len(methods) > 1:
        return STRICT
    void = at.returns_void(methods[0])
    return NO if void and result is not VOID else STRICT


def _refers(method: Method, count: int, unbound: bool) -> bool:
    """Return whether a method reference may mean a method, as a function of so many parameters.

    For ``Type::method`` the first parameter is the object unless the method is static
    (JLS 15.12.2.1).
    """
    if method.name == "<init>":
        return takes(method, count)
    if unbound:
        return takes(method, count if method.static else count - 1)
    return not method.static and takes(method, count)


def _most_specific(
    at: Attribution,
    possible: list[Candidate],
    sure: list[Candidate],
    types: dict[Candidate, tuple[Type, ...]],
    arguments: Sequence[Argument],
) -> list[Candidate]:
    """Drop candidates if a certainly applicable one is more specific (JLS 15.12.2.5)."""
    if len(possible) * len(sure) > MOST_PAIRS:
        return possible
    left = []
    for one in possible:
        beaten = False
        for other in sure:
            if other is one:
                continue
            if _more_specific(at, other, one, types, arguments) and not (
                one in sure and _more_specific(at, one, other, types, arguments)
            ):
                beaten = True
                break
        if not beaten:
            left.append(one)
    return left


def _more_specific(
    at: Attribution,
    one: Candidate,
    other: Candidate,
    types: dict[Candidate, tuple[Type, ...]],
    arguments: Sequence[Argument],
) -> bool:
    mine, others = types[one], types[other]
    count = max(len(mine), len(others))
    if len(mine) < count and one.method.varargs:
        mine = tuple(_spread(mine, count))
    if len(others) < count and other.method.varargs:
        others = tuple(_spread(others, count))
    for place in range(min(len(arguments), len(mine), len(others))):
        argument = arguments[place]
        a, b = erasure(mine[place]), erasure(others[place])
        if a is b or _is_subtype(at, a, b):
            continue
        function_ = isinstance(argument, int) and at.rows.code[argument] in (LAMBDA, REFERENCE)
        if function_ and _better_function(at, int(argument), mine[place], others[place]):  # type: ignore[arg-type]
            continue
        return False
    return True


def _is_subtype(at: Attribution, one: Type, other: Type) -> bool:
    if isinstance(one, Primitive):
        return isinstance(other, Primitive) and other.name in WIDER.get(one.name, ())
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return one.of is other.of or _is_subtype(at, one.of, other.of)
    if isinstance(one, ClassType) and isinstance(other, ClassType):
        return is_below(at.world, one.cls, other.cls) == STRICT
    return isinstance(one, ArrayType) and isinstance(other, ClassType)


def _better_function(at: Attribution, row: int, one: Type, other: Type) -> bool:
    """Return whether a function type is more specific than another for a lambda or a method
    reference (JLS 15.12.2.5)."""
    mine, others = function(at.world, one), function(at.world, other)
    if mine is None or others is None or len(mine[0]) != len(others[0]):
        return False
    result, wanted = mine[1], others[1]
    if at.rows.code[row] == LAMBDA:
        if not is_explicit(at, row):
            return False
        given = at.lambda_result(row)
    else:
        methods, _ = at.referred(row)
        if len(methods) != 1:
            return False
        given = at.result_of_method(methods[0])
    if wanted is VOID:
        return True
    if result is VOID:
        return False
    if isinstance(result, Primitive) and not isinstance(wanted, Primitive):
        return isinstance(given, Primitive)
    if isinstance(wanted, Primitive) and not isinstance(result, Primitive):
        return isinstance(given, ClassType | ArrayType | Variable)
    return _is_subtype(at, erasure(result), erasure(wanted))
