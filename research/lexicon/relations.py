"""Learn how similar two words are.

A gradient-boosted regressor predicts WordNet's relations (a synonym is 1, a random word 0) from
features of code and text, so it also covers words and meanings that WordNet lacks. A ridge
regression on the human ratings of SimLex-999 then combines its prediction with WordNet's own
features.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.languages.kernel import kernel
from codeacumen.models.identifier_similarity.compare import compare_spellings
from codeacumen.models.identifier_similarity.lexicon import encode_letters
from research.lexicon import wordnet_features
from research.lexicon.pair_tables import Indices, Keys, PairTable, make_keys, split_keys
from research.lexicon.spaces import Matrix
from research.lexicon.threads import limit_to_one_thread
from research.lexicon.wordnet import WordNet
from research.lexicon.wordnet_features import Senses

# Target of each of WordNet's relations: how well one word can replace the other.
SYNONYM, ABOVE, SIBLING, OPPOSITE, RANDOM = 1.0, 0.6, 0.25, 0.1, 0.0
# The regressor learns from this many frequent words that have more letters than SHORT.
LEARNED, SHORT = 12_000, 2
# Meanings of a word per part of speech whose relations count; siblings sampled from each family.
MEANINGS, SIBLINGS = 2, 6
RANDOM_EACH = 2
# Pairs are processed in blocks, which bounds the memory.
BLOCK = 1 << 18

Values = NDArray[np.float32]


@dataclass(frozen=True)
class Evidence:
    """Evidence about words: vectors in ``spaces``, ``tables`` of pairs, letters, WordNet's
    meanings.

    ``senses`` is None when WordNet is left out.
    """

    words: list[str]
    spaces: dict[str, Matrix]
    tables: dict[str, PairTable]
    senses: Senses | None

    def compute_features(self, keys: Keys) -> Values:
        """Return the regressor's features: cosines, tables, spelling; not WordNet, its target."""
        left, right = split_keys(keys)
        columns = [_compute_cosines(space, left, right) for space in self.spaces.values()]
        columns += [table.look_up(keys) for table in self.tables.values()]
        return np.column_stack([*columns, *_compare_letters(self.words, left, right)])


@dataclass
class WordSimilarity:
    """Learned similarity of words; ``measurements`` holds scores and counts of the training."""

    evidence: Evidence
    regressor: Any
    weights: NDArray[np.float64]
    constant: float
    measurements: dict[str, Any] = field(default_factory=dict)

    def predict(self, keys: Keys) -> Values:
        """Return the similarity of each pair, between 0 and 1."""
        blocks = [
            np.clip(
                _rating_features(self.evidence, self.regressor, keys[i : i + BLOCK]) @ self.weights
                + self.constant,
                0.0,
                1.0,
            )
            for i in range(0, len(keys), BLOCK)
        ]
        return np.concatenate([np.zeros(0), *blocks]).astype(np.float32)


def learn_similarity(evidence: Evidence, wordnet: WordNet, seed: int) -> WordSimilarity:
    """Fit the regressor on WordNet's relations, then the ridge regression on SimLex-999."""
    from scipy.stats import spearmanr
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    keys, targets = make_relation_examples(wordnet, evidence.words, seed)
    rated_pairs, ratings = load_ratings("simlex999.txt", evidence.words)
    if not len(keys) or len(rated_pairs) < 20:
        raise CodeacumenError(
            "too few words of WordNet and SimLex-999 occur in the corpus", "add a larger corpus"
        )
    with limit_to_one_thread():
        regressor = HistGradientBoostingRegressor(
            max_iter=150,
            max_depth=4,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        ).fit(evidence.compute_features(keys), targets)
        ridge = partial(make_pipeline, StandardScaler())
        grid = np.logspace(-2, 3, 20)
        rows = _rating_features(evidence, regressor, rated_pairs)
        cross_validated = cross_val_predict(ridge(RidgeCV(grid)), rows, ratings, cv=10)
        fitted = ridge(RidgeCV(grid)).fit(rows, ratings)
    scaler, regression = fitted[0], fitted[-1]
    weights = regression.coef_ / scaler.scale_
    constant = float(regression.intercept_ - weights @ scaler.mean_)
    similarity = WordSimilarity(evidence, regressor, weights, constant)
    wordsim_pairs, wordsim_ratings = load_ratings("wordsim353.tsv", evidence.words)
    similarity.measurements = {
        "relations": {name: int(np.sum(targets == value)) for name, value in _RELATIONS.items()},
        "weights": [round(float(weight), 4) for weight in weights],
        "simlex999": {
            "pairs": len(rated_pairs),
            "regressor alone": round(float(spearmanr(rows[:, 0], ratings)[0]), 3),
            "ten-fold": round(float(spearmanr(cross_validated, ratings)[0]), 3),
        },
        "wordsim353": {
            "pairs": len(wordsim_pairs),
            "similarity": _correlate(similarity.predict(wordsim_pairs), wordsim_ratings),
        }
        | {
            f"cosine, {name}": _correlate(
                _compute_cosines(space, *split_keys(wordsim_pairs)), wordsim_ratings
            )
            for name, space in evidence.spaces.items()
        },
    }
    return similarity


def _correlate(predictions: Values, ratings: NDArray[np.float64]) -> float | None:
    from scipy.stats import spearmanr

    if len(predictions) < 3 or np.ptp(predictions) == 0:
        return None
    return round(float(spearmanr(predictions, ratings)[0]), 3)


_RELATIONS = {
    "synonym": SYNONYM,
    "above": ABOVE,
    "sibling": SIBLING,
    "opposite": OPPOSITE,
    "random": RANDOM,
}


def _rating_features(evidence: Evidence, regressor: Any, keys: Keys) -> NDArray[np.float64]:
    """Return the ridge regression's features: regressor, cosine in English, WordNet's features."""
    columns = [regressor.predict(evidence.compute_features(keys))]
    if "english" in evidence.spaces:
        columns.append(_compute_cosines(evidence.spaces["english"], *split_keys(keys)))
    if evidence.senses is not None:
        columns += list(evidence.senses.compute_features(keys).T)
    return np.column_stack(columns).astype(np.float64)


def rating_feature_names(evidence: Evidence) -> list[str]:
    """Return the names of the ridge regression's features."""
    english = ["cosine in English"] if "english" in evidence.spaces else []
    return [
        "regressor",
        *english,
        *(wordnet_features.FEATURES if evidence.senses is not None else ()),
    ]


def make_relation_examples(
    wordnet: WordNet, words: list[str], seed: int
) -> tuple[Keys, NDArray[np.float64]]:
    """Return pairs of words that WordNet relates, or random pairs, and their targets."""
    rng = np.random.default_rng(seed)
    index_of_word = {
        word: i
        for i, word in enumerate(words[:LEARNED])
        if len(word) > SHORT and word in wordnet.meanings
    }
    word_indices = np.array(list(index_of_word.values()), dtype=np.int64)
    meanings = {
        word: [synset for synset, _ in wordnet.list_senses(word, MEANINGS)]
        for word in index_of_word
    }
    rows: list[tuple[int, int, float]] = []
    families: dict[int, list[str]] = {}
    for word, i in index_of_word.items():
        for meaning in meanings[word]:
            hypernyms = wordnet.hypernyms[meaning][:1]
            for related, worth in (
                (meaning, SYNONYM),
                *((hypernym, ABOVE) for hypernym in hypernyms),
            ):
                rows += [
                    (i, index_of_word[other], worth)
                    for other in wordnet.members[related]
                    if other in index_of_word and other != word and related in meanings[other]
                ]
        for general in wordnet.hypernyms[meanings[word][0]]:
            families.setdefault(general, []).append(word)
        rows += [(i, int(j), RANDOM) for j in rng.choice(word_indices, RANDOM_EACH) if i != j]
    for general in sorted(families):
        family = families[general]
        for _ in range(min(len(family), SIBLINGS) if len(family) > 1 else 0):
            first_word, second_word = (family[k] for k in rng.choice(len(family), 2, replace=False))
            if not set(wordnet.meanings[first_word]) & set(wordnet.meanings[second_word]):
                rows.append((index_of_word[first_word], index_of_word[second_word], SIBLING))
    rows += [
        (index_of_word[first_word], index_of_word[second_word], OPPOSITE)
        for first_word, second_word in sorted(wordnet.antonyms)
        if first_word in index_of_word
        and second_word in index_of_word
        and first_word != second_word
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    ends = table[:, :2].astype(np.int64)
    return make_keys(ends[:, 0], ends[:, 1]), table[:, 2]


def load_ratings(file: str, words: list[str]) -> tuple[Keys, NDArray[np.float64]]:
    """Return rated word pairs and their ratings from 0 to 1, from a file that gensim ships."""
    gensim_spec = find_spec("gensim")
    folders = gensim_spec.submodule_search_locations if gensim_spec else None
    if not folders:
        raise CodeacumenError(
            "SimLex-999 and WordSim-353 come with gensim, which is not installed",
            "pip install 'codeacumen[embeddings]'",
        )
    index_of_word = {word: i for i, word in enumerate(words)}
    keys, values = [], []
    text = (Path(folders[0]) / "test" / "test_data" / file).read_text(encoding="utf-8")
    for line in text.splitlines():
        fields = line.lower().split("\t")
        if not line.startswith("#") and len(fields) == 3:
            left, right = (index_of_word.get(word, -1) for word in fields[:2])
            if min(left, right) >= 0 and left != right:
                keys.append(make_keys(np.array([left]), np.array([right]))[0])
                values.append(float(fields[2]) / 10)
    return np.array(keys, dtype=np.int64), np.array(values)


def _compute_cosines(space: Matrix, left: Indices, right: Indices) -> Values:
    blocks = [
        np.einsum("ij,ij->i", space[left[i : i + BLOCK]], space[right[i : i + BLOCK]])
        for i in range(0, len(left), BLOCK)
    ]
    return np.concatenate([np.zeros(0, dtype=np.float32), *blocks])


def _compare_letters(words: list[str], left: Indices, right: Indices) -> tuple[Values, Values]:
    """Return the edit similarity, and the common prefix as a share of the shorter word."""
    letters, starts = encode_letters(words)
    edits = compare_spellings(letters, starts, left, right).astype(np.float32)
    return edits, _common_prefix_shares(letters, starts, left, right)


@kernel
def _common_prefix_shares(
    letters: NDArray[np.uint32], starts: Indices, left: Indices, right: Indices
) -> Values:
    shares = np.zeros(len(left), dtype=np.float32)
    for i in range(len(left)):
        left_start, right_start = starts[left[i]], starts[right[i]]
        shorter = min(starts[left[i] + 1] - left_start, starts[right[i] + 1] - right_start)
        common = 0
        while common < shorter and letters[left_start + common] == letters[right_start + common]:
            common += 1
        shares[i] = common / max(shorter, 1)
    return shares
