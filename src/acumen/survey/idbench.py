"""IdBench's identifiers in other corpora: the counts of its Table I, and how far they go with the
published ones.

The published files count names in small letters, so ``tabIndex`` and ``tabindex`` are one there,
and here.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from acumen.api import Json
from acumen.models.embeddings.files import LANGUAGES
from acumen.survey.occurrences import MIXED, ROLES, Occurrences
from acumen.survey.votes import Ints, spearman

FREQUENCIES = "identifier_cross_lang_freq_stats.csv"
ROLE_COUNTS = "identifier_role_stats.csv"
# Columns of the published files.
_COLUMN = {"java": "Occurrences-java", "javascript": "Occurrences-javascript"}
_ROLE_COLUMN = {
    "function": "function-count", "property": "property-count", "variable": "variable-count",
    "other": "others-count",
}  # fmt: skip
_KNOWN = ("function", "property", "variable")


def compared(found: Occurrences, folder: Path) -> dict[str, Json]:
    """``folder`` is IdBench's. By language the figures of Table I and Spearman's ρ with the
    published counts; for JavaScript the share of names with each primary role, too."""
    rows = _rows(folder / FREQUENCIES)
    counts = _in_small_letters(found)
    none = np.zeros((len(LANGUAGES), len(ROLES)), dtype=np.int64)
    names = list(rows)
    ours = np.array([counts.get(name, none) for name in names]).reshape(-1, *none.shape)
    told: dict[str, Json] = {"names": len(names), "languages": {}}
    for place, language in enumerate(LANGUAGES):
        everything = int(found.counts[:, place].sum())
        if not everything:
            continue
        mine = ours[:, place].sum(axis=1)
        theirs = np.array([int(rows[name][_COLUMN[language]]) for name in names])
        told["languages"][language] = {
            "total": int(mine.sum()),
            "share": float(mine.sum() / everything),
            "min": int(mine.min()),
            "mean": float(mine.mean()),
            "max": int(mine.max()),
            "occurring": int((mine > 0).sum()),
            "spearman": spearman(mine, theirs),
        }
    if "javascript" in told["languages"]:
        told["roles"] = _roles(counts, _rows(folder / ROLE_COUNTS), none)
    return told


def _roles(counts: Mapping[str, Ints], rows: Mapping[str, Mapping[str, str]], none: Ints) -> Json:
    names = list(rows)
    place = LANGUAGES.index("javascript")
    ours = np.array([counts.get(name, none)[place] for name in names])
    theirs = np.array([[int(rows[name][_ROLE_COLUMN[role]]) for role in ROLES] for name in names])
    seen = ours.sum(axis=1) > 0
    return {
        "names": int(seen.sum()),
        "spearman": {
            role: spearman(ours[seen, ROLES.index(role)], theirs[seen, ROLES.index(role)])
            for role in _KNOWN
        },
        "primary": {"ours": _shares(ours[seen]), "published": _shares(theirs[seen])},
    }


def _shares(counts: Ints) -> dict[str, float]:
    """The share of names that have each role in more than half of the places whose role is known.
    Theirs has many others, mostly uses of variables; ours tells all."""
    counts = counts[:, [ROLES.index(role) for role in _KNOWN]]
    most = counts.argmax(axis=1)
    clear = 2 * counts.max(axis=1) > counts.sum(axis=1)
    found = {role: float((clear & (most == i)).mean()) for i, role in enumerate(_KNOWN)}
    return {**found, MIXED: float((~clear).mean())}


def _rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["Identifier"].lower(): row for row in csv.DictReader(stream)}


def _in_small_letters(found: Occurrences) -> dict[str, Ints]:
    counts: dict[str, Ints] = {}
    for place, name in enumerate(found.names):
        small = name.lower()
        before = counts.get(small)
        counts[small] = found.counts[place] if before is None else before + found.counts[place]
    return counts
