"""``codeacumen measure``: what can be counted of the methods of any Java there is."""

from __future__ import annotations

import json
from collections import Counter
from heapq import nsmallest
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._options import Rules, Workers
from codeacumen.cli._show import FOUND_FAILURES, Verb, print_table, progress_bar, say, verbs

if TYPE_CHECKING:
    from codeacumen.corpus.measure import Measured
    from codeacumen.languages.java.nulls import Report

app = verbs("Measure the methods of files, folders, archives, corpora.")

# So many of the files that are left out are named.
NAMED = 10

Places = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Java files, folders, zips, jars, corpora, or what else a corpus is built from.",
    ),
]
AsLines = Annotated[bool, typer.Option("--json", help="One line of JSON for each method.")]


@app.command("npath", cls=Verb)
def npath(
    places: Places,
    rules: Annotated[
        Rules, typer.Option(help="PMD 6; PMD 7.0 to 7.13; PMD 7.14 and later.")
    ] = Rules.PMD6,
    most: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many methods the table shows.")
    ] = 20,
    as_json: AsLines = False,
    workers: Workers = 0,
) -> None:  # fmt: skip
    """How many ways there are through each method, as PMD counts them: NPath complexity.

    Without --json a table of the largest and how many methods fall into each of GLUECode's
    classes. Files that are no Java somewhere are measured as far as they are.

    Example: codeacumen measure npath src/

    Example: codeacumen measure npath lib.jar corpus --rules pmd7.14 --json > values.jsonl
    """
    from codeacumen.core.home import codeacumen_home
    from codeacumen.core.machine import processors
    from codeacumen.corpus.measure import Measured, NPath, measured
    from codeacumen.engines import engine

    found = Measured()
    bins: Counter[str | None] = Counter()
    with progress_bar() as step:
        local = engine("local", workers or processors())
        for part in measured(NPath(rules.value), places, local, codeacumen_home(), step):
            if as_json:
                _print_lines(part.rows)
            else:
                bins.update(row["bin"] for row in part.rows)
                # Of equal ones those come first that are first in the files.
                found.rows = nsmallest(most, [*found.rows, *part.rows], key=lambda r: -r["value"])
            found.files += part.files
            found.broken += part.broken
            found.skipped += part.skipped
    if not as_json:
        _print_npath(found.rows, bins)
    _tell(found, sum(bins.values()) if not as_json else None)


@app.command("nulls", cls=Verb)
def nulls(
    places: Places,
    most: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many the table shows; 0: all.")
    ] = 20,
    as_json: AsLines = False,
    workers: Workers = 0,
) -> None:  # fmt: skip
    """Where null may be dereferenced, and how it gets there.

    The methods of a project are analysed together, from the bottom of its call graph: a report
    names the token that may be null and the steps that lead to it, through as many methods as
    it takes. The exit code is 1 if there are reports.

    Example: codeacumen measure nulls src/

    Example: codeacumen measure nulls lib-sources.jar --json > nulls.jsonl
    """
    from codeacumen.core.machine import processors
    from codeacumen.corpus.build import open_or_build
    from codeacumen.corpus.nulls import null_reports
    from codeacumen.engines import engine as make_engine

    engine = make_engine("local", workers or processors())
    with progress_bar() as step, open_or_build(places, engine, step) as corpus:
        found, failed = null_reports(corpus, engine, step)
    rows = [_null_row(project, one) for project, mine in found.items() for one in mine]
    for lost in failed:
        say(f"{lost.project}: {lost.path or 'all of it'}: left out: {lost.why}")
    if as_json:
        _print_lines(rows)
    else:
        _print_nulls(rows, most)
    say(_counted(len(rows), "null dereference"))
    if rows:
        raise typer.Exit(FOUND_FAILURES)


def _null_row(project: str, report: Report) -> dict[str, Any]:
    told = report.as_json()
    names = ("line", "token", "expression", "bug_type", "qualifier", "trace")
    return {
        "project": project,
        "file": report.path,
        "method": report.name,
        **{name: told[name] for name in names},
    }


def _print_nulls(rows: list[dict[str, Any]], most: int) -> None:
    shown = rows[:most] if most else rows
    cells = [
        [row["token"], row["method"], row["project"], f"{row['file']}:{row['line']}",
         row["qualifier"]]
        for row in shown
    ]  # fmt: skip
    print_table(["token", "method", "project", "where", "what"], cells, wide=3)
    if len(shown) < len(rows):
        say(f"... and {len(rows) - len(shown):,} more: --most 0 shows all")


def _print_lines(rows: list[dict[str, Any]]) -> None:
    if rows:
        typer.echo("\n".join(json.dumps(row, separators=(",", ":")) for row in rows))


def _print_npath(largest: list[dict[str, Any]], bins: Counter[str | None]) -> None:
    from codeacumen.languages.java.measures.npath import BINS

    cells = [
        [f"{row['value']:,}", row["bin"] or "–", row["signature"], row["project"],
         f"{row['file']}:{row['line']}"]
        for row in largest
    ]  # fmt: skip
    print_table(["npath", "class", "method", "project", "where"], cells, right=(0,), wide=4)
    total = max(1, sum(bins.values()))
    shares = [
        [name or "none", f"{bins[name]:,}", f"{bins[name] / total:.1%}"]
        for name in (*BINS, None)
        if bins[name] or name
    ]
    print_table(["class", "methods", "share"], shares, right=(1, 2))


def _tell(found: Measured, methods: int | None) -> None:
    """What was looked at, for the person at the terminal."""
    for project, problem in found.skipped[:NAMED]:
        say(f"{project}: {problem.path}: left out, {problem.kind}: {problem.message}")
    if len(found.skipped) > NAMED:
        say(f"... and {len(found.skipped) - NAMED:,} more")
    told = [_counted(methods, "method")] if methods is not None else []
    told.append(_counted(found.files, "file"))
    if found.broken:
        told.append(f"{found.broken:,} of them no Java somewhere, measured as far as they are")
    if found.skipped:
        told.append(f"{len(found.skipped):,} left out")
    say(", ".join(told))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
