"""Resolution of type names, the types in declarations, and the ancestors of classes.

These belong together, because a simple name may mean a member type that a class inherits. Results
are cached in the ``Class``, ``Method``, ``Field`` and ``Unit`` objects.

A class that the project does not declare has no ``unit``: either a class of the platform, whose
members are known, or a class of kind ``outside``, of which only the name is known. ``declaration``
of a class or method of the project is a row of ``FileFacts.declared``, which lists the columns:
``declaration[6]`` and ``[7]`` are the type parameters and the supertypes of a class,
``declaration[3]``, ``[4]`` and ``[5]`` the type parameters, the parameter types and the result type
of a method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codeacumen.languages.java.resolve.type_programs import compile_type, evaluate_steps
from codeacumen.languages.java.resolve.types import (
    NAMELESS,
    UNKNOWN,
    VOID,
    Class,
    ClassType,
    Field,
    IntersectionType,
    Method,
    Type,
    TypeVariable,
    Unit,
    class_type,
    substitute_variables,
    unknown_subtype_of,
)
from codeacumen.languages.java.resolve.world import World, nearest_class, qualified_name

# Names in types nested deeper stay unresolved: the search costs the square of the depth.
MAX_NESTING = 100
# A class with more ancestors counts as incomplete, like one with an unknown ancestor.
MAX_ANCESTORS = 400
# The declaration that a type's name means; None if it is unknown.
TypeSymbol = Class | TypeVariable | None


def look_up_type_name(world: World, cls: Class, method_index: int, name: str) -> TypeSymbol:
    """Return the type that a simple name means in a method of a class (-1: outside of methods)."""
    key = (method_index, name)
    if key in cls.resolved_names:
        cached: TypeSymbol = cls.resolved_names[key]
        return cached
    cycle_count = world.cycle_count
    symbol = _look_up_type_name(world, cls, method_index, name)
    # A higher count: the lookup met a cycle of supertypes, so its result may be incomplete.
    if world.cycle_count == cycle_count:
        cls.resolved_names[key] = symbol
    return symbol


def _look_up_type_name(world: World, cls: Class, method_index: int, name: str) -> TypeSymbol:
    """Look a name up from the inside out: method, class, members, then the same around the class,
    at last the file's top level (JLS 6.3, 6.4.1). In a class outside the project nothing is found.
    """
    symbol = find_type_in_method(world, cls, method_index, name)
    if symbol is not None or cls.unit is None:
        return symbol
    for _ in range(MAX_NESTING):
        for variable in resolve_type_parameters(world, cls):
            if variable.name == name:
                return variable
        if cls.name == name and cls.kind not in NAMELESS:
            return cls
        member_class = find_member_type(world, cls, name)
        if member_class is not None:
            return member_class
        symbol = (
            find_type_in_method(world, cls.owner, cls.method_index, name) if cls.owner else None
        )
        if symbol is not None:
            return symbol
        if cls.owner is None:
            break
        cls = cls.owner
    return resolve_at_top_level(world, cls.unit, name) if cls.unit else None


def find_type_in_method(world: World, cls: Class, method_index: int, name: str) -> TypeSymbol:
    """Return the method's type parameter or local class of a name, or None.

    If several local classes have the name, return a class of kind ``outside``.
    """
    unit = cls.unit
    if unit is None:
        return None
    if method_index >= 0:
        for variable in resolve_method_type_parameters(world, unit.methods[method_index]):
            if variable.name == name:
                return variable
    local_classes = [
        local_class
        for local_class in unit.local_classes.get((cls.index, method_index), ())
        if local_class.name == name
    ]
    if len(local_classes) > 1:
        return world.find_or_add_class(
            f"?.{name}"
        )  # blocks, which would decide between them, are not stored
    return local_classes[0] if local_classes else None


def find_member_type(world: World, cls: Class, name: str) -> Class | None:
    """Return a class's declared or inherited member type of a name, or None."""
    member_class = cls.member_classes.get(name)
    if member_class is None:
        for ancestor in find_ancestors(world, cls):
            if ancestor.kind == "outside":
                continue
            member_class = ancestor.member_classes.get(name)
            if member_class is None and ancestor.unit is None:
                member_class = world.find_class(f"{qualified_name(ancestor)}.{name}")
            if member_class is not None:
                break
    return member_class


def resolve_at_top_level(world: World, unit: Unit, name: str) -> Class | None:
    """Return the class that a simple name means at the top level of a file (JLS 6.4.1), or None.

    The order is: the file's own classes, imports by name, the package, imports on demand and
    ``java.lang``.
    """
    if name not in unit.top_level_names:
        unit.top_level_names[name] = _resolve_at_top_level(world, unit, name)
    return unit.top_level_names[name]


def _resolve_at_top_level(world: World, unit: Unit, name: str) -> Class | None:
    package_classes = world.top_level_classes.get((unit.package, name), [])
    for cls in package_classes:
        if cls.unit is unit:
            return cls
    if name in unit.single_imports:
        qualified = unit.single_imports[name]
        return world.find_class(qualified, unit) or world.find_or_add_class(qualified)
    for owner_name in unit.static_imports.get(name, ()):
        owner = world.find_class(owner_name, unit)
        resolved = find_member_type(world, owner, name) if owner else None
        if resolved:
            return resolved
    if package_classes:
        return nearest_class(package_classes, unit)
    prefix = f"{unit.package}." if unit.package else ""
    for qualified in (prefix + name, *(f"{package}.{name}" for package in unit.on_demand_imports)):
        resolved = world.find_class(qualified, unit)
        if resolved is not None:
            return resolved
    for owner_name in (*unit.static_on_demand_imports, *unit.on_demand_imports):
        owner = world.find_class(owner_name, unit) if not world.is_package(owner_name) else None
        resolved = find_member_type(world, owner, name) if owner else None
        if resolved:
            return resolved
    return world.find_class(f"java.lang.{name}", unit)


def resolve_type_name(world: World, cls: Class, method_index: int, name: str) -> TypeSymbol:
    """Resolve a simple or qualified type name in a scope; an unknown one to a class of kind
    ``outside``."""
    if cls.unit is None:
        for variable in resolve_type_parameters(world, cls):
            if variable.name == name:
                return variable
        return world.find_or_add_class(name)
    return _resolve_qualified_name(
        world, cls.unit, look_up_type_name(world, cls, method_index, name.partition(".")[0]), name
    )


def _resolve_qualified_name(
    world: World, unit: Unit, first_symbol: TypeSymbol, name: str
) -> TypeSymbol:
    """Resolve a qualified name, given the meaning of its first part."""
    _, dot, rest = name.partition(".")
    if not dot:
        # ``guess_class`` returns a class of kind ``outside``; it only guesses the package.
        return first_symbol if first_symbol is not None else world.guess_class(name, unit)
    if isinstance(first_symbol, Class):
        cls: Class | None = first_symbol
        for part in rest.split("."):
            cls = find_member_type(world, cls, part) if cls else None
        return cls or world.find_or_add_class(f"{qualified_name(first_symbol)}.{rest}")
    return world.find_class(name, unit) or world.find_or_add_class(name)


def resolve_header_type(world: World, cls: Class, text: str) -> Type:
    """Resolve a supertype in a class's header, where the class's members are not in scope."""
    type_parameters = {
        type_parameter.name: type_parameter
        for type_parameter in resolve_type_parameters(world, cls)
    }
    if cls.unit is None:
        return resolve_type_uncached(world, cls, -1, text, type_parameters)
    if cls.owner is not None:
        return resolve_type_uncached(world, cls.owner, cls.method_index, text, type_parameters)
    unit = cls.unit

    def resolve_name(word: str) -> TypeSymbol:
        return _resolve_qualified_name(
            world, unit, resolve_at_top_level(world, unit, word.partition(".")[0]), word
        )

    return _evaluate_type(world, text, resolve_name, type_parameters)


def resolve_type(world: World, cls: Class, method_index: int, text: str) -> Type:
    """Resolve the text of a type in a method of a class (-1: outside of methods)."""
    key = (method_index, text)
    type_ = cls.resolved_types.get(key)
    if type_ is None:
        type_ = cls.resolved_types[key] = resolve_type_uncached(world, cls, method_index, text)
    return type_


def resolve_type_uncached(
    world: World,
    cls: Class,
    method_index: int,
    text: str,
    type_parameters: dict[str, TypeVariable] | None = None,
) -> Type:
    """Resolve the text of a type without the cache; ``type_parameters``, by name, come before the
    names in the scope."""
    return _evaluate_type(
        world, text, lambda word: resolve_type_name(world, cls, method_index, word), type_parameters
    )


def _evaluate_type(
    world: World,
    text: str,
    look_up_name: Callable[[str], TypeSymbol],
    type_parameters: dict[str, TypeVariable] | None,
) -> Type:
    """Return the type of a text whose names mean type parameters, else what ``look_up_name`` finds.

    Type arguments of the wrong number are dropped; those of ``<>`` are unknown.
    """

    def resolve_name(word: str) -> Type:
        if type_parameters and word in type_parameters:
            return type_parameters[word]
        symbol = look_up_name(word)
        return class_type(symbol) if isinstance(symbol, Class) else symbol or UNKNOWN

    def apply_arguments(type_: Type, args: tuple[Type, ...] | None) -> Type:
        if not isinstance(type_, ClassType):
            return UNKNOWN
        parameter_count = len(resolve_type_parameters(world, type_.cls))
        if args is None:
            return class_type(type_.cls, (UNKNOWN,) * parameter_count)
        is_applicable = len(args) == parameter_count or type_.cls.kind == "outside"
        return class_type(type_.cls, args) if is_applicable else type_

    return evaluate_steps(
        compile_type(text),
        resolve_name,
        apply_arguments,
        lambda types: least_upper_bound(world, types),
    )


def least_upper_bound(world: World, types: Iterable[Type]) -> Type:
    """Return the least upper bound of types (JLS 4.10.4).

    The bound is the lowest class or interface above all of them. If it is generic, the result is an
    unknown subtype of it; if several are lowest, an unknown subtype of Object. If an ancestor of a
    type is unknown, the result is ``UNKNOWN``.
    """
    common_ancestors: list[Class] | None = None
    for type_ in types:
        if not isinstance(type_, ClassType):
            return UNKNOWN
        ancestors_of_type = find_ancestors(world, type_.cls)
        if not type_.cls.is_complete:
            return UNKNOWN
        common_ancestors = [
            ancestor
            for ancestor in (ancestors_of_type if common_ancestors is None else common_ancestors)
            if ancestor in ancestors_of_type
        ]
    candidates = [
        ancestor for ancestor in common_ancestors or () if ancestor is not world.object_class
    ] or [world.object_class]
    lowest = [
        candidate
        for candidate in candidates
        if not any(_is_proper_ancestor(world, candidate, other) for other in candidates)
    ]
    if len(lowest) > 1:
        return unknown_subtype_of(world.object_class)
    is_not_generic = not resolve_type_parameters(world, lowest[0])
    return class_type(lowest[0]) if is_not_generic else unknown_subtype_of(lowest[0])


def _is_proper_ancestor(world: World, ancestor: Class, cls: Class) -> bool:
    return ancestor is not cls and ancestor in find_ancestors(world, cls)


def resolve_type_parameters(world: World, cls: Class) -> tuple[TypeVariable, ...]:
    """Return a class's type parameters."""
    if cls.type_parameters is None:
        texts = cls.declaration.variables if cls.unit is None else cls.declaration[6]
        cls.type_parameters = type_parameters = tuple(
            [TypeVariable(_type_parameter_name(text), cls) for text in texts]
        )
        _resolve_bounds(world, type_parameters, texts, cls, -1)
    return cls.type_parameters


def resolve_method_type_parameters(world: World, method: Method) -> tuple[TypeVariable, ...]:
    """Return a method's own type parameters."""
    if method.type_parameters is None:
        texts = method.declaration[3]
        method.type_parameters = type_parameters = tuple(
            [TypeVariable(_type_parameter_name(text), method) for text in texts]
        )
        _resolve_bounds(world, type_parameters, texts, method.cls, method.index)
    return method.type_parameters


def _type_parameter_name(text: str) -> str:
    """Return the name in the text of a type parameter such as ``T extends A & B``."""
    return text.partition(" ")[0]


def _resolve_bounds(
    world: World,
    type_parameters: tuple[TypeVariable, ...],
    texts: Iterable[str],
    cls: Class,
    method_index: int,
) -> None:
    """Set the bounds of type parameters from their texts; they may refer to each other."""
    parameters_by_name = {type_parameter.name: type_parameter for type_parameter in type_parameters}
    for variable, text in zip(type_parameters, texts, strict=True):
        _, _, bounds = text.partition(" extends ")
        if bounds:
            bound = resolve_type_uncached(world, cls, method_index, bounds, parameters_by_name)
            variable.bounds = bound.parts if isinstance(bound, IntersectionType) else (bound,)
        else:
            variable.bounds = (world.object_type,)


def own_type(world: World, cls: Class) -> ClassType:
    """Return the type of ``this`` in a class."""
    return class_type(cls, resolve_type_parameters(world, cls))


def resolve_parameter_types(world: World, method: Method) -> tuple[Type, ...]:
    """Return the types of a method's parameters; the last of a varargs method is an array."""
    if method.parameter_types is None:
        _resolve_signature(world, method)
    return method.parameter_types or ()


def resolve_return_type(world: World, method: Method) -> Type:
    """Return the return type of a method; VOID for a constructor."""
    if method.return_type is None:
        _resolve_signature(world, method)
    return method.return_type or UNKNOWN


def _resolve_signature(world: World, method: Method) -> None:
    """Fill a method's caches ``parameter_types`` and ``return_type``."""
    cls, index = method.cls, method.index
    type_parameters = {
        type_parameter.name: type_parameter
        for type_parameter in resolve_method_type_parameters(world, method)
    }
    # Without own type parameters, the texts mean the same as in the class: share its cache.
    scope = index if type_parameters else -1

    def resolve_text(text: str) -> Type:
        # A method that is not in the source has index -1, the key of the class's own cache entries.
        if type_parameters and index < 0:
            return resolve_type_uncached(world, cls, -1, text, type_parameters)
        return resolve_type(world, cls, scope, text)

    method.parameter_types = tuple([resolve_text(text) for text in method.declaration[4]])
    method.return_type = resolve_text(method.declaration[5]) if method.declaration[5] else VOID


def field_type(world: World, field: Field) -> Type:
    """Return the declared type of a field; for an enum constant, its enum."""
    if field.resolved_type is None:
        if field.declared_type:
            field.resolved_type = resolve_type(world, field.cls, -1, field.declared_type)
        else:
            field.resolved_type = class_type(field.cls)
    return field.resolved_type


def find_supertypes(world: World, cls: Class) -> tuple[ClassType, ...]:
    """Return the direct supertypes, the superclass first; Object for a class that names none."""
    if cls.supertypes is None:
        if cls in world.resolving_supertypes or len(world.resolving_supertypes) > MAX_NESTING // 2:
            # Cyclic or nested too deep: the count keeps results based on this out of the caches.
            world.cycle_count += 1
            return ()
        world.resolving_supertypes.add(cls)
        cls.supertypes = _resolve_supertypes(world, cls)
        world.resolving_supertypes.discard(cls)
    return cls.supertypes


def _resolve_supertypes(world: World, cls: Class) -> tuple[ClassType, ...]:
    """Return the direct supertypes, written and implicit; clear ``is_complete`` if one is not a
    class."""
    if cls.kind == "outside" or cls is world.object_class:
        return () if cls is world.object_class else (world.object_type,)
    if cls.kind == "enum constant":
        return (class_type(cls.owner),) if cls.owner else ()
    texts = cls.declaration.supers if cls.unit is None else cls.declaration[7]
    supertypes: list[ClassType] = []
    for text in texts:
        if text.startswith("."):
            # ``outer.new Inner() {}``: the type of ``outer`` is not known, so that any inner class
            # of the name may be the supertype.
            name = text[1:].partition("<")[0]
            supertypes += [
                class_type(inner_class)
                for inner_class in world.find_inner_classes(name)
                if inner_class is not cls
            ]
            cls.is_complete = cls.is_complete and bool(supertypes)
            continue
        # The first text is empty if the class names no superclass.
        type_ = resolve_header_type(world, cls, text) if text else None
        if isinstance(type_, ClassType) and type_.cls is not cls:
            supertypes.append(type_)
        elif text:
            cls.is_complete = False
    if cls.kind == "enum" and cls.unit is not None:
        supertypes.insert(
            0, class_type(world.find_or_add_class("java.lang.Enum"), (class_type(cls),))
        )
    elif cls.kind == "record" and cls.unit is not None:
        supertypes.insert(0, class_type(world.find_or_add_class("java.lang.Record")))
    elif cls.kind == "annotation" and cls.unit is not None:
        supertypes.append(class_type(world.find_or_add_class("java.lang.annotation.Annotation")))
    if cls.kind in (*NAMELESS, "class") and (not supertypes or supertypes[0].cls.is_interface):
        supertypes.insert(0, world.object_type)
    return tuple(supertypes)


def find_ancestors(world: World, cls: Class) -> dict[Class, ClassType]:
    """Return a class and its ancestors, each with the parameterization that the class extends.

    The class is first; superclasses come before interfaces. Object is an ancestor of interfaces
    too. Also sets ``Class.is_complete``.
    """
    if cls.ancestors is not None:
        return cls.ancestors
    cycle_count = world.cycle_count
    ancestor_types: dict[Class, ClassType] = {}
    pending = [own_type(world, cls)]
    is_complete = cls.is_complete
    while pending:
        type_ = pending.pop()
        if type_.cls in ancestor_types:
            continue
        if len(ancestor_types) >= MAX_ANCESTORS:
            is_complete = False
            break
        ancestor_types[type_.cls] = type_
        if type_.cls is cls and cls.is_interface:
            # An interface has Object's methods, before the inherited ones.
            ancestor_types[world.object_class] = world.object_type
        supertypes = find_supertypes(world, type_.cls)
        is_complete = is_complete and type_.cls.is_complete
        substitution = map_type_arguments(world, type_)
        if substitution is None:
            pending += [class_type(supertype.cls) for supertype in reversed(supertypes)]
        else:
            pending += [
                _require_class_type(substitute_variables(supertype, substitution))
                for supertype in reversed(supertypes)
            ]
    ancestor_types.setdefault(world.object_class, world.object_type)
    if world.cycle_count == cycle_count:
        cls.ancestors, cls.is_complete = ancestor_types, is_complete
    return ancestor_types


def _require_class_type(type_: Type) -> ClassType:
    assert isinstance(type_, ClassType)
    return type_


def map_type_arguments(world: World, type_: ClassType) -> dict[TypeVariable, Type] | None:
    """Return a type's arguments by type parameter; None for a raw type of a generic class."""
    type_parameters = resolve_type_parameters(world, type_.cls)
    if not type_parameters:
        return {}
    if len(type_parameters) != len(type_.args):
        return None
    return dict(zip(type_parameters, type_.args, strict=True))


def as_supertype(world: World, type_: ClassType, cls: Class) -> ClassType | None:
    """Return the parameterization of the class ``cls`` that a type extends; None if ``cls`` is no
    ancestor of the type's class."""
    if type_.cls is cls:
        return type_
    supertype = type_.supertype_cache.get(cls)
    if supertype is None:
        ancestor_type = find_ancestors(world, type_.cls).get(cls)
        if ancestor_type is None:
            return None
        substitution = map_type_arguments(world, type_)
        supertype = (
            class_type(cls)
            if substitution is None
            else _require_class_type(substitute_variables(ancestor_type, substitution))
        )
        type_.supertype_cache[cls] = supertype
    return supertype
