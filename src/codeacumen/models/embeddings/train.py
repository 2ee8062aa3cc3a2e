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
    from codeacumen.models.embeddings.streams import TOKEN_SETS

    if technique not in TECHNIQUES:
        raise CodeacumenError(
            f"there is no technique called {technique!r}", f"choose one of {', '.join(TECHNIQUES)}"
        )
    overrides = {name: value for name, value in changes.items() if value is not None}
    defaults: Any = (
        paths.make_settings() if technique == PATHS else trained.make_settings(technique)
    )
    setting_names = {field.name for field in fields(defaults)}
    for name in overrides:
        if name not in setting_names:
            raise CodeacumenError(
                f"{technique} has no setting {name!r}",
                f"leave it out; it has {', '.join(sorted(setting_names & changes.keys()))}",
            )
    if overrides.get("tokens", "all") not in TOKEN_SETS:
        raise CodeacumenError(
            f"{technique} cannot have tokens={overrides['tokens']!r}",
            f"choose one of {', '.join(TOKEN_SETS)}",
        )
    if technique == PATHS:
        return paths.make_settings(**overrides)
    return trained.make_settings(technique, **overrides)


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

        return paths.train_paths(corpora, settings, engine, progress), 0
    from codeacumen.models.embeddings.streams import load_stream
    from codeacumen.models.embeddings.trained import train_gensim

    words = load_stream(corpora, engine, codeacumen_home(), progress)
    return train_gensim(technique, words, settings, threads, progress), words.left_out


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
