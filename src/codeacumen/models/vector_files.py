"""Vectors of a model for the methods of a corpus, or for lines of text, written to a file.

A Parquet file has a row for each item, with a null where the model has no vector. A ``.npy`` file
has only rows that are vectors, and a text file beside it describes each row. ``interface.corpora``
calls this module.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from codeacumen.api import Capability, CodeacumenError, Composite, get_batch_size
from codeacumen.core.progress import Progress
from codeacumen.models.adapters import ask_each, list_capabilities
from codeacumen.registry import LoadedModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from codeacumen.corpus import Corpus

PARQUET, NPY = ".parquet", ".npy"
METHOD_COLUMNS: tuple[str, ...] = ("id", "project", "path", "line", "name")
LINE_COLUMNS: tuple[str, ...] = ("item",)
# Rows in memory at a time, and in a row group of the file.
ROWS_AT_ONCE = 8192

# The text that the model reads, and the columns that describe it in the file.
Item: TypeAlias = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class EmbeddingSummary:
    """Counts of embedded items.

    ``items`` is the sum of ``vectors``, of ``failed`` (an error or an invalid vector) and of
    ``without`` (the model has no vector). ``dimensions`` are those of all vectors, 0 if there is
    none; ``error`` is the first failure.
    """

    model: str
    items: int = 0
    vectors: int = 0
    failed: int = 0
    without: int = 0
    dimensions: int = 0
    error: str = ""


def check_embedder(model: LoadedModel) -> None:
    """Raise an error if the model has no vectors of its own; its hint names models that do."""
    own = list_capabilities(model.model)
    if Capability.EMBED in own:
        return
    parts = model.model.parts if isinstance(model.model, Composite) else {}
    if parts:
        first = next(iter(parts.values()))
        raise CodeacumenError(
            f"{model.reference} has {len(parts)} networks",
            f"choose one of them: run:{getattr(first, 'folder', 'DIR/TASK')}",
        )
    raise CodeacumenError(
        f"{model.reference} has no vectors: it has {', '.join(own) or 'no capability at all'}",
        "choose a model with the capability embed: run:DIR, embedding:DIR "
        "(`codeacumen train`), minilm, or one of a --plugin",
    )


def read_methods(corpus: Corpus, mask_names: bool, progress: Progress) -> Iterator[Item]:
    """Yield every method with a body, in the order of the corpus; few methods are in memory."""
    from codeacumen.views.masking.text import mask_snippet

    columns = ["method_id", "project", "path", "line", "name", "body", "text"]
    row_count = 0
    for shard in corpus.shards:
        path = corpus.table_path(shard, "methods")
        with corpus.report_damage(path):
            for batch in corpus.open_parquet(path).iter_batches(ROWS_AT_ONCE, columns=columns):
                for row in batch.to_pylist():
                    if row["body"]:
                        text = mask_snippet(row["text"], row["name"]) if mask_names else row["text"]
                        description = {name: row[name] for name in METHOD_COLUMNS[1:]}
                        yield text, {"id": str(row["method_id"]), **description}
                row_count += len(batch)
                progress("embedding methods", row_count, len(corpus))


def read_lines(
    stream: Iterable[bytes], source: str, strip: bool, progress: Progress
) -> Iterator[Item]:
    """Yield every line, empty ones too, so that the rows of the file are those of the input.

    ``source`` is the input's name in error messages; ``strip`` removes white space around a line.
    """
    for number, line in enumerate(stream, 1):
        try:
            item = line.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise CodeacumenError(f"{source}, line {number}: not UTF-8", str(error)) from error
        item = item.removeprefix("\ufeff") if number == 1 else item
        item = item.strip() if strip else item
        yield item, {"item": item}
        progress("embedding lines", number, number)


def check_output(out: Path, source: str) -> None:
    """Raise an error if ``out`` has another suffix, or if its files would overwrite the input
    ``source`` ("" for a corpus) or a text file that is no earlier result."""
    if out.suffix not in (PARQUET, NPY):
        raise CodeacumenError(f"{out}: no such kind of file", f"choose {PARQUET} or {NPY}")
    files = _list_files(out)
    for file in files:
        if source and file.exists() and Path(source).exists() and file.samefile(source):
            raise CodeacumenError(
                f"{file} is the input and would be overwritten", "choose another --out"
            )
    if files[-1].exists() and not out.exists():
        raise CodeacumenError(
            f"{files[-1]} exists already, without the {out.name} that it would belong to",
            "choose another --out",
        )


def write_vectors(
    loaded_model: LoadedModel, items: Iterator[Item], columns: Sequence[str], out: Path
) -> EmbeddingSummary:
    """Embed all items and write the vectors to ``out``."""
    embed: Callable[[Sequence[str]], Sequence[Any]] = loaded_model.model.embed  # type: ignore[union-attr]
    batch_size = get_batch_size(loaded_model.model)
    summary = EmbeddingSummary(loaded_model.reference)
    with _open_parts(out) as parts, closing(_make_writer(loaded_model, columns, parts)) as writer:
        while chunk := list(islice(items, ROWS_AT_ONCE)):
            answers = ask_each(embed, [text for text, _ in chunk], batch_size)
            vectors = [_check_answer(answer, summary) for answer in answers]
            summary.items += len(chunk)
            if summary.failed == summary.items:
                raise CodeacumenError(
                    f"{loaded_model.reference} failed on every item: {summary.error}"
                )
            writer.write([description for _, description in chunk], vectors)
        if not summary.items:
            raise CodeacumenError(
                "there is nothing to embed", "no method has a body, or the input has no lines"
            )
    summary.without = summary.items - summary.vectors - summary.failed
    return summary


def _check_answer(answer: Any, summary: EmbeddingSummary) -> NDArray[np.float32] | None:
    """Return the answer as a vector, or None if it is not one, and count it in the summary."""
    vector = _to_vector(answer)
    if isinstance(vector, Exception):
        summary.failed += 1
        summary.error = summary.error or f"{type(vector).__name__}: {vector}"
        return None
    if vector is None:
        return None
    if summary.dimensions not in (0, len(vector)):
        raise CodeacumenError(
            f"{summary.model} has vectors of {summary.dimensions} and of {len(vector)} dimensions",
            "all vectors must have the same length",
        )
    summary.vectors += 1
    summary.dimensions = len(vector)
    return vector


def _to_vector(answer: Any) -> NDArray[np.float32] | Exception | None:
    """Return an answer as float32; an exception if it is not a vector of finite numbers.

    None stays None. Raise the errors that every other item would cause, too.
    """
    import numpy as np

    if isinstance(answer, ImportError):
        # Every other item would fail in the same way.
        raise CodeacumenError(
            f"the model needs {answer.name}, which is not installed",
            "pip install 'codeacumen[neural]'",
        ) from answer
    if isinstance(answer, CodeacumenError):
        raise answer
    if isinstance(answer, BaseException):
        return answer if isinstance(answer, Exception) else RuntimeError(f"it ended: {answer!r}")
    if answer is None:
        return None
    try:
        vector = np.asarray(answer, dtype=np.float32)
    except (TypeError, ValueError) as error:
        return error
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        return ValueError("its vector is not a list of finite numbers")
    return vector


def _list_files(out: Path) -> list[Path]:
    return [out] if out.suffix == PARQUET else [out, out.with_suffix(".txt")]


@contextmanager
def _open_parts(out: Path) -> Iterator[list[Path]]:
    """Yield temporary paths; when all is written they replace the final files, ``out`` last."""
    out.parent.mkdir(parents=True, exist_ok=True)
    files = _list_files(out)
    parts = [file.with_name(f"{file.name}.{os.getpid()}.part") for file in files]
    try:
        yield parts
        for part, file in reversed(list(zip(parts, files, strict=True))):
            part.replace(file)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def _make_writer(
    loaded_model: LoadedModel, columns: Sequence[str], parts: Sequence[Path]
) -> ParquetWriter | NumpyWriter:
    # Only a ``.npy`` file has a second file beside it.
    return NumpyWriter(parts) if len(parts) > 1 else ParquetWriter(parts[0], columns, loaded_model)


class ParquetWriter:
    """Writer of a Parquet file; ``vector`` is a list of float32, null for an item without one."""

    def __init__(self, path: Path, columns: Sequence[str], loaded_model: LoadedModel) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from codeacumen.registry import compute_fingerprint

        types = {"line": pa.int32()}
        fields = [(name, types.get(name, pa.string())) for name in columns]
        # Readers of the file can see the model that computed the vectors.
        metadata = {
            "codeacumen.model": loaded_model.reference,
            "codeacumen.fingerprint": compute_fingerprint(loaded_model),
        }
        self.schema = pa.schema([*fields, ("vector", pa.list_(pa.float32()))], metadata=metadata)
        repeated = [name for name in columns if name in ("project", "path", "name")]
        self.file = pq.ParquetWriter(
            path, self.schema, compression="zstd", use_dictionary=repeated, store_schema=True
        )

    def write(self, rows: Sequence[dict[str, Any]], vectors: Sequence[Any]) -> None:
        import numpy as np
        import pyarrow as pa

        has_vector = [vector is not None for vector in vectors]
        sizes = [0 if vector is None else len(vector) for vector in vectors]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        values = np.concatenate([np.empty(0, np.float32), *(v for v in vectors if v is not None)])
        lists = pa.ListArray.from_arrays(
            pa.array(offsets), pa.array(values), mask=pa.array(np.logical_not(has_vector))
        )
        names = self.schema.names[:-1]
        arrays = [
            pa.array([row[name] for row in rows], self.schema.field(name).type) for name in names
        ]
        self.file.write_batch(pa.record_batch([*arrays, lists], schema=self.schema))

    def close(self) -> None:
        self.file.close()


class NumpyWriter:
    """Writer of a ``.npy`` matrix and of a text file with a description of each row.

    A description is a line of values separated by tabs; backslashes and characters outside ASCII
    are escaped as in a Python string.
    """

    def __init__(self, parts: Sequence[Path]) -> None:
        self.matrix, self.lines = (part.open("wb") for part in parts)
        self.row_count = self.dimensions = 0
        self.matrix.write(_format_header(0, 0))

    def write(self, rows: Sequence[dict[str, Any]], vectors: Sequence[Any]) -> None:
        for row, vector in zip(rows, vectors, strict=True):
            if vector is None:
                continue
            self.row_count, self.dimensions = self.row_count + 1, len(vector)
            self.matrix.write(vector.astype("<f4").tobytes())
            values = (str(value).encode("unicode_escape").decode() for value in row.values())
            self.lines.write("\t".join(values).encode() + b"\n")

    def close(self) -> None:
        self.matrix.seek(0)
        self.matrix.write(_format_header(self.row_count, self.dimensions))
        self.matrix.close()
        self.lines.close()


def _format_header(row_count: int, dimensions: int) -> bytes:
    """Return a header of NumPy's format 1.0.

    Its length is the same for any number of rows, because that number is known only at the end: 10
    bytes before the text and 118 of text, so that the data begin at byte 128.
    """
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({row_count}, {dimensions}), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n"
