"""``acumen tasks audit``: how much of a score is memory?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen.cli._options import (
    AsJson,
    Confidence,
    Data,
    Models,
    Plugins,
    Resamples,
    Seed,
    load_plugins,
    with_data,
)
from acumen.cli._show import bounds, number, print_json, print_table, progress_bar, say

if TYPE_CHECKING:
    from acumen.api import Score
    from acumen.runs.twins import Effect

# Answers all tasks, and learns by heart what it can.
DEFAULT = "classical"


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

    Counts the instances that have a twin in training, asks models (classical, if none is named)
    and scores them on all instances, on those without a twin, and on those with one.

    Example: acumen tasks audit gluecode@gluecode

    Example: acumen tasks audit gluecode@gluecode -m nearest -m my-model --plugin my_model.py
    """
    from acumen.runs.plan import make_plan
    from acumen.runs.scoring import Settings
    from acumen.runs.twins import effects

    load_plugins(plugin or [])
    names = with_data([task], data)
    cells, unfit = make_plan(model or [DEFAULT], names, skip_unfit=True)
    for line in unfit:
        say(f"left out: {line}")
    with progress_bar() as step:
        found = effects(
            cells,
            Settings(seed, confidence, resamples),
            step,
        )
    if as_json:
        print_json([{**asdict(one), "difference": one.difference} for one in found])
    else:
        _print(found)


def _print(found: list[Effect]) -> None:
    rows: list[list[Any]] = [
        [
            one.task,
            one.model,
            f"{one.twin.n if one.twin else 0:,} of {one.whole.n:,}",
            number(one.whole.value),
            _told(one.alone),
            _told(one.twin),
            number(one.difference),
        ]
        for one in found
    ]
    columns = ["task", "model", "twins", "all", "without twins", "twins alone", "difference"]
    print_table(
        columns,
        rows,
        title="Near-duplicates in training",
        caption="The difference is what leaving the twins in does to the score of all.",
        right=range(2, len(columns)),
    )


def _told(score: Score | None) -> str:
    if score is None:
        return "–"
    return f"{number(score.value)} {bounds(score.low, score.high)}".strip()
