"""Oracles: scipy.stats.bootstrap for BCa, statsmodels for Wilson, Holm and McNemar."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm, spearmanr
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from codeacumen import metrics
from codeacumen.runs.statistics import (
    bootstrap_p,
    bootstrap_weights,
    cluster_index,
    holm,
    interval,
    jackknife_weights,
    mcnemar_p,
    point,
    replicates,
    smallest_visible,
    wilson_interval,
)


def correlated(n: int, strength: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return np.array([x, strength * x + rng.normal(size=n)])


@pytest.mark.parametrize(("n", "strength"), [(40, 0.3), (150, 1.0), (300, 3.0)])
def test_the_interval_of_a_correlation_is_scipys_bca(n: int, strength: float) -> None:
    columns = correlated(n, strength)
    ours = interval(metrics.spearman, columns, confidence=0.95, resamples=9000, seed=1)
    theirs = bootstrap(
        (columns[0], columns[1]),
        lambda x, y: spearmanr(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=4000,
        method="BCa",
        rng=np.random.default_rng(2),
    ).confidence_interval
    # Two independent draws of resamples: the ends agree up to their Monte Carlo error.
    width = theirs.high - theirs.low
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.06 * width)


@given(st.integers(1, 500), st.data())
def test_wilson_is_statsmodels(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    expected = proportion_confint(right, n, alpha=0.05, method="wilson")
    assert wilson_interval(right / n, n, 0.95) == pytest.approx(expected, abs=1e-9)


def test_a_perfect_accuracy_still_has_an_interval() -> None:
    low, high = interval(metrics.accuracy, np.ones((1, 20)), confidence=0.95, resamples=500, seed=0)
    assert low == pytest.approx(0.839, abs=0.001)
    assert high == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # statsmodels collects all garbage of the process at each call.
        patch.setattr("gc.collect", lambda: 0)
        expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(holm(p_values), expected)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_statsmodels(only_first: int, only_second: int) -> None:
    table = [[10, only_first], [only_second, 10]]
    expected = mcnemar(table, exact=True).pvalue
    assert mcnemar_p(only_first, only_second) == pytest.approx(min(1.0, expected))


def test_resamples_hold_as_many_rows_as_the_sample() -> None:
    for block in bootstrap_weights(50, 100, seed=3):
        assert (block.sum(axis=1) == 50).all()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded by drawing in blocks; the draws must not depend on their size."""
    columns = correlated(60, 1.0)
    (whole,) = replicates(metrics.spearman, [columns], 200, seed=4)
    monkeypatch.setattr("codeacumen.runs.statistics.BLOCK", 60 * 7)
    (pieces,) = replicates(metrics.spearman, [columns], 200, seed=4)
    np.testing.assert_array_equal(pieces, whole)


def test_copies_of_an_instance_in_one_cluster_add_no_certainty() -> None:
    """Every row three times, as one cluster: the interval must be that of the single rows."""
    columns = correlated(80, 1.0)
    single = interval(metrics.spearman, columns, confidence=0.95, resamples=4000, seed=5)
    tripled = np.repeat(columns, 3, axis=1)
    clusters = cluster_index([f"c{i:03}" for i in range(80) for _ in range(3)])
    clustered = interval(
        metrics.spearman, tripled, confidence=0.95, resamples=4000, seed=5, clusters=clusters
    )
    naive = interval(metrics.spearman, tripled, confidence=0.95, resamples=4000, seed=5)
    assert clustered == pytest.approx(single, abs=0.02)
    assert naive[1] - naive[0] < 0.7 * (clustered[1] - clustered[0])


def test_no_cluster_means_every_instance_for_itself() -> None:
    assert cluster_index(["", "", ""]) is None
    mixed = cluster_index(["", "a", "", "a"])
    assert mixed[1] == mixed[3]
    assert len(set(mixed)) == 3


def test_the_jackknife_leaves_each_unit_out_once() -> None:
    weights = jackknife_weights(7)
    np.testing.assert_array_equal(weights, 1 - np.eye(7))
    many = jackknife_weights(1200)
    assert len(many) == 500
    np.testing.assert_array_equal((1 - many).sum(axis=0), np.ones(1200))


def test_p_values_of_equal_models_are_uniform() -> None:
    """Under the null about one test in twenty may fall below 0.05: here, two models whose
    answers are equally noisy copies of the truth."""
    below = 0
    trials = 300
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=60)
        first, second = truth + rng.normal(size=60), truth + rng.normal(size=60)
        tables = [np.array([truth, answers]) for answers in (first, second)]
        one, two = replicates(metrics.spearman, tables, 400, seed)
        below += bootstrap_p(one - two) < 0.05
    assert 0.02 <= below / trials <= 0.09


def test_the_smallest_visible_difference_is_seen_four_times_in_five() -> None:
    """Its meaning, simulated: z-tests of a true effect of that size."""
    effect = smallest_visible(1.0, 0.95)
    z = np.random.default_rng(7).normal(effect, 1.0, size=100_000)
    assert np.mean(np.abs(z) > norm.ppf(0.975)) == pytest.approx(0.8, abs=0.005)


def test_a_statistic_of_nothing_is_undefined() -> None:
    assert np.isnan(point(metrics.accuracy, np.empty((1, 0))))


def test_a_cluster_of_one_is_no_cluster() -> None:
    assert cluster_index(["a", "b", "", "c"]) is None


@pytest.mark.parametrize("clusters", [40, 10])
def test_all_right_has_a_width_in_clusters_too(clusters: int) -> None:
    index = cluster_index([f"c{i % clusters}" for i in range(40)])
    low, high = interval(
        metrics.accuracy, np.ones((1, 40)), confidence=0.95, resamples=500, seed=0, clusters=index
    )
    assert (low, high) == pytest.approx(wilson_interval(1.0, clusters, 0.95))


def test_no_interval_where_a_third_of_the_resamples_is_undefined() -> None:
    """One positive in 40: a resample lacks it with probability (39/40)^40 = 0.36."""
    columns = np.array([np.eye(40)[0], np.arange(40.0)])
    assert interval(metrics.roc_auc, columns, confidence=0.95, resamples=2000, seed=0) is None
