"""``codeacumen eval``, ``score`` and ``compare``: score models on tasks, and test their
differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._options import (
    AsJson,
    Confidence,
    Data,
    Models,
    Plugins,
    Resamples,
    Seed,
    Tasks,
    complete_task,
    load_data,
    load_plugins,
    with_data,
)
from codeacumen.cli._show import (
    FOUND_FAILURES,
    bounds,
    number,
    print_json,
    print_table,
    progress_bar,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codeacumen.api import EvaluationSet, Run, Scores, TaskCard
    from codeacumen.runs.compare import Comparison, PairTest
    from codeacumen.runs.plan import Availability


def evaluate(
    model: Models = None,
    task: Tasks = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for answers and results.")
    ] = Path("codeacumen-run"),
    plugin: Plugins = None,
    data: Data = None,
    seed: Seed = 0,
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    skip_unfit: Annotated[
        bool,
        typer.Option(
            "--skip-unfit", help="Leave out models that lack the capability a task needs."
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask again, even for answers kept before.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where the model failed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate models on tasks: every model with every task.

    Without --model, all models that need no setting; without --task, all tasks whose data is
    here. Answers are kept as they come: stopped and started again, it goes on where it was. The
    exit code is 1 if a model failed on an instance.

    Example: codeacumen eval

    Example: codeacumen eval -m levenshtein -m ensemble:levenshtein,ft-cbow -t idbench/similarity

    Example: codeacumen eval --plugin my_model.py -m my-embedding -t idbench --out my-run

    Example: codeacumen eval --data robustness -m my-namer -t robustness

    Example: codeacumen eval --tasks gluecode@gluecode -m my-model
    """
    from codeacumen.runs.evaluate import evaluate as run_all
    from codeacumen.runs.plan import make_plan, offered_models, offered_tasks
    from codeacumen.runs.results import to_json
    from codeacumen.runs.scoring import Settings

    load_plugins(plugin or [])
    task = with_data(task, data)
    # Whoever names both models and tasks means every pair of them.
    skip_unfit = skip_unfit or not (model and task)
    if not task:
        offer = offered_tasks()
        task = offer.names
        groups = sorted({name.split("/")[0] for name in offer.absent})
        if groups:
            say(f"left out, the data is not here: {', '.join(groups)} (`codeacumen data list`)")
        say_broken(offer)
    named = bool(model)
    if not model:
        offer = offered_models()
        model = offer.names
        if offer.absent:
            say(f"left out, because they need a setting or a package: {', '.join(offer.absent)} "
                "(`codeacumen models show NAME`)")  # fmt: skip
        say_broken(offer)
    cells, unfit = make_plan(model, task, skip_unfit=skip_unfit)
    if unfit and named:
        say("\n".join(f"left out: {line}" for line in unfit))
    with progress_bar() as step:
        stages = {cell.name: f"{i}/{len(cells)} {cell.name}" for i, cell in enumerate(cells, 1)}
        run = run_all(
            cells,
            out,
            Settings(seed, confidence, resamples),
            lambda name, done, total: step(stages[name], done, total),
            fresh=fresh,
            retry_failed=retry_failed,
        )
    if as_json:
        print_json(to_json(run))
    else:
        print_scores(run)
        typer.echo(f"results: {out / 'results.json'}")
        typer.echo(f"next:    codeacumen report {out}")
    if any(cell.counts.failed for cell in run.cells):
        say("some instances failed; `--retry-failed` asks for them again")
    report_failures(run)


def say_broken(offer: Availability) -> None:
    for reason in offer.broken:
        say(f"left out: {reason}")


def print_scores(run: Run) -> None:
    """One table a task, best model first; the first evaluation set in full, others beside it. Then
    the task's further metrics, if it has any."""
    for name, card in run.tasks.items():
        first, *others = card.evaluation_sets
        rows = []
        cells = _ranked(run, name)
        for cell in cells:
            found = {
                s.evaluation_set: s for s in cell.scores if s.metric == card.metric and not s.slice
            }
            s, counts = found[first.name], cell.counts
            rows.append(
                [cell.model, number(s.value), bounds(s.low, s.high), str(s.n)]
                + [f"{number(found[o.name].value)} ({found[o.name].n})" for o in others]
                + [f"{counts.answered} of {counts.instances}", str(counts.failed)]
                + ["; ".join(filter(None, (run.models[cell.model].labels_seen, s.note)))]
            )
        columns = ["model", card.metric, f"{run.confidence:.0%} interval", "n"]
        columns += [f"{o.name} (n)" for o in others] + ["answered", "failed", ""]
        meanings = "; ".join(f"{c.name}: {c.meaning}" for c in card.evaluation_sets)
        people = ""
        if card.ceiling:
            who = card.ceiling.who.capitalize()
            people = f" {who}: {card.ceiling.value} {card.ceiling.label}."
        print_table(
            columns,
            rows,
            title=f"{card.title} ({name}), scored on {first.name}",
            caption=f"Scored on {meanings}.{people}",
            right=(1, *range(3, len(columns) - 1)),
        )
        _print_further(card, cells)
    if run.overall:
        print_table(
            ["benchmark", "model", "overall", f"{run.confidence:.0%} interval"],
            [[one.group, one.model, number(one.value), bounds(one.low, one.high)]
             for one in sorted(run.overall, key=lambda one: (one.group, -one.value, one.model))],
            title="Overall: the mean of the tasks, of models that answered all of them",
            right=(2,),
        )  # fmt: skip
    if run.losses:
        print_table(
            ["benchmark", "seen", "model", "loss", f"{run.confidence:.0%} interval"],
            [[one.benchmark, one.level, one.model, number(one.value), bounds(one.low, one.high)]
             for one in run.losses],
            title="Loss: how much lower the mean is where a model does not see the whole text",
            right=(3,),
        )  # fmt: skip


def _ranked(run: Run, task: str) -> list[Scores]:
    """The cells of a task, best first; those without a score last."""
    sign = 1 if run.tasks[task].lower_is_better else -1

    def place(cell: Scores) -> tuple[bool, float]:
        value = cell.scores[0].value
        return value is None, 0.0 if value is None else sign * value

    return sorted((cell for cell in run.cells if cell.task == task), key=place)


def _print_further(card: TaskCard, cells: Sequence[Scores]) -> None:
    """Each further metric a row, each model a column: there are more metrics than models."""
    first = card.evaluation_sets[0].name
    found = [
        {s.metric: s for s in cell.scores if s.evaluation_set == first and not s.slice}
        for cell in cells
    ]
    further = [name for name in (found[0] if found else ()) if name != card.metric]
    if not further:
        return
    rows = [
        [name, *(f"{number(one[name].value)}  {bounds(one[name].low, one[name].high)}".rstrip()
                 for one in found)]
        for name in further
    ]  # fmt: skip
    print_table(
        ["metric", *(cell.model for cell in cells)],
        rows,
        title=f"{card.title}: further metrics, scored on {first}",
    )


def report_failures(run: Run) -> None:
    """Say which instances a model failed on, and end with exit code 1 if there are any."""
    failed = [cell for cell in run.cells if cell.counts.failed]
    for cell in failed:
        say(f"{cell.model} on {cell.task}: {cell.counts.failed} of {cell.counts.instances} "
            "instances failed")  # fmt: skip
        for error in cell.errors:
            say(f"  {error.splitlines()[0]}")
    if failed:
        raise typer.Exit(FOUND_FAILURES)


def score(
    answers: Annotated[list[Path], typer.Argument(help="Files of answers, one JSON a line.")],
    task: Annotated[
        str, typer.Option("--task", "-t", help="What they answer.", autocompletion=complete_task)
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write a run folder too.")
    ] = None,
    plugin: Plugins = None,
    data: Data = None,
    seed: Seed = 0,
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """Score answers made anywhere: lines of {"id": ..., "answer": ...}.

    The model is called after the file. With --out the result is a run that codeacumen
    compare and codeacumen report take.

    Example: codeacumen score my-model.jsonl --task idbench/similarity/large
    """
    from codeacumen.registry import make_task
    from codeacumen.runs.evaluate import score_files
    from codeacumen.runs.results import to_json
    from codeacumen.runs.scoring import Settings

    load_plugins(plugin or [])
    (name,) = with_data([task], data)
    run, remarks = score_files(make_task(name), answers, Settings(seed, confidence, resamples), out)
    for remark in remarks:
        say(remark)
    if as_json:
        print_json(to_json(run))
    else:
        print_scores(run)
        if out is not None:
            typer.echo(f"results: {out / 'results.json'}")
    report_failures(run)


def compare(
    what: Annotated[list[str], typer.Argument(help="Run folders, models, or both.")],
    task: Tasks = None,
    evaluation_set: Annotated[
        str, typer.Option(help="Which instances to stand on; by default the task's first.")
    ] = "",
    plugin: Plugins = None,
    data: Data = None,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """Compare runs or models on identical instances.

    Paired bootstrap for correlations and means, McNemar's exact test for accuracies,
    corrected after Holm over all pairs of a task. Models that share a letter cannot be told
    apart. Each pair comes with the smallest difference the data could show.

    Example: codeacumen compare ft-cbow ensemble --task idbench/similarity/large

    Example: codeacumen compare run-1 run-2
    """
    from dataclasses import asdict

    from codeacumen.registry import select_tasks
    from codeacumen.runs.compare import (
        TaskShelf,
        compare_answers,
        from_models,
        from_runs,
        is_run,
        together,
    )
    from codeacumen.runs.scoring import Settings

    load_plugins(plugin or [])
    load_data(data)
    folders = [Path(one) for one in what if is_run(Path(one))]
    references = [one for one in what if not is_run(Path(one))]
    for one in references:
        if Path(one).exists() or "/" in one:
            raise CodeacumenError(
                f"{one}: there is no run here",
                "a run is a folder that `codeacumen eval --out` wrote",
            )
    shelf = TaskShelf()
    settings = Settings(seed, confidence, resamples)
    tasks = select_tasks(task) if task else []
    gathered = from_runs(folders, shelf, lambda name: not tasks or name in tasks)
    if references and not tasks and not gathered:
        raise CodeacumenError("compare models on what?", "name a task with --task")
    comparisons: list[Comparison] = []
    with progress_bar() as step:
        if references:
            asked = from_models(
                references,
                tasks or list(gathered),
                step,
            )
            gathered = together(gathered, asked)
        for i, (name, answers) in enumerate(gathered.items()):
            step(f"testing {name}", i, len(gathered))
            planned = shelf.task(name)
            chosen = _evaluation_set(planned.card, evaluation_set)
            try:
                comparisons.append(
                    compare_answers(planned.task, planned.instances, answers, chosen, settings)
                )
            except CodeacumenError as error:
                say(f"left out: {error}")
    if not comparisons:
        raise CodeacumenError("there is nothing to compare", "name at least two models or runs")
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    for comparison in comparisons:
        _print(comparison, confidence)


def _evaluation_set(card: TaskCard, name: str) -> EvaluationSet:
    """The evaluation set of that name; the task's first where none is named."""
    known = {one.name: one for one in card.evaluation_sets}
    if name and name not in known:
        raise CodeacumenError(
            f"{card.name} has no evaluation set called {name!r}", f"it has {', '.join(known)}"
        )
    return known[name] if name else card.evaluation_sets[0]


def _print(one: Comparison, confidence: float) -> None:
    print_table(
        ["model", one.metric, "tie group"],
        [[model, number(value), one.groups[model] or "–"] for model, value in one.values.items()],
        title=f"{one.task}: {one.n} instances that all models answer ({one.evaluation_set})",
        caption="Models that share a letter cannot be told apart.",
        right=(1,),
    )
    print_table(
        ["first", "second", "difference", f"{confidence:.0%} interval", "p", "p (Holm)",
         "verdict", "smallest visible", "test"],
        [
            [t.first, t.second, f"{t.difference:+.3f}", bounds(t.low, t.high), _p(t.p),
             _p(t.p_holm), _verdict(t), number(t.smallest_visible),
             t.test]
            for t in one.tests
        ],
        caption=(
            "p (Holm) is corrected over all pairs of the task; the interval is not. Smallest "
            "visible: the true difference this many instances would show four times in five, "
            "before correction."
        ),
        right=(2, 4, 5, 7),
    )  # fmt: skip
    for model, reason in one.left_out.items():
        say(f"left out: {model}: {reason}")


def _verdict(test: PairTest) -> str:
    if test.p is None:
        return "untested"
    return "different" if test.different else "tied"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"
