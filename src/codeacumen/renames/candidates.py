"""Which types and methods after a commit may be those from before it.

**Types.** A type of the same name in the same file is the same. A file's main type goes with the
file. A type whose outer type is matched is the one of the same name in it; failing that, the one of
the same kind in it that has at least half of its methods, by name or, where no name is left, by
body. A type that left its file is the only one of its name among the new ones, if it has half of
its methods.

**Methods.** Within a **bucket** (same owner, parameters, result and words in the body) only names
of methods differ. A pair may need other renames to be true: a body that called ``c`` now calls
``d``. All pairs are assumed at first; pairs with unmet needs are dropped until the rest is
consistent. So methods that call each other and are renamed in one commit do not hide each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rapidfuzz import fuzz

from codeacumen.renames.versions import Body, Method, Type, Version

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


# Two names of methods, before and after.
Names: TypeAlias = tuple[str, str]
# All pairs of a bucket are looked at up to so many; beyond, only those in the same place.
_PAIRS = 400
# How alike names must be where nothing else tells which is which.
_ALIKE = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A method in a version of a file; ``body`` has the new names of types."""

    path: str
    version: Version
    method: Method
    body: Body | None

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def says(self) -> int:
        """Words of its body."""
        return 0 if self.body is None else len(self.body.words)


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """That ``old`` became ``new``, if what it ``needs`` was renamed, too."""

    old: Located
    new: Located
    needs: frozenset[Names] = frozenset()
    ambiguous: bool = False

    @property
    def names(self) -> Names:
        return self.old.name, self.new.name


def alike(one: str, other: str) -> float:
    return float(fuzz.ratio(one.lower(), other.lower()))


def needs(old: Body | None, new: Body | None) -> frozenset[Names]:
    """The renames that make the bodies of a bucket equal."""
    if old is None or new is None:
        return frozenset()
    return frozenset(
        (one, other) for one, other in zip(old.calls, new.calls, strict=True) if one != other
    )


def edges(gone: Sequence[Located], fresh: Sequence[Located]) -> tuple[list[Edge], list[Edge]]:
    """Of one bucket: pairs that only their own names set apart, and pairs that need more."""
    sure: list[Edge] = []
    mine, theirs = _by_calls(gone), _by_calls(fresh)
    for calls in [one for one in mine if one in theirs]:
        sure += _paired(mine.pop(calls), theirs.pop(calls))
    old = [one for group in mine.values() for one in group]
    new = [one for group in theirs.values() for one in group]
    if len(old) * len(new) <= _PAIRS:
        return sure, [Edge(a, b, needs(a.body, b.body)) for a in old for b in new]
    pairs = zip(old, new, strict=False)
    return sure, [Edge(a, b, needs(a.body, b.body), True) for a, b in pairs]


def _by_calls(methods: Sequence[Located]) -> dict[tuple[str, ...], list[Located]]:
    found: dict[tuple[str, ...], list[Located]] = {}
    for one in methods:
        calls = () if one.body is None else one.body.masked(one.name)
        found.setdefault(calls, []).append(one)
    return found


def _paired(old: Sequence[Located], new: Sequence[Located]) -> list[Edge]:
    """Methods that nothing but the name sets apart. As many before as after: in the order of the
    source; else the most alike names first."""
    if len(old) == len(new):
        return [Edge(a, b, ambiguous=len(old) > 1) for a, b in zip(old, new, strict=True)]
    if len(old) * len(new) > _PAIRS:
        return []
    weak = old[0].says <= 2
    likely = [
        Edge(a, b, ambiguous=True)
        for a in old
        for b in new
        if not weak or alike(a.name, b.name) >= _ALIKE
    ]
    return chosen(likely)


def chosen(rivals: Sequence[Edge]) -> list[Edge]:
    """Each method at most once, the most alike names first; one that had a choice is ambiguous."""
    olds, news = Counter(id(one.old) for one in rivals), Counter(id(one.new) for one in rivals)
    taken: set[int] = set()
    found: list[Edge] = []
    for one in sorted(rivals, key=lambda edge: -alike(*edge.names)):
        if id(one.old) in taken or id(one.new) in taken:
            continue
        taken |= {id(one.old), id(one.new)}
        choice = olds[id(one.old)] > 1 or news[id(one.new)] > 1
        found.append(Edge(one.old, one.new, one.needs, one.ambiguous or choice))
    return found


def held(edges: Sequence[Edge], others: frozenset[Names] = frozenset()) -> list[Edge]:
    """Those whose needs are met by the others."""
    left = list(edges)
    while True:
        known = {one.names for one in left} | others
        kept = [one for one in left if one.needs <= known]
        if len(kept) == len(left):
            return left
        left = kept


def shifted(
    gone: Sequence[Located],
    fresh: Sequence[Located],
    changed: Sequence[tuple[Located, Located]],
    least: int,
) -> tuple[list[Edge], int]:
    """Names that were exchanged, or passed on: a method that is still there, whose body went to
    another name while its own got another's. Also how many kept their name while only their body
    went on, as of a method that now calls its successor."""
    after = {id(old): new for old, new in changed}
    before = {id(new): old for old, new in changed}
    olds = _by_body([*gone, *(old for old, _ in changed)], least)
    news = _by_body([*fresh, *(new for _, new in changed)], least)
    found = [
        Edge(group[0], news[said][0])
        for said, group in olds.items()
        if len(group) == 1 and len(news.get(said, ())) == 1 and group[0].name != news[said][0].name
    ]
    kept = found
    while True:
        sources, targets = {id(one.old) for one in kept}, {id(one.new) for one in kept}
        holds = [
            one
            for one in kept
            if (id(one.old) not in after or id(after[id(one.old)]) in targets)
            and (id(one.new) not in before or id(before[id(one.new)]) in sources)
        ]
        if len(holds) == len(kept):
            break
        kept = holds
    within = {id(one) for one in kept}
    passed = sum(
        id(one) not in within and id(one.old) in after and id(one.new) not in before
        for one in found
    )
    return [one for one in kept if id(one.old) in after or id(one.new) in before], passed


def _by_body(methods: Sequence[Located], least: int) -> dict[object, list[Located]]:
    found: dict[object, list[Located]] = {}
    for one in methods:
        if one.body is not None and one.says >= least:
            said = (one.body.words, one.body.masked(one.name))
            found.setdefault(said, []).append(one)
    return found


def overlap(one: Counter[str], other: Counter[str]) -> float:
    """Dice's coefficient of two bags."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
