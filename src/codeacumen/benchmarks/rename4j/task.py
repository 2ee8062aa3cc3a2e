"""The tasks on method names: judge a name, recommend one, and check by recommending.

``Check``: does this name fit this method? A model judges, from 0 to 1. ``Recommend``: what is this
method called? ``CheckByName``: a model recommends, and a name that is too unlike the recommended
one counts as wrong, as in ReName4J; all of its scores depend on a threshold T. A model without an
answer raises no alarm and recommends nothing.

``tasks`` lists the tasks of a built folder. With ``cases.jsonl`` (``codeacumen names dataset``):
``names/check/balanced`` asks about both names of every rename, ``names/check/imbalanced`` about the
old names and those of the stable methods of the same files, ``names/check/by-name`` is the balanced
one by recommended names, and ``names/recommend`` asks for the new name; the training split is there
to learn from. Without it (``codeacumen tasks build names``): ``names/liu/realistic``, each of Liu's
inconsistent cases among stable methods of a corpus.

Projects are clusters; with fewer than five of them, files are. A drawn method is in the cluster of
the case that it stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from codeacumen.api import (
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
    Task,
    TaskCard,
)
from codeacumen.benchmarks.rename4j.cases import (
    FIRST_TAGS,
    Case,
    CaseSight,
    Load,
    asked_text,
    first_tag,
    liu_cases,
)
from codeacumen.core.files import sha256_of
from codeacumen.datasets import dataset
from codeacumen.datasets.built import ABOUT, Built
from codeacumen.metrics import checking
from codeacumen.metrics.naming import name_f1, naming_metrics
from codeacumen.renames.dataset import CASES, read_cases
from codeacumen.renames.records import STABLE, Rename, StableMethod
from codeacumen.text.subtokens import subtokens

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


DRAWN = "drawn.jsonl"
TRAIN, TEST = "train", "test"
FEWEST_PROJECTS = 5
CITATION = (
    "K. Kim, X. Zhou, D. Kim, J. Lawall, K. Liu, T. F. Bissyandé, J. Klein, J. Lee, D. Lo. How are "
    "We Detecting Inconsistent Method Names? An Empirical Study from Code Review Perspective. 2023."
)
BALANCED, IMBALANCED = "check/balanced", "check/imbalanced"
BY_NAME, RECOMMEND, REALISTIC = "check/by-name", "recommend", "liu/realistic"
SUMMARIES = {
    BALANCED: "Does this name fit this method? Old and new names of renamed methods",
    IMBALANCED: "Does this name fit this method? Old names among those of stable methods",
    BY_NAME: "Does this name fit this method? By the name that a model would give it",
    RECOMMEND: "What is this method called? The new names of renamed methods",
    REALISTIC: "Does this name fit this method? Wrong ones of Liu's among many right ones",
}


@dataclass(frozen=True, slots=True)
class _Factory:
    built: Built
    kind: str

    def __call__(self) -> Task:
        folder = self.built.folder
        about = About(
            name=f"names/{self.kind}",
            title=f"Names: {self.kind.replace('/', ', ')}",
            summary=f"{SUMMARIES[self.kind]} ({folder.name})",
            citation=dataset("liu2019").citation if self.kind == REALISTIC else CITATION,
            # How rare wrong names are among those of one first word would be chance.
            by_word=self.kind != REALISTIC,
            fingerprint=sha256_of(folder / ABOUT),
        )
        if self.kind == REALISTIC:
            return Check(about, lambda: realistic_cases(self.built), rare=True)
        kind = self.kind
        trains = any(True for _ in self.built.rows(CASES, f'"split": "{TRAIN}"'))

        def training() -> Sequence[Case]:
            return cases_of(folder, kind, TRAIN)

        def asked() -> Sequence[Case]:
            return cases_of(folder, kind, TEST)

        learnt = training if trains else None
        if kind == RECOMMEND:
            return Recommend(about, asked, learnt)
        if kind == BY_NAME:
            return CheckByName(about, asked, learnt)
        return Check(about, asked, learnt, rare=kind == IMBALANCED)


def tasks(built: Built) -> Iterator[tuple[str, str, _Factory]]:
    """The tasks of a folder."""
    files = built.about["files"]
    kinds = [BALANCED, BY_NAME, RECOMMEND] if CASES in files else []
    if CASES in files and any(True for _ in built.rows(STABLE, f'"split": "{TEST}"')):
        kinds.insert(1, IMBALANCED)
    if DRAWN in files:
        kinds.append(REALISTIC)
    for kind in kinds:
        yield f"names/{kind}", SUMMARIES[kind], _Factory(built, kind)


@lru_cache(maxsize=8)
def cases_of(folder: Path, kind: str, split: str) -> tuple[Case, ...]:
    """The cases of a split, in the order of the files."""
    known = read_cases(folder)
    renames = [one.rename for one in known.cases if one.split == split]
    stable = [one.method for one in known.stable if one.split == split]
    of_files = len({one.project for one in renames}) < FEWEST_PROJECTS
    found: list[Case] = []
    for one in renames:
        if kind == RECOMMEND:
            found.append(_case(one, one.id, one.new_name, True, of_files, check=False))
            continue
        found.append(_case(one, f"{one.id}/old", one.old_name, False, of_files))
        if kind != IMBALANCED:
            found.append(_case(one, f"{one.id}/new", one.new_name, True, of_files))
    if kind == IMBALANCED or (kind == RECOMMEND and split == TRAIN):
        # Names that stayed are names to learn from, too.
        found += [_stable(one, of_files) for one in stable]
    return tuple(found)


def _case(
    one: Rename, id_: str, tested: str, consistent: bool, of_files: bool, *, check: bool = True
) -> Case:
    return Case(
        id=id_,
        text=asked_text(one.code, one.new_name, (one.old_name,) if check else ()),
        tested=tested,
        fixed=one.new_name,
        consistent=consistent,
        cluster=_cluster(one, of_files),
        tags=frozenset((first_tag(tested), *(f"tag:{tag}" for tag in one.tags))),
        context={"type": one.owner, "package": "", "project": one.project},
    )


def _stable(one: StableMethod, of_files: bool) -> Case:
    return Case(
        id=one.id,
        text=asked_text(one.code, one.name),
        tested=one.name,
        fixed=one.name,
        consistent=True,
        cluster=_cluster(one, of_files),
        tags=frozenset((first_tag(one.name),)),
        context={"type": one.owner, "package": "", "project": one.project},
    )


def _cluster(one: Rename | StableMethod, of_files: bool) -> str:
    return f"{one.project}/{one.path}" if of_files else one.project


def realistic_cases(built: Built) -> Sequence[Case]:
    """Liu's inconsistent cases that the folder names, and the drawn methods, by turns: each case
    before those that stand beside it, and in one cluster with them. So wrong names are as rare in
    every resample as they are in all: precision hangs on that."""
    wrong = {case.id: case for case in liu_cases("check", comments=False) if not case.consistent}
    found: list[Case] = []
    begun: set[str] = set()
    for row in built.rows(DRAWN):
        case = wrong[row["beside"]]
        if case.id not in begun:
            begun.add(case.id)
            found.append(case)
        found.append(
            Case(
                id=row["id"],
                text=row["text"],
                tested=row["name"],
                fixed=row["name"],
                consistent=True,
                cluster=case.cluster,
                tags=frozenset((first_tag(row["name"]),)),
                context={"type": row["type"], "package": "", "project": row["project"]},
            )
        )
    return found
