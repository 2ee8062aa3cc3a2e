"""Tests of an ensemble's learners. Oracles: scikit-learn's voting and cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, VotingRegressor
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from codeacumen.api import CodeacumenError
from codeacumen.models import ensemble
from codeacumen.models.ensemble import LEARNERS, SINGLE, fit_regression, select_learner
from codeacumen.registry import make_model


def make_data(seed: int, size: int = 60) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(size, 3)) * [1, 10, 100]
    return inputs, inputs[:, 0] + 0.02 * inputs[:, 1] ** 2 + random.normal(size=size) * 0.1


def test_learner_both_equals_voting_of_scikit_learn() -> None:
    inputs, truths = make_data(0)
    vote = VotingRegressor(
        [
            ("svr", make_pipeline(StandardScaler(), SVR())),
            ("trees", ExtraTreesRegressor(60, min_samples_leaf=3, random_state=0)),
        ]
    ).fit(inputs, truths)
    new_inputs = make_data(1)[0]
    np.testing.assert_allclose(
        fit_regression("both", inputs, truths)(new_inputs), vote.predict(new_inputs)
    )


@pytest.mark.parametrize("seed", range(3))
def test_best_learner_equals_that_of_cross_validation(seed: int) -> None:
    """The oracle is scikit-learn's cross-validation on the same folds."""
    from scipy.stats import spearmanr

    inputs, truths = make_data(seed)
    folds = list(ensemble._split_folds(len(truths)))
    svr = cross_val_predict(make_pipeline(StandardScaler(), SVR()), inputs, truths, cv=folds)
    forest = ExtraTreesRegressor(60, min_samples_leaf=3, random_state=0)
    trees = cross_val_predict(forest, inputs, truths, cv=folds)
    correlations = [
        spearmanr(predictions, truths)[0] for predictions in (svr, trees, (svr + trees) / 2)
    ]
    assert select_learner(inputs, truths) == SINGLE[int(np.argmax(correlations))]


def test_each_row_is_held_out_once() -> None:
    held_out = [test_rows for _, test_rows in ensemble._split_folds(13)]
    assert sorted(np.concatenate(held_out)) == list(range(13))
    assert all(
        not set(train_rows) & set(test_rows) for train_rows, test_rows in ensemble._split_folds(13)
    )


def test_learner_chosen_predicts_like_the_best() -> None:
    inputs, truths = make_data(2)
    new_inputs = make_data(3)[0]
    expected = fit_regression(select_learner(inputs, truths), inputs, truths)(new_inputs)
    np.testing.assert_array_equal(fit_regression("chosen", inputs, truths)(new_inputs), expected)


def test_best_is_svr_with_too_few_rows() -> None:
    inputs, truths = make_data(0, size=5)
    assert select_learner(inputs, truths) == "svr"


def test_unknown_learner_is_reported() -> None:
    with pytest.raises(CodeacumenError, match="no learner 'forest'") as caught:
        make_model("ensemble:levenshtein,jaro-winkler,learner=forest")
    assert caught.value.hint == f"choose one of {', '.join(LEARNERS)}"
