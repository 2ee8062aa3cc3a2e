"""Method naming by k nearest neighbours: the names of the most similar methods of a corpus.

A method is represented by the tf-idf vectors of its words and of its path contexts. The nearest
methods by cosine vote for their names, weighted by similarity. A method of the corpus has no vote
on itself or on its variants; it is recognised by its id, which is the corpus's id or, for a
variant, begins with that id and a slash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError, Example, Method, Supervision
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.search.features import FeatureIndex, Features

# Value of the setting ``split`` that uses all splits of a corpus.
ALL = "all"
# A vote's weight is its similarity to this power: one nearly identical method is better evidence
# than two somewhat similar ones.
_POWER = 3
# Number of the corpus's methods in memory at a time.
_BATCH = 512


class _NeighbourVote:
    """Base of models that name a method by a vote of its ``k`` nearest methods.

    ``names`` are the names of the methods of the index, by their number.
    """

    names: list[str]
    k: int

    def _predict_names(
        self, index: FeatureIndex, methods: Sequence[Method], left_out: Sequence[int]
    ) -> list[str | None]:
        """Return a name for each method; None if it has nothing in common with the index.

        ``left_out`` has for each method the number of a method without a vote, or -1.
        """
        import numpy as np

        from codeacumen.search.features import extract_features

        queries = extract_features([method.text for method in methods])
        nearest, cosines = index.find_nearest(queries, np.array(left_out, dtype=np.int64), self.k)
        return [
            self._count_votes(*row) for row in zip(nearest.tolist(), cosines.tolist(), strict=True)
        ]

    def _count_votes(self, nearest: Sequence[int], cosines: Sequence[float]) -> str | None:
        """Return the name with the most votes; ties go to the nearest, then alphabetically.

        Entries of -1 are skipped. Return None if there is no other entry.
        """
        # By name: the sum of the votes' weights, and the similarity of the nearest method.
        votes: dict[str, tuple[float, float]] = {}
        for method, similarity in zip(nearest, cosines, strict=True):
            if method >= 0:
                before, best = votes.get(self.names[method], (0.0, similarity))
                votes[self.names[method]] = before + similarity**_POWER, best
        if not votes:
            return None
        return min(votes, key=lambda name: (-votes[name][0], -votes[name][1], name))


class CorpusNeighbours(_NeighbourVote):
    """Namer by the nearest methods of a corpus.

    ``split`` is a split of the corpus or ``ALL``; ``path_weight`` is the share of paths, from 0
    (tokens alone) to 1. ``index_by_id`` has the number in the index of each method id.
    """

    batch_size = 256

    def __init__(self, corpus: Corpus, split: str, k: int, path_weight: float) -> None:
        self.corpus = corpus
        self.split = split
        self.k = k
        self.path_weight = path_weight
        self.fingerprint = _compute_fingerprint(corpus.folder)
        self.names = []
        self.index_by_id: dict[str, int] = {}
        self._index: FeatureIndex | None = None

    @property
    def index(self) -> FeatureIndex:
        """Index of the corpus, built when it is first needed."""
        if self._index is None:
            from codeacumen.search.features import FeatureIndex

            self.names, self.index_by_id = [], {}
            self._index = FeatureIndex(self._read_features(), self.path_weight)
        return self._index

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        index = self.index
        left_out = [self.index_by_id.get(method.id.partition("/")[0], -1) for method in methods]
        return self._predict_names(index, methods, left_out)

    def _read_features(self) -> Iterator[Features]:
        """Yield the features of the corpus's methods, with their names masked as in the tasks."""
        import pyarrow.parquet as pq

        from codeacumen.search.features import extract_features
        from codeacumen.views.masking.text import mask_snippet

        columns = ["method_id", "split", "kind", "body", "name", "text"]
        for path in self.corpus.list_table_files().get("methods", []):
            for batch in pq.ParquetFile(path).iter_batches(_BATCH, columns=columns):
                rows = [
                    row
                    for row in batch.to_pylist()
                    if row["kind"] == "method" and row["body"] and self._is_in_split(row["split"])
                ]
                for row in rows:
                    self.index_by_id[str(row["method_id"])] = len(self.names)
                    self.names.append(row["name"])
                yield extract_features([mask_snippet(row["text"], row["name"]) for row in rows])

    def _is_in_split(self, split: str) -> bool:
        return self.split in (ALL, split)


class TrainingNeighbours(_NeighbourVote):
    """Namer by the nearest methods of the task's training split.

    No method needs to be left out, because the split contains no method of a question.
    """

    batch_size = 256
    supervision: Supervision = "train"

    def __init__(self, k: int, path_weight: float) -> None:
        self.k = k
        self.path_weight = path_weight
        self.fingerprint = _get_parser_version()
        self.names = []
        self._index: FeatureIndex | None = None

    def fit(self, examples: Sequence[Example]) -> None:
        from codeacumen.search.features import FeatureIndex, extract_features

        named = [
            (example.input.text, str(example.truth))
            for example in examples
            if isinstance(example.input, Method)
        ]
        self.names = [name for _, name in named]
        texts = [text for text, _ in named]
        parts = (
            extract_features(texts[start : start + _BATCH])
            for start in range(0, len(texts), _BATCH)
        )
        self._index = FeatureIndex(parts, self.path_weight)

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        if self._index is None or not self.names:
            return [None] * len(methods)
        return self._predict_names(self._index, methods, [-1] * len(methods))


def _compute_fingerprint(folder: Path) -> str:
    """Return a fingerprint of the corpus, whose manifest holds the hashes of all its files, and of
    the parser."""
    from codeacumen.corpus.manifest import NAME

    manifest = hashlib.sha256((folder / NAME).read_bytes()).hexdigest()
    return f"{manifest} {_get_parser_version()}"


def _get_parser_version() -> str:
    """Return the name and version of the parser, on which the features depend."""
    from importlib.metadata import version

    return f"tree-sitter-java {version('tree-sitter-java')}"


@model("nearest-namer", needs="corpus=DIR")
def make_nearest_namer(
    corpus: str = "", split: str = "train", k: int = 5, paths: float = 0.5
) -> CorpusNeighbours:
    """Names of the most similar methods of a corpus (nearest-namer:corpus=DIR)"""
    from codeacumen.corpus.splits import SPLITS

    if not corpus:
        raise CodeacumenError(
            "nearest-namer needs a corpus to learn from",
            "nearest-namer:corpus=DIR; `codeacumen corpus build` builds one",
        )
    if split not in (ALL, *SPLITS):
        raise CodeacumenError(
            f"nearest-namer: there is no split {split!r}",
            f"choose one of {', '.join((ALL, *SPLITS))}",
        )
    _check_settings("nearest-namer", k, paths)
    from codeacumen.corpus import Corpus

    opened_corpus = Corpus.open(str(corpus))
    _check_split(opened_corpus, split)
    return CorpusNeighbours(opened_corpus, split, k, paths)


@model("nearest")
def make_nearest(k: int = 5, paths: float = 0.5) -> TrainingNeighbours:
    """Names of the most similar methods of the training split"""
    _check_settings("nearest", k, paths)
    return TrainingNeighbours(k, paths)


def _check_settings(name: str, k: int, paths: float) -> None:
    # Settings may be any JSON value.
    numbers = isinstance(k, int) and isinstance(paths, int | float)
    if not (numbers and k >= 1 and 0 <= paths <= 1):
        raise CodeacumenError(
            f"{name} cannot have k={k!r} and paths={paths!r}",
            "k must be at least 1; paths, the weight of paths, from 0 (tokens alone) to 1",
        )


def _check_split(corpus: Corpus, split: str) -> None:
    """Raise an error if the corpus has no methods in the split."""
    import pyarrow.parquet as pq

    projects = pq.read_table(corpus.folder / "projects.parquet", columns=["split", "methods"])
    available_splits = {row["split"] for row in projects.to_pylist() if row["methods"]}
    if not available_splits or split not in (ALL, *available_splits):
        listed_splits = ", ".join(sorted(available_splits)) or "none"
        raise CodeacumenError(
            f"the corpus in {corpus.folder} has no methods of the split {split}",
            f"it has {listed_splits}; nearest-namer:corpus={corpus.folder},split={ALL} uses "
            "them all",
        )
