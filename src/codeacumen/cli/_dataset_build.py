"""``codeacumen dataset build``: a command for each kind of data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.cli import survey
from codeacumen.cli._dataset_names import build_misnamed, build_renames
from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import (
    AsJson,
    Certify,
    ClassPath,
    CorpusFolder,
    DatasetFolder,
    EngineName,
    Kinds,
    Level,
    MethodSplit,
    Rules,
    Seed,
    Split,
    VariantLimit,
    Workers,
    where_option,
)
from codeacumen.cli._output import print_facts, print_json, print_note, print_table
from codeacumen.text.numbers import ABSENT

build_app = create_group("Build a data set; `codeacumen eval -t NAME@DIR` asks its tasks.")

# Maximum number of reasons for refusals and for doubts that are printed of each kind, the most
# frequent ones; dataset.json has all of them.
REASONS_SHOWN = 3


@build_app.command("gluecode", cls=Command)
def build_gluecode(
    corpus: CorpusFolder,
    out: DatasetFolder,
    seed: Seed = 0,
    rules: Annotated[Rules, typer.Option(help="PMD version whose rules count NPath.")] = Rules.PMD6,
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
    limit: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Maximum number of training methods for each task, an eighth of it for dev and "
            "for test; 0: as many as the paper.",
        ),
    ] = 0,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Five tasks about methods: NPath, operator, name, call, null token.

    Split by project, as large as in the paper where the corpus allows it. The result is the same
    to the byte for any number of workers.

    Examples:
        codeacumen dataset build gluecode corpus --out gluecode
        codeacumen dataset build gluecode corpus --dedup --seed 7 --out gluecode
    """
    from codeacumen.interface.datasets import build_dataset

    about = build_dataset(
        "gluecode",
        corpus,
        out,
        seed=seed,
        rules=rules.value,
        dedup=dedup,
        infer=infer or (),
        limit=limit,
        engine=engine,
        workers=workers,
    )
    for failure in about["failures"]:
        print_note(f"no null dereferences of {failure}")
    if as_json:
        print_json(about)
    else:
        _print_gluecode(out, about)


def _print_gluecode(out: Path, about: Any) -> None:
    counts = about["counts"]
    splits = list(counts["methods"])
    sizes = ", ".join(f"{split} {counts['methods'][split]:,}" for split in splits)
    print_facts(str(out), [("methods", sizes)])
    rows = [
        [
            task,
            *(f"{sizes[split]['instances']:,} of {sizes[split]['wanted']:,}" for split in splits),
            _format_remarks(sizes),
        ]
        for task, sizes in counts["tasks"].items()
    ]
    print_table(
        ["task", *splits, ""], rows, title="Instances, of those in the paper", right=range(1, 4)
    )
    rows = [
        [origin, *(_format_share(counts["origins"][split], origin) for split in splits)]
        for origin in counts["origins"][splits[0]]
    ]
    print_table(["declared in", *splits], rows, title="Called methods", right=range(1, 4))
    if counts["near_duplicates_unknown"]:
        typer.echo(f"near-duplicates not searched: {counts['near_duplicates_unknown']}")
    typer.echo(f"next: codeacumen eval -t gluecode@{out}")


def _format_share(counts: Any, origin: str) -> str:
    total = sum(counts.values())
    return f"{counts[origin] / total:.1%}" if total else ABSENT


def _format_remarks(sizes: Any) -> str:
    remarks = []
    for split, size in sizes.items():
        if size["instances"] and size.get("missing"):
            remarks.append(f"{split} has no {', '.join(size['missing'])}")
        if size["near_duplicates_in_train"]:
            remarks.append(
                f"{size['near_duplicates_in_train']:,} of {split} have a near-duplicate in train"
            )
    return "; ".join(remarks)


@build_app.command("robustness", cls=Command)
def build_robustness(
    corpus: CorpusFolder,
    out: DatasetFolder,
    kind: Kinds = None,
    where: Annotated[list[str] | None, where_option("single and all")] = None,
    seed: Seed = 0,
    certify: Certify = Level.PARSES,
    class_path: ClassPath = "",
    split: MethodSplit = Split.TEST,
    limit: VariantLimit = 0,
    methods: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Only the methods of the naming task of this GLUECode data set."
        ),
    ] = None,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Methods and variants of the same meaning, to measure changes of a model's predictions.

    The result is the same to the byte for any number of workers.

    Examples:
        codeacumen dataset build robustness corpus --out robustness
        codeacumen dataset build robustness corpus -k rename -w single -w 25% --limit 1000 -o r
        codeacumen dataset build robustness corpus -k all -k published --certify binds -o both
    """
    from codeacumen.interface.datasets import build_dataset

    about = build_dataset(
        "robustness",
        corpus,
        out,
        kinds=kind,
        where=where,
        seed=seed,
        certify=certify.value,
        class_path=class_path,
        split=split.value,
        limit=limit,
        methods=methods,
        engine=engine,
        workers=workers,
    )
    if as_json:
        print_json(about)
    else:
        settings = about["settings"]
        _print_robustness(out, about, settings["kinds"], settings["where"])


def _print_robustness(
    out: Path, about: Any, kinds: tuple[str, ...], modes: tuple[str, ...]
) -> None:
    from codeacumen.datasets.variants import MARKS

    counts = about["counts"]
    print_facts(
        str(out),
        [
            ("methods examined", f"{counts['methods_examined']:,}"),
            ("methods with a variant", f"{counts['methods']:,}"),
        ],
    )
    rows = []
    for kind in kinds:
        valid, possible = (counts[name].get(kind, {}) for name in ("variants", "variants_found"))
        refused = sum(counts["refused"].get(kind, {}).values())
        dropped = sum(sum(level.values()) for level in counts["dropped"].get(kind, {}).values())
        cells = [_format_kept(valid.get(mode, 0), possible.get(mode, 0)) for mode in modes]
        rows.append([kind, *cells, f"{refused:,}", f"{dropped:,}"])
    columns = ["kind", *modes, "refused places", "dropped"]
    print_table(columns, rows, title="Variants", right=range(1, len(columns)))
    if edits := counts.get("edits"):
        rows = [
            [kind, mode, *(f"{marks.get(mark, 0):,}" for mark in MARKS)]
            for kind, marks_by_mode in edits.items()
            for mode, marks in marks_by_mode.items()
        ]
        title = "Correctness of the published tool's edits"
        print_table(["kind", "mode", *MARKS], rows, title=title, right=(2, 3, 4))
    if reasons := _list_reasons(counts):
        print_table(["kind", "", "reason", "places"], reasons, title="Reasons", right=(3,))
    typer.echo(f"next: codeacumen eval -t robustness@{out}")


def _list_reasons(counts: Any) -> list[list[str]]:
    rows = [
        [kind, f"not {level}", reason, f"{places:,}"]
        for kind, levels in counts["dropped"].items()
        for level, reasons in levels.items()
        for reason, places in reasons.items()
    ]
    for label, key in (("refused", "refused"), ("kept", "doubts")):
        for kind, reasons in counts.get(key, {}).items():
            frequent = sorted(reasons.items(), key=lambda item: -item[1])[:REASONS_SHOWN]
            rows += [[kind, label, reason, f"{places:,}"] for reason, places in frequent]
    return rows


def _format_kept(valid: int, possible: int) -> str:
    return f"{valid:,}" if valid >= possible else f"{valid:,} of {possible:,}"


@build_app.command("similarity", cls=Command)
def build_similarity(
    corpus: CorpusFolder,
    out: DatasetFolder,
    kind: Kinds = None,
    seed: Seed = 0,
    certify: Certify = Level.PARSES,
    class_path: ClassPath = "",
    split: MethodSplit = Split.ALL,
    limit: VariantLimit = 100,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Pairs of methods by construction: a method and its variants, and unrelated methods.

    The result is the same to the byte for any number of workers.

    Examples:
        codeacumen dataset build similarity corpus --out similarity
    """
    from codeacumen.interface.datasets import build_dataset

    about = build_dataset(
        "similarity",
        corpus,
        out,
        kinds=kind,
        seed=seed,
        certify=certify.value,
        class_path=class_path,
        split=split.value,
        limit=limit,
        engine=engine,
        workers=workers,
    )
    if as_json:
        print_json(about)
        return
    counts = about["counts"]
    facts = [("pairs", f"{counts['pairs']:,}"), ("methods", f"{counts['methods']:,}")]
    print_facts(str(out), facts)
    rows = [
        [name, meaning, f"{2 * counts['similar'][name]:,}"]
        for name, meaning in about["kinds"].items()
    ]
    print_table(["kind", "", "pairs"], rows, title="Pairs, half of them similar", right=(2,))
    typer.echo(f"next: codeacumen eval -t similarity@{out}")


build_app.command("renames", cls=Command)(build_renames)
build_app.command("misnamed", cls=Command)(build_misnamed)

IDENTIFIERS_HELP = """Pairs of identifiers with ratings, from the votes of a survey, as in IdBench.

    The options are those of `codeacumen survey clean`, which is the same command.

    Examples:
        codeacumen dataset build identifiers votes --out identifiers
"""
build_app.command("identifiers", cls=Command, help=IDENTIFIERS_HELP)(survey.clean)
