"""The methods of a class or of a shape, counted when they are learned, so that asking about one
does not look at all others. Whoever asks is left out of the count."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from acumen.models.naming._conventions_shapes import Entry, Shape
from acumen.models.naming.facts import SELF

EXAMPLES = 3
# Of one field more accessors are not looked at.
_MOST_ACCESSORS = 20


class Leader(NamedTuple):
    """What most do: how many, of how many, and some of them."""

    word: str
    most: int
    total: int
    examples: tuple[str, ...]


class Votes:
    """How often each of some words was used, and the first who did."""

    __slots__ = ("_leader", "counts", "examples", "total")

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[tuple[str, str]]] = {}
        self.total = 0
        self._leader: list[tuple[int, str]] = []

    def add(self, word: str, owner: str, name: str) -> None:
        self.counts[word] += 1
        self.total += 1
        self._leader = []
        shown = self.examples.setdefault(word, [])
        if len(shown) <= EXAMPLES:
            shown.append((owner, name))

    def leader(self, own: str | None, owner: str, name: str) -> Leader | None:
        """Who leads without one vote for ``own``, that of the method in question; None: nobody."""
        if not self._leader:
            # The two with most votes, by name where they are equal.
            self._leader = sorted((-count, word) for word, count in self.counts.items())[:2]
        left = sorted((count + (word == own), word) for count, word in self._leader)
        total = self.total - (own is not None)
        if not left or not total or not left[0][0]:
            return None
        count, word = left[0]
        shown = self.examples[word].copy()
        # An overload may have the same name: only one of them is the method itself.
        if word == own and (owner, name) in shown:
            shown.remove((owner, name))
        told = [f"{type_.rsplit('.', 1)[-1]}.{one}" for type_, one in shown[:EXAMPLES]]
        return Leader(word, -count, total, tuple(told))


Alike = tuple[str, tuple[str, ...], Shape]


def alike(entry: Entry) -> Alike:
    """Methods of a class with the same of this look alike."""
    return (entry.returned, entry.parameters, entry.shape)


class Siblings:
    """The methods of one class."""

    __slots__ = ("by_field", "by_place", "handing", "names", "prefixes", "styles")

    def __init__(self) -> None:
        self.by_place: dict[int, Entry] = {}
        self.by_field: dict[str, list[Entry]] = {}
        self.styles: dict[str, Votes] = {}
        self.prefixes: dict[Alike, Votes] = {}
        self.handing = Votes()
        self.names: dict[str, list[int]] = {}

    def add(self, entry: Entry, owner: str) -> None:
        self.by_place[entry.place] = entry
        self.names.setdefault(entry.name, []).append(len(entry.parameters))
        self.prefixes.setdefault(alike(entry), Votes()).add(entry.words[0], owner, entry.name)
        if entry.role:
            same = self.by_field.setdefault(entry.field, [])
            if len(same) < _MOST_ACCESSORS:
                same.append(entry)
            if entry.style:
                self.styles.setdefault(entry.role, Votes()).add(entry.style, owner, entry.name)
        if entry.target[0]:
            self.handing.add(handed(entry), owner, entry.name)

    def has(self, name: str, parameters: int | None = None) -> bool:
        found = self.names.get(name, ())
        return bool(found) if parameters is None else parameters in found


def handed(entry: Entry) -> str:
    """Whether what a method hands over to has its name."""
    return "same" if entry.target[0] == SELF else "other"
