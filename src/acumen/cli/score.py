"""``acumen score``: answers made anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli._options import (
    AsJson,
    Confidence,
    Data,
    Plugins,
    Resamples,
    Seed,
    complete_task,
    load_plugins,
    with_data,
)
from acumen.cli._show import print_json, say


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

    The model is called after the file. With --out the result is a run that acumen
    compare and acumen report take.

    Example: acumen score my-model.jsonl --task idbench/similarity/large
    """
    from acumen.cli.eval import print_scores, report_failures
    from acumen.registry import make_task
    from acumen.runs.evaluate import score_files
    from acumen.runs.results import to_json
    from acumen.runs.scoring import Settings

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
