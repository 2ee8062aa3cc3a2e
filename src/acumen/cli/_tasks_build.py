"""``acumen tasks build``: from a corpus to tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from acumen.cli import _tasks_build_names
from acumen.cli._app import Verb, verbs
from acumen.cli._options import AsJson, DrawSeed, Rules, Split, Workers
from acumen.cli._show import print_facts, print_json, print_table, progress_bar, say
from acumen.cli._variants import CERTIFY, ClassPath, Kinds, asked_kinds
from acumen.cli.dataset import Level

app = verbs("Build tasks from a corpus; `acumen eval --tasks NAME@DIR` asks them.")
app.command("names", cls=Verb)(_tasks_build_names.names)


@app.command("gluecode", cls=Verb)
def gluecode(
    corpus: Annotated[Path, typer.Option("--corpus", metavar="DIR", help="Folder of a corpus.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the data set.")
    ],
    seed: DrawSeed = 0,
    rules: Annotated[Rules, typer.Option(help="Whose rules NPath is counted by.")] = Rules.PMD6,
    dedup: Annotated[
        bool, typer.Option("--dedup", help="Train on no method that has a twin in dev or test.")
    ] = False,
    infer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROJECT=FILE",
            help="Take a project's null dereferences from Infer's report.json. Repeatable.",
        ),
    ] = None,
    most: Annotated[
        int,
        typer.Option(
            min=0, metavar="N",
            help="Train each task on N methods at most, and draw an eighth of that for dev and "
            "for test; 0: as many as the paper.",
        ),
    ] = 0,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Five tasks about methods: NPath, operator, name, call, null token.

    Split by project, as large as in the paper where the corpus allows it, else as large as it
    does. The result is the same to the byte, whatever the number of workers.

    Example: acumen tasks build gluecode --corpus corpus --out gluecode

    Example: acumen tasks build gluecode --corpus corpus --dedup --seed 7 --out gluecode
    """
    from acumen.corpus import Corpus
    from acumen.engines import engine as make_engine
    from acumen.machine import processors
    from acumen.tasks.methods.build import Recipe, build
    from acumen.tasks.methods.specs import at_most
    from acumen.tasks.methods.warned import warnings_of

    source = Corpus.open(corpus)
    engine = make_engine("local", workers or processors())
    with progress_bar() as step:
        warnings, failed = warnings_of(source, engine, infer or [], step)
        recipe = Recipe(seed, rules.value, dedup, at_most(most))
        about = build(source, recipe, out, engine, warnings, step)
    for one in failed:
        say(f"no null dereferences of {one.project} {one.path}: {one.why}")
    if as_json:
        print_json(about)
    else:
        _print(out, about)


@app.command("similar", cls=Verb)
def similar(
    corpus: Annotated[Path, typer.Option("--corpus", metavar="DIR", help="Folder of a corpus.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the data set.")
    ],
    kind: Kinds = None,
    seed: DrawSeed = 0,
    certify: Annotated[Level, typer.Option(help=CERTIFY)] = Level.PARSES,
    class_path: ClassPath = "",
    split: Annotated[Split, typer.Option(help="Which methods of the corpus.")] = Split.ALL,
    most: Annotated[
        int, typer.Option(min=0, metavar="N", help="Variants to keep of a kind and mode; 0: all.")
    ] = 100,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Pairs by construction: a method and its variants, and unrelated methods.

    The result is the same to the byte, whatever the number of workers.

    Example: acumen tasks build similar --corpus corpus --out similar
    """
    from acumen.corpus import Corpus
    from acumen.engines import engine as make_engine
    from acumen.machine import processors
    from acumen.tasks.robustness.make import Recipe
    from acumen.tasks.similarity.build import build
    from acumen.transforms.certify.projects import Means

    recipe = Recipe(
        kinds=asked_kinds(kind), seed=seed, split=split.value, certify=certify.value, most=most
    )
    engine = make_engine("local", workers or processors())
    with progress_bar() as step:
        about = build(Corpus.open(corpus), recipe, out, engine, Means(class_path), step)
    if as_json:
        print_json(about)
        return
    counts = about["counts"]
    print_facts(
        str(out), [("pairs", f"{counts['pairs']:,}"), ("methods", f"{counts['methods']:,}")]
    )
    rows = [[name, what, f"{2 * counts['alike'][name]:,}"] for name, what in about["kinds"].items()]
    print_table(["kind", "", "pairs"], rows, title="Pairs, half of them alike", right=(2,))
    typer.echo(f"next: acumen eval --tasks similar@{out}")


def _print(out: Path, about: Any) -> None:
    counts = about["counts"]
    splits = list(counts["methods"])
    print_facts(
        str(out),
        [("methods", ", ".join(f"{split} {counts['methods'][split]:,}" for split in splits))],
    )
    rows = []
    for task, told in counts["tasks"].items():
        rows.append([task, *(_of(told[split]) for split in splits), _remarks(told)])
    print_table(
        ["task", *splits, ""], rows, title="Instances, of those in the paper", right=range(1, 4)
    )
    rows = [
        [origin, *(_share(counts["origins"][split], origin) for split in splits)]
        for origin in counts["origins"][splits[0]]
    ]
    print_table(["declared in", *splits], rows, title="Called methods", right=range(1, 4))
    if counts["twins_unknown"]:
        typer.echo(f"twins were not looked for: {counts['twins_unknown']}")
    typer.echo(f"next: acumen eval --tasks gluecode@{out}")


def _of(told: Any) -> str:
    return f"{told['instances']:,} of {told['wanted']:,}"


def _share(counts: Any, origin: str) -> str:
    total = sum(counts.values())
    return f"{counts[origin] / total:.1%}" if total else "–"


def _remarks(told: Any) -> str:
    remarks = []
    for split, one in told.items():
        if one["instances"] and one.get("missing"):
            remarks.append(f"{split} has no {', '.join(one['missing'])}")
        if one["twins_in_train"]:
            remarks.append(f"{one['twins_in_train']:,} of {split} have a twin in train")
    return "; ".join(remarks)
