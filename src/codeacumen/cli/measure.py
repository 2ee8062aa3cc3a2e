"""``codeacumen measure``: measure the methods of Java code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from heapq import nsmallest
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._groups import FOUND_FAILURES, Command, create_group
from codeacumen.cli._options import EngineName, Rules, Workers
from codeacumen.cli._output import print_note, print_table
from codeacumen.text.numbers import ABSENT

if TYPE_CHECKING:
    from codeacumen.corpus.measure import Measurements

app = create_group("Measure the methods of files, folders, archives, corpora.")

# Maximum number of files left out that are named; the others are only counted.
SKIPPED_SHOWN = 10

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE...",
        help="Corpora, or what a corpus is built from: Java files, folders, zips, jars, ...",
    ),
]
AsLines = Annotated[bool, typer.Option("--json", help="Print a line of JSON for each method.")]
RowLimit = Annotated[
    int,
    typer.Option("--limit", min=0, metavar="N", help="Maximum number of methods in the table."),
]


@app.command("npath", cls=Command)
def npath(
    sources: Sources,
    rules: Annotated[
        Rules, typer.Option(help="PMD 6; PMD 7.0 to 7.13; PMD 7.14 and later.")
    ] = Rules.PMD6,
    limit: RowLimit = 20,
    as_json: AsLines = False,
    workers: Workers = 0,
    engine: EngineName = "local",
) -> None:
    """NPath complexity: the number of acyclic paths through a method, as PMD counts them.

    Prints the methods with the highest values, and how many methods are in each of GLUECode's
    classes. Files with syntax errors are measured where they can be parsed.

    Examples:
        codeacumen measure npath src/
        codeacumen measure npath lib.jar corpus --rules pmd7.14 --json > values.jsonl
    """
    from codeacumen.corpus.measure import Measurements, NPath
    from codeacumen.interface.measures import stream_measurements

    summary = Measurements()
    bins: Counter[str | None] = Counter()
    for part in stream_measurements(NPath(rules.value), sources, engine, workers):
        if as_json:
            _print_lines(part.rows)
        bins.update(row["bin"] for row in part.rows)
        summary.add_measurements(part)
        # Of equal values those come first that are first in the files.
        summary.rows = nsmallest(0 if as_json else limit, summary.rows, key=_get_negated_value)
    if not as_json:
        _print_npath(summary.rows, bins)
    _print_summary(summary, bins.total())


def _get_negated_value(row: dict[str, Any]) -> int:
    return -int(row["value"])


def _print_npath(largest: list[dict[str, Any]], bins: Counter[str | None]) -> None:
    from codeacumen.languages.java.measures.npath import BINS

    cells = [
        [
            f"{row['value']:,}",
            row["bin"] or ABSENT,
            row["signature"],
            row["project"],
            f"{row['file']}:{row['line']}",
        ]
        for row in largest
    ]
    print_table(["npath", "class", "method", "project", "where"], cells, right=(0,), wide=4)
    total = max(1, bins.total())
    shares = [
        [name or "none", f"{bins[name]:,}", f"{bins[name] / total:.1%}"]
        for name in (*BINS, None)
        if bins[name] or name
    ]
    print_table(["class", "methods", "share"], shares, right=(1, 2))


@app.command("operators", cls=Command)
def operators(
    sources: Sources,
    as_json: AsLines = False,
    workers: Workers = 0,
    engine: EngineName = "local",
) -> None:
    """Count the twelve operators of GLUECode's operator task.

    Five of arithmetic, six comparisons and the assignment; the = of a declaration is not counted.

    Examples:
        codeacumen measure operators src/
        codeacumen measure operators corpus --json > operators.jsonl
    """
    from codeacumen.corpus.measure import Measurements, OperatorCounts
    from codeacumen.interface.measures import stream_measurements

    summary = Measurements()
    occurrences: Counter[str] = Counter()
    methods: Counter[str] = Counter()
    total = 0
    for part in stream_measurements(OperatorCounts(), sources, engine, workers):
        if as_json:
            _print_lines(part.rows)
        for row in part.rows:
            occurrences.update(row["operators"])
            methods.update(row["operators"].keys())
        total += len(part.rows)
        part.rows = []
        summary.add_measurements(part)
    if not as_json:
        _print_operators(occurrences, methods, total)
    _print_summary(summary, total)


def _print_operators(occurrences: Counter[str], methods: Counter[str], total: int) -> None:
    from codeacumen.languages.java.measures.operators import OPERATORS

    rows = [
        [
            operator,
            f"{occurrences[operator]:,}",
            f"{methods[operator]:,}",
            f"{methods[operator] / max(1, total):.1%}",
        ]
        for operator in OPERATORS
    ]
    columns = ["operator", "occurrences", "methods with it", "share of the methods"]
    print_table(columns, rows, right=(1, 2, 3))


@app.command("nulls", cls=Command)
def nulls(
    sources: Sources,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", min=0, metavar="N", help="Maximum number of rows in the table; 0: all."
        ),
    ] = 20,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each null dereference.")
    ] = False,
    workers: Workers = 0,
    engine: EngineName = "local",
) -> None:
    """Find where null may be dereferenced, and the steps that lead there.

    The methods of a project are analysed together, from the bottom of its call graph: a trace may
    lead through several methods. The exit code is 1 if there are null dereferences.

    Examples:
        codeacumen measure nulls src/
        codeacumen measure nulls lib-sources.jar --json > nulls.jsonl
    """
    from codeacumen.interface.measures import find_null_dereferences

    dereferences = find_null_dereferences(sources, engine=engine, workers=workers)
    for failure in dereferences.failures:
        print_note(f"left out: {failure}")
    rows = dereferences.rows
    if as_json:
        _print_lines(rows)
    else:
        _print_nulls(rows, limit)
    print_note(_format_count(len(rows), "null dereference"))
    if rows:
        raise typer.Exit(FOUND_FAILURES)


def _print_nulls(rows: list[dict[str, Any]], limit: int) -> None:
    printed_rows = rows[:limit] if limit else rows
    cells = [
        [
            row["token"],
            row["method"],
            row["project"],
            f"{row['file']}:{row['line']}",
            row["qualifier"],
        ]
        for row in printed_rows
    ]
    print_table(["token", "method", "project", "where", "what"], cells, wide=3)
    if len(printed_rows) < len(rows):
        print_note(f"... and {len(rows) - len(printed_rows):,} more: --limit 0 shows all")


def _print_lines(rows: Iterable[dict[str, Any]]) -> None:
    lines = [json.dumps(row, separators=(",", ":")) for row in rows]
    if lines:
        typer.echo("\n".join(lines))


def _print_summary(measurements: Measurements, methods: int) -> None:
    """Print how many methods and files were measured, and which files were not."""
    skipped = measurements.skipped
    for project, problem in skipped[:SKIPPED_SHOWN]:
        print_note(f"{project}: {problem.path}: left out, {problem.kind}: {problem.message}")
    if len(skipped) > SKIPPED_SHOWN:
        print_note(f"... and {len(skipped) - SKIPPED_SHOWN:,} more")
    counts = [_format_count(methods, "method"), _format_count(measurements.files, "file")]
    if measurements.broken:
        counts.append(f"{measurements.broken:,} of them with syntax errors, measured in part")
    if skipped:
        counts.append(f"{len(skipped):,} left out")
    print_note(", ".join(counts))


def _format_count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
