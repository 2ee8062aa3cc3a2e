"""What several verbs are tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codeacumen.benchmarks.gluecode.build import Recipe, build
from codeacumen.benchmarks.gluecode.warned import warnings_of
from corpora import shared_engine

if TYPE_CHECKING:
    from pathlib import Path

    from codeacumen.corpus import Corpus


@pytest.fixture(scope="session")
def gluecode(analysed_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the verb builds it, once for the tests that only ask."""
    out = tmp_path_factory.mktemp("gluecode") / "gluecode"
    engine = shared_engine(1)
    warnings, _ = warnings_of(analysed_corpus, engine, [], lambda what, done, total: None)
    build(analysed_corpus, Recipe(), out, engine, warnings)
    return out
