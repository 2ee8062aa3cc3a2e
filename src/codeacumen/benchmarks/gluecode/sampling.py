"""Sample the methods of a task, and find near-duplicates.

Each split gets as many methods as in Table 1 of the paper where the corpus has enough, with
balanced classes where the paper's are. All functions work on arrays with one value per method. Each
method has a sampling number, a hash of the seed, the task's key and the method's id; the methods
with the smallest numbers are sampled. So a sample does not depend on the order of the methods or
the number of workers, and a growing corpus keeps most of it.
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
from codeacumen.languages.kernel import STEP, mix_bits
from codeacumen.text.columns import Ragged

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus

SamplingNumbers: TypeAlias = NDArray[np.uint64]
# Indices of methods.
Positions: TypeAlias = NDArray[np.int64]
# Family of near-duplicates of each method: the number of one of them.
Families: TypeAlias = NDArray[np.int64]

# Letters below which a name is short, and the share of short names: about 23,000 of a million in
# the paper.
SHORTEST_NAME, SHORT_SHARE = 4, 0.023
# Share of methods without a warning among the instances of the null token task.
NEGATIVE_SHARE = 0.2
# Class of a method that is not sampled.
NO_CLASS = -1


def compute_sampling_number(seed: int, key: str, method: bytes) -> int:
    """Return the sampling number of one method; ``method`` is its id's sixteen bytes."""
    ids = np.frombuffer(method, dtype=np.uint8).reshape(1, 16)
    return int(compute_sampling_numbers(seed, key, ids)[0])


def compute_sampling_numbers(seed: int, key: str, methods: NDArray[np.uint8]) -> SamplingNumbers:
    """Return the sampling numbers of methods; a row of ``methods`` is an id's sixteen bytes."""
    digest = hashlib.sha256(f"{seed}\0{key}".encode()).digest()
    salt = int.from_bytes(digest[:8], "big")
    halves = np.ascontiguousarray(methods).view(">u8").reshape(-1, 2).astype(np.uint64)
    second = mix_bits((halves[:, 1] ^ np.uint64(salt)) + STEP)
    return mix_bits((halves[:, 0] ^ second) + STEP)


@dataclass(frozen=True, slots=True)
class Sample:
    """Ascending ``positions`` of sampled methods, and the number of each one's class in ``label``.

    A position is an index of the arrays that the method was sampled from. ``label`` is 0 where a
    task has no classes. ``missing`` are the classes that no method has.
    """

    positions: Positions
    label: NDArray[np.int64]
    missing: tuple[int, ...] = ()


def sample_balanced(
    label: NDArray[np.int64], numbers: SamplingNumbers, classes: int, size: int
) -> Sample:
    """Sample equally many methods of each class; ``label`` is -1 where a method has none.

    A class that no method has is ignored, because otherwise the balanced sample would be empty.
    """
    return sample_one_class_each(label[:, None] == np.arange(classes), numbers, size)


def sample_one_class_each(
    has_class: NDArray[np.bool_], numbers: SamplingNumbers, size: int
) -> Sample:
    """Sample equally many methods of each class, where a method may have several but serves one.

    ``has_class`` has the shape (methods, classes); ``size`` is the maximum number of methods of all
    classes. The rarest class is sampled first, so that frequent classes do not take its methods.
    """
    counts = has_class.sum(axis=0)
    # From here on, ``has_class[order]`` has the methods by their sampling numbers.
    order = np.argsort(numbers, kind="stable")
    present = [class_ for class_ in np.argsort(counts, kind="stable").tolist() if counts[class_]]
    missing = tuple(class_ for class_ in range(has_class.shape[1]) if not counts[class_])
    class_size = size // has_class.shape[1]
    largest_class_size = (
        min([class_size, *(int(counts[class_]) for class_ in present)]) if present else 0
    )
    # The largest number that all classes reach: a larger number is never easier, so bisect. The
    # range begins at 1, so the index of the first number out of reach is the one before it.
    class_size = bisect_left(
        range(1, largest_class_size + 1),
        True,
        key=lambda count: not _all_classes_have(has_class[order], present, count),
    )
    label = np.full(len(numbers), NO_CLASS, dtype=np.int64)
    label[order] = _assign_classes(has_class[order], present, class_size)
    positions = np.flatnonzero(label != NO_CLASS)
    return Sample(positions, label[positions], missing)


def _all_classes_have(
    has_class: NDArray[np.bool_], present: Sequence[int], class_size: int
) -> bool:
    """Return whether every present class gets ``class_size`` methods."""
    assigned = _assign_classes(has_class, present, class_size)
    return all(int((assigned == class_).sum()) == class_size for class_ in present)


def _assign_classes(
    has_class: NDArray[np.bool_], present: Sequence[int], class_size: int
) -> NDArray[np.int64]:
    """Return the class that each method is sampled for, -1 for none.

    Methods are in the order of their sampling numbers, ``present`` classes from rare to frequent.
    """
    assigned = np.full(len(has_class), NO_CLASS, dtype=np.int64)
    for class_ in present:
        free = np.flatnonzero(has_class[:, class_] & (assigned == NO_CLASS))
        assigned[free[:class_size]] = class_
    return assigned


def take_first(eligible: NDArray[np.bool_], numbers: SamplingNumbers, size: int) -> Positions:
    """Return the ascending positions of the eligible methods with the smallest sampling numbers."""
    positions = np.flatnonzero(eligible)
    first = positions[np.argsort(numbers[positions], kind="stable")[:size]]
    return np.sort(first)


def sample_plain(eligible: NDArray[np.bool_], numbers: SamplingNumbers, size: int) -> Sample:
    """Sample eligible methods without labels."""
    return _make_unlabelled_sample(take_first(eligible, numbers, size))


def sample_names(
    named: NDArray[np.bool_], letters: NDArray[np.int32], numbers: SamplingNumbers, size: int
) -> Sample:
    """Sample methods for naming, with a small share of short names as in the paper.

    ``named`` is false for constructors; ``letters`` are the lengths of the names.
    """
    short = letters < SHORTEST_NAME
    short_count = round(size * SHORT_SHARE)
    long_names = take_first(named & ~short, numbers, size - short_count)
    # With fewer long names than requested, fewer short names, so that their share stays.
    share = SHORT_SHARE / (1 - SHORT_SHARE)
    short_names = take_first(
        named & short, numbers, min(short_count, round(len(long_names) * share))
    )
    return _make_unlabelled_sample(np.sort(np.concatenate([long_names, short_names])))


def _make_unlabelled_sample(positions: Positions) -> Sample:
    return Sample(positions, np.zeros(len(positions), dtype=np.int64))


def sample_warnings(
    with_warning: NDArray[np.bool_],
    without_warning: NDArray[np.bool_],
    numbers: SamplingNumbers,
    size: int,
) -> Sample:
    """Sample methods with a warning, labelled 1, and without, labelled 0; a fifth are without.

    The first two arguments are masks of the methods that are eligible for each label.
    """
    negative_target = round(size * NEGATIVE_SHARE)
    positive = take_first(with_warning, numbers, size - negative_target)
    negative_size = min(
        negative_target, round(len(positive) * NEGATIVE_SHARE / (1 - NEGATIVE_SHARE))
    )
    negative = take_first(without_warning, numbers, negative_size)
    positions = np.sort(np.concatenate([positive, negative]))
    return Sample(positions, with_warning[positions].astype(np.int64))


def find_duplicate_families(corpus: Corpus) -> Families:
    """Return the family of each method of a corpus: equal numbers for near-duplicates.

    A model that has seen a near-duplicate in training can answer from memory. Methods of at least
    ``SHORTEST`` tokens are near-duplicates if they share most of their token n-grams
    (``corpus/duplicates``), shorter ones only if all tokens are equal.
    """
    from codeacumen.corpus.audit import load_token_codes
    from codeacumen.corpus.duplicates import SHORTEST, find_near_duplicates

    if "tokens" not in corpus.stored_tables:
        raise CodeacumenError(
            f"the corpus in {corpus.folder} was built without the view tokens, which the search "
            "for near-duplicates needs",
            "build it again with --view tokens among its views",
        )
    tokens = load_token_codes(corpus)
    families = find_near_duplicates(tokens).cluster.copy()
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


def mask_duplicates_in(
    families: Families, methods: NDArray[np.bool_], others: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the part of the mask ``methods`` that has a near-duplicate among ``others``."""
    duplicated: NDArray[np.bool_] = np.isin(families, np.unique(families[others]))
    return methods & duplicated
