"""Build votes from a short notation, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from codeacumen.survey.votes import (
    DirectVotes,
    Votes,
    build_direct_votes,
    build_indirect_votes,
    sorted_pair,
)


def make_direct_votes(ratings: Mapping[str, Mapping[str, tuple[int, int]]]) -> DirectVotes:
    """Return votes from ratings by rater and by pair ``a b``: (relatedness, similarity)."""
    return build_direct_votes(
        [
            (rater, sorted_pair(*pair.split()), answers)
            for rater, ratings_of_pair in ratings.items()
            for pair, answers in ratings_of_pair.items()
        ]
    )


def make_votes(
    ratings: Mapping[str, Mapping[str, tuple[int, int]]],
    choices: list[tuple[str, str, str, str]] | None = None,
) -> Votes:
    """Return votes from ratings and from choices: (rater, pair, original name, chosen name)."""
    rows = [
        (rater, sorted_pair(*pair.split()), original, chosen)
        for rater, pair, original, chosen in choices or []
    ]
    return Votes(make_direct_votes(ratings), build_indirect_votes(rows), len(rows), (), 0, ())
