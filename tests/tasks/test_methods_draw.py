"""Who is asked what: balance, sizes, seeds. Second opinions are counts written out here."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from numpy.typing import NDArray

from acumen.tasks.methods import draw
from acumen.tasks.methods.lots import lot, lots


def ids(count: int) -> NDArray[np.uint8]:
    made = b"".join(uuid.uuid5(uuid.NAMESPACE_URL, str(i)).bytes for i in range(count))
    return np.frombuffer(made, dtype=np.uint8).reshape(-1, 16)


def test_lots_are_those_of_the_methods_alone() -> None:
    some = ids(100)
    whole = lots(7, "naming", some)
    assert whole.tolist() == [lot(7, "naming", bytes(one)) for one in some]
    assert lots(7, "naming", some[::-1]).tolist() == whole[::-1].tolist()
    assert len(set(whole.tolist())) == 100
    for other in (lots(8, "naming", some), lots(7, "npath", some)):
        assert not np.array_equal(whole, other)


def test_lots_are_spread_evenly() -> None:
    """Of 16,000 lots each sixteenth of the range holds about 1,000; scipy's test is the oracle."""
    from scipy.stats import chisquare

    counts = np.bincount((lots(0, "x", ids(16_000)) >> np.uint64(60)).astype(int), minlength=16)
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("size", [12, 60, 96])
def test_balanced(size: int) -> None:
    label = np.arange(1000) % 13 - 1  # one in thirteen has no class
    drawn = draw.balanced(label, lots(0, "npath", ids(1000)), 12, size)
    assert np.bincount(drawn.label).tolist() == [size // 12] * 12
    assert (label[drawn.chosen] == drawn.label).all()
    assert drawn.wanted == size


def test_the_rarest_class_tells_how_many() -> None:
    label = np.array([0] * 50 + [1] * 3 + [2] * 20 + [-1] * 10)
    drawn = draw.balanced(label, lots(0, "npath", ids(len(label))), 3, 300)
    assert np.bincount(drawn.label).tolist() == [3, 3, 3]
    assert drawn.wanted == 300
    assert drawn.missing == ()


def test_a_class_that_nobody_has_is_told() -> None:
    label = np.array([0] * 50 + [2] * 20)
    drawn = draw.balanced(label, lots(0, "npath", ids(len(label))), 3, 300)
    assert np.bincount(drawn.label).tolist() == [20, 0, 20]
    assert drawn.missing == (1,)


def test_a_method_is_asked_for_one_operator() -> None:
    """The rarest draws first: only so can all four classes have ten of forty methods."""
    has = np.zeros((40, 4), dtype=bool)
    has[:, 0] = True
    has[:30, 1] = True
    has[:20, 2] = True
    has[:10, 3] = True
    drawn = draw.one_each(has, lots(0, "operators", ids(40)), 1000)
    assert np.bincount(drawn.label).tolist() == [10, 10, 10, 10]
    assert len(set(drawn.chosen.tolist())) == 40
    assert has[drawn.chosen, drawn.label].all()


def test_balance_where_classes_contend() -> None:
    """Two classes that stand in the same three methods: one each, not two of one."""
    has = np.array([[True, True]] * 3)
    drawn = draw.one_each(has, lots(0, "operators", ids(3)), 100)
    assert sorted(drawn.label.tolist()) == [0, 1]


def test_nothing_to_draw_from() -> None:
    empty = draw.one_each(np.zeros((0, 3), dtype=bool), lots(0, "operators", ids(0)), 100)
    assert len(empty.chosen) == 0
    assert empty.missing == (0, 1, 2)
    none = draw.warnings(np.zeros(5, bool), np.ones(5, bool), lots(0, "nulltoken", ids(5)), 100)
    assert len(none.chosen) == 0, "without a warning there is nothing to ask"


def test_short_names_are_few() -> None:
    letters = np.array([3] * 5000 + [4] * 5000)
    drawn = draw.names(np.ones(10_000, bool), letters, lots(0, "naming", ids(10_000)), 4000)
    short = int((letters[drawn.chosen] < 4).sum())
    assert len(drawn.chosen) == 4000
    assert short == round(4000 * draw.SHORT_SHARE)
    # Where the corpus is small, the share stays.
    few = draw.names(letters > 3, letters, lots(0, "naming", ids(10_000)), 800_000)
    assert len(few.chosen) == 5000
    many = draw.names(np.ones(10_000, bool), letters, lots(0, "naming", ids(10_000)), 800_000)
    share = float((letters[many.chosen] < 4).mean())
    assert share == pytest.approx(draw.SHORT_SHARE, abs=0.001)


def test_a_fifth_without_a_warning() -> None:
    warned = np.arange(1000) < 100
    drawn = draw.warnings(warned, ~warned, lots(0, "nulltoken", ids(1000)), 10_000)
    assert int(drawn.label.sum()) == 100
    assert len(drawn.chosen) == 125
    limited = draw.warnings(warned, ~warned, lots(0, "nulltoken", ids(1000)), 50)
    assert (len(limited.chosen), int(limited.label.sum())) == (50, 40)


def test_a_growing_corpus_keeps_what_was_drawn() -> None:
    """Of twice as many methods, those drawn of the first half are drawn of them alone, too."""
    some, all_ = ids(500), ids(1000)
    before = set(draw.first(np.ones(500, bool), lots(0, "naming", some), 200).tolist())
    after = set(draw.first(np.ones(1000, bool), lots(0, "naming", all_), 200).tolist())
    assert {one for one in after if one < 500} <= before
