"""Build the JSON data of a task for the page's scripts: instances, answers, tests.

The data has columns instead of rows, because a thousand copies of the same keys would be most of
the page. Every value is text, a finite number or null, which is valid JSON in every browser.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

from codeacumen.api import (
    Answer,
    EvaluationSet,
    Input,
    Instance,
    Json,
    Metric,
    NamedMethod,
    Pair,
    Question,
    Scores,
)
from codeacumen.metrics import target
from codeacumen.report.evidence import Evidence, Merged, ranked
from codeacumen.runs.compare import Comparison
from codeacumen.runs.scoring import belongs

MOST_INSTANCES = 1000
MOST_CHARACTERS = 400
SHOWN_AT_FIRST = 3
# JavaScript rounds larger integers.
LARGEST_EXACT = 2**53


def task_data(merged: Merged, name: str, evidence: Evidence) -> dict[str, Any]:
    """Return the data of a task; ``page/instances.js`` and ``page/pairs.js`` read its keys."""
    card = merged.tasks[name]
    evaluation_set = card.evaluation_sets[0]
    cells = merged.of_task(name)
    models = [cell.model for cell, _ in ranked(cells, card, evaluation_set.name)]
    models = [model for model in models if model in evidence.answers]
    instances = {instance.id: instance for instance in evidence.instances}
    known = list(instances) or _ids(evidence.answers, models)
    ids = chosen(known)
    read = [evidence.read.get(model, {}) for model in models]
    # Postprocessing may combine answers to several instances and drop some of them; show the
    # original answers for those.
    answers = [
        [seen.get(id_) or evidence.answers[model].get(id_) for id_ in ids]
        for model, seen in zip(models, read, strict=True)
    ]
    data: dict[str, Any] = {
        "task": name,
        "metric": card.metric,
        "lower": card.lower_is_better,
        "evaluation_set": evaluation_set.name,
        "ids": ids,
        "known": len(known),
        "models": models,
        "shown": _shown_at_first(merged, cells, models),
        "answers": [[_answer(one) for one in column] for column in answers],
        "errors": [
            {str(i): _short(one.error) for i, one in enumerate(column) if one and one.error}
            for column in answers
        ],
        "mode": "none",
        "tests": _tests(evidence.comparison, models),
        "compared": evidence.comparison.n if evidence.comparison else 0,
        "confidence": merged.settings.confidence,
        "leftOut": dict(evidence.comparison.left_out) if evidence.comparison else {},
    }
    if evidence.metric is not None and instances:
        here = [instances[id_] for id_ in ids]
        data |= _questions(here, {one.tag for one in card.evaluation_sets})
        seen = [[given.get(id_) for id_ in ids] for given in read]
        data |= _observed(evidence.metric, here, seen, evaluation_set)
    return data


def chosen(ids: Sequence[str]) -> list[str]:
    """Return all ids, or the ``MOST_INSTANCES`` with the smallest hashes, the same on any
    machine.
    """
    if len(ids) <= MOST_INSTANCES:
        return list(ids)
    by_hash = sorted(ids, key=lambda id_: hashlib.sha256(id_.encode("utf-8", "replace")).digest())
    kept = set(by_hash[:MOST_INSTANCES])
    return [id_ for id_ in ids if id_ in kept]


def _ids(answers: Mapping[str, Mapping[str, Answer]], models: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(id_ for model in models for id_ in answers[model]))


def _shown_at_first(merged: Merged, cells: Sequence[Scores], models: Sequence[str]) -> list[int]:
    """Return the best models without baselines; if there are only baselines, the best of them."""
    own = [i for i, model in enumerate(models) if not merged.models[model].is_baseline]
    return (own or list(range(len(models))))[:SHOWN_AT_FIRST]


def _questions(instances: Sequence[Instance], quiet: Set[str]) -> dict[str, Any]:
    """Return questions, truths and tags of the instances, as columns."""
    tags = sorted({tag for instance in instances for tag in instance.tags})
    place = {tag: i for i, tag in enumerate(tags)}
    asked = [question(instance.input) for instance in instances]
    # If the ids have the form left~right, a column of questions would only repeat them.
    said = [
        f"{i.input.left}~{i.input.right}" == i.id for i in instances if isinstance(i.input, Pair)
    ]
    return {
        "questions": None if said and all(said) and len(said) == len(asked) else asked,
        "truths": [plain(target(instance.truth)) for instance in instances],
        "tags": tags,
        # Nearly all rows have tags of evaluation sets: the page filters by them but hides them.
        "quiet": [place[tag] for tag in tags if tag in quiet],
        "tagged": [sorted(place[tag] for tag in instance.tags) for instance in instances],
    }


def question(asked: Input) -> str:
    """Return a question as one line of text."""
    if isinstance(asked, Pair):
        return f"{_short(asked.left)} ↔ {_short(asked.right)}"
    if isinstance(asked, Question):
        return f"{_short(asked.text)} → {_short(', '.join(asked.choices))}"
    if isinstance(asked, NamedMethod):
        return f"{_short(asked.name)}: {_short(asked.method.text)}"
    return _short(asked.text)


def plain(value: Json) -> str | float | int | None:
    """Return a truth or an answer as the page shows it."""
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    if isinstance(value, int):
        return value if abs(value) < LARGEST_EXACT else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _short(value)
    return _short(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))


def _answer(answer: Answer | None) -> str | float | int | None:
    if answer is None or answer.error:
        return None
    if isinstance(answer.value, dict) and set(answer.value) == {"before", "after"}:
        names = (plain(answer.value[when]) for when in ("before", "after"))
        return " → ".join("“”" if name == "" else str(name) for name in names)
    return plain(answer.value)


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _observed(
    metric: Metric,
    instances: Sequence[Instance],
    answers: Sequence[Sequence[Answer | None]],
    evaluation_set: EvaluationSet,
) -> dict[str, Any]:
    """Return the metric's observations, from which the page finds instances that flip.

    One number for an answer is its quality; two numbers are a truth and an answer to rank. For
    other metrics, the page cannot determine the effect of an instance.
    """
    columns: list[list[tuple[float, ...] | None]] = [
        [
            _observe(metric, instance, answer) if belongs(instance, evaluation_set) else None
            for instance, answer in zip(instances, column, strict=True)
        ]
        for column in answers
    ]
    widths = {len(row) for column in columns for row in column if row is not None}
    if widths == {1}:
        mode, place = ("right" if metric.proportion else "gain"), 0
    elif widths == {2}:
        mode, place = "rank", 1
    else:
        return {"mode": "none"}
    seen: dict[str, Any] = {
        "mode": mode,
        "observed": [[None if row is None else row[place] for row in column] for column in columns],
    }
    if mode == "rank":
        rows = zip(*columns, strict=True)
        seen["ranked"] = [next((row[0] for row in at if row is not None), None) for at in rows]
    return seen


def _observe(metric: Metric, instance: Instance, answer: Answer | None) -> tuple[float, ...] | None:
    row: tuple[float, ...] | None = None
    if answer is not None and not answer.error and answer.value is not None:
        try:
            row = metric.observe(instance.truth, answer.value)
        except Exception:
            row = None  # an invalid answer, which the run has counted as failed
    return metric.unanswered if row is None else row


def _tests(comparison: Comparison | None, models: Sequence[str]) -> list[list[Any]]:
    """Return a row for each pair: both indices, difference, low, high, p, p after Holm, smallest
    visible difference, whether the models differ, the test's name."""
    if comparison is None:
        return []
    place = {model: i for i, model in enumerate(models)}
    return [
        [
            place[test.first],
            place[test.second],
            *(
                None if number is None else plain(float(f"{number:.6g}"))
                for number in (
                    test.difference,
                    test.low,
                    test.high,
                    test.p,
                    test.p_holm,
                    test.smallest_visible,
                )
            ),
            test.different,
            test.test,
        ]
        for test in comparison.tests
        if test.first in place and test.second in place
    ]
