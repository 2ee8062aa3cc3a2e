"""Tests of method sampling: balance, sizes and seeds. Expected counts are written out by hand."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from numpy.typing import NDArray

from codeacumen.benchmarks.gluecode import sampling
from codeacumen.benchmarks.gluecode.sampling import (
    compute_sampling_number,
    compute_sampling_numbers,
)
from codeacumen.benchmarks.gluecode.specs import SPECS


def make_ids(count: int) -> NDArray[np.uint8]:
    data = b"".join(uuid.uuid5(uuid.NAMESPACE_URL, str(i)).bytes for i in range(count))
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, 16)


def test_sampling_numbers_depend_only_on_the_method() -> None:
    method_ids = make_ids(100)
    numbers = compute_sampling_numbers(7, "naming", method_ids)
    assert numbers.tolist() == [
        compute_sampling_number(7, "naming", bytes(method_id)) for method_id in method_ids
    ]
    assert (
        compute_sampling_numbers(7, "naming", method_ids[::-1]).tolist() == numbers[::-1].tolist()
    )
    assert len(set(numbers.tolist())) == 100
    for other in (
        compute_sampling_numbers(8, "naming", method_ids),
        compute_sampling_numbers(7, "npath", method_ids),
    ):
        assert not np.array_equal(numbers, other)


def test_sampling_numbers_are_spread_evenly() -> None:
    """Each sixteenth of the range has about 1,000 of 16,000 numbers; scipy is the oracle."""
    from scipy.stats import chisquare

    counts = np.bincount(
        (compute_sampling_numbers(0, "x", make_ids(16_000)) >> np.uint64(60)).astype(int),
        minlength=16,
    )
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("size", [12, 60, 96])
def test_sample_balanced_takes_equal_counts_per_class(size: int) -> None:
    label = np.arange(1000) % 13 - 1  # one method in thirteen has no class
    sample = sampling.sample_balanced(
        label, compute_sampling_numbers(0, "npath", make_ids(1000)), 12, size
    )
    assert np.bincount(sample.label).tolist() == [size // 12] * 12
    assert (label[sample.positions] == sample.label).all()


def test_rarest_class_limits_all_classes() -> None:
    label = np.array([0] * 50 + [1] * 3 + [2] * 20 + [-1] * 10)
    sample = sampling.sample_balanced(
        label, compute_sampling_numbers(0, "npath", make_ids(len(label))), 3, 300
    )
    assert np.bincount(sample.label).tolist() == [3, 3, 3]
    assert sample.missing == ()


def test_class_without_methods_is_reported_missing() -> None:
    label = np.array([0] * 50 + [2] * 20)
    sample = sampling.sample_balanced(
        label, compute_sampling_numbers(0, "npath", make_ids(len(label))), 3, 300
    )
    assert np.bincount(sample.label).tolist() == [20, 0, 20]
    assert sample.missing == (1,)


def test_each_method_is_sampled_for_one_operator() -> None:
    """Only if the rarest class chooses first can all four classes have ten of forty methods."""
    has_operator = np.zeros((40, 4), dtype=bool)
    has_operator[:, 0] = True
    has_operator[:30, 1] = True
    has_operator[:20, 2] = True
    has_operator[:10, 3] = True
    sample = sampling.sample_one_class_each(
        has_operator, compute_sampling_numbers(0, "operators", make_ids(40)), 1000
    )
    assert np.bincount(sample.label).tolist() == [10, 10, 10, 10]
    assert len(set(sample.positions.tolist())) == 40
    assert has_operator[sample.positions, sample.label].all()


def test_classes_that_share_methods_are_balanced() -> None:
    """Two classes that share three methods get one method each, not two of one class."""
    has_operator = np.array([[True, True]] * 3)
    sample = sampling.sample_one_class_each(
        has_operator, compute_sampling_numbers(0, "operators", make_ids(3)), 100
    )
    assert sorted(sample.label.tolist()) == [0, 1]


def test_sampling_from_nothing_is_empty() -> None:
    empty = sampling.sample_one_class_each(
        np.zeros((0, 3), dtype=bool), compute_sampling_numbers(0, "operators", make_ids(0)), 100
    )
    assert len(empty.positions) == 0
    assert empty.missing == (0, 1, 2)
    no_warnings = sampling.sample_warnings(
        np.zeros(5, bool),
        np.ones(5, bool),
        compute_sampling_numbers(0, "nulltoken", make_ids(5)),
        100,
    )
    assert len(no_warnings.positions) == 0, "without warnings the sample is empty"


def test_share_of_short_names_is_limited() -> None:
    letters = np.array([3] * 5000 + [4] * 5000)
    sample = sampling.sample_names(
        np.ones(10_000, bool),
        letters,
        compute_sampling_numbers(0, "naming", make_ids(10_000)),
        4000,
    )
    short = int((letters[sample.positions] < 4).sum())
    assert len(sample.positions) == 4000
    assert short == round(4000 * sampling.SHORT_SHARE)
    # In a small corpus the share stays the same.
    long_only = sampling.sample_names(
        letters > 3, letters, compute_sampling_numbers(0, "naming", make_ids(10_000)), 800_000
    )
    assert len(long_only.positions) == 5000
    all_methods = sampling.sample_names(
        np.ones(10_000, bool),
        letters,
        compute_sampling_numbers(0, "naming", make_ids(10_000)),
        800_000,
    )
    share = float((letters[all_methods.positions] < 4).mean())
    assert share == pytest.approx(sampling.SHORT_SHARE, abs=0.001)


def test_one_in_five_methods_has_no_warning() -> None:
    has_warning = np.arange(1000) < 100
    sample = sampling.sample_warnings(
        has_warning, ~has_warning, compute_sampling_numbers(0, "nulltoken", make_ids(1000)), 10_000
    )
    assert int(sample.label.sum()) == 100
    assert len(sample.positions) == 125
    limited = sampling.sample_warnings(
        has_warning, ~has_warning, compute_sampling_numbers(0, "nulltoken", make_ids(1000)), 50
    )
    assert (len(limited.positions), int(limited.label.sum())) == (50, 40)


def test_larger_corpus_keeps_the_sample() -> None:
    """Methods of the first half sampled from the whole are also sampled from that half alone."""
    half_ids, all_ = make_ids(500), make_ids(1000)
    before = set(
        sampling.take_first(
            np.ones(500, bool), compute_sampling_numbers(0, "naming", half_ids), 200
        ).tolist()
    )
    after = set(
        sampling.take_first(
            np.ones(1000, bool), compute_sampling_numbers(0, "naming", all_), 200
        ).tolist()
    )
    assert {position for position in after if position < 500} <= before


def test_sampling_keys_are_fixed() -> None:
    """Renaming a task must not change its sample, or data sets would change."""
    assert [spec.sampling_key for spec in SPECS.values()] == [
        "npath",
        "operators",
        "naming",
        "completion",
        "nulltoken",
    ]
    method = bytes(range(16))
    assert compute_sampling_number(0, "npath", method) == 5447264039669692969
