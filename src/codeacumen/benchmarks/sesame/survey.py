"""Clean SeSaMe's votes by the rules of its authors (section II-D of the paper, see ``pairs``).

The filter turns ``dataset-unfiltered.json`` into ``dataset.json``. For each of the three questions,
it ignores votes of low confidence, and removes a pair if the remaining votes include both 0 and 2,
or if it ignored two or more votes. The files keep the votes of low confidence, so agreement and
majorities ignore them again.
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
    majorities,
    read_ratings,
)
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.survey.agreement import Scale, alpha
from codeacumen.survey.votes import Floats

__all__ = ["clean", "filtered", "is_sesame", "majorities", "read_ratings"]

# Number of votes of low confidence that removes a pair.
TOO_MANY_LOW = 2
CONTRADICTION, LOW = "disagree and agree", "low confidence"
PAIRS, SCORES, REPORT, READABLE = "sesame.json", "scores.csv", "report.json", "report.md"


@dataclass(frozen=True, slots=True)
class Removed:
    """A removed pair, with the first flavour that causes it, and the reason."""

    pair: str
    flavour: str
    why: str


def is_sesame(path: Path) -> bool:
    """Return whether a file looks like SeSaMe's: a JSON list with pair ids."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(4096)
    return head.lstrip().startswith(b"[") and b'"pairid"' in head


def contradictions(ratings: Ratings) -> np.ndarray:
    """Return by pair and flavour whether sure votes both disagree and agree."""
    sure = ratings.sure
    no, yes = (ratings.rating == DISAGREE) & sure, (ratings.rating == AGREE) & sure
    found: np.ndarray = no.any(axis=2) & yes.any(axis=2)
    return found


def unsure(ratings: Ratings) -> np.ndarray:
    """Return by pair and flavour whether too many votes have low confidence."""
    low = (ratings.rating >= 0) & (ratings.confidence == 0)
    found: np.ndarray = low.sum(axis=2) >= TOO_MANY_LOW
    return found


def filtered(ratings: Ratings) -> tuple[Ratings, list[Removed]]:
    """Return the ratings of the kept pairs, and the removed pairs."""
    apart, low = contradictions(ratings), unsure(ratings)
    bad = apart | low
    removed = []
    for place in np.flatnonzero(bad.any(axis=1)).tolist():
        flavour = int(bad[place].argmax())
        why = CONTRADICTION if apart[place, flavour] else LOW
        pair = str(ratings.entries[place]["pairid"])
        removed.append(Removed(pair, FLAVOURS[flavour], why))
    return ratings.where(~bad.any(axis=1)), removed


def agreement(ratings: Ratings, *, all_votes: bool = False) -> dict[str, float]:
    """Return Krippendorff's ordinal α by flavour, without votes of low confidence by default."""
    given = ratings.given if all_votes else ratings.sure
    found = {}
    for place, flavour in enumerate(FLAVOURS):
        unit, voter = np.nonzero(given[:, place])
        found[flavour] = alpha(unit, ratings.rating[unit, place, voter], Scale.ORDINAL)
    return found


def scores(ratings: Ratings) -> Floats:
    """Return by pair and flavour the mean of the sure votes, from 0 to 1; NaN without votes."""
    sure = ratings.sure
    total = np.where(sure, ratings.rating, 0).sum(axis=2) / AGREE
    many = sure.sum(axis=2)
    return np.where(many > 0, total / np.maximum(many, 1), np.nan)


def clean(path: Path, out: Path) -> dict[str, Json]:
    """Filter a file of SeSaMe's ratings, write the results to a folder, and return the report."""
    if out.is_dir() and any(out.iterdir()) and not (out / PAIRS).is_file():
        raise CodeacumenError(
            f"{out} is not empty and has no filtered ratings",
            "choose an empty or new folder",
        )
    before = read_ratings(path)
    after, removed = filtered(before)
    majority = majorities(after)
    report = {
        "sources": [{"file": path.name, "sha256": sha256_of(path)}],
        "pairs": {"before": len(before), "after": len(after)},
        "alpha": {
            "all votes": _rounded(agreement(before, all_votes=True)),
            "without low confidence": _rounded(agreement(before)),
            "without removed pairs": _rounded(agreement(after)),
        },
        "majority_in_all_three": {
            "similar": int((majority == AGREE).all(axis=1).sum()),
            "dissimilar": int((majority == DISAGREE).all(axis=1).sum()),
        },
        "removed": [{"pair": one.pair, "flavour": one.flavour, "why": one.why} for one in removed],
    }
    # The authors' format, so that equal pairs have equal bytes.
    pairs = json.dumps(after.entries, indent=4) + "\n"
    files = {
        PAIRS: pairs,
        SCORES: _table(after),
        REPORT: json.dumps(report, indent=1) + "\n",
        READABLE: _markdown(report),
    }
    for name, text in files.items():
        write_atomically(out / name, text.encode())
    return report


def _rounded(values: dict[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(one) else round(one, 4) for name, one in values.items()}


def _table(ratings: Ratings) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["pairid", *FLAVOURS])
    for entry, row in zip(ratings.entries, scores(ratings).tolist(), strict=True):
        cells = ["NAN" if np.isnan(one) else repr(round(one, 4)) for one in row]
        writer.writerow([entry["pairid"], *cells])
    return out.getvalue()


def _markdown(report: dict[str, Json]) -> str:
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
        cells = ("–" if one is None else f"{one:.3f}" for one in values.values())
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| removed pair | for | why |", "| --: | --- | --- |"]
    lines += [f"| {one['pair']} | {one['flavour']} | {one['why']} |" for one in report["removed"]]
    return "\n".join(lines) + "\n"
