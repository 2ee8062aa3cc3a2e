"""``acumen compare``: are they really different?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acumen.api import AcumenError
from acumen.cli._options import (
    AsJson,
    Confidence,
    Data,
    Plugins,
    Resamples,
    Seed,
    Tasks,
    load_data,
    load_plugins,
)
from acumen.cli._show import bounds, number, print_json, print_table, progress_bar, say

if TYPE_CHECKING:
    from acumen.api import Convention, TaskCard
    from acumen.runs.compare import Comparison, PairTest


def compare(
    what: Annotated[list[str], typer.Argument(help="Run folders, models, or both.")],
    task: Tasks = None,
    convention: Annotated[
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

    Example: acumen compare ft-cbow ensemble --task idbench/similarity/large

    Example: acumen compare run-1 run-2
    """
    from dataclasses import asdict

    from acumen.registry import select_tasks
    from acumen.runs.compare import (
        TaskShelf,
        compare_answers,
        from_models,
        from_runs,
        is_run,
        together,
    )
    from acumen.runs.scoring import Settings

    load_plugins(plugin or [])
    load_data(data)
    folders = [Path(one) for one in what if is_run(Path(one))]
    references = [one for one in what if not is_run(Path(one))]
    for one in references:
        if Path(one).exists() or "/" in one:
            raise AcumenError(
                f"{one}: there is no run here", "a run is a folder that `acumen eval --out` wrote"
            )
    shelf = TaskShelf()
    settings = Settings(seed, confidence, resamples)
    tasks = select_tasks(task) if task else []
    gathered = from_runs(folders, shelf, lambda name: not tasks or name in tasks)
    if references and not tasks and not gathered:
        raise AcumenError("compare models on what?", "name a task with --task")
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
            chosen = _convention(planned.card, convention)
            try:
                comparisons.append(
                    compare_answers(planned.task, planned.instances, answers, chosen, settings)
                )
            except AcumenError as error:
                say(f"left out: {error}")
    if not comparisons:
        raise AcumenError("there is nothing to compare", "name at least two models or runs")
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    for comparison in comparisons:
        _print(comparison, confidence)


def _convention(card: TaskCard, name: str) -> Convention:
    """The convention of that name; the task's first where none is named."""
    known = {one.name: one for one in card.conventions}
    if name and name not in known:
        raise AcumenError(
            f"{card.name} has no convention called {name!r}", f"it has {', '.join(known)}"
        )
    return known[name] if name else card.conventions[0]


def _print(one: Comparison, confidence: float) -> None:
    print_table(
        ["model", one.metric, "tie group"],
        [[model, number(value), one.groups[model] or "–"] for model, value in one.values.items()],
        title=f"{one.task}: {one.n} instances that all models answer ({one.convention})",
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
