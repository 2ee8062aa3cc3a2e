"""Questions of a survey: frequent identifiers of a corpus, pairs of them, and code around them.

IdBench, section II-A, c. Nearly all random pairs are unrelated. So pairs are sampled from equal
ranges of cosine similarity in each embedding, the same number from each range; pairs that differ by
a synonym and random pairs are added.

n names have n² / 2 pairs. They are processed in blocks of some names with all names; for each range
the pairs with the smallest sampling keys are kept. A key is a hash of the pair's names and the
random seed (``seed``), so the sample does not depend on the blocks. At most ``MAX_SEEDS`` names,
those of ``seed_indices``, are tried as the first of a pair.

``codeacumen survey select`` calls ``build_selection``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import ShardFiles, process_files, read_files, select_files
from codeacumen.engines import Engine
from codeacumen.survey.occurrences import (
    LANGUAGES,
    ROLES,
    IdentifierCounts,
    count_identifiers,
    read_identifiers,
)
from codeacumen.survey.votes import Pair, sorted_pair
from codeacumen.text.lines import line_starts
from codeacumen.text.subtokens import split_subtokens

# Number of ranges of cosine similarity.
RANGES = 10
# Maximum number of names that are tried as the first of a pair.
MAX_SEEDS = 2000
# Maximum number of pairs with the same name.
MAX_USES = 2
# Number of pairs in a block, and number of candidates for each requested pair of a range: many may
# be rejected because one of their names was used often enough.
_BLOCK, _CANDIDATES_PER_PAIR = 1 << 22, 20
# Constants of splitmix64.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)

Keys = NDArray[np.uint64]


class Embedding(Protocol):
    """Names, and a row of ``matrix`` for each: a vector of length 1."""

    names: list[str]
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SelectedPair:
    """A selected pair; ``reason`` is ``random``, ``synonyms`` or the name of the embedding.

    ``cosine`` is the similarity in that embedding, None for the other reasons.
    """

    pair: Pair
    reason: str
    cosine: float | None = None


def hash_text(text: str, seed: int) -> np.uint64:
    """Return a 64-bit hash of a text and a seed, the same on every machine."""
    digest = hashlib.blake2b(f"{seed} {text}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def mix_hashes(values: Keys) -> Keys:
    """Return pseudo-random numbers, each determined by one of ``values`` (splitmix64)."""
    values = values + _STEP
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


class PairPicker:
    """Collects pairs without repetition, and at most ``uses`` pairs with the same name."""

    def __init__(self, uses: int = MAX_USES) -> None:
        self.uses = uses
        self.selected: list[SelectedPair] = []
        self._pairs: set[Pair] = set()
        self._used: dict[str, int] = {}

    def take_pairs(self, candidates: Iterable[SelectedPair], limit: int) -> int:
        """Take the first admissible candidates, at most ``limit``; return their number."""
        taken_count = 0
        for candidate in candidates:
            if taken_count == limit:
                break
            left, right = candidate.pair
            counts = [self._used.get(name, 0) for name in candidate.pair]
            if left == right or candidate.pair in self._pairs or max(counts) >= self.uses:
                continue
            self._pairs.add(candidate.pair)
            for name, count in zip(candidate.pair, counts, strict=True):
                self._used[name] = count + 1
            self.selected.append(candidate)
            taken_count += 1
        return taken_count


def pick_by_cosine(
    names: Sequence[str],
    embedding: Embedding,
    limit: int,
    seed: int,
    reason: str,
    picker: PairPicker,
) -> list[int]:
    """Pick pairs from equal ranges of cosine similarity, from 0 (and below) to 1.

    ``reason`` is stored with the pairs. Return the number of pairs from each range. If a
    range has too few pairs, more are taken from the others.
    """
    row_by_name = {name: i for i, name in enumerate(embedding.names)}
    known_names = [name for name in names if name in row_by_name]
    if len(known_names) < 2:
        return [0] * RANGES
    rows = np.asarray(
        embedding.matrix[[row_by_name[name] for name in known_names]], dtype=np.float32
    )
    keys = np.array([hash_text(name, seed) for name in known_names], dtype=np.uint64)
    seed_indices = np.argsort(keys)[:MAX_SEEDS]
    range_pairs = _sample_ranges(
        rows, keys, seed_indices, RANGES, max(1, -(-limit // RANGES)) * _CANDIDATES_PER_PAIR
    )
    counts = [0] * RANGES
    share = [limit // RANGES + (range_index < limit % RANGES) for range_index in range(RANGES)]
    candidates = [
        (
            SelectedPair(
                sorted_pair(known_names[left], known_names[right]), reason, round(cosine, 4)
            )
            for left, right, cosine in range_pairs[range_index]
        )
        for range_index in range(RANGES)
    ]
    # Start with the most similar pairs: they are few, and their names must still be unused.
    for range_index in reversed(range(RANGES)):
        counts[range_index] += picker.take_pairs(candidates[range_index], share[range_index])
    missing = limit - sum(counts)
    for range_index in reversed(range(RANGES)):
        more = picker.take_pairs(candidates[range_index], missing)
        counts[range_index] += more
        missing -= more
    return counts


def _sample_ranges(
    rows: NDArray[np.float32], keys: Keys, seed_indices: NDArray[np.intp], ranges: int, limit: int
) -> list[list[tuple[int, int, float]]]:
    """Return for each range the ``limit`` pairs with the smallest keys, ordered by key.

    A pair has two indices of ``rows``, and the cosine similarity of these rows; one of the two is
    in ``seed_indices``.
    """
    # Rows (key, left index, right index, cosine).
    best: list[list[tuple[int, int, int, float]]] = [[] for _ in range(ranges)]
    height = max(1, _BLOCK // len(keys))
    for start in range(0, len(seed_indices), height):
        block = seed_indices[start : start + height]
        cosine = rows[block] @ rows.T
        ours, theirs = keys[block][:, None], keys[None, :]
        # The key of (a, b) is that of (b, a).
        pair = mix_hashes(np.minimum(ours, theirs) ^ mix_hashes(np.maximum(ours, theirs)))
        range_indices = np.clip((cosine * ranges).astype(np.int64), 0, ranges - 1)
        # A name is no pair with itself.
        range_indices[np.arange(len(block)), block] = -1
        for range_index in range(ranges):
            flat = np.flatnonzero(range_indices == range_index)
            values = pair.ravel()[flat]
            if len(flat) > limit:
                smallest = np.argpartition(values, limit)[:limit]
                flat, values = flat[smallest], values[smallest]
            left, right = np.divmod(flat, len(keys))
            columns = (values, block[left], right, cosine.ravel()[flat])
            # A pair occurs twice if both names are tried as the first.
            merged = {tuple(sorted(row[1:3])): row for row in best[range_index]}
            for row in zip(*(column.tolist() for column in columns), strict=True):
                merged[tuple(sorted(row[1:3]))] = row
            best[range_index] = sorted(merged.values())[:limit]
    return [[(a, b, value) for _, a, b, value in pairs] for pairs in best]


def pick_at_random(names: Sequence[str], limit: int, seed: int, picker: PairPicker) -> int:
    """Pick pairs of random names; return their number."""
    if len(names) < 2:
        return 0
    rng = np.random.default_rng(seed)
    index_pairs = rng.integers(len(names), size=(limit * _CANDIDATES_PER_PAIR, 2)).tolist()
    pairs = (SelectedPair(sorted_pair(names[a], names[b]), "random") for a, b in index_pairs)
    return picker.take_pairs(pairs, limit)


def load_synonyms() -> dict[str, frozenset[str]]:
    """Return the shipped list of words with their synonyms in code."""
    text = files(__package__).joinpath("synonyms.txt").read_text(encoding="utf-8")
    return parse_synonyms(text)


def parse_synonyms(text: str) -> dict[str, frozenset[str]]:
    """Parse a list of synonyms: a group of words on each line; ``#`` begins a comment."""
    others_by_word: dict[str, set[str]] = {}
    for line in text.splitlines():
        group = line.partition("#")[0].lower().split()
        for word in group:
            others_by_word.setdefault(word, set()).update(other for other in group if other != word)
    return {word: frozenset(others) for word, others in others_by_word.items()}


def pick_by_synonyms(
    names: Sequence[str],
    synonyms: Mapping[str, frozenset[str]],
    limit: int,
    seed: int,
    picker: PairPicker,
) -> int:
    """Pick pairs that differ in one word by a synonym: ``startTime, beginTime``.

    Capitals and signs must be the same in both: ``START`` and ``_begin`` are no such pair.
    """
    name_set = set(names)
    pairs: set[Pair] = set()
    for name in names:
        for changed in _swap_synonyms(name, synonyms):
            if changed in name_set:
                pairs.add(sorted_pair(name, changed))
    ordered = sorted(pairs, key=lambda pair: (int(hash_text(" ".join(pair), seed)), pair))
    return picker.take_pairs((SelectedPair(pair, "synonyms") for pair in ordered), limit)


def _swap_synonyms(name: str, synonyms: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the name with each word replaced by each synonym, capitalised like the word."""
    start = 0
    for word in split_subtokens(name):
        start = name.index(word, start)
        for other in sorted(synonyms.get(word.lower(), ())):
            spelling = other.capitalize() if word[0].isupper() else other
            if word.isupper() and len(word) > 1:
                spelling = other.upper()
            yield name[:start] + spelling + name[start + len(word) :]
        start += len(word)


# Lines of a context, and contexts of a name.
LINES, CONTEXTS = 5, 5
BLANK = "_____"
# Maximum length of a line in a context: nobody reads longer lines in a survey.
MAX_LINE_LENGTH = 160
# Minimum number of lines in a context that are not empty.
MIN_NONBLANK_LINES = 3


@dataclass(frozen=True, slots=True, order=True)
class Context:
    """Code around a name; ``line`` is its first line in the file, ``key`` its sampling key."""

    key: int
    sha256: str
    line: int
    language: str
    text: str


def collect_contexts(
    corpora: Sequence[Corpus],
    names: Sequence[str],
    engine: Engine,
    seed: int = 0,
    limit: int = CONTEXTS,
    step: Progress = ignore_progress,
) -> dict[str, list[Context]]:
    """Return for each name at most ``limit`` pieces of code around it, with the name blanked.

    IdBench, section II-A, b and c. Every occurrence of the name as a whole word is blanked, in
    comments and strings, too, always by the same blank, so that its length reveals nothing.
    Contexts are sampled by hash, from as many files as possible; two of one file do not overlap.
    """
    sample = partial(_sample_contexts, frozenset(names), seed, limit)
    results, _ = process_files(
        sample, select_files(corpora, LANGUAGES).shards, engine, "contexts", step
    )
    contexts_by_name: dict[str, list[Context]] = {name: [] for name in names}
    for part in results:
        for name, name_contexts in part.items():
            contexts_by_name[name] += name_contexts
    return {
        name: _pick_contexts(sorted(name_contexts), limit)
        for name, name_contexts in contexts_by_name.items()
    }


def _sample_contexts(
    names: frozenset[str], seed: int, limit: int, stretch: ShardFiles
) -> Mapping[str, list[Context]]:
    """Return contexts of each name in a stretch (some files of a shard), at most ``limit`` from
    each file."""
    contexts_by_name: dict[str, list[Context]] = {}
    for sha256, language, source in read_files(stretch):
        identifiers = read_identifiers(language, source)
        if not names.intersection(identifiers.words):
            continue
        starts = np.concatenate([[0], line_starts(source)])
        lines = [line.decode("utf-8", "replace") for line in re.split(rb"\r\n|\r|\n", source)]
        for word_index, word in enumerate(identifiers.words):
            if word not in names:
                continue
            occurrence_indices = np.flatnonzero(identifiers.word == word_index)
            line_indices = np.unique(
                np.searchsorted(starts, identifiers.start[occurrence_indices], side="right") - 1
            )
            # The key depends on the line, on 60 bits of the file's hash, and on the random seed.
            keys = mix_hashes(
                line_indices.astype(np.uint64) ^ np.uint64(int(sha256[:15], 16) ^ seed)
            )
            name_contexts: list[Context] = []
            for index in np.argsort(keys).tolist():
                first = max(0, min(int(line_indices[index]) - LINES // 2, len(lines) - LINES))
                text = _format_lines(lines[first : first + LINES], word)
                if text is None or any(
                    abs(first + 1 - other.line) < LINES for other in name_contexts
                ):
                    continue
                name_contexts.append(Context(int(keys[index]), sha256, first + 1, language, text))
                if len(name_contexts) == limit:
                    break
            contexts_by_name.setdefault(word, []).extend(name_contexts)
    return contexts_by_name


def _format_lines(lines: Sequence[str], name: str) -> str | None:
    """Return the lines without their common indentation and with blanks for the name.

    Return None if the lines are too few, too long, or not printable.
    """
    lines = [line.rstrip().expandtabs(4) for line in lines]
    nonblank = [line for line in lines if line]
    if (
        len(lines) < LINES
        or len(nonblank) < MIN_NONBLANK_LINES
        or max(map(len, nonblank)) > MAX_LINE_LENGTH
    ):
        return None
    if not all(line.isprintable() for line in nonblank):
        return None
    margin = min(len(line) - len(line.lstrip()) for line in nonblank)
    return blank_name("\n".join(line[margin:] for line in lines), name)


def blank_name(text: str, name: str) -> str:
    """Return the text with blanks in place of the name as a whole word.

    >>> blank_name("len = a.len + length; // len", "len")
    '_____ = a._____ + length; // _____'
    """
    return re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", BLANK, text)


def _pick_contexts(candidates: Sequence[Context], limit: int) -> list[Context]:
    """Return the first distinct contexts of sorted candidates, from different files first."""
    picked: list[Context] = []
    texts: set[str] = set()
    for different in (True, False):
        for candidate in candidates:
            if len(picked) == limit:
                break
            used_files = {context.sha256 for context in picked} if different else set()
            if candidate.text not in texts and candidate.sha256 not in used_files:
                texts.add(candidate.text)
                picked.append(candidate)
    return picked


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """Numbers of pairs and contexts to select.

    ``pairs`` is the total, of which ``synonyms`` differ by a synonym and ``random`` are random; the
    embeddings select the others in equal parts. Names must occur more than ``least`` times and get
    at most ``contexts`` pieces of code.
    """

    pairs: int = 300
    synonyms: int = 30
    random: int = 60
    least: int = 50
    contexts: int = CONTEXTS
    seed: int = 0


def build_selection(
    corpora: Sequence[Corpus],
    embeddings: Mapping[str, Embedding],
    synonyms: Mapping[str, frozenset[str]],
    request: SelectionRequest,
    engine: Engine,
    step: Progress = ignore_progress,
) -> dict[str, Json]:
    """Return the selection as JSON; the same arguments give the same selection."""
    frequent = count_identifiers(corpora, engine, step).keep_more_than(request.least)
    if len(frequent.names) < 2:
        raise CodeacumenError(
            f"no two identifiers occur more than {request.least} times",
            "use a larger corpus, or a smaller number for --min-count",
        )
    picker = PairPicker()
    ranges = pick_pairs(frequent.names, embeddings, synonyms, request, picker)
    names = sorted({name for selected in picker.selected for name in selected.pair})
    contexts_by_name = collect_contexts(
        corpora, names, engine, request.seed, request.contexts, step
    )
    index_by_name = {name: i for i, name in enumerate(frequent.names)}
    return {
        "wish": asdict(request),
        "files": frequent.files,
        "frequent_identifiers": len(frequent.names),
        "ranges": ranges,
        "pairs": [
            {
                "left": selected.pair[0],
                "right": selected.pair[1],
                "reason": selected.reason,
                **({} if selected.cosine is None else {"cosine": selected.cosine}),
            }
            for selected in sorted(picker.selected, key=lambda selected: selected.pair)
        ],
        "identifiers": [
            {
                "name": name,
                **_describe_counts(frequent, index_by_name[name]),
                "contexts": _contexts_to_json(contexts_by_name[name]),
            }
            for name in names
        ],
    }


def pick_pairs(
    names: Sequence[str],
    embeddings: Mapping[str, Embedding],
    synonyms: Mapping[str, frozenset[str]],
    request: SelectionRequest,
    picker: PairPicker,
) -> dict[str, list[int]]:
    """Add pairs to ``picker``; return for each embedding the number of pairs of each range.

    If embeddings and synonyms have too few pairs, random pairs fill up.
    """
    pick_by_synonyms(names, synonyms, min(request.synonyms, request.pairs), request.seed, picker)
    rest = max(0, request.pairs - request.random - len(picker.selected))
    range_counts: dict[str, list[int]] = {}
    for number, (name, embedding) in enumerate(embeddings.items()):
        share = rest // len(embeddings) + (number < rest % len(embeddings))
        # Each has its own seed, so that two embeddings do not start from the same names.
        range_counts[name] = pick_by_cosine(
            names, embedding, share, request.seed + 1 + number, name, picker
        )
    pick_at_random(names, request.pairs - len(picker.selected), request.seed, picker)
    return range_counts


def _describe_counts(identifier_counts: IdentifierCounts, index: int) -> dict[str, Json]:
    by_language, by_role = (
        identifier_counts.counts[index].sum(axis=1),
        identifier_counts.counts[index].sum(axis=0),
    )
    return {
        "occurrences": dict(zip(LANGUAGES, by_language.tolist(), strict=True)),
        "roles": dict(zip(ROLES, by_role.tolist(), strict=True)),
        "role": identifier_counts.get_primary_role(index),
    }


def _contexts_to_json(contexts: Sequence[Context]) -> list[dict[str, Json]]:
    return [
        {
            "id": f"{context.sha256[:12]}:{context.line}",
            "file": context.sha256,
            "line": context.line,
            "language": context.language,
            "text": context.text,
        }
        for context in contexts
    ]
