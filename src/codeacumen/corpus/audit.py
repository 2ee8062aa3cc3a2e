"""Audit of a corpus, for ``codeacumen corpus audit``.

The audit compares every file with its hash in the manifest, then searches for near-duplicate
methods inside each split and across splits. Duplicates across splits leak test data into training.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.corpus.duplicates import SHORTEST, THRESHOLD, Pairs, find_near_duplicates
from codeacumen.corpus.manifest import find_damage
from codeacumen.corpus.splits import SPLITS
from codeacumen.corpus.store import Corpus
from codeacumen.text.columns import Ragged

# Pairs that are listed for each finding.
EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """Near-duplicates inside one split or between two splits.

    ``pairs`` and ``methods`` are counts; ``examples`` are the most similar pairs.
    """

    where: str
    pairs: int
    methods: int
    examples: list[Json]


def audit_corpus(corpus: Corpus, *, threshold: float = THRESHOLD, shortest: int = SHORTEST) -> Json:
    """Return missing files, changed files and near-duplicates of a corpus as JSON.

    A damaged corpus and a corpus without the view ``tokens`` are not searched for near-duplicates;
    ``duplicates_skipped`` is then the reason, and otherwise empty. ``threshold`` and ``shortest``
    are those of ``find_near_duplicates``.
    """
    damage = find_damage(corpus.folder, corpus.manifest.files)
    integrity = {"intact": not damage, "missing": damage.missing, "changed": damage.changed}
    if damage:
        return {**integrity, "duplicates_skipped": "the corpus is damaged"}
    if "tokens" not in corpus.stored_tables:
        return {**integrity, "duplicates_skipped": "the corpus was built without the view tokens"}
    duplicate_report = _report_near_duplicates(corpus, threshold, shortest)
    return {**integrity, "duplicates_skipped": "", **duplicate_report}


def _report_near_duplicates(corpus: Corpus, threshold: float, shortest: int) -> Json:
    methods = _load_projects_and_splits(corpus)
    pairs = find_near_duplicates(load_token_codes(corpus), threshold=threshold, shortest=shortest)
    sizes = np.bincount(pairs.cluster, minlength=len(pairs.cluster))
    return {
        "threshold": threshold,
        "shortest": shortest,
        "clusters": int(np.count_nonzero(sizes > 1)),
        "methods_in_clusters": int(sizes[sizes > 1].sum()),
        "largest_cluster": int(sizes.max(initial=0)) if (sizes > 1).any() else 0,
        "across_projects": _count_pairs_across_projects(pairs, methods["project"]),
        "findings": [
            _finding_to_json(finding) for finding in _group_by_split(corpus, pairs, methods)
        ],
    }


def _load_projects_and_splits(corpus: Corpus) -> dict[str, NDArray[Any]]:
    """Return a project code and a split code for every method, in the order of method numbers."""
    columns = ["project", "split"]
    tables = [
        corpus.read_table(corpus.table_path(shard, "methods"), columns) for shard in corpus.shards
    ]
    table = pa.concat_tables(tables).combine_chunks()
    projects = table["project"].combine_chunks().dictionary_encode().indices.to_numpy()
    split = np.array(
        [SPLITS.index(split_name) for split_name in table["split"].to_pylist()], dtype=np.int64
    )
    return {"project": projects, "split": split}


def load_token_codes(corpus: Corpus) -> Ragged:
    """Return the tokens of every method as integers; equal spellings have equal integers.

    The corpus must have the view ``tokens``.
    """
    code_of_word: dict[str, int] = {}
    values: list[NDArray[Any]] = [np.empty(0, dtype=np.int64)]
    offsets: list[NDArray[Any]] = [np.zeros(1, dtype=np.int64)]
    for shard in corpus.shards:
        path = corpus.table_path(shard, "tokens")
        column = corpus.read_table(path, ["spelling"])["spelling"].combine_chunks()
        coded = column.flatten().dictionary_encode()
        words = coded.dictionary.to_pylist()
        # A code is a hash of the word, not a running number: the candidate pairs must not depend
        # on the order of the shards.
        codes = np.array(
            [code_of_word.setdefault(word, _hash_word(word)) for word in words] or [0],
            dtype=np.int64,
        )
        values.append(codes[coded.indices.to_numpy()])
        offsets.append(np.diff(column.offsets.to_numpy()))
    return Ragged(np.concatenate(values), np.cumsum(np.concatenate(offsets)))


def _hash_word(word: str) -> int:
    digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _count_pairs_across_projects(pairs: Pairs, project: NDArray[Any]) -> int:
    """Return the number of pairs of methods of different projects; ``project`` has their codes."""
    from scipy.sparse import csr_array

    # Number of copies of each original (see ``Pairs``) in each project. Copies of similar originals
    # are pairs too, so pairs are counted as products of these numbers.
    copies = csr_array((np.ones(len(project), dtype=np.int64), (pairs.original, project)))
    totals = copies.sum(axis=1)
    same_project = copies[pairs.left].multiply(copies[pairs.right]).sum()
    of_different_methods = (totals[pairs.left] * totals[pairs.right]).sum() - same_project
    of_copies = ((totals**2).sum() - copies.multiply(copies).sum()) // 2
    return int(of_different_methods + of_copies)


def _group_by_split(
    corpus: Corpus, pairs: Pairs, methods: dict[str, NDArray[Any]]
) -> list[Finding]:
    """Return a finding for each split and each pair of splits, also for those without pairs."""
    count, split = len(pairs.original), methods["split"]
    # Number of copies of each original (see ``Pairs``) in each split, the original included, shape
    # (methods, splits); and whether the split has a method that is similar and not a copy.
    copies = np.bincount(
        pairs.original * len(SPLITS) + split, minlength=count * len(SPLITS)
    ).reshape(count, len(SPLITS))
    has_similar = np.zeros(copies.shape, dtype=np.bool_)
    for originals, similar in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
        np.logical_or.at(has_similar, originals, copies[similar] > 0)

    def count_methods(own: int, other: int) -> int:
        """Return the number of methods of split ``own`` in a pair with a method of ``other``.

        Within one split, a method is in a pair with a copy only if ``copies`` is 2 or more, since
        it counts the method itself.
        """
        is_in_pair = has_similar[:, other] | (copies[:, other] > (own == other))
        return int(copies[is_in_pair, own].sum())

    findings = []
    for first in range(len(SPLITS)):
        for second in range(first, len(SPLITS)):
            left, right = copies[pairs.left], copies[pairs.right]
            if first == second:
                where = f"within {SPLITS[first]}"
                of_copies = copies[:, first] * (copies[:, first] - 1) // 2
                between = left[:, first] * right[:, first]
                members = count_methods(first, first)
            else:
                where = f"{SPLITS[first]} and {SPLITS[second]}"
                of_copies = copies[:, first] * copies[:, second]
                between = left[:, first] * right[:, second] + left[:, second] * right[:, first]
                members = count_methods(first, second) + count_methods(second, first)
            examples = [
                {
                    "similarity": round(similarity, 4),
                    "methods": corpus.read_summary_rows(sorted(example)),
                }
                for similarity, example in islice(
                    _iterate_pairs(pairs, split, (first, second), of_copies, between), EXAMPLES
                )
            ]
            pair_count = int(of_copies.sum() + between.sum())
            findings.append(Finding(where, pair_count, members, examples))
    return findings


def _iterate_pairs(
    pairs: Pairs,
    split: NDArray[np.int64],
    splits: tuple[int, int],
    of_copies: NDArray[np.int64],
    between: NDArray[np.int64],
) -> Iterator[tuple[float, tuple[int, int]]]:
    """Yield the pairs of two splits with their similarity, the most similar first.

    ``of_copies`` has the number of pairs of copies of each original, ``between`` the number of
    pairs of copies of each two similar originals.
    """

    def list_copies(original: int, in_split: int) -> list[int]:
        return np.flatnonzero((pairs.original == original) & (split == in_split)).tolist()

    first, second = splits
    for original in np.flatnonzero(of_copies).tolist():
        copies = list_copies(original, first)
        if first == second:
            yield from ((1.0, pair) for pair in combinations(copies, 2))
        else:
            yield from ((1.0, pair) for pair in product(copies, list_copies(original, second)))
    similar = np.flatnonzero(between)
    for index in similar[np.argsort(-pairs.similarity[similar], kind="stable")].tolist():
        originals = int(pairs.left[index]), int(pairs.right[index])
        for left_split, right_split in dict.fromkeys((splits, splits[::-1])):
            left_copies = list_copies(originals[0], left_split)
            right_copies = list_copies(originals[1], right_split)
            for pair in product(left_copies, right_copies):
                yield float(pairs.similarity[index]), pair


def _finding_to_json(finding: Finding) -> Json:
    return {
        "where": finding.where,
        "pairs": finding.pairs,
        "methods": finding.methods,
        "examples": finding.examples,
    }
