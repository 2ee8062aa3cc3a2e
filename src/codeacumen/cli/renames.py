"""``codeacumen renames``: mine renamed methods from git histories and from code reviews."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import AsJson, Workers
from codeacumen.cli._output import print_facts, print_json, print_note, print_table

if TYPE_CHECKING:
    from codeacumen.interface.renames import MinedReviews

app = create_group("Mine renamed methods from git histories and from code reviews.")

# Keys of the counts of methods, and how a person reads them.
_COUNT_LABELS = {
    "changed": "body changed",
    "rewritten": "name and body changed",
    "signature": "signature changed",
    "moved": "moved, same name",
    "removed": "removed",
    "new": "new",
    "delegates": "old name kept as a delegate",
}


@app.command("mine", cls=Command)
def mine(
    repositories: Annotated[
        list[Path], typer.Argument(metavar="REPO...", help="Folders of git repositories.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the renames.")],
    branch: Annotated[
        str, typer.Option(metavar="REF", help="Branch, tag or commit to read up to.")
    ] = "HEAD",
    since: Annotated[
        str, typer.Option(metavar="REV", help="Skip the history of this revision.")
    ] = "",
    commit_timeout: Annotated[
        float, typer.Option(min=0.01, metavar="SECONDS", help="Leave out commits that take longer.")
    ] = 10.0,
    mass: Annotated[
        int,
        typer.Option(
            min=2, metavar="N", help="Tag renames as mass from this many equal ones in a commit."
        ),
    ] = 10,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Mine renames of Java methods from git history: only the name changed, not the body.

    Nothing is checked out; bare repositories work, too. Each commit is compared with its first
    parent, and methods are followed through moves of files and classes up to the last revision.
    Run the same command again to continue, or to read new commits.

    Examples:
        codeacumen renames mine ../guava ../kafka --out mined
        codeacumen renames mine . --since v1.0 --out mined --json
    """
    from codeacumen.interface.renames import mine_renames

    description = mine_renames(
        [*repositories],
        out,
        branch=branch,
        since=since,
        commit_timeout=commit_timeout,
        mass=mass,
        workers=workers,
    )
    if as_json:
        print_json(description)
        return
    for name, project in description["projects"].items():
        _print_project(name, project, description["read"][name])
    print_note(f"renames: {out / 'renames.jsonl'}")
    print_note(f"next:    codeacumen dataset build renames {out} --out renames")


def _print_project(name: str, project: Any, read: int) -> None:
    commits, methods = project["commits"], project["methods"]
    facts = [
        ("commits", f"{sum(commits.values()):,}, {read:,} read in this run"),
        *((f"  {kind}", f"{count:,}") for kind, count in commits.items() if kind != "ordinary"),
        ("renames", f"{project['renames']:,}"),
        ("stable methods of the same files", f"{project['stable']:,}"),
        *((text, f"{methods[kind]:,}") for kind, text in _COUNT_LABELS.items() if kind in methods),
        ("file versions", f"{methods.get('files', 0):,}"),
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
    for commit, reason in project["skipped"]:
        print_note(f"skipped: {commit}: {reason}")


@app.command("reviews", cls=Command)
def reviews(
    repositories: Annotated[
        list[str], typer.Argument(metavar="OWNER/REPO...", help="Repositories on GitHub.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the renames.")],
    since: Annotated[
        str,
        typer.Option(metavar="DATE", help="Only pull requests opened since a day: 2020-01-31."),
    ] = "",
    token_env: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable that holds the token.")
    ] = "GITHUB_TOKEN",
    api: Annotated[
        str, typer.Option(metavar="URL", help="Address of the API.")
    ] = "https://api.github.com",
    answers: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of GitHub's answers; default: OUT/answers."),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use stored answers only, send no request.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Mine renames from pull requests with comments about a name.

    Methods of which only the name changed are linked to the comment about them. Each comes
    with the criteria of ReName4J as far as a program can check them; a person decides in the column
    `decision` of review.csv. GitHub's answers are stored: run the same command again to continue.

    Examples:
        codeacumen renames reviews apache/commons-csv --out reviews
        codeacumen renames reviews apache/kafka --since 2022-01-01 --out reviews --json
    """
    from codeacumen.interface.renames import mine_reviews

    mined = mine_reviews(
        repositories,
        out,
        since=since,
        token="" if offline else _read_token(token_env),
        api=api,
        answers=answers,
        offline=offline,
        on_wait=print_note,
    )
    for name, problem in mined.description["problems"].items():
        print_note(f"left out {name}: {problem}")
    if as_json:
        print_json(mined.description)
    else:
        _print_reviews(out, mined, offline=offline)


def _read_token(name: str) -> str:
    token = os.environ.get(name, "").strip()
    if not token:
        print_note(
            f"no token in {name}: GitHub answers 60 requests an hour without one, 5,000 with one"
        )
    return token


def _print_reviews(out: Path, mined: MinedReviews, *, offline: bool) -> None:
    from codeacumen.renames.reviews.run import REVIEW_FILE

    description = mined.description
    columns = ["pull_requests", "naming_pull_requests", "cases", "stable"]
    rows = [
        [name, *(f"{repository['counts'].get(column, 0):,}" for column in columns)]
        for name, repository in description["repositories"].items()
    ]
    headers = ["repository", "pull requests", "about names", "cases", "stable"]
    print_table(headers, rows, right=range(1, 5))
    clear = description["clear"]
    facts = [
        ("cases", f"{description['cases']:,}, {clear:,} of them clear without review"),
        ("stable", f"{description['stable']:,} other methods of the same files"),
    ]
    if not offline:
        requests = (
            f"{mined.sent:,} sent ({mined.unchanged:,} unchanged), {mined.stored:,} from the cache"
        )
        facts.append(("requests", requests))
    skipped: Counter[str] = Counter()
    for repository in description["repositories"].values():
        skipped.update(repository["skipped"])
    facts += [(f"skipped: {reason}", f"{count:,}") for reason, count in sorted(skipped.items())]
    print_facts(str(out), facts)
    print_note(f"decide:  {out / REVIEW_FILE}, in the column `decision`: include or exclude")
    print_note(
        f"next:    codeacumen dataset build renames {out} "
        f"--decisions {out / REVIEW_FILE} --out renames"
    )
