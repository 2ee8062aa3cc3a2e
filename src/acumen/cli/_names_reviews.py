"""``acumen names reviews``: renames that came out of code review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from acumen.cli._options import AsJson
from acumen.cli._show import print_facts, print_json, print_table, progress_bar, say


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

    Example: acumen names reviews apache/commons-csv --out reviews

    Example: acumen names reviews apache/kafka --since 2022-01-01 --out reviews --json
    """
    from acumen.api import AcumenError
    from acumen.renames.reviews.client import Kept, Saved
    from acumen.renames.reviews.run import mine_reviews

    if saved is not None:
        if keep_saved is not None:
            raise AcumenError("--saved asks nobody, so there is nothing to keep", "leave one out")
        with progress_bar() as step:
            about = mine_reviews(Saved(saved), repositories, out, since, step)
        _told(out, about, as_json)
        return
    from acumen.renames.reviews.client import GitHub

    token = _token(token_env)
    with GitHub(api, token, told=say) as network, progress_bar() as step:
        source = Kept(keep_saved or out / "answers", network)
        about = mine_reviews(source, repositories, out, since, step)
    asked = f"{source.asked:,} asked ({source.unchanged:,} unchanged), {source.there:,} kept"
    _told(out, about, as_json, asked)


def _token(name: str) -> str:
    import os

    token = os.environ.get(name, "").strip()
    if not token:
        say(f"no token in {name}: GitHub answers 60 questions an hour without one, 5,000 with one")
    return token


def _told(out: Path, about: Any, as_json: bool, asked: str = "") -> None:
    from acumen.renames.reviews.run import REVIEW_FILE

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
        f"next:    acumen names dataset --renames {out} --decisions {out / REVIEW_FILE} --out names"
    )
