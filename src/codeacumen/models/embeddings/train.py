"""Train an embedding of identifiers on corpora: word2vec and FastText, or paths.

``paths.py`` trains on paths. This module trains word2vec and FastText with gensim on a stream of
tokens. The defaults are IdBench's: window 5, words that occur 3 times or more, and for each
technique the dimensions that its authors found best. The learning rate, the number of negative
samples and the subsampling of frequent words are those of their training script (0.03 down to
0.0007, 20, 6e-5); their notes mention a rate of 0.1. They train for 15 epochs. So do our defaults
where that takes minutes on a corpus of 30,000 files; the slower techniques have fewer epochs.

Training uses one thread by default. With more, gensim's threads write to the same vectors in an
arbitrary order, and no two runs give the same result; ``threads`` permits it, and the metadata
record the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen import __version__
from codeacumen.api import CodeacumenError
from codeacumen.core.home import codeacumen_home
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import SelectedFiles
from codeacumen.engines import Engine
from codeacumen.languages.base import NAME
from codeacumen.models.embeddings.ngrams import LONGEST, SHORTEST
from codeacumen.models.embeddings.streams import TOKEN_SETS, Stream, load_stream
from codeacumen.models.embeddings.vectors import (
    METADATA,
    NGRAMS,
    VECTORS,
    VOCABULARY,
    Vectors,
    normalize_rows,
)

# Maximum number of words in a sentence of gensim, which cuts off the rest of a longer one.
MAX_SENTENCE_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class GensimSettings:
    """Settings of word2vec and FastText, called as in gensim where it has them.

    Words that occur less often than ``min_count`` are left out. ``sample`` is the frequency above
    which words are downsampled. ``buckets`` is the number of vectors for FastText's n-grams
    (gensim's own default of 2,000,000 makes files of gigabytes). ``tokens`` selects kinds of
    tokens, ``limit`` is their maximum number, in a random sample of the files (0: all).
    """

    size: int = 100
    window: int = 5
    epochs: int = 15
    min_count: int = 3
    negative: int = 20
    sample: float = 6e-5
    alpha: float = 0.03
    last_alpha: float = 0.0007
    tokens: str = "all"
    buckets: int = 0
    limit: int = 0
    seed: int = 0


# For each technique that gensim trains: True if it is skip-gram, and its best settings.
GENSIM_TECHNIQUES = {
    "w2v-cbow": (False, GensimSettings(size=100)),
    "w2v-sg": (True, GensimSettings(size=50, epochs=3)),
    "ft-cbow": (False, GensimSettings(size=100, epochs=5, buckets=200_000)),
    "ft-sg": (True, GensimSettings(size=300, epochs=1, buckets=200_000)),
}


def make_gensim_settings(technique: str, **changes: Any) -> GensimSettings:
    """Return the settings of a technique with changes; None leaves a setting as it is."""
    _, best = GENSIM_TECHNIQUES[technique]
    return replace(best, **{name: value for name, value in changes.items() if value is not None})


def select_names(stream: Stream, word_mask: NDArray[np.bool_]) -> list[int]:
    """Return the indices of the identifiers among the selected words, from frequent to rare."""
    indices = np.flatnonzero(word_mask & (stream.kind == NAME))
    sorted_indices: list[int] = indices[np.lexsort((indices, -stream.count[indices]))].tolist()
    return sorted_indices


class _Sentences:
    """The sentences of the stream, for gensim to iterate over in each epoch; reports progress.

    ``words`` are the texts by code, ``total`` is the number of sentences of an epoch.
    """

    def __init__(
        self,
        stream: Stream,
        word_mask: NDArray[np.bool_],
        words: list[str],
        epochs: int,
        progress: Progress,
    ) -> None:
        self.stream, self.word_mask, self.words = stream, word_mask, words
        self.epochs, self.progress, self.epochs_begun = epochs, progress, 0
        self.total = sum(1 for _ in stream.iterate_sentences(word_mask, MAX_SENTENCE_WORDS))

    def __iter__(self) -> Iterator[list[str]]:
        self.epochs_begun += 1
        words, before = self.words, (self.epochs_begun - 1) * self.total
        stage = f"epoch {self.epochs_begun} of {self.epochs}"
        for done, codes in enumerate(
            self.stream.iterate_sentences(self.word_mask, MAX_SENTENCE_WORDS)
        ):
            if done % 64 == 0:
                self.progress(stage, before + done, self.epochs * self.total)
            yield [words[code] for code in codes.tolist()]


def train_gensim(
    technique: str,
    stream: Stream,
    settings: GensimSettings,
    threads: int = 1,
    progress: Progress = ignore_progress,
) -> Vectors:
    """Return the vectors of the stream's names, trained with gensim."""
    try:
        from gensim.models import FastText, Word2Vec
    except ImportError as error:
        raise CodeacumenError(
            "gensim is not installed", "pip install 'codeacumen[embeddings]'"
        ) from error
    skip_gram, _ = GENSIM_TECHNIQUES[technique]
    stream = stream.take_first(settings.limit)
    word_mask = stream.select_words(settings.tokens, settings.min_count)
    names = select_names(stream, word_mask)
    if not names:
        raise CodeacumenError(
            f"no name occurs {settings.min_count} times or more",
            "train on a larger corpus, or with --min-count 2",
        )
    # A blank distinguishes other tokens from names: `delete` is a keyword, and a property.
    words = [
        word if word_kind == NAME else f" {word}"
        for word, word_kind in zip(stream.words, stream.kind.tolist(), strict=True)
    ]
    options: dict[str, Any] = {
        "vector_size": settings.size,
        "window": settings.window,
        "min_count": 1,
        "negative": settings.negative,
        "sample": settings.sample,
        "alpha": settings.alpha,
        "min_alpha": settings.last_alpha,
        "epochs": settings.epochs,
        "sg": int(skip_gram),
        "seed": settings.seed,
        "workers": threads,
    }
    if settings.buckets:
        options |= {"bucket": settings.buckets, "min_n": SHORTEST, "max_n": LONGEST}
    model = (FastText if settings.buckets else Word2Vec)(**options)
    counts = {words[i]: int(stream.count[i]) for i in np.flatnonzero(word_mask).tolist()}
    sentences = _Sentences(stream, word_mask, words, settings.epochs, progress)
    model.build_vocab_from_freq(counts, corpus_count=sentences.total)
    model.train(
        sentences,
        total_examples=sentences.total,
        total_words=sum(counts.values()),
        epochs=settings.epochs,
    )
    progress("trained", 1, 1)
    rows = [model.wv.key_to_index[words[i]] for i in names]
    return Vectors(
        [words[i] for i in names],
        normalize_rows(model.wv.vectors[rows]),
        [int(stream.count[i]) for i in names],
        build_metadata(technique, stream, settings, sum(counts.values()), threads),
        np.asarray(model.wv.vectors_ngrams, dtype=np.float32) if settings.buckets else None,
    )


def build_metadata(
    technique: str, stream: Stream | SelectedFiles, settings: Any, tokens: int, threads: int = 1
) -> dict[str, Any]:
    """Return the metadata of an embedding; without times, so that they are reproducible.

    ``technique`` is one of ``TECHNIQUES``, ``tokens`` the number of tokens or pairs trained on.
    """
    record: dict[str, Any] = {
        "kind": technique,
        "codeacumen": __version__,
        "settings": asdict(settings),
        "threads": threads,
        "reproducible": threads == 1,
        "data": {
            "sha256": stream.sha256,
            "projects": list(stream.projects),
            "files": stream.file_counts,
            "tokens": tokens,
        },
    }
    if getattr(settings, "buckets", 0):
        record["ngrams"] = {"shortest": SHORTEST, "longest": LONGEST, "buckets": settings.buckets}
    return record


PATHS = "paths"
# Techniques by the names that users write.
TECHNIQUES = (*GENSIM_TECHNIQUES, PATHS)


def create_settings(technique: str, changes: Mapping[str, Any]) -> Any:
    """Return the settings of a technique with changes; None leaves a setting as it is.

    Raise an error for a setting that the technique does not have.
    """
    from codeacumen.models.embeddings import paths

    if technique not in TECHNIQUES:
        raise CodeacumenError(
            f"there is no technique called {technique!r}", f"choose one of {', '.join(TECHNIQUES)}"
        )
    overrides = {name: value for name, value in changes.items() if value is not None}
    defaults: Any = paths.make_settings() if technique == PATHS else make_gensim_settings(technique)
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
    return make_gensim_settings(technique, **overrides)


def train_vectors(
    technique: str,
    corpora: Sequence[Corpus],
    settings: Any,
    engine: Engine,
    progress: Progress,
    *,
    threads: int = 1,
) -> tuple[Vectors, int]:
    """Return trained vectors and the number of files left out because they crash any reader.

    ``settings`` are those that ``create_settings`` returns. For paths the number is always 0 and
    ``threads`` has no effect. With more than one thread, two trainings give different vectors.
    """
    if technique == PATHS:
        from codeacumen.models.embeddings import paths

        return paths.train_paths(corpora, settings, engine, progress), 0
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
