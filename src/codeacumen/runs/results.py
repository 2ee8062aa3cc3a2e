"""Answers and runs as files.

Answers are one JSON object a line, ``{"id": ..., "answer": ...}`` or ``{"id": ..., "error": ...}``.
While a model answers, its answers are appended to a log. A log may end in half a line after a kill,
and may hold an instance twice after a retry; the last whole line counts. The answers file of a run
is written from the log, in the order of the instances.

``results.json`` is a run on disk; ``docs/results.md`` describes every field. The schema has a
version, and a reader refuses a version that it does not know.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
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
    Instance,
    Json,
    Loss,
    ModelCard,
    Overall,
    Run,
    Score,
    Scores,
    TaskCard,
)
from codeacumen.core.files import write_atomically


def to_line(answer: Answer) -> bytes:
    record: dict[str, Any] = {"id": answer.id}
    if answer.error:
        record["error"] = answer.error
    else:
        record["answer"] = answer.value
    # ASCII, because an identifier or an error may hold a lone surrogate.
    return json.dumps(record, allow_nan=False).encode() + b"\n"


def parse_line(line: bytes) -> Answer:
    """Raises ValueError with what is wrong."""
    try:
        record = json.loads(line)
        finite = not isinstance(record, dict) or _is_finite(record.get("answer"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise ValueError('expected an object with an "id" that is a string')
    # A program that always writes both fields leaves the error empty.
    if record.get("error") or "answer" not in record:
        if "error" not in record:
            raise ValueError('expected "answer" or "error" beside "id"')
        return Answer(record["id"], error=str(record["error"] or "unknown error"))
    if not finite:
        # Python reads and writes NaN, which is not JSON; other answers of the file are fine.
        return Answer(record["id"], error="expected finite numbers")
    return Answer(record["id"], record["answer"])


def _is_finite(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


class AnswerLog:
    """The append-only log of one model on one task."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recorded: dict[str, Answer] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._recover()

    def _recover(self) -> None:
        """Read what is there and cut off a line that a kill left unfinished."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self._descriptor, whole)
        for line in content[:whole].splitlines():
            try:
                answer = parse_line(line)
            except ValueError:
                continue  # a damaged line costs one more question, not the run
            self.recorded[answer.id] = answer

    def append(self, answers: Iterable[Answer]) -> None:
        answers = list(answers)
        data = b"".join(map(to_line, answers))
        while data:
            data = data[os.write(self._descriptor, data) :]
        self.recorded.update((answer.id, answer) for answer in answers)

    def close(self) -> None:
        os.fsync(self._descriptor)
        os.close(self._descriptor)


def canonical_bytes(instances: Sequence[Instance], answers: Mapping[str, Answer]) -> bytes:
    """The answers in the order of the instances: the same bytes however they came about."""
    return b"".join(to_line(answers[i.id]) for i in instances if i.id in answers)


def read_answers(path: Path) -> dict[str, Answer]:
    """Answers made anywhere. Every problem is reported with its line."""
    answers: dict[str, Answer] = {}
    first_seen: dict[str, int] = {}
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror}") from error
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            answer = parse_line(line)
        except ValueError as error:
            raise CodeacumenError(
                f"{path}:{number}: {error}",
                'a line looks like {"id": "len~length", "answer": 0.93}',
            ) from error
        if answer.id in answers:
            raise CodeacumenError(
                f"{path}:{number}: {answer.id!r} was answered already on line "
                f"{first_seen[answer.id]}",
                "give one answer for each instance",
            )
        answers[answer.id] = answer
        first_seen[answer.id] = number
    return answers


SCHEMA = "codeacumen.results/2"
FILE_NAME = "results.json"


def to_json(run: Run) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "seed": run.seed,
        "confidence": run.confidence,
        "resamples": run.resamples,
        "tasks": {name: asdict(card) for name, card in run.tasks.items()},
        "models": {name: asdict(card) for name, card in run.models.items()},
        "cells": [asdict(cell) for cell in run.cells],
        "overall": [asdict(one) for one in run.overall],
        "losses": [asdict(one) for one in run.losses],
        "provenance": dict(run.provenance),
    }


def from_json(record: Mapping[str, Any]) -> Run:
    if record.get("schema") != SCHEMA:
        raise CodeacumenError(
            f"the schema is {record.get('schema')!r}, this version of codeacumen reads {SCHEMA!r}",
            "run `codeacumen eval` again with this version, or install the one that wrote it",
        )
    return Run(
        seed=record["seed"],
        confidence=record["confidence"],
        resamples=record["resamples"],
        tasks={name: _task_card(card) for name, card in record["tasks"].items()},
        models={
            name: ModelCard(**{**card, "capabilities": tuple(card["capabilities"])})
            for name, card in record["models"].items()
        },
        cells=tuple(_scores(cell) for cell in record["cells"]),
        provenance=record["provenance"],
        overall=tuple(
            Overall(**{**one, "tasks": tuple(one["tasks"])}) for one in record.get("overall", ())
        ),
        losses=tuple(Loss(**one) for one in record.get("losses", ())),
    )


def _task_card(card: Mapping[str, Any]) -> TaskCard:
    return TaskCard(
        **{
            **card,
            "capability": Capability(card["capability"]),
            "evaluation_sets": tuple(EvaluationSet(**one) for one in card["evaluation_sets"]),
            "slices": tuple(card["slices"]),
            "ceiling": Ceiling(**card["ceiling"]) if card["ceiling"] else None,
        }
    )


def _scores(cell: Mapping[str, Any]) -> Scores:
    return Scores(
        **{
            **cell,
            "scores": tuple(Score(**one) for one in cell["scores"]),
            "counts": Counts(**cell["counts"]),
            "errors": tuple(cell["errors"]),
        }
    )


def write_run(folder: Path, run: Run) -> Path:
    path = folder / FILE_NAME
    text = json.dumps(to_json(run), indent=1, ensure_ascii=False)
    write_atomically(path, text.encode("utf-8", errors="backslashreplace") + b"\n")
    return path


def read_cell_answers(folder: Path, cell: Scores) -> tuple[dict[str, Answer], bool]:
    """A cell's answers, and whether they are still what was scored."""
    path = folder / cell.answers
    # A results file made elsewhere must not make us read outside its folder.
    if not cell.answers or not path.resolve().is_relative_to(folder.resolve()):
        raise CodeacumenError(
            f"{folder}: the answers of {cell.model} are not in the run's folder",
            "a run made by `codeacumen score` keeps them only with --out",
        )
    answers = read_answers(path)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    return answers, found == cell.answers_sha256


def find_results(path: Path) -> Path:
    """The results file that a path means: itself, or the one in the folder."""
    return path / FILE_NAME if path.is_dir() else path


def read_run(path: Path) -> Run:
    """A run by its folder or its results.json."""
    file = find_results(path)
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        return from_json(record)
    except OSError as error:
        raise CodeacumenError(
            f"{file}: {error.strerror}", "a run is a folder that `codeacumen eval --out` wrote"
        ) from error
    except CodeacumenError as error:
        raise CodeacumenError(f"{file}: {error}", error.hint) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CodeacumenError(
            f"{file}: not a results file ({type(error).__name__}: {error})"
        ) from error
