"""Learn a lexicon: from corpora, texts and WordNet to its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.engines import Engine
from research.lexicon.build import LexiconSettings, build_lexicon
from research.lexicon.reading import read_corpora
from research.lexicon.texts import read_texts
from research.lexicon.wordnet import read_wordnet

FILE = "names.npz"


def learn_lexicon(
    corpora: Sequence[Corpus],
    wordnet: Path,
    texts: Sequence[Path],
    settings: LexiconSettings,
    engine: Engine,
    cache: Path,
    without: Sequence[str] = (),
    step: Progress = ignore_progress,
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return a lexicon's arrays and the number of files left out because they crash a worker."""
    # Small inputs first, so that an error in them is reported early.
    wordnet_data = read_wordnet(wordnet)
    english_texts = read_texts(texts, engine, step)
    code_reading, files, left_out = read_corpora(corpora, engine, cache, step)
    arrays = build_lexicon(
        code_reading,
        english_texts,
        wordnet_data,
        files,
        settings,
        tuple(sorted(set(without))),
        step,
    )
    return arrays, left_out + english_texts.left_out
