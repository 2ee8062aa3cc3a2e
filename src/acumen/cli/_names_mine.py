"""``acumen names mine``: renames from the history of git repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from acumen.cli._options import AsJson, Workers
from acumen.cli._show import print_facts, print_json, print_table, progress_bar, say

# Counts of methods and files, and how a person reads them.
_TOLD = {
    "changed": "body changed",
    "rewritten": "renamed, body changed, too",
    "signature": "other parameters or result",
    "moved": "moved under the same name",
    "gone": "gone",
    "new": "new",
    "delegates": "kept as a call of its successor",
}


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

    Example: acumen names mine ../guava ../kafka --out renames

    Example: acumen names mine . --since v1.0 --out renames --json
    """
    from acumen.engines import engine
    from acumen.machine import processors
    from acumen.renames.mining import Settings
    from acumen.renames.mining import mine as mined

    settings = Settings(branch=branch, since=since, limit=limit, mass=mass)
    with progress_bar() as step:
        told = mined(repositories, out, settings, engine("local", workers or processors()), step)
    if as_json:
        print_json(told)
        return
    for name, project in told["projects"].items():
        _show(name, project, told["read"][name])
    say(f"renames: {out / 'renames.jsonl'}")


def _show(name: str, project: Any, read: int) -> None:
    commits, methods = project["commits"], project["methods"]
    facts = [
        ("commits", f"{sum(commits.values()):,}, {read:,} of them read now"),
        *((f"  {kind}", f"{count:,}") for kind, count in commits.items() if kind != "ordinary"),
        ("renames", f"{project['renames']:,}"),
        ("stable methods beside them", f"{project['stable']:,}"),
        *((text, f"{methods[kind]:,}") for kind, text in _TOLD.items() if kind in methods),
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
