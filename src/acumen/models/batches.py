"""Asking in batches so that one bad question never costs the others their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# What a model may do wrong while the run goes on. SystemExit: a library's sys.exit() must
# not end the run as if all were well.
MISHAPS = (Exception, SystemExit)


def ask_each(
    call: Callable[[Sequence[Any]], Sequence[Any]], questions: Sequence[Any], size: int
) -> list[Any]:
    """An answer for each question, or the exception it raised, in batches of ``size``."""
    answers: list[Any] = []
    for start in range(0, len(questions), size):
        answers += _halving(call, questions[start : start + size])
    return answers


def _halving(call: Callable[[Sequence[Any]], Sequence[Any]], batch: Sequence[Any]) -> list[Any]:
    """A batch that fails is halved until the culprit stands alone."""
    try:
        answers = list(call(batch))
        if len(answers) != len(batch):
            raise ValueError(f"{len(answers)} answers to {len(batch)} questions")
    except MISHAPS as error:
        if len(batch) == 1:
            return [_bare(error)]
        half = len(batch) // 2
        return _halving(call, batch[:half]) + _halving(call, batch[half:])
    return answers


def _bare(error: BaseException) -> BaseException:
    """An error without the stack that it came from: that holds whatever was in memory then, for as
    long as the error is kept, and there may be one for each question."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
