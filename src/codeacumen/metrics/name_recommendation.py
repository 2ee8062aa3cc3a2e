"""Metrics of name recommendation: shared subtokens, and exact match.

Two ways of counting are in use, and they give different numbers for the same answers:

* **Per name** (ReName4J, section 3.4): a name is the set of its subtokens, ignoring case. Precision
  is the share of the recommended set that is right, recall the share of the right set that is
  recommended, F1 their harmonic mean; all three are averaged over the names. ReName4J's Table 2
  prints the harmonic mean of the two averages instead of the averaged F1: ``name_f1_of_means``.
* **Over the corpus** (code2seq): subtokens are counted over all names together, with repetition, so
  that long names weigh more. A name with the letters of the right one is right, however it is
  split.

A missing answer and a name without subtokens have precision, recall and F1 of 0, unless the right
name has no subtokens either and equals the answer.

In all functions, ``split`` splits a name into subtokens, ``truth`` is the right name and ``name``
the recommended one. All values are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from codeacumen.api import Json, Metric
from codeacumen.metrics.general import MeanMetric, target_value
from codeacumen.metrics.prediction_change import SUBTOKEN_SCORES, Split, divide

if TYPE_CHECKING:
    from codeacumen.api import Floats


def lower_subtokens(split: Split, name: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in split(name))


def compute_set_scores(split: Split, truth: str, name: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one name, counted per name.

    >>> compute_set_scores(str.split, "create topic", "create topic partition")
    (0.6666666666666666, 1.0, 0.8)
    """
    truth_subtokens, name_subtokens = (
        set(lower_subtokens(split, truth)),
        set(lower_subtokens(split, name)),
    )
    if not truth_subtokens or not name_subtokens:
        is_same = float(truth == name)
        return is_same, is_same, is_same
    shared = len(truth_subtokens & name_subtokens)
    return (
        shared / len(name_subtokens),
        shared / len(truth_subtokens),
        2 * shared / (len(name_subtokens) + len(truth_subtokens)),
    )


def count_corpus_subtokens(split: Split, truth: str, name: str) -> tuple[int, int, int]:
    """Return the numbers of true positive, false positive and false negative subtokens.

    They are counted as in code2seq's evaluation.
    """
    truth_subtokens, name_subtokens = lower_subtokens(split, truth), lower_subtokens(split, name)
    if "".join(truth_subtokens) == "".join(name_subtokens):
        return len(truth_subtokens), 0, 0
    true = sum(token in truth_subtokens for token in name_subtokens)
    missed = sum(token not in name_subtokens for token in truth_subtokens)
    return true, len(name_subtokens) - true, missed


# Cached, because every metric observes each answer, in every evaluation set.
_set_scores = lru_cache(maxsize=1 << 18)(compute_set_scores)
_corpus_counts = lru_cache(maxsize=1 << 18)(count_corpus_subtokens)


def read_name(answer: Json) -> str:
    """Return the name that a model answered; raise an error for any other kind of answer."""
    if not isinstance(answer, str):
        raise TypeError(f"expected a name, found {answer!r}")
    return answer


@dataclass(frozen=True, slots=True)
class F1OfMeansMetric:
    """Harmonic mean of the mean precision and the mean recall per name."""

    name: str
    title: str
    split: Split
    unanswered: tuple[float, ...] | None = (0.0, 0.0)
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        precision, recall, _ = _set_scores(self.split, target_value(truth), read_name(answer))
        return precision, recall

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return divide(2 * sums[0] * sums[1], (sums[0] + sums[1]) * total, undefined=0.0)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class CorpusMetric:
    """Precision, recall or F1 of the subtokens of all names together.

    The false negatives of a missing answer depend on the right name, so ``unanswered`` cannot be a
    constant row: a task has to replace a missing answer by an empty name, or else the instance is
    left out.
    """

    name: str
    title: str
    split: Split
    score: Callable[[Floats, Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        true, false, missed = _corpus_counts(self.split, target_value(truth), read_name(answer))
        return float(true), float(false), float(missed)

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return self.score(sums[0], sums[1], sums[2])

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


# Position of each figure in the result of ``compute_set_scores``.
_SCORE_INDEX = {"precision": 0, "recall": 1, "f1": 2}
# Without predicted subtokens, precision is 0 and not undefined.
_CORPUS = {name: partial(score, undefined=0.0) for name, score in SUBTOKEN_SCORES.items()}
_TITLES = {"precision": "precision", "recall": "recall", "f1": "F1"}


def _score_per_name(split: Split, index: int) -> Callable[[Json, Json], float]:
    def score_name(truth: Json, answer: Json) -> float:
        return _set_scores(split, target_value(truth), read_name(answer))[index]

    return score_name


def _score_same_subtokens(split: Split) -> Callable[[Json, Json], float]:
    def score_name(truth: Json, answer: Json) -> float:
        truth_subtokens, name_subtokens = (
            lower_subtokens(split, target_value(truth)),
            lower_subtokens(split, read_name(answer)),
        )
        return float(
            truth_subtokens == name_subtokens
            and (bool(truth_subtokens) or target_value(truth) == answer)
        )

    return score_name


def _score_same_letters(truth: Json, answer: Json) -> float:
    return float(target_value(truth) == read_name(answer))


def name_f1(split: Split) -> Metric:
    """Return the main metric: F1 per name, averaged."""
    return MeanMetric("name_f1", "Subtoken F1, per name", _score_per_name(split, 2))


def corpus_metrics(split: Split) -> tuple[Metric, ...]:
    """Return precision, recall and F1 over the corpus."""
    return tuple(
        CorpusMetric(
            f"corpus_{figure}", f"Subtoken {_TITLES[figure]}, over all names", split, score
        )
        for figure, score in _CORPUS.items()
    )


def naming_metrics(split: Split) -> tuple[Metric, ...]:
    """Return the metrics of name recommendation other than ``name_f1``."""
    return (
        *(
            MeanMetric(
                f"name_{figure}",
                f"Subtoken {figure}, per name",
                _score_per_name(split, _SCORE_INDEX[figure]),
            )
            for figure in ("precision", "recall")
        ),
        F1OfMeansMetric(
            "name_f1_of_means", "Subtoken F1 of mean precision and recall, per name", split
        ),
        *corpus_metrics(split),
        MeanMetric("exact_match", "Exact match", _score_same_letters, proportion=True),
        MeanMetric(
            "same_subtokens",
            "The same subtokens, case aside",
            _score_same_subtokens(split),
            proportion=True,
        ),
    )
