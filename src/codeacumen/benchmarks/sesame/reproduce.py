"""Reproduce SeSaMe's figures from its votes: kept pairs, agreement, and majorities.

Known cause of differences: the paper truncates the digits of α, it does not round them. The mining
of the pairs is not reproduced here; ``codeacumen similar`` mines pairs from other code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from codeacumen.benchmarks.sesame.pairs import (
    AGREE,
    DISAGREE,
    FLAVOURS,
    PAIRS,
    majorities,
    read_ratings,
)
from codeacumen.benchmarks.sesame.survey import agreement, filtered
from codeacumen.datasets import require
from codeacumen.datasets.published import read_published
from codeacumen.reproduce import (
    RecipeOptions,
    ReproducedCell,
    TextTable,
    compare_with_published,
)
from codeacumen.text.numbers import format_difference, format_number

UNFILTERED = "dataset-unfiltered.json"
# The paper truncates α to two digits.
ALPHA_TOLERANCE = 0.01
FIGURES = {
    "pairs_sampled": "rated pairs",
    "pairs_kept": "kept pairs",
    "voters": "voters",
    "votes_per_pair": "votes per pair",
    **{f"alpha_{flavour}": f"agreement on {flavour} (α)" for flavour in FLAVOURS},
    "pairs_majority_similar_in_all_three": "similar in all three, by majority",
    "pairs_majority_dissimilar_in_all_three": "dissimilar in all three, by majority",
}


def compute_cells(options: RecipeOptions) -> list[ReproducedCell]:
    """Return the cells of all figures, in the order of the paper."""
    rows = read_published("codeacumen.benchmarks.sesame", "figures")
    published = {row["figure"]: float(row["value"]) for row in rows}
    return [_cell(figure, published[figure], ours, n, note) for figure, ours, n, note in _figures()]


def _figures() -> Iterator[tuple[str, float | None, int, str]]:
    """Yield each figure's name, our value, the number of pairs, and a remark."""
    folder = require("sesame")
    before = read_ratings(folder / UNFILTERED)
    after, removed = filtered(before)
    kept = [one["pairid"] for one in after.entries]
    theirs = [one["pairid"] for one in read_ratings(folder / PAIRS).entries]
    same = "the same as in dataset.json" if kept == theirs else "others than in dataset.json"
    yield "pairs_sampled", len(before), len(before), ""
    # The same number of other pairs would not be a reproduction.
    many = len(kept) if kept == theirs else None
    yield "pairs_kept", many, len(before), f"{len(removed)} removed; {same}"
    yield "voters", int(before.given.any(axis=(0, 1)).sum()), len(before), ""
    votes = np.unique(before.given.sum(axis=2)).tolist()
    yield "votes_per_pair", votes[0] if len(votes) == 1 else None, len(before), ""
    for flavour, value in agreement(after).items():
        yield f"alpha_{flavour}", value, len(after), "digits truncated in the paper"
    majority = majorities(after)
    for name, value in (("similar", AGREE), ("dissimilar", DISAGREE)):
        figure = f"pairs_majority_{name}_in_all_three"
        alike = int((majority == value).all(axis=1).sum())
        yield figure, alike, len(after), "votes of low confidence dropped"


def _cell(figure: str, published: float, ours: float | None, n: int, note: str) -> ReproducedCell:
    tolerance = ALPHA_TOLERANCE if figure.startswith("alpha") else 0.0
    difference, verdict = compare_with_published(ours, published, tolerance)
    return ReproducedCell(
        table="figures",
        task=FIGURES[figure],
        size="",
        technique=figure,
        n=n,
        ours=ours,
        published=published,
        difference=difference,
        verdict=verdict,
        tolerance=tolerance,
        note=note,
    )


def build_tables(cells: Sequence[ReproducedCell]) -> list[TextTable]:
    rows = [
        [
            cell.task,
            str(cell.n),
            _format_count(cell.ours),
            _format_count(cell.published),
            format_difference(cell.difference),
            cell.verdict,
            cell.note,
        ]
        for cell in cells
    ]
    return [
        TextTable(
            title="SeSaMe's votes, section II-D",
            columns=["figure", "n", "ours", "published", "difference", "verdict", "remark"],
            rows=rows,
            caption="n: the number of pairs behind a figure.",
            numeric=(1, 2, 3, 4),
        )
    ]


def _format_count(value: float | None) -> str:
    """Return a whole number without decimals, others with four."""
    return format_number(value, 0 if value is not None and value == int(value) else 4)
