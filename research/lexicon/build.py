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
from research.lexicon._pairs import Keys, Table, keys_of, parted, within
from research.lexicon._senses import MEANINGS, senses
from research.lexicon._streams import Streams, streams
from research.lexicon._threads import one_thread
from research.lexicon.contrast import frames
from research.lexicon.flow import flow
from research.lexicon.reading import Reading
from research.lexicon.relations import Evidence, Similarity, learned, people_names
from research.lexicon.spaces import Matrix, space
from research.lexicon.texts import Texts
from research.lexicon.wordnet import WordNet

# Ingredients that the ablation may leave out.
INGREDIENTS = ("contrast", "frames", "flow", "wordnet", "english", "code")
NOTICE = (
    "Numbers learned from WordNet 3.0 (copyright 2006 by Princeton University, used under its "
    "licence, https://wordnet.princeton.edu/license-and-commercial-use), from SimLex-999 "
    "(Hill, Reichart and Korhonen 2015), from free manuals and dictionaries and from free code. "
    "No text of any of them is part of this file but single words."
)


@dataclass(frozen=True, slots=True)
class Settings:
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
    kept: int = 64
    common: int = 6_000
    near: int = 50
    apart: float = 0.03
    pairs: int = 2_000_000
    floor: float = 90.0
    frequent: int = 8_000
    seed: int = 0


# Number of random pairs from which floor and fallback are computed.
DRAWN = 200_000
# Steps of a stored similarity: finer than the learned precision, and smaller to compress.
LEVELS = 63
# Words below one meaning. The words of a larger family are not all similar.
FAMILY = 60


def build(
    read: Reading,
    texts: Texts,
    wordnet: WordNet,
    files: SelectedFiles,
    settings: Settings,
    without: tuple[str, ...] = (),
    step: Progress = ignore_progress,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a lexicon, without some ingredients."""
    step("words", 0, 1)
    text = streams(read, texts, wordnet, settings.words)
    made = spaces_of(text, settings, without, step)
    tables = tables_of(read, text.words, step)
    step("neighbours", 0, 1)
    near = np.concatenate([neighbours(rows, settings.near) for rows in made.values()])
    sources = Sources(read.sha256, texts, wordnet, files)
    return lexicon_of(text, made, near, tables, sources, settings, without, step)


def recipes(without: tuple[str, ...] = ()) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the streams and the window of each space, by its name."""
    english = () if "english" in without else ("english",)
    code = () if "code" in without else ("code",)
    everything = (*english, "comments", *code)
    found = {
        "code": (code, 5),
        "all": (everything, 5),
        "near": (everything, 2),
        "english": (english, 5),
    }
    return {name: recipe for name, recipe in found.items() if recipe[0]}


def spaces_of(
    text: Streams,
    settings: Settings,
    without: tuple[str, ...] = (),
    step: Progress = ignore_progress,
) -> dict[str, Matrix]:
    """Return the word vectors of each space."""
    return {
        name: space(
            [getattr(text, part) for part in parts],
            len(text.words),
            window,
            settings.size,
            settings.seed,
            f"space of {name}",
            step,
        )
        for name, (parts, window) in recipes(without).items()
    }


def tables_of(
    read: Reading, words: list[str], step: Progress = ignore_progress
) -> dict[str, Table]:
    """Return the tables of contrast, shared frames and flow between the words."""
    place = {word: i for i, word in enumerate(words)}
    step("frames", 0, 1)
    contrast, shared = frames(read, place)
    step("flow", 0, 1)
    return {"contrast": contrast, "frames": shared, "flow": flow(read, place)}


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of a lexicon, for its record. ``code`` is the hash of the code that was read."""

    code: str
    texts: Texts
    wordnet: WordNet
    files: SelectedFiles


def lexicon_of(
    text: Streams,
    made: dict[str, Matrix],
    near: Keys,
    tables: dict[str, Table],
    sources: Sources,
    settings: Settings,
    without: tuple[str, ...] = (),
    step: Progress = ignore_progress,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a lexicon; ``near_pairs`` are the neighbours in any of the spaces."""
    wordnet = sources.wordnet
    step("relations", 0, 3)
    evidence = Evidence(
        text.words,
        made,
        {name: one for name, one in tables.items() if name not in without},
        None if "wordnet" in without else senses(wordnet, text.words),
    )
    similarity = learned(evidence, wordnet, settings.seed)
    step("relations", 1, 3)
    keys = candidates(near, evidence, wordnet, settings.common)
    step("relations", 2, 3)
    values = similarity.of(keys)
    # Without code, the space of all streams replaces the space of code.
    halves = [made.get("code", made["all"]), made["all"]]
    vectors, scale = quantised(halves, settings.kept)
    chance = _drawn(len(text.words), settings)
    at_random = similarity.of(chance)
    frequent = np.array([len(word) > 2 for word in text.words])
    frequent[settings.frequent :] = False
    left, right = parted(chance)
    among = at_random[frequent[left] & frequent[right]]
    floor = float(np.percentile(among, settings.floor)) if len(among) else 0.0
    fallback = _fitted(vectors, scale, chance, at_random, keys, values, settings.seed)
    kept = _kept(keys, values, _guessed(vectors, scale, fallback, keys), floor, settings)
    step("relations", 3, 3)
    about = _about(similarity, sources, settings, without)
    about["pairs"] = {"candidates": len(keys), "kept": len(kept)}
    return {
        "words": np.frombuffer("\n".join(text.words).encode(), np.uint8),
        "frequency": (text.count / max(text.total, 1)).astype(np.float32),
        "english": np.array([wordnet.knows(word) for word in text.words], np.bool_),
        "vectors": vectors.reshape(len(text.words), -1),
        "scale": scale.astype(np.float32),
        "pair": keys[kept].astype(np.uint32),
        "value": np.round(np.round(values[kept] * LEVELS) / LEVELS * 255).astype(np.uint8),
        "fallback": fallback.astype(np.float32),
        "floor": np.array(floor, np.float32),
        "about": np.frombuffer(json.dumps(about, sort_keys=True).encode(), np.uint8),
    }


def candidates(near: Keys, evidence: Evidence, wordnet: WordNet, common: int) -> Keys:
    """Return the pairs whose similarity is computed.

    These are all pairs of common words, and pairs that are near in a space, occur in a table or are
    related in WordNet.
    """
    frequent = keys_of(*np.triu_indices(min(common, len(evidence.words)), 1))
    found = [frequent, near, *(table.key for table in evidence.tables.values())]
    if evidence.senses is not None:
        found += [evidence.senses.opposite.key, evidence.senses.derived.key]
        found.append(_related(evidence.words, wordnet))
    keys: Keys = np.unique(np.concatenate(found))
    left, right = parted(keys)
    different: Keys = keys[left != right]
    return different


def neighbours(rows: Matrix, near: int) -> Keys:
    """Return the keys of each word with its nearest words by cosine."""
    known = np.flatnonzero(np.abs(rows).max(axis=1) > 0)
    inner = rows[known]
    near = min(near, len(inner) - 1)
    if near < 1:
        return np.zeros(0, dtype=np.int64)
    found = []
    with one_thread():
        for start in range(0, len(inner), 1000):
            cosine = inner[start : start + 1000] @ inner.T
            best = np.argpartition(-cosine, near, axis=1)[:, : near + 1]
            own = np.repeat(known[start : start + 1000], near + 1)
            found.append(keys_of(own, known[best.ravel()]))
    keys: Keys = np.concatenate(found)
    return keys


def _related(words: list[str], wordnet: WordNet) -> Keys:
    """Return keys of synonyms, of words with a common direct hypernym, and of word and hypernym."""
    rows: list[tuple[int, int]] = []
    for place, word in enumerate(words):
        for base in wordnet.bases(word):
            for meaning, _ in wordnet.senses(base, MEANINGS):
                rows.append((meaning, place))
                # A family is a meaning with its direct hyponyms: two levels.
                rows += [(above, place) for above in wordnet.above[meaning]]
    table = np.unique(np.array(rows, dtype=np.int64).reshape(-1, 2), axis=0)
    found: Keys = np.unique(within(table[:, 0].copy(), table[:, 1].astype(np.int32), FAMILY))
    return found


def _drawn(words: int, settings: Settings) -> Keys:
    """Return keys of random pairs: half from all words, half from the frequent words."""
    rng = np.random.default_rng(settings.seed)
    found = []
    for most in (words, min(settings.frequent, words)):
        left, right = rng.integers(0, most, size=(2, DRAWN // 2))
        found.append(keys_of(left[left != right], right[left != right]))
    return np.concatenate(found)


def quantised(halves: list[Matrix], kept: int) -> tuple[NDArray[np.int8], Matrix]:
    """Return the first dimensions of each space as bytes, normalized to unit length, and scales."""
    vectors, scales = [], []
    for rows in halves:
        part = rows[:, :kept].astype(np.float64)
        part /= np.maximum(np.sqrt(np.square(part).sum(axis=1, keepdims=True)), 1e-9)
        scale = np.abs(part).max(axis=1) / 127
        vectors.append(np.round(part / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8))
        scales.append(scale)
    return np.stack(vectors, axis=1), np.column_stack(scales).astype(np.float32)


def _products(vectors: NDArray[np.int8], scale: Matrix, keys: Keys) -> NDArray[np.float64]:
    """Return rows of 1 and the cosines in both spaces, from the stored bytes as the model does."""
    left, right = parted(keys)
    found = np.ones((len(keys), 1 + vectors.shape[1]))
    for start in range(0, len(keys), 1 << 17):
        part = slice(start, start + (1 << 17))
        u, v = left[part], right[part]
        inner = np.einsum("ijk,ijk->ij", vectors[u].astype(np.int32), vectors[v].astype(np.int32))
        found[part, 1:] = inner * (scale[u] * scale[v])
    return found


def _fitted(
    vectors: NDArray[np.int8],
    scale: Matrix,
    chance: Keys,
    at_random: Matrix,
    keys: Keys,
    values: Matrix,
    seed: int,
) -> NDArray[np.float64]:
    """Fit the fallback's coefficients by least squares to random pairs and as many near pairs."""
    drawn = np.random.default_rng(seed).integers(0, max(len(keys), 1), size=len(chance))
    drawn = drawn if len(keys) else drawn[:0]
    rows = np.concatenate([_products(vectors, scale, part) for part in (chance, keys[drawn])])
    wanted = np.concatenate([at_random, values[drawn]]).astype(np.float64)
    with one_thread():
        found: NDArray[np.float64] = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return found


def _guessed(
    vectors: NDArray[np.int8], scale: Matrix, fallback: NDArray[np.float64], keys: Keys
) -> NDArray[np.float64]:
    """Return the fallback's similarities of the pairs."""
    found: NDArray[np.float64] = np.clip(_products(vectors, scale, keys) @ fallback, 0.0, 1.0)
    return found


def _kept(
    keys: Keys, values: Matrix, guessed: NDArray[np.float64], floor: float, settings: Settings
) -> NDArray[np.int64]:
    """Return the indices of the pairs to store, in ascending order.

    If there are too many, pairs are preferred whose fallback has the largest error above the floor,
    since the model clips similarities there, and whose words are frequent.
    """
    apart = np.abs(values - guessed)
    seen = np.abs(np.maximum(values, floor) - np.maximum(guessed, floor))
    wanted = np.flatnonzero((apart > settings.apart) & ((values > floor) | (guessed > floor)))
    rarer = parted(keys[wanted])[1]
    order = np.lexsort((keys[wanted], -np.round(seen[wanted] / np.sqrt(rarer + 100), 6)))
    return np.sort(wanted[order[: settings.pairs]])


def _about(
    similarity: Similarity, sources: Sources, settings: Settings, without: tuple[str, ...]
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
        "learned": similarity.told | {"weighed": people_names(similarity.evidence)},
        "licence": NOTICE,
    }
