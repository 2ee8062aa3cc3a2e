"""Build the JSON data of a task for the page's scripts: instances, answers, tests.

The data has columns instead of rows, because a thousand copies of the same keys would be most of
the page. A column has a value for each instance, in the order of ``ids``; data by model has a
column for each model, in the order of ``models``. Every value is text, a finite number or null,
which is valid JSON in every browser.
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
from codeacumen.metrics import target_value
from codeacumen.report.merged_runs import Evidence, MergedRuns, rank_cells
from codeacumen.runs.compare import Comparison
from codeacumen.runs.scoring import is_in_slice

# Maximum numbers of a task's instances and of characters of a text; they limit the page's size.
MOST_INSTANCES = 1000
MAX_CHARACTERS = 400
# Maximum number of models that the page shows before the reader chooses others.
MAX_SHOWN_MODELS = 3
# JavaScript rounds integers from here on; they are written as text.
MAX_EXACT_INTEGER = 2**53


def build_task_data(merged: MergedRuns, name: str, evidence: Evidence) -> dict[str, Any]:
    """Return the data of a task; ``page/instances.js`` and ``page/pairs.js`` read its keys."""
    card = merged.tasks[name]
    evaluation_set = card.evaluation_sets[0]
    cells = merged.cells_of_task(name)
    models = [cell.model for cell, _ in rank_cells(cells, card, evaluation_set.name)]
    models = [model for model in models if model in evidence.answers]
    instances = {instance.id: instance for instance in evidence.instances}
    all_ids = list(instances) or _collect_ids(evidence.answers, models)
    ids = sample_ids(all_ids)
    answers_by_model = [evidence.postprocessed.get(model, {}) for model in models]
    # Postprocessing may combine answers to several instances and drop some of them; show the
    # original answers for those.
    answers = [
        [postprocessed.get(id_) or evidence.answers[model].get(id_) for id_ in ids]
        for model, postprocessed in zip(models, answers_by_model, strict=True)
    ]
    data: dict[str, Any] = {
        "task": name,
        "metric": card.metric,
        "lower": card.lower_is_better,
        "evaluation_set": evaluation_set.name,
        "ids": ids,
        "total": len(all_ids),
        "models": models,
        "shown": _select_shown_models(merged, cells, models),
        "answers": [[_format_answer(answer) for answer in column] for column in answers],
        "errors": [
            {
                str(i): _shorten(answer.error)
                for i, answer in enumerate(column)
                if answer and answer.error
            }
            for column in answers
        ],
        "mode": "none",
        "tests": _build_tests(evidence.comparison, models),
        "compared": evidence.comparison.n if evidence.comparison else 0,
        "confidence": merged.settings.confidence,
        "leftOut": dict(evidence.comparison.left_out) if evidence.comparison else {},
    }
    if evidence.metric is not None and instances:
        sampled = [instances[id_] for id_ in ids]
        data |= _build_questions(
            sampled, {evaluation_set_.tag for evaluation_set_ in card.evaluation_sets}
        )
        columns = [[model_answers.get(id_) for id_ in ids] for model_answers in answers_by_model]
        data |= _build_observations(evidence.metric, sampled, columns, evaluation_set)
    return data


def sample_ids(ids: Sequence[str]) -> list[str]:
    """Return all ids, or the ``MOST_INSTANCES`` with the smallest hashes, the same on any
    machine.
    """
    if len(ids) <= MOST_INSTANCES:
        return list(ids)
    by_hash = sorted(ids, key=lambda id_: hashlib.sha256(id_.encode("utf-8", "replace")).digest())
    sampled = set(by_hash[:MOST_INSTANCES])
    return [id_ for id_ in ids if id_ in sampled]


def _collect_ids(answers: Mapping[str, Mapping[str, Answer]], models: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(id_ for model in models for id_ in answers[model]))


def _select_shown_models(
    merged: MergedRuns, cells: Sequence[Scores], models: Sequence[str]
) -> list[int]:
    """Return the indices of the best models, without baselines unless there are only baselines."""
    models_without_baselines = [
        i for i, model in enumerate(models) if not merged.models[model].is_baseline
    ]
    return (models_without_baselines or list(range(len(models))))[:MAX_SHOWN_MODELS]


def _build_questions(
    instances: Sequence[Instance], evaluation_set_tags: Set[str]
) -> dict[str, Any]:
    """Return questions, truths and tags of the instances, as columns."""
    tags = sorted({tag for instance in instances for tag in instance.tags})
    index_of = {tag: i for i, tag in enumerate(tags)}
    questions = [format_question(instance.input) for instance in instances]
    # If the ids have the form left~right, a column of questions would only repeat them.
    is_id = [
        f"{i.input.left}~{i.input.right}" == i.id for i in instances if isinstance(i.input, Pair)
    ]
    return {
        "questions": None if is_id and all(is_id) and len(is_id) == len(questions) else questions,
        "truths": [format_value(target_value(instance.truth)) for instance in instances],
        "tags": tags,
        # Nearly all rows have tags of evaluation sets: the page filters by them but hides them.
        "hidden_tags": [index_of[tag] for tag in tags if tag in evaluation_set_tags],
        "tagged": [sorted(index_of[tag] for tag in instance.tags) for instance in instances],
    }


def format_question(question: Input) -> str:
    """Return a question as one line of text."""
    if isinstance(question, Pair):
        return f"{_shorten(question.left)} ↔ {_shorten(question.right)}"
    if isinstance(question, Question):
        return f"{_shorten(question.text)} → {_shorten(', '.join(question.choices))}"
    if isinstance(question, NamedMethod):
        return f"{_shorten(question.name)}: {_shorten(question.method.text)}"
    return _shorten(question.text)


def format_value(value: Json) -> str | float | int | None:
    """Return a truth or an answer as the page shows it."""
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    if isinstance(value, int):
        return value if abs(value) < MAX_EXACT_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _shorten(value)
    return _shorten(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))


def _format_answer(answer: Answer | None) -> str | float | int | None:
    if answer is None or answer.error:
        return None
    # The names that a model returned for a method and for its variant, as joined by the task
    # (``metrics.prediction_change``); an empty name means that the model returned none.
    if isinstance(answer.value, dict) and set(answer.value) == {"before", "after"}:
        names = (format_value(answer.value[when]) for when in ("before", "after"))
        return " → ".join("“”" if name == "" else str(name) for name in names)
    return format_value(answer.value)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def _build_observations(
    metric: Metric,
    instances: Sequence[Instance],
    answers: Sequence[Sequence[Answer | None]],
    evaluation_set: EvaluationSet,
) -> dict[str, Any]:
    """Return the metric's observations, with which the page shows where two models differ.

    One number for an answer is its quality (mode ``right`` for 0 or 1, else ``gain``); two numbers
    are a truth and an answer to rank (mode ``rank``, with the truths as ``ranked``). For other
    metrics, the page cannot determine the effect of an instance (mode ``none``). A row is what the
    metric observes for one answer, None if the answer does not count; a column has the rows of a
    model.
    """
    columns: list[list[tuple[float, ...] | None]] = [
        [
            _observe_answer(metric, instance, answer)
            if is_in_slice(instance, evaluation_set)
            else None
            for instance, answer in zip(instances, column, strict=True)
        ]
        for column in answers
    ]
    row_lengths = {len(row) for column in columns for row in column if row is not None}
    if row_lengths == {1}:
        # ``position`` is the index of the number in the row that depends on the answer.
        mode, position = ("right" if metric.proportion else "gain"), 0
    elif row_lengths == {2}:
        mode, position = "rank", 1
    else:
        return {"mode": "none"}
    data: dict[str, Any] = {
        "mode": mode,
        "observed": [
            [None if row is None else row[position] for row in column] for column in columns
        ],
    }
    if mode == "rank":
        rows = zip(*columns, strict=True)
        data["ranked"] = [
            next((row[0] for row in row_of_models if row is not None), None)
            for row_of_models in rows
        ]
    return data


def _observe_answer(
    metric: Metric, instance: Instance, answer: Answer | None
) -> tuple[float, ...] | None:
    row: tuple[float, ...] | None = None
    if answer is not None and not answer.error and answer.value is not None:
        try:
            row = metric.observe(instance.truth, answer.value)
        except Exception:
            row = None  # an invalid answer, which the run has counted as failed
    return metric.unanswered if row is None else row


def _build_tests(comparison: Comparison | None, models: Sequence[str]) -> list[list[Any]]:
    """Return a row for each pair of models, with the fields of ``PairTest`` in this order.

    Both models' indices in ``models``, difference, low, high, p, p after Holm's correction,
    smallest visible difference, whether the models differ, the test's name.
    """
    if comparison is None:
        return []
    index_of = {model: i for i, model in enumerate(models)}
    return [
        [
            index_of[test.first],
            index_of[test.second],
            *(
                None if number is None else format_value(float(f"{number:.6g}"))
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
        if test.first in index_of and test.second in index_of
    ]
