"""``codeacumen names``: mine renames from git history and reviews, and build a benchmark of
them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.cli._names_check import calibrate, check
from codeacumen.cli._options import AsJson, DataSetFolder, DrawSeed, Workers
from codeacumen.cli._show import (
    Verb,
    number,
    print_facts,
    print_json,
    print_table,
    progress_bar,
    say,
    verbs,
)

app = verbs("Check method names; mine renames from history and reviews.")
app.command("check", cls=Verb)(check)
app.command("calibrate", cls=Verb)(calibrate)


# Counts of methods and files, and how a person reads them.
_COUNT_LABELS = {
    "changed": "body changed",
    "rewritten": "renamed, body changed, too",
    "signature": "other parameters or result",
    "moved": "moved under the same name",
    "gone": "gone",
    "new": "new",
    "delegates": "kept as a call of its successor",
}


@app.command("mine", cls=Verb)
def mine(
    repositories: Annotated[
        list[Path],
        typer.Argument(metavar="REPO...", help="Folders of git repositories, bare ones too."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the renames.")
    ],
    since: Annotated[
        str, typer.Option(metavar="REV", help="Only commits that this revision does not have.")
    ] = "",
    branch: Annotated[
        str, typer.Option(metavar="REF", help="The branch, tag or commit to read up to.")
    ] = "HEAD",
    limit: Annotated[
        float,
        typer.Option(
            "--limit-seconds-per-commit", min=0.01, metavar="SECONDS",
            help="A commit that takes longer is left out.",
        ),
    ] = 10.0,
    mass: Annotated[
        int, typer.Option(min=2, metavar="N", help="Renames alike in a commit that are `mass`.")
    ] = 10,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Mine renames of Java methods from git history: those of which only the name changed.

    Nothing is checked out. Each commit is compared with its first parent; methods are followed
    through moves of files and classes, and on to the last revision. Killed, it goes on where it was
    when run again; after new commits, only these are read.

    Example: codeacumen names mine ../guava ../kafka --out renames

    Example: codeacumen names mine . --since v1.0 --out renames --json
    """
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine
    from codeacumen.renames.mining import Settings
    from codeacumen.renames.mining import mine as mined

    settings = Settings(branch=branch, since=since, limit=limit, mass=mass)
    with progress_bar() as step:
        told = mined(repositories, out, settings, engine("local", workers or processors()), step)
    if as_json:
        print_json(told)
        return
    for name, project in told["projects"].items():
        _print_project(name, project, told["read"][name])
    say(f"renames: {out / 'renames.jsonl'}")


def _print_project(name: str, project: Any, read: int) -> None:
    commits, methods = project["commits"], project["methods"]
    facts = [
        ("commits", f"{sum(commits.values()):,}, {read:,} of them read now"),
        *((f"  {kind}", f"{count:,}") for kind, count in commits.items() if kind != "ordinary"),
        ("renames", f"{project['renames']:,}"),
        ("stable methods beside them", f"{project['stable']:,}"),
        *((text, f"{methods[kind]:,}") for kind, text in _COUNT_LABELS.items() if kind in methods),
        ("versions of files", f"{methods.get('files', 0):,}"),
        *(
            (f"  {kind.removeprefix('files: ')}", f"{count:,}")
            for kind, count in methods.items()
            if kind.startswith("files: ")
        ),
    ]
    print_facts(name, facts)
    rows = [[tag, f"{count:,}"] for tag, count in sorted(project["tags"].items())]
    if rows:
        print_table(["tag", "renames"], rows, right=[1])
    for commit, why in project["left out"]:
        say(f"left out: {commit}: {why}")


@app.command("reviews", cls=Verb)
def reviews(
    repositories: Annotated[
        list[str], typer.Argument(metavar="OWNER/REPO...", help="Repositories on GitHub.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the result.")],
    token_env: Annotated[
        str,
        typer.Option(metavar="NAME", help="Environment variable that holds a token, if any."),
    ] = "GITHUB_TOKEN",
    api: Annotated[
        str, typer.Option(metavar="URL", help="Address of the API, as of an own server.")
    ] = "https://api.github.com",
    since: Annotated[
        str, typer.Option(metavar="DATE", help="Pull requests opened since then: 2020-01-31.")
    ] = "",
    saved: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Read saved answers; no question goes out."),
    ] = None,
    keep_saved: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where answers are kept; OUT/answers without it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Mine renames from pull requests and what was said in their reviews.

    Pull requests in which somebody speaks of a name are looked at: methods of which only the name
    changed are linked to the comment that speaks of them. Each comes with the criteria of ReName4J
    as far as a program can tell; the decision is a person's, in review.csv. Answers are kept, so
    that a run that was ended goes on where it was.

    Example: codeacumen names reviews apache/commons-csv --out reviews

    Example: codeacumen names reviews apache/kafka --since 2022-01-01 --out reviews --json
    """
    from codeacumen.api import CodeacumenError
    from codeacumen.renames.reviews.client import Kept, Saved
    from codeacumen.renames.reviews.run import mine_reviews

    if saved is not None:
        if keep_saved is not None:
            raise CodeacumenError(
                "--saved asks nobody, so there is nothing to keep", "leave one out"
            )
        with progress_bar() as step:
            about = mine_reviews(Saved(saved), repositories, out, since, step)
        _print_reviews(out, about, as_json)
        return
    from codeacumen.renames.reviews.client import GitHub

    token = _token(token_env)
    with GitHub(api, token, told=say) as network, progress_bar() as step:
        source = Kept(keep_saved or out / "answers", network)
        about = mine_reviews(source, repositories, out, since, step)
    asked = f"{source.asked:,} asked ({source.unchanged:,} unchanged), {source.there:,} kept"
    _print_reviews(out, about, as_json, asked)


def _token(name: str) -> str:
    import os

    token = os.environ.get(name, "").strip()
    if not token:
        say(f"no token in {name}: GitHub answers 60 questions an hour without one, 5,000 with one")
    return token


def _print_reviews(out: Path, about: Any, as_json: bool, asked: str = "") -> None:
    from codeacumen.renames.reviews.run import REVIEW_FILE

    for name, problem in about["problems"].items():
        say(f"left out {name}: {problem}")
    if as_json:
        print_json(about)
        return
    columns = ["pull requests", "pull requests that speak of names", "cases", "stable"]
    rows = [
        [name, *(f"{told['counts'].get(column, 0):,}" for column in columns)]
        for name, told in about["repositories"].items()
    ]
    heads = ["repository", "pull requests", "of names", "cases", "stable"]
    print_table(heads, rows, right=range(1, 5))
    facts = [
        ("cases", f"{about['cases']:,}, {about['clear']:,} of them clear without a person"),
        ("stable", f"{about['stable']:,} other methods of the same files"),
    ]
    if asked:
        facts.append(("answers", asked))
    lost: dict[str, int] = {}
    for told in about["repositories"].values():
        for why, count in told["lost"].items():
            lost[why] = lost.get(why, 0) + count
    facts += [(why, f"{count:,}") for why, count in sorted(lost.items())]
    print_facts(str(out), facts)
    say(f"decide:  {out / REVIEW_FILE}, in the column `decision`: include or exclude")
    say(
        f"next:    codeacumen names dataset --renames {out} "
        f"--decisions {out / REVIEW_FILE} --out names"
    )


class By(StrEnum):
    """What goes to one split as a whole."""

    PROJECT = "project"
    FILE = "file"


class Undecided(StrEnum):
    """What becomes of renames from reviews that nobody decided on."""

    CLEAR = "clear"
    INCLUDE = "include"
    EXCLUDE = "exclude"


@app.command("dataset", cls=Verb)
def dataset(
    renames: Annotated[
        list[Path],
        typer.Option(
            "--renames", "-r", metavar="DIR",
            help="Folder that `names mine` or `names reviews` wrote. Repeatable.",
        ),
    ],
    out: DataSetFolder,
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
    asked with `codeacumen eval --tasks names/check@DIR`; its data card compares the names with
    those of ReName4J.

    Example: codeacumen names dataset --renames reviews --decisions reviews/review.csv --out names

    Example: codeacumen names dataset -r mined -r reviews --splits 60/10/30 --by file --out names
    """
    from codeacumen.renames.dataset import DROPPED_TAGS, Choice, Settings, build

    without = DROPPED_TAGS if tags is None else tuple(filter(None, tags.split(",")))
    settings = Settings(_shares(splits), by.value, seed, Choice(undecided.value, without))
    about = build(renames, _decisions(decisions or []), out, settings)
    if as_json:
        print_json(about)
        return
    _print_dataset(out, about)


def _shares(text: str) -> tuple[int, int, int]:
    from codeacumen.api import CodeacumenError

    parts = text.split("/")
    if len(parts) != 3 or not all(one.isdecimal() for one in parts) or not any(map(int, parts)):
        raise CodeacumenError(f"{text!r} are no shares", "write three of them, as in 60/10/30")
    return int(parts[0]), int(parts[1]), int(parts[2])


def _decisions(files: list[Path]) -> dict[str, str]:
    from codeacumen.api import CodeacumenError
    from codeacumen.renames.reviews.run import read_decisions

    found: dict[str, str] = {}
    for path in files:
        for key, one in read_decisions(path).items():
            if one.decision and found.get(key, one.decision) != one.decision:
                raise CodeacumenError(
                    f"{path}: {key} is decided otherwise in another file", "agree on one"
                )
            if one.decision:
                found[key] = one.decision
    return found


def _print_dataset(out: Path, about: Any) -> None:
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
    say(f"next: codeacumen eval --tasks names/check@{out} --tasks names/recommend")
