"""Build the five tasks from a corpus: ``dataset.json`` and, for each task, JSON lines and Parquet.

1. The null analysis runs, project by project; reports of Infer may replace it.
2. The candidate methods are read from the corpus, shard by shard.
3. Methods are sampled; the seed alone determines the choice.
4. Their masked rows are written, shard by shard, and joined in the corpus's order.

The bytes depend on the corpus, the recipe and the version, never on the number of workers.
``codeacumen dataset build gluecode`` calls ``build_from_corpus``.

A part is the file of one task for one shard; the pool has all candidate methods
(``candidates.Pool``).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.gluecode.candidates import (
    CandidateColumns,
    CandidateJob,
    Pool,
    TaskSample,
    find_candidates,
    join_candidates,
    sample_tasks,
)
from codeacumen.benchmarks.gluecode.masks import NO_WARNING, ORIGINS
from codeacumen.benchmarks.gluecode.rows import (
    RowJob,
    group_methods_by_shard,
    join_tables,
    part_path,
    write_rows,
)
from codeacumen.benchmarks.gluecode.sampling import Families, find_duplicate_families
from codeacumen.benchmarks.gluecode.specs import (
    COMPLETION,
    NULLTOKEN,
    SPECS,
    MethodTaskSpec,
    Sizes,
    Warnings,
    limit_sizes,
)
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.manifest import NAME
from codeacumen.corpus.nulls import FailedAnalysis, find_null_reports
from codeacumen.corpus.splits import SPLITS
from codeacumen.datasets.built import ABOUT, SCHEMA, check_choice, require_dataset_folder
from codeacumen.engines import Engine, WorkerLost, start_engine
from codeacumen.languages.java.measures.npath import RULES
from codeacumen.languages.java.nulls import Report

FAMILY = "gluecode"
# Number of frequent labels that ``dataset.json`` lists for each split.
MOST_FREQUENT = 12
# Timeout of a shard in seconds.
SHARD_TIMEOUT = 3600.0


@dataclass(frozen=True, slots=True)
class GluecodeRecipe:
    """Settings of a build.

    ``rules`` are PMD's rules of the NPath count; ``dedup`` removes methods with a near-duplicate in
    a later split; ``sizes`` are the target numbers of instances, by task and split.
    """

    seed: int = 0
    rules: str = "pmd6"
    dedup: bool = False
    sizes: Sizes = field(default_factory=lambda: limit_sizes(0))


def build_dataset(
    corpus: Corpus,
    recipe: GluecodeRecipe,
    out: Path,
    engine: Engine,
    warnings: Warnings,
    step: Progress = ignore_progress,
) -> Json:
    """Write the data set, and return the content of its ``dataset.json``.

    ``warnings`` are the null analysis's, by method number.
    """
    require_dataset_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=out) as parts_dir:
        return _Build(corpus, recipe, out, Path(parts_dir), engine, warnings, step).run()


@dataclass(frozen=True, slots=True)
class _Build:
    """Inputs of a build; ``parts`` is a temporary folder in ``out``."""

    corpus: Corpus
    recipe: GluecodeRecipe
    out: Path
    parts: Path
    engine: Engine
    warnings: Warnings
    step: Progress

    def run(self) -> Json:
        warnings = {number: len(reports) for number, reports in self.warnings.items()}
        pool = join_candidates(self.corpus, self.collect_candidates(), warnings)
        families, unknown_reason = self.find_families(pool)
        samples = sample_tasks(
            pool, self.recipe.seed, families, dedup=self.recipe.dedup, sizes=self.recipe.sizes
        )
        jobs = self.make_row_jobs(pool, samples)
        self.run_jobs("writing rows", write_rows, jobs)
        files: dict[str, str] = {}
        for task in SPECS:
            lines, table = self.parts / f"{task}.jsonl", self.parts / f"{task}.parquet"
            _join_files([part_path(job, task, "jsonl") for job in jobs], lines)
            join_tables([part_path(job, task, "parquet") for job in jobs], table, task)
            files |= {path.name: sha256_of(path) for path in (lines, table)}
        counts = compute_counts(self.parts, pool, samples, self.recipe.sizes, unknown_reason)
        about = self.describe_dataset(counts, files)
        for name in files:
            (self.parts / name).replace(self.out / name)
        text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
        write_atomically(self.out / ABOUT, text.encode())
        return about

    def collect_candidates(self) -> list[CandidateColumns]:
        corpus, recipe = self.corpus, self.recipe
        jobs = [
            CandidateJob(
                corpus.folder / "shards" / shard,
                corpus.calls_path(project, shard),
                recipe.seed,
                recipe.rules,
            )
            for project, shard in zip(corpus.project_of_shard, corpus.shards, strict=True)
        ]
        return self.run_jobs("finding methods", find_candidates, jobs)

    def find_families(self, pool: Pool) -> tuple[Families | None, str]:
        """Return the family of near-duplicates of each method in the pool, and "".

        If the families are unknown, return None and the reason, or raise an error if the recipe
        needs them.
        """
        try:
            return find_duplicate_families(self.corpus)[pool.number], ""
        except CodeacumenError as error:
            if self.recipe.dedup:
                raise
            return None, str(error)

    def run_jobs(
        self, step_name: str, function: Callable[[Any], Any], jobs: Sequence[Any]
    ) -> list[Any]:
        """Run a function on one job per shard, and return the results in the order of the jobs.

        Raises an error if a worker is lost, because a data set must have all shards.
        """
        results: dict[int, Any] = {}
        for index, outcome in self.engine.run(function, jobs, SHARD_TIMEOUT):
            if isinstance(outcome, WorkerLost):
                shard = self.corpus.shards[index]
                raise CodeacumenError(
                    f"{step_name}: shard {shard} failed: {outcome.reason}",
                    "fewer workers leave more memory for each: --workers 1",
                )
            results[index] = outcome
            self.step(step_name, len(results), len(jobs))
        return [results[index] for index in range(len(jobs))]

    def make_row_jobs(self, pool: Pool, samples: Mapping[str, TaskSample]) -> list[RowJob]:
        sampled = group_methods_by_shard(pool, samples, self.warnings)
        corpus = self.corpus
        return [
            RowJob(
                corpus.folder,
                shard,
                tuple(corpus.manifest.shards[project]),
                corpus.calls_path(project, shard),
                {task: sampled[task].get(index, ()) for task in SPECS},
                self.parts / f"{index:06}",
            )
            for index, (project, shard) in enumerate(
                zip(corpus.project_of_shard, corpus.shards, strict=True)
            )
        ]

    def describe_dataset(
        self, counts: Mapping[str, Json], files: Mapping[str, str]
    ) -> dict[str, Json]:
        return {
            "family": FAMILY,
            "schema": SCHEMA,
            "codeacumen": __version__,
            "kinds": {spec.name: spec.question for spec in SPECS.values()},
            "settings": asdict(self.recipe),
            "corpus": {
                "folder": _relative_path(self.corpus.folder, self.out),
                "manifest_sha256": sha256_of(self.corpus.folder / NAME),
                "projects": list(self.corpus.manifest.projects),
            },
            "counts": counts,
            "files": dict(files),
        }


def _relative_path(corpus: Path, out: Path) -> str:
    """Return the path of the corpus relative to the data set, so that both can move together."""
    return os.path.relpath(corpus.resolve(), out.resolve())


def _join_files(parts: Sequence[Path], into: Path) -> None:
    """Write the concatenation of files to another file."""
    with into.open("wb") as stream:
        for part in parts:
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, stream)


def compute_counts(
    parts: Path, pool: Pool, samples: Mapping[str, TaskSample], sizes: Sizes, unknown_reason: str
) -> dict[str, Json]:
    """Return a data set's statistics: sizes, balance, near-duplicates, origins, labels, warnings.

    ``parts`` is the folder with the joined tables; ``sizes`` are the target sizes.
    ``unknown_reason`` is the reason why near-duplicates are unknown, or empty.
    """
    return {
        "methods": {split: int(np.count_nonzero(pool.split_mask(split))) for split in SPLITS},
        "near_duplicates_unknown": unknown_reason,
        "tasks": {
            task: {
                split: _count_task(SPECS[task], task_sample, split, sizes[task][split])
                for split in SPLITS
            }
            for task, task_sample in samples.items()
        },
        "origins": {
            split: {origin: counts[origin] for origin in ORIGINS}
            for split, counts in _count_values(parts, COMPLETION.name, "origin").items()
        },
        "labels": {task: _count_labels(parts, task) for task in samples},
        "warnings": {
            split: _count_warnings(pool.warnings[pool.split_mask(split) & ~pool.is_test_code])
            for split in SPLITS
        },
        "warnings_of_tests": int(pool.warnings[pool.is_test_code].sum()),
    }


def _count_warnings(warnings: NDArray[np.int32]) -> dict[str, int]:
    return {
        "methods_with_one": int(np.count_nonzero(warnings == 1)),
        "methods_with_several": int(np.count_nonzero(warnings > 1)),
    }


def _count_task(
    spec: MethodTaskSpec, task_sample: TaskSample, split: str, target_size: int
) -> dict[str, Json]:
    sample = task_sample.samples[split]
    counts: dict[str, Json] = {
        "instances": len(sample.positions),
        "wanted": target_size,
        "near_duplicates_in_train": int(np.count_nonzero(task_sample.near_duplicate[split])),
    }
    choices = spec.choices()
    if choices:
        # Classes are balanced: each that occurs has this many instances.
        counts["each"] = len(sample.positions) // max(1, len(choices) - len(sample.missing))
        counts["missing"] = [choices[class_] for class_ in sample.missing]
    if spec is NULLTOKEN:
        counts["without_warning"] = int(np.count_nonzero(sample.label == 0))
    return counts


def _count_values(parts: Path, task: str, column: str) -> dict[str, Counter[str]]:
    """Return how often each value of a column occurs, in each split."""
    table = pq.read_table(parts / f"{task}.parquet", columns=["split", column])
    counts = {split: Counter[str]() for split in SPLITS}
    for row in table.group_by(["split", column]).aggregate([([], "count_all")]).to_pylist():
        counts[row["split"]][row[column]] = row["count_all"]
    return counts


def _count_labels(parts: Path, task: str) -> dict[str, Json]:
    """Return the number of distinct labels, and the most frequent ones, in each split."""
    labels: dict[str, Json] = {}
    for split, counts in _count_values(parts, task, "label").items():
        counts.pop(NO_WARNING, None)
        frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_FREQUENT]
        labels[split] = {"different": len(counts), "most": dict(frequent)}
    return labels


def collect_warnings(
    corpus: Corpus, engine: Engine, infer: Sequence[str], step: Progress
) -> tuple[dict[int, list[Report]], list[FailedAnalysis]]:
    """Return the null-dereference warnings by method number, and the failures of the analysis.

    ``infer`` lists projects with their Infer reports, as PROJECT=FILE; a report replaces our
    analysis of its project.
    """
    report_files = dict(_parse_infer_option(corpus, option) for option in infer)
    reports_by_project, failed = find_null_reports(
        corpus, engine, step, excluded=frozenset(report_files)
    )
    warnings: dict[int, list[Report]] = {}
    for project in corpus.manifest.projects:
        if project in report_files:
            from codeacumen.languages.java.nulls.report import read_report

            reports: Iterable[Report] = _locate_reports(
                corpus, project, read_report(report_files[project])
            )
        else:
            reports = reports_by_project[project]
        numbers = _number_methods(corpus, project)
        for report in reports:
            number = numbers.get((report.path, report.method))
            if number is not None:
                warnings.setdefault(number, []).append(report)
    return warnings, failed


def _parse_infer_option(corpus: Corpus, text: str) -> tuple[str, Path]:
    project, equals, file = text.partition("=")
    if not equals:
        raise CodeacumenError(
            f"--infer {text!r} lacks the file", "for example --infer guava=report.json"
        )
    if project not in corpus.manifest.projects:
        raise CodeacumenError(
            f"--infer: the corpus has no project {project!r}",
            f"it has {', '.join(corpus.manifest.projects)}",
        )
    return project, Path(file)


def _number_methods(corpus: Corpus, project: str) -> dict[tuple[str, int], int]:
    """Return the numbers in the corpus of a project's methods, by path and index in the file."""
    indices: dict[tuple[str, int], int] = {}
    for path, index, _, _ in _read_methods(corpus, project):
        indices[path, index] = len(indices)
    first = corpus.first_number_of(project)
    return {key: first + number for key, number in indices.items()}


def _read_methods(corpus: Corpus, project: str) -> Iterator[tuple[str, int, int, int]]:
    """Yield path, index in the file, first and last line of each method of a project."""
    for shard in corpus.manifest.shards[project]:
        table = corpus.read_table(
            corpus.table_path(shard, "methods"), ["path", "place", "line", "end_line"]
        )
        yield from zip(*(table[name].to_pylist() for name in table.column_names), strict=True)


def _locate_reports(corpus: Corpus, project: str, reports: Iterable[Report]) -> Iterator[Report]:
    """Yield Infer's reports with the corpus's path and the method's index in the file.

    Infer reports lines: a warning belongs to the innermost method around its line. Infer's paths
    may begin above or below the project's folder. Reports that match no file, several files or no
    method are skipped.
    """
    spans: dict[str, list[tuple[int, int, int]]] = {}
    for path, index, line, end_line in _read_methods(corpus, project):
        spans.setdefault(path, []).append((line, end_line, index))
    paths_by_file_name: dict[str, list[str]] = {}
    for path in spans:
        paths_by_file_name.setdefault(path.rpartition("/")[2], []).append(path)
    for report in reports:
        matching_paths = [
            path
            for path in paths_by_file_name.get(report.path.rpartition("/")[2], ())
            if report.path == path
            or report.path.endswith(f"/{path}")
            or path.endswith(f"/{report.path}")
        ]
        if len(matching_paths) != 1:
            continue
        enclosing_spans = [
            span for span in spans[matching_paths[0]] if span[0] <= report.line <= span[1]
        ]
        if enclosing_spans:
            # The innermost span starts last.
            _, _, index = max(enclosing_spans)
            yield report._replace(path=matching_paths[0], method=index)


def build_from_corpus(
    corpus: str | Path | Corpus,
    out: Path,
    report: Progress,
    *,
    seed: int = 0,
    rules: str = "pmd6",
    dedup: bool = False,
    infer: Sequence[str] = (),
    limit: int = 0,
    engine: str = "local",
    workers: int = 0,
) -> dict[str, Json]:
    """Build GLUECode's five tasks, as large as in the paper where the corpus allows it.

    ``rules`` are PMD's rules for NPath (pmd6, pmd7 or pmd7.14). With ``dedup`` no training method
    has a near-duplicate in dev or test. ``infer`` lists Infer's reports of null dereferences, as
    ``PROJECT=FILE``. ``limit`` is the maximum number of training methods of a task, 0 for no limit.
    ``report`` is called with the progress. The result is the content of ``dataset.json``, with
    ``failures``: files whose null analysis failed.
    """
    check_choice("rules", rules, RULES)
    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    started = start_engine(engine, workers)
    warnings, failures = collect_warnings(opened, started, infer, report)
    recipe = GluecodeRecipe(seed, rules, dedup, limit_sizes(limit))
    about = build_dataset(opened, recipe, out, started, warnings, report)
    lost = [f"{failure.project} {failure.path}: {failure.reason}" for failure in failures]
    return {**about, "failures": lost}
