"""The path-based embedding: skip-gram over identifiers and their contexts in the syntax tree.

IdBench's authors trained it with word2vecf on the paths of PigeonJS. Ours are the same kind of
paths (``_contexts``), within the same limits, and the same kind of learning (``_skipgram``). Their
dimensions are not published; ours are those of their word2vec. Most contexts occur with one name
or two and tell nothing; those that occur less than ten times are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError
from acumen.core.progress import Progress, ignore_progress
from acumen.corpus import Corpus
from acumen.engines import Engine
from acumen.lang.abstract_tree import Limits
from acumen.lang.kernel import Words
from acumen.models.embeddings._contexts import contexts_of
from acumen.models.embeddings._skipgram import skip_gram
from acumen.models.embeddings.files import Chosen, Stretch, chosen, read, worked
from acumen.models.embeddings.vectors import Vectors, unit

KIND = "paths"


@dataclass(frozen=True, slots=True)
class Settings:
    """``least``: how often an identifier occurs at least, in pairs, and ``least_context`` a
    context; ``tokens``: bounds the pairs that are learned from, of a sample of the files (0:
    all)."""

    size: int = 100
    epochs: int = 3
    least: int = 3
    least_context: int = 10
    negative: int = 5
    sample: float = 6e-5
    alpha: float = 0.05
    length: int = 7
    width: int = 3
    most: int = 200
    tokens: int = 100_000_000
    seed: int = 0


def settings_of(**changes: Any) -> Settings:
    return replace(
        Settings(), **{name: value for name, value in changes.items() if value is not None}
    )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of names and contexts, file by file in the order of their hashes. ``word`` and
    ``context`` are places; there are ``contexts`` different ones of these."""

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    names: list[str]
    count: NDArray[np.int64]
    contexts: int
    left_out: int = 0


def train(
    corpora: Sequence[Corpus], settings: Settings, engine: Engine,
    step: Progress = ignore_progress,
) -> Vectors:  # fmt: skip
    """The vectors of the identifiers of some corpora. Pairs are not kept: to read them takes less
    time than to learn from them."""
    from acumen.models.embeddings.trained import metadata

    files = chosen(corpora)
    pairs = pairs_of(files, settings, engine, step)
    if not len(pairs.word):
        raise AcumenError(
            f"no name occurs {settings.least} times or more in a context that occurs "
            f"{settings.least_context} times or more",
            "a larger corpus",
        )
    rows = skip_gram(
        pairs.word, pairs.context, (len(pairs.names), pairs.contexts), size=settings.size,
        epochs=settings.epochs, negative=settings.negative, sample=settings.sample,
        alpha=settings.alpha, seed=settings.seed, step=step,
    )  # fmt: skip
    step("trained", 1, 1)
    told = metadata(KIND, files, settings, len(pairs.word))
    return Vectors(pairs.names, unit(rows), pairs.count.tolist(), told)


@dataclass(frozen=True, slots=True)
class _Read:
    """Of a stretch: each file's hash, its words (places in ``names``) and contexts."""

    files: list[tuple[str, NDArray[np.int32], Words]]
    names: list[str]


def _work(stretch: Stretch, limits: Limits) -> _Read:
    places: dict[str, int] = {}
    files = [
        (sha256, *contexts_of(language, source, limits, places))
        for sha256, language, source in read(stretch)
    ]
    return _Read(files, list(places))


def pairs_of(
    files: Chosen, settings: Settings, engine: Engine,
    step: Progress = ignore_progress,
) -> Pairs:  # fmt: skip
    """All pairs that occur often enough, of as many files as the bound allows."""
    work = partial(_work, limits=Limits(settings.length, settings.width, settings.most))
    results, left_out = worked(work, files.stretches, engine, "paths", step)
    places: dict[str, int] = {}
    contents: dict[str, tuple[NDArray[np.int32], Words]] = {}
    for found in results:
        numbers = np.fromiter(
            (places.setdefault(name, len(places)) for name in found.names),
            dtype=np.int32,
            count=len(found.names),
        )
        contents |= {sha256: (numbers[word], context) for sha256, word, context in found.files}
    taken: list[tuple[NDArray[np.int32], Words]] = []
    total = 0
    for sha256 in sorted(contents):
        if settings.tokens and total >= settings.tokens:
            break
        taken.append(contents[sha256])
        total += len(taken[-1][0])
    del contents, results
    word = np.concatenate([one for one, _ in taken] or [np.zeros(0, dtype=np.int32)])
    context = np.concatenate([one for _, one in taken] or [np.zeros(0, dtype=np.uint64)])
    del taken
    least = settings.least, settings.least_context
    return _canonical(word, context, list(places), least, left_out)


def _canonical(
    word: NDArray[np.int32], context: Words, names: list[str], least: tuple[int, int], left_out: int
) -> Pairs:
    """Numbers that do not depend on who read what, without what is too rare. Names by count, then
    by themselves; contexts by their hashes."""
    known, number, times = np.unique(context, return_inverse=True, return_counts=True)
    often = times >= least[1]
    count = np.bincount(word, minlength=len(names))
    good = often[number] & (count[word] >= least[0])
    word, number = word[good], number[good]
    count = np.bincount(word, minlength=len(names)).astype(np.int64)
    order = np.flatnonzero(count).tolist()
    order.sort(key=lambda i: (-count[i], names[i]))
    new_word = np.full(len(names), -1, dtype=np.int32)
    new_word[order] = np.arange(len(order), dtype=np.int32)
    new_context = np.cumsum(often, dtype=np.int64) - 1
    return Pairs(
        new_word[word], new_context[number].astype(np.int32), [names[i] for i in order],
        count[order], int(often.sum()) if len(known) else 0, left_out,
    )  # fmt: skip
