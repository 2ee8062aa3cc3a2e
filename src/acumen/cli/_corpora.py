"""A corpus for this once: of whatever sources are named."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acumen.core.progress import Progress
    from acumen.corpus import Corpus
    from acumen.engines import Engine


@contextmanager
def corpus_of(sources: list[str], engine: Engine, step: Progress) -> Iterator[Corpus]:
    """The corpus that is named, or one of these sources, for this once."""
    from acumen.corpus import Corpus
    from acumen.corpus.build import build
    from acumen.corpus.manifest import NAME
    from acumen.datasets import acumen_home

    if len(sources) == 1 and (Path(sources[0]) / NAME).is_file():
        yield Corpus.open(sources[0])
        return
    with tempfile.TemporaryDirectory(prefix="acumen-corpus-") as name:
        out = Path(name) / "corpus"
        build(sources, out, engine=engine, views=(), cache=acumen_home(), step=step)
        yield Corpus.open(out)
