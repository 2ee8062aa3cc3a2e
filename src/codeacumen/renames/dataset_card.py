"""The data card: counts of cases by kind, and name lengths next to the published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from codeacumen.api import Json
from codeacumen.corpus.splits import SPLITS
from codeacumen.text.subtokens import subtokens

if TYPE_CHECKING:
    from codeacumen.renames.dataset import Case, StableCase

# ReName4J, section 3.2: mean length of the names in characters and in subtokens.
PUBLISHED = {
    "ReName4J": {"characters": 24.90, "subtokens": 4.53},
    "Liu et al. 2019": {"characters": 13.18, "subtokens": 2.52},
}


def card(
    cases: Sequence[Case], stable: Sequence[StableCase], dropped: Counter[str]
) -> dict[str, Json]:
    """Count the cases by split, tag and feature, for ``dataset.json`` and the card."""
    reviews = [case.rename.review for case in cases if case.rename.review is not None]
    return {
        "cases": _by_split(case.split for case in cases),
        "stable": _by_split(stable_case.split for stable_case in stable),
        "projects": _by_split(
            split for split, _ in {(case.split, case.rename.project) for case in cases}
        ),
        "files": _by_split(
            split
            for split, _, _ in {
                (case.split, case.rename.project, case.rename.path) for case in cases
            }
        ),
        "names": {
            "old": lengths(case.rename.old_name for case in cases),
            "new": lengths(case.rename.new_name for case in cases),
            "stable": lengths(stable_case.method.name for stable_case in stable),
            "published": PUBLISHED,
        },
        "with a review": len(reviews),
        "decided by a person": sum(review.decision != "" for review in reviews),
        "features": _counted(name for review in reviews for name in review.features),
        "tags": _counted(tag for case in cases for tag in case.rename.tags),
        "dropped": dict(sorted((reason, count) for reason, count in dropped.items() if count)),
    }


def lengths(names: Iterable[str]) -> dict[str, float | None]:
    """Return the mean characters and subtokens of names; None if there are no names."""
    name_list = list(names)
    if not name_list:
        return {"characters": None, "subtokens": None}
    return {
        "characters": round(sum(map(len, name_list)) / len(name_list), 2),
        "subtokens": round(sum(len(subtokens(name)) for name in name_list) / len(name_list), 2),
    }


def _by_split(splits: Iterable[str]) -> dict[str, int]:
    counts = Counter(splits)
    return {split: counts[split] for split in SPLITS}


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))


def markdown(about: Json) -> str:
    """Format the data card as Markdown, from the content of ``dataset.json``."""
    counts, settings = about["counts"], about["settings"]
    lines = ["# Method names that were changed", ""]
    lines += [f"| | {' | '.join(SPLITS)} |", f"|---|{'--:|' * len(SPLITS)}"]
    for row in ("cases", "stable", "projects", "files"):
        cells = " | ".join(f"{counts[row][split_line]:,}" for split_line in SPLITS)
        lines.append(f"| {row} | {cells} |")
    lines += ["", "| names, mean of | characters | subtokens |", "|---|--:|--:|"]
    for row in ("old", "new", "stable"):
        lines.append(f"| {row} | {_lengths(counts['names'][row])} |")
    for paper, lengths_of_paper in counts["names"]["published"].items():
        lines.append(f"| {paper} | {_lengths(lengths_of_paper)} |")
    lines.append("")
    split_line = f"Split by {settings['by']}, seed {settings['seed']}."
    review_line = f"{counts['with a review']:,} cases come with a review,"
    lines += [split_line, f"{review_line} {counts['decided by a person']:,} decided by a person."]
    for row in ("features", "tags", "dropped"):
        if counts[row]:
            lines += ["", f"| {row} | |", "|---|--:|"]
            lines += [f"| {name} | {count:,} |" for name, count in counts[row].items()]
    lines += ["", "| mined from | renames | stable |", "|---|--:|--:|"]
    for source in about["sources"]:
        name = source["folder"].replace("|", "\\|")
        lines.append(f"| {name} | {source['renames']:,} | {source['stable']:,} |")
    return "\n".join(lines) + "\n"


def _lengths(told: Json) -> str:
    return " | ".join(
        "–" if told[unit] is None else f"{told[unit]:.2f}" for unit in ("characters", "subtokens")
    )
