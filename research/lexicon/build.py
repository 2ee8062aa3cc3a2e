"""Build a lexicon from sources that were read: spaces, evidence, similarities, selected pairs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen import __version__
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.files import SelectedFiles
from research.lexicon.contrast import build_frame_tables
from research.lexicon.flow import build_flow_table
from research.lexicon.pair_tables import Keys, PairTable, make_keys, pair_within_groups, split_keys
from research.lexicon.reading import Reading
from research.lexicon.relations import (
    Evidence,
    WordSimilarity,
    learn_similarity,
    rating_feature_names,
)
from research.lexicon.spaces import Matrix, build_space
from research.lexicon.texts import Texts
from research.lexicon.threads import limit_to_one_thread
from research.lexicon.word_streams import Streams, build_streams
from research.lexicon.wordnet import WordNet
from research.lexicon.wordnet_features import MEANINGS, build_senses

# Ingredients that the ablation may leave out.
INGREDIENTS = ("contrast", "frames", "flow", "wordnet", "english", "code")
NOTICE = (
    "Numbers learned from WordNet 3.0 (copyright 2006 by Princeton University, used under its "
    "licence, https://wordnet.princeton.edu/license-and-commercial-use), from SimLex-999 "
    "(Hill, Reichart and Korhonen 2015), from free manuals and dictionaries and from free code. "
    "No text of any of them is part of this file but single words."
)


@dataclass(frozen=True, slots=True)
class LexiconSettings:
    """Sizes and thresholds of a lexicon.

    ``words`` is the size of the vocabulary, ``size`` the number of dimensions that are learned and
    ``kept`` the number of dimensions of each space that are stored. Similarity is computed for all
    pairs of the ``common`` most frequent words, and for each word with its ``near`` nearest
    neighbours. A pair is stored if its similarity differs from the fallback by more than ``apart``,
    and at most ``pairs`` are stored. ``floor`` is a percentile of the similarity of random pairs of
    the ``frequent`` most frequent words.
    """

    words: int = 25_000
    size: int = 200
    kept: int = 64  # stored key
    common: int = 6_000
    near: int = 50
    apart: float = 0.03
    pairs: int = 2_000_000
    floor: float = 90.0
    frequent: int = 8_000
    seed: int = 0


# Number of random pairs from which floor and fallback are computed.
RANDOM_PAIRS = 200_000
# Steps of a stored similarity: finer than the learned precision, and smaller to compress.
LEVELS = 63
# Words below one meaning. The words of a larger family are not all similar.
LARGEST_FAMILY = 60


def build_lexicon(
    reading: Reading,
    texts: Texts,
    wordnet: WordNet,
    files: SelectedFiles,
    settings: LexiconSettings,
    without: tuple[str, ...] = (),
    step: Progress = ignore_progress,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a lexicon, without some ingredients."""
    step("words", 0, 1)
    word_streams = build_streams(reading, texts, wordnet, settings.words)
    spaces = build_spaces(word_streams, settings, without, step)
    tables = build_tables(reading, word_streams.words, step)
    step("neighbours", 0, 1)
    near_pairs = np.concatenate([find_neighbours(rows, settings.near) for rows in spaces.values()])
    sources = LexiconSources(reading.sha256, texts, wordnet, files)
    return assemble_lexicon(
        word_streams, spaces, near_pairs, tables, sources, settings, without, step
    )


def list_space_recipes(without: tuple[str, ...] = ()) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the streams and the window of each space, by its name."""
    english = () if "english" in without else ("english",)
    code = () if "code" in without else ("code",)
    all_streams = (*english, "comments", *code)
    recipe_of_space = {
        "code": (code, 5),
        "all": (all_streams, 5),
        "near": (all_streams, 2),
        "english": (english, 5),
    }
    return {name: recipe for name, recipe in recipe_of_space.items() if recipe[0]}


def build_spaces(
    word_streams: Streams,
    settings: LexiconSettings,
    without: tuple[str, ...] = (),
    step: Progress = ignore_progress,
) -> dict[str, Matrix]:
    """Return the word vectors of each space."""
    return {
        name: build_space(
            [getattr(word_streams, stream_name) for stream_name in stream_names],
            len(word_streams.words),
            window,
            settings.size,
            settings.seed,
            f"space of {name}",
            step,
        )
        for name, (stream_names, window) in list_space_recipes(without).items()
    }


def build_tables(
    reading: Reading, words: list[str], step: Progress = ignore_progress
) -> dict[str, PairTable]:
    """Return the tables of contrast, shared frames and flow between the words."""
    index_of_word = {word: i for i, word in enumerate(words)}
    step("frames", 0, 1)
    contrast, shared_frames = build_frame_tables(reading, index_of_word)
    step("flow", 0, 1)
    return {
        "contrast": contrast,
        "frames": shared_frames,
        "flow": build_flow_table(reading, index_of_word),
    }


@dataclass(frozen=True, slots=True)
class LexiconSources:
    """Sources of a lexicon, for its record. ``code`` is the hash of the code that was read."""

    code: str
    texts: Texts
    wordnet: WordNet
    files: SelectedFiles


def assemble_lexicon(
    word_streams: Streams,
    spaces: dict[str, Matrix],
    near_pairs: Keys,
    tables: dict[str, PairTable],
    sources: LexiconSources,
    settings: LexiconSettings,
    without: tuple[str, ...] = (),
    step: Progress = ignore_progress,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a lexicon; ``near_pairs`` are the neighbours in any of the spaces."""
    wordnet = sources.wordnet
    step("relations", 0, 3)
    evidence = Evidence(
        word_streams.words,
        spaces,
        {name: table for name, table in tables.items() if name not in without},
        None if "wordnet" in without else build_senses(wordnet, word_streams.words),
    )
    similarity = learn_similarity(evidence, wordnet, settings.seed)
    step("relations", 1, 3)
    keys = select_candidates(near_pairs, evidence, wordnet, settings.common)
    step("relations", 2, 3)
    values = similarity.predict(keys)
    # Without code, the space of all streams replaces the space of code.
    halves = [spaces.get("code", spaces["all"]), spaces["all"]]
    vectors, scale = quantize_vectors(halves, settings.kept)
    random_pairs = _sample_random_pairs(len(word_streams.words), settings)
    random_similarities = similarity.predict(random_pairs)
    is_frequent = np.array([len(word) > 2 for word in word_streams.words])
    is_frequent[settings.frequent :] = False
    left, right = split_keys(random_pairs)
    frequent_similarities = random_similarities[is_frequent[left] & is_frequent[right]]
    floor = (
        float(np.percentile(frequent_similarities, settings.floor))
        if len(frequent_similarities)
        else 0.0
    )
    fallback = _fit_fallback(
        vectors, scale, random_pairs, random_similarities, keys, values, settings.seed
    )
    kept_pairs = _select_pairs(
        keys, values, _predict_fallback(vectors, scale, fallback, keys), floor, settings
    )
    step("relations", 3, 3)
    about = _describe_lexicon(similarity, sources, settings, without)
    about["pairs"] = {"candidates": len(keys), "kept": len(kept_pairs)}
    return {
        "words": np.frombuffer("\n".join(word_streams.words).encode(), np.uint8),
        "frequency": (word_streams.count / max(word_streams.total, 1)).astype(np.float32),
        "english": np.array([wordnet.has_word(word) for word in word_streams.words], np.bool_),
        "vectors": vectors.reshape(len(word_streams.words), -1),
        "scale": scale.astype(np.float32),
        "pair": keys[kept_pairs].astype(np.uint32),
        "value": np.round(np.round(values[kept_pairs] * LEVELS) / LEVELS * 255).astype(np.uint8),
        "fallback": fallback.astype(np.float32),
        "floor": np.array(floor, np.float32),
        "about": np.frombuffer(json.dumps(about, sort_keys=True).encode(), np.uint8),
    }


def select_candidates(
    near_pairs: Keys, evidence: Evidence, wordnet: WordNet, common_words: int
) -> Keys:
    """Return the pairs whose similarity is computed.

    These are all pairs of common words, and pairs that are near in a space, occur in a table or are
    related in WordNet.
    """
    frequent_pairs = make_keys(*np.triu_indices(min(common_words, len(evidence.words)), 1))
    key_arrays = [frequent_pairs, near_pairs, *(table.key for table in evidence.tables.values())]
    if evidence.senses is not None:
        key_arrays += [evidence.senses.antonyms.key, evidence.senses.derived_forms.key]
        key_arrays.append(_pair_related_words(evidence.words, wordnet))
    keys: Keys = np.unique(np.concatenate(key_arrays))
    left, right = split_keys(keys)
    different: Keys = keys[left != right]
    return different


def find_neighbours(rows: Matrix, neighbour_count: int) -> Keys:
    """Return the keys of each word with its nearest words by cosine."""
    words_with_vectors = np.flatnonzero(np.abs(rows).max(axis=1) > 0)
    vectors = rows[words_with_vectors]
    neighbour_count = min(neighbour_count, len(vectors) - 1)
    if neighbour_count < 1:
        return np.zeros(0, dtype=np.int64)
    key_arrays = []
    with limit_to_one_thread():
        for start in range(0, len(vectors), 1000):
            cosine = vectors[start : start + 1000] @ vectors.T
            nearest = np.argpartition(-cosine, neighbour_count, axis=1)[:, : neighbour_count + 1]
            word = np.repeat(words_with_vectors[start : start + 1000], neighbour_count + 1)
            key_arrays.append(make_keys(word, words_with_vectors[nearest.ravel()]))
    keys: Keys = np.concatenate(key_arrays)
    return keys


def _pair_related_words(words: list[str], wordnet: WordNet) -> Keys:
    """Return keys of synonyms, of words with a common direct hypernym, and of word and hypernym."""
    rows: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        for base_form in wordnet.list_base_forms(word):
            for meaning, _ in wordnet.list_senses(base_form, MEANINGS):
                rows.append((meaning, index))
                # A family is a meaning with its direct hyponyms: two levels.
                rows += [(hypernym, index) for hypernym in wordnet.hypernyms[meaning]]
    table = np.unique(np.array(rows, dtype=np.int64).reshape(-1, 2), axis=0)
    keys: Keys = np.unique(
        pair_within_groups(table[:, 0].copy(), table[:, 1].astype(np.int32), LARGEST_FAMILY)
    )
    return keys


def _sample_random_pairs(word_count: int, settings: LexiconSettings) -> Keys:
    """Return keys of random pairs: half from all words, half from the frequent words."""
    rng = np.random.default_rng(settings.seed)
    key_arrays = []
    for limit in (word_count, min(settings.frequent, word_count)):
        left, right = rng.integers(0, limit, size=(2, RANDOM_PAIRS // 2))
        key_arrays.append(make_keys(left[left != right], right[left != right]))
    return np.concatenate(key_arrays)


def quantize_vectors(halves: list[Matrix], dimensions: int) -> tuple[NDArray[np.int8], Matrix]:
    """Return the first dimensions of each space as bytes, normalized to unit length, and scales."""
    vectors, scales = [], []
    for rows in halves:
        kept_columns = rows[:, :dimensions].astype(np.float64)
        kept_columns /= np.maximum(
            np.sqrt(np.square(kept_columns).sum(axis=1, keepdims=True)), 1e-9
        )
        scale = np.abs(kept_columns).max(axis=1) / 127
        vectors.append(
            np.round(kept_columns / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
        )
        scales.append(scale)
    return np.stack(vectors, axis=1), np.column_stack(scales).astype(np.float32)


def _compute_cosine_rows(
    vectors: NDArray[np.int8], scale: Matrix, keys: Keys
) -> NDArray[np.float64]:
    """Return rows of 1 and the cosines in both spaces, from the stored bytes as the model does."""
    left, right = split_keys(keys)
    rows = np.ones((len(keys), 1 + vectors.shape[1]))
    for start in range(0, len(keys), 1 << 17):
        block = slice(start, start + (1 << 17))
        u, v = left[block], right[block]
        inner = np.einsum("ijk,ijk->ij", vectors[u].astype(np.int32), vectors[v].astype(np.int32))
        rows[block, 1:] = inner * (scale[u] * scale[v])
    return rows


def _fit_fallback(
    vectors: NDArray[np.int8],
    scale: Matrix,
    random_pairs: Keys,
    random_similarities: Matrix,
    keys: Keys,
    values: Matrix,
    seed: int,
) -> NDArray[np.float64]:
    """Fit the fallback's coefficients by least squares to random pairs and as many near pairs."""
    sampled = np.random.default_rng(seed).integers(0, max(len(keys), 1), size=len(random_pairs))
    sampled = sampled if len(keys) else sampled[:0]
    rows = np.concatenate(
        [_compute_cosine_rows(vectors, scale, part) for part in (random_pairs, keys[sampled])]
    )
    targets = np.concatenate([random_similarities, values[sampled]]).astype(np.float64)
    with limit_to_one_thread():
        coefficients: NDArray[np.float64] = np.linalg.lstsq(rows, targets, rcond=None)[0]
    return coefficients


def _predict_fallback(
    vectors: NDArray[np.int8], scale: Matrix, fallback: NDArray[np.float64], keys: Keys
) -> NDArray[np.float64]:
    """Return the fallback's similarities of the pairs."""
    predictions: NDArray[np.float64] = np.clip(
        _compute_cosine_rows(vectors, scale, keys) @ fallback, 0.0, 1.0
    )
    return predictions


def _select_pairs(
    keys: Keys,
    values: Matrix,
    predictions: NDArray[np.float64],
    floor: float,
    settings: LexiconSettings,
) -> NDArray[np.int64]:
    """Return the indices of the pairs to store, in ascending order.

    If there are too many, pairs are preferred whose fallback has the largest error above the floor,
    since the model clips similarities there, and whose words are frequent.
    """
    error = np.abs(values - predictions)
    error_above_floor = np.abs(np.maximum(values, floor) - np.maximum(predictions, floor))
    candidate_rows = np.flatnonzero(
        (error > settings.apart) & ((values > floor) | (predictions > floor))
    )
    rarer_word = split_keys(keys[candidate_rows])[1]
    order = np.lexsort(
        (
            keys[candidate_rows],
            -np.round(error_above_floor[candidate_rows] / np.sqrt(rarer_word + 100), 6),
        )
    )
    return np.sort(candidate_rows[order[: settings.pairs]])


def _describe_lexicon(
    similarity: WordSimilarity,
    sources: LexiconSources,
    settings: LexiconSettings,
    without: tuple[str, ...],
) -> dict[str, Any]:
    """Return the lexicon's record: versions, settings, hashes of sources, measurements, licence."""
    texts, wordnet, files = sources.texts, sources.wordnet, sources.files
    return {
        "codeacumen": __version__,
        "settings": asdict(settings),
        "without": sorted(without),
        "data": {
            "code": {
                "sha256": sources.code,
                "files": files.file_counts,
                "projects": len(files.projects),
            },
            "texts": {"sha256": texts.sha256, "files": texts.files},
            "wordnet": {"sha256": wordnet.sha256, "meanings": len(wordnet.members)},
        },
        "learned": similarity.measurements | {"weighed": rating_feature_names(similarity.evidence)},
        "licence": NOTICE,
    }
