"""Train an embedding of identifiers on corpora: word2vec, FastText or paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError
from codeacumen.core.home import codeacumen_home
from codeacumen.core.progress import Progress
from codeacumen.corpus.build import open_or_build
from codeacumen.engines import engine as make_engine
from codeacumen.models.embeddings.vectors import METADATA, NGRAMS, VECTORS, VOCABULARY, Vectors

PATHS = "paths"
TECHNIQUES = ("w2v-cbow", "w2v-sg", "ft-cbow", "ft-sg", PATHS)


def train_embedding(
    technique: str,
    sources: Sequence[str],
    settings: Mapping[str, Any],
    workers: int,
    progress: Progress,
    *,
    threads: int = 1,
) -> tuple[Vectors, int]:
    """Return the vectors learned from corpora, or from what corpora are built from, and the number
    of files left out because they end any process that reads them.

    ``settings`` are the values that differ from those of IdBench's study; None is no difference.
    With more than one thread no two runs give the same vectors.
    """
    engine = make_engine("local", workers)
    with ExitStack() as stack:
        corpora = [
            stack.enter_context(open_or_build([source], engine, progress)) for source in sources
        ]
        if technique == PATHS:
            from codeacumen.models.embeddings import paths

            return paths.train(corpora, paths.settings_of(**settings), engine, progress), 0
        from codeacumen.models.embeddings.streams import stream
        from codeacumen.models.embeddings.trained import settings_of, train

        words = stream(corpora, engine, codeacumen_home(), progress)
        changed = settings_of(technique, **settings)
        return train(technique, words, changed, threads, progress), words.left_out


def check_embedding_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but an embedding."""
    own_files = {METADATA, NGRAMS, VECTORS, VOCABULARY}
    if not folder.exists():
        return
    if not folder.is_dir() or not all(
        file.name in own_files or file.name.endswith(".part") for file in folder.iterdir()
    ):
        raise CodeacumenError(f"{folder} is no embedding, and not empty", "choose another --out")
