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
from codeacumen.corpus.duplicates import SHORTEST, THRESHOLD, Pairs, near_duplicates
from codeacumen.corpus.integrity import damage
from codeacumen.corpus.splits import SPLITS
from codeacumen.corpus.store import Corpus
from codeacumen.text.columns import Ragged

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """Near-duplicates inside one split or between two splits, with examples."""

    where: str
    pairs: int
    methods: int
    examples: list[Json]


def audit(
    corpus: Corpus, *, threshold: float = THRESHOLD, shortest: int = SHORTEST, seed: int = 0
) -> Json:
    """Return missing files, changed files and near-duplicates of a corpus as JSON.

    A damaged corpus is not searched for near-duplicates, nor is one without the view ``tokens``;
    ``not_looked_for`` then holds the reason.
    """
    found = damage(corpus.folder, corpus.manifest.files)
    told = {"whole": not found, "missing": found.missing, "changed": found.changed}
    if found:
        return {**told, "not_looked_for": "the corpus is damaged"}
    if "tokens" not in corpus.stored:
        return {**told, "not_looked_for": "the corpus was built without the view tokens"}
    near = _near_duplicates(corpus, threshold, shortest, seed)
    return {**told, "not_looked_for": "", **near}


def _near_duplicates(corpus: Corpus, threshold: float, shortest: int, seed: int) -> Json:
    methods = _methods(corpus)
    found = near_duplicates(tokens_of(corpus), threshold=threshold, shortest=shortest, seed=seed)
    sizes = np.bincount(found.cluster, minlength=len(found.cluster))
    return {
        "threshold": threshold,
        "shortest": shortest,
        "clusters": int(np.count_nonzero(sizes > 1)),
        "methods_in_clusters": int(sizes[sizes > 1].sum()),
        "largest_cluster": int(sizes.max(initial=0)) if (sizes > 1).any() else 0,
        "across_projects": _across(found, methods["project"]),
        "findings": [_told(one) for one in _by_split(corpus, found, methods)],
    }


def _methods(corpus: Corpus) -> dict[str, NDArray[Any]]:
    """Return a project code and a split code for every method, in the order of method numbers."""
    columns = ["project", "split"]
    tables = [corpus.read(corpus.table(shard, "methods"), columns) for shard in corpus.shards]
    whole = pa.concat_tables(tables).combine_chunks()
    projects = whole["project"].combine_chunks().dictionary_encode().indices.to_numpy()
    split = np.array([SPLITS.index(one) for one in whole["split"].to_pylist()], dtype=np.int64)
    return {"project": projects, "split": split}


def tokens_of(corpus: Corpus) -> Ragged:
    """Return the tokens of every method as integers; equal spellings have equal integers."""
    known: dict[str, int] = {}
    values: list[NDArray[Any]] = [np.empty(0, dtype=np.int64)]
    offsets: list[NDArray[Any]] = [np.zeros(1, dtype=np.int64)]
    for shard in corpus.shards:
        path = corpus.table(shard, "tokens")
        column = corpus.read(path, ["spelling"])["spelling"].combine_chunks()
        coded = column.flatten().dictionary_encode()
        words = coded.dictionary.to_pylist()
        # A code is a hash of the word, not a running number: the pairs found must not depend on
        # the order of the shards.
        codes = np.array([known.setdefault(w, _hash(w)) for w in words] or [0], dtype=np.int64)
        values.append(codes[coded.indices.to_numpy()])
        offsets.append(np.diff(column.offsets.to_numpy()))
    return Ragged(np.concatenate(values), np.cumsum(np.concatenate(offsets)))


def _hash(word: str) -> int:
    digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _across(found: Pairs, project: NDArray[Any]) -> int:
    return int(np.count_nonzero(project[found.left] != project[found.right]))


def _by_split(corpus: Corpus, found: Pairs, methods: dict[str, NDArray[Any]]) -> list[Finding]:
    split = methods["split"]
    low = np.minimum(split[found.left], split[found.right])
    high = np.maximum(split[found.left], split[found.right])
    findings = []
    for a in range(len(SPLITS)):
        for b in range(a, len(SPLITS)):
            which = np.flatnonzero((low == a) & (high == b))
            where = f"within {SPLITS[a]}" if a == b else f"{SPLITS[a]} and {SPLITS[b]}"
            members = np.unique(np.concatenate([found.left[which], found.right[which]]))
            # Most similar first; equal similarities in the order of the corpus.
            best = which[np.argsort(-found.similarity[which], kind="stable")][:EXAMPLES]
            examples = [
                {
                    "similarity": round(float(found.similarity[i]), 4),
                    "methods": corpus.brief([int(found.left[i]), int(found.right[i])]),
                }
                for i in best.tolist()
            ]
            findings.append(Finding(where, len(which), len(members), examples))
    return findings


def _told(one: Finding) -> Json:
    return {
        "where": one.where,
        "pairs": one.pairs,
        "methods": one.methods,
        "examples": one.examples,
    }
