"""Match the methods before a commit with those after it: kept, renamed, moved or removed.

The steps, in this order:

1. Types are matched (``candidates``), which gives the new names of types.
2. A method with the owner, name and parameters of an old one is that one.
3. **Renames**: owner, parameters, result and body equal those of a removed method; in the body
   only names of methods may differ, and only as methods were renamed in the same commit.
   Where several fit, the order in the source decides if there are as many before as after,
   otherwise the similarity of names; these are marked ``ambiguous``.
4. **Swaps**: bodies that exchanged names, or passed them on (a to b, b to c). Only bodies of at
   least ``MIN_DISTINCTIVE_WORDS`` words: of two short ones it is undecidable whether the names or
   the bodies changed.
5. **Moves**: to another owner; with another name only where the body has
   ``MIN_DISTINCTIVE_WORDS`` words and occurs once on both sides.
6. A remaining method may have got other parameters, or another name and body at once. These are
   not renames in which only the name changed, but they continue the history of a method."""

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

# A body of at least so many words, braces included, identifies its method.
SAYS = 12
# Two bodies count as one changed body if they share this part of their words.
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
    """The result of matching.

    Methods in ``unchanged`` and ``changed`` kept their name; ``followed`` holds the other changes:
    ``signature``, ``moved`` or ``rewritten``. ``delegates`` counts methods that kept their name
    while another method got their body."""

    renames: list[Renamed] = field(default_factory=list)
    same: list[tuple[Located, Located]] = field(default_factory=list)
    changed: list[tuple[Located, Located]] = field(default_factory=list)
    followed: list[tuple[Located, Located, str]] = field(default_factory=list)
    gone: list[Located] = field(default_factory=list)
    fresh: list[Located] = field(default_factory=list)
    owners: dict[Place, Place] = field(default_factory=dict)
    delegates: int = 0


def match(pairs: Sequence[Pair], pause: Callable[[], None] = lambda: None) -> Matched:
    """Match the methods of all files; ``check_deadline`` is called often and may raise."""
    matcher = _Match(pairs, pause)
    matcher.by_key()
    matcher.by_body()
    pause()
    matcher.by_shift()
    matcher.by_move()
    pause()
    matcher.by_rest()
    return matcher.done()


@dataclass(slots=True)
class _Group:
    """Methods with the same owner and signature."""

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
        return tuple(respelt(type_, self.types) for type_ in method.types), respelt(
            method.gives, self.types
        )

    def _located(self, path: str, version: Version, method: Method, *, old: bool) -> Located:
        body = version.body(method)
        return Located(path, version, method, body.spelt(self.types) if old and body else body)

    def by_key(self) -> None:
        unmatched: dict[
            tuple[str, str, str, tuple[str, ...]], list[tuple[str, Version, Method]]
        ] = {}
        for pair in self.pairs:
            for method in pair.new.methods if pair.new is not None else ():
                unmatched.setdefault(
                    (pair.after, method.owner, method.name, method.types), []
                ).append(
                    (pair.after, pair.new, method)  # type: ignore[arg-type]
                )
        for pair in self.pairs:
            self.pause()
            if pair.old is None:
                continue
            for method in pair.old.methods:
                new_owner = self.out.owners.get((pair.before, method.owner))
                types, _ = self._signature(method, old=True)
                rivals = unmatched.get((*new_owner, method.name, types)) if new_owner else None
                if not rivals:
                    self.gone.append(self._located(pair.before, pair.old, method, old=True))
                    continue
                path, version, new_method = rivals.pop(0)
                if pair.old.raw(method) == version.raw(new_method):
                    old_located = Located(pair.before, pair.old, method, None)
                    self.out.same.append((old_located, Located(path, version, new_method, None)))
                else:
                    old_located = self._located(pair.before, pair.old, method, old=True)
                    new_located = self._located(path, version, new_method, old=False)
                    self.touched.append((old_located, new_located))
        self.fresh = [
            self._located(path, version, method, old=False)
            for rivals in unmatched.values()
            for path, version, method in rivals
        ]

    def by_body(self) -> None:
        old_buckets, new_buckets = (
            self._buckets(self.gone, old=True),
            self._buckets(self.fresh, old=False),
        )
        certain_edges: list[Edge] = []
        uncertain_edges: list[Edge] = []
        for key, gone in old_buckets.items():
            if key in new_buckets:
                sure, uncertain = edges(gone, new_buckets[key])
                certain_edges += sure
                uncertain_edges += uncertain
        certain_names = frozenset(edge.names for edge in certain_edges)
        self._take(
            [*certain_edges, *held(chosen(held(uncertain_edges, certain_names)), certain_names)]
        )

    def _buckets(self, methods: Iterable[Located], *, old: bool) -> dict[object, list[Located]]:
        buckets: dict[object, list[Located]] = {}
        for method in methods:
            owner = self._place(method) if old else (method.path, method.method.owner)
            words = None if method.body is None else method.body.words
            key = (owner, self._signature(method.method, old=old), words)
            buckets.setdefault(key, []).append(method)
        return buckets

    def _take(self, found: Iterable[Edge], *, swapped: bool = False) -> None:
        matched_ids: set[int] = set()
        for edge in found:
            matched_ids |= {id(edge.old), id(edge.new)}
            self.known.add(edge.names)
            moved = self._place(edge.old) != (edge.new.path, edge.new.method.owner)
            self.out.renames.append(Renamed(edge.old, edge.new, edge.ambiguous, swapped, moved))
        self._drop(matched_ids)

    def _drop(self, taken: set[int]) -> None:
        self.gone = [method for method in self.gone if id(method) not in taken]
        self.fresh = [method for method in self.fresh if id(method) not in taken]

    def _changed(self, old: Located, new: Located) -> bool:
        """Return whether more than names of renamed methods differ."""
        if old.body is None or new.body is None:
            return (old.body is None) != (new.body is None)
        if old.body.words != new.body.words:
            return True
        return not needs(old.body, new.body) <= self.known

    def by_shift(self) -> None:
        """Find swaps, in each owner and for each signature."""
        changed = [pair for pair in self.touched if self._changed(*pair)]
        groups: dict[object, _Group] = {}
        for old, new in changed:
            key = ((new.path, new.method.owner), self._signature(new.method, old=False))
            groups.setdefault(key, _Group()).changed.append((old, new))
        if not groups:
            return
        for method in self.gone:
            key = (self._place(method), self._signature(method.method, old=True))
            if key in groups:
                groups[key].gone.append(method)
        for method in self.fresh:
            key = ((method.path, method.method.owner), self._signature(method.method, old=False))
            if key in groups:
                groups[key].fresh.append(method)
        edges_found: list[Edge] = []
        for group in groups.values():
            swaps, delegates = shifted(group.gone, group.fresh, group.changed, SAYS)
            edges_found += swaps
            self.out.delegates += delegates
        matched_ids = {id(edge.old) for edge in edges_found} | {
            id(edge.new) for edge in edges_found
        }
        self._take(edges_found, swapped=True)
        self.touched = [
            (old, new) for old, new in self.touched if not {id(old), id(new)} & matched_ids
        ]

    def by_move(self) -> None:
        """Find methods that moved to another owner.

        The name may differ only if the body is distinctive."""
        for same_name in (True, False):
            old_by_body = self._said(self.gone, same_name, old=True)
            new_by_body = self._said(self.fresh, same_name, old=False)
            edges_found: list[Edge] = []
            for key, group in old_by_body.items():
                new_group = new_by_body.get(key, [])
                if len(group) == 1 and len(new_group) == 1:
                    edges_found.append(Edge(group[0], new_group[0]))
            if same_name:
                self.out.followed += [(edge.old, edge.new, "moved") for edge in edges_found]
                self._drop({id(end) for edge in edges_found for end in (edge.old, edge.new)})
            else:
                self._take(edges_found)

    def _said(
        self, methods: Iterable[Located], named: bool, *, old: bool
    ) -> dict[object, list[Located]]:
        groups: dict[object, list[Located]] = {}
        for method in methods:
            if method.body is not None and method.says >= (3 if named else SAYS):
                body_key = (method.body.words, method.body.masked(method.name))
                key = (
                    body_key,
                    self._signature(method.method, old=old),
                    method.name if named else "",
                )
                groups.setdefault(key, []).append(method)
        return groups

    def by_rest(self) -> None:
        """Find methods with other parameters, or with another name and body at once."""
        old: dict[object, list[Located]] = {}
        new: dict[object, list[Located]] = {}
        for method in self.gone:
            old.setdefault((self._place(method), method.name), []).append(method)
        for method in self.fresh:
            new.setdefault(((method.path, method.method.owner), method.name), []).append(method)
        changes = [
            (a, b, "signature")
            for key, group in old.items()
            if len(group) == len(new.get(key, ()))
            for a, b in zip(group, new[key], strict=True)
        ]
        self.out.followed += changes
        self._drop({id(end) for a, b, _ in changes for end in (a, b)})
        old, new = {}, {}
        for method in self.gone:
            signature = self._signature(method.method, old=True)
            old.setdefault((self._place(method), signature), []).append(method)
        for method in self.fresh:
            signature = self._signature(method.method, old=False)
            new.setdefault(((method.path, method.method.owner), signature), []).append(method)
        for key, group in old.items():
            new_group = new.get(key, [])
            if 0 < len(group) * len(new_group) <= _PAIRS:
                self._rewritten(group, new_group)

    def _rewritten(self, old: Sequence[Located], new: Sequence[Located]) -> None:
        word_counts = {id(method): _bag(method) for method in (*old, *new) if method.says > 5}
        candidates = [
            (-share, i, j)
            for i, a in enumerate(old)
            for j, b in enumerate(new)
            if id(a) in word_counts
            and id(b) in word_counts
            and (share := overlap(word_counts[id(a)], word_counts[id(b)])) >= _SHARED
        ]
        matched_ids: set[int] = set()
        for _, i, j in sorted(candidates):
            if not {id(old[i]), id(new[j])} & matched_ids:
                matched_ids |= {id(old[i]), id(new[j])}
                self.out.followed.append((old[i], new[j], "rewritten"))
        self._drop(matched_ids)

    def done(self) -> Matched:
        for old, new in self.touched:
            (self.out.changed if self._changed(old, new) else self.out.same).append((old, new))
        self.out.gone, self.out.fresh = self.gone, self.fresh
        return self.out


def _bag(one: Located) -> Counter[str]:
    assert one.body is not None
    return Counter([*one.body.words, *one.body.calls])


def _new_names(places: dict[Place, Place]) -> dict[str, str]:
    """Return the new simple names of renamed types, by the old ones."""
    new_names: dict[str, str] = {}
    for (_, old), (_, new) in places.items():
        before, after = old.rpartition(".")[2], new.rpartition(".")[2]
        if before != after and before.isidentifier() and after.isidentifier():
            new_names[before] = after
    return new_names
