"""Questions of a survey: frequent identifiers of a corpus, pairs of them, and code around them.

IdBench, section II-A, c. Nearly all random pairs are unrelated. So pairs are sampled from equal
ranges of cosine similarity in each embedding, the same number from each range; pairs that differ by
a synonym and random pairs are added.

n names have n² / 2 pairs. They are processed in blocks of some names with all names; for each range
the pairs with the smallest sampling keys are kept. A key is a hash of the pair's names and the
seed, so the sample does not depend on the blocks. At most ``MAX_SEEDS`` names are tried as the
first of a pair.
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
from codeacumen.corpus.files import Stretch, chosen, read, worked
from codeacumen.engines import Engine
from codeacumen.survey.occurrences import (
    LANGUAGES,
    ROLES,
    Occurrences,
    identifiers_of,
    occurrences,
)
from codeacumen.survey.votes import Pair, sorted_pair
from codeacumen.text.lines import line_starts
from codeacumen.text.subtokens import subtokens

RANGES = 10
SEEDS = 2000
# Maximum number of pairs with the same name.
USES = 2
# Number of pairs in a block, and number of candidates for each requested pair of a range.
_BLOCK, _SPARE = 1 << 22, 20
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)

Keys = NDArray[np.uint64]


class Embedding(Protocol):
    """Names, and a vector of length 1 for each."""

    names: list[str]
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selected pair with the reason; ``cosine`` is set if an embedding selected it."""

    pair: Pair
    why: str
    cosine: float | None = None


def key_of(text: str, seed: int) -> np.uint64:
    """Return a 64-bit hash of a text and a seed, the same on every machine."""
    digest = hashlib.blake2b(f"{seed} {text}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def mixed(values: Keys) -> Keys:
    """Return pseudo-random numbers that depend on the given ones alone (splitmix64)."""
    values = values + _STEP
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


class Picker:
    """Collects pairs without repetition and without using a name too often."""

    def __init__(self, uses: int = USES) -> None:
        self.uses = uses
        self.found: list[Chosen] = []
        self._pairs: set[Pair] = set()
        self._used: dict[str, int] = {}

    def take(self, candidates: Iterable[Chosen], wanted: int) -> int:
        """Take the first admissible candidates, at most ``limit``; return their number."""
        taken = 0
        for one in candidates:
            if taken == wanted:
                break
            left, right = one.pair
            counts = [self._used.get(name, 0) for name in one.pair]
            if left == right or one.pair in self._pairs or max(counts) >= self.uses:
                continue
            self._pairs.add(one.pair)
            for name, count in zip(one.pair, counts, strict=True):
                self._used[name] = count + 1
            self.found.append(one)
            taken += 1
        return taken


def by_cosine(
    names: Sequence[str],
    embedding: Embedding,
    wanted: int,
    seed: int,
    why: str,
    picker: Picker,
    ranges: int = RANGES,
    seeds: int = SEEDS,
) -> list[int]:
    """Pick pairs from equal ranges of cosine similarity, from 0 (and below) to 1.

    Return the number of pairs from each range. If a range has too few pairs, the others fill up.
    """
    place = {name: i for i, name in enumerate(embedding.names)}
    known = [name for name in names if name in place]
    if len(known) < 2:
        return [0] * ranges
    rows = np.asarray(embedding.matrix[[place[name] for name in known]], dtype=np.float32)
    keys = np.array([key_of(name, seed) for name in known], dtype=np.uint64)
    first = np.argsort(keys)[:seeds]
    kept = _least_of_ranges(rows, keys, first, ranges, max(1, -(-wanted // ranges)) * _SPARE)
    counts = [0] * ranges
    share = [wanted // ranges + (number < wanted % ranges) for number in range(ranges)]
    candidates = [
        (
            Chosen(sorted_pair(known[one], known[other]), why, round(cosine, 4))
            for one, other, cosine in kept[number]
        )
        for number in range(ranges)
    ]
    # Start with the most similar pairs: they are few, and their names must still be unused.
    for number in reversed(range(ranges)):
        counts[number] += picker.take(candidates[number], share[number])
    missing = wanted - sum(counts)
    for number in reversed(range(ranges)):
        more = picker.take(candidates[number], missing)
        counts[number] += more
        missing -= more
    return counts


def _least_of_ranges(
    rows: NDArray[np.float32], keys: Keys, first: NDArray[np.intp], ranges: int, most: int
) -> list[list[tuple[int, int, float]]]:
    """Return for each range the pairs with the smallest keys, ordered by key."""
    best: list[list[tuple[int, int, int, float]]] = [[] for _ in range(ranges)]
    height = max(1, _BLOCK // len(keys))
    for start in range(0, len(first), height):
        block = first[start : start + height]
        cosine = rows[block] @ rows.T
        ours, theirs = keys[block][:, None], keys[None, :]
        # The key of (a, b) is that of (b, a).
        pair = mixed(np.minimum(ours, theirs) ^ mixed(np.maximum(ours, theirs)))
        number = np.clip((cosine * ranges).astype(np.int64), 0, ranges - 1)
        number[np.arange(len(block)), block] = -1
        for one in range(ranges):
            flat = np.flatnonzero(number == one)
            values = pair.ravel()[flat]
            if len(flat) > most:
                near = np.argpartition(values, most)[:most]
                flat, values = flat[near], values[near]
            left, right = np.divmod(flat, len(keys))
            columns = (values, block[left], right, cosine.ravel()[flat])
            merged = {tuple(sorted(row[1:3])): row for row in best[one]}
            for row in zip(*(column.tolist() for column in columns), strict=True):
                merged[tuple(sorted(row[1:3]))] = row
            best[one] = sorted(merged.values())[:most]
    return [[(a, b, value) for _, a, b, value in mine] for mine in best]


def at_random(names: Sequence[str], wanted: int, seed: int, picker: Picker) -> int:
    """Pick pairs of random names; return their number."""
    if len(names) < 2:
        return 0
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(names), size=(wanted * _SPARE, 2)).tolist()
    pairs = (Chosen(sorted_pair(names[a], names[b]), "random") for a, b in drawn)
    return picker.take(pairs, wanted)


def synonyms() -> dict[str, frozenset[str]]:
    """Return the shipped list of words with their synonyms in code."""
    text = files(__package__).joinpath("synonyms.txt").read_text(encoding="utf-8")
    return read_synonyms(text)


def read_synonyms(text: str) -> dict[str, frozenset[str]]:
    """Parse a list of synonyms: a group of words on each line; ``#`` begins a comment."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        group = line.partition("#")[0].lower().split()
        for word in group:
            found.setdefault(word, set()).update(one for one in group if one != word)
    return {word: frozenset(others) for word, others in found.items()}


def by_synonyms(
    names: Sequence[str],
    known: Mapping[str, frozenset[str]],
    wanted: int,
    seed: int,
    picker: Picker,
) -> int:
    """Pick pairs that differ in one word by a synonym: ``startTime, beginTime``.

    Capitals and signs must be the same in both: ``START`` and ``_begin`` are no such pair.
    """
    there = set(names)
    found: set[Pair] = set()
    for name in names:
        for changed in _changed(name, known):
            if changed in there:
                found.add(sorted_pair(name, changed))
    ordered = sorted(found, key=lambda pair: (int(key_of(" ".join(pair), seed)), pair))
    return picker.take((Chosen(pair, "synonyms") for pair in ordered), wanted)


def _changed(name: str, known: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the name with each word replaced by each synonym, capitalised like the word."""
    start = 0
    for word in subtokens(name):
        start = name.index(word, start)
        for other in sorted(known.get(word.lower(), ())):
            spelt = other.capitalize() if word[0].isupper() else other
            if word.isupper() and len(word) > 1:
                spelt = other.upper()
            yield name[:start] + spelt + name[start + len(word) :]
        start += len(word)


LINES, CONTEXTS = 5, 5
BLANK = "_____"
# Maximum length of a line in a context: nobody reads longer lines in a survey.
LONGEST = 160
# Minimum number of lines in a context that are not empty.
LEAST = 3


@dataclass(frozen=True, slots=True, order=True)
class Context:
    """Code around a name; ``line`` is its first line in the file, ``key`` its sampling key."""

    key: int
    sha256: str
    line: int
    language: str
    text: str


def contexts(
    corpora: Sequence[Corpus],
    names: Sequence[str],
    engine: Engine,
    seed: int = 0,
    wanted: int = CONTEXTS,
    step: Progress = ignore_progress,
) -> dict[str, list[Context]]:
    """Return for each name at most ``wanted`` pieces of code around it, with the name blanked.

    IdBench, section II-A, b and c. Every occurrence of the name as a whole word is blanked, in
    comments and strings, too, always by the same blank, so that its length reveals nothing.
    Contexts are sampled by hash, from as many files as possible; two of one file do not overlap.
    """
    work = partial(_drawn, frozenset(names), seed, wanted)
    results, _ = worked(work, chosen(corpora, LANGUAGES).stretches, engine, "contexts", step)
    found: dict[str, list[Context]] = {name: [] for name in names}
    for part in results:
        for name, mine in part.items():
            found[name] += mine
    return {name: _picked(sorted(mine), wanted) for name, mine in found.items()}


def _drawn(
    names: frozenset[str], seed: int, wanted: int, stretch: Stretch
) -> Mapping[str, list[Context]]:
    """Return at most ``limit`` contexts for each name, sampled from some files."""
    found: dict[str, list[Context]] = {}
    for sha256, language, source in read(stretch):
        named = identifiers_of(language, source)
        if not names.intersection(named.words):
            continue
        starts = np.concatenate([[0], line_starts(source)])
        lines = [line.decode("utf-8", "replace") for line in re.split(rb"\r\n|\r|\n", source)]
        for place, word in enumerate(named.words):
            if word not in names:
                continue
            mine = np.flatnonzero(named.word == place)
            at = np.unique(np.searchsorted(starts, named.start[mine], side="right") - 1)
            keys = mixed(at.astype(np.uint64) ^ np.uint64(int(sha256[:15], 16) ^ seed))
            taken: list[Context] = []
            for one in np.argsort(keys).tolist():
                first = max(0, min(int(at[one]) - LINES // 2, len(lines) - LINES))
                text = _shown(lines[first : first + LINES], word)
                if text is None or any(abs(first + 1 - two.line) < LINES for two in taken):
                    continue
                taken.append(Context(int(keys[one]), sha256, first + 1, language, text))
                if len(taken) == wanted:
                    break
            found.setdefault(word, []).extend(taken)
    return found


def _shown(lines: Sequence[str], name: str) -> str | None:
    """Return the lines without their common indentation and with blanks for the name.

    Return None if the lines are too few, too long, or not printable.
    """
    lines = [line.rstrip().expandtabs(4) for line in lines]
    full = [line for line in lines if line]
    if len(lines) < LINES or len(full) < LEAST or max(map(len, full)) > LONGEST:
        return None
    if not all(line.isprintable() for line in full):
        return None
    margin = min(len(line) - len(line.lstrip()) for line in full)
    return blanked("\n".join(line[margin:] for line in lines), name)


def blanked(text: str, name: str) -> str:
    """Return the text with blanks in place of the name as a whole word.

    >>> blank_name("len = a.len + length; // len", "len")
    '_____ = a._____ + length; // _____'
    """
    return re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", BLANK, text)


def _picked(candidates: Sequence[Context], wanted: int) -> list[Context]:
    """Return the first distinct contexts of the sorted candidates, from different files first."""
    found: list[Context] = []
    texts: set[str] = set()
    for different in (True, False):
        for one in candidates:
            if len(found) == wanted:
                break
            seen = {two.sha256 for two in found} if different else set()
            if one.text not in texts and one.sha256 not in seen:
                texts.add(one.text)
                found.append(one)
    return found


@dataclass(frozen=True, slots=True)
class Wish:
    """Numbers of pairs and contexts to select.

    ``pairs`` is the total, of which ``synonyms`` differ by a synonym and ``random`` are random; the
    embeddings select the others in equal parts. Names must occur more than ``least`` times.
    """

    pairs: int = 300
    synonyms: int = 30
    random: int = 60
    least: int = 50
    contexts: int = CONTEXTS
    seed: int = 0


def select(
    corpora: Sequence[Corpus],
    embeddings: Mapping[str, Embedding],
    synonyms: Mapping[str, frozenset[str]],
    wish: Wish,
    engine: Engine,
    step: Progress = ignore_progress,
) -> dict[str, Json]:
    """Return the selection as JSON; the same arguments give the same selection."""
    frequent = occurrences(corpora, engine, step).more_than(wish.least)
    if len(frequent.names) < 2:
        raise CodeacumenError(
            f"no two identifiers occur more than {wish.least} times",
            "use a larger corpus, or a smaller number for --least",
        )
    picker = Picker()
    ranges = choose(frequent.names, embeddings, synonyms, wish, picker)
    names = sorted({name for one in picker.found for name in one.pair})
    code = contexts(corpora, names, engine, wish.seed, wish.contexts, step)
    place = {name: i for i, name in enumerate(frequent.names)}
    return {
        "wish": asdict(wish),
        "files": frequent.files,
        "frequent_identifiers": len(frequent.names),
        "ranges": ranges,
        "pairs": [
            {
                "left": one.pair[0],
                "right": one.pair[1],
                "why": one.why,
                **({} if one.cosine is None else {"cosine": one.cosine}),
            }
            for one in sorted(picker.found, key=lambda one: one.pair)
        ],
        "identifiers": [
            {"name": name, **_counts(frequent, place[name]), "contexts": _told(code[name])}
            for name in names
        ],
    }


def choose(
    names: Sequence[str],
    embeddings: Mapping[str, Embedding],
    synonyms: Mapping[str, frozenset[str]],
    wish: Wish,
    picker: Picker,
) -> dict[str, list[int]]:
    """Pick pairs of these names; return for each embedding the number of pairs of each range.

    If embeddings and synonyms have too few pairs, random pairs fill up.
    """
    by_synonyms(names, synonyms, min(wish.synonyms, wish.pairs), wish.seed, picker)
    rest = max(0, wish.pairs - wish.random - len(picker.found))
    found: dict[str, list[int]] = {}
    for number, (name, embedding) in enumerate(embeddings.items()):
        share = rest // len(embeddings) + (number < rest % len(embeddings))
        # Each has its own seed, so that two embeddings do not start from the same names.
        found[name] = by_cosine(names, embedding, share, wish.seed + 1 + number, name, picker)
    at_random(names, wish.pairs - len(picker.found), wish.seed, picker)
    return found


def _counts(found: Occurrences, place: int) -> dict[str, Json]:
    by_language, by_role = found.counts[place].sum(axis=1), found.counts[place].sum(axis=0)
    return {
        "occurrences": dict(zip(LANGUAGES, by_language.tolist(), strict=True)),
        "roles": dict(zip(ROLES, by_role.tolist(), strict=True)),
        "role": found.role(place),
    }


def _told(found: Sequence[Context]) -> list[dict[str, Json]]:
    return [
        {
            "id": f"{one.sha256[:12]}:{one.line}",
            "file": one.sha256,
            "line": one.line,
            "language": one.language,
            "text": one.text,
        }
        for one in found
    ]
