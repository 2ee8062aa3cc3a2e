"""The learners of an ensemble. Oracles: scikit-learn's voting and cross-validation."""

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
from codeacumen.models.ensemble import LEARNERS, SINGLE, best, trained
from codeacumen.registry import make_model


def rows(seed: int, size: int = 60) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(size, 3)) * [1, 10, 100]
    return inputs, inputs[:, 0] + 0.02 * inputs[:, 1] ** 2 + random.normal(size=size) * 0.1


def test_both_is_scikit_learns_vote() -> None:
    inputs, truths = rows(0)
    vote = VotingRegressor(
        [
            ("svr", make_pipeline(StandardScaler(), SVR())),
            ("trees", ExtraTreesRegressor(60, min_samples_leaf=3, random_state=0)),
        ]
    ).fit(inputs, truths)
    new = rows(1)[0]
    np.testing.assert_allclose(trained("both", inputs, truths)(new), vote.predict(new))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_is_that_of_cross_validation(seed: int) -> None:
    """By scikit-learn's own cross-validation on the same folds."""
    from scipy.stats import spearmanr

    inputs, truths = rows(seed)
    folds = list(ensemble._folds(len(truths)))
    svr = cross_val_predict(make_pipeline(StandardScaler(), SVR()), inputs, truths, cv=folds)
    forest = ExtraTreesRegressor(60, min_samples_leaf=3, random_state=0)
    trees = cross_val_predict(forest, inputs, truths, cv=folds)
    ranked = [spearmanr(one, truths)[0] for one in (svr, trees, (svr + trees) / 2)]
    assert best(inputs, truths) == SINGLE[int(np.argmax(ranked))]


def test_folds_hold_each_row_out_once() -> None:
    held = [out for _, out in ensemble._folds(13)]
    assert sorted(np.concatenate(held)) == list(range(13))
    assert all(not set(rest) & set(out) for rest, out in ensemble._folds(13))


def test_what_was_chosen_is_what_predicts() -> None:
    inputs, truths = rows(2)
    new = rows(3)[0]
    wanted = trained(best(inputs, truths), inputs, truths)(new)
    np.testing.assert_array_equal(trained("chosen", inputs, truths)(new), wanted)


def test_too_few_to_choose_by() -> None:
    inputs, truths = rows(0, size=5)
    assert best(inputs, truths) == "svr"


def test_an_unknown_learner_is_told() -> None:
    with pytest.raises(CodeacumenError, match="no learner 'forest'") as caught:
        make_model("ensemble:levenshtein,jaro-winkler,learner=forest")
    assert caught.value.hint == f"choose one of {', '.join(LEARNERS)}"
