"""``codeacumen tasks``: list and audit tasks, and build tasks from a corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._options import (
    CERTIFY,
    AsJson,
    ClassPath,
    Confidence,
    CorpusFolder,
    Data,
    DataSetFolder,
    DrawSeed,
    Kinds,
    Models,
    MostVariants,
    Plugins,
    Resamples,
    Rules,
    Seed,
    Split,
    Workers,
    asked_kinds,
    complete_task,
    load_data,
    load_plugins,
    with_data,
)
from codeacumen.cli._show import (
    Verb,
    bounds,
    number,
    print_facts,
    print_json,
    print_listing,
    print_table,
    progress_bar,
    say,
    verbs,
)
from codeacumen.cli.dataset import Level

if TYPE_CHECKING:
    from codeacumen.api import Score
    from codeacumen.runs.near_duplicates import Effect

app = verbs("See the tasks there are, and build those that come from a corpus.")
build_app = verbs("Build tasks from a corpus; `codeacumen eval --tasks NAME@DIR` asks them.")
app.add_typer(build_app, name="build")


# Answers all tasks, and learns by heart what it can.
DEFAULT = "classical"


@app.command("audit", cls=Verb)
def audit(
    task: Annotated[
        str, typer.Argument(metavar="TASK@DIR", help="Tasks of a data set: gluecode@DIR.")
    ],
    model: Models = None,
    plugin: Plugins = None,
    data: Data = None,
    seed: Seed = 0,
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """What do near-duplicates across splits do to the scores?

    Counts the instances that have a near-duplicate in training, asks models (classical, if none is
    named) and scores them on all instances, on those without a near-duplicate, and on those with
    one.

    Example: codeacumen tasks audit gluecode@gluecode

    Example: codeacumen tasks audit gluecode@gluecode -m nearest -m my-model --plugin my_model.py
    """
    from codeacumen.runs.near_duplicates import measure_effects
    from codeacumen.runs.plan import make_plan
    from codeacumen.runs.scoring import Settings

    load_plugins(plugin or [])
    names = with_data([task], data)
    cells, unfit = make_plan(model or [DEFAULT], names, skip_unfit=True)
    for line in unfit:
        say(f"left out: {line}")
    with progress_bar() as step:
        found = measure_effects(
            cells,
            Settings(seed, confidence, resamples),
            step,
        )
    if as_json:
        print_json([{**asdict(one), "difference": one.difference} for one in found])
    else:
        _print_effects(found)


def _print_effects(found: list[Effect]) -> None:
    rows: list[list[Any]] = [
        [
            one.task,
            one.model,
            f"{one.near_duplicate.n if one.near_duplicate else 0:,} of {one.whole.n:,}",
            number(one.whole.value),
            _format_score(one.distinct),
            _format_score(one.near_duplicate),
            number(one.difference),
        ]
        for one in found
    ]
    columns = ["task", "model", "duplicates", "all", "without them", "them alone", "difference"]
    print_table(
        columns,
        rows,
        title="Near-duplicates in training",
        caption="Duplicates: instances with a near-duplicate in training. The difference is what "
        "they add to the score of all.",
        right=range(2, len(columns)),
    )


def _format_score(score: Score | None) -> str:
    if score is None:
        return "–"
    return f"{number(score.value)} {bounds(score.low, score.high)}".strip()


@app.command("list", cls=Verb)
def list_(as_json: AsJson = False, plugin: Plugins = None, data: Data = None) -> None:
    """List all tasks, ours and those of other packages.

    Example: codeacumen tasks list
    """
    load_plugins(plugin or [])
    load_data(data)
    print_listing("task", "what it asks", as_json=as_json)


@app.command(cls=Verb)
def show(
    name: Annotated[str, typer.Argument(help="Name of a task.", autocompletion=complete_task)],
    as_json: AsJson = False,
    plugin: Plugins = None,
    data: Data = None,
) -> None:
    """Show one task: what it needs, how it is scored, three of its instances.

    Example: codeacumen tasks show idbench/similarity/small
    """
    from dataclasses import asdict

    from codeacumen.datasets import CATALOGUE, missing_files
    from codeacumen.registry import make_task
    from codeacumen.runs.plan import input_record

    load_plugins(plugin or [])
    (name,) = with_data([name], data)
    task = make_task(name)
    card = task.card
    published = CATALOGUE.get(card.dataset)
    here = published is None or not missing_files(published)
    instances = task.instances() if here else []
    if as_json:
        examples = [
            {"id": i.id, "input": input_record(i.input), "truth": i.truth} for i in instances[:3]
        ]
        counted = len(instances) if here else None
        print_json({**asdict(card), "instances": counted, "examples": examples})
        return
    facts = [
        ("asks", card.summary),
        ("capability needed", card.capability.value),
        ("metric", task.metric.title),
        ("version", card.version),
        *(("scored on", f"{c.name}: {c.meaning}") for c in card.evaluation_sets),
    ]
    if card.slices:
        facts.append(("slices", ", ".join(card.slices)))
    if card.ceiling:
        people = f"{card.ceiling.value} {card.ceiling.label}, {card.ceiling.source}"
        facts.append((card.ceiling.who, people))
    absent = f"data not here: codeacumen data get {card.dataset}"
    facts.append(("instances", str(len(instances)) if here else absent))
    facts += [("for example", f"{instance.id}: {instance.truth}") for instance in instances[:3]]
    if card.citation:
        facts.append(("cite", card.citation))
    print_facts(card.title, facts)


@build_app.command("gluecode", cls=Verb)
def gluecode(
    corpus: CorpusFolder,
    out: DataSetFolder,
    seed: DrawSeed = 0,
    rules: Annotated[Rules, typer.Option(help="Whose rules NPath is counted by.")] = Rules.PMD6,
    dedup: Annotated[
        bool,
        typer.Option(
            "--dedup", help="Train on no method that has a near-duplicate in dev or test."
        ),
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

    Example: codeacumen tasks build gluecode --corpus corpus --out gluecode

    Example: codeacumen tasks build gluecode --corpus corpus --dedup --seed 7 --out gluecode
    """
    from codeacumen.benchmarks.gluecode.build import Recipe, build
    from codeacumen.benchmarks.gluecode.specs import at_most
    from codeacumen.benchmarks.gluecode.warned import warnings_of
    from codeacumen.core.machine import processors
    from codeacumen.corpus import Corpus
    from codeacumen.engines import engine as make_engine

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
        _print_built(out, about)


@build_app.command("similar", cls=Verb)
def similar(
    corpus: CorpusFolder,
    out: DataSetFolder,
    kind: Kinds = None,
    seed: DrawSeed = 0,
    certify: Annotated[Level, typer.Option(help=CERTIFY)] = Level.PARSES,
    class_path: ClassPath = "",
    split: Annotated[Split, typer.Option(help="Which methods of the corpus.")] = Split.ALL,
    most: MostVariants = 100,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Pairs by construction: a method and its variants, and unrelated methods.

    The result is the same to the byte, whatever the number of workers.

    Example: codeacumen tasks build similar --corpus corpus --out similar
    """
    from codeacumen.benchmarks.sesame.build import build
    from codeacumen.core.machine import processors
    from codeacumen.corpus import Corpus
    from codeacumen.datasets.variants.make import Recipe
    from codeacumen.engines import engine as make_engine
    from codeacumen.transforms.certify.projects import Means

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
    typer.echo(f"next: codeacumen eval --tasks similar@{out}")


def _print_built(out: Path, about: Any) -> None:
    counts = about["counts"]
    splits = list(counts["methods"])
    print_facts(
        str(out),
        [("methods", ", ".join(f"{split} {counts['methods'][split]:,}" for split in splits))],
    )
    rows = []
    for task, told in counts["tasks"].items():
        rows.append([task, *(_origin(told[split]) for split in splits), _remarks(told)])
    print_table(
        ["task", *splits, ""], rows, title="Instances, of those in the paper", right=range(1, 4)
    )
    rows = [
        [origin, *(_share(counts["origins"][split], origin) for split in splits)]
        for origin in counts["origins"][splits[0]]
    ]
    print_table(["declared in", *splits], rows, title="Called methods", right=range(1, 4))
    if counts["near_duplicates_unknown"]:
        typer.echo(f"near-duplicates were not looked for: {counts['near_duplicates_unknown']}")
    typer.echo(f"next: codeacumen eval --tasks gluecode@{out}")


def _origin(told: Any) -> str:
    return f"{told['instances']:,} of {told['wanted']:,}"


def _share(counts: Any, origin: str) -> str:
    total = sum(counts.values())
    return f"{counts[origin] / total:.1%}" if total else "–"


def _remarks(told: Any) -> str:
    remarks = []
    for split, one in told.items():
        if one["instances"] and one.get("missing"):
            remarks.append(f"{split} has no {', '.join(one['missing'])}")
        if one["near_duplicates_in_train"]:
            remarks.append(
                f"{one['near_duplicates_in_train']:,} of {split} have a near-duplicate in train"
            )
    return "; ".join(remarks)


@build_app.command("names", cls=Verb)
def names(
    corpus: CorpusFolder,
    out: DataSetFolder,
    beside: Annotated[
        int, typer.Option(min=1, metavar="N", help="Stable methods to each inconsistent one.")
    ] = 33,
    cases: Annotated[
        int, typer.Option(min=0, metavar="N", help="Inconsistent methods at most; 0: all.")
    ] = 0,
    split: Annotated[
        Split, typer.Option(help="Only methods of this split of the corpus.")
    ] = Split.ALL,
    seed: DrawSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Wrong names as rare as they are: each of Liu's among stable methods.

    The corpus should hold no project that a model has learned from, or --split names those that
    none has. The result is the same to the byte for the same corpus and seed.

    Example: codeacumen tasks build names --corpus corpus --out realistic
    """
    from codeacumen.benchmarks.rename4j.build import Recipe, build
    from codeacumen.corpus import Corpus

    with progress_bar() as step:
        about = build(Corpus.open(corpus), Recipe(seed, beside, cases, split.value), out, step)
    if as_json:
        print_json(about)
        return
    counts = about["counts"]
    print_facts(
        str(out),
        [
            ("inconsistent", f"{counts['cases']:,} of {counts['inconsistent']:,}"),
            ("beside them", f"{counts['drawn']:,} of {counts['eligible']:,}, {beside} to each"),
            ("projects", f"{counts['projects']:,}"),
        ],
    )
    typer.echo(f"next: codeacumen eval --tasks names@{out}")
