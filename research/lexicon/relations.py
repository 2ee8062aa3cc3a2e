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
from research.lexicon import _senses
from research.lexicon._pairs import Keys, Places, Table, keys_of, parted
from research.lexicon._senses import Senses
from research.lexicon._threads import one_thread
from research.lexicon.spaces import Matrix
from research.lexicon.wordnet import WordNet

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
    tables: dict[str, Table]
    senses: Senses | None

    def features(self, keys: Keys) -> Values:
        """Return the regressor's features: cosines, tables, spelling; not WordNet, its target."""
        left, right = parted(keys)
        columns = [_cosines(space, left, right) for space in self.spaces.values()]
        columns += [table.of(keys) for table in self.tables.values()]
        return np.column_stack([*columns, *_looks(self.words, left, right)])


@dataclass
class Similarity:
    """Learned similarity of words; ``measurements`` holds scores and counts of the training."""

    evidence: Evidence
    regressor: Any
    weights: NDArray[np.float64]
    constant: float
    told: dict[str, Any] = field(default_factory=dict)

    def of(self, keys: Keys) -> Values:
        """Return the similarity of each pair, between 0 and 1."""
        found = [
            np.clip(
                _people_features(self.evidence, self.regressor, keys[i : i + BLOCK]) @ self.weights
                + self.constant,
                0.0,
                1.0,
            )
            for i in range(0, len(keys), BLOCK)
        ]
        return np.concatenate([np.zeros(0), *found]).astype(np.float32)


def learned(evidence: Evidence, wordnet: WordNet, seed: int) -> Similarity:
    """Fit the regressor on WordNet's relations, then the ridge regression on SimLex-999."""
    from scipy.stats import spearmanr
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    keys, worth = examples(wordnet, evidence.words, seed)
    people, said = rated("simlex999.txt", evidence.words)
    if not len(keys) or len(people) < 20:
        raise CodeacumenError(
            "too few words of WordNet and SimLex-999 occur in the corpus", "add a larger corpus"
        )
    with one_thread():
        regressor = HistGradientBoostingRegressor(
            max_iter=150,
            max_depth=4,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        ).fit(evidence.features(keys), worth)
        ridge = partial(make_pipeline, StandardScaler())
        grid = np.logspace(-2, 3, 20)
        rows = _people_features(evidence, regressor, people)
        ten = cross_val_predict(ridge(RidgeCV(grid)), rows, said, cv=10)
        fitted = ridge(RidgeCV(grid)).fit(rows, said)
    scaler, last = fitted[0], fitted[-1]
    weights = last.coef_ / scaler.scale_
    constant = float(last.intercept_ - weights @ scaler.mean_)
    found = Similarity(evidence, regressor, weights, constant)
    other, judged = rated("wordsim353.tsv", evidence.words)
    found.told = {
        "relations": {name: int(np.sum(worth == value)) for name, value in _RELATIONS.items()},
        "weights": [round(float(weight), 4) for weight in weights],
        "simlex999": {
            "pairs": len(people),
            "regressor alone": round(float(spearmanr(rows[:, 0], said)[0]), 3),
            "ten-fold": round(float(spearmanr(ten, said)[0]), 3),
        },
        "wordsim353": {
            "pairs": len(other),
            "similarity": _correlation(found.of(other), judged),
        }
        | {
            f"cosine, {name}": _correlation(_cosines(space, *parted(other)), judged)
            for name, space in evidence.spaces.items()
        },
    }
    return found


def _correlation(found: Values, judged: NDArray[np.float64]) -> float | None:
    from scipy.stats import spearmanr

    if len(found) < 3 or np.ptp(found) == 0:
        return None
    return round(float(spearmanr(found, judged)[0]), 3)


_RELATIONS = {
    "synonym": SYNONYM,
    "above": ABOVE,
    "sibling": SIBLING,
    "opposite": OPPOSITE,
    "random": RANDOM,
}


def _people_features(evidence: Evidence, regressor: Any, keys: Keys) -> NDArray[np.float64]:
    """Return the ridge regression's features: regressor, cosine in English, WordNet's features."""
    columns = [regressor.predict(evidence.features(keys))]
    if "english" in evidence.spaces:
        columns.append(_cosines(evidence.spaces["english"], *parted(keys)))
    if evidence.senses is not None:
        columns += list(evidence.senses.of(keys).T)
    return np.column_stack(columns).astype(np.float64)


def people_names(evidence: Evidence) -> list[str]:
    """Return the names of the ridge regression's features."""
    english = ["cosine in English"] if "english" in evidence.spaces else []
    return ["regressor", *english, *(_senses.FEATURES if evidence.senses is not None else ())]


def examples(wordnet: WordNet, words: list[str], seed: int) -> tuple[Keys, NDArray[np.float64]]:
    """Return pairs of words that WordNet relates, or random pairs, and their targets."""
    rng = np.random.default_rng(seed)
    place = {
        word: i
        for i, word in enumerate(words[:LEARNED])
        if len(word) > SHORT and word in wordnet.meanings
    }
    known = np.array(list(place.values()), dtype=np.int64)
    meanings = {word: [one for one, _ in wordnet.senses(word, MEANINGS)] for word in place}
    rows: list[tuple[int, int, float]] = []
    families: dict[int, list[str]] = {}
    for word, i in place.items():
        for meaning in meanings[word]:
            above = wordnet.above[meaning][:1]
            for related, worth in ((meaning, SYNONYM), *((one, ABOVE) for one in above)):
                rows += [
                    (i, place[other], worth)
                    for other in wordnet.members[related]
                    if other in place and other != word and related in meanings[other]
                ]
        for general in wordnet.above[meanings[word][0]]:
            families.setdefault(general, []).append(word)
        rows += [(i, int(j), RANDOM) for j in rng.choice(known, RANDOM_EACH) if i != j]
    for general in sorted(families):
        family = families[general]
        for _ in range(min(len(family), SIBLINGS) if len(family) > 1 else 0):
            one, other = (family[k] for k in rng.choice(len(family), 2, replace=False))
            if not set(wordnet.meanings[one]) & set(wordnet.meanings[other]):
                rows.append((place[one], place[other], SIBLING))
    rows += [
        (place[one], place[other], OPPOSITE)
        for one, other in sorted(wordnet.opposite)
        if one in place and other in place and one != other
    ]
    found = np.array(rows, dtype=np.float64).reshape(-1, 3)
    ends = found[:, :2].astype(np.int64)
    return keys_of(ends[:, 0], ends[:, 1]), found[:, 2]


def rated(file: str, words: list[str]) -> tuple[Keys, NDArray[np.float64]]:
    """Return rated word pairs and their ratings from 0 to 1, from a file that gensim ships."""
    found = find_spec("gensim")
    folders = found.submodule_search_locations if found else None
    if not folders:
        raise CodeacumenError(
            "SimLex-999 and WordSim-353 come with gensim, which is not installed",
            "pip install 'codeacumen[embeddings]'",
        )
    place = {word: i for i, word in enumerate(words)}
    keys, values = [], []
    text = (Path(folders[0]) / "test" / "test_data" / file).read_text(encoding="utf-8")
    for line in text.splitlines():
        fields = line.lower().split("\t")
        if not line.startswith("#") and len(fields) == 3:
            left, right = (place.get(word, -1) for word in fields[:2])
            if min(left, right) >= 0 and left != right:
                keys.append(keys_of(np.array([left]), np.array([right]))[0])
                values.append(float(fields[2]) / 10)
    return np.array(keys, dtype=np.int64), np.array(values)


def _cosines(space: Matrix, left: Places, right: Places) -> Values:
    found = [
        np.einsum("ij,ij->i", space[left[i : i + BLOCK]], space[right[i : i + BLOCK]])
        for i in range(0, len(left), BLOCK)
    ]
    return np.concatenate([np.zeros(0, dtype=np.float32), *found])


def _looks(words: list[str], left: Places, right: Places) -> tuple[Values, Values]:
    """Return the edit similarity, and the common prefix as a share of the shorter word."""
    letters, starts = encode_letters(words)
    edits = compare_spellings(letters, starts, left, right).astype(np.float32)
    return edits, _beginnings(letters, starts, left, right)


@kernel
def _beginnings(letters: NDArray[np.uint32], starts: Places, left: Places, right: Places) -> Values:
    found = np.zeros(len(left), dtype=np.float32)
    for i in range(len(left)):
        one, other = starts[left[i]], starts[right[i]]
        shorter = min(starts[left[i] + 1] - one, starts[right[i] + 1] - other)
        same = 0
        while same < shorter and letters[one + same] == letters[other + same]:
            same += 1
        found[i] = same / max(shorter, 1)
    return found
