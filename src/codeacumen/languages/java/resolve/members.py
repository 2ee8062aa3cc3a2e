"""Members of classes, own and inherited, overriding, and the targets of virtual calls.

Results are cached in the ``Class`` and ``Method`` objects. Flags are the letters of ``FileFacts``:
s static, a abstract, f final, u public, p protected, r private.
"""

from __future__ import annotations

from codeacumen.languages.java.resolve.scopes import (
    MAX_ANCESTORS,
    MAX_NESTING,
    as_supertype,
    field_type,
    find_ancestors,
    find_supertypes,
    map_type_arguments,
    resolve_method_type_parameters,
    resolve_parameter_types,
    resolve_return_type,
    resolve_type_parameters,
)
from codeacumen.languages.java.resolve.types import (
    UNKNOWN,
    ArrayType,
    Class,
    ClassType,
    Field,
    Method,
    Primitive,
    Target,
    Type,
    TypeVariable,
    Unknown,
    Wildcard,
    class_type,
    erasure,
    lower_bound,
    substitute_variables,
    upper_bound,
)
from codeacumen.languages.java.resolve.world import World


def find_member_methods(world: World, cls: Class, name: str) -> tuple[Method, ...]:
    """Return a class's methods of a name, own and inherited, without overridden ones."""
    methods = cls.members_by_name.get(name)
    if methods is None:
        methods = cls.members_by_name[name] = _collect_member_methods(world, cls, name)
    return methods


def _collect_member_methods(world: World, cls: Class, name: str) -> tuple[Method, ...]:
    methods = list(cls.methods.get(name, ()))
    for ancestor in find_ancestors(world, cls):
        inherited = ancestor.methods.get(name)
        if not inherited or ancestor is cls:
            continue
        for method in inherited:
            if any(_overrides_or_hides(world, cls, other, method) for other in methods):
                continue
            if not _is_inherited(world, method, cls):
                continue
            # A later interface may extend an earlier one.
            methods = [
                other for other in methods if not _overrides_or_hides(world, cls, method, other)
            ]
            methods.append(method)
    return tuple(methods)


def _is_inherited(world: World, method: Method, cls: Class) -> bool:
    """Return whether a class inherits an ancestor's method (JLS 8.4.8).

    Private methods and an interface's static methods are not inherited; package-private methods
    only if all classes in between belong to the package.
    """
    flags = method.flags
    if "r" in flags or ("s" in flags and method.cls.is_interface):
        return False
    if "u" in flags or "p" in flags:
        return True
    package = method.cls.package
    here = cls
    for _ in range(MAX_ANCESTORS):
        if here.package != package:
            return False
        supertypes = find_supertypes(world, here)
        if here is method.cls or not supertypes:
            break
        here = supertypes[0].cls
    return True


def _overrides_or_hides(world: World, cls: Class, first: Method, second: Method) -> bool:
    """Return whether the first method overrides, hides or implements the second in a class that
    has or inherits both."""
    if (
        first.parameter_count != second.parameter_count
        or first.cls is second.cls
        or second.cls is cls
    ):
        return False
    # A concrete method of a superclass implements an interface's method (JLS 8.4.8.1).
    implements = not first.cls.is_interface and second.cls.is_interface and not first.is_abstract
    if not (implements or first.cls is cls or second.cls in find_ancestors(world, first.cls)):
        return False
    return has_same_signature(world, cls, first, second)


def has_same_signature(world: World, cls: Class, first: Method, second: Method) -> bool:
    """Return whether two methods, as members of a class, have the same parameter types (JLS 8.4.2).

    Types that may be the same count as the same; names are not compared.
    """
    if first.parameter_count != second.parameter_count:
        return False
    if not first.parameter_count:
        return True
    first_types, second_types = erased_parameters(world, first), erased_parameters(world, second)
    if all(may_be_same_type(a, b) for a, b in zip(first_types, second_types, strict=True)):
        return True
    if not any(
        type_.free
        for type_ in (
            *resolve_parameter_types(world, first),
            *resolve_parameter_types(world, second),
        )
    ):
        return False
    return all(
        may_be_same_type(a, b)
        for a, b in zip(
            _erased_parameters_in(world, cls, first),
            _erased_parameters_in(world, cls, second),
            strict=True,
        )
    )


def erased_parameters(world: World, method: Method) -> tuple[Type, ...]:
    """Return the erased types of a method's parameters."""
    if method.erased_parameter_types is None:
        method.erased_parameter_types = tuple(
            [erasure(type_) for type_ in resolve_parameter_types(world, method)]
        )
    return method.erased_parameter_types


def _erased_parameters_in(world: World, cls: Class, method: Method) -> list[Type]:
    """Return the erased parameter types of a method as a class inherits it.

    For a class that implements ``Comparable<String>``, ``T`` becomes ``String``.
    """
    supertype = find_ancestors(world, cls).get(method.cls)
    substitution = map_type_arguments(world, supertype) if supertype is not None else {}
    if substitution is None:
        return list(erased_parameters(world, method))
    # A method's type parameters may be bounded by the class's.
    for variable in resolve_method_type_parameters(world, method):
        bound = variable.bounds[0]
        substitution[variable] = (
            substitute_variables(bound, substitution) if bound is not variable else UNKNOWN
        )
    if method.cls.owner is not None:
        _add_outer_arguments(world, cls, method.cls, substitution)
    return [
        erasure(substitute_variables(type_, substitution))
        for type_ in resolve_parameter_types(world, method)
    ]


def _add_outer_arguments(
    world: World, cls: Class, declaring: Class, substitution: dict[TypeVariable, Type]
) -> None:
    """Add the type arguments of the classes around ``declaring``, as seen from ``cls``.

    They come from the class around ``cls`` that inherits from the outer class.
    """
    outer = declaring.owner
    for _ in range(MAX_NESTING):
        if outer is None:
            break
        own_variables = resolve_type_parameters(world, outer)
        if own_variables:
            around: Class | None = cls.owner
            while around is not None and outer not in find_ancestors(world, around):
                around = around.owner
            supertype = find_ancestors(world, around)[outer] if around is not None else None
            args = (
                supertype.args
                if supertype is not None and supertype.args
                else (UNKNOWN,) * len(own_variables)
            )
            substitution.update(zip(own_variables, args, strict=True))
        outer = outer.owner


def may_be_same_type(first: Type, second: Type) -> bool:
    """Return whether erased types are or may be the same.

    For a class from outside the project, one file may know the package and another may not.
    """
    if first is second:
        return True
    if isinstance(first, Unknown) or isinstance(second, Unknown):
        return not (isinstance(first, Primitive) or isinstance(second, Primitive))
    if isinstance(first, ArrayType) and isinstance(second, ArrayType):
        return may_be_same_type(first.component_type, second.component_type)
    if isinstance(first, ClassType) and isinstance(second, ClassType):
        is_outside = first.cls.kind == "outside" or second.cls.kind == "outside"
        return is_outside and first.cls.name == second.cls.name
    return False


def find_field(world: World, cls: Class, name: str) -> Field | None:
    """Return a class's own or inherited (not private) field of a name, None if it has none."""
    for ancestor in find_ancestors(world, cls):
        field = ancestor.fields.get(name)
        if field is not None and (ancestor is cls or "r" not in field.flags):
            return field
    return None


def member_field_type(world: World, type_: ClassType, field: Field) -> Type:
    """Return a field's type as a member of a type; that of a raw type is erased (JLS 4.8)."""
    declared = field_type(world, field)
    if not declared.free:
        return declared
    supertype = as_supertype(world, type_, field.cls)
    substitution = map_type_arguments(world, supertype) if supertype is not None else {}
    return (
        erasure(declared) if substitution is None else substitute_variables(declared, substitution)
    )


def find_functional_method(world: World, cls: Class) -> Method | None:
    """Return the single abstract method of a functional interface (JLS 9.8), or None."""
    if cls.functional_method is None:
        cls.functional_method = _find_functional_method(world, cls) or False
    return cls.functional_method or None


def _find_functional_method(world: World, cls: Class) -> Method | None:
    if not cls.is_interface:
        return None
    abstract_methods: list[Method] = []
    for ancestor in find_ancestors(world, cls):
        if ancestor is world.object_class:
            continue
        for name, methods in ancestor.methods.items():
            abstract_methods += [
                method
                for method in methods
                if method.is_abstract and method in find_member_methods(world, cls, name)
            ]
    # Public methods of Object do not count: Comparator declares equals.
    abstract_methods = [
        method for method in abstract_methods if not _is_object_method(world, method)
    ]
    if not abstract_methods:
        return None
    first = abstract_methods[0]
    equivalent = [
        method
        for method in abstract_methods
        if method.name == first.name and has_same_signature(world, cls, first, method)
    ]
    return first if len(equivalent) == len(abstract_methods) else None


def _is_object_method(world: World, method: Method) -> bool:
    """Return whether a method has the signature of a public method of Object."""
    return any(
        "u" in object_method.flags and has_same_signature(world, method.cls, method, object_method)
        for object_method in world.object_class.methods.get(method.name, ())
    )


def find_function_type(world: World, type_: Type) -> tuple[tuple[Type, ...], Type] | None:
    """Return the parameter types and the result type of a functional interface type (JLS 9.9).

    None if the type is not functional. Wildcards are replaced by their bounds.
    """
    if not isinstance(type_, ClassType):
        return None
    method = find_functional_method(world, type_.cls)
    if method is None:
        return None
    own_variables = resolve_type_parameters(world, type_.cls)
    if len(own_variables) == len(type_.args) and own_variables:
        arguments = [
            _replace_wildcard(argument, variable)
            for argument, variable in zip(type_.args, own_variables, strict=True)
        ]
        type_ = class_type(type_.cls, tuple(arguments))
    supertype = as_supertype(world, type_, method.cls)
    substitution = map_type_arguments(world, supertype) if supertype is not None else {}
    if substitution is None:
        return erased_parameters(world, method), erasure(resolve_return_type(world, method))
    return (
        tuple(
            [
                substitute_variables(formal, substitution)
                for formal in resolve_parameter_types(world, method)
            ]
        ),
        substitute_variables(resolve_return_type(world, method), substitution),
    )


def _replace_wildcard(type_: Type, variable: TypeVariable) -> Type:
    return lower_bound(type_, variable) if isinstance(type_, Wildcard) else type_


def member_types(
    world: World, type_: ClassType | None, method: Method
) -> tuple[tuple[Type, ...], Type]:
    """Return the parameter types and the result type of a method as a member of a type.

    The method's own type parameters remain. Members of a raw type are erased.
    """
    formal_types, result = (
        resolve_parameter_types(world, method),
        resolve_return_type(world, method),
    )
    if type_ is None or method.is_static or not resolve_type_parameters(world, method.cls):
        return formal_types, result
    supertype = as_supertype(world, type_, method.cls)
    if supertype is None:
        return formal_types, result
    if not supertype.args:
        return erased_parameters(world, method), erasure(result)
    substitution = dict(
        zip(resolve_type_parameters(world, method.cls), supertype.args, strict=True)
    )
    # Parameters take a wildcard's lower bound, results its upper one.
    parameter_substitution = {
        variable: lower_bound(argument, variable) for variable, argument in substitution.items()
    }
    return (
        tuple([substitute_variables(formal, parameter_substitution) for formal in formal_types]),
        substitute_variables(result, substitution),
    )


def bound_types(type_: Type) -> list[Type]:
    """Return the types whose members a value of a type has: the bounds of type variables and
    wildcards, the parts of intersections, any other type itself (also a primitive or unknown one).
    """
    types: list[Type] = []
    waiting = [type_]
    # In a source with errors, bounds may be cyclic.
    for _ in range(64):
        if not waiting:
            break
        current = waiting.pop()
        if isinstance(current, TypeVariable):
            waiting += reversed(current.bounds)
        elif isinstance(current, Wildcard):
            waiting.append(upper_bound(current))
        elif hasattr(current, "parts"):
            waiting += reversed(current.parts)
        else:
            types.append(current)
    return types


def fill_subclasses(world: World) -> None:
    """Fill ``Class.subclasses``, direct subclasses only, of all ancestors of the project's classes.

    ``JavaProject`` calls it once, before any call is linked.
    """
    # Outer classes before inner ones, whose supertypes may be members of the outer class.
    waiting = [cls for unit in world.units.values() for cls in unit.classes]
    visited = set(waiting)
    for cls in waiting:
        for supertype in find_supertypes(world, cls):
            supertype.cls.subclasses.append(cls)
            if supertype.cls not in visited:
                visited.add(supertype.cls)
                waiting.append(supertype.cls)


def find_subclasses(world: World, cls: Class) -> frozenset[Class]:
    """Return all direct and indirect subclasses of a class, without itself: classes of the project,
    and platform classes above these."""
    if cls.descendants is None:
        subclasses: set[Class] = set()
        waiting = list(cls.subclasses)
        while waiting:
            subclass = waiting.pop()
            if subclass not in subclasses:
                subclasses.add(subclass)
                waiting += subclass.subclasses
        cls.descendants = frozenset(subclasses)
    return cls.descendants


def find_targets(world: World, method: Method, cls: Class) -> tuple[Target, ...]:
    """Return the project's methods that a call on a receiver of static type ``cls`` may run.

    These are the method itself and every concrete override below the class (class-hierarchy
    analysis). An abstract method is a target only if nothing implements it: then lambdas do, whose
    code belongs to the methods around them.
    """
    targets = method.targets_by_class.get(cls)
    if targets is None:
        targets = method.targets_by_class[cls] = _collect_targets(world, method, cls)
    return targets


def _collect_targets(world: World, method: Method, cls: Class) -> tuple[Target, ...]:
    """Return the targets as ``find_targets`` describes them, sorted, without its cache."""
    flags = method.flags
    if "s" in flags or "r" in flags or "f" in flags or method.name == "<init>":
        return method.targets
    subclasses = find_subclasses(world, cls)
    if not subclasses:
        return method.targets
    targets: set[Target] = set() if method.is_abstract else set(method.targets)
    declaring = world.find_declaring_classes(method.name, method.parameter_count)
    if len(subclasses) < len(declaring.classes):
        declaring_subclasses = [cls for cls in subclasses if cls in declaring.classes]
    else:
        declaring_subclasses = [cls for cls in declaring.classes if cls in subclasses]
    for declaring_class in declaring_subclasses:
        for override in declaring.classes[declaring_class]:
            if _is_concrete(override) and overrides(world, override, method):
                targets.update(override.targets)
    for declaring_class in declaring.extended:
        # A subclass may inherit the implementation from a class that does not have this type as an
        # ancestor, or in which the parameter types were not yet the same.
        if cls in find_subclasses(world, declaring_class):
            continue
        if declaring_class in subclasses or not find_subclasses(world, declaring_class).isdisjoint(
            subclasses
        ):
            targets.update(_find_inherited_targets(world, declaring_class, method, subclasses))
    if not targets:
        return method.targets
    return method.targets if targets == set(method.targets) else tuple(sorted(targets))


def overrides(world: World, override: Method, method: Method) -> bool:
    """Return whether ``override`` overrides ``method`` (JLS 8.4.8.1)."""
    flags = override.flags + method.flags
    if (
        override is method
        or "s" in flags
        or "r" in flags
        or method.cls not in find_ancestors(world, override.cls)
    ):
        return False
    visible = (
        "u" in method.flags or "p" in method.flags or override.cls.package == method.cls.package
    )
    return visible and has_same_signature(world, override.cls, override, method)


def _is_concrete(method: Method) -> bool:
    return not ("a" in method.flags or "s" in method.flags or "r" in method.flags)


def _find_inherited_targets(
    world: World, cls: Class, method: Method, subclasses: frozenset[Class]
) -> list[Target]:
    """Return the targets of those methods of ``cls`` with which some of the subclasses, inheriting
    them, implement ``method``."""
    targets: list[Target] = []
    for inherited in cls.methods.get(method.name, ()):
        if (
            inherited is method
            or not _is_concrete(inherited)
            or inherited.parameter_count != method.parameter_count
        ):
            continue
        # Without type variables, the signatures are the same for all heirs or for none.
        has_variables = _has_type_variables(world, inherited) or _has_type_variables(world, method)
        if not has_variables and (
            cls in subclasses or not has_same_signature(world, cls, inherited, method)
        ):
            continue
        for heir in find_subclasses(world, cls) & subclasses:
            is_member = inherited in find_member_methods(world, heir, method.name)
            if is_member and has_same_signature(world, heir, inherited, method):
                targets += inherited.targets
                break
    return targets


def _has_type_variables(world: World, method: Method) -> bool:
    return any(type_.free for type_ in resolve_parameter_types(world, method))
