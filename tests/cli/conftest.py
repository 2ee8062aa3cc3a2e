"""Fixtures shared by tests of several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codeacumen.benchmarks.gluecode.build import GluecodeRecipe, build_dataset, collect_warnings
from corpora import shared_engine

if TYPE_CHECKING:
    from pathlib import Path

    from codeacumen.corpus import Corpus


@pytest.fixture(scope="session")
def gluecode(analysed_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the data set like the command does, once for all tests that only read it."""
    out = tmp_path_factory.mktemp("gluecode") / "gluecode"
    engine = shared_engine(1)
    warnings, _ = collect_warnings(analysed_corpus, engine, [], lambda stage, done, total: None)
    build_dataset(analysed_corpus, GluecodeRecipe(), out, engine, warnings)
    return out
