"""``codeacumen eval``, ``score`` and ``compare``: score models on tasks, and test differences."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._groups import FOUND_FAILURES
from codeacumen.cli._options import (
    AsJson,
    BootstrapSeed,
    Confidence,
    InstanceLimit,
    Models,
    Plugins,
    Resamples,
    Tasks,
    complete_task,
    load_plugins,
)
from codeacumen.cli._output import print_json, print_note, print_table
from codeacumen.text.numbers import ABSENT, format_interval, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codeacumen.api import Run, Scores, TaskCard
    from codeacumen.runs.compare import Comparison, PairTest

# A smaller p-value is printed as "<0.0001".
_SMALLEST_P = 0.0001


def evaluate(
    model: Models = None,
    task: Tasks = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for answers and results.")
    ] = Path("codeacumen-run"),
    plugin: Plugins = None,
    limit: InstanceLimit = 0,
    seed: BootstrapSeed = 0,
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    skip_unfit: Annotated[
        bool,
        typer.Option(
            "--skip-unfit", help="Leave out models that lack the capability a task needs."
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask for every answer again, also for stored ones.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where the model failed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on tasks: every model with every task.

    Without --model, all models that need no setting; without --task, all tasks whose data is on
    this machine. Answers are stored as they come: run the same command again to continue. The exit
    code is 1 if a model failed on an instance.

    Examples:
        codeacumen eval -m levenshtein -t abbreviations
        codeacumen eval -m ensemble:levenshtein,ft-cbow -t idbench/similarity
        codeacumen eval --plugin my_model.py -m my-embedding -t idbench --limit 20
        codeacumen eval -m majority -t gluecode@gluecode --out my-run
    """
    from codeacumen.interface.evaluation import evaluate as evaluate_models
    from codeacumen.runs.results import run_to_json

    load_plugins(plugin)
    results = evaluate_models(
        model or None,
        task or None,
        out,
        limit=limit,
        seed=seed,
        confidence=confidence,
        resamples=resamples,
        skip_unfit=skip_unfit,
        fresh=fresh,
        retry_failed=retry_failed,
    )
    for note in results.notes:
        print_note(note)
    if as_json:
        print_json(run_to_json(results.run))
    else:
        print_scores(results.run)
        typer.echo(f"results: {out / 'results.json'}")
        typer.echo(f"next:    codeacumen report {out}")
    if any(cell.counts.failed for cell in results.run.cells):
        print_note("some instances failed; `--retry-failed` asks for them again")
    _report_failures(results.run)


def score(
    answers: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Answers: JSON lines, CSV or Parquet."),
    ],
    task: Annotated[
        str,
        typer.Option(
            "--task",
            "-t",
            metavar="NAME[@DIR]",
            help="Task that they answer.",
            autocompletion=complete_task,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write a run folder, too.")
    ] = None,
    plugin: Plugins = None,
    seed: BootstrapSeed = 0,
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """Score answers of another program: files with the columns id and answer.

    A line of JSON is {"id": ..., "answer": ...}. The model is called after the file. With --out
    the result is a run that `codeacumen compare` and `codeacumen report` take. `codeacumen dataset
    export` writes the questions.

    Examples:
        codeacumen score my-model.jsonl -t idbench/similarity/large
        codeacumen score my-model.csv other-model.csv -t gluecode/naming@gluecode --out my-run
    """
    from codeacumen.interface.evaluation import score as score_answers
    from codeacumen.runs.results import run_to_json

    load_plugins(plugin)
    results = score_answers(
        answers, task, out, seed=seed, confidence=confidence, resamples=resamples
    )
    for note in results.notes:
        print_note(note)
    if as_json:
        print_json(run_to_json(results.run))
    else:
        print_scores(results.run)
        if out is not None:
            typer.echo(f"results: {out / 'results.json'}")
    _report_failures(results.run)


def print_scores(run: Run) -> None:
    """Print a table for each task, then the means over benchmarks and what models lose."""
    for name, card in run.tasks.items():
        cells = _sort_cells(run, name)
        _print_task(run, card, cells)
        _print_further_metrics(card, cells)
    interval = f"{run.confidence:.0%} interval"
    if run.overall:
        means = sorted(run.overall, key=lambda mean: (mean.group, -mean.value, mean.model))
        print_table(
            ["benchmark", "model", "overall", interval],
            [
                [
                    mean.group,
                    mean.model,
                    format_number(mean.value),
                    format_interval(mean.low, mean.high),
                ]
                for mean in means
            ],
            title="Overall: the mean of the tasks, of models that answered all of them",
            right=(2,),
        )
    if run.losses:
        print_table(
            ["benchmark", "input", "model", "loss", interval],
            [
                [
                    loss.benchmark,
                    loss.level,
                    loss.model,
                    format_number(loss.value),
                    format_interval(loss.low, loss.high),
                ]
                for loss in run.losses
            ],
            title="Loss: how much lower the mean is where a model does not see the whole text",
            right=(3,),
        )


def _print_task(run: Run, card: TaskCard, cells: Sequence[Scores]) -> None:
    """Print the models of a task, best first.

    The first evaluation set has value, interval and n; each other set has a column with its value
    and n.
    """
    first, *others = card.evaluation_sets
    rows = []
    for cell in cells:
        by_set = {
            score.evaluation_set: score
            for score in cell.scores
            if score.metric == card.metric and not score.slice
        }
        headline, counts = by_set[first.name], cell.counts
        interval = format_interval(headline.low, headline.high)
        further = [
            f"{format_number(by_set[part.name].value)} ({by_set[part.name].n})" for part in others
        ]
        remarks = "; ".join(filter(None, (run.models[cell.model].labels_seen, headline.note)))
        rows.append(
            [
                *(cell.model, format_number(headline.value), interval, str(headline.n), *further),
                *(f"{counts.answered} of {counts.instances}", str(counts.failed), remarks),
            ]
        )
    columns = ["model", card.metric, f"{run.confidence:.0%} interval", "n"]
    columns += [f"{part.name} (n)" for part in others] + ["answered", "failed", ""]
    meanings = "; ".join(f"{part.name}: {part.meaning}" for part in card.evaluation_sets)
    people = ""
    if card.ceiling:
        who = card.ceiling.who.capitalize()
        people = f" {who}: {card.ceiling.value} {card.ceiling.label}."
    print_table(
        columns,
        rows,
        title=f"{card.title} ({card.name}), evaluation set {first.name}",
        caption=f"Evaluation set {meanings}.{people}",
        right=(1, *range(3, len(columns) - 1)),
    )


def _sort_cells(run: Run, task: str) -> list[Scores]:
    """Return the cells of a task, best first, those without a score last."""
    sign = 1 if run.tasks[task].lower_is_better else -1

    def get_sort_key(cell: Scores) -> tuple[bool, float]:
        value = cell.scores[0].value
        return value is None, 0.0 if value is None else sign * value

    return sorted((cell for cell in run.cells if cell.task == task), key=get_sort_key)


def _print_further_metrics(card: TaskCard, cells: Sequence[Scores]) -> None:
    """Print a row for each further metric and a column for each model.

    A task often has more metrics than a run has models.
    """
    first = card.evaluation_sets[0].name
    by_metric = [
        {
            score.metric: score
            for score in cell.scores
            if score.evaluation_set == first and not score.slice
        }
        for cell in cells
    ]
    further = [name for name in (by_metric[0] if by_metric else ()) if name != card.metric]
    if not further:
        return
    rows = []
    for name in further:
        scores = [model_scores[name] for model_scores in by_metric]
        values = [
            f"{format_number(score.value)}  {format_interval(score.low, score.high)}".rstrip()
            for score in scores
        ]
        rows.append([name, *values])
    print_table(
        ["metric", *(cell.model for cell in cells)],
        rows,
        title=f"{card.title}: further metrics, evaluation set {first}",
    )


def _report_failures(run: Run) -> None:
    """Print the instances that models failed on, and end with exit code 1 if there are any."""
    failed = [cell for cell in run.cells if cell.counts.failed]
    for cell in failed:
        counts = cell.counts
        print_note(
            f"{cell.model} on {cell.task}: {counts.failed} of {counts.instances} instances failed"
        )
        for error in cell.errors:
            print_note(f"  {error.splitlines()[0]}")
    if failed:
        raise typer.Exit(FOUND_FAILURES)


def compare(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL|RUN...", help="Models, run folders, or both.")
    ],
    task: Tasks = None,
    evaluation_set: Annotated[
        str,
        typer.Option(metavar="NAME", help="Instances that count; default: the task's first set."),
    ] = "",
    plugin: Plugins = None,
    limit: InstanceLimit = 0,
    seed: BootstrapSeed = 0,
    resamples: Resamples = 10_000,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """Compare models or runs on identical instances.

    Paired bootstrap for correlations and means, McNemar's exact test for accuracies, corrected
    after Holm over all pairs of a task. Models that share a letter do not differ significantly.
    Each pair comes with the smallest difference that the data could show.

    Examples:
        codeacumen compare levenshtein jaro-winkler -t abbreviations/match
        codeacumen compare run-1 run-2
    """
    from codeacumen.interface.evaluation import compare as compare_models

    load_plugins(plugin)
    comparisons = compare_models(
        models,
        task or None,
        evaluation_set=evaluation_set,
        limit=limit,
        seed=seed,
        confidence=confidence,
        resamples=resamples,
    )
    for line in comparisons.left_out:
        print_note(line)
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    for comparison in comparisons:
        _print_comparison(comparison, confidence)


def _print_comparison(comparison: Comparison, confidence: float) -> None:
    print_table(
        ["model", comparison.metric, "tie group"],
        [
            [model, format_number(value), comparison.groups[model] or ABSENT]
            for model, value in comparison.values.items()
        ],
        title=f"{comparison.task}: {comparison.n} instances that all models answer "
        f"({comparison.evaluation_set})",
        caption="Models that share a letter do not differ significantly.",
        right=(1,),
    )
    columns = ["first", "second", "difference", f"{confidence:.0%} interval", "p", "p (Holm)"]
    print_table(
        [*columns, "verdict", "smallest visible", "test"],
        [
            [
                test.first,
                test.second,
                f"{test.difference:+.3f}",
                format_interval(test.low, test.high),
                _format_p(test.p),
                _format_p(test.p_holm),
                _format_verdict(test),
                format_number(test.smallest_visible),
                test.test,
            ]
            for test in comparison.tests
        ],
        caption=(
            "p (Holm) is corrected over all pairs of the task; the interval is not. Smallest "
            "visible: the true difference this many instances would show four times in five, "
            "before correction."
        ),
        right=(2, 4, 5, 7),
    )
    for model, reason in comparison.left_out.items():
        print_note(f"left out: {model}: {reason}")


def _format_verdict(test: PairTest) -> str:
    if test.p is None:
        return "untested"
    return "different" if test.different else "tied"


def _format_p(value: float | None) -> str:
    if value is None:
        return ABSENT
    return f"{value:.4f}" if value >= _SMALLEST_P else f"<{_SMALLEST_P:.4f}"
