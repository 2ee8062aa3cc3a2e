"""One task of a GLUECode data set: its instances are the test projects' methods."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from codeacumen.api import (
    Answer,
    Ceiling,
    Convention,
    Example,
    Face,
    Input,
    Instance,
    Json,
    Method,
    Prompt,
    Question,
    Sight,
    TaskCard,
)
from codeacumen.benchmarks.gluecode.masks import ALONE, TWIN
from codeacumen.benchmarks.gluecode.specs import SPECS, MethodTaskSpec
from codeacumen.datasets.built import Built

VERSION = "1"
CITATION = "GLUECode: A Benchmark for Source Code Machine Learning Models. 2020."

# With fewer in a split, an interval stands on files: it says nothing about other projects.
FEWEST_PROJECTS = 5


class MethodTask:
    """One of the five, asked of the methods of a split."""

    def __init__(self, built: Built, kind: str, split: str = "test") -> None:
        self.built, self.kind, self.split = built, kind, split
        self.spec = spec = SPECS[kind]
        self.metric, self.metrics = spec.metric, spec.further_metrics
        self.card = TaskCard(
            name=f"gluecode/{kind}",
            title=f"GLUECode: {spec.title}",
            version=VERSION,
            face=spec.face,
            metric=self.metric.name,
            summary=spec.summary,
            citation=CITATION,
            conventions=(Convention(split, f"all methods of the {split} projects"),),
            slices=(*spec.slices, *_twins(built, kind, split)),
            ceiling=_ceiling(spec),
            direct=spec.face is Face.CLASSIFY,
        )

    def instances(self) -> Sequence[Instance]:
        return [
            Instance(
                id=row["id"],
                input=self._input(row),
                truth=row["label"],
                cluster=self._cluster(row),
                tags=frozenset(self._tags(row)),
            )
            for row in self.rows(self.split)
        ]

    def reading(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """Where a name is asked for, silence is an empty one: else the subtokens that it misses
        would not be counted."""
        if self.spec.face is not Face.NAME:
            return dict(answers)
        given = [answers.get(one.id, Answer(one.id)) for one in instances]
        return {
            one.id: Answer(one.id, "") if one.error or one.value is None else one for one in given
        }

    def examples(self, split: str) -> Iterator[Example]:
        """What there is to learn from in a split, one after the other."""
        return (Example(self._input(row), row["label"]) for row in self.rows(split))

    def training(self) -> Sequence[Example]:
        return list(self.examples("train"))

    @cached_property
    def sight(self) -> Sight:
        """Around the methods in the corpus, where that is at hand; what the rows say elsewhere."""
        from codeacumen.benchmarks.gluecode.sight import open_sight

        return open_sight(self.built, self.kind) or RowSight(self)

    @property
    def fingerprint(self) -> str:
        """Of the data set's own file, and of the corpus that may be seen, if it may."""
        from codeacumen.corpus.manifest import NAME

        corpus = self.built.about.get("corpus", {})
        here = (self.built.folder / corpus.get("folder", "") / NAME).is_file()
        return self._known_by(corpus.get("manifest_sha256", "") if here else "")

    @property
    def whole_fingerprint(self) -> str:
        """What ``fingerprint`` is where the corpus is at hand, wherever that is asked."""
        return self._known_by(self.built.about.get("corpus", {}).get("manifest_sha256", ""))

    def _known_by(self, corpus: str) -> str:
        return hashlib.sha256(f"{self.examples_fingerprint} {corpus}".encode()).hexdigest()

    @property
    def examples_fingerprint(self) -> str:
        """Of what ``examples`` gives alone: the same where the corpus is not at hand."""
        return str(self.built.about["files"][self.file])

    @property
    def file(self) -> str:
        return f"{self.kind}.jsonl"

    def rows(self, split: str) -> Iterator[dict[str, Json]]:
        wanted = f'"split": {json.dumps(split)}'
        return (row for row in self.built.rows(self.file, wanted) if row["split"] == split)

    @cached_property
    def _choices(self) -> tuple[str, ...]:
        return self.spec.choices()

    def _input(self, row: Mapping[str, Json]) -> Input:
        if self.spec.face is Face.NAME:
            return Method(row["id"], row["text"], "java")
        if self.spec.face is Face.CLASSIFY:
            return Question(row["text"], self._choices, row["id"], self.spec.instruction)
        return Prompt(row["text"], row["id"], self.spec.instruction)

    @cached_property
    def _by_project(self) -> bool:
        """Whether there are enough projects to resample them; else files are."""
        projects = {row["project"] for row in self.rows(self.split)}
        return len(projects) >= FEWEST_PROJECTS

    def _cluster(self, row: Mapping[str, Json]) -> str:
        project: str = row["project"]
        return project if self._by_project else f"{project}/{row['path']}"

    def _tags(self, row: Mapping[str, Json]) -> Iterator[str]:
        yield TWIN if row.get("twin") else ALONE
        yield from self.spec.tags(row)


def _twins(built: Built, kind: str, split: str) -> tuple[str, ...]:
    """Whether instances with a twin in training are told apart: where there are some."""
    told = built.about["counts"].get("tasks", {}).get(kind, {}).get(split, {})
    return (ALONE, TWIN) if told.get("twins_in_train") else ()


def _ceiling(spec: MethodTaskSpec) -> Ceiling | None:
    if not spec.ceiling:
        return None
    return Ceiling(spec.ceiling, 1.0, "the labels, which it made", who="the analysis")


class RowSight:
    """What the data set alone can show: the masked text, and what stands beside it in the row."""

    def __init__(self, task: MethodTask) -> None:
        self.task = task

    @cached_property
    def _contexts(self) -> dict[str, dict[str, Json]]:
        names = self.task.spec.context
        if not names:
            return {}
        rows = self.task.built.rows(self.task.file)
        return {row["id"]: {name: row[name] for name in names} for row in rows}

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {row["id"]: row["text"] for row in self.task.built.rows(self.task.file)}

    def view(self, method: str, name: str, compat: str = "") -> Json:
        return self._texts.get(method) if name == "text" and not compat else None

    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json:
        """Nothing but itself: how another method may be seen from here only a corpus can tell."""
        return self.view(method, name, compat) if other == method else None

    def context(self, method: str) -> Mapping[str, Json]:
        return self._contexts.get(method, {})

    def callers(self, method: str) -> Sequence[Mapping[str, Json]]:
        return ()

    def callees(self, method: str) -> Sequence[Mapping[str, Json]]:
        return ()

    def siblings(self, method: str) -> Sequence[Mapping[str, Json]]:
        return ()

    def owner(self, method: str) -> Mapping[str, Json]:
        return {}
