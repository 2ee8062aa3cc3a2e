"""What holds for the cleaning of any survey."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.survey.agreement import differences, outliers
from codeacumen.survey.clean import Benchmark, Rules, Size, clean
from codeacumen.survey.votes import Votes, direct_votes, indirect_votes

RULES = Rules((Size("strict", 0.2, 0.3), Size("lax", 0.4, 0.7)), least_votes=2)
PAIRS = [(f"a{i}", f"b{i}") for i in range(5)]

ratings = st.dictionaries(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(PAIRS)),
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    max_size=40,
)
choices = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(PAIRS), st.booleans(), st.booleans()),
    max_size=40,
)

Ratings = Mapping[tuple[str, tuple[str, str]], tuple[int, int]]
Choices = Sequence[tuple[str, tuple[str, str], bool, bool]]


def survey(direct: Ratings, indirect: Choices, seed: int = 0, rename: str = "") -> Votes:
    """Votes in an order of their own, by raters with names of their own."""
    rows = [(rename + rater, pair, both) for (rater, pair), both in direct.items()]
    more = [
        (rename + rater, pair, pair[second], pair[second != wrong])
        for rater, pair, second, wrong in indirect
    ]
    random.Random(seed).shuffle(rows)
    random.Random(seed).shuffle(more)
    return Votes(direct_votes(rows), indirect_votes(more), 0, (), 0, ())


def same(one: Benchmark, other: Benchmark) -> bool:
    return one.pairs == other.pairs and np.array_equal(one.labels, other.labels, equal_nan=True)


@given(ratings, choices, st.integers(1, 99))
def test_the_order_of_rows_does_not_matter(direct: Ratings, indirect: Choices, seed: int) -> None:
    first = clean(survey(direct, indirect), RULES)
    again = clean(survey(direct, indirect, seed), RULES)
    for one, other in zip(first.benchmarks, again.benchmarks, strict=True):
        assert same(one, other)
        assert one.dropped == other.dropped
        assert repr(one.stages) == repr(other.stages)


@given(ratings, choices)
def test_names_of_raters_do_not_matter(direct: Ratings, indirect: Choices) -> None:
    # Turned round, so that they sort otherwise, too.
    names = dict(zip("abcdefgh", "hgfedcba", strict=True))
    renamed = {(names[rater], pair): both for (rater, pair), both in direct.items()}
    more = [(names[rater], *rest) for rater, *rest in indirect]
    first, again = clean(survey(direct, indirect), RULES), clean(survey(renamed, more), RULES)  # type: ignore[arg-type]
    for one, other in zip(first.benchmarks, again.benchmarks, strict=True):
        assert one.pairs == other.pairs
        np.testing.assert_allclose(one.labels, other.labels, atol=1e-12)
        dropped = {names[drop.what] for drop in one.dropped if isinstance(drop.what, str)}
        assert dropped == {drop.what for drop in other.dropped if isinstance(drop.what, str)}


@given(ratings, choices)
def test_scores_are_between_zero_and_one_and_every_pair_has_one(
    direct: Ratings, indirect: Choices
) -> None:
    for one in clean(survey(direct, indirect), RULES).benchmarks:
        known = one.labels[~np.isnan(one.labels)]
        assert ((known >= 0) & (known <= 1)).all()
        assert not np.isnan(one.labels).all(axis=1).any()
        # Both direct scores, or neither: no vote of these leaves a question out.
        assert (np.isnan(one.labels[:, 0]) == np.isnan(one.labels[:, 1])).all()


@given(
    st.dictionaries(st.sampled_from(PAIRS), st.tuples(st.integers(1, 5), st.integers(1, 5))),
    st.integers(2, 8),
)
def test_perfect_agreement_drops_nobody(
    truth: Mapping[tuple[str, str], tuple[int, int]], raters: int
) -> None:
    direct = {(rater, pair): both for rater in "abcdefgh"[:raters] for pair, both in truth.items()}
    rules = Rules((Size("strictest", 0.0, 0.0),), least_votes=2)
    (one,) = clean(survey(direct, []), rules).benchmarks
    assert one.dropped == ()
    assert one.pairs == tuple(sorted(truth))
    for alpha in one.stages[-1].alpha.values():
        assert math.isnan(alpha) or alpha == 1.0


@given(ratings, choices)
def test_a_size_with_larger_thresholds_drops_no_other_raters_as_outliers(
    direct: Ratings, indirect: Choices
) -> None:
    strict, lax = clean(survey(direct, indirect), RULES).benchmarks
    gone = [
        {drop.what for drop in one.dropped if drop.by == "outlier rater"} for one in (strict, lax)
    ]
    assert gone[1] <= gone[0]


@given(ratings)
def test_to_drop_whom_was_dropped_changes_nothing_more(direct: Ratings) -> None:
    votes = survey(direct, []).direct
    gone = outliers(differences(votes), 0.3)
    once = votes.without(gone)
    twice = once.without(gone)
    assert len(once) == len(twice)
    assert not set(once.rater.tolist()) & set(np.flatnonzero(gone).tolist())


@given(ratings, choices)
def test_contextual_scores_are_the_same_in_all_sizes(direct: Ratings, indirect: Choices) -> None:
    strict, lax = clean(survey(direct, indirect), RULES).benchmarks
    found = [
        {
            pair: row[2]
            for pair, row in zip(one.pairs, one.labels.tolist(), strict=True)
            if not math.isnan(row[2])
        }
        for one in (strict, lax)
    ]
    for pair in found[0].keys() & found[1].keys():
        assert found[0][pair] == found[1][pair]
