"""The ensemble of IdBench, section III-D: support vector regression on other models' scores.

Its features are the members' scores and, for each identifier, the length, the number of subtokens,
and how many subtokens are English words and how many are not. Texts that are not names, such as
the source of a method, have the scores as their only features. The regression is trained on all
pairs but the one it predicts. A pair that a member cannot score is left out of the training and
gets no prediction.

There are five learners. ``svr`` is the paper's. ``trees`` are extremely randomised trees, ``both``
is the mean of the two, and ``linear`` is ridge regression, which does better than the others on
methods without names. ``chosen`` selects among the first three by cross-validation inside the
training pairs: the selection is nested, so the predicted pair has no part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import (
    Capability,
    CodeacumenError,
    Example,
    Learner,
    Pair,
    Prepares,
    Restricted,
    Supervision,
    get_batch_size,
)
from codeacumen.models.adapters import Ask, ask_each, ask_through, find_route, list_capabilities
from codeacumen.registry import LoadedModel, compute_fingerprint, make_model, model
from codeacumen.text.english import is_english
from codeacumen.text.subtokens import split_subtokens

if TYPE_CHECKING:
    from codeacumen.api import Floats

Rows: TypeAlias = "NDArray[np.float64]"
Predict: TypeAlias = Callable[[Rows], "Floats"]

CHOSEN = "chosen"
# Learners among which ``chosen`` selects, the simpler first.
SINGLE = ("svr", "trees", "both")
LINEAR = "linear"
LEARNERS = (*SINGLE, LINEAR, CHOSEN)
# Number of trees, enough for their mean to settle; minimum number of pairs in a leaf, more than one
# because ratings are noisy.
_TREES, _LEAF = 60, 3
# Folds of the cross-validation that selects a learner.
_FOLDS = 5


def fit_regression(learner: str, inputs: Rows, truths: Floats) -> Predict:
    """Return the predict function of a fitted regression; ``learner`` is one of ``LEARNERS``."""
    if learner == CHOSEN:
        learner = select_learner(inputs, truths)
    if learner == LINEAR:
        return _fit_ridge(inputs, truths)
    if learner == "svr":
        return _fit_svr(inputs, truths)
    if learner == "trees":
        return _fit_trees(inputs, truths)
    predict_svr, predict_trees = _fit_svr(inputs, truths), _fit_trees(inputs, truths)
    return lambda rows: (predict_svr(rows) + predict_trees(rows)) / 2


def select_learner(inputs: Rows, truths: Floats) -> str:
    """Return the learner with the best Spearman correlation on held-out rows.

    Ties, and data too small for folds of two rows, go to the simpler learner.
    """
    from scipy.stats import spearmanr

    if len(truths) < 2 * _FOLDS:
        return SINGLE[0]
    predicted = {name: np.empty(len(truths)) for name in ("svr", "trees")}
    for rest, held in _split_folds(len(truths)):
        predicted["svr"][held] = _fit_svr(inputs[rest], truths[rest])(inputs[held])
        predicted["trees"][held] = _fit_trees(inputs[rest], truths[rest])(inputs[held])
    predicted["both"] = (predicted["svr"] + predicted["trees"]) / 2
    ranked = {name: np.nan_to_num(spearmanr(predicted[name], truths)[0]) for name in SINGLE}
    return max(SINGLE, key=lambda name: ranked[name])


def _split_folds(size: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the indices of training and held-out rows of each cross-validation fold."""
    order = np.random.default_rng(0).permutation(size)
    for fold in range(_FOLDS):
        held = np.sort(order[fold::_FOLDS])
        yield np.setdiff1d(order, held), held


def _fit_svr(inputs: Rows, truths: Floats) -> Predict:
    """Return the predict function of the paper's support vector regression.

    Inputs are scaled, and all parameters are scikit-learn's defaults.
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    predict: Predict = make_pipeline(StandardScaler(), SVR()).fit(inputs, truths).predict
    return predict


def _fit_ridge(inputs: Rows, truths: Floats) -> Predict:
    """Return the predict function of a ridge regression, in which correlated members share weight.

    Cross-validation inside the given rows selects the strength of the penalty.
    """
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    regression = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-1, 4, 11)))
    predict: Predict = regression.fit(inputs, truths).predict
    return predict


def _fit_trees(inputs: Rows, truths: Floats) -> Predict:
    """Return the predict function of extremely randomised trees."""
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(_TREES, min_samples_leaf=_LEAF, random_state=0)
    predict: Predict = forest.fit(inputs, truths).predict
    return predict


# The paper's seven members, in the order of its script.
PAPER_MEMBERS = ("ft-cbow", "ft-sg", "w2v-sg", "w2v-cbow", "path-based", "lv", "nw")


def identifier_features(left: str, right: str) -> list[float]:
    """Return lengths, subtoken counts, and counts of English and other subtokens of two names."""
    left_subtokens, right_subtokens = split_subtokens(left), split_subtokens(right)
    english = [sum(map(is_english, tokens)) for tokens in (left_subtokens, right_subtokens)]
    return [
        len(left),
        len(right),
        len(left_subtokens),
        len(right_subtokens),
        english[0],
        len(left_subtokens) - english[0],
        english[1],
        len(right_subtokens) - english[1],
    ]


def _is_name(text: str) -> bool:
    """Return True if the text has no white space, and so is a name rather than source code."""
    return not any(map(str.isspace, text))


def _make_scorer(member: LoadedModel) -> Ask:
    """Return a function that scores pairs with a member, or raise an error if it cannot."""
    own_capabilities = list_capabilities(member.model)
    reason = ""
    if isinstance(member.model, Learner):
        reason = "it learns from labels itself"
    elif find_route(own_capabilities, Capability.SIMILARITY) is None:
        reason = f"it has {', '.join(own_capabilities)}, but similarity is needed"
    if reason:
        raise CodeacumenError(f"{member.reference!r} cannot be a member of an ensemble: {reason}")
    call = ask_through(member.model, Capability.SIMILARITY)
    size = get_batch_size(member.model)
    return lambda pairs: ask_each(call, pairs, size)


def _is_score(answer: Any) -> bool:
    """Return True if a member's answer is a finite number, and not a failure."""
    return (
        answer is not None
        and not isinstance(answer, bool | str | BaseException)
        and math.isfinite(answer)
    )


class Ensemble:
    """Regression on the members' scores; a pair that a member cannot score gets no answer."""

    supervision: Supervision = "leave-one-out"

    def __init__(
        self, members: Sequence[LoadedModel], features: bool, learner: str = "svr"
    ) -> None:
        self.members = [_make_scorer(member) for member in members]
        self.prepare_functions = [
            member.model.prepare for member in members if isinstance(member.model, Prepares)
        ]
        self.features, self.learner = features, learner
        self.fingerprint = " ".join(compute_fingerprint(member) for member in members)
        self.only = tuple(
            dict.fromkeys(
                name
                for member in members
                if isinstance(member.model, Restricted)
                for name in member.model.only
            )
        )
        self._rows: dict[Pair, list[float] | None] = {}
        self._regression: Predict | None = None

    def prepare(self, texts: Sequence[str]) -> None:
        for prepare_member in self.prepare_functions:
            prepare_member(texts)
        # The members' scores depend on the texts that they prepared.
        self._rows.clear()

    def _compute_inputs(self, pairs: Sequence[Pair]) -> list[list[float] | None]:
        """Return a row of features for each pair, or None where a member has no score.

        Rows are cached, because leave-one-out needs each pair in every fold.
        """
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._rows]
        if new:
            columns = [ask(new) for ask in self.members]
            for pair, *scores in zip(new, *columns, strict=True):
                row = None
                if all(map(_is_score, scores)):
                    row = [float(score) for score in scores]
                    if self.features and _is_name(pair.left) and _is_name(pair.right):
                        row += identifier_features(pair.left, pair.right)
                self._rows[pair] = row
        return [self._rows[pair] for pair in pairs]

    def fit(self, examples: Sequence[Example]) -> None:
        rows = self._compute_inputs([example.input for example in examples])  # type: ignore[misc]
        scored = [
            (row, example.truth)
            for row, example in zip(rows, examples, strict=True)
            if row is not None
        ]
        if not scored:
            self._regression = None
            return
        inputs, truths = (np.array(column) for column in zip(*scored, strict=True))
        self._regression = fit_regression(self.learner, inputs, truths)

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        if self._regression is None:
            return [None] * len(pairs)
        rows = self._compute_inputs(pairs)
        scored_rows = [row for row in rows if row is not None]
        predicted: Floats = self._regression(np.array(scored_rows)) if scored_rows else np.empty(0)
        values = iter(predicted)
        return [None if row is None else float(next(values)) for row in rows]


def check_learner(learner: str) -> None:
    """Raise an error unless the learner exists."""
    if learner not in LEARNERS:
        raise CodeacumenError(
            f"there is no learner {learner!r}", f"choose one of {', '.join(LEARNERS)}"
        )


@model("ensemble")
def make_ensemble(*members: str, features: bool = True, learner: str = "svr") -> Ensemble:
    """Regression on other models' scores (ensemble:MEMBER,MEMBER,...,learner=svr)"""
    check_learner(learner)
    loaded_members = [make_model(reference) for reference in members or PAPER_MEMBERS]
    return Ensemble(loaded_members, features, learner)
