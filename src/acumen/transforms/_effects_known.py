"""A few members of java.lang and java.util that are known to do nothing but give a value.

A type of java.util counts only where it is imported by its full name: another one of the same
package would go before ``import java.util.*``.
"""

from __future__ import annotations

from acumen.lang.java.declarations import NONE
from acumen.transforms._effects_operators import PRIMITIVE, Outcome, promoted
from acumen.transforms._effects_types import Types
from acumen.transforms.code import Code

# Those that take a size, which must not be negative, and those that take nothing.
_SIZED = frozenset(
    (
        "java.util.ArrayDeque", "java.util.ArrayList", "java.util.HashMap", "java.util.HashSet",
        "java.util.Hashtable", "java.util.IdentityHashMap", "java.util.LinkedHashMap",
        "java.util.LinkedHashSet", "java.util.Vector", "java.lang.StringBuffer",
        "java.lang.StringBuilder",
    )
)  # fmt: skip
_UNSIZED = frozenset(
    ("java.lang.Object", "java.util.LinkedList", "java.util.TreeMap", "java.util.TreeSet")
)
_BOUNDS = {
    "Byte": "byte", "Short": "short", "Character": "char", "Integer": "int", "Long": "long",
    "Float": "float", "Double": "double",
}  # fmt: skip


def creation(code: Code, types: Types, node: int) -> bool:
    """Whether ``new ...`` does nothing but make an object."""
    if code.kind[node + 1] != "new" or code.kind[code.stop[node] - 1] != ")":
        return False  # o.new Inner(), or a class body
    written = code.child(node, "type")
    if code.kind[written] == "generic_type":
        written += 1
    name = types.full_name(written)
    if name not in _SIZED and name not in _UNSIZED:
        return False
    given = code.children(code.child(node, "arguments"))[1:-1]
    return not given or (name in _SIZED and len(given) == 1 and types.number(given[0]) >= 0)


def call(code: Code, types: Types, node: int) -> Outcome | None:
    """What ``Math.max(a, b)`` gives; None for calls that may do anything."""
    receiver = code.child(node, "object")
    if code.bytes(code.child(node, "name")) not in (b"max", b"min", b"abs") or receiver == NONE:
        return None
    if code.kind[receiver] != "identifier" or types.full_name(receiver) != "java.lang.Math":
        return None
    given = code.children(code.child(node, "arguments"))
    of = [types.of(one) for one in given if code.kind[one] not in ("(", ")", ",")]
    if any(one not in PRIMITIVE for one in of):
        return None
    return Outcome(promoted(of[0], of[-1]))


def constant(code: Code, types: Types, receiver: int, name: str) -> str:
    """The type of ``Integer.MAX_VALUE``; empty for what is no such constant."""
    if name not in ("MAX_VALUE", "MIN_VALUE") or code.kind[receiver] != "identifier":
        return ""
    package, _, box = types.full_name(receiver).rpartition(".")
    return _BOUNDS.get(box, "") if package == "java.lang" else ""
