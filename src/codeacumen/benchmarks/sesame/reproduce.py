"""Reproduce SeSaMe's figures from its votes: kept pairs, agreement (α), and majorities.

Known cause of differences: the paper truncates the digits of α, it does not round them. The mining
of the pairs is not reproduced here; ``codeacumen similar mine`` mines pairs from any corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from codeacumen.benchmarks.sesame.pairs import (
    AGREE,
    DISAGREE,
    FLAVOURS,
    PAIRS,
    compute_majorities,
    read_ratings,
)
from codeacumen.benchmarks.sesame.survey import compute_agreement, filter_ratings
from codeacumen.datasets import require_dataset
from codeacumen.reproduce import (
    RecipeOptions,
    ReproducedCell,
    TextTable,
    make_cell,
)
from codeacumen.tasks.published import read_published
from codeacumen.text.numbers import format_difference, format_number

UNFILTERED = "dataset-unfiltered.json"
# The paper truncates α to two digits.
ALPHA_TOLERANCE = 0.01
# Title by name of the figure in published/figures.csv.
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
    return [
        make_cell(
            "figures",
            ours,
            published[figure],
            ALPHA_TOLERANCE if figure.startswith("alpha") else 0.0,
            FIGURES[figure],
            technique=figure,
            n=n,
            note=note,
        )
        for figure, ours, n, note in _compute_figures()
    ]


def _compute_figures() -> Iterator[tuple[str, float | None, int, str]]:
    """Yield each figure's name, our value, the number of pairs, and a remark."""
    folder = require_dataset("sesame")
    before = read_ratings(folder / UNFILTERED)
    after, removed = filter_ratings(before)
    kept_ids = [entry["pairid"] for entry in after.entries]
    published_ids = [entry["pairid"] for entry in read_ratings(folder / PAIRS).entries]
    same = (
        "the same as in dataset.json"
        if kept_ids == published_ids
        else "different from dataset.json"
    )
    yield "pairs_sampled", len(before), len(before), ""
    # The same number of other pairs would not be a reproduction.
    kept_count = len(kept_ids) if kept_ids == published_ids else None
    yield "pairs_kept", kept_count, len(before), f"{len(removed)} removed; {same}"
    yield "voters", int(before.is_given.any(axis=(0, 1)).sum()), len(before), ""
    votes = np.unique(before.is_given.sum(axis=2)).tolist()
    yield "votes_per_pair", votes[0] if len(votes) == 1 else None, len(before), ""
    for flavour, value in compute_agreement(after).items():
        yield f"alpha_{flavour}", value, len(after), "digits truncated in the paper"
    majority = compute_majorities(after)
    for name, value in (("similar", AGREE), ("dissimilar", DISAGREE)):
        figure = f"pairs_majority_{name}_in_all_three"
        pair_count = int((majority == value).all(axis=1).sum())
        yield figure, pair_count, len(after), "votes of low confidence dropped"


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
    """Return a number as text: a whole number without decimals, another with four."""
    return format_number(value, 0 if value is not None and value == int(value) else 4)
