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
    apply_holm_correction,
    bootstrap_p,
    bootstrap_weights,
    compute_interval,
    compute_replicates,
    compute_statistic,
    jackknife_weights,
    mcnemar_p,
    number_clusters,
    smallest_visible,
    wilson_interval,
)


def make_correlated(n: int, strength: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return np.array([x, strength * x + rng.normal(size=n)])


@pytest.mark.parametrize(("n", "strength"), [(40, 0.3), (150, 1.0), (300, 3.0)])
def test_interval_of_correlation_equals_bca_of_scipy(n: int, strength: float) -> None:
    columns = make_correlated(n, strength)
    ours = compute_interval(metrics.spearman, columns, confidence=0.95, resamples=9000, seed=1)
    theirs = bootstrap(
        (columns[0], columns[1]),
        lambda x, y: spearmanr(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=4000,
        method="BCa",
        rng=np.random.default_rng(2),
    ).confidence_interval
    # The resamples are independent: the bounds agree up to their Monte Carlo error.
    width = theirs.high - theirs.low
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.06 * width)


@given(st.integers(1, 500), st.data())
def test_wilson_equals_statsmodels(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    expected = proportion_confint(right, n, alpha=0.05, method="wilson")
    assert wilson_interval(right / n, n, 0.95) == pytest.approx(expected, abs=1e-9)


def test_perfect_accuracy_has_an_interval() -> None:
    low, high = compute_interval(
        metrics.accuracy, np.ones((1, 20)), confidence=0.95, resamples=500, seed=0
    )
    assert low == pytest.approx(0.839, abs=0.001)
    assert high == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_holm_equals_statsmodels(p_values: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # statsmodels runs a full garbage collection at each call.
        patch.setattr("gc.collect", lambda: 0)
        expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(apply_holm_correction(p_values), expected)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_statsmodels(only_first: int, only_second: int) -> None:
    table = [[10, only_first], [only_second, 10]]
    expected = mcnemar(table, exact=True).pvalue
    assert mcnemar_p(only_first, only_second) == pytest.approx(min(1.0, expected))


def test_resamples_have_as_many_rows_as_the_sample() -> None:
    for block in bootstrap_weights(50, 100, seed=3):
        assert (block.sum(axis=1) == 50).all()


def test_replicates_do_not_depend_on_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resampling in blocks bounds the memory; the samples must not depend on the block size."""
    columns = make_correlated(60, 1.0)
    (expected,) = compute_replicates(metrics.spearman, [columns], 200, seed=4)
    monkeypatch.setattr("codeacumen.runs.statistics.BLOCK_SIZE", 60 * 7)
    (in_small_blocks,) = compute_replicates(metrics.spearman, [columns], 200, seed=4)
    np.testing.assert_array_equal(in_small_blocks, expected)


def test_copies_in_one_cluster_do_not_narrow_the_interval() -> None:
    """Every row occurs three times, as one cluster: the interval must be that of the single
    rows."""
    columns = make_correlated(80, 1.0)
    single = compute_interval(metrics.spearman, columns, confidence=0.95, resamples=4000, seed=5)
    tripled = np.repeat(columns, 3, axis=1)
    clusters = number_clusters([f"c{i:03}" for i in range(80) for _ in range(3)])
    clustered = compute_interval(
        metrics.spearman, tripled, confidence=0.95, resamples=4000, seed=5, clusters=clusters
    )
    naive = compute_interval(metrics.spearman, tripled, confidence=0.95, resamples=4000, seed=5)
    assert clustered == pytest.approx(single, abs=0.02)
    assert naive[1] - naive[0] < 0.7 * (clustered[1] - clustered[0])


def test_instances_without_cluster_are_independent() -> None:
    assert number_clusters(["", "", ""]) is None
    mixed = number_clusters(["", "a", "", "a"])
    assert mixed[1] == mixed[3]
    assert len(set(mixed)) == 3


def test_jackknife_leaves_each_unit_out_once() -> None:
    weights = jackknife_weights(7)
    np.testing.assert_array_equal(weights, 1 - np.eye(7))
    many = jackknife_weights(1200)
    assert len(many) == 500
    np.testing.assert_array_equal((1 - many).sum(axis=0), np.ones(1200))


def test_p_values_of_equal_models_are_uniform() -> None:
    """Under the null hypothesis, about one test in twenty may fall below 0.05: both models' answers
    are equally noisy copies of the truth."""
    below = 0
    trials = 300
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=60)
        first, second = truth + rng.normal(size=60), truth + rng.normal(size=60)
        tables = [np.array([truth, answers]) for answers in (first, second)]
        first_replicates, second_replicates = compute_replicates(
            metrics.spearman, tables, 400, seed
        )
        below += bootstrap_p(first_replicates - second_replicates) < 0.05
    assert 0.02 <= below / trials <= 0.09


def test_smallest_visible_difference_has_power_of_four_fifths() -> None:
    """Simulate z-tests of a true effect of that size."""
    effect = smallest_visible(1.0, 0.95)
    z = np.random.default_rng(7).normal(effect, 1.0, size=100_000)
    assert np.mean(np.abs(z) > norm.ppf(0.975)) == pytest.approx(0.8, abs=0.005)


def test_statistic_of_no_rows_is_undefined() -> None:
    assert np.isnan(compute_statistic(metrics.accuracy, np.empty((1, 0))))


def test_clusters_of_one_instance_are_ignored() -> None:
    assert number_clusters(["a", "b", "", "c"]) is None


@pytest.mark.parametrize("clusters", [40, 10])
def test_perfect_accuracy_in_clusters_has_an_interval(clusters: int) -> None:
    index = number_clusters([f"c{i % clusters}" for i in range(40)])
    low, high = compute_interval(
        metrics.accuracy, np.ones((1, 40)), confidence=0.95, resamples=500, seed=0, clusters=index
    )
    assert (low, high) == pytest.approx(wilson_interval(1.0, clusters, 0.95))


def test_no_interval_if_many_resamples_are_undefined() -> None:
    """A resample lacks the only positive of 40 with probability (39/40)^40 = 0.36."""
    columns = np.array([np.eye(40)[0], np.arange(40.0)])
    assert (
        compute_interval(metrics.roc_auc, columns, confidence=0.95, resamples=2000, seed=0) is None
    )
