"""``codeacumen dataset``: from a corpus to a data set that models can be asked."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.cli._options import (
    CERTIFY,
    AsJson,
    ClassPath,
    CorpusFolder,
    DataSetFolder,
    DrawSeed,
    Kinds,
    MostVariants,
    Split,
    Workers,
    asked_kinds,
    asked_modes,
    where_option,
)
from codeacumen.cli._show import Verb, print_facts, print_json, print_table, progress_bar, verbs

app = verbs("Make a data set from a corpus; `codeacumen eval --data DIR` asks it.")


# Of each kind; all of them stand in dataset.json.
REASONS_SHOWN = 3


class Level(StrEnum):
    NONE = "none"
    PARSES = "parses"
    BINDS = "binds"
    COMPILES = "compiles"


@app.command("robustness", cls=Verb)
def robustness(
    corpus: CorpusFolder,
    out: DataSetFolder,
    kind: Kinds = None,
    where: Annotated[list[str] | None, where_option("single and all")] = None,
    seed: DrawSeed = 0,
    certify: Annotated[
        Level, typer.Option(help=CERTIFY)
    ] = Level.PARSES,
    class_path: ClassPath = "",
    split: Annotated[Split, typer.Option(help="Which methods of the corpus.")] = Split.TEST,
    most: MostVariants = 0,
    methods: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Only methods whose names are asked for, or learned, in this GLUECode data set.",
        ),
    ] = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Methods and variants of them that mean the same: is a model's answer the same, too?

    The result is the same to the byte, whatever the number of workers.

    Example: codeacumen dataset robustness --corpus corpus --out robustness

    Example: codeacumen dataset robustness --corpus c -k rename -w single -w 25% --most 1000 -o r

    Example: codeacumen dataset robustness --corpus c -k all -k published --certify binds -o both
    """
    from codeacumen.core.machine import processors
    from codeacumen.corpus import Corpus
    from codeacumen.datasets.variants.build import build
    from codeacumen.datasets.variants.make import Recipe
    from codeacumen.engines import engine as make_engine
    from codeacumen.transforms.certify.projects import Means

    recipe = Recipe(
        kinds=asked_kinds(kind),
        where=asked_modes(where, ("single", "all")),
        seed=seed,
        split=split.value,
        certify=certify.value,
        most=most,
    )
    source = Corpus.open(corpus)
    engine = make_engine("local", workers or processors())
    with progress_bar() as step:
        about = build(
            source, recipe, out, engine, Means(class_path), step,
            methods=_named(methods) if methods else None,
        )  # fmt: skip
    if as_json:
        print_json(about)
    else:
        _print(out, about, recipe.kinds, recipe.where)


def _named(folder: Path) -> list[str]:
    from codeacumen.benchmarks.gluecode.masks import NAMING
    from codeacumen.datasets.built import read_built

    return [row["id"] for row in read_built(folder).rows(f"{NAMING}.jsonl")]


def _print(out: Path, about: Any, kinds: tuple[str, ...], modes: tuple[str, ...]) -> None:
    from codeacumen.datasets.variants import MARKS

    counts = about["counts"]
    print_facts(
        str(out),
        [
            ("methods looked at", f"{counts['methods_looked_at']:,}"),
            ("methods with a variant", f"{counts['methods']:,}"),
        ],
    )
    rows = []
    for kind in kinds:
        made, found = (counts[name].get(kind, {}) for name in ("variants", "variants_found"))
        refused = sum(counts["refused"].get(kind, {}).values())
        dropped = sum(
            n for level in counts["dropped"].get(kind, {}).values() for n in level.values()
        )
        told = [_of(made.get(mode, 0), found.get(mode, 0)) for mode in modes]
        rows.append([kind, *told, f"{refused:,}", f"{dropped:,}"])
    columns = ["kind", *modes, "refused places", "dropped"]
    print_table(columns, rows, title="Variants", right=range(1, len(columns)))
    if marked := counts.get("edits"):
        print_table(
            ["kind", "mode", *MARKS],
            [
                [kind, mode, *(f"{found.get(one, 0):,}" for one in MARKS)]
                for kind, modes_ in marked.items()
                for mode, found in modes_.items()
            ],
            title="What is known of the published tool's edits", right=(2, 3, 4),
        )  # fmt: skip
    reasons = [
        [kind, f"not {level}", why, f"{n:,}"]
        for kind, levels in counts["dropped"].items()
        for level, found in levels.items()
        for why, n in found.items()
    ]
    for kind, found in counts["refused"].items():
        most = sorted(found.items(), key=lambda one: -one[1])[:REASONS_SHOWN]
        reasons += [[kind, "refused", why, f"{n:,}"] for why, n in most]
    for kind, found in counts.get("doubts", {}).items():
        most = sorted(found.items(), key=lambda one: -one[1])[:REASONS_SHOWN]
        reasons += [[kind, "kept", why, f"{n:,}"] for why, n in most]
    if reasons:
        print_table(["kind", "", "why", "places"], reasons, title="Why not", right=(3,))
    typer.echo(f"next: codeacumen eval --data {out} --task robustness")


def _of(kept: int, found: int) -> str:
    return f"{kept:,}" if kept >= found else f"{kept:,} of {found:,}"
