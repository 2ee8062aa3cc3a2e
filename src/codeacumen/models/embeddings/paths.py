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
from codeacumen.corpus.files import (
    SelectedFiles,
    ShardFiles,
    process_files,
    read_files,
    select_files,
)
from codeacumen.engines import Engine
from codeacumen.languages.abstract_tree import (
    Flags,
    LeafPaths,
    Limits,
    Treatment,
    build_abstract_tree,
    find_leaf_paths,
    hash_symbols,
    make_treatment,
    number_leaf_words,
)
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS
from codeacumen.languages.kernel import STEP, Words, kernel, mix_bits
from codeacumen.languages.syntax import Column
from codeacumen.models.embeddings.vectors import Vectors, normalize_rows

Rows = NDArray[np.float32]
Ints = NDArray[np.int32]

# Number of entries of the table from which negative contexts are sampled.
TABLE = 1 << 22
# Pairs between two updates of the progress bar.
CHUNK = 1 << 20
# Characters of a literal that are part of its word.
LONGEST = 40
# Kinds of nodes of Java's grammar that are passed through, left out, and leaves of the tree.
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
    *NUMBER_LITERALS,
    "boolean_type",
    "void_type",
    "integral_type",
    "floating_point_type",
)
# The position of a child of these nodes determines its role, and is part of the path.
_PARTS = ("method_invocation", "field_access", "array_access", "assignment_expression")


def extract_contexts(
    language: str, source: bytes, limits: Limits, name_indices: dict[str, int]
) -> tuple[Column, Words]:
    """Return the pairs of a file: the index of each identifier and the hash of its context.

    ``name_indices`` maps identifiers to indices; new identifiers are added to it.
    """
    find_paths = _extract_javascript_paths if language == "javascript" else _extract_java_paths
    paths, word, words, is_name = find_paths(source, limits)
    digests = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in words
    )
    hashes = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
    # For each word its index by ``name_indices``; -1 for words that are no names.
    names = np.full(len(words), -1, dtype=np.int32)
    for i in np.unique(word[is_name]).tolist():
        # JavaScript marks private names with #.
        text = words[i].removeprefix("#").encode("utf-8", "replace").decode()
        names[i] = name_indices.setdefault(text, len(name_indices))
    left_word, right_word = word[paths.left], word[paths.right]
    left_is_name, right_is_name = is_name[paths.left], is_name[paths.right]
    return (
        np.concatenate([names[left_word[left_is_name]], names[right_word[right_is_name]]]),
        np.concatenate(
            [
                mix_bits(paths.path[left_is_name] + STEP * hashes[right_word[left_is_name]]),
                mix_bits(paths.back[right_is_name] + STEP * hashes[left_word[right_is_name]]),
            ]
        ),
    )


# The paths of a file, the index of each leaf's word, the words, and for each leaf if it is a name.
_FilePaths = tuple[LeafPaths, Column, tuple[str, ...], Flags]


def _extract_javascript_paths(source: bytes, limits: Limits) -> _FilePaths:
    from codeacumen.languages.javascript import parse_javascript
    from codeacumen.languages.javascript.paths import find_javascript_paths

    extracted = find_javascript_paths(
        parse_javascript(source), limits.length, limits.width, limits.most
    )
    leaf_pairs = LeafPaths(extracted.left, extracted.right, extracted.path, extracted.back)
    return leaf_pairs, extracted.word, extracted.words, extracted.is_name


def _extract_java_paths(source: bytes, limits: Limits) -> _FilePaths:
    from codeacumen.languages.java import parse_java
    from codeacumen.languages.java.syntax.grammar import field_number, find_symbols

    syntax = parse_java(source)
    tree = build_abstract_tree(syntax, _load_treatment(), field_number("operator"))
    kind = syntax.kind[tree.node]
    shows_position = np.isin(kind[np.maximum(tree.parent, 0)], list(find_symbols(*_PARTS))) & (
        tree.parent >= 0
    )
    shows_position[tree.leaf] = True
    leaf_pairs = find_leaf_paths(kind, tree, shows_position, _load_symbol_hashes(), limits)
    word, words = number_leaf_words(
        syntax, tree, lambda text: text[:LONGEST] if text[:1] in "'\"" else text
    )
    is_name = np.isin(kind[tree.leaf], list(find_symbols("identifier", "type_identifier")))
    return leaf_pairs, word, words, is_name


@lru_cache(maxsize=1)
def _load_treatment() -> Treatment:
    from codeacumen.languages.java import load_grammar
    from codeacumen.languages.java.syntax.grammar import find_symbols

    return make_treatment(
        load_grammar(), find_symbols(*_LEFT_OUT), find_symbols(*_PASSED), find_symbols(*_LEAVES)
    )


@lru_cache(maxsize=1)
def _load_symbol_hashes() -> Words:
    from codeacumen.languages.java import load_grammar

    return hash_symbols(load_grammar())


def make_noise_table(counts: NDArray[np.int64], size: int = TABLE) -> Ints:
    """Return a table of ``size`` contexts, each in proportion to its count to the power 3/4."""
    shares = np.cumsum(counts.astype(np.float64) ** 0.75)
    ends = np.round(shares / shares[-1] * size).astype(np.int64)
    return np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(ends, prepend=0))


def compute_keep_probabilities(counts: NDArray[np.int64], sample: float) -> Rows:
    """Return the probability of keeping an occurrence of each word (word2vec's subsampling).

    Words whose share of all occurrences is above about ``sample`` are downsampled.
    """
    share = counts / max(1, counts.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        probability = np.sqrt(sample / share) + sample / share
    return np.where(counts > 0, np.minimum(probability, 1.0), 1.0).astype(np.float32)


def train_skip_gram(
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
    progress: Progress = ignore_progress,
) -> Rows:
    """Return a vector for each word (words, ``size``), trained on pairs of words and contexts.

    ``word`` and ``context`` are the indices of each pair, ``sizes`` the numbers of different words
    and contexts. ``negative`` contexts are sampled for each pair, ``alpha`` is the learning rate,
    and ``sample`` is as in ``compute_keep_probabilities`` (0: keep all).
    """
    word_counts = np.bincount(word, minlength=sizes[0]).astype(np.int64)
    context_counts = np.bincount(context, minlength=sizes[1]).astype(np.int64)
    generator = np.random.default_rng(seed)
    # The initial length of the vectors does not depend on their dimensions.
    scale = np.float32(1 / np.sqrt(size))
    word_rows = (generator.random((sizes[0], size), dtype=np.float32) - np.float32(0.5)) * scale
    context_rows = (generator.random((sizes[1], size), dtype=np.float32) - np.float32(0.5)) * scale
    square_sums = (np.zeros(sizes[0], dtype=np.float32), np.zeros(sizes[1], dtype=np.float32))
    keep_probabilities = (
        compute_keep_probabilities(word_counts, sample)
        if sample
        else np.ones(sizes[0], dtype=np.float32)
    )
    table, total = make_noise_table(context_counts), epochs * len(word)
    state = np.array([seed * 2 + 1], dtype=np.uint64)
    for epoch in range(epochs):
        for start in range(0, len(word), CHUNK):
            done = epoch * len(word) + start
            progress(f"epoch {epoch + 1} of {epochs}", done, total)
            update_vectors(
                word[start : start + CHUNK],
                context[start : start + CHUNK],
                word_rows,
                context_rows,
                *square_sums,
                table,
                keep_probabilities,
                negative,
                np.float32(alpha),
                state,
            )
    return word_rows


@kernel
def update_vectors(
    word: Ints,
    context: Ints,
    word_rows: Rows,
    context_rows: Rows,
    word_square_sums: Rows,
    context_square_sums: Rows,
    table: Ints,
    keep_probabilities: Rows,
    negative: int,
    rate: np.float32,
    state: NDArray[np.uint64],
) -> None:
    """Update the vectors in place by one step of Adagrad for each pair.

    ``word_square_sums`` and ``context_square_sums`` accumulate the mean squares of each vector's
    gradients; a step is divided by their root. ``table`` is that of ``make_noise_table``. ``state``
    has one number, the state of the random generator, which is updated, too.
    """
    size = word_rows.shape[1]
    inverse_size, epsilon = np.float32(1.0 / size), np.float32(1e-12)
    word_change = np.empty(size, dtype=np.float32)
    random = state[0]
    one32, zero32 = np.float32(1.0), np.float32(0.0)
    for i in range(len(word)):
        word_index = word[i]
        # Knuth's constants for a linear congruential generator; its high bits are good.
        random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        # The 24 highest bits are a random number from 0 to 1.
        if (
            keep_probabilities[word_index] < one32
            and np.float32(random >> np.uint64(40)) / np.float32(1 << 24)
            >= (keep_probabilities[word_index])
        ):
            continue
        word_row = word_rows[word_index]
        square = zero32
        for j in range(size):
            word_change[j] = zero32
            square += word_row[j] * word_row[j]
        square *= inverse_size
        for k in range(negative + 1):
            context_index = np.int64(context[i])
            label = one32
            if k > 0:
                random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                context_index = np.int64(table[np.int64(random >> np.uint64(33)) % len(table)])
                if context_index == context[i]:
                    continue
                label = zero32
            context_row = context_rows[context_index]
            # Four independent sums, so that the compiler can vectorise the loop.
            a, b, c, d = zero32, zero32, zero32, zero32
            j = 0
            while j + 4 <= size:
                a += word_row[j] * context_row[j]
                b += word_row[j + 1] * context_row[j + 1]
                c += word_row[j + 2] * context_row[j + 2]
                d += word_row[j + 3] * context_row[j + 3]
                j += 4
            while j < size:
                a += word_row[j] * context_row[j]
                j += 1
            score = (a + b) + (c + d)
            score = min(max(score, np.float32(-30.0)), np.float32(30.0))
            error = label - one32 / (one32 + np.exp(-score))
            # The gradient of the context's vector is error * word_row, so its mean square is this.
            context_square_sums[context_index] += error * error * square
            step = error * rate / np.sqrt(context_square_sums[context_index] + epsilon)
            for j in range(size):
                word_change[j] += error * context_row[j]
                context_row[j] += step * word_row[j]
        square = zero32
        for j in range(size):
            square += word_change[j] * word_change[j]
        word_square_sums[word_index] += square * inverse_size
        step = rate / np.sqrt(word_square_sums[word_index] + epsilon)
        for j in range(size):
            word_row[j] += step * word_change[j]
    state[0] = random


KIND = "paths"


@dataclass(frozen=True, slots=True)
class PathSettings:
    """Settings of the path-based embedding.

    Identifiers that occur in fewer than ``min_count`` pairs are left out, and contexts that occur
    in fewer than ``least_context``. ``length``, ``width`` and ``most`` are the ``Limits`` of paths.
    ``limit`` is the number of pairs after which no further file is used, in a random sample of the
    files (0: all). The other settings are those of ``train_skip_gram``.
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


def make_settings(**changes: Any) -> PathSettings:
    """Return the default settings with changes; None leaves a setting as it is."""
    return replace(
        PathSettings(), **{name: value for name, value in changes.items() if value is not None}
    )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of names and contexts, file by file in the order of the files' hashes.

    ``word`` are indices of ``names``, ``context`` those of ``contexts`` different contexts.
    ``count`` is the number of pairs of each name.
    """

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    names: list[str]
    count: NDArray[np.int64]
    contexts: int


def train_paths(
    corpora: Sequence[Corpus],
    settings: PathSettings,
    engine: Engine,
    progress: Progress = ignore_progress,
) -> Vectors:
    """Return trained vectors of the identifiers of some corpora.

    The pairs are not cached: extracting them takes less time than training.
    """
    from codeacumen.models.embeddings.train import build_metadata

    files = select_files(corpora, ("java", "javascript"))
    pairs = collect_pairs(files, settings, engine, progress)
    if not len(pairs.word):
        raise CodeacumenError(
            f"no name occurs {settings.min_count} times or more in a context that occurs "
            f"{settings.least_context} times or more",
            "train on a larger corpus",
        )
    rows = train_skip_gram(
        pairs.word,
        pairs.context,
        (len(pairs.names), pairs.contexts),
        size=settings.size,
        epochs=settings.epochs,
        negative=settings.negative,
        sample=settings.sample,
        alpha=settings.alpha,
        seed=settings.seed,
        progress=progress,
    )
    progress("trained", 1, 1)
    description = build_metadata(KIND, files, settings, len(pairs.word))
    return Vectors(pairs.names, normalize_rows(rows), pairs.count.tolist(), description)


@dataclass(frozen=True, slots=True)
class _ExtractedPairs:
    """Pairs of some files of a shard: each file's hash, indices of ``names``, context hashes."""

    files: list[tuple[str, NDArray[np.int32], Words]]
    names: list[str]


def _extract_pairs(stretch: ShardFiles, limits: Limits) -> _ExtractedPairs:
    name_indices: dict[str, int] = {}
    files = [
        (sha256, *extract_contexts(language, source, limits, name_indices))
        for sha256, language, source in read_files(stretch)
    ]
    return _ExtractedPairs(files, list(name_indices))


def collect_pairs(
    files: SelectedFiles,
    settings: PathSettings,
    engine: Engine,
    progress: Progress = ignore_progress,
) -> Pairs:
    """Return all pairs that are frequent enough, of as many files as the limit allows."""
    extract = partial(_extract_pairs, limits=Limits(settings.length, settings.width, settings.most))
    results, _ = process_files(extract, files.shards, engine, "paths", progress)
    name_indices: dict[str, int] = {}
    pairs_by_hash: dict[str, tuple[NDArray[np.int32], Words]] = {}
    for extracted in results:
        new_indices = np.fromiter(
            (name_indices.setdefault(name, len(name_indices)) for name in extracted.names),
            dtype=np.int32,
            count=len(extracted.names),
        )
        pairs_by_hash |= {
            sha256: (new_indices[word], context) for sha256, word, context in extracted.files
        }
    selected: list[tuple[NDArray[np.int32], Words]] = []
    total = 0
    for sha256 in sorted(pairs_by_hash):
        if settings.limit and total >= settings.limit:
            break
        selected.append(pairs_by_hash[sha256])
        total += len(selected[-1][0])
    del pairs_by_hash, results
    word = np.concatenate([words for words, _ in selected] or [np.zeros(0, dtype=np.int32)])
    context = np.concatenate([hashes for _, hashes in selected] or [np.zeros(0, dtype=np.uint64)])
    del selected
    min_counts = settings.min_count, settings.least_context
    return _renumber_pairs(word, context, list(name_indices), min_counts)


def _renumber_pairs(
    word: NDArray[np.int32],
    context: Words,
    names: list[str],
    min_counts: tuple[int, int],
) -> Pairs:
    """Return the pairs without rare names and contexts, renumbered.

    Names are ordered by count, then alphabetically, and contexts by their hashes, so the numbers do
    not depend on the order of reading. ``min_counts`` are those of names and of contexts.
    """
    distinct_contexts, context_index, occurrences = np.unique(
        context, return_inverse=True, return_counts=True
    )
    is_frequent = occurrences >= min_counts[1]
    count = np.bincount(word, minlength=len(names))
    is_selected = is_frequent[context_index] & (count[word] >= min_counts[0])
    word, context_index = word[is_selected], context_index[is_selected]
    count = np.bincount(word, minlength=len(names)).astype(np.int64)
    order = np.flatnonzero(count).tolist()
    order.sort(key=lambda i: (-count[i], names[i]))
    # New numbers by old ones; -1 for names that are left out.
    new_word = np.full(len(names), -1, dtype=np.int32)
    new_word[order] = np.arange(len(order), dtype=np.int32)
    new_context = np.cumsum(is_frequent, dtype=np.int64) - 1
    return Pairs(
        new_word[word],
        new_context[context_index].astype(np.int32),
        [names[i] for i in order],
        count[order],
        int(is_frequent.sum()) if len(distinct_contexts) else 0,
    )
