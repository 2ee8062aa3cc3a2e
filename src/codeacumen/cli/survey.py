"""``codeacumen survey``: select questions, simulate raters, merge and clean votes."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import (
    AsJson,
    Corpora,
    DatasetFolder,
    EngineName,
    PairLimit,
    Seed,
    Workers,
)
from codeacumen.cli._output import print_json, print_note, print_table
from codeacumen.core.progress import show_progress
from codeacumen.text.numbers import format_number

app = create_group("Select questions, simulate raters, merge and clean votes.")

# Maximum number of rows that cannot be read, and of contradictory rows, that are printed;
# report.json has more of them.
_ROWS_SHOWN = 5


class Scale(StrEnum):
    """Distance between two ratings, for Krippendorff's α."""

    ORDINAL = "ordinal"
    INTERVAL = "interval"


@app.command("clean", cls=Command)
def clean(
    votes: Annotated[
        list[Path],
        typer.Argument(
            metavar="VOTES...",
            help="Files of votes, or folders with direct.* and indirect.* (CSV, JSON lines, "
            "Parquet); or SeSaMe's dataset-unfiltered.json.",
        ),
    ],
    out: DatasetFolder,
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TAU,THETA",
            help="Size and its thresholds; default: IdBench's three. Repeatable.",
        ),
    ] = None,
    scale: Annotated[Scale, typer.Option(help="Scale of the ratings, for α.")] = Scale.ORDINAL,
    increase: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="SHARE", help="Drop raters without whom α grows by this share."
        ),
    ] = 0.1,
    min_ratings: Annotated[
        int, typer.Option(min=1, metavar="N", help="Minimum number of ratings of a pair.")
    ] = 10,
    as_json: AsJson = False,
) -> None:
    """Clean the votes of a survey into a data set, as IdBench or SeSaMe does.

    Drops raters who are far from the others (τ), raters who lower the agreement, and contextual
    scores that contradict the direct ones (θ). Writes IdBench's three tables, report.json and
    report.md: the dropped raters and pairs. `codeacumen dataset build identifiers` is the same
    command.

    Examples:
        codeacumen survey clean votes --out identifiers
        codeacumen survey clean dataset-unfiltered.json --out sesame
    """
    from codeacumen.benchmarks.sesame import survey as sesame

    if any(sesame.is_sesame(path) for path in votes):
        if len(votes) > 1:
            raise CodeacumenError(
                "SeSaMe's ratings are cleaned by themselves", "name that file only"
            )
        report = sesame.clean_ratings(votes[0], out)
        if as_json:
            print_json(report)
        else:
            _print_sesame(report, out)
        return
    from codeacumen.interface.datasets import build_dataset

    report = build_dataset(
        "identifiers",
        votes,
        out,
        sizes=[_parse_size(text) for text in size or ()],
        scale=scale.value,
        increase=increase,
        min_ratings=min_ratings,
    )
    if as_json:
        print_json(report)
        return
    _print_cleaned(report, out)
    if "simulated" in report:
        _print_judgement(report["simulated"])
    typer.echo(f"next: codeacumen eval -t identifiers@{out}")


def _parse_size(text: str) -> tuple[str, float, float]:
    name, _, thresholds = text.partition("=")
    try:
        tau, theta = map(float, thresholds.split(","))
        if name.isidentifier() and tau >= 0 and theta >= 0:
            return name, tau, theta
    except ValueError:
        pass
    raise CodeacumenError(
        f"--size {text}: not a name and two thresholds", "such as --size strict=0.2,0.35"
    )


@app.command("merge", cls=Command)
def merge(
    exports: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files saved from the rating pages, one a rater."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="JSON file of all votes.")
    ],
) -> None:
    """Merge the votes of several raters into one file for `codeacumen survey clean`.

    `codeacumen similar mine` writes the rating pages. A rater has the name of the file.

    Examples:
        codeacumen survey merge ann.json bob.json cy.json --out votes.json
    """
    from codeacumen.benchmarks.sesame.mining.rating import merge_exports, read_exports
    from codeacumen.core.files import write_atomically

    by_rater = read_exports(exports)
    pairs = merge_exports(by_rater)
    write_atomically(out, (json.dumps(pairs, indent=4) + "\n").encode())
    print_note(f"{len(pairs):,} pairs, {len(by_rater)} raters: {out}")


@app.command("simulate", cls=Command)
def simulate(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the votes.")],
    raters: Annotated[int, typer.Option(min=1, metavar="N", help="Number of raters.")] = 500,
    pairs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of pairs of identifiers.")
    ] = 300,
    direct: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of direct questions to each rater.")
    ] = 18,
    indirect: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of indirect questions to each rater.")
    ] = 15,
    share: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=SHARE",
            help="Share of a kind of raters: honest, noisy, random, contrarian, straight; kinds "
            "that are not named are left out. Repeatable.",
        ),
    ] = None,
    unhelpful: Annotated[
        float,
        typer.Option(
            min=0, max=1, metavar="SHARE", help="Share of pairs whose contexts show nothing."
        ),
    ] = 0.1,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Simulate a survey whose truth is known: raters of known quality, and their answers.

    Examples:
        codeacumen survey simulate --out votes
        codeacumen survey simulate -o votes --raters 50 --share honest=4 --share random=1
    """
    from codeacumen.survey.simulate import SimulationPlan, write_survey

    plan = SimulationPlan(raters, pairs, direct, indirect, unhelpful, seed=seed)
    if share:
        plan = replace(plan, shares=dict(_parse_share(text) for text in share))
    simulated = write_survey(plan, out)
    kinds = list(simulated.kinds.values())
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(sorted(kinds))}
    direct_votes, indirect_votes = len(simulated.direct), len(simulated.indirect)
    if as_json:
        print_json({"raters": counts, "direct": direct_votes, "indirect": indirect_votes})
        return
    print_table(
        ["raters", ""], [[kind, f"{count:,}"] for kind, count in counts.items()], right=(1,)
    )
    typer.echo(f"{direct_votes:,} direct and {indirect_votes:,} indirect votes")
    typer.echo(f"next: codeacumen survey clean {out} --out identifiers")


def _parse_share(text: str) -> tuple[str, float]:
    kind, _, share = text.partition("=")
    try:
        return kind, float(share)
    except ValueError:
        raise CodeacumenError(
            f"--share {text}: not a kind and a number", "such as --share random=0.2"
        ) from None


def _print_cleaned(report: Any, out: Path) -> None:
    from codeacumen.survey.output_files import STAGE_COLUMNS, format_stages

    votes = report["votes"]
    for name, size in report["sizes"].items():
        title = f"{name}: τ {size['tau']}, θ {size['theta']}"
        labels = ", ".join(f"{count:,} {label}" for label, count in size["labels"].items())
        dropped = ", ".join(f"{rule} {count:,}" for rule, count in size["dropped_by"].items())
        caption = f"{size['pairs']:,} pairs: {labels}; dropped: {dropped or 'nothing'}"
        rows = format_stages(size)
        print_table(STAGE_COLUMNS, rows, title=title, caption=caption, right=range(1, 6))
    for problem in ("bad", "contradicting"):
        for row in votes[problem]["first"][:_ROWS_SHOWN]:
            print_note(f"{row['file']}:{row['line']}: left out: {row['reason']}")
        if votes[problem]["count"] > _ROWS_SHOWN:
            more = votes[problem]["count"] - _ROWS_SHOWN
            print_note(f"... and {more:,} more, in {out / 'report.json'}")
    if votes["repeated"]:
        print_note(f"{votes['repeated']:,} rows repeat another row")
    typer.echo(f"dropped raters and pairs: {out / 'report.md'}")


def _print_judgement(judgement: Any) -> None:
    """Print how well a simulated survey was cleaned.

    The first table has the numbers of raters of each kind, all and dropped; the second one has the
    rank correlation of the scores with the simulated truth.
    """
    sizes = list(judgement)
    kinds = judgement[sizes[0]]["raters"]
    rows = [
        [
            kind,
            f"{count['raters']:,}",
            *(f"{judgement[size]['raters'][kind]['dropped']:,}" for size in sizes),
        ]
        for kind, count in kinds.items()
    ]
    columns = ["simulated raters", "", *(f"dropped: {size}" for size in sizes)]
    print_table(columns, rows, right=range(1, len(columns)))
    labels = judgement[sizes[0]]["spearman"]
    rows = [
        [
            label,
            format_number(labels[label]["raw_on_all_pairs"]),
            *(format_number(judgement[size]["spearman"][label]["cleaned"]) for size in sizes),
        ]
        for label in labels
    ]
    columns = ["Spearman's ρ with the truth", "all votes", *sizes]
    print_table(columns, rows, right=range(1, len(columns)))


def _print_sesame(report: Any, out: Path) -> None:
    pairs, majority = report["pairs"], report["majority_in_all_three"]
    columns = ["Krippendorff's α", *next(iter(report["alpha"].values()))]
    rows = [
        [name, *map(format_number, values.values())] for name, values in report["alpha"].items()
    ]
    print_table(
        columns,
        rows,
        title=f"SeSaMe: {pairs['before']:,} pairs, {pairs['after']:,} kept",
        caption=f"a majority finds {majority['similar']:,} pairs similar in all three, "
        f"{majority['dissimilar']:,} dissimilar",
        right=(1, 2, 3),
    )
    typer.echo(f"removed pairs: {out / 'report.md'}")


@app.command("select", cls=Command)
def select(
    corpora: Corpora,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="JSON file of the questions.")
    ],
    embedding: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Embedding whose cosines choose pairs. Repeatable."),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Words of one meaning, a group on each line; default: our own list.",
        ),
    ] = None,
    limit: PairLimit = 300,
    synonyms: Annotated[
        int, typer.Option(min=0, metavar="N", help="Maximum number of pairs of synonyms.")
    ] = 30,
    random: Annotated[
        int, typer.Option(min=0, metavar="N", help="Minimum number of random pairs.")
    ] = 60,
    min_count: Annotated[
        int, typer.Option(min=0, metavar="N", help="Use names that occur more often than this.")
    ] = 50,
    contexts: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of code contexts for each name.")
    ] = 5,
    seed: Seed = 0,
    workers: Workers = 0,
    engine: EngineName = "local",
) -> None:
    """Select frequent identifiers of corpora, pairs of them, and code contexts for a survey.

    Pairs come from equal ranges of cosine similarity under each embedding, from synonyms, and at
    random. In the contexts of five lines the identifier is blanked. The same corpora, embeddings
    and seed give the same bytes.

    Examples:
        codeacumen survey select js --embedding w2v --embedding paths --out questions.json
    """
    from codeacumen.core.files import write_atomically
    from codeacumen.corpus import Corpus
    from codeacumen.engines import start_engine
    from codeacumen.models.embeddings.vectors import Vectors
    from codeacumen.survey.select import SelectionRequest, parse_synonyms
    from codeacumen.survey.select import build_selection as select_questions
    from codeacumen.survey.select import load_synonyms as shipped_synonyms

    folders = embedding or []
    if len({folder.name for folder in folders}) < len(folders):
        raise CodeacumenError("two embeddings have the same name", "rename one of the folders")
    vectors = {folder.name: Vectors.load(folder) for folder in folders}
    groups = (
        parse_synonyms(words.read_text(encoding="utf-8", errors="replace"))
        if words
        else shipped_synonyms()
    )
    wish = SelectionRequest(limit, synonyms, random, min_count, contexts, seed)
    opened = [Corpus.open(folder) for folder in corpora]
    with show_progress() as report:
        questions = select_questions(
            opened, vectors, groups, wish, start_engine(engine, workers), report
        )
    text = json.dumps(questions, indent=1, ensure_ascii=True)
    write_atomically(out, (text + "\n").encode())
    _print_questions(questions, wish.pairs)
    print_note(f"written: {out}")


def _print_questions(questions: Any, requested_count: int) -> None:
    pairs = questions["pairs"]
    sources = [pair["reason"] for pair in pairs]
    rows = [[source, f"{sources.count(source):,}"] for source in dict.fromkeys(sorted(sources))]
    files = ", ".join(f"{count:,} {name}" for name, count in questions["files"].items())
    print_table(
        ["pairs by", ""],
        rows,
        right=(1,),
        caption=f"{len(pairs):,} pairs of {len(questions['identifiers']):,} identifiers; "
        f"{questions['frequent_identifiers']:,} are frequent in {files} files",
    )
    for name, counts in questions["ranges"].items():
        width = 1 / len(counts)
        cells = [
            [f"{number * width:.1f} to {(number + 1) * width:.1f}", f"{count:,}"]
            for number, count in enumerate(counts)
        ]
        print_table([f"cosine: {name}", "pairs"], cells, right=(1,))
    if len(pairs) < requested_count:
        print_note(
            f"only {len(pairs):,} of {requested_count:,} pairs: there are no more such names"
        )


@app.command("occurrences", cls=Command)
def occurrences(
    corpora: Corpora,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Count how often IdBench's identifiers occur in corpora, by language and role.

    The figures of IdBench's Table I, and their rank correlation with the published ones.

    Examples:
        codeacumen survey occurrences js jdk
    """
    from codeacumen.benchmarks.idbench.occurrences import compare_with_idbench
    from codeacumen.corpus import Corpus
    from codeacumen.datasets import require_dataset
    from codeacumen.engines import start_engine
    from codeacumen.survey.occurrences import count_identifiers as count_occurrences

    idbench = require_dataset("idbench")
    opened = [Corpus.open(folder) for folder in corpora]
    with show_progress() as report:
        counts = count_occurrences(opened, start_engine(engine, workers), report)
    comparison = compare_with_idbench(counts, idbench)
    if as_json:
        print_json(comparison)
    else:
        _print_occurrences(comparison)


def _print_occurrences(comparison: Any) -> None:
    rows = [
        [
            name,
            f"{language['total']:,}",
            f"{language['share']:.1%}",
            f"{language['min']:,}",
            f"{language['mean']:,.0f}",
            f"{language['max']:,}",
            f"{language['occurring']:,} of {comparison['names']:,}",
            format_number(language["spearman"]),
        ]
        for name, language in comparison["languages"].items()
    ]
    columns = ["language", "total", "share", "min", "mean", "max", "names that occur"]
    columns.append("ρ with published")
    print_table(columns, rows, title="IdBench's identifiers", right=range(1, len(columns)))
    if "roles" in comparison:
        _print_roles(comparison["roles"])


def _print_roles(roles: Any) -> None:
    primary = roles["primary"]
    rows = [
        [
            role,
            f"{share:.1%}",
            f"{primary['published'][role]:.1%}",
            format_number(roles["spearman"].get(role)),
        ]
        for role, share in primary["ours"].items()
    ]
    columns = ["primary role", "this corpus", "published", "ρ of the counts"]
    print_table(columns, rows, title="JavaScript", right=(1, 2, 3))
