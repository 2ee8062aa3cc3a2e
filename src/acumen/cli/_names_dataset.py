"""``acumen names dataset``: renames and decisions become a benchmark."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from acumen.cli._options import AsJson, DrawSeed
from acumen.cli._show import number, print_facts, print_json, print_table, say


class By(StrEnum):
    """What goes to one split as a whole."""

    PROJECT = "project"
    FILE = "file"


class Undecided(StrEnum):
    """What becomes of renames from reviews that nobody decided on."""

    CLEAR = "clear"
    INCLUDE = "include"
    EXCLUDE = "exclude"


def dataset(
    renames: Annotated[
        list[Path],
        typer.Option(
            "--renames", "-r", metavar="DIR",
            help="Folder that `names mine` or `names reviews` wrote. Repeatable.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the data set.")
    ],
    decisions: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Review file with decisions. Repeatable."),
    ] = None,
    undecided: Annotated[
        Undecided,
        typer.Option(
            help="Renames from reviews without a decision: those whose new name stands in the "
            "comment and was accepted (clear), all, or none."
        ),
    ] = Undecided.CLEAR,
    tags: Annotated[
        str | None,
        typer.Option(
            "--without", metavar="TAGS", help="Leave out renames with these tags: typo,example,..."
        ),
    ] = None,
    splits: Annotated[
        str, typer.Option(metavar="TRAIN/DEV/TEST", help="Shares of the cases.")
    ] = "0/0/100",
    by: Annotated[By, typer.Option(help="What goes to one split as a whole.")] = By.PROJECT,
    seed: DrawSeed = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Make a benchmark of renames: cases, stable methods of the same files, splits without leaks.

    No file of a test method is in training, and no method that reads like one. The folder can be
    asked with `acumen eval --tasks names/check@DIR`; its data card compares the names with those
    of ReName4J.

    Example: acumen names dataset --renames reviews --decisions reviews/review.csv --out names

    Example: acumen names dataset -r mined -r reviews --splits 60/10/30 --by file --out names
    """
    from acumen.renames.dataset import DROPPED_TAGS, Choice, Settings, build

    without = DROPPED_TAGS if tags is None else tuple(filter(None, tags.split(",")))
    settings = Settings(_shares(splits), by.value, seed, Choice(undecided.value, without))
    about = build(renames, _decisions(decisions or []), out, settings)
    if as_json:
        print_json(about)
        return
    _told(out, about)


def _shares(text: str) -> tuple[int, int, int]:
    from acumen.api import AcumenError

    parts = text.split("/")
    if len(parts) != 3 or not all(one.isdecimal() for one in parts) or not any(map(int, parts)):
        raise AcumenError(f"{text!r} are no shares", "write three of them, as in 60/10/30")
    return int(parts[0]), int(parts[1]), int(parts[2])


def _decisions(files: list[Path]) -> dict[str, str]:
    from acumen.api import AcumenError
    from acumen.renames.reviews.run import read_decisions

    found: dict[str, str] = {}
    for path in files:
        for key, one in read_decisions(path).items():
            if one.decision and found.get(key, one.decision) != one.decision:
                raise AcumenError(
                    f"{path}: {key} is decided otherwise in another file", "agree on one"
                )
            if one.decision:
                found[key] = one.decision
    return found


def _told(out: Path, about: Any) -> None:
    counts = about["counts"]
    splits = list(counts["cases"])
    rows = [
        [what, *(f"{counts[what][split]:,}" for split in splits)]
        for what in ("cases", "stable", "projects", "files")
    ]
    print_table(["", *splits], rows, title=str(out), right=range(1, 4))
    names = counts["names"]
    listed = [(f"{what} names", names[what]) for what in ("old", "new", "stable")]
    rows = [
        [what, number(told["characters"], 2), number(told["subtokens"], 2)]
        for what, told in [*listed, *names["published"].items()]
    ]
    print_table(["mean of", "characters", "subtokens"], rows, right=(1, 2))
    if counts["dropped"]:
        print_facts("Left out", [(why, f"{n:,}") for why, n in counts["dropped"].items()])
    say(f"next: acumen eval --tasks names/check@{out} --tasks names/recommend")
