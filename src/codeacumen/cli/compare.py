"""``codeacumen compare``: test the differences between models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._options import (
    AsJson,
    BootstrapSeed,
    Confidence,
    InstanceLimit,
    Plugins,
    Resamples,
    Tasks,
    load_plugins,
)
from codeacumen.cli._output import print_json, print_note, print_table
from codeacumen.text.numbers import ABSENT, format_interval, format_number

if TYPE_CHECKING:
    from codeacumen.runs.compare import Comparison, PairTest

_SMALLEST_P = 0.0001


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
    after Holm over all pairs of a task. Models that share a letter cannot be told apart. Each pair
    comes with the smallest difference that the data could show.

    Examples:
        codeacumen compare levenshtein jaro-winkler -t abbreviations/match
        codeacumen compare run-1 run-2
    """
    from dataclasses import asdict

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
        caption="Models that share a letter cannot be told apart.",
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
