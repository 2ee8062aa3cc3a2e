"""Resolution of type names, the types in declarations, and the ancestors of classes.

These belong together, because a simple name may mean a member type that a class inherits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codeacumen.languages.java.resolve.types import (
    NAMELESS,
    UNKNOWN,
    VOID,
    Both,
    Class,
    ClassType,
    Field,
    Method,
    Type,
    Unit,
    Variable,
    class_type,
    substitute,
    unknown,
)
from codeacumen.languages.java.resolve.world import World, label, nearest
from codeacumen.languages.java.resolve.written import program, run

# Names in types nested deeper stay unresolved: the search costs the square of the depth.
NESTING = 100
# A class with more ancestors counts as incomplete.
MOST = 400
Name = Class | Variable | None


def lookup(world: World, cls: Class, method: int, name: str) -> Name:
    """Resolve a type's simple name in a method of a class (-1: outside of methods)."""
    key = (method, name)
    if key in cls.named:
        known: Name = cls.named[key]
        return known
    circles = world.circles
    found = _lookup(world, cls, method, name)
    if world.circles == circles:
        cls.named[key] = found
    return found


def _lookup(world: World, cls: Class, method: int, name: str) -> Name:
    found = around(world, cls, method, name)
    if found is not None or cls.unit is None:
        return found
    for _ in range(NESTING):
        for variable in variables(world, cls):
            if variable.name == name:
                return variable
        if cls.name == name and cls.kind not in NAMELESS:
            return cls
        inner = member_type(world, cls, name)
        if inner is not None:
            return inner
        found = around(world, cls.owner, cls.method, name) if cls.owner else None
        if found is not None:
            return found
        if cls.owner is None:
            break
        cls = cls.owner
    return top(world, cls.unit, name) if cls.unit else None


def around(world: World, cls: Class, method: int, name: str) -> Name:
    """Return the method's type parameter or local class of a name."""
    unit = cls.unit
    if unit is None:
        return None
    if method >= 0:
        for variable in method_variables(world, unit.methods[method]):
            if variable.name == name:
                return variable
    local = [one for one in unit.local.get((cls.place, method), ()) if one.name == name]
    if len(local) > 1:
        return world.named(f"?.{name}")  # blocks, which would decide between them, are not stored
    return local[0] if local else None


def member_type(world: World, cls: Class, name: str) -> Class | None:
    """Return the declared or inherited member type of a name."""
    found = cls.inner.get(name)
    if found is None:
        for above in ancestors(world, cls):
            if above.kind == "outside":
                continue
            found = above.inner.get(name)
            if found is None and above.unit is None:
                found = world.find(f"{label(above)}.{name}")
            if found is not None:
                break
    return found


def top(world: World, unit: Unit, name: str) -> Class | None:
    """Resolve a simple name at the top level of a file (JLS 6.4.1)."""
    if name not in unit.names:
        unit.names[name] = _top(world, unit, name)
    return unit.names[name]


def _top(world: World, unit: Unit, name: str) -> Class | None:
    own = world.tops.get((unit.package, name), [])
    for cls in own:
        if cls.unit is unit:
            return cls
    if name in unit.imported:
        qualified = unit.imported[name]
        return world.find(qualified, unit) or world.named(qualified)
    for before in unit.static.get(name, ()):
        holder = world.find(before, unit)
        found = member_type(world, holder, name) if holder else None
        if found:
            return found
    if own:
        return nearest(own, unit)
    prefix = f"{unit.package}." if unit.package else ""
    for qualified in (prefix + name, *(f"{one}.{name}" for one in unit.on_demand)):
        found = world.find(qualified, unit)
        if found is not None:
            return found
    for before in (*unit.static_on_demand, *unit.on_demand):
        holder = world.find(before, unit) if not world.is_package(before) else None
        found = member_type(world, holder, name) if holder else None
        if found:
            return found
    return world.find(f"java.lang.{name}", unit)


def resolve(world: World, cls: Class, method: int, name: str) -> Name:
    """Resolve a simple or qualified type name in a scope; an unknown one to a placeholder."""
    if cls.unit is None:
        for variable in variables(world, cls):
            if variable.name == name:
                return variable
        return world.named(name)
    return _select(world, cls.unit, lookup(world, cls, method, name.partition(".")[0]), name)


def _select(world: World, unit: Unit, found: Name, name: str) -> Name:
    """Resolve a qualified name, given the meaning of its first part."""
    _, dot, rest = name.partition(".")
    if not dot:
        return found if found is not None else world.guess(name, unit)
    if isinstance(found, Class):
        at: Class | None = found
        for part in rest.split("."):
            at = member_type(world, at, part) if at else None
        return at or world.named(f"{label(found)}.{rest}")
    return world.find(name, unit) or world.named(name)


def read_header(world: World, cls: Class, text: str) -> Type:
    """Resolve a supertype in a class's header, where the class's members are not in scope."""
    own = {one.name: one for one in variables(world, cls)}
    if cls.unit is None:
        return read(world, cls, -1, text, own)
    if cls.owner is not None:
        return read(world, cls.owner, cls.method, text, own)
    unit = cls.unit

    def name(word: str) -> Name:
        return _select(world, unit, top(world, unit, word.partition(".")[0]), word)

    return _run(world, text, name, own)


def type_in(world: World, cls: Class, method: int, text: str) -> Type:
    """Resolve the text of a type in a method of a class (-1: outside of methods)."""
    key = (method, text)
    found = cls.written.get(key)
    if found is None:
        found = cls.written[key] = read(world, cls, method, text)
    return found


def read(
    world: World, cls: Class, method: int, text: str, own: dict[str, Variable] | None = None
) -> Type:
    """Resolve the text of a type without the cache; ``own`` are further type parameters."""
    return _run(world, text, lambda word: resolve(world, cls, method, word), own)


def _run(
    world: World, text: str, meaning: Callable[[str], Name], own: dict[str, Variable] | None
) -> Type:
    def name(word: str) -> Type:
        if own and word in own:
            return own[word]
        meant = meaning(word)
        return class_type(meant) if isinstance(meant, Class) else meant or UNKNOWN

    def apply(type_: Type, args: tuple[Type, ...] | None) -> Type:
        if not isinstance(type_, ClassType):
            return UNKNOWN
        count = len(variables(world, type_.cls))
        if args is None:
            return class_type(type_.cls, (UNKNOWN,) * count)
        known = len(args) == count or type_.cls.kind == "outside"
        return class_type(type_.cls, args) if known else type_

    return run(program(text), name, apply, lambda types: common(world, types))


def common(world: World, types: Iterable[Type]) -> Type:
    """Return the least upper bound of types (JLS 4.10.4).

    That is the lowest class or interface above all of them. Without a single lowest one, or if it
    is generic, the result is an unknown type.
    """
    shared: list[Class] | None = None
    for type_ in types:
        if not isinstance(type_, ClassType):
            return UNKNOWN
        above = ancestors(world, type_.cls)
        if not type_.cls.complete:
            return UNKNOWN
        shared = [one for one in (above if shared is None else shared) if one in above]
    left = [one for one in shared or () if one is not world.object] or [world.object]
    lowest = [one for one in left if not any(_is_above(world, one, other) for other in left)]
    if len(lowest) > 1:
        return unknown(world.object)
    plain = not variables(world, lowest[0])
    return class_type(lowest[0]) if plain else unknown(lowest[0])


def _is_above(world: World, one: Class, other: Class) -> bool:
    return one is not other and one in ancestors(world, other)


def variables(world: World, cls: Class) -> tuple[Variable, ...]:
    """Return a class's type parameters."""
    if cls.variables is None:
        texts = cls.row.variables if cls.unit is None else cls.row[6]
        cls.variables = made = tuple([Variable(_name(text), cls) for text in texts])
        _bind(world, made, texts, cls, -1)
    return cls.variables


def method_variables(world: World, method: Method) -> tuple[Variable, ...]:
    if method.variables is None:
        texts = method.row[3]
        method.variables = made = tuple([Variable(_name(text), method) for text in texts])
        _bind(world, made, texts, method.cls, method.place)
    return method.variables


def _name(text: str) -> str:
    return text.partition(" ")[0]


def _bind(
    world: World, made: tuple[Variable, ...], texts: Iterable[str], cls: Class, method: int
) -> None:
    own = {one.name: one for one in made}
    for variable, text in zip(made, texts, strict=True):
        _, _, bounds = text.partition(" extends ")
        if bounds:
            found = read(world, cls, method, bounds, own)
            variable.bounds = found.parts if isinstance(found, Both) else (found,)
        else:
            variable.bounds = (world.object_type,)


def own_type(world: World, cls: Class) -> ClassType:
    """Return the type of ``this`` in a class."""
    return class_type(cls, variables(world, cls))


def parameters(world: World, method: Method) -> tuple[Type, ...]:
    """Return the types of a method's parameters; the last of a varargs method is an array."""
    if method.parameters is None:
        _read_method(world, method)
    return method.parameters or ()


def returns(world: World, method: Method) -> Type:
    if method.returns is None:
        _read_method(world, method)
    return method.returns or UNKNOWN


def _read_method(world: World, method: Method) -> None:
    cls, place = method.cls, method.place
    own = {one.name: one for one in method_variables(world, method)}
    # Without own type parameters, the texts mean the same as in the class: share its cache.
    scope = place if own else -1

    def meaning(text: str) -> Type:
        if own and place < 0:
            return read(world, cls, -1, text, own)
        return type_in(world, cls, scope, text)

    method.parameters = tuple([meaning(text) for text in method.row[4]])
    method.returns = meaning(method.row[5]) if method.row[5] else VOID


def field_type(world: World, field: Field) -> Type:
    if field.type is None:
        if field.written:
            field.type = type_in(world, field.cls, -1, field.written)
        else:
            field.type = class_type(field.cls)
    return field.type


def supers(world: World, cls: Class) -> tuple[ClassType, ...]:
    """Return the direct supertypes, the superclass first; Object for a class that names none."""
    if cls.supers is None:
        if cls in world.busy or len(world.busy) > NESTING // 2:
            # Cyclic or nested too deep: the count keeps results based on this out of the caches.
            world.circles += 1
            return ()
        world.busy.add(cls)
        cls.supers = _supers(world, cls)
        world.busy.discard(cls)
    return cls.supers


def _supers(world: World, cls: Class) -> tuple[ClassType, ...]:
    if cls.kind == "outside" or cls is world.object:
        return () if cls is world.object else (world.object_type,)
    if cls.kind == "enum constant":
        return (class_type(cls.owner),) if cls.owner else ()
    texts = cls.row.supers if cls.unit is None else cls.row[7]
    found: list[ClassType] = []
    for text in texts:
        if text.startswith("."):
            # ``outer.new Inner() {}``: the type of ``outer`` is not known, so that any inner class
            # of the name may be the supertype.
            name = text[1:].partition("<")[0]
            found += [class_type(one) for one in world.inner_classes(name) if one is not cls]
            cls.complete = cls.complete and bool(found)
            continue
        type_ = read_header(world, cls, text) if text else None
        if isinstance(type_, ClassType) and type_.cls is not cls:
            found.append(type_)
        elif text:
            cls.complete = False
    if cls.kind == "enum" and cls.unit is not None:
        found.insert(0, class_type(world.named("java.lang.Enum"), (class_type(cls),)))
    elif cls.kind == "record" and cls.unit is not None:
        found.insert(0, class_type(world.named("java.lang.Record")))
    elif cls.kind == "annotation" and cls.unit is not None:
        found.append(class_type(world.named("java.lang.annotation.Annotation")))
    if cls.kind in (*NAMELESS, "class") and (not found or found[0].cls.is_interface):
        found.insert(0, world.object_type)
    return tuple(found)


def ancestors(world: World, cls: Class) -> dict[Class, ClassType]:
    """Return a class and its ancestors as it extends them, superclasses before interfaces."""
    if cls.ancestors is not None:
        return cls.ancestors
    circles = world.circles
    found: dict[Class, ClassType] = {}
    waiting = [own_type(world, cls)]
    complete = cls.complete
    while waiting:
        type_ = waiting.pop()
        if type_.cls in found:
            continue
        if len(found) >= MOST:
            complete = False
            break
        found[type_.cls] = type_
        if type_.cls is cls and cls.is_interface:
            # An interface has Object's methods, before the inherited ones.
            found[world.object] = world.object_type
        above = supers(world, type_.cls)
        complete = complete and type_.cls.complete
        given = given_to(world, type_)
        if given is None:
            waiting += [class_type(one.cls) for one in reversed(above)]
        else:
            waiting += [_as_class(substitute(one, given)) for one in reversed(above)]
    found.setdefault(world.object, world.object_type)
    if world.circles == circles:
        cls.ancestors, cls.complete = found, complete
    return found


def _as_class(type_: Type) -> ClassType:
    assert isinstance(type_, ClassType)
    return type_


def given_to(world: World, type_: ClassType) -> dict[Variable, Type] | None:
    """Return the type arguments by type parameter; None for a raw type."""
    own = variables(world, type_.cls)
    if not own:
        return {}
    if len(own) != len(type_.args):
        return None
    return dict(zip(own, type_.args, strict=True))


def as_super(world: World, type_: ClassType, cls: Class) -> ClassType | None:
    """Return the parameterization of an ancestor that a type extends; None if it is no ancestor."""
    if type_.cls is cls:
        return type_
    found = type_.above.get(cls)
    if found is None:
        seen = ancestors(world, type_.cls).get(cls)
        if seen is None:
            return None
        given = given_to(world, type_)
        found = class_type(cls) if given is None else _as_class(substitute(seen, given))
        type_.above[cls] = found
    return found
