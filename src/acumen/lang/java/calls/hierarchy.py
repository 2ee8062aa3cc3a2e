"""Which classes are below a class, and which methods a call may therefore reach."""

from __future__ import annotations

from acumen.lang.java.calls.members import members, same_signature
from acumen.lang.java.calls.model import Class, Method, Target
from acumen.lang.java.calls.scopes import ancestors, parameters, supers
from acumen.lang.java.calls.world import World


def connect(world: World) -> None:
    """Tells every class to those it extends, the platform's between them too."""
    # Outer classes before inner ones, whose supertypes may be members of theirs.
    waiting = [cls for unit in world.units.values() for cls in unit.classes]
    seen = set(waiting)
    for cls in waiting:
        for above in supers(world, cls):
            above.cls.subclasses.append(cls)
            if above.cls not in seen:
                seen.add(above.cls)
                waiting.append(above.cls)


def below(world: World, cls: Class) -> frozenset[Class]:
    """All known subclasses of a class, without itself."""
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
    """The methods of the project that a call of a method may run, on an object whose static type
    is of a class: the method itself, and every concrete method below the class that overrides it.
    An abstract method stands for itself only if nothing implements it. That may also be a
    lambda: its code belongs to the method it stands in, which is not what is called."""
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
        # A class below may inherit the method from one that knows nothing of this type, or for
        # which the parameters were not yet the same.
        if cls in below(world, one):
            continue
        if one in under or not below(world, one).isdisjoint(under):
            found.update(_inherited_from(world, one, method, under))
    if not found:
        return method.target
    return method.target if found == set(method.target) else tuple(sorted(found))


def overrides(world: World, one: Method, method: Method) -> bool:
    """JLS 8.4.8.1."""
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
        # Without type variables, parameters are the same for all heirs or for none.
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
