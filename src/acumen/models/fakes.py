"""Bounds that every table shows: chance, the best constant answer, and the truth itself."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Literal

from acumen.api import Example, Input, Json, Method, NamedMethod, Pair, Prompt, Question
from acumen.registry import model


class Chance:
    """Answers drawn from a hash of the question, so that neither order nor batches matter."""

    batch_size = 1024

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def _draw(self, question: Input) -> float:
        digest = hashlib.sha256(f"{self.seed}\0{question!r}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return [self._draw(pair) for pair in pairs]

    def judge(self, methods: Sequence[NamedMethod]) -> list[float]:
        return [self._draw(method) for method in methods]

    def classify(self, questions: Sequence[Question]) -> list[str]:
        return [
            question.choices[int(self._draw(question) * len(question.choices))]
            for question in questions
        ]


class Constant:
    """The mean of the numbers it was shown, or the most frequent of the texts."""

    batch_size = 1024
    supervision: Literal["others", "all"] = "all"

    def __init__(self) -> None:
        self.counts: Counter[Json] = Counter()

    def fit(self, examples: Sequence[Example]) -> None:
        self.counts = Counter(example.truth for example in examples)

    def _mean(self, questions: Sequence[Input]) -> list[float]:
        mean = fmean(self.counts.keys(), weights=list(self.counts.values()))
        return [mean] * len(questions)

    def _most_frequent(self, labels: Iterable[Json]) -> Json:
        # The first in the alphabet among equals: no dependence on the order of instances.
        return min(labels, key=lambda label: (-self.counts[label], label))

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return self._mean(pairs)

    def judge(self, methods: Sequence[NamedMethod]) -> list[float]:
        return self._mean(methods)

    def classify(self, questions: Sequence[Question]) -> list[str]:
        return [self._most_frequent(question.choices) for question in questions]

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [self._most_frequent(self.counts)] * len(prompts)

    def name(self, methods: Sequence[Method]) -> list[str]:
        return [self._most_frequent(self.counts)] * len(methods)


class Oracle:
    """Says what is true: what a perfect model would score."""

    batch_size = 1024
    supervision: Literal["others", "all"] = "all"

    def __init__(self) -> None:
        self.truths: dict[Input, Json] = {}

    def fit(self, examples: Sequence[Example]) -> None:
        self.truths = {example.input: example.truth for example in examples}

    def _truths(self, questions: Sequence[Input]) -> list[Json]:
        return [self.truths[question] for question in questions]

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        return self._truths(pairs)

    def classify(self, questions: Sequence[Question]) -> list[str]:
        return self._truths(questions)

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return self._truths(prompts)

    def name(self, methods: Sequence[Method]) -> list[str]:
        return self._truths(methods)

    def judge(self, methods: Sequence[NamedMethod]) -> list[float]:
        return self._truths(methods)


@model("random", honest_row=True)
def make_random(seed: int = 0) -> Chance:
    """Chance"""
    return Chance(seed)


@model("majority", honest_row=True)
def make_majority() -> Constant:
    """The best constant answer; it has seen the labels"""
    return Constant()


@model("oracle", honest_row=True)
def make_oracle() -> Oracle:
    """The truth itself; it has seen the labels"""
    return Oracle()
