"""A namer without a network: the name that the most similar methods of a corpus have.

A method is its words and its path contexts; the nearest are found by the cosine of their tf-idf
vectors and vote for their names, the nearer the weightier. Whoever is asked about has no vote: a
method of the corpus, and every variant of it, is answered as if the method were not in it. It is
told by its id, which is the corpus's or, for a variant, begins with that and a slash.
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

ALL = "all"
# A vote's weight is its similarity to this power: one method that is nearly the same knows more
# than two that are somewhat alike.
_POWER = 3
# How many of the corpus's methods are read at once.
_BATCH = 512


class _Voters:
    """Methods with names, which vote for them."""

    names: list[str]
    k: int

    def _names_near(
        self, index: FeatureIndex, methods: Sequence[Method], left_out: Sequence[int]
    ) -> list[str | None]:
        """None for a method that has nothing in common with any other."""
        import numpy as np

        from codeacumen.search.features import features

        queries = features([method.text for method in methods])
        nearest, cosines = index.nearest(queries, np.array(left_out, dtype=np.int64), self.k)
        return [self._voted(*row) for row in zip(nearest.tolist(), cosines.tolist(), strict=True)]

    def _voted(self, nearest: Sequence[int], similar: Sequence[float]) -> str | None:
        """The name with the most votes; among equals the nearest one's, then the first in the
        alphabet."""
        votes: dict[str, tuple[float, float]] = {}
        for method, similarity in zip(nearest, similar, strict=True):
            if method >= 0:
                before, best = votes.get(self.names[method], (0.0, similarity))
                votes[self.names[method]] = before + similarity**_POWER, best
        if not votes:
            return None
        return min(votes, key=lambda name: (-votes[name][0], -votes[name][1], name))


class NearestNamer(_Voters):
    batch_size = 256

    def __init__(self, corpus: Corpus, split: str, k: int, paths: float) -> None:
        self.corpus = corpus
        self.split = split
        self.k = k
        self.paths = paths
        self.fingerprint = _fingerprint(corpus.folder)
        self.names = []
        self.places: dict[str, int] = {}
        self._index: FeatureIndex | None = None

    @property
    def index(self) -> FeatureIndex:
        """What it has learned, when it is first needed."""
        if self._index is None:
            from codeacumen.search.features import FeatureIndex

            self.names, self.places = [], {}
            self._index = FeatureIndex(self._read(), self.paths)
        return self._index

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        index = self.index
        left_out = [self.places.get(method.id.partition("/")[0], -1) for method in methods]
        return self._names_near(index, methods, left_out)

    def _read(self) -> Iterator[Features]:
        """The features of the corpus's methods, masked as those are that it is asked for."""
        import pyarrow.parquet as pq

        from codeacumen.search.features import features
        from codeacumen.views.masking.text import masked

        columns = ["method_id", "split", "kind", "body", "name", "text"]
        for path in self.corpus.tables().get("methods", []):
            for batch in pq.ParquetFile(path).iter_batches(_BATCH, columns=columns):
                rows = [
                    row
                    for row in batch.to_pylist()
                    if row["kind"] == "method" and row["body"] and self._wants(row["split"])
                ]
                for row in rows:
                    self.places[str(row["method_id"])] = len(self.names)
                    self.names.append(row["name"])
                yield features([masked(row["text"], row["name"]) for row in rows])

    def _wants(self, split: str) -> bool:
        return self.split in (ALL, split)


class Nearest(_Voters):
    """The same, with the training split for its corpus. None of what it is asked about is in it."""

    batch_size = 256
    supervision: Supervision = "train"

    def __init__(self, k: int, paths: float) -> None:
        self.k = k
        self.paths = paths
        self.fingerprint = _parser()
        self.names = []
        self._index: FeatureIndex | None = None

    def fit(self, examples: Sequence[Example]) -> None:
        from codeacumen.search.features import FeatureIndex, features

        known = [(one.input.text, one.truth) for one in examples if isinstance(one.input, Method)]
        self.names = [str(name) for _, name in known]
        texts = [text for text, _ in known]
        parts = (features(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH))
        self._index = FeatureIndex(parts, self.paths)

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        if self._index is None or not self.names:
            return [None] * len(methods)
        return self._names_near(self._index, methods, [-1] * len(methods))


def _fingerprint(folder: Path) -> str:
    """Of the corpus, whose manifest holds the hashes of all its files, and of what parses."""
    from codeacumen.corpus.manifest import NAME

    manifest = hashlib.sha256((folder / NAME).read_bytes()).hexdigest()
    return f"{manifest} {_parser()}"


def _parser() -> str:
    from importlib.metadata import version

    return f"tree-sitter-java {version('tree-sitter-java')}"


@model("nearest-namer", needs="corpus=DIR")
def make_nearest_namer(
    corpus: str = "", split: str = "train", k: int = 5, paths: float = 0.5
) -> NearestNamer:
    """Names of the most similar methods of a corpus (nearest-namer:corpus=DIR)"""
    from codeacumen.corpus.splits import SPLITS

    if not corpus:
        raise CodeacumenError(
            "nearest-namer needs a corpus to learn from",
            "nearest-namer:corpus=DIR; `codeacumen corpus build` makes one",
        )
    if split not in (ALL, *SPLITS):
        raise CodeacumenError(
            f"nearest-namer: there is no split {split!r}", f"choose of {', '.join((ALL, *SPLITS))}"
        )
    _check_settings("nearest-namer", k, paths)
    from codeacumen.corpus import Corpus

    found = Corpus.open(str(corpus))
    _check_split(found, split)
    return NearestNamer(found, split, k, paths)


@model("nearest")
def make_nearest(k: int = 5, paths: float = 0.5) -> Nearest:
    """Names of the most similar methods of the training split"""
    _check_settings("nearest", k, paths)
    return Nearest(k, paths)


def _check_settings(name: str, k: int, paths: float) -> None:
    # Settings may be anything that JSON is.
    numbers = isinstance(k, int) and isinstance(paths, int | float)
    if not (numbers and k >= 1 and 0 <= paths <= 1):
        raise CodeacumenError(
            f"{name} cannot have k={k!r} and paths={paths!r}",
            "k is 1 or more; paths, their share, is from 0 (tokens alone) to 1",
        )


def _check_split(corpus: Corpus, split: str) -> None:
    import pyarrow.parquet as pq

    projects = pq.read_table(corpus.folder / "projects.parquet", columns=["split", "methods"])
    there = {row["split"] for row in projects.to_pylist() if row["methods"]}
    if not there or split not in (ALL, *there):
        told = ", ".join(sorted(there)) or "none"
        raise CodeacumenError(
            f"the corpus in {corpus.folder} has no methods of the split {split}",
            f"it has {told}; nearest-namer:corpus={corpus.folder},split={ALL} takes them all",
        )
