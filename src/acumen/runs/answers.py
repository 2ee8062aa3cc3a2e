"""Answers as files: one JSON object a line, ``{"id": ..., "answer": ...}`` or
``{"id": ..., "error": ...}``.

While a model is asked, its answers are appended to a log as they come. A log may end in half
a line after a kill, and may hold an instance twice after a retry; the last whole line counts.
The file a run hands over is written from the log, in the order of the instances.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from acumen.api import AcumenError, Answer, Instance, Json


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
        raise AcumenError(f"{path}: {error.strerror}") from error
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            answer = parse_line(line)
        except ValueError as error:
            raise AcumenError(
                f"{path}:{number}: {error}",
                'a line looks like {"id": "len~length", "answer": 0.93}',
            ) from error
        if answer.id in answers:
            raise AcumenError(
                f"{path}:{number}: {answer.id!r} was answered already on line "
                f"{first_seen[answer.id]}",
                "give one answer for each instance",
            )
        answers[answer.id] = answer
        first_seen[answer.id] = number
    return answers
