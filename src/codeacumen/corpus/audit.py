"""Audit of a corpus, for ``codeacumen corpus audit``.

The audit compares every file with its hash in the manifest, then searches for near-duplicate
methods inside each split and across splits. Duplicates across splits leak test data into training.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
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
    return int(np.count_nonzero(project[pairs.left] != project[pairs.right]))


def _group_by_split(
    corpus: Corpus, pairs: Pairs, methods: dict[str, NDArray[Any]]
) -> list[Finding]:
    """Return a finding for each split and each pair of splits, also for those without pairs."""
    split = methods["split"]
    first_split = np.minimum(split[pairs.left], split[pairs.right])
    second_split = np.maximum(split[pairs.left], split[pairs.right])
    findings = []
    for first in range(len(SPLITS)):
        for second in range(first, len(SPLITS)):
            selected = np.flatnonzero((first_split == first) & (second_split == second))
            where = (
                f"within {SPLITS[first]}"
                if first == second
                else f"{SPLITS[first]} and {SPLITS[second]}"
            )
            members = np.unique(np.concatenate([pairs.left[selected], pairs.right[selected]]))
            # Most similar first; equal similarities in the order of the corpus.
            most_similar = selected[np.argsort(-pairs.similarity[selected], kind="stable")][
                :EXAMPLES
            ]
            examples = [
                {
                    "similarity": round(float(pairs.similarity[i]), 4),
                    "methods": corpus.read_summary_rows([int(pairs.left[i]), int(pairs.right[i])]),
                }
                for i in most_similar.tolist()
            ]
            findings.append(Finding(where, len(selected), len(members), examples))
    return findings


def _finding_to_json(finding: Finding) -> Json:
    return {
        "where": finding.where,
        "pairs": finding.pairs,
        "methods": finding.methods,
        "examples": finding.examples,
    }
