"""Vectors of names, stored in a folder that numpy alone can read.

``vectors.npy``      a row of float32 for each name, of length 1
``vocabulary.txt``   the names in the order of the rows, each with a tab and its count; backslashes
                     and unprintable characters are escaped as in a Python string
``metadata.json``    the settings and the data of the training
``ngrams.npy``       FastText only: a row for each bucket of n-grams, for unknown names

The metadata is written last: a folder without it is no embedding. It contains no times, so the same
input gives the same bytes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of, write_atomically

# Version of the files described above.
FORMAT = 1
VECTORS, VOCABULARY, METADATA, NGRAMS = (
    "vectors.npy",
    "vocabulary.txt",
    "metadata.json",
    "ngrams.npy",
)

Rows = NDArray[np.float32]


class Vectors:
    """Names with their vectors. Unknown names have a vector only if there are n-grams.

    Row i of ``matrix`` (names, dimensions) is the vector of ``names[i]``, of length 1; ``counts``
    are the occurrences of the names. ``ngrams`` is the table of FastText's n-grams, or None.
    """

    def __init__(
        self,
        names: Sequence[str],
        matrix: Rows,
        counts: Sequence[int],
        metadata: Mapping[str, Any],
        ngrams: Rows | None = None,
    ) -> None:
        if len(names) != len(matrix) or len(names) != len(counts):
            raise ValueError(f"{len(names)} names, {len(matrix)} rows, {len(counts)} counts")
        self.names, self.matrix, self.counts = list(names), matrix, list(counts)
        self.metadata, self.ngrams = dict(metadata), ngrams

    @cached_property
    def row_by_name(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @classmethod
    def load(cls, folder: Path) -> Vectors:
        """Load an embedding from a folder; the matrix is memory-mapped."""
        metadata = read_metadata(folder)
        try:
            matrix = np.load(folder / VECTORS, mmap_mode="r")
            names, counts = _read_vocabulary(folder / VOCABULARY)
            ngrams = folder / NGRAMS
            table = np.load(ngrams, mmap_mode="r") if metadata.get("ngrams") else None
            return cls(names, matrix, counts, metadata, table)
        except (OSError, ValueError) as error:
            raise CodeacumenError(
                f"{folder}: a damaged embedding: {error}",
                "train it again: `codeacumen train embedding`",
            ) from error

    def save(self, folder: Path) -> None:
        """Write the files described above to a folder, the metadata last."""
        (folder / METADATA).unlink(missing_ok=True)
        write_atomically(folder / VECTORS, _to_npy_bytes(self.matrix))
        lines = "".join(
            f"{_escape_name(name)}\t{count}\n"
            for name, count in zip(self.names, self.counts, strict=True)
        )
        write_atomically(folder / VOCABULARY, lines.encode("ascii"))
        if self.ngrams is None:
            (folder / NGRAMS).unlink(missing_ok=True)
        else:
            write_atomically(folder / NGRAMS, _to_npy_bytes(self.ngrams))
        files = [VECTORS, VOCABULARY, *([NGRAMS] if self.ngrams is not None else [])]
        record = {
            "format": FORMAT,
            **self.metadata,
            "names": len(self.names),
            "sha256": {name: sha256_of(folder / name) for name in files},
        }
        write_atomically(folder / METADATA, (json.dumps(record, indent=1) + "\n").encode())

    def look_up_rows(self, names: Iterable[str]) -> list[Rows | None]:
        """Return a vector of length 1 for each name, or None for a name without one."""
        name_list = list(names)
        vector_by_name: dict[str, Rows | None] = {}
        unseen = []
        for name in dict.fromkeys(name_list):
            row_index = self.row_by_name.get(name)
            vector_by_name[name] = None if row_index is None else self.matrix[row_index]
            if row_index is None:
                unseen.append(name)
        if self.ngrams is not None and unseen:
            from codeacumen.models.embeddings.ngrams import compose_vectors

            settings = self.metadata["ngrams"]
            composed_rows = normalize_rows(
                compose_vectors(unseen, self.ngrams, settings["shortest"], settings["longest"])
            )
            vector_by_name |= {
                name: row if row.any() else None
                for name, row in zip(unseen, composed_rows, strict=True)
            }
        # A zero vector counts as none: its cosine with anything is undefined.
        return [
            row if row is not None and row.any() else None
            for row in map(vector_by_name.get, name_list)
        ]

    def get_vector(self, name: str) -> Rows | None:
        return self.look_up_rows([name])[0]

    def similarity(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the cosine of each pair; None where one of the two has no vector."""
        rows = self.look_up_rows(name for pair in pairs for name in pair)
        ends = zip(rows[::2], rows[1::2], strict=True)
        return [None if a is None or b is None else _clip_cosine(float(a @ b)) for a, b in ends]

    def neighbours(self, name: str, n: int = 5) -> list[tuple[str, float]] | None:
        """Return the ``n`` nearest other names with their cosines, the nearest first.

        Ties go to the name with the lower row, which is the more frequent one. None if the name has
        no vector.
        """
        own = self.get_vector(name)
        if own is None:
            return None
        values = np.asarray(self.matrix @ own)
        if (row_index := self.row_by_name.get(name)) is not None:
            values[row_index] = -np.inf
        n = min(n, len(values) - (row_index is not None))
        if n < 1:
            return []
        # Collect all names as near as the n-th, then sort, so that ties have a fixed order.
        least = np.partition(values, len(values) - n)[len(values) - n]
        near = np.flatnonzero(values >= least)
        near = near[np.lexsort((near, -values[near]))][:n]
        return [(self.names[i], _clip_cosine(float(values[i]))) for i in near.tolist()]


def normalize_rows(rows: NDArray[Any]) -> Rows:
    """Scale rows to length 1; zero rows stay zero."""
    lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def read_metadata(folder: Path) -> dict[str, Any]:
    """Return the metadata of an embedding; raise an error if the folder holds none."""
    try:
        metadata = json.loads((folder / METADATA).read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CodeacumenError(
            f"{folder}: there is no embedding here",
            "train one: `codeacumen train embedding TECHNIQUE CORPUS --out DIR`",
        ) from error
    except ValueError as error:
        raise CodeacumenError(
            f"{folder / METADATA} is damaged: {error}", "train it again"
        ) from error
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise CodeacumenError(
            f"{folder} holds no embedding of format {FORMAT}", "train it again with this codeacumen"
        )
    return metadata


def _clip_cosine(value: float) -> float:
    """Clip a cosine to [-1, 1], which rounding may exceed."""
    return min(1.0, max(-1.0, value))


def _to_npy_bytes(rows: Rows) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(rows, dtype=np.float32), allow_pickle=False)
    return stream.getvalue()


def _escape_name(name: str) -> str:
    return name.encode("unicode_escape").decode("ascii")


def _read_vocabulary(file: Path) -> tuple[list[str], list[int]]:
    names: list[str] = []
    counts: list[int] = []
    for line in file.read_text("ascii").splitlines():
        name, _, count = line.rpartition("\t")
        plain = name if "\\" not in name else name.encode("ascii").decode("unicode_escape")
        names.append(plain)
        counts.append(int(count))
    return names, counts
