"""The data card: how many cases, of what kind, and how long their names are beside the papers'."""

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
    reviews = [one.rename.review for one in cases if one.rename.review is not None]
    return {
        "cases": _by_split(one.split for one in cases),
        "stable": _by_split(one.split for one in stable),
        "projects": _by_split(split for split, _ in {(c.split, c.rename.project) for c in cases}),
        "files": _by_split(
            split for split, _, _ in {(c.split, c.rename.project, c.rename.path) for c in cases}
        ),
        "names": {
            "old": lengths(one.rename.old_name for one in cases),
            "new": lengths(one.rename.new_name for one in cases),
            "stable": lengths(one.method.name for one in stable),
            "published": PUBLISHED,
        },
        "with a review": len(reviews),
        "decided by a person": sum(one.decision != "" for one in reviews),
        "features": _counted(name for one in reviews for name in one.features),
        "tags": _counted(tag for one in cases for tag in one.rename.tags),
        "dropped": dict(sorted((why, count) for why, count in dropped.items() if count)),
    }


def lengths(names: Iterable[str]) -> dict[str, float | None]:
    """Mean characters and subtokens of names; None where there is no name."""
    listed = list(names)
    if not listed:
        return {"characters": None, "subtokens": None}
    return {
        "characters": round(sum(map(len, listed)) / len(listed), 2),
        "subtokens": round(sum(len(subtokens(name)) for name in listed) / len(listed), 2),
    }


def _by_split(splits: Iterable[str]) -> dict[str, int]:
    counts = Counter(splits)
    return {split: counts[split] for split in SPLITS}


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))


def markdown(about: Json) -> str:
    """The card for people."""
    counts, settings = about["counts"], about["settings"]
    lines = ["# Method names that were changed", ""]
    lines += [f"| | {' | '.join(SPLITS)} |", f"|---|{'--:|' * len(SPLITS)}"]
    for what in ("cases", "stable", "projects", "files"):
        cells = " | ".join(f"{counts[what][split]:,}" for split in SPLITS)
        lines.append(f"| {what} | {cells} |")
    lines += ["", "| names, mean of | characters | subtokens |", "|---|--:|--:|"]
    for what in ("old", "new", "stable"):
        lines.append(f"| {what} | {_lengths(counts['names'][what])} |")
    for paper, told in counts["names"]["published"].items():
        lines.append(f"| {paper} | {_lengths(told)} |")
    lines.append("")
    split = f"Split by {settings['by']}, seed {settings['seed']}."
    reviewed = f"{counts['with a review']:,} cases come with a review,"
    lines += [split, f"{reviewed} {counts['decided by a person']:,} decided by a person."]
    for what in ("features", "tags", "dropped"):
        if counts[what]:
            lines += ["", f"| {what} | |", "|---|--:|"]
            lines += [f"| {name} | {count:,} |" for name, count in counts[what].items()]
    lines += ["", "| mined from | renames | stable |", "|---|--:|--:|"]
    for source in about["sources"]:
        name = source["folder"].replace("|", "\\|")
        lines.append(f"| {name} | {source['renames']:,} | {source['stable']:,} |")
    return "\n".join(lines) + "\n"


def _lengths(told: Json) -> str:
    return " | ".join(
        "–" if told[unit] is None else f"{told[unit]:.2f}" for unit in ("characters", "subtokens")
    )
