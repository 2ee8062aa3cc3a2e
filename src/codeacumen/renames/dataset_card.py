"""The rename benchmark's data card: counts of cases, and name lengths next to published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from codeacumen.api import Json
from codeacumen.corpus.splits import SPLITS
from codeacumen.text.subtokens import split_subtokens

if TYPE_CHECKING:
    from codeacumen.renames.dataset import RenameCase, StableCase

# Mean lengths of names in characters and in subtokens, by the data set that they are from.
PublishedLengths: TypeAlias = Mapping[str, Mapping[str, float]]


def count_cases(
    cases: Sequence[RenameCase],
    stable: Sequence[StableCase],
    dropped: Counter[str],
    published_lengths: PublishedLengths,
) -> dict[str, Json]:
    """Return counts of the cases by split, tag and feature, for ``dataset.json`` and the card.

    ``published_lengths`` are shown next to the lengths of these names.
    """
    reviews = [case.rename.review for case in cases if case.rename.review is not None]
    return {
        "cases": _count_by_split(case.split for case in cases),
        "stable": _count_by_split(stable_case.split for stable_case in stable),
        "projects": _count_by_split(
            split for split, _ in {(case.split, case.rename.project) for case in cases}
        ),
        "files": _count_by_split(
            split
            for split, _, _ in {
                (case.split, case.rename.project, case.rename.path) for case in cases
            }
        ),
        "names": {
            "old": compute_name_lengths(case.rename.old_name for case in cases),
            "new": compute_name_lengths(case.rename.new_name for case in cases),
            "stable": compute_name_lengths(stable_case.method.name for stable_case in stable),
            "published": {name: dict(lengths) for name, lengths in published_lengths.items()},
        },
        "reviewed": len(reviews),
        "decided": sum(review.decision != "" for review in reviews),
        "features": _count_values(name for review in reviews for name in review.features),
        "tags": _count_values(tag for case in cases for tag in case.rename.tags),
        "dropped": dict(sorted((reason, count) for reason, count in dropped.items() if count)),
    }


def compute_name_lengths(names: Iterable[str]) -> dict[str, float | None]:
    """Return the mean characters and subtokens of names; None if there are no names."""
    name_list = list(names)
    if not name_list:
        return {"characters": None, "subtokens": None}
    return {
        "characters": round(sum(map(len, name_list)) / len(name_list), 2),
        "subtokens": round(
            sum(len(split_subtokens(name)) for name in name_list) / len(name_list), 2
        ),
    }


def _count_by_split(splits: Iterable[str]) -> dict[str, int]:
    counts = Counter(splits)
    return {split: counts[split] for split in SPLITS}


def _count_values(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def format_card(about: Json) -> str:
    """Format the data card as Markdown, from the content of ``dataset.json``."""
    counts, settings = about["counts"], about["settings"]
    lines = ["# Method names that were changed", ""]
    lines += [f"| | {' | '.join(SPLITS)} |", f"|---|{'--:|' * len(SPLITS)}"]
    for row in ("cases", "stable", "projects", "files"):
        cells = " | ".join(f"{counts[row][split]:,}" for split in SPLITS)
        lines.append(f"| {row} | {cells} |")
    lines += ["", "| names, mean of | characters | subtokens |", "|---|--:|--:|"]
    for row in ("old", "new", "stable"):
        lines.append(f"| {row} | {_format_lengths(counts['names'][row])} |")
    for paper, paper_lengths in counts["names"]["published"].items():
        lines.append(f"| {paper} | {_format_lengths(paper_lengths)} |")
    lines.append("")
    split_line = f"Split by {settings['by']}, seed {settings['seed']}."
    review_line = f"{counts['reviewed']:,} cases come with a review,"
    lines += [split_line, f"{review_line} {counts['decided']:,} decided by a reviewer."]
    for row in ("features", "tags", "dropped"):
        if counts[row]:
            lines += ["", f"| {row} | |", "|---|--:|"]
            lines += [f"| {name} | {count:,} |" for name, count in counts[row].items()]
    lines += ["", "| mined from | renames | stable |", "|---|--:|--:|"]
    for source in about["sources"]:
        name = source["folder"].replace("|", "\\|")
        lines.append(f"| {name} | {source['renames']:,} | {source['stable']:,} |")
    return "\n".join(lines) + "\n"


def _format_lengths(mean_lengths: Json) -> str:
    return " | ".join(
        "–" if mean_lengths[unit] is None else f"{mean_lengths[unit]:.2f}"
        for unit in ("characters", "subtokens")
    )
