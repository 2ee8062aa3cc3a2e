"""``codeacumen transform``: programs of the same meaning."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._options import (
    CERTIFY,
    AsJson,
    ClassPath,
    DrawSeed,
    Kinds,
    Workers,
    asked_kinds,
    asked_modes,
    where_option,
)
from codeacumen.cli._show import FOUND_FAILURES, print_json, print_table, progress_bar, say

if TYPE_CHECKING:
    from codeacumen.transforms.run import Delivered


class Level(StrEnum):
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
        Path, typer.Option("--out", "-o", metavar="FILE", help="File for the lines of JSON.")
    ],
    kind: Kinds = None,
    where: Annotated[list[str] | None, where_option("single")] = None,
    seed: DrawSeed = 0,
    certify: Annotated[
        Level, typer.Option(help=CERTIFY)
    ] = Level.NONE,
    class_path: ClassPath = "",
    test_command: Annotated[
        str,
        typer.Option(metavar="COMMAND", help="Run in a copy of the project; 0 means tests pass."),
    ] = "",
    write: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the changed files here, too.")
    ] = None,
    refused: Annotated[
        bool, typer.Option("--refused", help="Lines for refused places too, with the reason.")
    ] = False,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Change programs so that they look different and do the same.

    Every place where a transformation can be made gives a line of JSON with the edits; where
    it would not be safe, it is refused with the reason. The exit code is 1 if a variant failed
    a level of --certify, or could not be made.

    Example: codeacumen transform src/ --kind rename --out variants.jsonl

    Example: codeacumen transform corpus -k loop -k VN+LX -w all --certify compiles -o v.jsonl

    Example: codeacumen transform lib -k switch --certify tests --test-command 'make t' -o v.jsonl
    """
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine as make_engine
    from codeacumen.transforms.certify.projects import Means
    from codeacumen.transforms.run import Order, deliver

    kinds, modes = asked_kinds(kind), asked_modes(where, ["single"])
    folder = _folder(sources, test_command) if certify is Level.TESTS else None
    means = Means(class_path, test_command, folder)
    from codeacumen.corpus.build import open_or_build

    engine = make_engine("local", workers or processors())
    with progress_bar() as step, open_or_build(sources, engine, step) as corpus:
        order = Order(kinds, modes, seed, certify.value, refused)
        found = deliver(corpus, order, engine, out, means, step, write)
    if as_json:
        print_json(_json(found))
    else:
        _print(found, kinds)
        say(f"{found.lines:,} lines: {out}")
    if found.failed:
        raise typer.Exit(FOUND_FAILURES)


def _folder(sources: list[str], command: str) -> Path:
    """The folder in which the tests are to be run."""
    from codeacumen.api import CodeacumenError

    if not command:
        raise CodeacumenError(
            "tests need a command", "for example --test-command 'make check', run in the folder"
        )
    place = Path(sources[0].partition("=")[2] or sources[0])
    if len(sources) != 1 or not place.is_dir():
        raise CodeacumenError(
            "tests can be run for one project, in its folder",
            "name just one folder: codeacumen transform lib/ --certify tests ...",
        )
    return place


def _json(found: Delivered) -> dict[str, Any]:
    counts = found.counts
    kinds = dict.fromkeys([*counts.found, *(kind for kind, _ in counts.made)])
    return {
        "lines": found.lines,
        "kinds": {
            kind: {
                "locations": counts.found[kind],
                "refused": {
                    why: n for (one, why), n in counts.refused.most_common() if one == kind
                },
                "variants": {mode: n for (one, mode), n in counts.made.items() if one == kind},
                "failed": [
                    {"level": level, "why": why, "variants": n}
                    for (one, level, why), n in found.failed.most_common()
                    if one == kind
                ],
            }
            for kind in kinds
        },
    }


def _print(found: Delivered, kinds: tuple[str, ...]) -> None:
    rows = []
    told = _json(found)["kinds"]
    for kind in kinds:
        one = told.get(kind, {"locations": 0, "refused": {}, "variants": {}, "failed": []})
        places, refused = one["locations"], sum(one["refused"].values())
        share = f"{1 - refused / places:.1%}" if places else "–"
        failed = sum(row["variants"] for row in one["failed"])
        rows.append(
            [kind, f"{places:,}", f"{refused:,}", share, f"{sum(one['variants'].values()):,}",
             f"{failed:,}", next(iter(one["refused"]), "")]
        )  # fmt: skip
    print_table(
        ["kind", "places", "refused", "changed", "variants", "failed", "most frequent refusal"],
        rows, right=(1, 2, 3, 4, 5),
    )  # fmt: skip
    failures = [
        [kind, row["level"], f"{row['variants']:,}", row["why"]]
        for kind in kinds
        for row in told.get(kind, {"failed": []})["failed"]
    ]
    if failures:
        print_table(["kind", "failed", "variants", "why"], failures, right=(2,))
