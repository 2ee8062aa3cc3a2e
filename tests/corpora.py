"""Corpora that several tests look into, built once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from codeacumen.registry import names
from support import ROOT

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.build import Summary
    from codeacumen.engines.local import LocalEngine

# As they are before a test loads a plug-in.
VIEWS = tuple(names("view"))
EXAMPLES = [str(ROOT / "examples" / name) for name in ("library", "quill", "tramway", "ballot")]


def build_at(
    out: Path,
    sources: Sequence[str],
    *,
    workers: int = 2,
    plugins: Sequence[Path] = (),
    views: Sequence[str] | None = None,
    largest: int = 8 << 20,
) -> Summary:
    from codeacumen.corpus.build import build
    from codeacumen.engines.local import LocalEngine

    # Processes that have loaded a plug-in know it; those of other builds need not start anew.
    engine = LocalEngine(workers) if plugins else shared_engine(workers)
    return build(
        sources,
        out,
        engine=engine,
        views=views or VIEWS,
        cache=out.parent / "cache",
        plugins=plugins,
        largest=largest,
    )


def project_of(folder: Path, path: str, source: str) -> Corpus:
    """A corpus of one file: the project is called after the file."""
    from codeacumen.corpus import Corpus

    file = folder / "src" / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    name = file.stem.lower()
    build_at(folder / "corpus", [f"{name}={folder / 'src'}"], workers=1, views=["text"])
    return Corpus.open(folder / "corpus")


@lru_cache
def shared_engine(workers: int) -> LocalEngine:
    """Processes that are started once for many tests."""
    from codeacumen.engines.local import LocalEngine

    return LocalEngine(workers)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="session")
def examples_corpus(shared_folder: Path) -> Corpus:
    """The four example projects, undisturbed; one process builds them for all."""
    from codeacumen.corpus import Corpus

    folder = shared_folder / "examples"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "built").exists():
            build_at(folder / "corpus", EXAMPLES)
            (folder / "built").touch()
    return Corpus.open(folder / "corpus")


@pytest.fixture(scope="session")
def analysed_corpus(examples_corpus: Corpus, shared_folder: Path) -> Corpus:
    """A copy of the example projects with their null facts, for whoever needs these: they are
    stored in the corpus, and the other one stays as it was built."""
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.nulls import null_reports

    folder = shared_folder / "analysed"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "built").exists():
            shutil.copytree(examples_corpus.folder, folder / "corpus", dirs_exist_ok=True)
            null_reports(Corpus.open(folder / "corpus"), shared_engine(1))
            (folder / "built").touch()
    return Corpus.open(folder / "corpus")
