"""Where a transformation can be applied, and where not, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from acumen.transforms.code import Code
from acumen.transforms.edits import Rewrite


class Doubt(NamedTuple):
    """``wrong``: what comes out means something else, or is no program; else nothing shows that it
    means the same."""

    why: str
    wrong: bool = True


def worst(doubts: Iterable[Doubt | None]) -> Doubt | None:
    """The first that is sure to be wrong, else the first."""
    found = [one for one in doubts if one]
    return next((one for one in found if one.wrong), found[0] if found else None)


@dataclass(frozen=True, slots=True)
class Location:
    """A candidate in a method. ``id`` stays the same when other code changes: the kind, what is
    changed (a variable's name, ``for``, a label) and the how-manieth of its like in the method.
    ``start`` and ``end`` are the bytes that a person would point at. ``refused`` is the reason
    why the transformation is not made here; empty where it is. ``detail`` is the
    transformation's own. Locations whose ``reach`` overlaps are not made together: each was
    found right for the method as it is, without the other. ``doubt``: what speaks against a
    place that is not refused, which only ``published`` ones have.
    """

    id: str
    method: int
    start: int
    end: int
    refused: str = ""
    detail: Any = field(default=None, compare=False)
    reach: tuple[int, int] | None = None
    doubt: Doubt | None = None


class Transform(Protocol):
    """One kind of change. ``locations`` are found in source order, refused ones among them, and
    always the same for the same file and seed; ``rewrites`` gives what several of them come to,
    made together in one method."""

    @property
    def name(self) -> str: ...
    def locations(self, code: Code, method: int, seed: int) -> list[Location]: ...
    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]: ...


class Numbered:
    """Ids of a method's locations, made in order."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.seen: dict[str, int] = {}

    def id(self, what: str) -> str:
        number = self.seen[what] = self.seen.get(what, -1) + 1
        return f"{self.kind}:{what}:{number}"
