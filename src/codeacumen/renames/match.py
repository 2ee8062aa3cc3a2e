"""Match the methods before a commit with those after it: kept, renamed, moved or removed.

The steps, in this order:

1. ``candidates`` matches the types, which gives the new names of types.
2. **Same key**: an old and a new method with the same owner, name and parameters match.
3. **Renames**: a removed and an added method match if they have the same owner, parameters, result
   and body. Names of methods in the body may differ if the same commit renamed those methods.
   If several methods fit, their order in the source decides if there are as many before as after,
   otherwise the similarity of names; such renames are marked ``ambiguous``.
4. **Swaps**: bodies exchanged their names, or passed them on (a to b, b to c). This step considers
   only bodies of at least ``MIN_DISTINCTIVE_WORDS`` words: for two short bodies, nobody can tell
   whether the names or the bodies changed.
5. **Moves**: a method has another owner, but its signature and body occur once before and once
   after. Its name may differ only if the body has ``MIN_DISTINCTIVE_WORDS`` words.
6. **Remaining methods**: a method has other parameters, or both another name and another body. This
   is no rename, which changes only the name, but it continues the history of a method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from codeacumen.renames.candidates import (
    Edge,
    FilePair,
    LocatedMethod,
    NameChange,
    TypeKey,
    choose_edges,
    compute_dice_coefficient,
    find_edges,
    find_required_renames,
    find_swaps,
    match_types,
    select_consistent,
)
from codeacumen.renames.versions import FileVersion, MethodVersion, replace_type_names

__all__ = [
    "MIN_DISTINCTIVE_WORDS",
    "FilePair",
    "LocatedMethod",
    "MatchResult",
    "MatchedRename",
    "match_methods",
]

# A body with at least this many words, braces included, identifies its method.
MIN_DISTINCTIVE_WORDS = 12
# Two bodies count as one changed body if Dice's coefficient of their words is at least this.
_MIN_OVERLAP = 0.7
# ``match_remaining`` compares no bodies of a group that has more pairs than this.
_MAX_PAIRS = 400


@dataclass(frozen=True, slots=True)
class MatchedRename:
    """A renamed method before and after."""

    old: LocatedMethod
    new: LocatedMethod
    ambiguous: bool = False
    swapped: bool = False


@dataclass(slots=True)
class MatchResult:
    """The result of matching.

    Methods in ``unchanged`` and ``changed`` kept owner, name and parameters; those in ``changed``
    have another body; differences in names of renamed methods do not count. ``followed`` holds the
    other matches that are no renames, each with its kind: ``signature``, ``moved`` or
    ``rewritten``. ``owners`` has the new keys of types by the old ones. ``delegates`` counts
    methods that kept their name while another method got their body."""

    renames: list[MatchedRename] = field(default_factory=list)
    unchanged: list[tuple[LocatedMethod, LocatedMethod]] = field(default_factory=list)
    changed: list[tuple[LocatedMethod, LocatedMethod]] = field(default_factory=list)
    followed: list[tuple[LocatedMethod, LocatedMethod, str]] = field(default_factory=list)
    removed: list[LocatedMethod] = field(default_factory=list)
    added: list[LocatedMethod] = field(default_factory=list)
    owners: dict[TypeKey, TypeKey] = field(default_factory=dict)
    delegates: int = 0


def match_methods(
    pairs: Sequence[FilePair], check_deadline: Callable[[], None] = lambda: None
) -> MatchResult:
    """Match the methods of all files; ``check_deadline`` is called often and may raise."""
    matcher = _MethodMatcher(pairs, check_deadline)
    matcher.match_by_key()
    matcher.match_by_body()
    check_deadline()
    matcher.match_swaps()
    matcher.match_moves()
    check_deadline()
    matcher.match_remaining()
    return matcher.build_result()


@dataclass(slots=True)
class _SignatureGroup:
    """Methods with the same owner, parameters and result, whatever their names."""

    removed: list[LocatedMethod] = field(default_factory=list)
    added: list[LocatedMethod] = field(default_factory=list)
    changed: list[tuple[LocatedMethod, LocatedMethod]] = field(default_factory=list)


class _MethodMatcher:
    """State of the matching: ``removed``, ``added`` and ``modified`` may still be matched.

    ``modified`` are pairs of methods with the same owner, name and parameters but other bytes;
    ``name_changes`` are the renames so far.
    """

    def __init__(self, pairs: Sequence[FilePair], check_deadline: Callable[[], None]) -> None:
        self.pairs, self.check_deadline = pairs, check_deadline
        self.result = MatchResult(owners=match_types(pairs))
        self.new_type_names = _map_renamed_types(self.result.owners)
        self.removed: list[LocatedMethod] = []
        self.added: list[LocatedMethod] = []
        self.modified: list[tuple[LocatedMethod, LocatedMethod]] = []
        self.name_changes: set[NameChange] = set()

    def _find_new_type_key(self, method: LocatedMethod) -> TypeKey:
        """Return the new key of an old method's owner; empty strings if the owner is gone."""
        return self.result.owners.get((method.path, method.method.owner), ("", ""))

    def _get_signature(self, method: MethodVersion, *, old: bool) -> tuple[tuple[str, ...], str]:
        """Return the types of parameters and result; of an old method, with new names of types."""
        if not old or not self.new_type_names:
            return method.parameter_types, method.result_type
        return tuple(
            replace_type_names(type_, self.new_type_names) for type_ in method.parameter_types
        ), replace_type_names(method.result_type, self.new_type_names)

    def _locate_method(
        self, path: str, version: FileVersion, method: MethodVersion, *, old: bool
    ) -> LocatedMethod:
        body = version.parse_body(method)
        return LocatedMethod(
            path,
            version,
            method,
            body.with_type_names(self.new_type_names) if old and body else body,
        )

    def match_by_key(self) -> None:
        """Match methods with the same owner, name and parameters; collect all others."""
        # New methods by path, owner, name and types of parameters.
        unmatched: dict[
            tuple[str, str, str, tuple[str, ...]], list[tuple[str, FileVersion, MethodVersion]]
        ] = {}
        for pair in self.pairs:
            for method in pair.new.methods if pair.new is not None else ():
                unmatched.setdefault(
                    (pair.after, method.owner, method.name, method.parameter_types), []
                ).append(
                    (pair.after, pair.new, method)  # type: ignore[arg-type]
                )
        for pair in self.pairs:
            self.check_deadline()
            if pair.old is None:
                continue
            for method in pair.old.methods:
                new_owner = self.result.owners.get((pair.before, method.owner))
                types, _ = self._get_signature(method, old=True)
                candidates = unmatched.get((*new_owner, method.name, types)) if new_owner else None
                if not candidates:
                    self.removed.append(
                        self._locate_method(pair.before, pair.old, method, old=True)
                    )
                    continue
                path, version, new_method = candidates.pop(0)
                if pair.old.extract_bytes(method) == version.extract_bytes(new_method):
                    old_located = LocatedMethod(pair.before, pair.old, method, None)
                    self.result.unchanged.append(
                        (old_located, LocatedMethod(path, version, new_method, None))
                    )
                else:
                    old_located = self._locate_method(pair.before, pair.old, method, old=True)
                    new_located = self._locate_method(path, version, new_method, old=False)
                    self.modified.append((old_located, new_located))
        self.added = [
            self._locate_method(path, version, method, old=False)
            for candidates in unmatched.values()
            for path, version, method in candidates
        ]

    def match_by_body(self) -> None:
        """Find renames, in each bucket (defined in ``candidates``)."""
        old_buckets, new_buckets = (
            self._group_into_buckets(self.removed, old=True),
            self._group_into_buckets(self.added, old=False),
        )
        certain_edges: list[Edge] = []
        uncertain_edges: list[Edge] = []
        for key, removed in old_buckets.items():
            if key in new_buckets:
                certain, uncertain = find_edges(removed, new_buckets[key])
                certain_edges += certain
                uncertain_edges += uncertain
        certain_names = frozenset(edge.names for edge in certain_edges)
        self._add_renames(
            [
                *certain_edges,
                *select_consistent(
                    choose_edges(select_consistent(uncertain_edges, certain_names)), certain_names
                ),
            ]
        )

    def _group_into_buckets(
        self, methods: Iterable[LocatedMethod], *, old: bool
    ) -> dict[object, list[LocatedMethod]]:
        buckets: dict[object, list[LocatedMethod]] = {}
        for method in methods:
            owner = self._find_new_type_key(method) if old else (method.path, method.method.owner)
            words = None if method.body is None else method.body.words
            key = (owner, self._get_signature(method.method, old=old), words)
            buckets.setdefault(key, []).append(method)
        return buckets

    def _add_renames(self, edges: Iterable[Edge], *, swapped: bool = False) -> None:
        matched_ids: set[int] = set()
        for edge in edges:
            matched_ids |= {id(edge.old), id(edge.new)}
            self.name_changes.add(edge.names)
            self.result.renames.append(MatchedRename(edge.old, edge.new, edge.ambiguous, swapped))
        self._drop_matched(matched_ids)

    def _drop_matched(self, matched_ids: set[int]) -> None:
        self.removed = [method for method in self.removed if id(method) not in matched_ids]
        self.added = [method for method in self.added if id(method) not in matched_ids]

    def _has_changed(self, old: LocatedMethod, new: LocatedMethod) -> bool:
        """Return True if the bodies differ in more than the names of renamed methods."""
        if old.body is None or new.body is None:
            return (old.body is None) != (new.body is None)
        if old.body.words != new.body.words:
            return True
        return not find_required_renames(old.body, new.body) <= self.name_changes

    def match_swaps(self) -> None:
        """Find swaps among the methods with the same owner and signature."""
        changed = [pair for pair in self.modified if self._has_changed(*pair)]
        groups: dict[object, _SignatureGroup] = {}
        for old, new in changed:
            key = ((new.path, new.method.owner), self._get_signature(new.method, old=False))
            groups.setdefault(key, _SignatureGroup()).changed.append((old, new))
        if not groups:
            return
        for method in self.removed:
            key = (self._find_new_type_key(method), self._get_signature(method.method, old=True))
            if key in groups:
                groups[key].removed.append(method)
        for method in self.added:
            key = (
                (method.path, method.method.owner),
                self._get_signature(method.method, old=False),
            )
            if key in groups:
                groups[key].added.append(method)
        edges_found: list[Edge] = []
        for group in groups.values():
            swaps, delegates = find_swaps(
                group.removed, group.added, group.changed, MIN_DISTINCTIVE_WORDS
            )
            edges_found += swaps
            self.result.delegates += delegates
        matched_ids = {id(edge.old) for edge in edges_found} | {
            id(edge.new) for edge in edges_found
        }
        self._add_renames(edges_found, swapped=True)
        self.modified = [
            (old, new) for old, new in self.modified if not {id(old), id(new)} & matched_ids
        ]

    def match_moves(self) -> None:
        """Find methods that moved to another owner.

        The name may differ only if the body has ``MIN_DISTINCTIVE_WORDS``; with the same name, a
        body that is not empty suffices."""
        # Methods that kept their name first: the others may then be renamed.
        for same_name in (True, False):
            old_by_body = self._group_by_body(self.removed, same_name, old=True)
            new_by_body = self._group_by_body(self.added, same_name, old=False)
            edges_found: list[Edge] = []
            for key, group in old_by_body.items():
                new_group = new_by_body.get(key, [])
                if len(group) == 1 and len(new_group) == 1:
                    edges_found.append(Edge(group[0], new_group[0]))
            if same_name:
                self.result.followed += [(edge.old, edge.new, "moved") for edge in edges_found]
                self._drop_matched(
                    {id(end) for edge in edges_found for end in (edge.old, edge.new)}
                )
            else:
                self._add_renames(edges_found)

    def _group_by_body(
        self, methods: Iterable[LocatedMethod], with_name: bool, *, old: bool
    ) -> dict[object, list[LocatedMethod]]:
        groups: dict[object, list[LocatedMethod]] = {}
        for method in methods:
            # An empty body has two words, its braces.
            if method.body is not None and method.word_count >= (
                3 if with_name else MIN_DISTINCTIVE_WORDS
            ):
                body_key = (method.body.words, method.body.mask_own_name(method.name))
                key = (
                    body_key,
                    self._get_signature(method.method, old=old),
                    method.name if with_name else "",
                )
                groups.setdefault(key, []).append(method)
        return groups

    def match_remaining(self) -> None:
        """Find methods with other parameters, or with both another name and another body."""
        # First by owner and name: other parameters.
        old: dict[object, list[LocatedMethod]] = {}
        new: dict[object, list[LocatedMethod]] = {}
        for method in self.removed:
            old.setdefault((self._find_new_type_key(method), method.name), []).append(method)
        for method in self.added:
            new.setdefault(((method.path, method.method.owner), method.name), []).append(method)
        changes = [
            (a, b, "signature")
            for key, group in old.items()
            if len(group) == len(new.get(key, ()))
            for a, b in zip(group, new[key], strict=True)
        ]
        self.result.followed += changes
        self._drop_matched({id(end) for a, b, _ in changes for end in (a, b)})
        # Then by owner and signature: another name, and a similar body.
        old, new = {}, {}
        for method in self.removed:
            signature = self._get_signature(method.method, old=True)
            old.setdefault((self._find_new_type_key(method), signature), []).append(method)
        for method in self.added:
            signature = self._get_signature(method.method, old=False)
            new.setdefault(((method.path, method.method.owner), signature), []).append(method)
        for key, group in old.items():
            new_group = new.get(key, [])
            if 0 < len(group) * len(new_group) <= _MAX_PAIRS:
                self._match_rewritten(group, new_group)

    def _match_rewritten(self, old: Sequence[LocatedMethod], new: Sequence[LocatedMethod]) -> None:
        """Match methods with similar bodies, the most similar first; skip very short bodies."""
        word_counts = {
            id(method): _count_words(method) for method in (*old, *new) if method.word_count > 5
        }
        candidates = [
            (-share, i, j)
            for i, a in enumerate(old)
            for j, b in enumerate(new)
            if id(a) in word_counts
            and id(b) in word_counts
            and (share := compute_dice_coefficient(word_counts[id(a)], word_counts[id(b)]))
            >= _MIN_OVERLAP
        ]
        matched_ids: set[int] = set()
        for _, i, j in sorted(candidates):
            if not {id(old[i]), id(new[j])} & matched_ids:
                matched_ids |= {id(old[i]), id(new[j])}
                self.result.followed.append((old[i], new[j], "rewritten"))
        self._drop_matched(matched_ids)

    def build_result(self) -> MatchResult:
        for old, new in self.modified:
            (self.result.changed if self._has_changed(old, new) else self.result.unchanged).append(
                (old, new)
            )
        self.result.removed, self.result.added = self.removed, self.added
        return self.result


def _count_words(method: LocatedMethod) -> Counter[str]:
    assert method.body is not None
    return Counter([*method.body.words, *method.body.calls])


def _map_renamed_types(owners: dict[TypeKey, TypeKey]) -> dict[str, str]:
    """Return the new simple names of renamed types, by the old ones."""
    new_names: dict[str, str] = {}
    for (_, old), (_, new) in owners.items():
        before, after = old.rpartition(".")[2], new.rpartition(".")[2]
        if before != after and before.isidentifier() and after.isidentifier():
            new_names[before] = after
    return new_names
