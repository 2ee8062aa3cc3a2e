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
from codeacumen.text.subtokens import subtokens

Ask = Callable[[Sequence[Any]], Sequence[Any]]


def _find_failure(answers: Sequence[object]) -> Exception | None:
    """Return the first exception that stands in place of an answer."""
    return next((answer for answer in answers if isinstance(answer, Exception)), None)


def cosine_similarity(embed: Ask) -> Ask:
    """embed → similarity: the cosine of the two vectors; None where one is missing or zero."""

    def similarity(pairs: Sequence[Pair]) -> list[float | Exception | None]:
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
            a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
            norm = float(np.linalg.norm(a) * np.linalg.norm(b))
            answers.append(float(a @ b) / norm if norm > 0 else None)
        return answers

    return similarity


def most_similar_choice(similarity: Ask) -> Ask:
    """similarity → classify: the choice most similar to the text; the first among equals."""

    def classify(questions: Sequence[Question]) -> list[str | Exception | None]:
        pairs = [
            Pair(question.text, choice) for question in questions for choice in question.choices
        ]
        scores = iter(similarity(pairs))
        answers: list[str | Exception | None] = []
        for question in questions:
            scored = [(next(scores), choice) for choice in question.choices]
            known = [(score, choice) for score, choice in scored if score is not None]
            failure = _find_failure([score for score, _ in known])
            best = max(known, key=lambda pair: pair[0])[1] if known and not failure else None
            answers.append(failure or best)
        return answers

    return classify


def agreement_with_own_name(name: Ask) -> Ask:
    """name → judge: Dice coefficient of the subtokens of the method's name and of the predicted
    name, ignoring case."""

    def judge(methods: Sequence[NamedMethod]) -> list[float | Exception | None]:
        own = name([method.method for method in methods])
        answers: list[float | Exception | None] = []
        for method, proposal in zip(methods, own, strict=True):
            if proposal is None or isinstance(proposal, Exception):
                answers.append(proposal)
                continue
            a = set(subtokens(method.name, lower=True))
            b = set(subtokens(proposal, lower=True))
            answers.append(2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0)
        return answers

    return judge


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


def route(own: Sequence[Capability], needed: Capability) -> tuple[Capability, ...] | None:
    """Return the shortest chain from one of the model's capabilities to the needed one, or None."""
    queue: deque[tuple[Capability, ...]] = deque((capability,) for capability in own)
    seen = set(own)
    while queue:
        chain = queue.popleft()
        if chain[-1] == needed:
            return chain
        for before, after in ADAPTERS:
            if before == chain[-1] and after not in seen:
                seen.add(after)
                queue.append((*chain, after))
    return None


def ask_through(model: Model, needed: Capability) -> Ask:
    """Return a callable for the capability ``needed``: the model's own method, or adapters."""
    own = list_capabilities(model)
    chain = route(own, needed)
    if chain is None:
        listed = ", ".join(own) or "no capability at all"
        raise CodeacumenError(f"no way to ask a model with {listed} for {needed}")
    ask: Ask = getattr(model, chain[0].value)
    for before, after in pairwise(chain):
        ask = ADAPTERS[before, after](ask)
    return ask


# Errors of a model that do not end the run. SystemExit is among them because a library's
# sys.exit() must not end the run as if it had succeeded.
MISHAPS = (Exception, SystemExit)


def ask_each(
    call: Callable[[Sequence[Any]], Sequence[Any]], questions: Sequence[Any], size: int
) -> list[Any]:
    """Return for each question its answer or the exception it raised, in batches of ``size``."""
    answers: list[Any] = []
    for start in range(0, len(questions), size):
        answers += _halving(call, questions[start : start + size])
    return answers


def _halving(call: Callable[[Sequence[Any]], Sequence[Any]], batch: Sequence[Any]) -> list[Any]:
    """Return the answers to a batch; halve a failing batch until the failing question is alone."""
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
    """Return the error without its traceback and causes.

    A traceback keeps the local variables of its frames in memory as long as the error lives, and
    there may be one error for each question.
    """
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
