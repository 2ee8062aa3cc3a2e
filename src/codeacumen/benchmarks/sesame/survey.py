"""Clean SeSaMe's votes by the rules of its authors (section II-D of the paper, see ``pairs``).

The filter turns ``dataset-unfiltered.json`` into ``dataset.json``. For each of the three flavours,
it ignores votes of low confidence, and removes a pair if the remaining votes include both 0
(disagree) and 2 (agree), or if it ignored two or more votes. The files keep the votes of low
confidence, so agreement and majorities ignore these votes again. ``codeacumen survey clean`` calls
``clean_ratings``.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.sesame.pairs import (
    AGREE,
    DISAGREE,
    FLAVOURS,
    Ratings,
    compute_majorities,
    read_ratings,
)
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.survey.agreement import Scale, compute_alpha
from codeacumen.survey.votes import Floats

__all__ = ["clean_ratings", "compute_majorities", "filter_ratings", "is_sesame", "read_ratings"]

# Number of votes of low confidence that removes a pair.
TOO_MANY_LOW = 2
# Reasons for removal.
CONTRADICTION, LOW = "disagree and agree", "low confidence"
# Names of the written files.
PAIRS, SCORES, REPORT, READABLE = "sesame.json", "scores.csv", "report.json", "report.md"


@dataclass(frozen=True, slots=True)
class RemovedPair:
    """Id of a removed pair, the first flavour that causes the removal, and the reason."""

    pair: str
    flavour: str
    reason: str


def is_sesame(path: Path) -> bool:
    """Return whether a file looks like SeSaMe's: a JSON list with pair ids."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(4096)
    return head.lstrip().startswith(b"[") and b'"pairid"' in head


def find_contradictions(ratings: Ratings) -> np.ndarray:
    """Return a mask, (pairs, flavours), of contradictions: sure votes both disagree and agree."""
    is_sure = ratings.is_sure
    disagrees, agrees = (ratings.rating == DISAGREE) & is_sure, (ratings.rating == AGREE) & is_sure
    mask: np.ndarray = disagrees.any(axis=2) & agrees.any(axis=2)
    return mask


def find_unsure(ratings: Ratings) -> np.ndarray:
    """Return a mask, (pairs, flavours), of flavours with too many votes of low confidence."""
    low = (ratings.rating >= 0) & (ratings.confidence == 0)
    mask: np.ndarray = low.sum(axis=2) >= TOO_MANY_LOW
    return mask


def filter_ratings(ratings: Ratings) -> tuple[Ratings, list[RemovedPair]]:
    """Return the ratings of the kept pairs, and the removed pairs.

    If both reasons apply to a flavour, the reason is the contradiction.
    """
    contradicts, is_unsure = find_contradictions(ratings), find_unsure(ratings)
    is_removed = contradicts | is_unsure
    removed = []
    for index in np.flatnonzero(is_removed.any(axis=1)).tolist():
        flavour = int(is_removed[index].argmax())
        reason = CONTRADICTION if contradicts[index, flavour] else LOW
        pair = str(ratings.entries[index]["pairid"])
        removed.append(RemovedPair(pair, FLAVOURS[flavour], reason))
    return ratings.select(~is_removed.any(axis=1)), removed


def compute_agreement(ratings: Ratings, *, all_votes: bool = False) -> dict[str, float]:
    """Return Krippendorff's ordinal α by flavour, without votes of low confidence by default."""
    mask = ratings.is_given if all_votes else ratings.is_sure
    alphas = {}
    for column, flavour in enumerate(FLAVOURS):
        # A unit of Krippendorff's α is a pair.
        unit, voter = np.nonzero(mask[:, column])
        alphas[flavour] = compute_alpha(unit, ratings.rating[unit, column, voter], Scale.ORDINAL)
    return alphas


def compute_scores(ratings: Ratings) -> Floats:
    """Return the mean of the sure votes, from 0 to 1 and NaN without votes, (pairs, flavours)."""
    is_sure = ratings.is_sure
    total = np.where(is_sure, ratings.rating, 0).sum(axis=2) / AGREE
    counts = is_sure.sum(axis=2)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def clean_ratings(path: Path, out: Path) -> dict[str, Json]:
    """Filter a file of SeSaMe's ratings, write the results to a folder, and return the report."""
    if out.is_dir() and any(out.iterdir()) and not (out / PAIRS).is_file():
        raise CodeacumenError(
            f"{out} is not empty and has no filtered ratings",
            "choose an empty or new folder",
        )
    before = read_ratings(path)
    after, removed = filter_ratings(before)
    majority = compute_majorities(after)
    report = {
        "sources": [{"file": path.name, "sha256": sha256_of(path)}],
        "pairs": {"before": len(before), "after": len(after)},
        "alpha": {
            "all votes": _round_values(compute_agreement(before, all_votes=True)),
            "without low confidence": _round_values(compute_agreement(before)),
            "without removed pairs": _round_values(compute_agreement(after)),
        },
        "majority_in_all_three": {
            "similar": int((majority == AGREE).all(axis=1).sum()),
            "dissimilar": int((majority == DISAGREE).all(axis=1).sum()),
        },
        "removed": [
            {"pair": removal.pair, "flavour": removal.flavour, "reason": removal.reason}
            for removal in removed
        ],
    }
    # The authors' format, so that equal pairs have equal bytes.
    pairs = json.dumps(after.entries, indent=4) + "\n"
    files = {
        PAIRS: pairs,
        SCORES: _format_table(after),
        REPORT: json.dumps(report, indent=1) + "\n",
        READABLE: _format_markdown(report),
    }
    for name, text in files.items():
        write_atomically(out / name, text.encode())
    return report


def _round_values(values: dict[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else round(value, 4) for name, value in values.items()}


def _format_table(ratings: Ratings) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["pairid", *FLAVOURS])
    for entry, row in zip(ratings.entries, compute_scores(ratings).tolist(), strict=True):
        cells = ["NAN" if np.isnan(value) else repr(round(value, 4)) for value in row]
        writer.writerow([entry["pairid"], *cells])
    return out.getvalue()


def _format_markdown(report: dict[str, Json]) -> str:
    pairs, majority = report["pairs"], report["majority_in_all_three"]
    lines = [
        "# SeSaMe's ratings, filtered",
        "",
        f"{pairs['before']:,} pairs, {pairs['after']:,} kept. A majority finds "
        f"{majority['similar']:,} similar in all three, {majority['dissimilar']:,} dissimilar.",
        "",
        "| Krippendorff's α | " + " | ".join(FLAVOURS) + " |",
        "| --- | --: | --: | --: |",
    ]
    for name, values in report["alpha"].items():
        cells = ("–" if value is None else f"{value:.3f}" for value in values.values())
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| removed pair | question | reason |", "| --: | --- | --- |"]
    lines += [
        f"| {removal['pair']} | {removal['flavour']} | {removal['reason']} |"
        for removal in report["removed"]
    ]
    return "\n".join(lines) + "\n"
