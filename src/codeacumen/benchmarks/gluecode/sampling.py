"""Sample the methods of a task, and find near-duplicates.

Each split gets as many methods as in Table 1 of the paper where the corpus has enough, with
balanced classes where the paper's are. All functions work on arrays. Each method has a sampling
number that depends on the seed, a key and the method's id alone, and the smallest numbers are
sampled. So a sample does not depend on other methods, their order or the number of workers, and a
growing corpus keeps most of it.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.languages.kernel import STEP, mixed
from codeacumen.text.columns import Ragged

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus

SamplingNumbers: TypeAlias = NDArray[np.uint64]
Positions: TypeAlias = NDArray[np.int64]
Families: TypeAlias = NDArray[np.int64]

# Only about 23,000 of a million names have fewer letters than this, as in the paper.
SHORTEST_NAME, SHORT_SHARE = 4, 0.023
# Share of methods without a warning among the instances of the null token task.
NEGATIVES = 0.2
NO_CLASS = -1


def sampling_number(seed: int, key: str, method: bytes) -> int:
    """Return the sampling number of one method; ``method`` is its id's sixteen bytes."""
    ids = np.frombuffer(method, dtype=np.uint8).reshape(1, 16)
    return int(sampling_numbers(seed, key, ids)[0])


def sampling_numbers(seed: int, key: str, methods: NDArray[np.uint8]) -> SamplingNumbers:
    """Return the sampling numbers of methods; a row of ``methods`` is an id's sixteen bytes."""
    digest = hashlib.sha256(f"{seed}\0{key}".encode()).digest()
    salt = int.from_bytes(digest[:8], "big")
    halves = np.ascontiguousarray(methods).view(">u8").reshape(-1, 2).astype(np.uint64)
    second = mixed((halves[:, 1] ^ np.uint64(salt)) + STEP)
    return mixed((halves[:, 0] ^ second) + STEP)


@dataclass(frozen=True, slots=True)
class Sample:
    """Ascending ``positions`` of sampled methods, and each one's class in ``label``.

    ``missing`` are the classes that no method has.
    """

    positions: Positions
    label: NDArray[np.int64]
    wanted: int
    missing: tuple[int, ...] = ()


def sample_balanced(
    label: NDArray[np.int64], numbers: SamplingNumbers, classes: int, size: int
) -> Sample:
    """Sample equally many methods of each class; ``label`` is -1 where a method has none.

    A class that no method has is ignored, because otherwise the balanced sample would be empty.
    """
    return sample_one_class_each(label[:, None] == np.arange(classes), numbers, size)


def sample_one_class_each(has: NDArray[np.bool_], numbers: SamplingNumbers, size: int) -> Sample:
    """Sample equally many methods of each class, where a method may have several but serves one.

    The rarest class is sampled first, so that frequent classes do not take its methods.
    """
    counts = has.sum(axis=0)
    order = np.argsort(numbers, kind="stable")
    present = [class_ for class_ in np.argsort(counts, kind="stable").tolist() if counts[class_]]
    missing = tuple(class_ for class_ in range(has.shape[1]) if not counts[class_])
    each = size // has.shape[1]
    wanted = each * has.shape[1]
    most = min([each, *(int(counts[class_]) for class_ in present)]) if present else 0
    # The largest number that all classes reach; feasibility falls with it, so bisect.
    each = bisect_left(
        range(1, most + 1), True, key=lambda n: not _all_classes_have(has[order], present, n)
    )
    label = np.full(len(numbers), NO_CLASS, dtype=np.int64)
    label[order] = _assign_classes(has[order], present, each)
    positions = np.flatnonzero(label != NO_CLASS)
    return Sample(positions, label[positions], wanted, missing)


def _all_classes_have(has: NDArray[np.bool_], present: Sequence[int], each: int) -> bool:
    assigned = _assign_classes(has, present, each)
    return all(int((assigned == class_).sum()) == each for class_ in present)


def _assign_classes(has: NDArray[np.bool_], present: Sequence[int], each: int) -> NDArray[np.int64]:
    """Return the class each method is sampled for, -1 for none.

    Methods are in the order of their sampling numbers.
    """
    assigned = np.full(len(has), NO_CLASS, dtype=np.int64)
    for class_ in present:
        free = np.flatnonzero(has[:, class_] & (assigned == NO_CLASS))
        assigned[free[:each]] = class_
    return assigned


def take_first(eligible: NDArray[np.bool_], numbers: SamplingNumbers, size: int) -> Positions:
    """Return the ascending positions of the eligible methods with the smallest sampling numbers."""
    positions = np.flatnonzero(eligible)
    first = positions[np.argsort(numbers[positions], kind="stable")[:size]]
    return np.sort(first)


def sample_plain(eligible: NDArray[np.bool_], numbers: SamplingNumbers, size: int) -> Sample:
    """Sample eligible methods without labels."""
    return _unlabelled(take_first(eligible, numbers, size), size)


def sample_names(
    named: NDArray[np.bool_], letters: NDArray[np.int32], numbers: SamplingNumbers, size: int
) -> Sample:
    """Sample methods for naming, with a small share of short names as in the paper."""
    short = letters < SHORTEST_NAME
    few = round(size * SHORT_SHARE)
    long_names = take_first(named & ~short, numbers, size - few)
    share = SHORT_SHARE / (1 - SHORT_SHARE)
    short_names = take_first(named & short, numbers, min(few, round(len(long_names) * share)))
    return _unlabelled(np.sort(np.concatenate([long_names, short_names])), size)


def _unlabelled(positions: Positions, wanted: int) -> Sample:
    return Sample(positions, np.zeros(len(positions), dtype=np.int64), wanted)


def sample_warnings(
    with_warning: NDArray[np.bool_],
    without: NDArray[np.bool_],
    numbers: SamplingNumbers,
    size: int,
) -> Sample:
    """Sample methods with a warning, labelled 1, and a fifth without, labelled 0."""
    none = round(size * NEGATIVES)
    positive = take_first(with_warning, numbers, size - none)
    most = min(none, round(len(positive) * NEGATIVES / (1 - NEGATIVES)))
    negative = take_first(without, numbers, most)
    positions = np.sort(np.concatenate([positive, negative]))
    return Sample(positions, with_warning[positions].astype(np.int64), size)


def duplicate_families(corpus: Corpus) -> Families:
    """Return, for each method of a corpus, the number of its first near-duplicate or its own.

    A model that has seen a near-duplicate in training can answer from memory. Methods of some
    length are near-duplicates if they share most of their token n-grams (``corpus/duplicates``),
    shorter ones only if all tokens are equal.
    """
    from codeacumen.corpus.audit import tokens_of
    from codeacumen.corpus.duplicates import SHORTEST, near_duplicates

    if "tokens" not in corpus.stored:
        raise CodeacumenError(
            f"the corpus in {corpus.folder} was built without the view tokens, which the search "
            "for near-duplicates needs",
            "build it again with --view tokens among its views",
        )
    tokens = tokens_of(corpus)
    families = near_duplicates(tokens).cluster.copy()
    short = np.flatnonzero(np.diff(tokens.offsets) < SHORTEST)
    first: dict[bytes, int] = {}
    for method in short.tolist():
        # A method without a body has no tokens, and no near-duplicate.
        content = _token_bytes(tokens, method)
        if content:
            families[method] = first.setdefault(content, method)
    return families


def _token_bytes(tokens: Ragged, method: int) -> bytes:
    return bytes(tokens.values[tokens.offsets[method] : tokens.offsets[method + 1]].tobytes())


def have_duplicate_in(
    families: Families, methods: NDArray[np.bool_], others: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return a mask of the methods that have a near-duplicate among the others."""
    duplicated: NDArray[np.bool_] = np.isin(families, np.unique(families[others]))
    return methods & duplicated
