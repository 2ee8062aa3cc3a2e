"""``codeacumen embed``: vectors of methods, or of identifiers, in a file."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from codeacumen.api import CodeacumenError, Face
from codeacumen.cli._options import (
    AsJson,
    Plugins,
    Workers,
    complete_model,
    corpus_of,
    load_plugins,
)
from codeacumen.cli._show import FOUND_FAILURES, print_json, progress_bar, say
from codeacumen.core.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from codeacumen.corpus import Corpus
    from codeacumen.registry import Made

PARQUET, NPY = ".parquet", ".npy"
STDIN = "-"
# Rows that are in memory at a time, and a row group of the file.
_TOGETHER = 8192
_OF_METHODS: tuple[str, ...] = ("id", "project", "path", "line", "name")
_OF_LINES: tuple[str, ...] = ("item",)

# One thing to embed: the text that the model reads, and what the file says of it.
Asked = tuple[str, dict[str, Any]]


def embed(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model that has vectors: run:DIR, embedding:DIR, minilm.",
            autocompletion=complete_model,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="FILE.parquet, or FILE.npy with a .txt."),
    ],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...", help="A corpus, or what one is built from: of every method."
        ),
    ] = None,
    names: Annotated[
        str,
        typer.Option(metavar="FILE", help="Of identifiers instead, one a line; - for stdin."),
    ] = "",
    text: Annotated[
        str,
        typer.Option(metavar="FILE", help="Of texts instead, one a line as it is; - for stdin."),
    ] = "",
    mask: Annotated[
        bool,
        typer.Option("--mask", help="Mask the names of the methods, as for models that name."),
    ] = False,
    plugin: Plugins = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Write the vectors that a model has for methods, or for identifiers.

    Any model with the face embed will do: a network that `codeacumen train` trained, an embedding
    of identifiers, a sentence model, one of a plug-in. `codeacumen models show MODEL` lists its
    faces.

    A Parquet file has a row for each method with a body (id, project, path, line, name, vector),
    or for each line (item, vector); where the model has no vector, that is null. A .npy file has
    only rows that are vectors, and the .txt beside it says of what. The file appears when it is
    whole, and the same input gives the same bytes. The exit code is 1 if the model failed at some.

    Example: codeacumen embed run:runs/cnn corpus --out methods.parquet

    Example: codeacumen embed embedding:embeddings/ft-cbow --names names.txt --out vectors.npy

    Example: cut -f1 words.tsv | codeacumen embed minilm --names - --out words.parquet --json
    """
    given = [bool(sources), bool(names), bool(text)]
    if sum(given) != 1:
        raise CodeacumenError(
            "embed what?" if not any(given) else "embed one thing at a time",
            "name sources, or give --names FILE or --text FILE",
        )
    if mask and not sources:
        raise CodeacumenError(
            "--mask is for methods", "lines have no name to be masked: leave it out"
        )
    if out.suffix not in (PARQUET, NPY):
        raise CodeacumenError(f"{out}: no such kind of file", f"choose {PARQUET} or {NPY}")
    _spare(out, names or text)
    load_plugins(plugin or [])
    made = _with_vectors(model)
    began = time.monotonic()
    with progress_bar() as step, ExitStack() as stack:
        asked: Iterator[Asked]
        if sources:
            corpus = _corpus(sources, workers, stack, step)
            asked, columns = _methods(corpus, mask, step), _OF_METHODS
        else:
            lines = stack.enter_context(_opened(names or text))
            asked, columns = _lines(lines, names or text, bool(names), step), _OF_LINES
        told = _written(made, asked, columns, out)
    told |= {"seconds": round(time.monotonic() - began, 1), "out": str(out)}
    if as_json:
        print_json(told)
    else:
        what = "methods" if sources else "lines"
        without = f", {told['without']:,} have none" if told["without"] else ""
        say(
            f"{told['vectors']:,} vectors of {told['asked']:,} {what}{without}, "
            f"{told['dimensions']} dimensions: {out}"
        )
    if told["failed"]:
        say(f"{model} failed at {told['failed']:,} of them, first: {told['error']}")
        raise typer.Exit(FOUND_FAILURES)


def _spare(out: Path, given: str) -> None:
    """Refuse to write over what is no earlier result: a list of names mostly ends with .txt."""
    files = _files(out)
    for file in files:
        if given and file.exists() and Path(given).exists() and file.samefile(given):
            raise CodeacumenError(
                f"{file} would be written over what is read", "choose another --out"
            )
    if files[-1].exists() and not out.exists():
        raise CodeacumenError(
            f"{files[-1]} is there already, and no {out.name} that it belongs to",
            "choose another --out",
        )


def _files(out: Path) -> list[Path]:
    return [out] if out.suffix == PARQUET else [out, out.with_suffix(".txt")]


# --------------------------------------------------------------------------------------
# Who is asked
# --------------------------------------------------------------------------------------


def _with_vectors(reference: str) -> Made:
    from codeacumen.models.adapters import faces
    from codeacumen.registry import make_model

    made = make_model(reference)
    own = faces(made.model)
    if Face.EMBED in own:
        return made
    parts = getattr(made.model, "parts", None)
    if isinstance(parts, dict) and parts:
        first = next(iter(parts.values()))
        raise CodeacumenError(
            f"{reference} are {len(parts)} networks",
            f"choose one of them: run:{getattr(first, 'folder', 'DIR/TASK')}",
        )
    raise CodeacumenError(
        f"{reference} has no vectors: it has {', '.join(own) or 'no face at all'}",
        "choose a model with the face embed: run:DIR, embedding:DIR (see `codeacumen train`), "
        "minilm, or one of a --plugin",
    )


def _corpus(sources: list[str], workers: int, stack: ExitStack, step: Progress) -> Corpus:
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine

    return stack.enter_context(corpus_of(sources, engine("local", workers or processors()), step))


# --------------------------------------------------------------------------------------
# What it is asked
# --------------------------------------------------------------------------------------


def _methods(corpus: Corpus, mask: bool, step: Progress) -> Iterator[Asked]:
    """Every method with a body, in the store's order; memory is that of a few row groups."""
    from codeacumen.views.masking.text import masked

    columns = ["method_id", "project", "path", "line", "name", "body", "text"]
    seen = 0
    for shard in corpus.shards:
        path = corpus.table(shard, "methods")
        with corpus.reading(path):
            for batch in corpus.parquet(path).iter_batches(_TOGETHER, columns=columns):
                for row in batch.to_pylist():
                    if row["body"]:
                        text = masked(row["text"], row["name"]) if mask else row["text"]
                        about = {name: row[name] for name in _OF_METHODS[1:]}
                        yield text, {"id": str(row["method_id"]), **about}
                seen += len(batch)
                step("embedding methods", seen, len(corpus))


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == STDIN:
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream


def _lines(stream: Iterable[bytes], file: str, stripped: bool, step: Progress) -> Iterator[Asked]:
    """Every line, the empty ones too: the rows of the file are to be those of what was read."""
    for number, line in enumerate(stream, 1):
        try:
            item = line.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise CodeacumenError(
                f"{'stdin' if file == STDIN else file}, line {number}: not UTF-8", str(error)
            ) from error
        item = item.removeprefix("\ufeff") if number == 1 else item
        item = item.strip() if stripped else item
        yield item, {"item": item}
        step("embedding lines", number, number)


# --------------------------------------------------------------------------------------
# What becomes of it
# --------------------------------------------------------------------------------------


def _written(
    made: Made, asked: Iterator[Asked], columns: Sequence[str], out: Path
) -> dict[str, Any]:
    """Ask, stretch by stretch, and write. Gives the numbers."""
    from codeacumen.models.adapters import ask_each

    call: Callable[[Sequence[str]], Sequence[Any]] = made.model.embed  # type: ignore[union-attr]
    size = getattr(made.model, "batch_size", 1)
    told: dict[str, Any] = {"model": made.reference, "asked": 0, "vectors": 0, "failed": 0}
    dimensions, error = 0, ""
    with _whole(out) as parts, closing(_writer(made, columns, parts)) as writer:
        while chunk := list(islice(asked, _TOGETHER)):
            vectors: list[Any] = []
            for found in ask_each(call, [text for text, _ in chunk], size):
                vector = _vector(found)
                if isinstance(vector, Exception):
                    told["failed"] += 1
                    error = error or f"{type(vector).__name__}: {vector}"
                    vector = None
                if vector is not None and dimensions not in (0, len(vector)):
                    raise CodeacumenError(
                        f"{made.reference} has vectors of {dimensions} and of {len(vector)} "
                        "dimensions",
                        "all must be of one length",
                    )
                dimensions = dimensions if vector is None else len(vector)
                vectors.append(vector)
            told["asked"] += len(chunk)
            told["vectors"] += sum(vector is not None for vector in vectors)
            if told["failed"] == told["asked"]:
                raise CodeacumenError(f"{made.reference} fails at all that it is asked: {error}")
            writer.write([about for _, about in chunk], vectors)
        if not told["asked"]:
            raise CodeacumenError(
                "there is nothing to embed", "no method has a body, no line is there"
            )
    told["without"] = told["asked"] - told["vectors"] - told["failed"]
    return {**told, "dimensions": dimensions, **({"error": error} if error else {})}


def _writer(made: Made, columns: Sequence[str], parts: Sequence[Path]) -> Parquet | Numpy:
    return Numpy(parts) if len(parts) > 1 else Parquet(parts[0], columns, made)


def _vector(found: Any) -> NDArray[np.float32] | Exception | None:
    """An answer as float32; what is no vector of numbers is a failure."""
    import numpy as np

    if isinstance(found, ImportError):
        # It would fail at all others too.
        raise CodeacumenError(
            f"the model needs {found.name}, which is not installed",
            "pip install 'codeacumen[neural]'",
        ) from found
    if isinstance(found, CodeacumenError):
        raise found
    if isinstance(found, BaseException):
        return found if isinstance(found, Exception) else RuntimeError(f"it ended: {found!r}")
    if found is None:
        return None
    try:
        vector = np.asarray(found, dtype=np.float32)
    except (TypeError, ValueError) as error:
        return error
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        return ValueError("its vector is not a list of finite numbers")
    return vector


@contextmanager
def _whole(out: Path) -> Iterator[list[Path]]:
    """Names to write under until all is there; the file that was asked for appears last."""
    out.parent.mkdir(parents=True, exist_ok=True)
    files = _files(out)
    parts = [file.with_name(f"{file.name}.{os.getpid()}.part") for file in files]
    try:
        yield parts
        for part, file in reversed(list(zip(parts, files, strict=True))):
            part.replace(file)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


class Parquet:
    """``vector`` is a list of float32, null where there is none."""

    def __init__(self, path: Path, columns: Sequence[str], made: Made) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from codeacumen.registry import fingerprint

        kinds = {"line": pa.int32()}
        fields = [(name, kinds.get(name, pa.string())) for name in columns]
        # Whose vectors they are, for whoever finds the file later.
        whose = {"codeacumen.model": made.reference, "codeacumen.fingerprint": fingerprint(made)}
        self.schema = pa.schema([*fields, ("vector", pa.list_(pa.float32()))], metadata=whose)
        repeated = [name for name in columns if name in ("project", "path", "name")]
        self.file = pq.ParquetWriter(
            path, self.schema, compression="zstd", use_dictionary=repeated, store_schema=True
        )

    def write(self, rows: Sequence[dict[str, Any]], vectors: Sequence[Any]) -> None:
        import numpy as np
        import pyarrow as pa

        there = [vector is not None for vector in vectors]
        sizes = [0 if vector is None else len(vector) for vector in vectors]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        flat = np.concatenate([np.empty(0, np.float32), *(v for v in vectors if v is not None)])
        lists = pa.ListArray.from_arrays(
            pa.array(offsets), pa.array(flat), mask=pa.array(np.logical_not(there))
        )
        names = self.schema.names[:-1]
        arrays = [
            pa.array([row[name] for row in rows], self.schema.field(name).type) for name in names
        ]
        self.file.write_batch(pa.record_batch([*arrays, lists], schema=self.schema))

    def close(self) -> None:
        self.file.close()


class Numpy:
    """A matrix, and a line for each of its rows: what is said of it, tabs between, a backslash and
    what is not ASCII escaped as in a Python string."""

    def __init__(self, parts: Sequence[Path]) -> None:
        self.matrix, self.lines = (part.open("wb") for part in parts)
        self.rows = self.size = 0
        self.matrix.write(_header(0, 0))

    def write(self, rows: Sequence[dict[str, Any]], vectors: Sequence[Any]) -> None:
        for row, vector in zip(rows, vectors, strict=True):
            if vector is None:
                continue
            self.rows, self.size = self.rows + 1, len(vector)
            self.matrix.write(vector.astype("<f4").tobytes())
            told = "\t".join(str(one).encode("unicode_escape").decode() for one in row.values())
            self.lines.write(told.encode() + b"\n")

    def close(self) -> None:
        self.matrix.seek(0)
        self.matrix.write(_header(self.rows, self.size))
        self.matrix.close()
        self.lines.close()


def _header(rows: int, size: int) -> bytes:
    """NumPy's, format 1.0. How many rows there are is known at the end only: it has the same
    length for any number."""
    told = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {size}), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + told.ljust(117).encode() + b"\n"
