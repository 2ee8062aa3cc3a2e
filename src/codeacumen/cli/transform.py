"""``codeacumen transform``: programs that look different and mean the same."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._groups import FOUND_FAILURES
from codeacumen.cli._options import (
    CERTIFY,
    AsJson,
    ClassPath,
    EngineName,
    Kinds,
    Seed,
    Workers,
    where_option,
)
from codeacumen.cli._output import print_json, print_note, print_table
from codeacumen.text.numbers import ABSENT

if TYPE_CHECKING:
    from codeacumen.interface.transformation import Transformation


class CertificateLevel(StrEnum):
    """Level to which variants are checked; each level includes the one before."""

    NONE = "none"
    PARSES = "parses"
    BINDS = "binds"
    COMPILES = "compiles"
    TESTS = "tests"


def transform(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="A corpus, or what a corpus is built from: files, folders, zips, git:URL@REV, ...",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="File for the variants: JSON lines.")
    ],
    kind: Kinds = None,
    where: Annotated[list[str] | None, where_option("single")] = None,
    seed: Seed = 0,
    certify: Annotated[CertificateLevel, typer.Option(help=CERTIFY)] = CertificateLevel.NONE,
    class_path: ClassPath = "",
    test_command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="Command that runs the tests in a copy of the project; exit code 0: they pass.",
        ),
    ] = "",
    write: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the changed files here, too.")
    ] = None,
    refused: Annotated[
        bool, typer.Option("--refused", help="Write a line for each refused place, too.")
    ] = False,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Transform programs so that they look different and mean the same.

    Every place where a transformation is possible gives a line of JSON with the edits; where it
    would not be safe, it is refused, with the reason. The exit code is 1 if a variant failed a
    level of --certify, or could not be made.

    Examples:
        codeacumen transform src/ --kind rename --out variants.jsonl
        codeacumen transform corpus -k loop -k rename+loop -w all --certify compiles -o v.jsonl
        codeacumen transform lib -k switch --certify tests --test-command 'make test' -o v.jsonl
    """
    from codeacumen.interface.transformation import transform as transform_programs

    transformation = transform_programs(
        sources,
        out,
        kinds=kind,
        where=where,
        seed=seed,
        certify=certify.value,
        class_path=class_path,
        test_command=test_command,
        write=write,
        refused=refused,
        engine=engine,
        workers=workers,
    )
    if as_json:
        print_json(transformation.counts)
    else:
        _print_counts(transformation)
        print_note(f"{transformation.line_count:,} lines: {out}")
    if transformation.has_failures:
        raise typer.Exit(FOUND_FAILURES)


def _print_counts(transformation: Transformation) -> None:
    rows = []
    failures = []
    for kind, counts in transformation.counts["kinds"].items():
        places, refused = counts["locations"], sum(counts["refused"].values())
        share = f"{1 - refused / places:.1%}" if places else ABSENT
        failed = sum(failure["variants"] for failure in counts["failed"])
        rows.append(
            [
                kind,
                f"{places:,}",
                f"{refused:,}",
                share,
                f"{sum(counts['variants'].values()):,}",
                f"{failed:,}",
                next(iter(counts["refused"]), ""),
            ]
        )
        failures += [
            [kind, failure["level"], f"{failure['variants']:,}", failure["reason"]]
            for failure in counts["failed"]
        ]
    columns = ["kind", "places", "refused", "changed", "variants", "failed"]
    print_table([*columns, "most frequent refusal"], rows, right=(1, 2, 3, 4, 5))
    if failures:
        print_table(["kind", "failed", "variants", "reason"], failures, right=(2,))
