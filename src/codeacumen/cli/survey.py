"""``codeacumen survey``: clean votes, simulate a survey, and select what to ask people about."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._options import AsJson, DrawSeed, Workers
from codeacumen.cli._show import Verb, number, print_json, print_table, progress_bar, say, verbs

app = verbs("Clean the votes of a survey, simulate one, select what to ask.")

# So many rows that cannot be read are named.
NAMED = 5


class Scale(StrEnum):
    """How far apart two ratings are, for Krippendorff's α."""

    ORDINAL = "ordinal"
    INTERVAL = "interval"


@app.command("clean", cls=Verb)
def clean(
    votes: Annotated[
        list[Path],
        typer.Argument(
            metavar="VOTES...",
            help="Files of votes, or folders with direct.* and indirect.* (CSV, JSON lines, "
            "Parquet); or SeSaMe's dataset-unfiltered.json.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the benchmark.")
    ],
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TAU,THETA",
            help="A size and its thresholds, instead of IdBench's three. Repeatable.",
        ),
    ] = None,
    scale: Annotated[Scale, typer.Option(help="Scale of the ratings, for α.")] = Scale.ORDINAL,
    increase: Annotated[
        float, typer.Option(min=0.0, help="Share by which α grows without a downer.")
    ] = 0.1,
    least: Annotated[
        int, typer.Option(min=1, metavar="N", help="Ratings a pair needs for a direct score.")
    ] = 10,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """From votes to a benchmark, as IdBench or SeSaMe does.

    Leaves out raters who are far from the others (τ), raters who lower the agreement, and
    contextual scores that contradict the direct ones (θ). Writes IdBench's three tables,
    report.json and report.md: who and what was dropped, and why.

    Example: codeacumen survey clean votes --out benchmark

    Example: codeacumen survey clean dataset-unfiltered.json --out sesame
    """
    from codeacumen.benchmarks.sesame import survey as sesame

    if any(sesame.is_sesame(path) for path in votes):
        if len(votes) > 1:
            raise CodeacumenError(
                "SeSaMe's ratings are cleaned by themselves", "name that file only"
            )
        report = sesame.clean(votes[0], out)
        if as_json:
            print_json(report)
        else:
            _print_sesame(report, out)
        return
    from codeacumen.survey import agreement
    from codeacumen.survey import clean as cleaning
    from codeacumen.survey.benchmark import write
    from codeacumen.survey.simulate import judged, read_truth
    from codeacumen.survey.votes import files_of, read_votes

    sizes = tuple(_size(one) for one in size or ()) or cleaning.PUBLISHED_SIZES
    rules = cleaning.Rules(sizes, agreement.Scale(scale.value), increase, least)
    found = read_votes(votes)
    cleaned = cleaning.clean(found, rules)
    report = write(cleaned, found, rules, files_of(votes), out)
    truth = read_truth(votes[0]) if len(votes) == 1 else None
    told = judged(cleaned, found, truth) if truth else None
    if as_json:
        print_json({**report, "simulated": told} if told else report)
    else:
        _print_cleaned(report, out)
        if told:
            _print_judged(told)


def _size(text: str) -> Any:
    from codeacumen.survey.clean import Size

    name, _, thresholds = text.partition("=")
    try:
        tau, theta = map(float, thresholds.split(","))
        if name.isidentifier() and tau >= 0 and theta >= 0:
            return Size(name, tau, theta)
    except ValueError:
        pass
    raise CodeacumenError(
        f"--size {text}: not a name and two thresholds", "such as --size strict=0.2,0.35"
    )


@app.command("simulate", cls=Verb)
def simulate(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the votes.")
    ],
    raters: Annotated[int, typer.Option(min=1, metavar="N", help="Raters.")] = 500,
    pairs: Annotated[int, typer.Option(min=1, metavar="N", help="Pairs of identifiers.")] = 300,
    direct: Annotated[
        int, typer.Option(min=0, metavar="N", help="Direct questions to each rater.")
    ] = 18,
    indirect: Annotated[
        int, typer.Option(min=0, metavar="N", help="Indirect questions to each rater.")
    ] = 15,
    share: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=SHARE",
            help="Share of a kind of raters: honest, noisy, random, contrarian, straight. Those "
            "that are not named are none. Repeatable.",
        ),
    ] = None,
    unhelpful: Annotated[
        float, typer.Option(min=0, max=1, help="Share of pairs whose contexts show nothing.")
    ] = 0.1,
    seed: DrawSeed = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """A survey whose truth is known: raters of known quality, and what they answer.

    Example: codeacumen survey simulate --out votes

    Example: codeacumen survey simulate -o votes --raters 50 --share honest=4 --share random=1
    """
    from codeacumen.survey.simulate import Plan, write

    plan = Plan(raters, pairs, direct, indirect, unhelpful, seed=seed)
    if share:
        plan = replace(plan, shares=dict(_share(one) for one in share))
    found = write(plan, out)
    kinds = list(found.kinds.values())
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(sorted(kinds))}
    told = {"raters": counts, "direct": len(found.direct), "indirect": len(found.indirect)}
    if as_json:
        print_json(told)
        return
    print_table(
        ["raters", ""], [[kind, f"{count:,}"] for kind, count in counts.items()], right=(1,)
    )
    typer.echo(f"{told['direct']:,} direct and {told['indirect']:,} indirect votes")
    typer.echo(f"next: codeacumen survey clean {out} --out benchmark")


def _share(text: str) -> tuple[str, float]:
    kind, _, share = text.partition("=")
    try:
        return kind, float(share)
    except ValueError:
        raise CodeacumenError(
            f"--share {text}: not a kind and a number", "such as --share random=0.2"
        ) from None


def _print_cleaned(report: Any, out: Path) -> None:
    from codeacumen.survey.benchmark import STAGE_COLUMNS, stage_rows

    votes = report["votes"]
    for name, told in report["sizes"].items():
        title = f"{name}: τ {told['tau']}, θ {told['theta']}"
        labels = ", ".join(f"{count:,} {label}" for label, count in told["labels"].items())
        gone = ", ".join(f"{by} {count:,}" for by, count in told["dropped_by"].items())
        caption = f"{told['pairs']:,} pairs: {labels}; dropped: {gone or 'nothing'}"
        rows = stage_rows(told)
        print_table(STAGE_COLUMNS, rows, title=title, caption=caption, right=range(1, 6))
    for what in ("bad", "contradicting"):
        for row in votes[what]["first"][:NAMED]:
            say(f"{row['file']}:{row['line']}: left out: {row['why']}")
        if votes[what]["count"] > NAMED:
            say(f"... and {votes[what]['count'] - NAMED:,} more, in {out / 'report.json'}")
    if votes["repeated"]:
        say(f"{votes['repeated']:,} rows say again what another says")
    typer.echo(f"who and what was dropped, and why: {out / 'report.md'}")


def _print_judged(told: Any) -> None:
    names = list(told)
    kinds = told[names[0]]["raters"]
    rows = [
        [kind, f"{count['raters']:,}", *(f"{told[one]['raters'][kind]['dropped']:,}"
                                        for one in names)]
        for kind, count in kinds.items()
    ]  # fmt: skip
    columns = ["simulated raters", "", *(f"dropped: {one}" for one in names)]
    print_table(columns, rows, right=range(1, len(columns)))
    labels = told[names[0]]["spearman"]
    rows = [
        [label, number(labels[label]["raw_on_all_pairs"]),
         *(number(told[one]["spearman"][label]["cleaned"]) for one in names)]
        for label in labels
    ]  # fmt: skip
    columns = ["Spearman's ρ with the truth", "all votes", *names]
    print_table(columns, rows, right=range(1, len(columns)))


def _print_sesame(report: Any, out: Path) -> None:
    pairs, majority = report["pairs"], report["majority_in_all_three"]
    columns = ["Krippendorff's α", *next(iter(report["alpha"].values()))]
    rows = [[name, *map(number, values.values())] for name, values in report["alpha"].items()]
    print_table(
        columns, rows, title=f"SeSaMe: {pairs['before']:,} pairs, {pairs['after']:,} kept",
        caption=f"a majority finds {majority['similar']:,} pairs similar in all three, "
        f"{majority['dissimilar']:,} dissimilar",
        right=(1, 2, 3),
    )  # fmt: skip
    typer.echo(f"which pairs were removed, and why: {out / 'report.md'}")


Corpora = Annotated[
    list[Path],
    typer.Option("--corpus", metavar="DIR", help="Folder of a corpus. Repeatable."),
]


@app.command("select", cls=Verb)
def select(
    corpus: Corpora,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="File of JSON to write.")
    ],
    embedding: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Embedding of `codeacumen train`, to draw pairs by. Repeatable."
        ),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Words that mean the same, a group on each line; ours "
                     "if none is named."),
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, metavar="N", help="Pairs altogether.")] = 300,
    synonyms: Annotated[
        int, typer.Option(min=0, metavar="N", help="Of these, at most so many synonyms.")
    ] = 30,
    random: Annotated[
        int, typer.Option(min=0, metavar="N", help="Of these, at least so many at random.")
    ] = 60,
    least: Annotated[
        int, typer.Option(min=0, metavar="N", help="Names occur more often than that.")
    ] = 50,
    contexts: Annotated[
        int, typer.Option(min=0, metavar="N", help="Code contexts for each name.")
    ] = 5,
    seed: DrawSeed = 0,
    workers: Workers = 0,
) -> None:  # fmt: skip
    """Frequent identifiers of a corpus, pairs of them and code contexts, for a survey.

    Pairs come from equal ranges of cosine similarity under each embedding, from synonyms, and at
    random. In the contexts of five lines the identifier is blanked. The same corpus, embeddings
    and seed give the same bytes.

    Example: codeacumen survey select --corpus js --embedding w2v --embedding paths --out q.json
    """
    from codeacumen.core.files import write_atomically
    from codeacumen.core.machine import processors
    from codeacumen.corpus import Corpus
    from codeacumen.engines import engine
    from codeacumen.models.embeddings.vectors import Vectors
    from codeacumen.survey.select import Wish, read_synonyms, select
    from codeacumen.survey.select import synonyms as shipped_synonyms

    folders = embedding or []
    if len({folder.name for folder in folders}) < len(folders):
        raise CodeacumenError("two embeddings have the same name", "rename one of the folders")
    vectors = {folder.name: Vectors.load(folder) for folder in folders}
    known = (
        read_synonyms(words.read_text(encoding="utf-8", errors="replace"))
        if words else shipped_synonyms()
    )  # fmt: skip
    wish = Wish(pairs, synonyms, random, least, contexts, seed)
    corpora = [Corpus.open(folder) for folder in corpus]
    with progress_bar() as step:
        workforce = engine("local", workers or processors())
        found = select(corpora, vectors, known, wish, workforce, step)
    text = json.dumps(found, indent=1, ensure_ascii=True)
    write_atomically(out, (text + "\n").encode())
    _print_selected(found, wish.pairs)
    say(f"written: {out}")


def _print_selected(found: Any, wanted: int) -> None:
    why = [one["why"] for one in found["pairs"]]
    rows = [[one, f"{why.count(one):,}"] for one in dict.fromkeys(sorted(why))]
    files = ", ".join(f"{count:,} {name}" for name, count in found["files"].items())
    print_table(
        ["pairs by", ""], rows, right=(1,),
        caption=f"{len(found['pairs']):,} pairs of {len(found['identifiers']):,} identifiers; "
        f"{found['frequent_identifiers']:,} are frequent in {files} files",
    )  # fmt: skip
    for name, counts in found["ranges"].items():
        width = 1 / len(counts)
        cells = [
            [f"{place * width:.1f} to {(place + 1) * width:.1f}", f"{count:,}"]
            for place, count in enumerate(counts)
        ]
        print_table([f"cosine: {name}", "pairs"], cells, right=(1,))
    if len(found["pairs"]) < wanted:
        say(f"only {len(found['pairs']):,} of {wanted:,} pairs: there are no more such names")


@app.command("occurrences", cls=Verb)
def occurrences(corpus: Corpora, workers: Workers = 0, as_json: AsJson = False) -> None:
    """How often IdBench's identifiers occur in a corpus, by language and role.

    The figures of its Table I, and how far the counts go with the published ones.

    Example: codeacumen survey occurrences --corpus js --corpus jdk
    """
    from codeacumen.core.machine import processors
    from codeacumen.corpus import Corpus
    from codeacumen.datasets import require
    from codeacumen.engines import engine
    from codeacumen.survey.occurrences import compared, occurrences

    folder = require("idbench")
    corpora = [Corpus.open(one) for one in corpus]
    with progress_bar() as step:
        found = occurrences(corpora, engine("local", workers or processors()), step)
    told = compared(found, folder)
    if as_json:
        print_json(told)
        return
    rows = [
        [language, f"{one['total']:,}", f"{one['share']:.1%}", f"{one['min']:,}",
         f"{one['mean']:,.0f}", f"{one['max']:,}", f"{one['occurring']:,} of {told['names']:,}",
         number(one["spearman"])]
        for language, one in told["languages"].items()
    ]  # fmt: skip
    columns = ["language", "total", "share", "min", "mean", "max", "names that occur",
               "ρ with published"]  # fmt: skip
    print_table(columns, rows, title="IdBench's identifiers", right=range(1, len(columns)))
    if "roles" in told:
        _print_roles(told["roles"])


def _print_roles(told: Any) -> None:
    primary = told["primary"]
    rows = [
        [role, f"{share:.1%}", f"{primary['published'][role]:.1%}",
         number(told["spearman"].get(role))]
        for role, share in primary["ours"].items()
    ]  # fmt: skip
    columns = ["primary role", "here", "published", "ρ of the counts"]
    print_table(columns, rows, title="JavaScript", right=(1, 2, 3))
