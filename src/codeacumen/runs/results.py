"""Read and write runs; ``docs/results.md`` describes every field of ``results.json``.

A cell (``Scores``) has the scores and counts of a model on a task.

The schema has a version, and the reader rejects unknown versions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from codeacumen.api import (
    Answer,
    Capability,
    Ceiling,
    CodeacumenError,
    Counts,
    EvaluationSet,
    Loss,
    ModelCard,
    Overall,
    Run,
    Score,
    Scores,
    TaskCard,
)
from codeacumen.core.files import write_atomically
from codeacumen.runs.answers import read_answers

SCHEMA = "codeacumen.results/3"
FILE_NAME = "results.json"


def run_to_json(run: Run) -> dict[str, Any]:
    """Return the contents of ``results.json`` for a run."""
    return {
        "schema": SCHEMA,
        "seed": run.seed,
        "confidence": run.confidence,
        "resamples": run.resamples,
        "tasks": {name: asdict(card) for name, card in run.tasks.items()},
        "models": {name: asdict(card) for name, card in run.models.items()},
        "cells": [asdict(cell) for cell in run.cells],
        "overall": [asdict(overall) for overall in run.overall],
        "losses": [asdict(loss) for loss in run.losses],
        "provenance": dict(run.provenance),
    }


def run_from_json(record: Mapping[str, Any]) -> Run:
    """Return the run in the contents of a ``results.json``."""
    if record.get("schema") != SCHEMA:
        raise CodeacumenError(
            f"the schema is {record.get('schema')!r}, but this codeacumen reads only {SCHEMA!r}",
            "run `codeacumen eval` again with this version, or install the version that wrote it",
        )
    return Run(
        seed=record["seed"],
        confidence=record["confidence"],
        resamples=record["resamples"],
        tasks={name: _task_card_from_json(card) for name, card in record["tasks"].items()},
        models={
            name: ModelCard(**{**card, "capabilities": tuple(card["capabilities"])})
            for name, card in record["models"].items()
        },
        cells=tuple(_scores_from_json(cell) for cell in record["cells"]),
        provenance=record["provenance"],
        overall=tuple(
            Overall(**{**overall, "tasks": tuple(overall["tasks"])})
            for overall in record.get("overall", ())
        ),
        losses=tuple(Loss(**loss) for loss in record.get("losses", ())),
    )


def _task_card_from_json(card: Mapping[str, Any]) -> TaskCard:
    return TaskCard(
        **{
            **card,
            "capability": Capability(card["capability"]),
            "evaluation_sets": tuple(
                EvaluationSet(**evaluation_set) for evaluation_set in card["evaluation_sets"]
            ),
            "slices": tuple(card["slices"]),
            "ceiling": Ceiling(**card["ceiling"]) if card["ceiling"] else None,
        }
    )


def _scores_from_json(cell: Mapping[str, Any]) -> Scores:
    return Scores(
        **{
            **cell,
            "scores": tuple(Score(**score) for score in cell["scores"]),
            "counts": Counts(**cell["counts"]),
            "errors": tuple(cell["errors"]),
        }
    )


def write_run(folder: Path, run: Run) -> Path:
    """Write a run's ``results.json`` to a folder, and return its path."""
    path = folder / FILE_NAME
    text = json.dumps(run_to_json(run), indent=1, ensure_ascii=False)
    write_atomically(path, text.encode("utf-8", errors="backslashreplace") + b"\n")
    return path


def read_cell_answers(folder: Path, cell: Scores) -> tuple[dict[str, Answer], bool]:
    """Return the answers of a cell (a model on a task), and True if their file is unchanged.

    Unchanged means that the file has the hash that the run recorded when it scored the answers.
    """
    path = folder / cell.answers
    # Somebody else may have written the results file: never open a file outside the run's folder.
    if not cell.answers or not path.resolve().is_relative_to(folder.resolve()):
        raise CodeacumenError(
            f"{folder}: the answers of {cell.model} are not in the run's folder",
            "`codeacumen score` stores the answers only with --out",
        )
    answers = read_answers(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return answers, digest == cell.answers_sha256


def find_results(path: Path) -> Path:
    """Return the path of the results file in a folder, or the path itself if it is no folder."""
    return path / FILE_NAME if path.is_dir() else path


def read_run(path: Path) -> Run:
    """Read a run, given by its folder or its ``results.json``."""
    file = find_results(path)
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        return run_from_json(record)
    except OSError as error:
        raise CodeacumenError(
            f"{file}: {error.strerror}",
            "a run is a folder that `codeacumen eval` or `codeacumen score --out` wrote",
        ) from error
    except CodeacumenError as error:
        raise CodeacumenError(f"{file}: {error}", error.hint) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CodeacumenError(
            f"{file}: not a results file ({type(error).__name__}: {error})",
            "a run is a folder that `codeacumen eval` or `codeacumen score --out` wrote",
        ) from error
