"""Adapters between capabilities, and calls of a model in batches.

An adapter takes the callable of one capability and returns the callable of another. They chain, so
an embedding can answer multiple-choice questions: embed → similarity → classify. ``ask_each`` calls
a model in batches such that a failing question does not affect the answers to others.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar

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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

E = TypeVar("E", bound=BaseException)
# The callable of a capability, which returns an answer for each question.
Ask = Callable[[Sequence[Any]], Sequence[Any]]


# Maximum number of characters of an error message that shows a model's answer.
ERROR_LENGTH = 500


def to_finite_number(value: object) -> float:
    """Return a model's answer as a float; raise an error if it is no number, or not finite."""
    # float() would read text and take True for 1; numpy's numbers know __float__.
    if isinstance(value, bool | str | bytes) or not isinstance(value, SupportsFloat):
        raise TypeError(f"expected a number, found {value!r}"[:ERROR_LENGTH])
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, found {number}")
    return number


def _list_answers(returned: Any, questions: Sequence[object]) -> list[Any]:
    """Return a model's answers as a list; raise an error unless there is one for each question."""
    if isinstance(returned, str | bytes | Mapping):
        raise TypeError(f"expected a list of answers, found {type(returned).__name__}")
    answers = list(returned)
    if len(answers) != len(questions):
        raise ValueError(f"{len(answers)} answers to {len(questions)} questions")
    return answers


def _find_failure(answers: Sequence[object]) -> BaseException | None:
    """Return the first exception that stands in place of an answer."""
    return next((answer for answer in answers if isinstance(answer, BaseException)), None)


def _to_vector(value: Any) -> NDArray[np.float64] | BaseException | None:
    """Return a model's vector as an array, or an exception if it is no vector; None stays None."""
    import numpy as np

    if value is None or isinstance(value, BaseException):
        return value
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            array = np.asarray([to_finite_number(element) for element in value])
        vector = array.astype(float)
    except Exception as error:
        return _strip_traceback(error)
    if vector.ndim != 1:
        return TypeError(f"expected a vector, found an array of shape {vector.shape}")
    if not np.isfinite(vector).all():
        return ValueError("expected finite numbers in the vector")
    return vector


def cosine_similarity(embed: Ask) -> Ask:
    """embed → similarity: the cosine of the two vectors; None where one is missing or zero."""

    def compare_pairs(pairs: Sequence[Pair]) -> list[float | BaseException | None]:
        import numpy as np

        items = list(dict.fromkeys(item for pair in pairs for item in (pair.left, pair.right)))
        embedded = _list_answers(embed(items), items)
        vectors = dict(zip(items, map(_to_vector, embedded), strict=True))
        answers: list[float | BaseException | None] = []
        for pair in pairs:
            left, right = vectors[pair.left], vectors[pair.right]
            failure = _find_failure((left, right))
            if failure is not None:
                answers.append(failure)
            elif not isinstance(left, np.ndarray) or not isinstance(right, np.ndarray):
                answers.append(None)
            elif len(left) != len(right):
                answers.append(ValueError(f"vectors of {len(left)} and {len(right)} numbers"))
            else:
                norm = float(np.linalg.norm(left) * np.linalg.norm(right))
                answers.append(float(left @ right) / norm if norm > 0 else None)
        return answers

    return compare_pairs


def most_similar_choice(similarity: Ask) -> Ask:
    """similarity → classify: the choice most similar to the text; the first among equals.

    A choice without a similarity is not chosen; an invalid similarity of a choice is an error.
    """

    def choose_answers(questions: Sequence[Question]) -> list[str | BaseException | None]:
        pairs = [
            Pair(question.text, choice) for question in questions for choice in question.choices
        ]
        remaining = iter(_list_answers(similarity(pairs), pairs))
        return [
            _choose_best(question.choices, [next(remaining) for _ in question.choices])
            for question in questions
        ]

    return choose_answers


def _choose_best(
    choices: Sequence[str], similarities: Sequence[object]
) -> str | BaseException | None:
    """Return the choice of the largest similarity, or the exception of an invalid one."""
    failure = _find_failure(similarities)
    if failure is not None:
        return failure
    try:
        scored = [
            (to_finite_number(value), choice)
            for value, choice in zip(similarities, choices, strict=True)
            if value is not None
        ]
    except (TypeError, ValueError) as error:
        return _strip_traceback(error)
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def agreement_with_own_name(name: Ask) -> Ask:
    """name → judge: Dice coefficient of the subtokens of the method's name and of the predicted
    name, ignoring case."""

    def judge_names(methods: Sequence[NamedMethod]) -> list[float | BaseException | None]:
        predicted_names = _list_answers(name([method.method for method in methods]), methods)
        answers: list[float | BaseException | None] = []
        for method, predicted_name in zip(methods, predicted_names, strict=True):
            if predicted_name is None or isinstance(predicted_name, BaseException):
                answers.append(predicted_name)
                continue
            if not isinstance(predicted_name, str):
                answers.append(
                    TypeError(f"expected a name, found {predicted_name!r}"[:ERROR_LENGTH])
                )
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
    """Return the capabilities that a model has without adapters: its methods of these names."""
    return tuple(
        capability
        for capability in CAPABILITY_PROTOCOLS
        if callable(getattr(model, capability.value, None))
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
        raise CodeacumenError(
            f"no way to ask a model with {listed} for {needed}",
            "`codeacumen models show NAME` lists the tasks that a model can answer",
        )
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
        answers = _list_answers(call(batch), batch)
    except MODEL_ERRORS as error:
        if len(batch) == 1:
            return [_strip_traceback(error)]
        half = len(batch) // 2
        return _ask_or_halve(call, batch[:half]) + _ask_or_halve(call, batch[half:])
    return answers


def _strip_traceback(error: E) -> E:
    """Return the error without its traceback and causes.

    A traceback keeps the local variables of its frames in memory as long as the error lives, and
    there may be one error for each question.
    """
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
