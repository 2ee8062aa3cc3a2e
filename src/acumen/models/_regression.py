"""Regressions on a few hundred rows of a few columns: what an ensemble is made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from acumen.api import Floats

Rows: TypeAlias = "NDArray[np.float64]"
Predict: TypeAlias = Callable[[Rows], "Floats"]

CHOSEN = "chosen"
SINGLE = ("svr", "trees", "both")
LINEAR = "linear"
LEARNERS = (*SINGLE, LINEAR, CHOSEN)
# Enough for the mean to settle; each leaf holds a few pairs, since ratings are noisy.
_TREES, _LEAF = 60, 3
_FOLDS = 5


def trained(learner: str, inputs: Rows, truths: Floats) -> Predict:
    if learner == CHOSEN:
        learner = best(inputs, truths)
    if learner == LINEAR:
        return _line(inputs, truths)
    if learner == "svr":
        return _vectors(inputs, truths)
    if learner == "trees":
        return _trees(inputs, truths)
    one, other = _vectors(inputs, truths), _trees(inputs, truths)
    return lambda rows: (one(rows) + other(rows)) / 2


def best(inputs: Rows, truths: Floats) -> str:
    """The learner whose predictions rank held-out rows best; the simpler one among equals."""
    from scipy.stats import spearmanr

    if len(truths) < 2 * _FOLDS:
        return SINGLE[0]
    predicted = {name: np.empty(len(truths)) for name in ("svr", "trees")}
    for rest, held in _folds(len(truths)):
        predicted["svr"][held] = _vectors(inputs[rest], truths[rest])(inputs[held])
        predicted["trees"][held] = _trees(inputs[rest], truths[rest])(inputs[held])
    predicted["both"] = (predicted["svr"] + predicted["trees"]) / 2
    ranked = {name: np.nan_to_num(spearmanr(predicted[name], truths)[0]) for name in SINGLE}
    return max(SINGLE, key=lambda name: ranked[name])


def _folds(size: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    order = np.random.default_rng(0).permutation(size)
    for fold in range(_FOLDS):
        held = np.sort(order[fold::_FOLDS])
        yield np.setdiff1d(order, held), held


def _vectors(inputs: Rows, truths: Floats) -> Predict:
    """As the paper has it: scaled inputs, the library's defaults."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    predict: Predict = make_pipeline(StandardScaler(), SVR()).fit(inputs, truths).predict
    return predict


def _line(inputs: Rows, truths: Floats) -> Predict:
    """Ridge regression: members that agree share the weight. How much they are held back is chosen
    inside the rows it is given."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    line = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-1, 4, 11)))
    predict: Predict = line.fit(inputs, truths).predict
    return predict


def _trees(inputs: Rows, truths: Floats) -> Predict:
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(_TREES, min_samples_leaf=_LEAF, random_state=0)
    predict: Predict = forest.fit(inputs, truths).predict
    return predict
