"""Which methods are sampled: balance, sizes, seeds. Second opinions are counts written out here."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from numpy.typing import NDArray

from codeacumen.benchmarks.gluecode import sampling
from codeacumen.benchmarks.gluecode.sampling import sampling_number, sampling_numbers
from codeacumen.benchmarks.gluecode.specs import SPECS


def ids(count: int) -> NDArray[np.uint8]:
    made = b"".join(uuid.uuid5(uuid.NAMESPACE_URL, str(i)).bytes for i in range(count))
    return np.frombuffer(made, dtype=np.uint8).reshape(-1, 16)


def test_sampling_numbers_depend_on_the_method_alone() -> None:
    some = ids(100)
    whole = sampling_numbers(7, "naming", some)
    assert whole.tolist() == [sampling_number(7, "naming", bytes(one)) for one in some]
    assert sampling_numbers(7, "naming", some[::-1]).tolist() == whole[::-1].tolist()
    assert len(set(whole.tolist())) == 100
    for other in (sampling_numbers(8, "naming", some), sampling_numbers(7, "npath", some)):
        assert not np.array_equal(whole, other)


def test_sampling_numbers_are_spread_evenly() -> None:
    """Of 16,000 numbers each sixteenth of the range holds about 1,000; scipy is the oracle."""
    from scipy.stats import chisquare

    counts = np.bincount(
        (sampling_numbers(0, "x", ids(16_000)) >> np.uint64(60)).astype(int), minlength=16
    )
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("size", [12, 60, 96])
def test_balanced(size: int) -> None:
    label = np.arange(1000) % 13 - 1  # one in thirteen has no class
    sample = sampling.sample_balanced(label, sampling_numbers(0, "npath", ids(1000)), 12, size)
    assert np.bincount(sample.label).tolist() == [size // 12] * 12
    assert (label[sample.positions] == sample.label).all()
    assert sample.wanted == size


def test_the_rarest_class_tells_how_many() -> None:
    label = np.array([0] * 50 + [1] * 3 + [2] * 20 + [-1] * 10)
    sample = sampling.sample_balanced(label, sampling_numbers(0, "npath", ids(len(label))), 3, 300)
    assert np.bincount(sample.label).tolist() == [3, 3, 3]
    assert sample.wanted == 300
    assert sample.missing == ()


def test_a_class_that_nobody_has_is_told() -> None:
    label = np.array([0] * 50 + [2] * 20)
    sample = sampling.sample_balanced(label, sampling_numbers(0, "npath", ids(len(label))), 3, 300)
    assert np.bincount(sample.label).tolist() == [20, 0, 20]
    assert sample.missing == (1,)


def test_a_method_is_asked_for_one_operator() -> None:
    """The rarest draws first: only so can all four classes have ten of forty methods."""
    has = np.zeros((40, 4), dtype=bool)
    has[:, 0] = True
    has[:30, 1] = True
    has[:20, 2] = True
    has[:10, 3] = True
    sample = sampling.sample_one_class_each(has, sampling_numbers(0, "operators", ids(40)), 1000)
    assert np.bincount(sample.label).tolist() == [10, 10, 10, 10]
    assert len(set(sample.positions.tolist())) == 40
    assert has[sample.positions, sample.label].all()


def test_balance_where_classes_contend() -> None:
    """Two classes that stand in the same three methods: one each, not two of one."""
    has = np.array([[True, True]] * 3)
    sample = sampling.sample_one_class_each(has, sampling_numbers(0, "operators", ids(3)), 100)
    assert sorted(sample.label.tolist()) == [0, 1]


def test_nothing_to_draw_from() -> None:
    empty = sampling.sample_one_class_each(
        np.zeros((0, 3), dtype=bool), sampling_numbers(0, "operators", ids(0)), 100
    )
    assert len(empty.positions) == 0
    assert empty.missing == (0, 1, 2)
    none = sampling.sample_warnings(
        np.zeros(5, bool), np.ones(5, bool), sampling_numbers(0, "nulltoken", ids(5)), 100
    )
    assert len(none.positions) == 0, "without a warning there is nothing to ask"


def test_short_names_are_few() -> None:
    letters = np.array([3] * 5000 + [4] * 5000)
    sample = sampling.sample_names(
        np.ones(10_000, bool), letters, sampling_numbers(0, "naming", ids(10_000)), 4000
    )
    short = int((letters[sample.positions] < 4).sum())
    assert len(sample.positions) == 4000
    assert short == round(4000 * sampling.SHORT_SHARE)
    # Where the corpus is small, the share stays.
    few = sampling.sample_names(
        letters > 3, letters, sampling_numbers(0, "naming", ids(10_000)), 800_000
    )
    assert len(few.positions) == 5000
    many = sampling.sample_names(
        np.ones(10_000, bool), letters, sampling_numbers(0, "naming", ids(10_000)), 800_000
    )
    share = float((letters[many.positions] < 4).mean())
    assert share == pytest.approx(sampling.SHORT_SHARE, abs=0.001)


def test_a_fifth_without_a_warning() -> None:
    warned = np.arange(1000) < 100
    sample = sampling.sample_warnings(
        warned, ~warned, sampling_numbers(0, "nulltoken", ids(1000)), 10_000
    )
    assert int(sample.label.sum()) == 100
    assert len(sample.positions) == 125
    limited = sampling.sample_warnings(
        warned, ~warned, sampling_numbers(0, "nulltoken", ids(1000)), 50
    )
    assert (len(limited.positions), int(limited.label.sum())) == (50, 40)


def test_a_growing_corpus_keeps_its_sample() -> None:
    """Of twice as many methods, those sampled of the first half are sampled of them alone, too."""
    some, all_ = ids(500), ids(1000)
    before = set(
        sampling.take_first(np.ones(500, bool), sampling_numbers(0, "naming", some), 200).tolist()
    )
    after = set(
        sampling.take_first(np.ones(1000, bool), sampling_numbers(0, "naming", all_), 200).tolist()
    )
    assert {one for one in after if one < 500} <= before


def test_sampling_keys_stay_as_they_are() -> None:
    """Another name of a task must not sample other methods: data sets would change."""
    assert [spec.sampling_key for spec in SPECS.values()] == [
        "npath",
        "operators",
        "naming",
        "completion",
        "nulltoken",
    ]
    method = bytes(range(16))
    assert sampling_number(0, "npath", method) == 5447264039669692969
