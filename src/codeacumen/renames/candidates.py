"""Find the candidates: types and methods after a commit that may be those from before it.

**Types.** A type with the same name in the same file is the same. A file's main type goes with the
file. A type inside a matched type is the one of the same name in the new outer type; failing that,
the one of the same kind in it that shares at least half of the methods, by name or, where no name
is left, by body. A type that left its file matches the only added type of its name, if that has
half of its methods.

**Methods.** Within a **bucket** (same owner, parameters, result and words in the body) only names
of methods differ. A pair may require other renames: a body that called ``c`` now calls ``d``. All
pairs are assumed at first; pairs with unmet requirements are dropped until the rest is consistent.
So methods that call each other and are renamed in one commit do not hide each other."""

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
# Where more types inside one type were renamed at once, the others are skipped.
_RIVALS = 64


@dataclass(frozen=True, slots=True)
class Pair:
    """A file before and after; a version is None where the file was added or removed."""

    before: str
    after: str
    old: Version | None
    new: Version | None


def owners(pairs: Sequence[Pair]) -> dict[Place, Place]:
    """Return the new keys of types by the old ones."""
    matcher = _Owners(pairs)
    for pair in pairs:
        if pair.old is not None and pair.new is not None:
            matcher.in_file(pair)
    matcher.across()
    return matcher.known


class _Owners:
    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.known: dict[Place, Place] = {}
        self.taken: set[Place] = set()
        self.old = {
            (pair.before, owner): (pair.old, type_)
            for pair in pairs
            if pair.old is not None
            for owner, type_ in pair.old.types.items()
        }
        self.new = {
            (pair.after, owner): (pair.new, type_)
            for pair in pairs
            if pair.new is not None
            for owner, type_ in pair.new.types.items()
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
        old_stem, new_stem = _stem(pair.before), _stem(pair.after)
        if (
            old_stem != new_stem
            and old_stem in old
            and old_stem not in new
            and new_stem in new
            and new_stem not in old
        ):
            self.take((pair.before, old_stem), (pair.after, new_stem))
        removed = [type_ for type_ in old.values() if (pair.before, type_.owner) not in self.known]
        added = [type_ for type_ in new.values() if (pair.after, type_.owner) not in self.taken]
        if not removed or not added:
            return
        added_by_outer: dict[tuple[str, str], list[Type]] = {}
        for type_ in added:
            if type_.kind not in _NAMELESS:
                added_by_outer.setdefault((type_.mother, type_.kind), []).append(type_)
        for type_ in removed:
            new_outer = (
                self.known.get((pair.before, type_.mother)) if type_.mother else (pair.after, "")
            )
            if new_outer is None or new_outer[0] != pair.after:
                continue
            old_key = (pair.before, type_.owner)
            if not self._named(old_key, type_, new_outer):
                candidates = [
                    (pair.after, other.owner)
                    for other in added_by_outer.get((new_outer[1], type_.kind), [])
                    if (pair.after, other.owner) not in self.taken
                ]
                self._elected(old_key, candidates)

    def _named(self, here: Place, one: Type, mother: Place) -> bool:
        new_owner = f"{mother[1]}.{one.name}" if mother[1] else one.name
        new_key = (mother[0], new_owner)
        if new_key not in self.new or new_key in self.taken:
            return False
        self.take(here, new_key)
        return True

    def _elected(self, here: Place, rivals: Sequence[Place]) -> bool:
        """Match the candidate that shares the most methods, if these are at least half."""
        version, type_ = self.old[here]
        old_methods = version.by_owner.get(type_.owner, [])
        for by_body in (False, True):
            best: tuple[int, Place] | None = None
            old_evidence = Counter(_voices(version, old_methods, by_body))
            for candidate in rivals[:_RIVALS]:
                candidate_version, candidate_type = self.new[candidate]
                new_methods = candidate_version.by_owner.get(candidate_type.owner, [])
                shared = (
                    old_evidence & Counter(_voices(candidate_version, new_methods, by_body))
                ).total()
                has_half = 2 * shared >= max(1, min(len(old_methods), len(new_methods)))
                if shared and has_half and (best is None or shared > best[0]):
                    best = shared, candidate
            if best is not None:
                self.take(here, best[1])
                return True
        return False

    def across(self) -> None:
        """Match types that left their file."""
        by_name: dict[tuple[str, str], list[Place]] = {}
        for type_key, (_, type_) in self.new.items():
            if type_key not in self.taken and type_.kind not in _NAMELESS:
                by_name.setdefault((type_.name, type_.kind), []).append(type_key)
        removed = [type_key for type_key in self.old if type_key not in self.known]
        names = Counter(self.old[type_key][1].name for type_key in removed)
        for old_key in removed:
            type_ = self.old[old_key][1]
            new_outer = self.known.get((old_key[0], type_.mother)) if type_.mother else None
            if new_outer is not None and self._named(old_key, type_, new_outer):
                continue
            candidates = by_name.get((type_.name, type_.kind), [])
            if len(candidates) == 1 and names[type_.name] == 1 and candidates[0] not in self.taken:
                self._elected(old_key, candidates)


def _voices(version: Version, methods: Iterable[Method], by_body: bool) -> list[str]:
    if not by_body:
        return [method.key.partition("#")[2] for method in methods]
    bodies = (version.body(method) for method in methods)
    return [body.print for body in bodies if body is not None and len(body.words) > 2]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".java")


# A method's name before and after.
Names: TypeAlias = tuple[str, str]
# Up to so many pairs of a bucket are compared; beyond, only methods at the same position.
_PAIRS = 400
# Minimum similarity of names where nothing else distinguishes the methods.
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
        """Number of words of the body."""
        return 0 if self.body is None else len(self.body.words)


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A rename of ``old`` to ``new``, valid only if the methods in ``required`` were renamed."""

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
    """Return the renames that make the bodies of a bucket equal."""
    if old is None or new is None:
        return frozenset()
    return frozenset(
        (old_name, new_name)
        for old_name, new_name in zip(old.calls, new.calls, strict=True)
        if old_name != new_name
    )


def edges(gone: Sequence[Located], fresh: Sequence[Located]) -> tuple[list[Edge], list[Edge]]:
    """Return the pairs of a bucket that differ only in their own names, and the uncertain pairs."""
    certain: list[Edge] = []
    old_by_calls, new_by_calls = _by_calls(gone), _by_calls(fresh)
    for calls in [old_calls for old_calls in old_by_calls if old_calls in new_by_calls]:
        certain += _paired(old_by_calls.pop(calls), new_by_calls.pop(calls))
    old = [method for group in old_by_calls.values() for method in group]
    new = [method for group in new_by_calls.values() for method in group]
    if len(old) * len(new) <= _PAIRS:
        return certain, [Edge(a, b, needs(a.body, b.body)) for a in old for b in new]
    pairs = zip(old, new, strict=False)
    return certain, [Edge(a, b, needs(a.body, b.body), True) for a, b in pairs]


def _by_calls(methods: Sequence[Located]) -> dict[tuple[str, ...], list[Located]]:
    groups: dict[tuple[str, ...], list[Located]] = {}
    for method in methods:
        calls = () if method.body is None else method.body.masked(method.name)
        groups.setdefault(calls, []).append(method)
    return groups


def _paired(old: Sequence[Located], new: Sequence[Located]) -> list[Edge]:
    """Pair methods that differ only in their names.

    If there are as many before as after, pair them in source order, otherwise by similarity of
    names."""
    if len(old) == len(new):
        return [Edge(a, b, ambiguous=len(old) > 1) for a, b in zip(old, new, strict=True)]
    if len(old) * len(new) > _PAIRS:
        return []
    is_short_body = old[0].says <= 2
    candidates = [
        Edge(a, b, ambiguous=True)
        for a in old
        for b in new
        if not is_short_body or alike(a.name, b.name) >= _ALIKE
    ]
    return chosen(candidates)


def chosen(rivals: Sequence[Edge]) -> list[Edge]:
    """Return pairs with each method at most once, the most similar names first.

    A pair whose methods had other candidates is ambiguous."""
    olds, news = Counter(id(edge.old) for edge in rivals), Counter(id(edge.new) for edge in rivals)
    matched_ids: set[int] = set()
    pairs: list[Edge] = []
    for edge in sorted(rivals, key=lambda edge: -alike(*edge.names)):
        if id(edge.old) in matched_ids or id(edge.new) in matched_ids:
            continue
        matched_ids |= {id(edge.old), id(edge.new)}
        had_choice = olds[id(edge.old)] > 1 or news[id(edge.new)] > 1
        pairs.append(Edge(edge.old, edge.new, edge.needs, edge.ambiguous or had_choice))
    return pairs


def held(edges: Sequence[Edge], others: frozenset[Names] = frozenset()) -> list[Edge]:
    """Return the candidates whose required renames are among the others."""
    remaining = list(edges)
    while True:
        renamed = {edge.names for edge in remaining} | others
        consistent = [edge for edge in remaining if edge.needs <= renamed]
        if len(consistent) == len(remaining):
            return remaining
        remaining = consistent


def shifted(
    gone: Sequence[Located],
    fresh: Sequence[Located],
    changed: Sequence[tuple[Located, Located]],
    least: int,
) -> tuple[list[Edge], int]:
    """Find names that were exchanged or passed on.

    A method that still exists has a body that went to another name, while its own name got another
    body. Also count the methods that kept their name while only their body went to another method,
    as in a method that now calls its successor."""
    after = {id(old): new for old, new in changed}
    before = {id(new): old for old, new in changed}
    olds = _by_body([*gone, *(old for old, _ in changed)], least)
    news = _by_body([*fresh, *(new for _, new in changed)], least)
    candidates = [
        Edge(group[0], news[body_key][0])
        for body_key, group in olds.items()
        if len(group) == 1
        and len(news.get(body_key, ())) == 1
        and group[0].name != news[body_key][0].name
    ]
    consistent = candidates
    while True:
        sources, targets = (
            {id(edge.old) for edge in consistent},
            {id(edge.new) for edge in consistent},
        )
        still_consistent = [
            edge
            for edge in consistent
            if (id(edge.old) not in after or id(after[id(edge.old)]) in targets)
            and (id(edge.new) not in before or id(before[id(edge.new)]) in sources)
        ]
        if len(still_consistent) == len(consistent):
            break
        consistent = still_consistent
    consistent_ids = {id(edge) for edge in consistent}
    delegates = sum(
        id(edge) not in consistent_ids and id(edge.old) in after and id(edge.new) not in before
        for edge in candidates
    )
    return [
        edge for edge in consistent if id(edge.old) in after or id(edge.new) in before
    ], delegates


def _by_body(methods: Sequence[Located], least: int) -> dict[object, list[Located]]:
    groups: dict[object, list[Located]] = {}
    for method in methods:
        if method.body is not None and method.says >= least:
            body_key = (method.body.words, method.body.masked(method.name))
            groups.setdefault(body_key, []).append(method)
    return groups


def overlap(one: Counter[str], other: Counter[str]) -> float:
    """Return Dice's coefficient of two bags."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
