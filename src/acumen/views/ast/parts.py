"""The words that rules are written in: the parts of a tree, and which children a list has.

``hold("CONDITION", "condition")`` is the getter CONDITION and, below it, the tree in the grammar's
field ``condition``. A part stands at depth 1, directly below its tree, unless it says otherwise;
a label followed by `` late`` has its edge after those of its siblings.
"""

from __future__ import annotations

from typing import TypeAlias

from acumen.views.ast import codes as c
from acumen.views.ast.labels import LABEL

# How, label, depth, chosen, and which members or brackets.
Part: TypeAlias = tuple[int, int, int, int, int]
Chosen: TypeAlias = str | int

# Lists of certain trees; of all but some (and never modifiers).
ONLY: dict[str, tuple[int, ...]] = {
    "annotations": (c.ANNOTATION,),
    "catches": (c.CATCH,),
    "patterns": (c.CASE_PATTERN, c.DEFAULT_LABEL),
    "guards": (c.GUARD,),
    "receivers": (c.RECEIVER, c.QUALIFIED_RECEIVER, c.RECEIVING_PARAMETER),
    "lengths": (c.LENGTH, c.MARKED_LENGTH),
    "length annotations": (c.LENGTH_ANNOTATION,),
    "labels": (c.GROUP_LABEL, c.LAST_LABEL),
}
BUT: dict[str, tuple[int, ...]] = {
    "all": (c.EMPTY,),
    "statements": (),
    "constants": (*ONLY["patterns"], c.GUARD),
    "parameters": ONLY["receivers"],
}
WHICH = {name: place for place, name in enumerate((*ONLY, *BUT))}


def members(which: str) -> int:
    """A list's number; that of a field, which makes a list as well."""
    return WHICH[which] if which in WHICH else c.BY_FIELD + c.FIELDS.index(which)


def part(how: int, label: str, depth: int, chosen: Chosen = 0, more: Chosen = 0) -> Part:
    name, _, late = label.partition(" ")
    numbers = {"": c.NO_LABEL, "own": c.OWN_LABEL}
    number = numbers[name] if name in numbers else LABEL[name]
    return (
        how,
        number | c.LATER if late else number,
        depth,
        c.FIELDS.index(chosen) if isinstance(chosen, str) else chosen,
        c.FIELDS.index(more) if isinstance(more, str) else more,
    )


def code(number: int) -> int:
    """Chosen by its code."""
    return c.BY_CODE + number


def add(label: str, depth: int = 0) -> Part:
    return part(c.ADD, label, depth)


def leaf(label: str, chosen: Chosen, depth: int = 1) -> Part:
    return part(c.LEAF, label, depth, chosen)


def hold(label: str, chosen: Chosen, depth: int = 1) -> Part:
    return part(c.HOLD, label, depth, chosen)


def late(chosen: Chosen, depth: int = 1) -> Part:
    return part(c.LATE, "", depth, chosen)


def modifiers(depth: int = 1, of: int = c.OF_NODE) -> tuple[Part, Part]:
    return late(of + code(c.MODIFIERS), depth), late(of + code(c.BARE_MODIFIERS), depth)


def inner(chosen: Chosen) -> Part:
    """Nothing of its own: the tree is that of a child."""
    return part(c.DRAW, "", 0, chosen)


def listed(label: str, chosen: Chosen, which: str = "all", depth: int = 1) -> Part:
    return part(c.LIST, label, depth, chosen, members(which))


def own(label: str, which: str = "all", depth: int = 1) -> Part:
    """A list of the node's own children; without a label they stand in the node's place."""
    return part(c.OWN, label, depth if label else -1, 0, members(which))


def typed(
    label: str, chosen: Chosen = "type", depth: int = 1, brackets: Chosen = "dimensions"
) -> Part:
    return part(c.TYPED, label, depth, chosen, brackets)


def select(label: str, name: str, depth: int = 1) -> Part:
    return part(c.SELECT, label, depth, name)
