"""Methods before a commit and after it: which kept its name, which was renamed, which went away.

In this order:

1. Types are matched (``candidates``), and with them the names that types have now.
2. A method with the owner, name and parameters of an old one is that one.
3. **Renames**: owner, parameters, result and body are those of a method that is gone; in the body
   only names of methods may differ, and only as methods were renamed in the same commit.
   Where several fit, the order in the source decides if there are as many before as after, else
   the likeness of names; these are marked ``ambiguous``.
4. **Swaps**: bodies that exchanged names, or passed them on (a to b, b to c). Only bodies of at
   least ``SAYS`` words: of two short ones it cannot be told whether names or bodies changed.
5. **Moves**: to another owner; with another name only where the body has ``SAYS`` words and is one
   of a kind on both sides.
6. What is left may be the same method with other parameters, or renamed and changed at once: no
   renames of which only the name changed, but what became of a method is told by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from codeacumen.renames.candidates import (
    Edge,
    Located,
    Names,
    Pair,
    Place,
    chosen,
    edges,
    held,
    needs,
    overlap,
    owners,
    shifted,
)
from codeacumen.renames.versions import Method, Version, respelt

__all__ = ["SAYS", "Located", "Matched", "Pair", "Renamed", "match"]

# Words of a body, braces counted, from which on it tells one method from another.
SAYS = 12
# Two bodies are taken for one that changed if so much of their words is shared.
_SHARED = 0.7
_PAIRS = 400


@dataclass(frozen=True, slots=True)
class Renamed:
    old: Located
    new: Located
    ambiguous: bool = False
    swapped: bool = False
    moved: bool = False


@dataclass(slots=True)
class Matched:
    """``same`` and ``changed`` kept their name; ``followed`` tells what else became of a method:
    ``signature``, ``moved`` or ``rewritten``. ``delegates`` counts methods that kept their name
    while another one got their body."""

    renames: list[Renamed] = field(default_factory=list)
    same: list[tuple[Located, Located]] = field(default_factory=list)
    changed: list[tuple[Located, Located]] = field(default_factory=list)
    followed: list[tuple[Located, Located, str]] = field(default_factory=list)
    gone: list[Located] = field(default_factory=list)
    fresh: list[Located] = field(default_factory=list)
    owners: dict[Place, Place] = field(default_factory=dict)
    delegates: int = 0


def match(pairs: Sequence[Pair], pause: Callable[[], None] = lambda: None) -> Matched:
    """``pause`` is called now and then; it may raise when it takes too long."""
    found = _Match(pairs, pause)
    found.by_key()
    found.by_body()
    pause()
    found.by_shift()
    found.by_move()
    pause()
    found.by_rest()
    return found.done()


@dataclass(slots=True)
class _Group:
    """Methods of one owner and signature."""

    gone: list[Located] = field(default_factory=list)
    fresh: list[Located] = field(default_factory=list)
    changed: list[tuple[Located, Located]] = field(default_factory=list)


class _Match:
    def __init__(self, pairs: Sequence[Pair], pause: Callable[[], None]) -> None:
        self.pairs, self.pause = pairs, pause
        self.out = Matched(owners=owners(pairs))
        self.types = _new_names(self.out.owners)
        self.gone: list[Located] = []
        self.fresh: list[Located] = []
        self.touched: list[tuple[Located, Located]] = []
        self.known: set[Names] = set()

    def _place(self, one: Located) -> Place:
        return self.out.owners.get((one.path, one.method.owner), ("", ""))

    def _signature(self, method: Method, *, old: bool) -> tuple[tuple[str, ...], str]:
        if not old or not self.types:
            return method.types, method.gives
        return tuple(respelt(one, self.types) for one in method.types), respelt(
            method.gives, self.types
        )

    def _located(self, path: str, version: Version, method: Method, *, old: bool) -> Located:
        body = version.body(method)
        return Located(path, version, method, body.spelt(self.types) if old and body else body)

    def by_key(self) -> None:
        waiting: dict[tuple[str, str, str, tuple[str, ...]], list[tuple[str, Version, Method]]] = {}
        for pair in self.pairs:
            for one in pair.new.methods if pair.new is not None else ():
                waiting.setdefault((pair.after, one.owner, one.name, one.types), []).append(
                    (pair.after, pair.new, one)  # type: ignore[arg-type]
                )
        for pair in self.pairs:
            self.pause()
            if pair.old is None:
                continue
            for one in pair.old.methods:
                place = self.out.owners.get((pair.before, one.owner))
                types, _ = self._signature(one, old=True)
                rivals = waiting.get((*place, one.name, types)) if place else None
                if not rivals:
                    self.gone.append(self._located(pair.before, pair.old, one, old=True))
                    continue
                path, version, other = rivals.pop(0)
                if pair.old.raw(one) == version.raw(other):
                    here = Located(pair.before, pair.old, one, None)
                    self.out.same.append((here, Located(path, version, other, None)))
                else:
                    here = self._located(pair.before, pair.old, one, old=True)
                    there = self._located(path, version, other, old=False)
                    self.touched.append((here, there))
        self.fresh = [
            self._located(path, version, one, old=False)
            for rivals in waiting.values()
            for path, version, one in rivals
        ]

    def by_body(self) -> None:
        old, new = self._buckets(self.gone, old=True), self._buckets(self.fresh, old=False)
        found: list[Edge] = []
        rivals: list[Edge] = []
        for key, gone in old.items():
            if key in new:
                sure, more = edges(gone, new[key])
                found += sure
                rivals += more
        certain = frozenset(one.names for one in found)
        self._take([*found, *held(chosen(held(rivals, certain)), certain)])

    def _buckets(self, methods: Iterable[Located], *, old: bool) -> dict[object, list[Located]]:
        found: dict[object, list[Located]] = {}
        for one in methods:
            place = self._place(one) if old else (one.path, one.method.owner)
            words = None if one.body is None else one.body.words
            key = (place, self._signature(one.method, old=old), words)
            found.setdefault(key, []).append(one)
        return found

    def _take(self, found: Iterable[Edge], *, swapped: bool = False) -> None:
        taken: set[int] = set()
        for one in found:
            taken |= {id(one.old), id(one.new)}
            self.known.add(one.names)
            moved = self._place(one.old) != (one.new.path, one.new.method.owner)
            self.out.renames.append(Renamed(one.old, one.new, one.ambiguous, swapped, moved))
        self._drop(taken)

    def _drop(self, taken: set[int]) -> None:
        self.gone = [one for one in self.gone if id(one) not in taken]
        self.fresh = [one for one in self.fresh if id(one) not in taken]

    def _changed(self, old: Located, new: Located) -> bool:
        """Whether more than names of renamed methods differ."""
        if old.body is None or new.body is None:
            return (old.body is None) != (new.body is None)
        if old.body.words != new.body.words:
            return True
        return not needs(old.body, new.body) <= self.known

    def by_shift(self) -> None:
        """Swaps, in each owner and for each signature."""
        changed = [pair for pair in self.touched if self._changed(*pair)]
        groups: dict[object, _Group] = {}
        for old, new in changed:
            key = ((new.path, new.method.owner), self._signature(new.method, old=False))
            groups.setdefault(key, _Group()).changed.append((old, new))
        if not groups:
            return
        for one in self.gone:
            key = (self._place(one), self._signature(one.method, old=True))
            if key in groups:
                groups[key].gone.append(one)
        for one in self.fresh:
            key = ((one.path, one.method.owner), self._signature(one.method, old=False))
            if key in groups:
                groups[key].fresh.append(one)
        moved: list[Edge] = []
        for group in groups.values():
            found, delegates = shifted(group.gone, group.fresh, group.changed, SAYS)
            moved += found
            self.out.delegates += delegates
        parts = {id(one.old) for one in moved} | {id(one.new) for one in moved}
        self._take(moved, swapped=True)
        self.touched = [(old, new) for old, new in self.touched if not {id(old), id(new)} & parts]

    def by_move(self) -> None:
        """To another owner: under the same name, or under another if the body is telling."""
        for named in (True, False):
            old = self._said(self.gone, named, old=True)
            new = self._said(self.fresh, named, old=False)
            found: list[Edge] = []
            for key, group in old.items():
                others = new.get(key, [])
                if len(group) == 1 and len(others) == 1:
                    found.append(Edge(group[0], others[0]))
            if named:
                self.out.followed += [(one.old, one.new, "moved") for one in found]
                self._drop({id(end) for one in found for end in (one.old, one.new)})
            else:
                self._take(found)

    def _said(
        self, methods: Iterable[Located], named: bool, *, old: bool
    ) -> dict[object, list[Located]]:
        found: dict[object, list[Located]] = {}
        for one in methods:
            if one.body is not None and one.says >= (3 if named else SAYS):
                said = (one.body.words, one.body.masked(one.name))
                key = (said, self._signature(one.method, old=old), one.name if named else "")
                found.setdefault(key, []).append(one)
        return found

    def by_rest(self) -> None:
        """Other parameters, or another name and body at once."""
        old: dict[object, list[Located]] = {}
        new: dict[object, list[Located]] = {}
        for one in self.gone:
            old.setdefault((self._place(one), one.name), []).append(one)
        for one in self.fresh:
            new.setdefault(((one.path, one.method.owner), one.name), []).append(one)
        found = [
            (a, b, "signature")
            for key, group in old.items()
            if len(group) == len(new.get(key, ()))
            for a, b in zip(group, new[key], strict=True)
        ]
        self.out.followed += found
        self._drop({id(end) for a, b, _ in found for end in (a, b)})
        old, new = {}, {}
        for one in self.gone:
            said = self._signature(one.method, old=True)
            old.setdefault((self._place(one), said), []).append(one)
        for one in self.fresh:
            said = self._signature(one.method, old=False)
            new.setdefault(((one.path, one.method.owner), said), []).append(one)
        for key, group in old.items():
            others = new.get(key, [])
            if 0 < len(group) * len(others) <= _PAIRS:
                self._rewritten(group, others)

    def _rewritten(self, old: Sequence[Located], new: Sequence[Located]) -> None:
        bags = {id(one): _bag(one) for one in (*old, *new) if one.says > 5}
        likely = [
            (-share, i, j)
            for i, a in enumerate(old)
            for j, b in enumerate(new)
            if id(a) in bags
            and id(b) in bags
            and (share := overlap(bags[id(a)], bags[id(b)])) >= _SHARED
        ]
        taken: set[int] = set()
        for _, i, j in sorted(likely):
            if not {id(old[i]), id(new[j])} & taken:
                taken |= {id(old[i]), id(new[j])}
                self.out.followed.append((old[i], new[j], "rewritten"))
        self._drop(taken)

    def done(self) -> Matched:
        for old, new in self.touched:
            (self.out.changed if self._changed(old, new) else self.out.same).append((old, new))
        self.out.gone, self.out.fresh = self.gone, self.fresh
        return self.out


def _bag(one: Located) -> Counter[str]:
    assert one.body is not None
    return Counter([*one.body.words, *one.body.calls])


def _new_names(places: dict[Place, Place]) -> dict[str, str]:
    """Simple names of types that have another one now."""
    found: dict[str, str] = {}
    for (_, old), (_, new) in places.items():
        before, after = old.rpartition(".")[2], new.rpartition(".")[2]
        if before != after and before.isidentifier() and after.isidentifier():
            found[before] = after
    return found
