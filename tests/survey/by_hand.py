"""Votes written down in a few words, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from codeacumen.survey.votes import Direct, Votes, direct_votes, indirect_votes, sorted_pair


def direct(ratings: Mapping[str, Mapping[str, tuple[int, int]]]) -> Direct:
    """By rater and by pair, written ``a b``: relatedness and similarity."""
    return direct_votes(
        [
            (rater, sorted_pair(*pair.split()), answers)
            for rater, mine in ratings.items()
            for pair, answers in mine.items()
        ]
    )


def survey(
    ratings: Mapping[str, Mapping[str, tuple[int, int]]],
    choices: list[tuple[str, str, str, str]] | None = None,
) -> Votes:
    """``choices``: rater, pair, the name that stood there, the name that was chosen."""
    rows = [
        (rater, sorted_pair(*pair.split()), original, chosen)
        for rater, pair, original, chosen in choices or []
    ]
    return Votes(direct(ratings), indirect_votes(rows), len(rows), (), 0, ())
