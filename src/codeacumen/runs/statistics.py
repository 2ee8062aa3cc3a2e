"""Intervals and tests for scores. A resample is a vector of weights.

``weights[b, i]`` is the number of times that instance i occurs in resample b. Every metric is a
function of weights, so the bootstrap, the jackknife and the paired bootstrap are matrix operations,
and two models are resampled together by applying the same weights to both.

n is the number of instances, k the number of columns that a metric observes. A unit is what is
sampled: a cluster of instances, or an instance if there are no clusters. A draw, or replicate, is
the metric's value in one resample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from codeacumen.api import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codeacumen.api import Floats

    # For each instance, the index of its cluster, from 0.
    Clusters: TypeAlias = NDArray[np.intp]

# Weights in a block (rows times columns); the limit keeps memory from growing with the data.
BLOCK_SIZE = 1 << 22
# Maximum number of groups of units; without groups, the jackknife's matrix would be quadratic.
JACKKNIFE_GROUPS = 500
# Largest share of resamples in which a statistic may be undefined.
MAX_UNDEFINED = 0.05
# Probability that a test detects the smallest visible difference.
POWER = 0.8


def number_clusters(clusters: Sequence[str]) -> Clusters | None:
    """Return the index of each instance's cluster, or None if every cluster has one instance.

    An instance whose cluster has no name is a cluster of its own.
    """
    named_clusters = [cluster for cluster in clusters if cluster]
    if len(set(named_clusters)) == len(named_clusters):
        return None
    unit_names = [cluster or f"\0{i}" for i, cluster in enumerate(clusters)]
    _, index = np.unique(unit_names, return_inverse=True)
    return index.astype(np.intp)


def count_units(n: int, clusters: Clusters | None) -> int:
    """Return the number of independent units: clusters, or instances without clusters."""
    return n if clusters is None else int(clusters.max()) + 1


def bootstrap_weights(
    n: int, resamples: int, seed: int, clusters: Clusters | None = None
) -> Iterator[Floats]:
    """Yield the weights of ``resamples`` bootstrap samples, in blocks of shape (rows, n).

    With clusters, whole clusters are sampled, and their instances share a weight.
    """
    rng = np.random.default_rng(seed)
    units = count_units(n, clusters)
    rows = max(1, BLOCK_SIZE // max(n, units))
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        sampled_units = rng.integers(0, units, size=(count, units))
        # Give each row numbers of its own, so that one ``bincount`` counts all rows.
        sampled_units += np.arange(count)[:, None] * units
        weights = np.bincount(sampled_units.ravel(), minlength=count * units).reshape(count, units)
        block: Floats = weights.astype(float)
        yield block if clusters is None else block[:, clusters]


def jackknife_weights(n: int, clusters: Clusters | None = None) -> Floats:
    """Return the weights of the jackknife, of shape (groups, n): row g omits group g of the units.

    A group is a single unit if there are at most ``JACKKNIFE_GROUPS``.
    """
    unit = np.arange(n) if clusters is None else clusters
    groups = min(int(unit.max()) + 1, JACKKNIFE_GROUPS)
    weights: Floats = (unit[None, :] % groups != np.arange(groups)[:, None]).astype(float)
    return weights


def compute_replicates(
    metric: Metric,
    tables: Sequence[Floats],
    resamples: int,
    seed: int,
    clusters: Clusters | None = None,
) -> list[Floats]:
    """Return the metric's values in the bootstrap samples, of shape (resamples,), for each table.

    A table has the columns of a model, of shape (k, n). A value is nan if the metric is undefined
    in the sample. All tables use the same resamples, so that differences of models are paired.
    """
    n = tables[0].shape[1]
    values: list[list[Floats]] = [[] for _ in tables]
    for weights in bootstrap_weights(n, resamples, seed, clusters):
        for table, table_values in zip(tables, values, strict=True):
            table_values.append(metric.statistic(table, weights))
    return [np.concatenate(table_values) for table_values in values]


def compute_statistic(metric: Metric, columns: Floats) -> float:
    """Return the metric's value on columns of shape (k, n), each instance once; nan if n is 0."""
    n = columns.shape[1]
    if n == 0:
        return math.nan
    return float(metric.statistic(columns, np.ones((1, n)))[0])


def wilson_interval(value: float, n: int, confidence: float) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion, which has a width at 0 and 1 too."""
    z = float(ndtri((1 + confidence) / 2))
    centre = (value + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(value * (1 - value) / n + z * z / (4 * n * n))
    # Rounding must not put the value outside its own interval.
    return max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))


def bca_interval(
    value: float, draws: Floats, jackknife: Floats, confidence: float
) -> tuple[float, float] | None:
    """Return the bias-corrected and accelerated bootstrap interval (BCa, Efron 1987).

    ``draws`` are the values in the resamples, ``jackknife`` those without each group of units. None
    if too many draws are undefined: the rest would be a biased selection.
    """
    defined = np.isfinite(draws)  # nan: undefined in this resample
    if not math.isfinite(value) or np.mean(defined) < 1 - MAX_UNDEFINED:
        return None
    draws = draws[defined]
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    # The share below the value, with ties split: rank metrics of small samples have many ties.
    share_below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    leave_one = jackknife[np.isfinite(jackknife)]
    if 0 < share_below < 1 and len(leave_one) > 1:
        bias = ndtri(share_below)
        spread = leave_one.mean() - leave_one
        scale = float((spread**2).sum()) ** 1.5
        acceleration = float((spread**3).sum()) / (6 * scale) if scale > 0 else 0.0
        z = bias + ndtri(tails)
        tails = ndtr(bias + z / (1 - acceleration * z))
    low, high = np.quantile(draws, tails)
    return float(low), float(high)


def compute_interval(
    metric: Metric,
    columns: Floats,
    *,
    confidence: float,
    resamples: int,
    seed: int,
    clusters: Clusters | None = None,
) -> tuple[float, float] | None:
    """Return the interval of a score: Wilson's for plain proportions, else the BCa bootstrap.

    None if the interval is undefined.
    """
    value = compute_statistic(metric, columns)
    n = columns.shape[1]
    if not math.isfinite(value):
        return None
    # If all answers are right, or all wrong, all resamples are equal; Wilson's has a width.
    if metric.proportion and (clusters is None or value in (0.0, 1.0)):
        return wilson_interval(value, count_units(n, clusters), confidence)
    (draws,) = compute_replicates(metric, [columns], resamples, seed, clusters)
    leave_one = metric.statistic(columns, jackknife_weights(n, clusters))
    return bca_interval(value, draws, leave_one, confidence)


def apply_holm_correction(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in the given order."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return [float(value) for value in adjusted]


def bootstrap_p(differences: Floats) -> float:
    """Return the two-sided p-value of a difference, from the rank of 0 in its bootstrap values."""
    draws = differences[np.isfinite(differences)]
    below = (np.count_nonzero(draws < 0) + np.count_nonzero(draws <= 0)) / 2
    smaller = min(below, len(draws) - below)
    return float(min(1.0, 2 * (smaller + 1) / (len(draws) + 1)))


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the p-value of the exact McNemar test, from the numbers of instances that only one of
    two models answers correctly."""
    from scipy.stats import binomtest

    discordant = only_first + only_second
    return float(binomtest(only_first, discordant).pvalue) if discordant else 1.0


def smallest_visible(standard_error: float, confidence: float) -> float:
    """Return the smallest true difference that a test detects with a power of ``POWER``."""
    return float((ndtri((1 + confidence) / 2) + ndtri(POWER)) * standard_error)
