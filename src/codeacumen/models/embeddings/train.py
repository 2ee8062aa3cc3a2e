"""Train an embedding of identifiers on corpora: word2vec, FastText or paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError
from codeacumen.core.home import codeacumen_home
from codeacumen.core.progress import Progress
from codeacumen.corpus import Corpus
from codeacumen.engines import Engine
from codeacumen.models.embeddings.vectors import METADATA, NGRAMS, VECTORS, VOCABULARY, Vectors

PATHS = "paths"
TECHNIQUES = ("w2v-cbow", "w2v-sg", "ft-cbow", "ft-sg", PATHS)


def create_settings(technique: str, changes: Mapping[str, Any]) -> Any:
    """Return the settings of a technique with changes; None leaves a setting as it is.

    Raise an error for a setting that the technique does not have.
    """
    from codeacumen.models.embeddings import paths, trained
    from codeacumen.models.embeddings.streams import READINGS

    if technique not in TECHNIQUES:
        raise CodeacumenError(
            f"there is no technique called {technique!r}", f"choose one of {', '.join(TECHNIQUES)}"
        )
    wanted = {name: value for name, value in changes.items() if value is not None}
    defaults: Any = paths.settings_of() if technique == PATHS else trained.settings_of(technique)
    known = {field.name for field in fields(defaults)}
    for name in wanted:
        if name not in known:
            raise CodeacumenError(
                f"{technique} has no setting {name!r}",
                f"leave it out; it has {', '.join(sorted(known & changes.keys()))}",
            )
    if wanted.get("tokens", "all") not in READINGS:
        raise CodeacumenError(
            f"{technique} cannot have tokens={wanted['tokens']!r}",
            f"choose one of {', '.join(READINGS)}",
        )
    if technique == PATHS:
        return paths.settings_of(**wanted)
    return trained.settings_of(technique, **wanted)


def train_vectors(
    technique: str,
    corpora: Sequence[Corpus],
    settings: Any,
    engine: Engine,
    progress: Progress,
    *,
    threads: int = 1,
) -> tuple[Vectors, int]:
    """Train vectors; return them and the number of files left out because they crash any reader.

    ``settings`` are those that ``create_settings`` returns. With more than one thread, two
    trainings give different vectors.
    """
    if technique == PATHS:
        from codeacumen.models.embeddings import paths

        return paths.train(corpora, settings, engine, progress), 0
    from codeacumen.models.embeddings.streams import stream
    from codeacumen.models.embeddings.trained import train

    words = stream(corpora, engine, codeacumen_home(), progress)
    return train(technique, words, settings, threads, progress), words.left_out


def check_embedding_folder(folder: Path) -> None:
    """Raise an error if the folder contains anything but an embedding."""
    own_files = {METADATA, NGRAMS, VECTORS, VOCABULARY}
    if not folder.exists():
        return
    if not folder.is_dir() or not all(
        file.name in own_files or file.name.endswith(".part") for file in folder.iterdir()
    ):
        raise CodeacumenError(
            f"{folder} is not empty and is not an embedding", "choose another --out"
        )
