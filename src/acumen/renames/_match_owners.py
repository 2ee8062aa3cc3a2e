"""Which type of the old files is which of the new ones.

A type of the same name in the same file is the same. A file's main type goes with the file. A type
whose mother is known is the one of the same name in her; failing that, the one of the same kind in
her that has at least half of its methods, by name or, where no name is left, by body. A type that
left its file is the only one of its name among the new ones, if it has half of its methods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from acumen.renames.versions import Method, Type, Version

# A path and an owner.
Place: TypeAlias = tuple[str, str]

_NAMELESS = ("anonymous", "enum constant")
# Of more types in one that all got other names, the rest is not looked at.
_RIVALS = 64


@dataclass(frozen=True, slots=True)
class Pair:
    """A file before and after; None on one side for one that is new or gone."""

    before: str
    after: str
    old: Version | None
    new: Version | None


def owners(pairs: Sequence[Pair]) -> dict[Place, Place]:
    """Old types to new ones."""
    found = _Owners(pairs)
    for pair in pairs:
        if pair.old is not None and pair.new is not None:
            found.in_file(pair)
    found.across()
    return found.known


class _Owners:
    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.known: dict[Place, Place] = {}
        self.taken: set[Place] = set()
        self.old = {
            (one.before, owner): (one.old, type_)
            for one in pairs
            if one.old is not None
            for owner, type_ in one.old.types.items()
        }
        self.new = {
            (one.after, owner): (one.new, type_)
            for one in pairs
            if one.new is not None
            for owner, type_ in one.new.types.items()
        }

    def take(self, old: Place, new: Place) -> None:
        self.known[old] = new
        self.taken.add(new)

    def in_file(self, pair: Pair) -> None:
        assert pair.old is not None
        assert pair.new is not None
        old, new = pair.old.types, pair.new.types
        for owner in old:
            if owner in new:
                self.take((pair.before, owner), (pair.after, owner))
        main, now = _stem(pair.before), _stem(pair.after)
        if main != now and main in old and main not in new and now in new and now not in old:
            self.take((pair.before, main), (pair.after, now))
        gone = [one for one in old.values() if (pair.before, one.owner) not in self.known]
        fresh = [one for one in new.values() if (pair.after, one.owner) not in self.taken]
        if not gone or not fresh:
            return
        by_mother: dict[tuple[str, str], list[Type]] = {}
        for one in fresh:
            if one.kind not in _NAMELESS:
                by_mother.setdefault((one.mother, one.kind), []).append(one)
        for one in gone:
            mother = self.known.get((pair.before, one.mother)) if one.mother else (pair.after, "")
            if mother is None or mother[0] != pair.after:
                continue
            here = (pair.before, one.owner)
            if not self._named(here, one, mother):
                rivals = [
                    (pair.after, other.owner)
                    for other in by_mother.get((mother[1], one.kind), [])
                    if (pair.after, other.owner) not in self.taken
                ]
                self._elected(here, rivals)

    def _named(self, here: Place, one: Type, mother: Place) -> bool:
        owner = f"{mother[1]}.{one.name}" if mother[1] else one.name
        place = (mother[0], owner)
        if place not in self.new or place in self.taken:
            return False
        self.take(here, place)
        return True

    def _elected(self, here: Place, rivals: Sequence[Place]) -> bool:
        """The rival that has most of the methods, if it has half of them."""
        old, type_ = self.old[here]
        mine = old.by_owner.get(type_.owner, [])
        for by_body in (False, True):
            best: tuple[int, Place] | None = None
            voices = Counter(_voices(old, mine, by_body))
            for rival in rivals[:_RIVALS]:
                new, other = self.new[rival]
                theirs = new.by_owner.get(other.owner, [])
                shared = (voices & Counter(_voices(new, theirs, by_body))).total()
                enough = 2 * shared >= max(1, min(len(mine), len(theirs)))
                if shared and enough and (best is None or shared > best[0]):
                    best = shared, rival
            if best is not None:
                self.take(here, best[1])
                return True
        return False

    def across(self) -> None:
        """Types that left their file."""
        by_name: dict[tuple[str, str], list[Place]] = {}
        for place, (_, type_) in self.new.items():
            if place not in self.taken and type_.kind not in _NAMELESS:
                by_name.setdefault((type_.name, type_.kind), []).append(place)
        gone = [place for place in self.old if place not in self.known]
        names = Counter(self.old[place][1].name for place in gone)
        for here in gone:
            type_ = self.old[here][1]
            mother = self.known.get((here[0], type_.mother)) if type_.mother else None
            if mother is not None and self._named(here, type_, mother):
                continue
            rivals = by_name.get((type_.name, type_.kind), [])
            if len(rivals) == 1 and names[type_.name] == 1 and rivals[0] not in self.taken:
                self._elected(here, rivals)


def _voices(version: Version, methods: Iterable[Method], by_body: bool) -> list[str]:
    if not by_body:
        return [one.key.partition("#")[2] for one in methods]
    bodies = (version.body(one) for one in methods)
    return [body.print for body in bodies if body is not None and len(body.words) > 2]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".java")
