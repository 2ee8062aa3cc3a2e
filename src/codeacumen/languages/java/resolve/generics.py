"""Simplified inference of type arguments for calls of generic methods (JLS 18.5).

Each argument, the body of a lambda and the type expected of the call yield constraints on the
method's type variables: equal to, above or below a type. A variable whose constraints do not agree
directly stays unknown.

A formal type is a declared one, in which the variables to infer occur; an actual type is that of an
argument, or the expected one. The type NULL stands for what is not inferred yet and adds no
constraint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.conversions import STRICT, box_type, check_subclass
from codeacumen.languages.java.resolve.members import find_function_type, member_types
from codeacumen.languages.java.resolve.overloads import (
    Argument,
    Candidate,
    find_formal_parameter_type,
)
from codeacumen.languages.java.resolve.scopes import (
    as_supertype,
    least_upper_bound,
    own_type,
    resolve_method_type_parameters,
    resolve_parameter_types,
    resolve_type,
    resolve_type_parameters,
)
from codeacumen.languages.java.resolve.types import (
    NULL,
    UNKNOWN,
    VOID,
    ArrayType,
    Class,
    ClassType,
    IntersectionType,
    Method,
    Primitive,
    Type,
    TypeVariable,
    Unknown,
    Wildcard,
    array_of,
    class_type,
    erasure,
    mentions_variable,
    substitute_variables,
    unknown_subtype_of,
    upper_bound,
    wildcard_type,
)
from codeacumen.languages.java.resolve.world import World

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution

# Relations of a type variable to a type, and the indices of their lists in ``Constraints.bounds``.
EQUAL, ABOVE, BELOW = range(3)


@dataclass(slots=True)
class Constraints:
    """The types that each inferred type variable is equal to, above and below, as three lists."""

    world: World
    inferred: frozenset[TypeVariable]
    bounds: dict[TypeVariable, tuple[list[Type], list[Type], list[Type]]] = field(
        default_factory=dict
    )

    def add_bound(self, formal: Type, actual: Type, relation: int = ABOVE) -> None:
        """Add the constraints of ``formal`` being ABOVE, EQUAL to or BELOW ``actual``.

        A parameter's type is ABOVE an argument's type; type arguments are EQUAL; a result's type is
        BELOW the expected type.
        """
        if not formal.free or actual is NULL or actual is VOID:
            return
        if isinstance(formal, TypeVariable):
            if formal in self.inferred and actual is not formal:
                self.bounds.setdefault(formal, ([], [], []))[relation].append(
                    box_type(self.world, actual)
                )
        elif isinstance(formal, ArrayType):
            if isinstance(actual, ArrayType) and not isinstance(actual.component_type, Primitive):
                self.add_bound(formal.component_type, actual.component_type, relation)
        elif isinstance(formal, ClassType):
            self._add_class_bounds(formal, actual, relation)

    def _add_class_bounds(self, formal: ClassType, actual: Type, relation: int) -> None:
        if isinstance(actual, TypeVariable):
            for bound in actual.bounds:
                if bound is not actual:
                    self.add_bound(formal, bound, relation)
            return
        if not isinstance(actual, ClassType):
            return
        if relation == BELOW:
            # The formal type is the subtype: compare it as the expected supertype.
            supertype = as_supertype(self.world, formal, actual.cls)
            pairs = zip(supertype.args, actual.args, strict=False) if supertype else ()
        else:
            supertype = as_supertype(self.world, actual, formal.cls)
            pairs = zip(formal.args, supertype.args, strict=False) if supertype else ()
        for formal_argument, actual_argument in pairs:
            self._add_argument_bounds(formal_argument, actual_argument, relation)

    def _add_argument_bounds(self, formal: Type, actual: Type, relation: int) -> None:
        if relation == BELOW and isinstance(actual, Wildcard):
            # The formal argument lies in the range of the expected wildcard.
            if actual.bound is not None and not isinstance(formal, Wildcard):
                self.add_bound(formal, actual.bound, BELOW if actual.sign == "+" else ABOVE)
            return
        if isinstance(formal, Wildcard):
            if formal.bound is None:
                return
            inner = actual
            if isinstance(actual, Wildcard):
                if actual.bound is None or actual.sign != formal.sign:
                    return
                inner = actual.bound
            self.add_bound(formal.bound, inner, ABOVE if formal.sign == "+" else BELOW)
        elif isinstance(actual, Wildcard):
            # Captured: only the upper bound is known.
            self.add_bound(formal, upper_bound(actual), EQUAL)
        else:
            self.add_bound(formal, actual, EQUAL)

    def solve_variable(self, variable: TypeVariable) -> Type | None:
        """Return a variable's type: an unknown one if it is ambiguous, None without constraints."""
        equal, above, below = self.bounds.get(variable, ((), (), ()))
        known_above = [type_ for type_ in above if not isinstance(type_, Unknown)]
        for types, pick in (
            (equal, _pick_only),
            (known_above, self._pick_highest),
            (below, _pick_only),
        ):
            if types:
                solution = pick(types)
                # An unknown argument may need a higher type than the known ones.
                is_doubtful = types is known_above and len(known_above) < len(above)
                return (
                    replace_null(solution)
                    if solution is not None and not is_doubtful
                    else _unknown_within_bound(variable)
                )
        return None

    def _pick_highest(self, types: Iterable[Type]) -> Type | None:
        """Return the type that all others are below, else their least upper bound."""
        distinct = list(dict.fromkeys(types))
        if len(distinct) == 1:
            return distinct[0]
        for highest in distinct:
            if isinstance(highest, ClassType) and all(
                isinstance(other, ClassType)
                and not other.args
                and not highest.args
                and check_subclass(self.world, other.cls, highest.cls) == STRICT
                for other in distinct
            ):
                return highest
        return least_upper_bound(self.world, distinct)


def replace_null(type_: Type) -> Type:
    """Return the type with unknown types in place of NULL, which stands for types that are not yet
    inferred."""
    if type_ is NULL:
        return UNKNOWN
    if isinstance(type_, ClassType) and type_.args:
        return class_type(type_.cls, tuple([replace_null(argument) for argument in type_.args]))
    if isinstance(type_, ArrayType):
        return array_of(replace_null(type_.component_type))
    if isinstance(type_, Wildcard) and type_.bound is not None:
        return wildcard_type(type_.sign, replace_null(type_.bound))
    return type_


def _pick_only(types: Iterable[Type]) -> Type | None:
    """Return the type if all are equal, else None."""
    distinct = list(dict.fromkeys(types))
    return distinct[0] if len(distinct) == 1 else None


def _unknown_within_bound(variable: TypeVariable) -> Unknown:
    """Return the unknown subtype of the variable's erased bound."""
    bound = erasure(variable)
    return unknown_subtype_of(bound.cls) if isinstance(bound, ClassType) else UNKNOWN


def solve_variables(
    constraints: Constraints,
    type_variables: Iterable[TypeVariable],
    fill_missing: bool,
    is_open: bool = False,
) -> dict[TypeVariable, Type]:
    """Return the types of variables, by the constraints on them.

    Variables without constraints are left out. With ``fill_missing`` they are unknown types
    instead, or NULL if an enclosing call may still determine them (``is_open``).
    """
    solutions: dict[TypeVariable, Type] = {}
    for variable in type_variables:
        type_ = constraints.solve_variable(variable)
        if type_ is not None:
            solutions[variable] = type_
        elif fill_missing:
            solutions[variable] = NULL if is_open else _unknown_within_bound(variable)
    return solutions


# Calls that may be poly expressions: their type may depend on the expected type (JLS 15.2).
_POLY = (code.CALL, code.INVOKE, code.UPCALL, code.NEW, code.INNER)


class GenericCall(NamedTuple):
    """A call at a row of a generic method, with its parameter types and its result type.

    ``inferred`` are the type variables that the call infers; for a diamond also the class's. The
    other type variables in the types are replaced already, as for a member of the receiver's type.
    """

    row: int
    method: Method
    arguments: Sequence[Argument]
    parameter_types: Sequence[Type]
    result_type: Type
    inferred: tuple[TypeVariable, ...]


def infer_result_type(
    attribution: Attribution, row: int, candidate: Candidate, target_type: Type | None = None
) -> Type:
    """Return the type of a call if it means the candidate.

    ``target_type`` is the type that an enclosing call expects; then NULL stands in the result for
    types that the enclosing call may still infer.
    """
    method, site = candidate.method, candidate.site
    world = attribution.world
    if method.name == "getClass" and method.parameter_count == 0 and site is not None:
        return class_type(
            world.find_or_add_class("java.lang.Class"), (wildcard_type("+", erasure(site)),)
        )
    formal_types, result_type = member_types(world, site, method)
    own_variables = resolve_method_type_parameters(world, method) if result_type.free else ()
    if own_variables and mentions_variable(result_type, frozenset(own_variables)):
        call = GenericCall(
            row, method, attribution.rows.arguments(row), formal_types, result_type, own_variables
        )
        result_type = substitute_variables(
            result_type, infer_type_arguments(attribution, call, target_type=target_type)
        )
    return attribution.replace_foreign_variables(result_type, row)


def infer_type_arguments(
    attribution: Attribution,
    call: GenericCall,
    stop_at: int | None = None,
    target_type: Type | None = None,
    use_context: bool = False,
) -> dict[TypeVariable, Type]:
    """Return the inferred type arguments of a generic method's call; its explicit ones if it has
    them.

    ``stop_at``: skip this argument, and the results of lambdas and method references from it on.
    ``use_context``: for variables that the arguments leave open, use the type that is expected
    where the call stands, in place of ``target_type``.
    """
    explicit_arguments = _explicit_type_arguments(attribution, call)
    if explicit_arguments is not None:
        return explicit_arguments
    constraints = Constraints(attribution.world, frozenset(call.inferred))
    function_arguments: list[tuple[int, int, Type]] = []
    for index, argument in enumerate(call.arguments):
        formal = find_formal_parameter_type(
            attribution, call.method, call.parameter_types, index, call.arguments
        )
        if formal is None or not formal.free:
            continue
        if not isinstance(argument, int):
            constraints.add_bound(formal, argument)
        elif attribution.rows.code[argument] in (code.LAMBDA, code.REFERENCE):
            function_arguments.append((index, argument, formal))
            _add_explicit_parameters(attribution, argument, formal, constraints)
        elif index != stop_at:
            constraints.add_bound(
                formal, _argument_type(attribution, argument, formal, constraints, call.inferred)
            )
    for index, argument, formal in function_arguments:
        if stop_at is not None and index >= stop_at:
            break
        # The parameters of a lambda follow from the constraints so far; its result adds one.
        function_type = find_function_type(attribution.world, formal)
        if function_type is not None and function_type[1].free:
            constraints.add_bound(function_type[1], attribution.function_result_type(argument))
    solutions = solve_variables(constraints, call.inferred, fill_missing=False)
    missing = [variable for variable in call.inferred if variable not in solutions]
    expectation = attribution.expected_type(call.row) if missing and use_context else target_type
    if missing and expectation is not None:
        result_constraints = Constraints(attribution.world, frozenset(missing))
        result_constraints.add_bound(call.result_type, expectation, BELOW)
        solutions |= solve_variables(result_constraints, missing, fill_missing=False)
        missing = [variable for variable in missing if variable not in solutions]
    no_constraints = Constraints(attribution.world, frozenset())
    return solutions | solve_variables(
        no_constraints, missing, fill_missing=True, is_open=target_type is not None
    )


def _explicit_type_arguments(
    attribution: Attribution, call: GenericCall
) -> dict[TypeVariable, Type] | None:
    """Return a call's explicit type arguments; None without any, or if their number is wrong."""
    rows = attribution.rows
    text = rows.type_arguments(call.row) if rows.code[call.row] in _POLY else ""
    if not text:
        return None
    scope = rows.scopes[call.row]
    # ``$`` stands for a class that is not declared, which accepts any number of type arguments.
    explicit_type = resolve_type(attribution.world, scope.cls, scope.method, f"${text}")
    if not isinstance(explicit_type, ClassType) or len(explicit_type.args) != len(call.inferred):
        return None
    return dict(zip(call.inferred, explicit_type.args, strict=True))


def _add_explicit_parameters(
    attribution: Attribution, row: int, formal: Type, constraints: Constraints
) -> None:
    """Constrain the parameter types of the function type ``formal`` to be EQUAL to the explicit
    parameter types of a lambda (JLS 18.2.1)."""
    rows = attribution.rows
    function_type = (
        find_function_type(attribution.world, formal)
        if rows.code[row] == code.LAMBDA and rows.a[row]
        else None
    )
    if function_type is not None and len(function_type[0]) == rows.a[row]:
        for formal_type, child in zip(function_type[0], rows.children(row), strict=False):
            if rows.code[child] == code.DECL:
                constraints.add_bound(formal_type, attribution.declared_type(child), EQUAL)


def _argument_type(
    attribution: Attribution,
    argument: int,
    formal: Type,
    constraints: Constraints,
    inferred: tuple[TypeVariable, ...],
) -> Type:
    """Return the type of an argument; a generic call is typed by the formal type it has to fit."""
    type_ = attribution.type_of(argument)
    if attribution.rows.code[argument] in _POLY and has_unknown(type_):
        solutions = solve_variables(constraints, inferred, fill_missing=False)
        # NULL adds no constraint: variables without a solution expect nothing.
        replacements = {variable: solutions.get(variable, NULL) for variable in inferred}
        return attribution.call_type(argument, _replace_variables(formal, replacements))
    return type_


def _replace_variables(formal: Type, replacements: dict[TypeVariable, Type]) -> Type:
    """Replace type variables; unlike ``substitute_variables`` this does not open wildcards."""
    if isinstance(formal, ClassType):
        return class_type(
            formal.cls,
            tuple([_replace_variables(argument, replacements) for argument in formal.args]),
        )
    if isinstance(formal, Wildcard) and formal.bound is not None:
        return wildcard_type(formal.sign, _replace_variables(formal.bound, replacements))
    if isinstance(formal, ArrayType):
        return array_of(_replace_variables(formal.component_type, replacements))
    return replacements.get(formal, formal) if isinstance(formal, TypeVariable) else formal


def has_unknown(type_: Type) -> bool:
    """Return whether an unknown type occurs in a type."""
    if isinstance(type_, Unknown):
        return True
    if isinstance(type_, ClassType):
        return any(has_unknown(argument) for argument in type_.args)
    if isinstance(type_, ArrayType):
        return has_unknown(type_.component_type)
    return isinstance(type_, Wildcard) and type_.bound is not None and has_unknown(type_.bound)


def expected_argument_type(attribution: Attribution, row: int, index: int) -> Type | None:
    """Return the type that a call expects of a lambda or generic call at an argument's position.

    None if its candidates disagree, or the method has no such parameter.
    """
    expected: Type | None = None
    arguments = attribution.rows.arguments(row)
    for candidate in attribution.resolution_of(row).candidates:
        if candidate.is_diamond:
            call = _make_constructor_call(attribution, row, candidate.method)
        else:
            formal_types, result_type = member_types(
                attribution.world, candidate.site, candidate.method
            )
            own_variables = resolve_method_type_parameters(attribution.world, candidate.method)
            call = GenericCall(
                row, candidate.method, arguments, formal_types, result_type, own_variables
            )
        formal = find_formal_parameter_type(
            attribution, call.method, call.parameter_types, index, arguments
        )
        if formal is None:
            return None
        if call.inferred and formal.free and mentions_variable(formal, frozenset(call.inferred)):
            formal = substitute_variables(
                formal, infer_type_arguments(attribution, call, stop_at=index, use_context=True)
            )
        if expected is not None and formal is not expected:
            return None
        expected = formal
    return None if expected is None else attribution.replace_foreign_variables(expected, row)


def is_diamond(attribution: Attribution, row: int) -> bool:
    """Return whether a creation (NEW or INNER) leaves the type arguments to be inferred: ``<>``."""
    return attribution.rows.text(row).endswith("<>")


def _make_constructor_call(attribution: Attribution, row: int, method: Method) -> GenericCall:
    """Return ``new T<>(…)`` as a call of a method with the type parameters of the class and of the
    constructor (JLS 15.9.3)."""
    inferred = resolve_type_parameters(
        attribution.world, method.cls
    ) + resolve_method_type_parameters(attribution.world, method)
    formal_types, result_type = (
        resolve_parameter_types(attribution.world, method),
        own_type(attribution.world, method.cls),
    )
    return GenericCall(
        row, method, attribution.rows.arguments(row), formal_types, result_type, inferred
    )


def infer_diamond_type(
    attribution: Attribution, row: int, cls: Class, target_type: Type | None
) -> Type:
    """Return the type of ``new T<>(…)``; with unknown type arguments if the constructor is not
    certain."""
    own_variables = resolve_type_parameters(attribution.world, cls)
    candidates = attribution.resolution_of(row).candidates
    if not own_variables:
        return class_type(cls)
    if len(candidates) != 1 or candidates[0].method.cls is not cls:
        return class_type(cls, (UNKNOWN,) * len(own_variables))
    solutions = infer_type_arguments(
        attribution,
        _make_constructor_call(attribution, row, candidates[0].method),
        target_type=target_type,
    )
    return class_type(
        cls, tuple([box_type(attribution.world, solutions[variable]) for variable in own_variables])
    )


def replace_foreign_variables(attribution: Attribution, type_: Type, row: int) -> Type:
    """Return the type with unknown types in place of type variables that are not in scope at a row.

    Such a variable belongs to an outer class whose type arguments got lost.
    """
    if not type_.free:
        return type_
    owners = attribution.owners_in_scope(row)
    replacements: dict[TypeVariable, Type] = {}
    _collect_foreign_variables(type_, owners, replacements)
    return substitute_variables(type_, replacements) if replacements else type_


def _collect_foreign_variables(
    type_: Type, owners: frozenset[object], replacements: dict[TypeVariable, Type]
) -> None:
    """Add an unknown type for each variable in the type that none of the owners declares."""
    if not type_.free:
        return
    if isinstance(type_, TypeVariable):
        if type_.owner not in owners:
            bound = erasure(type_)
            replacements[type_] = (
                unknown_subtype_of(bound.cls) if isinstance(bound, ClassType) else UNKNOWN
            )
    elif isinstance(type_, ClassType):
        for part in type_.args:
            _collect_foreign_variables(part, owners, replacements)
    elif isinstance(type_, ArrayType):
        _collect_foreign_variables(type_.component_type, owners, replacements)
    elif isinstance(type_, Wildcard) and type_.bound is not None:
        _collect_foreign_variables(type_.bound, owners, replacements)
    elif isinstance(type_, IntersectionType):
        for part in type_.parts:
            _collect_foreign_variables(part, owners, replacements)
