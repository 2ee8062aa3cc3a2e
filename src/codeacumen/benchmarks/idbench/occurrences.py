"""Compare the counts of identifiers in a corpus with those of IdBench's files (section II-A, c).

A role is the use of an identifier: function, property, variable or other.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from codeacumen.api import Json
from codeacumen.survey.occurrences import LANGUAGES, MIXED, ROLES, IdentifierCounts
from codeacumen.survey.votes import Ints, compute_spearman

FREQUENCIES = "identifier_cross_lang_freq_stats.csv"
ROLE_COUNTS = "identifier_role_stats.csv"
# Columns of the published files.
_COLUMN = {"java": "Occurrences-java", "javascript": "Occurrences-javascript"}
_ROLE_COLUMN = {
    "function": "function-count",
    "property": "property-count",
    "variable": "variable-count",
    "other": "others-count",
}
# Roles that are compared; IdBench counts occurrences of unknown role as others.
_KNOWN = ("function", "property", "variable")


def compare_with_idbench(identifier_counts: IdentifierCounts, folder: Path) -> dict[str, Json]:
    """Return by language the figures of IdBench's Table I for these counts, and Spearman's ρ with
    the published counts; for JavaScript also the comparison of roles.

    ``folder`` is IdBench's. Its files count names in small letters, so ``tabIndex`` and
    ``tabindex`` are one name there and here. Languages without any counts are left out.
    """
    rows = _read_rows(folder / FREQUENCIES)
    counts = _merge_case(identifier_counts)
    zeros = np.zeros((len(LANGUAGES), len(ROLES)), dtype=np.int64)
    names = list(rows)
    ours = np.array([counts.get(name, zeros) for name in names]).reshape(-1, *zeros.shape)
    report: dict[str, Json] = {"names": len(names), "languages": {}}
    for language_index, language in enumerate(LANGUAGES):
        everything = int(identifier_counts.counts[:, language_index].sum())
        if not everything:
            continue
        mine = ours[:, language_index].sum(axis=1)
        theirs = np.array([int(rows[name][_COLUMN[language]]) for name in names])
        report["languages"][language] = {
            "total": int(mine.sum()),
            "share": float(mine.sum() / everything),
            "min": int(mine.min()),
            "mean": float(mine.mean()),
            "max": int(mine.max()),
            "occurring": int((mine > 0).sum()),
            "spearman": compute_spearman(mine, theirs),
        }
    if "javascript" in report["languages"]:
        report["roles"] = _compare_roles(counts, _read_rows(folder / ROLE_COUNTS), zeros)
    return report


def _compare_roles(
    counts: Mapping[str, Ints], rows: Mapping[str, Mapping[str, str]], zeros: Ints
) -> Json:
    """Return Spearman's ρ of the counts by role, and the shares of names by primary role.

    Only JavaScript names that occur in the corpus are compared. ``counts`` have the shape
    (languages, roles).
    """
    names = list(rows)
    language_index = LANGUAGES.index("javascript")
    ours = np.array([counts.get(name, zeros)[language_index] for name in names])
    theirs = np.array([[int(rows[name][_ROLE_COLUMN[role]]) for role in ROLES] for name in names])
    occurs = ours.sum(axis=1) > 0
    return {
        "names": int(occurs.sum()),
        "spearman": {
            role: compute_spearman(
                ours[occurs, ROLES.index(role)], theirs[occurs, ROLES.index(role)]
            )
            for role in _KNOWN
        },
        "primary": {
            "ours": _compute_role_shares(ours[occurs]),
            "published": _compute_role_shares(theirs[occurs]),
        },
    }


def _compute_role_shares(counts: Ints) -> dict[str, float]:
    """Return the share of names by primary role, and of names without one (``MIXED``).

    The primary role is that of more than half of a name's occurrences with a known role. The
    published counts have many occurrences of unknown role, mostly uses of variables.
    """
    counts = counts[:, [ROLES.index(role) for role in _KNOWN]]
    most = counts.argmax(axis=1)
    clear = 2 * counts.max(axis=1) > counts.sum(axis=1)
    shares = {role: float((clear & (most == i)).mean()) for i, role in enumerate(_KNOWN)}
    return {**shares, MIXED: float((~clear).mean())}


def _read_rows(path: Path) -> dict[str, dict[str, str]]:
    """Return the rows of a file by identifier in small letters."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["Identifier"].lower(): row for row in csv.DictReader(stream)}


def _merge_case(identifier_counts: IdentifierCounts) -> dict[str, Ints]:
    """Return the counts, (languages, roles), by identifier in small letters."""
    counts: dict[str, Ints] = {}
    for index, name in enumerate(identifier_counts.names):
        lowercase = name.lower()
        before = counts.get(lowercase)
        counts[lowercase] = (
            identifier_counts.counts[index]
            if before is None
            else before + identifier_counts.counts[index]
        )
    return counts
