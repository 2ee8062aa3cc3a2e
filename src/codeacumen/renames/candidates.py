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

from codeacumen.renames.versions import Body, FileVersion, MethodVersion, Type

# A path and an owner (``versions.MethodVersion``), which identify a type.
TypeKey: TypeAlias = tuple[str, str]

_UNNAMED_KINDS = ("anonymous", "enum constant")
# Maximum number of added types that a removed type is compared with; the others are skipped.
_MAX_CANDIDATES = 64


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file before and after; a version is None where the file was added or removed."""

    before: str
    after: str
    old: FileVersion | None
    new: FileVersion | None


def match_types(pairs: Sequence[FilePair]) -> dict[TypeKey, TypeKey]:
    """Return the new keys of the types that still exist, by their old keys."""
    matcher = _TypeMatcher(pairs)
    for pair in pairs:
        if pair.old is not None and pair.new is not None:
            matcher.match_in_file(pair)
    matcher.match_across_files()
    return matcher.new_keys


class _TypeMatcher:
    """Matcher of types by the rules in the module's docstring; each type matches at most one.

    ``old_types`` and ``new_types`` have the file version and the type by key.
    """

    def __init__(self, pairs: Sequence[FilePair]) -> None:
        self.new_keys: dict[TypeKey, TypeKey] = {}
        self.matched_new_keys: set[TypeKey] = set()
        self.old_types = {
            (pair.before, owner): (pair.old, type_)
            for pair in pairs
            if pair.old is not None
            for owner, type_ in pair.old.types.items()
        }
        self.new_types = {
            (pair.after, owner): (pair.new, type_)
            for pair in pairs
            if pair.new is not None
            for owner, type_ in pair.new.types.items()
        }

    def add_match(self, old: TypeKey, new: TypeKey) -> None:
        self.new_keys[old] = new
        self.matched_new_keys.add(new)

    def match_in_file(self, pair: FilePair) -> None:
        assert pair.old is not None
        assert pair.new is not None
        old, new = pair.old.types, pair.new.types
        for owner in old:
            if owner in new:
                self.add_match((pair.before, owner), (pair.after, owner))
        # A file's main type has the name of the file.
        old_stem, new_stem = _get_file_stem(pair.before), _get_file_stem(pair.after)
        if (
            old_stem != new_stem
            and old_stem in old
            and old_stem not in new
            and new_stem in new
            and new_stem not in old
        ):
            self.add_match((pair.before, old_stem), (pair.after, new_stem))
        removed = [
            type_ for type_ in old.values() if (pair.before, type_.owner) not in self.new_keys
        ]
        added = [
            type_
            for type_ in new.values()
            if (pair.after, type_.owner) not in self.matched_new_keys
        ]
        if not removed or not added:
            return
        added_by_outer: dict[tuple[str, str], list[Type]] = {}
        for type_ in added:
            if type_.kind not in _UNNAMED_KINDS:
                added_by_outer.setdefault((type_.outer, type_.kind), []).append(type_)
        for type_ in removed:
            new_outer = (
                self.new_keys.get((pair.before, type_.outer)) if type_.outer else (pair.after, "")
            )
            if new_outer is None or new_outer[0] != pair.after:
                continue
            old_key = (pair.before, type_.owner)
            if not self.match_by_name(old_key, type_, new_outer):
                candidates = [
                    (pair.after, other.owner)
                    for other in added_by_outer.get((new_outer[1], type_.kind), [])
                    if (pair.after, other.owner) not in self.matched_new_keys
                ]
                self.match_by_methods(old_key, candidates)

    def match_by_name(self, old_key: TypeKey, type_: Type, new_outer: TypeKey) -> bool:
        new_owner = f"{new_outer[1]}.{type_.name}" if new_outer[1] else type_.name
        new_key = (new_outer[0], new_owner)
        if new_key not in self.new_types or new_key in self.matched_new_keys:
            return False
        self.add_match(old_key, new_key)
        return True

    def match_by_methods(self, old_key: TypeKey, candidates: Sequence[TypeKey]) -> bool:
        """Match the candidate that shares the most methods, if these are at least half.

        Methods are shared by name and parameters or, if no candidate has half of these, by body.
        Half is that of the type with fewer methods. Return True if a candidate matches.
        """
        version, type_ = self.old_types[old_key]
        old_methods = version.methods_by_owner.get(type_.owner, [])
        for by_body in (False, True):
            best: tuple[int, TypeKey] | None = None
            old_evidence = Counter(_list_evidence(version, old_methods, by_body))
            for candidate in candidates[:_MAX_CANDIDATES]:
                candidate_version, candidate_type = self.new_types[candidate]
                new_methods = candidate_version.methods_by_owner.get(candidate_type.owner, [])
                shared = (
                    old_evidence & Counter(_list_evidence(candidate_version, new_methods, by_body))
                ).total()
                has_half = 2 * shared >= max(1, min(len(old_methods), len(new_methods)))
                if shared and has_half and (best is None or shared > best[0]):
                    best = shared, candidate
            if best is not None:
                self.add_match(old_key, best[1])
                return True
        return False

    def match_across_files(self) -> None:
        """Match types that left their file, by name in the matched outer type or in all files."""
        by_name: dict[tuple[str, str], list[TypeKey]] = {}
        for type_key, (_, type_) in self.new_types.items():
            if type_key not in self.matched_new_keys and type_.kind not in _UNNAMED_KINDS:
                by_name.setdefault((type_.name, type_.kind), []).append(type_key)
        removed = [type_key for type_key in self.old_types if type_key not in self.new_keys]
        names = Counter(self.old_types[type_key][1].name for type_key in removed)
        for old_key in removed:
            type_ = self.old_types[old_key][1]
            new_outer = self.new_keys.get((old_key[0], type_.outer)) if type_.outer else None
            if new_outer is not None and self.match_by_name(old_key, type_, new_outer):
                continue
            candidates = by_name.get((type_.name, type_.kind), [])
            if (
                len(candidates) == 1
                and names[type_.name] == 1
                and candidates[0] not in self.matched_new_keys
            ):
                self.match_by_methods(old_key, candidates)


def _list_evidence(
    version: FileVersion, methods: Iterable[MethodVersion], by_body: bool
) -> list[str]:
    """Return names with parameters, or fingerprints of the bodies that are not empty."""
    if not by_body:
        # A key is ``owner#name(types of parameters)``.
        return [method.key.partition("#")[2] for method in methods]
    bodies = (version.parse_body(method) for method in methods)
    return [body.fingerprint for body in bodies if body is not None and len(body.words) > 2]


def _get_file_stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".java")


# A method's name before and after.
NameChange: TypeAlias = tuple[str, str]
# Maximum number of pairs of a bucket that are all compared; in larger buckets, only methods at the
# same position are, or none.
_MAX_PAIRS = 400
# Minimum similarity of names (0 to 100) where nothing else distinguishes the methods.
_MIN_NAME_SIMILARITY = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class LocatedMethod:
    """A method in a version of a file; ``body`` has the new names of renamed types.

    ``body`` is None if the method has none, or if its bytes are unchanged and it was not parsed.
    """

    path: str
    version: FileVersion
    method: MethodVersion
    body: Body | None

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def word_count(self) -> int:
        """Number of words of the body."""
        return 0 if self.body is None else len(self.body.words)


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A possible rename, valid only if the renames in ``required`` occurred too.

    ``ambiguous``: the methods had other candidates.
    """

    old: LocatedMethod
    new: LocatedMethod
    required: frozenset[NameChange] = frozenset()
    ambiguous: bool = False

    @property
    def names(self) -> NameChange:
        return self.old.name, self.new.name


def compute_name_similarity(first_name: str, second_name: str) -> float:
    """Return the normalized Indel similarity of two names, from 0 to 100, ignoring case."""
    return float(fuzz.ratio(first_name.lower(), second_name.lower()))


def find_required_renames(old: Body | None, new: Body | None) -> frozenset[NameChange]:
    """Return the renames of called methods that make two bodies of a bucket equal."""
    if old is None or new is None:
        return frozenset()
    return frozenset(
        (old_name, new_name)
        for old_name, new_name in zip(old.calls, new.calls, strict=True)
        if old_name != new_name
    )


def find_edges(
    removed: Sequence[LocatedMethod], added: Sequence[LocatedMethod]
) -> tuple[list[Edge], list[Edge]]:
    """Return the pairs of a bucket that differ only in their own names, and the uncertain pairs.

    An uncertain pair requires that methods which it calls were renamed, too.
    """
    certain: list[Edge] = []
    old_by_calls, new_by_calls = _group_by_calls(removed), _group_by_calls(added)
    for calls in [old_calls for old_calls in old_by_calls if old_calls in new_by_calls]:
        certain += _pair_methods(old_by_calls.pop(calls), new_by_calls.pop(calls))
    old = [method for group in old_by_calls.values() for method in group]
    new = [method for group in new_by_calls.values() for method in group]
    if len(old) * len(new) <= _MAX_PAIRS:
        return certain, [
            Edge(a, b, find_required_renames(a.body, b.body)) for a in old for b in new
        ]
    # Too many pairs: only those at the same position, all of them ambiguous.
    pairs = zip(old, new, strict=False)
    return certain, [Edge(a, b, find_required_renames(a.body, b.body), True) for a, b in pairs]


def _group_by_calls(methods: Sequence[LocatedMethod]) -> dict[tuple[str, ...], list[LocatedMethod]]:
    """Group methods by the names that they call, with a method's own name blanked."""
    groups: dict[tuple[str, ...], list[LocatedMethod]] = {}
    for method in methods:
        calls = () if method.body is None else method.body.mask_own_name(method.name)
        groups.setdefault(calls, []).append(method)
    return groups


def _pair_methods(old: Sequence[LocatedMethod], new: Sequence[LocatedMethod]) -> list[Edge]:
    """Pair methods that differ only in their names.

    If there are as many before as after, pair them in source order, otherwise by similarity of
    names."""
    if len(old) == len(new):
        return [Edge(a, b, ambiguous=len(old) > 1) for a, b in zip(old, new, strict=True)]
    if len(old) * len(new) > _MAX_PAIRS:
        return []
    # The body is empty (its braces are two words) or missing.
    is_short_body = old[0].word_count <= 2
    candidates = [
        Edge(a, b, ambiguous=True)
        for a in old
        for b in new
        if not is_short_body or compute_name_similarity(a.name, b.name) >= _MIN_NAME_SIMILARITY
    ]
    return choose_edges(candidates)


def choose_edges(candidates: Sequence[Edge]) -> list[Edge]:
    """Return pairs with each method at most once, the most similar names first.

    A pair whose methods had other candidates is ambiguous."""
    old_counts, new_counts = (
        Counter(id(edge.old) for edge in candidates),
        Counter(id(edge.new) for edge in candidates),
    )
    matched_ids: set[int] = set()
    pairs: list[Edge] = []
    for edge in sorted(candidates, key=lambda edge: -compute_name_similarity(*edge.names)):
        if id(edge.old) in matched_ids or id(edge.new) in matched_ids:
            continue
        matched_ids |= {id(edge.old), id(edge.new)}
        had_choice = old_counts[id(edge.old)] > 1 or new_counts[id(edge.new)] > 1
        pairs.append(Edge(edge.old, edge.new, edge.required, edge.ambiguous or had_choice))
    return pairs


def select_consistent(
    edges: Sequence[Edge], other_names: frozenset[NameChange] = frozenset()
) -> list[Edge]:
    """Return the most edges whose required renames are all among them or in ``other_names``."""
    remaining = list(edges)
    while True:
        renamed = {edge.names for edge in remaining} | other_names
        consistent = [edge for edge in remaining if edge.required <= renamed]
        if len(consistent) == len(remaining):
            return remaining
        remaining = consistent


def find_swaps(
    removed: Sequence[LocatedMethod],
    added: Sequence[LocatedMethod],
    changed: Sequence[tuple[LocatedMethod, LocatedMethod]],
    min_words: int,
) -> tuple[list[Edge], int]:
    """Return renames in which names were exchanged or passed on, and the number of delegates.

    ``changed`` are methods of the same key with another body: in a swap, such a body went to
    another name, while its own name got another body. A delegate kept its name while its body went
    to a new method, which it now may call. Bodies of fewer than ``min_words`` words are ignored."""
    new_by_old_id = {id(old): new for old, new in changed}
    old_by_new_id = {id(new): old for old, new in changed}
    old_groups = _group_by_body([*removed, *(old for old, _ in changed)], min_words)
    new_groups = _group_by_body([*added, *(new for _, new in changed)], min_words)
    candidates = [
        Edge(group[0], new_groups[body_key][0])
        for body_key, group in old_groups.items()
        if len(group) == 1
        and len(new_groups.get(body_key, ())) == 1
        and group[0].name != new_groups[body_key][0].name
    ]
    # If the name of an edge's old method still exists, with another body, another edge must have
    # brought that body; if the name of its new method existed before, another edge must have taken
    # the old body of that name away. Drop edges until this holds for all.
    consistent = candidates
    while True:
        sources, targets = (
            {id(edge.old) for edge in consistent},
            {id(edge.new) for edge in consistent},
        )
        still_consistent = [
            edge
            for edge in consistent
            if (id(edge.old) not in new_by_old_id or id(new_by_old_id[id(edge.old)]) in targets)
            and (id(edge.new) not in old_by_new_id or id(old_by_new_id[id(edge.new)]) in sources)
        ]
        if len(still_consistent) == len(consistent):
            break
        consistent = still_consistent
    # The old name still exists, and its body went to a new method.
    consistent_ids = {id(edge) for edge in consistent}
    delegates = sum(
        id(edge) not in consistent_ids
        and id(edge.old) in new_by_old_id
        and id(edge.new) not in old_by_new_id
        for edge in candidates
    )
    # Without a name that exists before and after, an edge is an ordinary rename, and no swap.
    return [
        edge
        for edge in consistent
        if id(edge.old) in new_by_old_id or id(edge.new) in old_by_new_id
    ], delegates


def _group_by_body(
    methods: Sequence[LocatedMethod], min_words: int
) -> dict[object, list[LocatedMethod]]:
    groups: dict[object, list[LocatedMethod]] = {}
    for method in methods:
        if method.body is not None and method.word_count >= min_words:
            body_key = (method.body.words, method.body.mask_own_name(method.name))
            groups.setdefault(body_key, []).append(method)
    return groups


def compute_dice_coefficient(first: Counter[str], second: Counter[str]) -> float:
    """Return Dice's coefficient of two bags of words, from 0 to 1."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0
