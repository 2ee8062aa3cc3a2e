"""Members of classes, own and inherited, overriding, and the targets of virtual calls."""

from __future__ import annotations

from codeacumen.languages.java.resolve.scopes import (
    MOST,
    NESTING,
    ancestors,
    as_super,
    field_type,
    given_to,
    method_variables,
    parameters,
    returns,
    supers,
    variables,
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
    Unknown,
    Variable,
    Wildcard,
    class_type,
    erasure,
    lower,
    substitute,
    upper,
)
from codeacumen.languages.java.resolve.world import World


def members(world: World, cls: Class, name: str) -> tuple[Method, ...]:
    """Return a class's methods of a name, own and inherited, without overridden ones."""
    found = cls.found.get(name)
    if found is None:
        found = cls.found[name] = _members(world, cls, name)
    return found


def _members(world: World, cls: Class, name: str) -> tuple[Method, ...]:
    found = list(cls.methods.get(name, ()))
    for above in ancestors(world, cls):
        more = above.methods.get(name)
        if not more or above is cls:
            continue
        for method in more:
            if any(_hides(world, cls, one, method) for one in found):
                continue
            if not _inherited(world, method, cls):
                continue
            # A later interface may extend an earlier one.
            found = [one for one in found if not _hides(world, cls, method, one)]
            found.append(method)
    return tuple(found)


def _inherited(world: World, method: Method, cls: Class) -> bool:
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
    for _ in range(MOST):
        if here.package != package:
            return False
        above = supers(world, here)
        if here is method.cls or not above:
            break
        here = above[0].cls
    return True


def _hides(world: World, cls: Class, one: Method, other: Method) -> bool:
    """Return whether a class's first method overrides, hides or implements the second."""
    if one.count != other.count or one.cls is other.cls or other.cls is cls:
        return False
    # A concrete method of a superclass implements an interface's method (JLS 8.4.8.1).
    before = not one.cls.is_interface and other.cls.is_interface and not one.abstract
    if not (before or one.cls is cls or other.cls in ancestors(world, one.cls)):
        return False
    return same_signature(world, cls, one, other)


def same_signature(world: World, cls: Class, one: Method, other: Method) -> bool:
    """Return whether two of a class's methods have the same parameter types (JLS 8.4.2)."""
    if one.count != other.count:
        return False
    if not one.count:
        return True
    mine, others = erased(world, one), erased(world, other)
    if all(same(a, b) for a, b in zip(mine, others, strict=True)):
        return True
    if not any(type_.free for type_ in (*parameters(world, one), *parameters(world, other))):
        return False
    return all(
        same(a, b)
        for a, b in zip(_erased_in(world, cls, one), _erased_in(world, cls, other), strict=True)
    )


def erased(world: World, method: Method) -> tuple[Type, ...]:
    if method.erased is None:
        method.erased = tuple([erasure(one) for one in parameters(world, method)])
    return method.erased


def _erased_in(world: World, cls: Class, method: Method) -> list[Type]:
    """Return the erased parameter types of a method as a class inherits it.

    For a class that implements ``Comparable<String>``, ``T`` becomes ``String``.
    """
    seen = ancestors(world, cls).get(method.cls)
    given = given_to(world, seen) if seen is not None else {}
    if given is None:
        return list(erased(world, method))
    # A method's type parameters may be bounded by the class's.
    for variable in method_variables(world, method):
        bound = variable.bounds[0]
        given[variable] = substitute(bound, given) if bound is not variable else UNKNOWN
    if method.cls.owner is not None:
        _add_outer(world, cls, method.cls, given)
    return [erasure(substitute(one, given)) for one in parameters(world, method)]


def _add_outer(world: World, cls: Class, declaring: Class, given: dict[Variable, Type]) -> None:
    """Add the type arguments of the classes around ``declaring``, as seen from ``cls``.

    They come from the class around ``cls`` that inherits from the outer class.
    """
    outer = declaring.owner
    for _ in range(NESTING):
        if outer is None:
            break
        own = variables(world, outer)
        if own:
            around: Class | None = cls.owner
            while around is not None and outer not in ancestors(world, around):
                around = around.owner
            seen = ancestors(world, around)[outer] if around is not None else None
            args = seen.args if seen is not None and seen.args else (UNKNOWN,) * len(own)
            given.update(zip(own, args, strict=True))
        outer = outer.owner


def same(one: Type, other: Type) -> bool:
    """Return whether erased types are or may be the same.

    For a class from outside the project, one file may know the package and another may not.
    """
    if one is other:
        return True
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return not (isinstance(one, Primitive) or isinstance(other, Primitive))
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return same(one.of, other.of)
    if isinstance(one, ClassType) and isinstance(other, ClassType):
        outside = one.cls.kind == "outside" or other.cls.kind == "outside"
        return outside and one.cls.name == other.cls.name
    return False


def find_field(world: World, cls: Class, name: str) -> Field | None:
    for above in ancestors(world, cls):
        found = above.fields.get(name)
        if found is not None and (above is cls or "r" not in found.flags):
            return found
    return None


def read_field(world: World, type_: ClassType, field: Field) -> Type:
    """Return a field's type as a member of a type."""
    found = field_type(world, field)
    if not found.free:
        return found
    seen = as_super(world, type_, field.cls)
    given = given_to(world, seen) if seen is not None else {}
    return erasure(found) if given is None else substitute(found, given)


def functional(world: World, cls: Class) -> Method | None:
    """Return the single abstract method of a functional interface (JLS 9.8), or None."""
    if cls.functional is None:
        cls.functional = _functional(world, cls) or False
    return cls.functional or None


def _functional(world: World, cls: Class) -> Method | None:
    if not cls.is_interface:
        return None
    found: list[Method] = []
    for above in ancestors(world, cls):
        if above is world.object:
            continue
        for name, methods in above.methods.items():
            found += [m for m in methods if m.abstract and m in members(world, cls, name)]
    # Public methods of Object do not count: Comparator declares equals.
    found = [one for one in found if not _of_object(world, one)]
    if not found:
        return None
    first = found[0]
    alike = [
        one for one in found if one.name == first.name and same_signature(world, cls, first, one)
    ]
    return first if len(alike) == len(found) else None


def _of_object(world: World, method: Method) -> bool:
    return any(
        "u" in one.flags and same_signature(world, method.cls, method, one)
        for one in world.object.methods.get(method.name, ())
    )


def function(world: World, type_: Type) -> tuple[tuple[Type, ...], Type] | None:
    """Return the parameter types and the result type of a functional interface type (JLS 9.9).

    None if the type is not functional. Wildcards are replaced by their bounds.
    """
    if not isinstance(type_, ClassType):
        return None
    method = functional(world, type_.cls)
    if method is None:
        return None
    own = variables(world, type_.cls)
    if len(own) == len(type_.args) and own:
        plain = [_plain(one, variable) for one, variable in zip(type_.args, own, strict=True)]
        type_ = class_type(type_.cls, tuple(plain))
    seen = as_super(world, type_, method.cls)
    given = given_to(world, seen) if seen is not None else {}
    if given is None:
        return erased(world, method), erasure(returns(world, method))
    return (
        tuple([substitute(one, given) for one in parameters(world, method)]),
        substitute(returns(world, method), given),
    )


def _plain(type_: Type, variable: Variable) -> Type:
    return lower(type_, variable) if isinstance(type_, Wildcard) else type_


def member_types(
    world: World, type_: ClassType | None, method: Method
) -> tuple[tuple[Type, ...], Type]:
    """Return the parameter types and the result type of a method as a member of a type.

    The method's own type parameters remain. Members of a raw type are erased.
    """
    given_types, result = parameters(world, method), returns(world, method)
    if type_ is None or method.static or not variables(world, method.cls):
        return given_types, result
    seen = as_super(world, type_, method.cls)
    if seen is None:
        return given_types, result
    if not seen.args:
        return erased(world, method), erasure(result)
    given = dict(zip(variables(world, method.cls), seen.args, strict=True))
    # Parameters take a wildcard's lower bound, results its upper one.
    into = {key: lower(one, key) for key, one in given.items()}
    return (
        tuple([substitute(one, into) for one in given_types]),
        substitute(result, given),
    )


def bound_types(type_: Type) -> list[Type]:
    """Return the class and array types whose members a value of a type has."""
    found: list[Type] = []
    waiting = [type_]
    for _ in range(64):
        if not waiting:
            break
        one = waiting.pop()
        if isinstance(one, Variable):
            waiting += reversed(one.bounds)
        elif isinstance(one, Wildcard):
            waiting.append(upper(one))
        elif hasattr(one, "parts"):
            waiting += reversed(one.parts)
        else:
            found.append(one)
    return found


def connect(world: World) -> None:
    """Fill ``subclasses`` of all classes, including the platform classes in between."""
    # Outer classes before inner ones, whose supertypes may be members of the outer class.
    waiting = [cls for unit in world.units.values() for cls in unit.classes]
    seen = set(waiting)
    for cls in waiting:
        for above in supers(world, cls):
            above.cls.subclasses.append(cls)
            if above.cls not in seen:
                seen.add(above.cls)
                waiting.append(above.cls)


def below(world: World, cls: Class) -> frozenset[Class]:
    """Return all known direct and indirect subclasses of a class, without itself."""
    if cls.below is None:
        found: set[Class] = set()
        waiting = list(cls.subclasses)
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += one.subclasses
        cls.below = frozenset(found)
    return cls.below


def reached(world: World, method: Method, cls: Class) -> tuple[Target, ...]:
    """Return the project's methods that a call on a receiver of static type ``cls`` may run.

    These are the method itself and every concrete override below the class (class-hierarchy
    analysis). An abstract method is a target only if nothing implements it: then lambdas do, whose
    code belongs to the methods around them.
    """
    found = method.reached.get(cls)
    if found is None:
        found = method.reached[cls] = _reached(world, method, cls)
    return found


def _reached(world: World, method: Method, cls: Class) -> tuple[Target, ...]:
    flags = method.flags
    if "s" in flags or "r" in flags or "f" in flags or method.name == "<init>":
        return method.target
    under = below(world, cls)
    if not under:
        return method.target
    found: set[Target] = set() if method.abstract else set(method.target)
    declaring = world.declaring(method.name, method.count)
    if len(under) < len(declaring.classes):
        inside = [cls for cls in under if cls in declaring.classes]
    else:
        inside = [cls for cls in declaring.classes if cls in under]
    for one in inside:
        for other in declaring.classes[one]:
            if _runs(other) and overrides(world, other, method):
                found.update(other.target)
    for one in declaring.extended:
        # A subclass may inherit the implementation from a class that does not have this type as an
        # ancestor, or in which the parameter types were not yet the same.
        if cls in below(world, one):
            continue
        if one in under or not below(world, one).isdisjoint(under):
            found.update(_inherited_from(world, one, method, under))
    if not found:
        return method.target
    return method.target if found == set(method.target) else tuple(sorted(found))


def overrides(world: World, one: Method, method: Method) -> bool:
    """Return whether method ``one`` overrides ``method`` (JLS 8.4.8.1)."""
    flags = one.flags + method.flags
    if one is method or "s" in flags or "r" in flags or method.cls not in ancestors(world, one.cls):
        return False
    visible = "u" in method.flags or "p" in method.flags or one.cls.package == method.cls.package
    return visible and same_signature(world, one.cls, one, method)


def _runs(method: Method) -> bool:
    return not ("a" in method.flags or "s" in method.flags or "r" in method.flags)


def _inherited_from(
    world: World, cls: Class, method: Method, under: frozenset[Class]
) -> list[Target]:
    found: list[Target] = []
    for one in cls.methods.get(method.name, ()):
        if one is method or not _runs(one) or one.count != method.count:
            continue
        # Without type variables, the signatures are the same for all heirs or for none.
        free = _is_free(world, one) or _is_free(world, method)
        if not free and (cls in under or not same_signature(world, cls, one, method)):
            continue
        for heir in below(world, cls) & under:
            has = one in members(world, heir, method.name)
            if has and same_signature(world, heir, one, method):
                found += one.target
                break
    return found


def _is_free(world: World, method: Method) -> bool:
    return any(one.free for one in parameters(world, method))
