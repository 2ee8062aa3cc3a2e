"""Corpora that several tests use, built once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from codeacumen.registry import list_names
from support import ROOT

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.build import Summary
    from codeacumen.engines.local import LocalEngine

# The views before a test loads a plug-in.
VIEWS = tuple(list_names("view"))
EXAMPLES = [str(ROOT / "examples" / name) for name in ("library", "quill", "tramway", "ballot")]


def build_corpus_at(
    out: Path,
    sources: Sequence[str],
    *,
    workers: int = 2,
    plugins: Sequence[Path] = (),
    views: Sequence[str] | None = None,
    largest: int = 8 << 20,
) -> Summary:
    from codeacumen.corpus.build import build_corpus_folder
    from codeacumen.engines.local import LocalEngine

    # Processes keep the plug-ins that they load, so only builds without plug-ins share an engine.
    engine = LocalEngine(workers) if plugins else shared_engine(workers)
    return build_corpus_folder(
        sources,
        out,
        engine=engine,
        views=views or VIEWS,
        cache=out.parent / "cache",
        plugins=plugins,
        largest=largest,
    )


def build_single_file_corpus(folder: Path, path: str, source: str) -> Corpus:
    """Return a corpus of one file; the project has the file's name."""
    from codeacumen.corpus import Corpus

    file = folder / "src" / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    name = file.stem.lower()
    build_corpus_at(folder / "corpus", [f"{name}={folder / 'src'}"], workers=1, views=["text"])
    return Corpus.open(folder / "corpus")


@lru_cache
def shared_engine(workers: int) -> LocalEngine:
    """Return an engine whose processes are started once for many tests."""
    from codeacumen.engines.local import LocalEngine

    return LocalEngine(workers)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, by relative path."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="session")
def examples_corpus(shared_folder: Path) -> Corpus:
    """Return the corpus of the four example projects; one process builds it for all. Do not change
    it."""
    from codeacumen.corpus import Corpus

    folder = shared_folder / "examples"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "built").exists():
            build_corpus_at(folder / "corpus", EXAMPLES)
            (folder / "built").touch()
    return Corpus.open(folder / "corpus")


@pytest.fixture(scope="session")
def analysed_corpus(examples_corpus: Corpus, shared_folder: Path) -> Corpus:
    """Return a copy of the example corpus with null facts. These are stored in the corpus, and the
    original stays as it was built."""
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.nulls import find_null_reports

    folder = shared_folder / "analysed"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "built").exists():
            shutil.copytree(examples_corpus.folder, folder / "corpus", dirs_exist_ok=True)
            find_null_reports(Corpus.open(folder / "corpus"), shared_engine(1))
            (folder / "built").touch()
    return Corpus.open(folder / "corpus")
