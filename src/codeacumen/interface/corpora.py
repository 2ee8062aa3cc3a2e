"""Build corpora, describe and export them, and write vectors of methods and of lines."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from codeacumen.api import CodeacumenError, Json, Model
from codeacumen.core.progress import Progress, ignore_progress, show_progress
from codeacumen.corpus import Corpus
from codeacumen.registry import LoadedModel, list_loadable_names

if TYPE_CHECKING:
    from codeacumen.corpus.build import Summary
    from codeacumen.models.vector_files import EmbeddingSummary

# Name of a file that stands for standard input.
STDIN = "-"
CALLS_SUMMARY = "the calls in a method, and the methods they may reach"
MAX_FILE_BYTES = 8 << 20

Sources: TypeAlias = "str | Path | Sequence[str | Path]"


def build_corpus(
    sources: Sources,
    out: str | Path,
    *,
    views: Sequence[str] | None = None,
    splits: tuple[int, int, int] = (80, 10, 10),
    max_file_bytes: int = MAX_FILE_BYTES,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> Corpus:
    """Build a corpus of sources, or bring one up to date, and return it.

    ``sources`` are folders, files, archives, ``git:URL@REV``, ``debian:PACKAGE``,
    ``npm:PACKAGE@VERSION`` and recipes; ``out`` is the folder of the corpus. ``views`` are those to
    store, by default all; others are computed when they are used. A view or language whose package
    cannot be imported is left out with a warning, unless ``views`` names it. ``splits`` are the
    shares of train, dev and test. Files larger than ``max_file_bytes`` are left out. ``engine`` is
    ``local``, ``ray`` or ``ray:ADDRESS``.
    """
    with show_progress(progress) as report:
        summary = write_corpus(
            sources,
            out,
            views=views,
            splits=splits,
            max_file_bytes=max_file_bytes,
            engine=engine,
            workers=workers,
            report=report,
        )
    for reason in summary.left_out:
        warnings.warn(f"left out: {reason}", stacklevel=2)
    return Corpus.open(out)


def write_corpus(
    sources: Sources,
    out: str | Path,
    *,
    views: Sequence[str] | None = None,
    splits: tuple[int, int, int] = (80, 10, 10),
    max_file_bytes: int = MAX_FILE_BYTES,
    engine: str = "local",
    workers: int = 0,
    report: Progress = ignore_progress,
) -> Summary:
    """Build a corpus or bring one up to date, as ``build_corpus`` does; return a summary."""
    from codeacumen.core.home import codeacumen_home
    from codeacumen.corpus.build import build_corpus_folder
    from codeacumen.corpus.store import CALLS
    from codeacumen.engines import start_engine

    if len(splits) != 3 or min(splits) < 0 or not sum(splits):
        raise CodeacumenError(
            f"the shares of train, dev and test are {splits}",
            "splits are three numbers from 0, of which one is larger: (80, 10, 10)",
        )
    left_out = list_loadable_names("language")[1]
    if views is None:
        stored_views, broken_views = list_loadable_names("view")
        left_out += broken_views
    else:
        # Calls are not a view of one shard: they are linked and stored in every corpus.
        stored_views = [name for name in views if name != CALLS]
    summary = build_corpus_folder(
        _list_sources(sources),
        Path(out),
        engine=start_engine(engine, workers),
        views=stored_views,
        cache=codeacumen_home(),
        shares=splits,
        largest=max_file_bytes,
        progress=report,
    )
    return replace(summary, left_out=tuple(left_out))


def _list_sources(sources: Sources) -> list[str]:
    several = [sources] if isinstance(sources, str | Path) else sources
    return [str(source) for source in several]


def describe_corpus(corpus: Corpus) -> dict[str, Json]:
    """Return the folder, settings, views and statistics of a corpus as JSON values."""
    from codeacumen.corpus.stats import compute_stats

    settings = corpus.manifest.settings
    return {
        "folder": str(corpus.folder),
        "settings": settings,
        "views": _describe_views(corpus),
        **compute_stats(corpus),
    }


def _describe_views(corpus: Corpus) -> list[Json]:
    """Return name, summary, tools and origin of every view, and ``stored`` if the corpus stores it.

    The tools are those whose format the view can have (``compat`` of ``export_view``).
    """
    from codeacumen.corpus.store import CALLS
    from codeacumen.registry import list_summaries, make_view

    stored = {*corpus.manifest.settings["views"], CALLS}
    described: list[tuple[str, str, list[str], str]] = []
    for name, summary, origin in list_summaries("view"):
        try:
            tools = list(make_view(name).compats)
        except CodeacumenError:  # a broken package: the error is reported when the view is used
            tools = []
        described.append((name, summary, tools, origin))
    described.append((CALLS, CALLS_SUMMARY, [], "codeacumen"))
    return [
        {
            "name": name,
            "summary": summary,
            "stored": name in stored,
            "tools": tools,
            "origin": origin,
        }
        for name, summary, tools, origin in described
    ]


def export_view(
    corpus: str | Path | Corpus,
    view: str,
    out: str | Path,
    *,
    compat: str = "",
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> int:
    """Write a view of every method as JSON lines; return the number of methods.

    ``compat`` names a tool: then the values are that tool's output, and methods that it leaves out
    have no line. ``-`` for ``out`` prints the lines. The file is the same to the byte for any
    number of workers.
    """
    from codeacumen.corpus.export import write_view
    from codeacumen.engines import start_engine

    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    with show_progress(progress) as report:
        return write_view(opened, view, Path(out), start_engine(engine, workers), compat, report)


def embed_corpus(
    corpus: Corpus | Sources,
    model: str | Model | LoadedModel,
    out: str | Path,
    *,
    mask_names: bool = False,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> EmbeddingSummary:
    """Write a model's vector of every method with a body; return how many there are.

    ``corpus`` is a corpus, its folder, or the sources of one, which is built for this call and
    deleted afterwards. ``out`` is ``FILE.parquet`` or ``FILE.npy``. With ``mask_names`` the model
    sees the methods without their names.
    """
    from codeacumen.interface.catalogue import load_model
    from codeacumen.models.vector_files import (
        METHOD_COLUMNS,
        check_embedder,
        check_output,
        read_methods,
        write_vectors,
    )

    check_output(Path(out), "")
    loaded = load_model(model)
    check_embedder(loaded)
    with show_progress(progress) as report, _open_corpus(corpus, engine, workers, report) as opened:
        methods = read_methods(opened, mask_names, report)
        return write_vectors(loaded, methods, METHOD_COLUMNS, Path(out))


@contextmanager
def _open_corpus(
    corpus: Corpus | Sources, engine: str, workers: int, report: Progress
) -> Iterator[Corpus]:
    """Yield the corpus; one that is built of sources is deleted at the end of the context."""
    from codeacumen.corpus.build import open_or_build
    from codeacumen.engines import start_engine

    if isinstance(corpus, Corpus):
        yield corpus
        return
    sources = _list_sources(corpus)
    with open_or_build(sources, start_engine(engine, workers), report) as opened:
        yield opened


def embed_lines(
    file: str | Path,
    model: str | Model | LoadedModel,
    out: str | Path,
    *,
    strip: bool = True,
    progress: bool = True,
) -> EmbeddingSummary:
    """Write a model's vector of every line of a file; return how many there are.

    ``file`` has an identifier on each line, or with ``strip=False`` a text that is taken as it is;
    ``-`` is standard input. ``out`` is ``FILE.parquet`` or ``FILE.npy``.
    """
    from codeacumen.interface.catalogue import load_model
    from codeacumen.models.vector_files import (
        LINE_COLUMNS,
        check_embedder,
        check_output,
        read_lines,
        write_vectors,
    )

    is_stdin = str(file) == STDIN
    check_output(Path(out), "" if is_stdin else str(file))
    loaded = load_model(model)
    check_embedder(loaded)
    with show_progress(progress) as report, _open_binary(file) as stream:
        lines = read_lines(stream, "stdin" if is_stdin else str(file), strip, report)
        return write_vectors(loaded, lines, LINE_COLUMNS, Path(out))


@contextmanager
def _open_binary(file: str | Path) -> Iterator[BinaryIO]:
    """Yield the bytes of a file, or of standard input, which stays open."""
    with nullcontext(sys.stdin.buffer) if str(file) == STDIN else Path(file).open("rb") as stream:
        yield stream
