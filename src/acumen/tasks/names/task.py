"""The three ways to ask about a name: judge it, recommend another, and check by recommending.

``Check``: does this name fit this method? A model judges, from 0 to 1. ``Recommend``: what is this
method called? ``CheckByName``: a model recommends, and a name that is too unlike the recommended
one is called wrong, as in ReName4J; all of its figures hang on a threshold T.

Who says nothing raises no alarm, and recommends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from acumen.api import (
    Answer,
    Convention,
    Example,
    Face,
    Input,
    Instance,
    Json,
    Metric,
    NamedMethod,
    Sight,
    TaskCard,
)
from acumen.lang.subtokens import subtokens
from acumen.metrics import checking
from acumen.metrics.naming import name_f1, naming_metrics
from acumen.tasks.names.cases import FIRST_TAGS, Case, CaseSight, Load

VERSION = "1"
# ReName4J's and Cognac's; MNire's; and the one of ReName4J's section 5.1.
THRESHOLDS = (0.85, 0.94, 1.0)


@dataclass(frozen=True, slots=True)
class About:
    """What a task is called and where its cases are from; ``slices`` come before those of first
    words, if it has these. ``fingerprint`` identifies what there is to learn from and to see."""

    name: str
    title: str
    summary: str
    dataset: str = ""
    citation: str = ""
    slices: tuple[str, ...] = ()
    by_word: bool = True
    fingerprint: str = ""


class _NameTask:
    face: Face
    metric: Metric
    metrics: Sequence[Metric]
    meaning: str

    def __init__(self, about: About, cases: Load, training: Load | None = None) -> None:
        self.about, self.cases = about, cases
        self.fingerprint = about.fingerprint
        self.card = TaskCard(
            name=about.name,
            title=about.title,
            version=VERSION,
            face=self.face,
            metric=self.metric.name,
            summary=about.summary,
            dataset=about.dataset,
            citation=about.citation,
            conventions=(Convention("all", self.meaning),),
            slices=(*about.slices, *(FIRST_TAGS if about.by_word else ())),
        )
        if training is not None:
            # A task without the attribute has no training split.
            self.training: Callable[[], Sequence[Example]] = lambda: [
                Example(self.input(case), self.value(case)) for case in training()
            ]

    def instances(self) -> Sequence[Instance]:
        return [
            Instance(case.id, self.input(case), self.truth(case), case.cluster, case.tags)
            for case in self.cases()
        ]

    @cached_property
    def sight(self) -> Sight:
        return CaseSight(self.cases)

    def reading(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """The answers, and what silence stands for."""
        found: dict[str, Answer] = {}
        for instance in instances:
            answer = answers.get(instance.id)
            silent = answer is None or answer.error or answer.value is None
            found[instance.id] = (
                Answer(instance.id, self.silence(instance)) if answer is None or silent else answer
            )
        return found

    def input(self, case: Case) -> Input:
        return case.method

    def value(self, case: Case) -> Json:
        return case.fixed

    def truth(self, case: Case) -> Json:
        return self.value(case)

    def silence(self, instance: Instance) -> Json:
        return ""


class Check(_NameTask):
    """Does the name fit? ``rare``: where wrong names are rare, the headline is average precision:
    accuracy would be best for a model that says nothing."""

    face = Face.JUDGE
    meaning = "every method; a name is called inconsistent below a fitness of 0.5, silence is 1"

    def __init__(
        self, about: About, cases: Load, training: Load | None = None, *, rare: bool = False,
        threshold: float = checking.OWN, false_alarm: float = checking.FALSE_ALARM,
        miss: float = checking.MISS,
    ) -> None:  # fmt: skip
        fitness = checking.judged
        figures = (
            *checking.at_threshold(fitness, threshold),
            *checking.ranked(fitness),
            *checking.costs(fitness, threshold, false_alarm, miss),
            *checking.trivial(fitness),
        )
        headline = "average_precision" if rare else "accuracy"
        self.metric = next(one for one in figures if one.name == headline)
        self.metrics = tuple(one for one in figures if one.name != headline)
        super().__init__(about, cases, training)

    def input(self, case: Case) -> Input:
        return NamedMethod(case.method, case.tested)

    def value(self, case: Case) -> Json:
        return float(case.consistent)

    def truth(self, case: Case) -> Json:
        return {"value": self.value(case), "label": _label(case)}

    def silence(self, instance: Instance) -> Json:
        return 1.0


class Recommend(_NameTask):
    """What is it called?"""

    face = Face.NAME
    meaning = "every method; silence is an empty name"
    metric: Metric = name_f1(subtokens)
    metrics: Sequence[Metric] = naming_metrics(subtokens)


class CheckByName(_NameTask):
    """Checked by what a model would call it; the first of ``thresholds`` is the headline's."""

    face = Face.NAME
    meaning = "every method; inconsistent where Sim(name under test, recommended) < T"

    def __init__(
        self, about: About, cases: Load, training: Load | None = None, *,
        thresholds: Sequence[float] = THRESHOLDS,
    ) -> None:  # fmt: skip
        fitness = checking.ByName(subtokens)
        figures: list[Metric] = []
        for threshold in thresholds:
            words = checking.threshold_words(threshold)
            figures += checking.at_threshold(fitness, threshold, *words)
            figures += checking.corrected(subtokens, threshold, *words)
        figures += [*checking.ranked(fitness), *checking.trivial(fitness)]
        self.metric, self.metrics = figures[0], tuple(figures[1:])
        super().__init__(about, cases, training)

    def truth(self, case: Case) -> Json:
        return {
            "value": case.fixed, "label": _label(case), "tested": case.tested, "fixed": case.fixed,
        }  # fmt: skip

    def silence(self, instance: Instance) -> Json:
        return instance.truth["tested"]


def _label(case: Case) -> str:
    return checking.CONSISTENT if case.consistent else checking.INCONSISTENT
