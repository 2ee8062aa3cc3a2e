"""Properties of cleaning that hold for any survey."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.survey.agreement import compute_differences, find_outliers
from codeacumen.survey.clean import BenchmarkSize, CleanedBenchmark, CleaningRules, clean_votes
from codeacumen.survey.votes import Votes, build_direct_votes, build_indirect_votes

RULES = CleaningRules(
    (BenchmarkSize("strict", 0.2, 0.3), BenchmarkSize("lax", 0.4, 0.7)), least_votes=2
)
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


def make_votes(direct: Ratings, indirect: Choices, seed: int = 0, rater_prefix: str = "") -> Votes:
    """Return votes with rows shuffled by the seed and a prefix before the names of the raters."""
    rows = [
        (rater_prefix + rater, pair, ratings_of_pair)
        for (rater, pair), ratings_of_pair in direct.items()
    ]
    choice_rows = [
        (rater_prefix + rater, pair, pair[is_second], pair[is_second != is_wrong])
        for rater, pair, is_second, is_wrong in indirect
    ]
    random.Random(seed).shuffle(rows)
    random.Random(seed).shuffle(choice_rows)
    return Votes(build_direct_votes(rows), build_indirect_votes(choice_rows), 0, (), 0, ())


def has_equal_scores(first: CleanedBenchmark, second: CleanedBenchmark) -> bool:
    return first.pairs == second.pairs and np.array_equal(
        first.labels, second.labels, equal_nan=True
    )


@given(ratings, choices, st.integers(1, 99))
def test_the_order_of_rows_does_not_matter(direct: Ratings, indirect: Choices, seed: int) -> None:
    first = clean_votes(make_votes(direct, indirect), RULES)
    again = clean_votes(make_votes(direct, indirect, seed), RULES)
    for benchmark, other_benchmark in zip(first.benchmarks, again.benchmarks, strict=True):
        assert has_equal_scores(benchmark, other_benchmark)
        assert benchmark.dropped == other_benchmark.dropped
        assert repr(benchmark.stages) == repr(other_benchmark.stages)


@given(ratings, choices)
def test_names_of_raters_do_not_matter(direct: Ratings, indirect: Choices) -> None:
    # Reversed names, so that the raters also sort in another order.
    new_names = dict(zip("abcdefgh", "hgfedcba", strict=True))
    renamed = {(new_names[rater], pair): both for (rater, pair), both in direct.items()}
    renamed_choices = [(new_names[rater], *rest) for rater, *rest in indirect]
    first, again = (
        clean_votes(make_votes(direct, indirect), RULES),
        clean_votes(make_votes(renamed, renamed_choices), RULES),
    )  # type: ignore[arg-type]
    for benchmark, other_benchmark in zip(first.benchmarks, again.benchmarks, strict=True):
        assert benchmark.pairs == other_benchmark.pairs
        np.testing.assert_allclose(benchmark.labels, other_benchmark.labels, atol=1e-12)
        dropped = {
            new_names[drop.subject] for drop in benchmark.dropped if isinstance(drop.subject, str)
        }
        assert dropped == {
            drop.subject for drop in other_benchmark.dropped if isinstance(drop.subject, str)
        }


@given(ratings, choices)
def test_scores_are_between_zero_and_one_and_every_pair_has_one(
    direct: Ratings, indirect: Choices
) -> None:
    for benchmark in clean_votes(make_votes(direct, indirect), RULES).benchmarks:
        known_scores = benchmark.labels[~np.isnan(benchmark.labels)]
        assert ((known_scores >= 0) & (known_scores <= 1)).all()
        assert not np.isnan(benchmark.labels).all(axis=1).any()
        # A pair has both direct scores or neither, because each vote here answers both questions.
        assert (np.isnan(benchmark.labels[:, 0]) == np.isnan(benchmark.labels[:, 1])).all()


@given(
    st.dictionaries(st.sampled_from(PAIRS), st.tuples(st.integers(1, 5), st.integers(1, 5))),
    st.integers(2, 8),
)
def test_perfect_agreement_drops_no_rater(
    truth: Mapping[tuple[str, str], tuple[int, int]], raters: int
) -> None:
    direct = {(rater, pair): both for rater in "abcdefgh"[:raters] for pair, both in truth.items()}
    rules = CleaningRules((BenchmarkSize("strictest", 0.0, 0.0),), least_votes=2)
    (benchmark,) = clean_votes(make_votes(direct, []), rules).benchmarks
    assert benchmark.dropped == ()
    assert benchmark.pairs == tuple(sorted(truth))
    for alpha in benchmark.stages[-1].alpha.values():
        assert math.isnan(alpha) or alpha == 1.0


@given(ratings, choices)
def test_larger_thresholds_drop_only_outliers_of_smaller_ones(
    direct: Ratings, indirect: Choices
) -> None:
    strict, lax = clean_votes(make_votes(direct, indirect), RULES).benchmarks
    outliers_by_size = [
        {drop.subject for drop in benchmark.dropped if drop.filter_name == "outlier rater"}
        for benchmark in (strict, lax)
    ]
    assert outliers_by_size[1] <= outliers_by_size[0]


@given(ratings)
def test_dropping_the_same_raters_twice_changes_nothing(direct: Ratings) -> None:
    votes = make_votes(direct, []).direct
    is_outlier = find_outliers(compute_differences(votes), 0.3)
    once = votes.drop_raters(is_outlier)
    twice = once.drop_raters(is_outlier)
    assert len(once) == len(twice)
    assert not set(once.rater.tolist()) & set(np.flatnonzero(is_outlier).tolist())


@given(ratings, choices)
def test_contextual_scores_are_the_same_in_all_sizes(direct: Ratings, indirect: Choices) -> None:
    strict, lax = clean_votes(make_votes(direct, indirect), RULES).benchmarks
    scores_by_size = [
        {
            pair: row[2]
            for pair, row in zip(benchmark.pairs, benchmark.labels.tolist(), strict=True)
            if not math.isnan(row[2])
        }
        for benchmark in (strict, lax)
    ]
    for pair in scores_by_size[0].keys() & scores_by_size[1].keys():
        assert scores_by_size[0][pair] == scores_by_size[1][pair]
