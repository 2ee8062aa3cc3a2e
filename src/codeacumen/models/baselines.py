"""Baselines that bound every table of scores: chance, the best constant answer, and the truth."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from codeacumen.api import (
    Example,
    Input,
    Json,
    Method,
    NamedMethod,
    Pair,
    Prompt,
    Question,
    Supervision,
)
from codeacumen.registry import model


class Chance:
    """Random answers, hashes of the question, so that neither order nor batches matter."""

    batch_size = 1024

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def draw_number(self, question: Input) -> float:
        """Return a number in [0, 1) that depends on the seed and the question's content alone."""
        # Not repr(): renaming a class or a field must not change the answers.
        content = json.dumps([self.seed, *question.content])
        digest = hashlib.sha256(content.encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return [self.draw_number(pair) for pair in pairs]

    def judge(self, methods: Sequence[NamedMethod]) -> list[float]:
        return [self.draw_number(method) for method in methods]

    def classify(self, questions: Sequence[Question]) -> list[str]:
        return [
            question.choices[int(self.draw_number(question) * len(question.choices))]
            for question in questions
        ]


class Constant:
    """The mean of the labels if they are numbers, or the most frequent label if they are texts.

    The labels are those of the training split if the task has one, otherwise all labels. In a
    multiple-choice task the answer is the most frequent label among the question's choices.
    """

    batch_size = 1024
    supervision: Supervision = "train-or-all"

    def __init__(self) -> None:
        self.counts: Counter[Json] = Counter()

    def fit(self, examples: Sequence[Example]) -> None:
        self.counts = Counter(example.truth for example in examples)

    def _predict_mean(self, questions: Sequence[Input]) -> list[float]:
        mean = fmean(self.counts.keys(), weights=list(self.counts.values()))
        return [mean] * len(questions)

    def _most_frequent(self, labels: Iterable[Json]) -> Json:
        # Break ties alphabetically: the answer must not depend on the order of instances.
        return min(labels, key=lambda label: (-self.counts[label], label))

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return self._predict_mean(pairs)

    def judge(self, methods: Sequence[NamedMethod]) -> list[float]:
        return self._predict_mean(methods)

    def classify(self, questions: Sequence[Question]) -> list[str]:
        return [self._most_frequent(question.choices) for question in questions]

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [self._most_frequent(self.counts)] * len(prompts)

    def name(self, methods: Sequence[Method]) -> list[str]:
        return [self._most_frequent(self.counts)] * len(methods)


class Oracle:
    """The true answers: the score of a perfect model."""

    batch_size = 1024
    supervision: Supervision = "all"

    def __init__(self) -> None:
        self.truths: dict[Input, Json] = {}

    def fit(self, examples: Sequence[Example]) -> None:
        self.truths = {example.input: example.truth for example in examples}

    def _look_up_truths(self, questions: Sequence[Input]) -> list[Json]:
        return [self.truths[question] for question in questions]

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return self._look_up_truths(pairs)

    def classify(self, questions: Sequence[Question]) -> list[str]:
        return self._look_up_truths(questions)

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return self._look_up_truths(prompts)

    def name(self, methods: Sequence[Method]) -> list[str]:
        return self._look_up_truths(methods)

    def judge(self, methods: Sequence[NamedMethod]) -> list[float]:
        return self._look_up_truths(methods)


class RandomLabel:
    """Random labels of the training split, in proportion to their frequency.

    This is chance for a task whose answers are not chosen from a list.
    """

    batch_size = 1024
    supervision: Supervision = "train"

    def __init__(self, seed: int) -> None:
        self.chance = Chance(seed)
        self.labels: list[str] = []

    def fit(self, examples: Sequence[Example]) -> None:
        # Sorted: the answers must not depend on the order of the examples.
        self.labels = sorted(str(example.truth) for example in examples)

    def _sample_labels(self, questions: Sequence[Input]) -> list[str | None]:
        if not self.labels:
            return [None] * len(questions)
        return [
            self.labels[int(self.chance.draw_number(question) * len(self.labels))]
            for question in questions
        ]

    def generate(self, prompts: Sequence[Prompt]) -> list[str | None]:
        return self._sample_labels(prompts)

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        return self._sample_labels(methods)

    def classify(self, questions: Sequence[Question]) -> list[str | None]:
        sampled_labels = self._sample_labels(questions)
        # A label that only other questions have among their choices is no answer.
        return [
            label if label in question.choices else None
            for label, question in zip(sampled_labels, questions, strict=True)
        ]


@model("random", is_baseline=True)
def make_random(seed: int = 0) -> Chance:
    """Chance"""
    return Chance(seed)


@model("random-label", is_baseline=True)
def make_random_label(seed: int = 0) -> RandomLabel:
    """A random label of the training split"""
    return RandomLabel(seed)


@model("majority", is_baseline=True)
def make_majority() -> Constant:
    """The best constant answer, by the training split or, without one, by all labels"""
    return Constant()


@model("oracle", is_baseline=True)
def make_oracle() -> Oracle:
    """The truth itself; it knows the labels"""
    return Oracle()
