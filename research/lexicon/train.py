"""Learn a lexicon: from corpora, texts and WordNet to its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.engines import Engine
from research.lexicon.build import Settings, build
from research.lexicon.reading import reading
from research.lexicon.texts import read_texts
from research.lexicon.wordnet import read_wordnet

FILE = "names.npz"


def train(
    corpora: Sequence[Corpus],
    wordnet: Path,
    texts: Sequence[Path],
    settings: Settings,
    engine: Engine,
    cache: Path,
    without: Sequence[str] = (),
    step: Progress = ignore_progress,
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return a lexicon's arrays and the number of files left out because they crash a worker."""
    # Small inputs first, so that an error in them is reported early.
    meanings = read_wordnet(wordnet)
    english = read_texts(texts, engine, step)
    read, files, left_out = reading(corpora, engine, cache, step)
    made = build(read, english, meanings, files, settings, tuple(sorted(set(without))), step)
    return made, left_out + english.left_out
