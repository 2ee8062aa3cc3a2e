"""Adapters between capabilities, and calls of a model in batches.

An adapter takes the callable of one capability and returns the callable of another. They chain, so
an embedding can answer multiple-choice questions: embed → similarity → classify. ``ask_each`` calls
a model in batches such that a failing question does not affect the answers to others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from codeacumen.api import (
    CAPABILITY_PROTOCOLS,
    Capability,
    CodeacumenError,
    Model,
    NamedMethod,
    Pair,
    Question,
)
from codeacumen.text.subtokens import split_subtokens

Ask = Callable[[Sequence[Any]], Sequence[Any]]


def _find_failure(answers: Sequence[object]) -> Exception | None:
    """Return the first exception that stands in place of an answer."""
    return next((answer for answer in answers if isinstance(answer, Exception)), None)


def cosine_similarity(embed: Ask) -> Ask:
    """embed → similarity: the cosine of the two vectors; None where one is missing or zero."""

    def compare_pairs(pairs: Sequence[Pair]) -> list[float | Exception | None]:
        import numpy as np

        items = list(dict.fromkeys(item for pair in pairs for item in (pair.left, pair.right)))
        vectors = dict(zip(items, embed(items), strict=True))
        answers: list[float | Exception | None] = []
        for pair in pairs:
            left, right = vectors[pair.left], vectors[pair.right]
            failure = _find_failure((left, right))
            if failure is not None:
                answers.append(failure)
                continue
            if left is None or right is None:
                answers.append(None)
                continue
            left_vector, right_vector = (
                np.asarray(left, dtype=float),
                np.asarray(right, dtype=float),
            )
            norm = float(np.linalg.norm(left_vector) * np.linalg.norm(right_vector))
            answers.append(float(left_vector @ right_vector) / norm if norm > 0 else None)
        return answers

    return compare_pairs


def most_similar_choice(similarity: Ask) -> Ask:
    """similarity → classify: the choice most similar to the text; the first among equals."""

    def choose_answers(questions: Sequence[Question]) -> list[str | Exception | None]:
        pairs = [
            Pair(question.text, choice) for question in questions for choice in question.choices
        ]
        scores = iter(similarity(pairs))
        answers: list[str | Exception | None] = []
        for question in questions:
            scored = [(next(scores), choice) for choice in question.choices]
            answered_choices = [(score, choice) for score, choice in scored if score is not None]
            failure = _find_failure([score for score, _ in answered_choices])
            best = (
                max(answered_choices, key=lambda pair: pair[0])[1]
                if answered_choices and not failure
                else None
            )
            answers.append(failure or best)
        return answers

    return choose_answers


def agreement_with_own_name(name: Ask) -> Ask:
    """name → judge: Dice coefficient of the subtokens of the method's name and of the predicted
    name, ignoring case."""

    def judge_names(methods: Sequence[NamedMethod]) -> list[float | Exception | None]:
        predicted_names = name([method.method for method in methods])
        answers: list[float | Exception | None] = []
        for method, predicted_name in zip(methods, predicted_names, strict=True):
            if predicted_name is None or isinstance(predicted_name, Exception):
                answers.append(predicted_name)
                continue
            given_subtokens = set(split_subtokens(method.name, lower=True))
            predicted_subtokens = set(split_subtokens(predicted_name, lower=True))
            answers.append(
                2
                * len(given_subtokens & predicted_subtokens)
                / (len(given_subtokens) + len(predicted_subtokens))
                if given_subtokens or predicted_subtokens
                else 1.0
            )
        return answers

    return judge_names


ADAPTERS: dict[tuple[Capability, Capability], Callable[[Ask], Ask]] = {
    (Capability.EMBED, Capability.SIMILARITY): cosine_similarity,
    (Capability.SIMILARITY, Capability.CLASSIFY): most_similar_choice,
    (Capability.NAME, Capability.JUDGE): agreement_with_own_name,
}


def list_capabilities(model: Model) -> tuple[Capability, ...]:
    """Return the capabilities that a model has without adapters."""
    return tuple(
        capability
        for capability, protocol in CAPABILITY_PROTOCOLS.items()
        if isinstance(model, protocol)
    )


def find_route(own: Sequence[Capability], needed: Capability) -> tuple[Capability, ...] | None:
    """Return the shortest chain from one of the model's capabilities to the needed one, or None."""
    queue: deque[tuple[Capability, ...]] = deque((capability,) for capability in own)
    reached = set(own)
    while queue:
        chain = queue.popleft()
        if chain[-1] == needed:
            return chain
        for before, after in ADAPTERS:
            if before == chain[-1] and after not in reached:
                reached.add(after)
                queue.append((*chain, after))
    return None


def ask_through(model: Model, needed: Capability) -> Ask:
    """Return a callable for the capability ``needed``: the model's own method, or adapters."""
    own = list_capabilities(model)
    chain = find_route(own, needed)
    if chain is None:
        listed = ", ".join(own) or "no capability at all"
        raise CodeacumenError(f"no way to ask a model with {listed} for {needed}")
    ask: Ask = getattr(model, chain[0].value)
    for before, after in pairwise(chain):
        ask = ADAPTERS[before, after](ask)
    return ask


# Errors of a model that do not end the run. SystemExit is among them because a library's
# sys.exit() must not end the run as if it had succeeded.
MODEL_ERRORS = (Exception, SystemExit)


def ask_each(
    call: Callable[[Sequence[Any]], Sequence[Any]], questions: Sequence[Any], size: int
) -> list[Any]:
    """Return for each question its answer or the exception it raised, in batches of ``size``."""
    answers: list[Any] = []
    for start in range(0, len(questions), size):
        answers += _ask_or_halve(call, questions[start : start + size])
    return answers


def _ask_or_halve(
    call: Callable[[Sequence[Any]], Sequence[Any]], batch: Sequence[Any]
) -> list[Any]:
    """Return the answers to a batch; halve a failing batch until the failing question is alone."""
    try:
        answers = list(call(batch))
        if len(answers) != len(batch):
            raise ValueError(f"{len(answers)} answers to {len(batch)} questions")
    except MODEL_ERRORS as error:
        if len(batch) == 1:
            return [_strip_traceback(error)]
        half = len(batch) // 2
        return _ask_or_halve(call, batch[:half]) + _ask_or_halve(call, batch[half:])
    return answers


def _strip_traceback(error: BaseException) -> BaseException:
    """Return the error without its traceback and causes.

    A traceback keeps the local variables of its frames in memory as long as the error lives, and
    there may be one error for each question.
    """
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
