"""The path-based embedding: skip-gram over identifiers and their contexts in the syntax tree.

A context is a path from the identifier's leaf to another leaf, with the word at that leaf, as one
hash. Each path is a context of both its ends. JavaScript's paths are those of
``codeacumen.languages.javascript.paths``; Java's are extracted in the same way from Java's tree
without punctuation, comments, parentheses and lists. IdBench's authors trained word2vecf on the
paths of PigeonJS, within the same limits. They do not publish their dimensions; ours are those of
their word2vec. Most contexts occur with one or two names and carry no information; contexts that
occur fewer than ten times are left out.

Training is Levy and Goldberg's generalisation of word2vec ("Dependency-based word embeddings",
ACL 2014): skip-gram with negative sampling over arbitrary pairs of words and contexts. Negative
contexts are sampled by their frequency to the power 3/4. With one thread and one stream of random
numbers, the same input gives the same vectors. Unlike in word2vec, each vector has its own learning
rate: Adagrad (Duchi et al., JMLR 2011), with one accumulator for a vector, and the rate of GloVe.
Windows have few different contexts, each very frequent; paths have many, and most occur a dozen
times. With one rate for all, either the rare contexts, and with them the names, stay close to their
initial values, all in one direction; or the vectors of the frequent contexts oscillate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import Chosen, Stretch, chosen, read, worked
from codeacumen.engines import Engine
from codeacumen.languages.abstract_tree import (
    Flags,
    LeafPaths,
    Limits,
    Treatment,
    abstract_tree,
    leaf_paths,
    leaf_words,
    symbol_hashes,
    treatment,
)
from codeacumen.languages.kernel import STEP, Words, kernel, mixed
from codeacumen.languages.syntax import Column
from codeacumen.models.embeddings.vectors import Vectors, unit

Rows = NDArray[np.float32]
Ints = NDArray[np.int32]

# Size of the table from which negative contexts are sampled.
TABLE = 1 << 22
# Pairs between two updates of the progress bar.
CHUNK = 1 << 20
# Characters of a literal that are part of its word.
LONGEST = 40
_PASSED = (
    "parenthesized_expression",
    "argument_list",
    "formal_parameters",
    "modifiers",
    "switch_block",
    "type_arguments",
    "dimensions",
    "dimensions_expr",
    "superclass",
    "super_interfaces",
    "type_list",
    "annotation_argument_list",
)
_LEFT_OUT = ("line_comment", "block_comment", "string_fragment", "escape_sequence")
_LEAVES = (
    "identifier",
    "type_identifier",
    "string_literal",
    "character_literal",
    "null_literal",
    "true",
    "false",
    "this",
    "super",
    "decimal_integer_literal",
    "hex_integer_literal",
    "octal_integer_literal",
    "binary_integer_literal",
    "decimal_floating_point_literal",
    "hex_floating_point_literal",
    "boolean_type",
    "void_type",
    "integral_type",
    "floating_point_type",
)
# The position of a child of these nodes determines its role, and is part of the path.
_PARTS = ("method_invocation", "field_access", "array_access", "assignment_expression")


def contexts_of(
    language: str, source: bytes, limits: Limits, places: dict[str, int]
) -> tuple[Column, Words]:
    """Return the pairs of a file: the index of each identifier and the hash of its context.

    New identifiers are added to ``name_indices``, the index of each identifier.
    """
    find_paths = _javascript if language == "javascript" else _java
    paths, word, words, is_name = find_paths(source, limits)
    hashes = np.fromiter(
        (
            int.from_bytes(hashlib.blake2b(_bytes(text), digest_size=8).digest(), "little")
            for text in words
        ),
        dtype=np.uint64,
        count=len(words),
    )
    names = np.full(len(words), -1, dtype=np.int32)
    for i in np.unique(word[is_name]).tolist():
        text = words[i].removeprefix("#").encode("utf-8", "replace").decode()
        names[i] = places.setdefault(text, len(places))
    one, other = word[paths.left], word[paths.right]
    forth, against = is_name[paths.left], is_name[paths.right]
    return (
        np.concatenate([names[one[forth]], names[other[against]]]),
        np.concatenate(
            [
                mixed(paths.path[forth] + STEP * hashes[other[forth]]),
                mixed(paths.back[against] + STEP * hashes[one[against]]),
            ]
        ),
    )


_Found = tuple[LeafPaths, Column, tuple[str, ...], Flags]


def _javascript(source: bytes, limits: Limits) -> _Found:
    from codeacumen.languages.javascript import parse_javascript
    from codeacumen.languages.javascript.paths import paths

    found = paths(parse_javascript(source), limits.length, limits.width, limits.most)
    between = LeafPaths(found.left, found.right, found.path, found.back)
    return between, found.word, found.words, found.is_name


def _java(source: bytes, limits: Limits) -> _Found:
    from codeacumen.languages.java import parse_java
    from codeacumen.languages.java.syntax.grammar import field, symbols

    syntax = parse_java(source)
    tree = abstract_tree(syntax, _treatment(), field("operator"))
    kind = syntax.kind[tree.node]
    shows_place = np.isin(kind[np.maximum(tree.up, 0)], list(symbols(*_PARTS))) & (tree.up >= 0)
    shows_place[tree.leaf] = True
    between = leaf_paths(kind, tree, shows_place, _hashes(), limits)
    word, words = leaf_words(
        syntax, tree, lambda text: text[:LONGEST] if text[:1] in "'\"" else text
    )
    is_name = np.isin(kind[tree.leaf], list(symbols("identifier", "type_identifier")))
    return between, word, words, is_name


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=1)
def _treatment() -> Treatment:
    from codeacumen.languages.java import language
    from codeacumen.languages.java.syntax.grammar import symbols

    return treatment(language(), symbols(*_LEFT_OUT), symbols(*_PASSED), symbols(*_LEAVES))


@lru_cache(maxsize=1)
def _hashes() -> Words:
    from codeacumen.languages.java import language

    return symbol_hashes(language())


def noise(counts: NDArray[np.int64], places: int = TABLE) -> Ints:
    """Return a table of ``size`` contexts, each repeated by its count to the power 3/4."""
    shares = np.cumsum(counts.astype(np.float64) ** 0.75)
    ends = np.round(shares / shares[-1] * places).astype(np.int64)
    return np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(ends, prepend=0))


def kept_shares(counts: NDArray[np.int64], sample: float) -> Rows:
    """Return the probability of keeping an occurrence of each word (word2vec's subsampling)."""
    share = counts / max(1, counts.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.sqrt(sample / share) + sample / share
    return np.where(counts > 0, np.minimum(kept, 1.0), 1.0).astype(np.float32)


def skip_gram(
    word: Ints,
    context: Ints,
    sizes: tuple[int, int],
    *,
    size: int,
    epochs: int,
    negative: int,
    sample: float,
    alpha: float,
    seed: int,
    step: Progress = ignore_progress,
) -> Rows:
    """Train a vector for each word; ``sizes`` are the numbers of words and of contexts."""
    words = np.bincount(word, minlength=sizes[0]).astype(np.int64)
    contexts = np.bincount(context, minlength=sizes[1]).astype(np.int64)
    random = np.random.default_rng(seed)
    # The initial length of the vectors does not depend on their dimensions.
    width = np.float32(1 / np.sqrt(size))
    rows = (random.random((sizes[0], size), dtype=np.float32) - np.float32(0.5)) * width
    others = (random.random((sizes[1], size), dtype=np.float32) - np.float32(0.5)) * width
    learned = (np.zeros(sizes[0], dtype=np.float32), np.zeros(sizes[1], dtype=np.float32))
    kept = kept_shares(words, sample) if sample else np.ones(sizes[0], dtype=np.float32)
    table, total = noise(contexts), epochs * len(word)
    state = np.array([seed * 2 + 1], dtype=np.uint64)
    for epoch in range(epochs):
        for start in range(0, len(word), CHUNK):
            done = epoch * len(word) + start
            step(f"epoch {epoch + 1} of {epochs}", done, total)
            learn(
                word[start : start + CHUNK],
                context[start : start + CHUNK],
                rows,
                others,
                *learned,
                table,
                kept,
                negative,
                np.float32(alpha),
                state,
            )
    return rows


@kernel
def learn(
    word: Ints,
    context: Ints,
    rows: Rows,
    others: Rows,
    row_sum: Rows,
    other_sum: Rows,
    table: Ints,
    kept: Rows,
    negative: int,
    rate: np.float32,
    state: NDArray[np.uint64],
) -> None:
    """Update the vectors in place by one step of Adagrad for each pair.

    ``word_square_sums`` and ``context_square_sums`` accumulate the mean squares of each vector's
    gradients; a step is divided by their root.
    """
    size = rows.shape[1]
    share, least = np.float32(1.0 / size), np.float32(1e-12)
    change = np.empty(size, dtype=np.float32)
    random = state[0]
    one, zero = np.float32(1.0), np.float32(0.0)
    for i in range(len(word)):
        mine = word[i]
        # Knuth's constants for a linear congruential generator; its high bits are good.
        random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        if (
            kept[mine] < one
            and np.float32(random >> np.uint64(40)) / np.float32(1 << 24) >= (kept[mine])
        ):
            continue
        row = rows[mine]
        square = zero
        for j in range(size):
            change[j] = zero
            square += row[j] * row[j]
        square *= share
        for k in range(negative + 1):
            target = np.int64(context[i])
            label = one
            if k > 0:
                random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                target = np.int64(table[np.int64(random >> np.uint64(33)) % len(table)])
                if target == context[i]:
                    continue
                label = zero
            other = others[target]
            # Four independent sums, so that the compiler can vectorise the loop.
            a, b, c, d = zero, zero, zero, zero
            j = 0
            while j + 4 <= size:
                a += row[j] * other[j]
                b += row[j + 1] * other[j + 1]
                c += row[j + 2] * other[j + 2]
                d += row[j + 3] * other[j + 3]
                j += 4
            while j < size:
                a += row[j] * other[j]
                j += 1
            value = (a + b) + (c + d)
            value = min(max(value, np.float32(-30.0)), np.float32(30.0))
            error = label - one / (one + np.exp(-value))
            other_sum[target] += error * error * square
            step = error * rate / np.sqrt(other_sum[target] + least)
            for j in range(size):
                change[j] += error * other[j]
                other[j] += step * row[j]
        square = zero
        for j in range(size):
            square += change[j] * change[j]
        row_sum[mine] += square * share
        step = rate / np.sqrt(row_sum[mine] + least)
        for j in range(size):
            row[j] += step * change[j]
    state[0] = random


KIND = "paths"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the path-based embedding.

    Identifiers that occur in fewer than ``min_count`` pairs are left out, and contexts that occur
    in fewer than ``least_context``. ``limit`` is the maximum number of pairs, in a random sample of
    the files (0: all).
    """

    size: int = 100
    epochs: int = 3
    min_count: int = 3
    least_context: int = 10
    negative: int = 5
    sample: float = 6e-5
    alpha: float = 0.05
    length: int = 7
    width: int = 3
    most: int = 200
    limit: int = 100_000_000
    seed: int = 0


def settings_of(**changes: Any) -> Settings:
    return replace(
        Settings(), **{name: value for name, value in changes.items() if value is not None}
    )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of names and contexts, file by file in the order of the files' hashes.

    ``word`` and ``context`` are indices: of ``names``, and of ``contexts`` different contexts.
    """

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    names: list[str]
    count: NDArray[np.int64]
    contexts: int
    left_out: int = 0


def train(
    corpora: Sequence[Corpus],
    settings: Settings,
    engine: Engine,
    step: Progress = ignore_progress,
) -> Vectors:
    """Train the vectors of the identifiers of some corpora.

    The pairs are not cached: extracting them takes less time than training.
    """
    from codeacumen.models.embeddings.trained import metadata

    files = chosen(corpora, ("java", "javascript"))
    pairs = pairs_of(files, settings, engine, step)
    if not len(pairs.word):
        raise CodeacumenError(
            f"no name occurs {settings.min_count} times or more in a context that occurs "
            f"{settings.least_context} times or more",
            "train on a larger corpus",
        )
    rows = skip_gram(
        pairs.word,
        pairs.context,
        (len(pairs.names), pairs.contexts),
        size=settings.size,
        epochs=settings.epochs,
        negative=settings.negative,
        sample=settings.sample,
        alpha=settings.alpha,
        seed=settings.seed,
        step=step,
    )
    step("trained", 1, 1)
    told = metadata(KIND, files, settings, len(pairs.word))
    return Vectors(pairs.names, unit(rows), pairs.count.tolist(), told)


@dataclass(frozen=True, slots=True)
class _Read:
    """Pairs of a stretch of files: each file's hash, words (indices of ``names``) and contexts."""

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
    files: Chosen,
    settings: Settings,
    engine: Engine,
    step: Progress = ignore_progress,
) -> Pairs:
    """Return all pairs that are frequent enough, of as many files as the limit allows."""
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
        if settings.limit and total >= settings.limit:
            break
        taken.append(contents[sha256])
        total += len(taken[-1][0])
    del contents, results
    word = np.concatenate([words for words, _ in taken] or [np.zeros(0, dtype=np.int32)])
    context = np.concatenate([hashes for _, hashes in taken] or [np.zeros(0, dtype=np.uint64)])
    del taken
    least = settings.min_count, settings.least_context
    return _canonical(word, context, list(places), least, left_out)


def _canonical(
    word: NDArray[np.int32], context: Words, names: list[str], least: tuple[int, int], left_out: int
) -> Pairs:
    """Renumber names and contexts independently of the order of reading, without the rare ones.

    Names are ordered by count, then alphabetically; contexts by their hashes.
    """
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
        new_word[word],
        new_context[number].astype(np.int32),
        [names[i] for i in order],
        count[order],
        int(often.sum()) if len(known) else 0,
        left_out,
    )
