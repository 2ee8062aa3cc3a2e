"""Overload resolution: select the methods of one name that a call may mean (JLS 15.12.2).

Three phases: without boxing, with boxing, with a variable number of arguments. Where an argument's
type is unknown, a method may or may not be applicable. Such methods stay, so that the result
contains every method that the compiler could have chosen. NO, STRICT, LOOSE and MAYBE are those of
``conversions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from codeacumen.languages.java.resolve.conversions import (
    MAYBE,
    NO,
    STRICT,
    OpenVariables,
    check_subclass,
    classify_conversion,
    unboxed_name,
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
from codeacumen.languages.java.resolve.members import (
    find_function_type,
    has_same_signature,
    member_types,
)
from codeacumen.languages.java.resolve.scopes import own_type
from codeacumen.languages.java.resolve.types import (
    NULL,
    VOID,
    WIDENINGS,
    ArrayType,
    ClassType,
    Method,
    Primitive,
    Type,
    TypeVariable,
    Unknown,
    erasure,
)

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution

# Nested conditional expressions with more branches count as MAYBE compatible with any type.
MAX_BRANCHES = 100
# More pairs of methods are not compared for the most specific one (hundreds may all accept null).
MAX_PAIRS = 2500
# The row of an expression, or a type without one (parameter of a functional interface).
Argument: TypeAlias = int | Type


class Candidate(NamedTuple):
    """A method and its ``site``, the type of the object it is called on (None: no object).

    ``is_diamond``: a constructor whose call also infers the class's type arguments.
    """

    method: Method
    site: ClassType | None
    is_diamond: bool = False


def _find_open_variables(attribution: Attribution, candidate: Candidate) -> OpenVariables:
    """Return the owners of the type variables that a call of the candidate infers or keeps."""
    if candidate.is_diamond:
        return OpenVariables((candidate.method, candidate.method.cls))
    is_own_type = candidate.site is not None and candidate.site is own_type(
        attribution.world, candidate.site.cls
    )
    return OpenVariables(
        (candidate.method,),
        candidate.site.cls if is_own_type and candidate.site is not None else None,
    )


def accepts_argument_count(method: Method, argument_count: int) -> bool:
    """Return whether a method can be called with this number of arguments (JLS 15.12.2.1)."""
    return method.parameter_count == argument_count or (
        method.is_varargs and argument_count >= method.parameter_count - 1
    )


def select_overloads(
    attribution: Attribution, candidates: Sequence[Candidate], arguments: Sequence[Argument]
) -> list[Candidate]:
    """Return the candidates that a call with these arguments may mean; a single one if that is
    certain, none if no candidate accepts their number."""
    right_arity = [
        candidate
        for candidate in candidates
        if accepts_argument_count(candidate.method, len(arguments))
    ]
    if len(right_arity) < 2 or _is_one_inherited_method(attribution, right_arity):
        return right_arity
    world = attribution.world
    parameter_types = {
        candidate: member_types(world, candidate.site, candidate.method)[0]
        for candidate in right_arity
    }
    fixed_arity = [
        candidate for candidate in right_arity if candidate.method.parameter_count == len(arguments)
    ]
    compatibilities = {
        candidate: [
            _check_compatibility(
                attribution, argument, parameter_type, _find_open_variables(attribution, candidate)
            )
            for argument, parameter_type in zip(arguments, parameter_types[candidate], strict=True)
        ]
        for candidate in fixed_arity
    }
    # ``certain`` are the candidates of a phase that are applicable for certain. If there are any,
    # the later phases do not count (JLS 15.12.2), and those candidates of the phase are dropped
    # than which a certain one is more specific.
    strict = [
        candidate
        for candidate in fixed_arity
        if all(compatibility in (STRICT, MAYBE) for compatibility in compatibilities[candidate])
    ]
    certain = [candidate for candidate in strict if MAYBE not in compatibilities[candidate]]
    if certain:
        return _select_most_specific(attribution, strict, certain, parameter_types, arguments)
    loose = [
        candidate
        for candidate in fixed_arity
        if candidate not in strict and NO not in compatibilities[candidate]
    ]
    certain = [candidate for candidate in loose if MAYBE not in compatibilities[candidate]]
    if certain:
        return strict + _select_most_specific(
            attribution, loose, certain, parameter_types, arguments
        )
    variable_arity = []
    for candidate in right_arity:
        if candidate.method.is_varargs and candidate not in strict and candidate not in loose:
            expanded_types = _expand_varargs(parameter_types[candidate], len(arguments))
            variable_arity_compatibilities = [
                _check_compatibility(
                    attribution,
                    argument,
                    parameter_type,
                    _find_open_variables(attribution, candidate),
                )
                for argument, parameter_type in zip(arguments, expanded_types, strict=True)
            ]
            if NO not in variable_arity_compatibilities:
                variable_arity.append(candidate)
                parameter_types[candidate] = tuple(expanded_types)
                if MAYBE not in variable_arity_compatibilities:
                    certain.append(candidate)
    if certain:
        variable_arity = _select_most_specific(
            attribution, variable_arity, certain, parameter_types, arguments
        )
    # The source compiles, so if nothing fits, a type is wrong: any candidate may be meant.
    return strict + loose + variable_arity or right_arity


def check_applicability(
    attribution: Attribution, candidate: Candidate, arguments: Sequence[Argument]
) -> int:
    """Return whether a method is applicable to a call's arguments: STRICT, NO or MAYBE."""
    parameter_types = member_types(attribution.world, candidate.site, candidate.method)[0]
    applicability = NO
    for target_types in (
        parameter_types,
        _expand_varargs(parameter_types, len(arguments)) if candidate.method.is_varargs else (),
    ):
        if len(target_types) == len(arguments):
            compatibilities = [
                _check_compatibility(
                    attribution,
                    argument,
                    parameter_type,
                    _find_open_variables(attribution, candidate),
                )
                for argument, parameter_type in zip(arguments, target_types, strict=True)
            ]
            if NO not in compatibilities and MAYBE not in compatibilities:
                return STRICT
            applicability = NO if NO in compatibilities and applicability == NO else MAYBE
    return applicability


def _is_one_inherited_method(attribution: Attribution, candidates: Sequence[Candidate]) -> bool:
    """Return whether all candidates are one method that is inherited from several ancestors."""
    first = candidates[0]
    if first.site is None:
        return False
    return all(
        candidate.site is first.site
        and has_same_signature(attribution.world, first.site.cls, first.method, candidate.method)
        for candidate in candidates[1:]
    )


def is_one_method(attribution: Attribution, candidates: Sequence[Candidate]) -> bool:
    """Return whether the candidates are one method."""
    return len(candidates) == 1 or (
        bool(candidates) and _is_one_inherited_method(attribution, candidates)
    )


def _expand_varargs(parameter_types: Sequence[Type], argument_count: int) -> list[Type]:
    """Return the parameter types of a varargs method for this number of arguments: the last one's
    component type as often as needed."""
    last = parameter_types[-1]
    element_type = last.component_type if isinstance(last, ArrayType) else last
    return [*parameter_types[:-1], *[element_type] * (argument_count - len(parameter_types) + 1)]


def find_formal_parameter_type(
    attribution: Attribution,
    method: Method,
    parameter_types: Sequence[Type],
    index: int,
    arguments: Sequence[Argument],
) -> Type | None:
    """Return the type that a method expects at an argument's position; None if it has none there.

    For a varargs parameter this is the component type, unless the argument may be the array.
    """
    if method.is_varargs and parameter_types and index >= len(parameter_types) - 1:
        argument = arguments[index]
        if len(arguments) != len(parameter_types) or not _may_be_varargs_array(
            attribution, argument
        ):
            return _expand_varargs(parameter_types, len(arguments))[index]
    return parameter_types[index] if index < len(parameter_types) else None


def _may_be_varargs_array(attribution: Attribution, argument: Argument) -> bool:
    """Return whether an argument may be passed as the array of a varargs parameter."""
    if isinstance(argument, int):
        if attribution.rows.code[argument] in (LAMBDA, REFERENCE):
            return False
        argument = attribution.type_of(argument)
    return argument is NULL or not isinstance(argument, Primitive | ClassType)


def _check_compatibility(
    attribution: Attribution, argument: Argument, target_type: Type, open_variables: OpenVariables
) -> int:
    """Return whether an argument is compatible with a type: NO, STRICT, LOOSE or MAYBE."""
    if not isinstance(argument, int):
        return classify_conversion(attribution.world, argument, target_type, open_variables)
    code = attribution.rows.code[argument]
    if code == LAMBDA:
        return _check_lambda(attribution, argument, target_type, open_variables)
    if code == REFERENCE:
        return _check_reference(attribution, argument, target_type)
    if code == CONDITION:
        return _check_conditional(attribution, argument, target_type, open_variables)
    argument_type = attribution.type_of(argument)
    if code in (CALL, INVOKE, UPCALL, NEW, INNER):
        # A poly expression: the expected type may still determine its type arguments.
        argument_type = (
            argument_type
            if isinstance(argument_type, TypeVariable)
            else attribution.erase_arguments(argument_type)
        )
    return classify_conversion(attribution.world, argument_type, target_type, open_variables)


def _check_conditional(
    attribution: Attribution, row: int, target_type: Type, open_variables: OpenVariables
) -> int:
    """Return the compatibility of ``a ? b : c``: of all branches, unless numeric (JLS 15.25)."""
    pending, branches = [row], []
    while pending:
        operand = pending.pop()
        if attribution.rows.code[operand] == CONDITION:
            pending += attribution.rows.children(operand)[1:]
        else:
            branches.append(operand)
        if len(pending) + len(branches) > MAX_BRANCHES:
            return MAYBE
    types = [attribution.type_of(branch) for branch in branches]
    if all(unboxed_name(type_) for type_ in types):
        return classify_conversion(
            attribution.world, attribution.type_of(row), target_type, open_variables
        )
    compatibilities = {
        _check_compatibility(attribution, branch, target_type, open_variables)
        for branch in branches
    }
    if len(compatibilities) == 1:
        return compatibilities.pop()
    # A numeric conditional may have a type that neither branch has.
    may_be_numeric = [
        type_ for type_ in types if isinstance(type_, Primitive | Unknown) and type_ is not NULL
    ]
    if NO in compatibilities:
        return MAYBE if may_be_numeric else NO
    # The weakest: MAYBE, else LOOSE.
    return max(compatibilities)


def check_lambda_shape(attribution: Attribution, row: int, result_type: Type) -> int:
    """Return whether a lambda's body is compatible with a void or other result (JLS 15.12.2.1): NO,
    STRICT or MAYBE (a block that returns nothing, and may or may not complete normally)."""
    # The sum of BLOCK, GIVES, … (see ``expressions``).
    flags = attribution.rows.b[row]
    if result_type is VOID:
        return NO if (flags & GIVES if flags & BLOCK else not flags & STATEMENT) else STRICT
    if flags & BLOCK:
        if flags & LEAVES or not flags & (GIVES | ENDLESS):
            return NO
        return STRICT if flags & GIVES else MAYBE
    return STRICT


def is_explicitly_typed(attribution: Attribution, row: int) -> bool:
    """Return whether a lambda is explicitly typed (JLS 15.27.1); true without parameters."""
    # Column a of a lambda is the number of its parameters, which are its first children.
    count = attribution.rows.a[row]
    return not any(
        attribution.rows.code[parameter] == PARAM
        for parameter in attribution.rows.children(row)[:count]
    )


def _check_lambda(
    attribution: Attribution, row: int, target_type: Type, open_variables: OpenVariables
) -> int:
    """Return whether a lambda is compatible with a type: NO, STRICT or MAYBE."""
    if not isinstance(target_type, ClassType):
        return NO if isinstance(target_type, Primitive | ArrayType) else MAYBE
    signature = find_function_type(attribution.world, target_type)
    if signature is None:
        return MAYBE if target_type.cls.kind == "outside" or not target_type.cls.is_complete else NO
    parameter_types, result_type = signature
    if len(parameter_types) != attribution.rows.a[row]:
        return NO
    shape = check_lambda_shape(attribution, row, result_type)
    if (
        shape == NO
        or not is_explicitly_typed(attribution, row)
        or attribution.rows.b[row] & BLOCK
        or result_type is VOID
    ):
        return shape
    # Only the body of an explicitly typed lambda is pertinent to applicability (JLS 15.12.2.2).
    body_type = attribution.type_of(attribution.rows.children(row)[-1])
    if body_type is VOID:
        return NO
    if isinstance(body_type, Unknown):
        return MAYBE
    if result_type.free or isinstance(result_type, Unknown):
        return STRICT
    compatibility = classify_conversion(
        attribution.world, attribution.erase_arguments(body_type), result_type, open_variables
    )
    is_narrowable = isinstance(body_type, Primitive) and isinstance(result_type, Primitive)
    # A constant may be narrowed, depending on its value (JLS 5.2).
    return (
        MAYBE
        if compatibility == MAYBE or (compatibility == NO and is_narrowable)
        else (NO if compatibility == NO else STRICT)
    )


def _check_reference(attribution: Attribution, row: int, target_type: Type) -> int:
    """Return whether a method reference is compatible with a type: NO, STRICT or MAYBE."""
    if not isinstance(target_type, ClassType):
        return NO if isinstance(target_type, Primitive | ArrayType) else MAYBE
    signature = find_function_type(attribution.world, target_type)
    if signature is None:
        return MAYBE if target_type.cls.kind == "outside" or not target_type.cls.is_complete else NO
    parameter_types, result_type = signature
    methods, unbound = attribution.referred_methods(row)
    if not methods:
        return MAYBE
    if not any(_may_refer_to(method, len(parameter_types), unbound) for method in methods):
        return NO
    if len(methods) > 1:
        return STRICT
    returns_void = attribution.returns_void(methods[0])
    return NO if returns_void and result_type is not VOID else STRICT


def _may_refer_to(method: Method, parameter_count: int, unbound: bool) -> bool:
    """Return whether a method reference may mean a method, as a function of ``parameter_count``
    parameters.

    For ``Type::method`` (``unbound``) the first parameter is the object unless the method is static
    (JLS 15.12.2.1).
    """
    if method.name == "<init>":
        return accepts_argument_count(method, parameter_count)
    if unbound:
        return accepts_argument_count(
            method, parameter_count if method.is_static else parameter_count - 1
        )
    return not method.is_static and accepts_argument_count(method, parameter_count)


def _select_most_specific(
    attribution: Attribution,
    possible: list[Candidate],
    certain: list[Candidate],
    parameter_types: dict[Candidate, tuple[Type, ...]],
    arguments: Sequence[Argument],
) -> list[Candidate]:
    """Return the possible candidates without those than which a certainly applicable one is more
    specific (JLS 15.12.2.5)."""
    if len(possible) * len(certain) > MAX_PAIRS:
        return possible
    remaining = []
    for candidate in possible:
        is_less_specific = False
        for rival in certain:
            if rival is candidate:
                continue
            if _is_more_specific(
                attribution, rival, candidate, parameter_types, arguments
            ) and not (
                candidate in certain
                and _is_more_specific(attribution, candidate, rival, parameter_types, arguments)
            ):
                is_less_specific = True
                break
        if not is_less_specific:
            remaining.append(candidate)
    return remaining


def _is_more_specific(
    attribution: Attribution,
    candidate: Candidate,
    other: Candidate,
    parameter_types: dict[Candidate, tuple[Type, ...]],
    arguments: Sequence[Argument],
) -> bool:
    """Return whether a candidate is at least as specific as another for these arguments."""
    own_types, other_types = parameter_types[candidate], parameter_types[other]
    count = max(len(own_types), len(other_types))
    if len(own_types) < count and candidate.method.is_varargs:
        own_types = tuple(_expand_varargs(own_types, count))
    if len(other_types) < count and other.method.is_varargs:
        other_types = tuple(_expand_varargs(other_types, count))
    for index in range(min(len(arguments), len(own_types), len(other_types))):
        argument = arguments[index]
        own_erasure, other_erasure = erasure(own_types[index]), erasure(other_types[index])
        if own_erasure is other_erasure or _is_subtype(attribution, own_erasure, other_erasure):
            continue
        if (
            isinstance(argument, int)
            and attribution.rows.code[argument] in (LAMBDA, REFERENCE)
            and _is_more_specific_function(
                attribution, argument, own_types[index], other_types[index]
            )
        ):
            continue
        return False
    return True


def _is_subtype(attribution: Attribution, type_: Type, other: Type) -> bool:
    """Return whether an erased type is certainly a subtype of another (JLS 4.10)."""
    if isinstance(type_, Primitive):
        return isinstance(other, Primitive) and other.name in WIDENINGS.get(type_.name, ())
    if isinstance(type_, ArrayType) and isinstance(other, ArrayType):
        return type_.component_type is other.component_type or _is_subtype(
            attribution, type_.component_type, other.component_type
        )
    if isinstance(type_, ClassType) and isinstance(other, ClassType):
        return check_subclass(attribution.world, type_.cls, other.cls) == STRICT
    return isinstance(type_, ArrayType) and isinstance(other, ClassType)


def _is_more_specific_function(
    attribution: Attribution, row: int, type_: Type, other: Type
) -> bool:
    """Return whether a function type is more specific than another for a lambda or a method
    reference (JLS 15.12.2.5)."""
    signature, other_signature = (
        find_function_type(attribution.world, type_),
        find_function_type(attribution.world, other),
    )
    if signature is None or other_signature is None or len(signature[0]) != len(other_signature[0]):
        return False
    result_type, other_result_type = signature[1], other_signature[1]
    if attribution.rows.code[row] == LAMBDA:
        if not is_explicitly_typed(attribution, row):
            return False
        actual_type = attribution.lambda_result_type(row)
    else:
        methods, _ = attribution.referred_methods(row)
        if len(methods) != 1:
            return False
        actual_type = attribution.method_result_type(methods[0])
    if other_result_type is VOID:
        return True
    if result_type is VOID:
        return False
    if isinstance(result_type, Primitive) and not isinstance(other_result_type, Primitive):
        return isinstance(actual_type, Primitive)
    if isinstance(other_result_type, Primitive) and not isinstance(result_type, Primitive):
        return isinstance(actual_type, ClassType | ArrayType | TypeVariable)
    return _is_subtype(attribution, erasure(result_type), erasure(other_result_type))
