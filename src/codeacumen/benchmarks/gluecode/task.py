"""Evaluate models on a task of a GLUECode data set, on the methods of its test projects."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from codeacumen.api import (
    Answer,
    Capability,
    Ceiling,
    CodeContext,
    EvaluationSet,
    Example,
    Input,
    Instance,
    Json,
    Method,
    Prompt,
    Question,
)
from codeacumen.benchmarks.gluecode.specs import SPECS, MethodTaskSpec
from codeacumen.corpus.manifest import NAME as MANIFEST
from codeacumen.datasets.built import BuiltDataset, BuiltTask
from codeacumen.tasks.base import DISTINCT, NEAR_DUPLICATE, StandardTask, TaskInfo
from codeacumen.tasks.contexts import TextContext
from codeacumen.tasks.kinds import fill_missing_names

CITATION = "GLUECode: A Benchmark for Source Code Machine Learning Models. 2020."

# With fewer projects in a split, files are resampled; the interval then covers these projects only.
FEWEST_PROJECTS = 5


class MethodTask(StandardTask):
    """A GLUECode task on the methods of a split; ``kind`` is a key of ``SPECS``.

    ``examples_fingerprint`` identifies the examples alone. ``fingerprint`` also identifies the
    corpus that models may inspect, if it is on this machine; ``whole_fingerprint`` identifies both
    in any case.
    """

    built: BuiltDataset

    def __init__(self, built: BuiltDataset, kind: str, split: str = "test") -> None:
        self.kind, self.split = kind, split
        self.spec = spec = SPECS[kind]
        self.capability, self.file = spec.capability, f"{kind}.jsonl"
        corpus = built.about.get("corpus", {})
        corpus_sha256 = corpus.get("manifest_sha256", "")
        is_here = (built.folder / corpus.get("folder", "") / MANIFEST).is_file()
        self.examples_fingerprint = str(built.about["files"].get(self.file, ""))
        self.whole_fingerprint = self._combine_fingerprints(corpus_sha256)
        info = TaskInfo(
            name=f"gluecode/{kind}",
            title=f"GLUECode: {spec.title}",
            summary=spec.summary,
            citation=CITATION,
            evaluation_sets=(EvaluationSet(split, f"all methods of the {split} projects"),),
            slices=(*spec.slices, *_near_duplicate_slices(built, kind, split)),
            ceiling=_make_ceiling(spec),
            requires_native_capability=spec.capability is Capability.CLASSIFY,
        )
        super().__init__(
            info,
            self._load_instances,
            metric=spec.metric,
            metrics=spec.further_metrics,
            built=built,
            fingerprint=self._combine_fingerprints(corpus_sha256 if is_here else ""),
        )

    def _combine_fingerprints(self, corpus_sha256: str) -> str:
        return hashlib.sha256(f"{self.examples_fingerprint} {corpus_sha256}".encode()).hexdigest()

    def _load_instances(self) -> list[Instance]:
        return [
            Instance(
                id=row["id"],
                input=self._make_input(row),
                truth=row["label"],
                cluster=self._choose_cluster(row),
                tags=frozenset(self._list_tags(row)),
            )
            for row in self.read_rows(self.split)
        ]

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """Return the answers; a missing name is an empty one, as in other naming tasks."""
        if self.capability is not Capability.NAME:
            return dict(answers)
        return fill_missing_names(instances, answers)

    def examples(self, split: str) -> Iterator[Example]:
        """Return an iterator over the examples of a split: train, dev or test."""
        return (Example(self._make_input(row), row["label"]) for row in self.read_rows(split))

    def training(self) -> Sequence[Example]:
        return list(self.examples("train"))

    def code_context(self) -> CodeContext:
        """Return the corpus's context if it is on this machine, else one of the rows alone."""
        return self._code_context

    @cached_property
    def _code_context(self) -> CodeContext:
        from codeacumen.benchmarks.gluecode.code_context import open_context

        return open_context(self.built, self.kind) or TextContext(self._load_texts)

    def _load_texts(self) -> dict[str, tuple[str, dict[str, Json]]]:
        names = self.spec.context
        return {
            row["id"]: (row["text"], {name: row[name] for name in names})
            for row in self.built.read_rows(self.file)
        }

    def read_rows(self, split: str) -> Iterator[dict[str, Json]]:
        """Return an iterator over the rows of a split; other lines are skipped before parsing."""
        split_marker = f'"split": {json.dumps(split)}'
        return (
            row for row in self.built.read_rows(self.file, split_marker) if row["split"] == split
        )

    @cached_property
    def _choices(self) -> tuple[str, ...]:
        return self.spec.choices()

    def _make_input(self, row: Mapping[str, Json]) -> Input:
        if self.spec.capability is Capability.NAME:
            return Method(row["id"], row["text"], "java")
        if self.spec.capability is Capability.CLASSIFY:
            return Question(row["text"], self._choices, row["id"], self.spec.instruction)
        return Prompt(row["text"], row["id"], self.spec.instruction)

    @cached_property
    def _has_enough_projects(self) -> bool:
        """Return whether there are enough projects to resample them instead of files."""
        projects = {row["project"] for row in self.read_rows(self.split)}
        return len(projects) >= FEWEST_PROJECTS

    def _choose_cluster(self, row: Mapping[str, Json]) -> str:
        project: str = row["project"]
        return project if self._has_enough_projects else f"{project}/{row['path']}"

    def _list_tags(self, row: Mapping[str, Json]) -> Iterator[str]:
        yield NEAR_DUPLICATE if row.get("near_duplicate") else DISTINCT
        yield from self.spec.tags(row)


def _near_duplicate_slices(built: BuiltDataset, kind: str, split: str) -> tuple[str, ...]:
    """Return the slices by near-duplicates, if some instances have one in training."""
    counts = built.about["counts"].get("tasks", {}).get(kind, {}).get(split, {})
    return (DISTINCT, NEAR_DUPLICATE) if counts.get("near_duplicates_in_train") else ()


def _make_ceiling(spec: MethodTaskSpec) -> Ceiling | None:
    """Return a ceiling of 1 for a task whose labels a program computes, else None."""
    if not spec.ceiling:
        return None
    return Ceiling(spec.ceiling, 1.0, "the labels, which it made", who="the analysis")


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks for which the data set has a file."""
    for name, spec in SPECS.items():
        if f"{name}.jsonl" in built.about["files"]:
            yield BuiltTask(f"gluecode/{name}", spec.summary, built, MethodTask, (name,))
