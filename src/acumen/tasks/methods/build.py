"""From a corpus to the five tasks: a folder with ``dataset.json`` and, for each task, JSON lines
and the same rows as Parquet.

1. What may be asked about each method is read from the corpus, shard by shard.
2. The null analysis runs, project by project.
3. Methods are drawn, by the seed alone.
4. Their rows are made, masked, shard by shard, and put together in the corpus's order.

The bytes depend on the corpus, the recipe and the version, never on the number of workers.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from acumen import __version__
from acumen.api import AcumenError, Json
from acumen.core.progress import Progress, ignore_progress
from acumen.corpus import Corpus
from acumen.corpus.manifest import NAME
from acumen.datasets.built import ABOUT, SCHEMA, must_be_ours
from acumen.engines import Died, Engine
from acumen.files import sha256_of, write_atomically
from acumen.lang.java.nulls.report import Report
from acumen.tasks.methods import candidates, rows
from acumen.tasks.methods.asked import asked_of
from acumen.tasks.methods.candidates import Candidates
from acumen.tasks.methods.card import counts_of
from acumen.tasks.methods.draw import SIZES
from acumen.tasks.methods.masks import TASKS
from acumen.tasks.methods.parquet import join_parts
from acumen.tasks.methods.pool import Draw, Pool, Sizes, draws, pool
from acumen.tasks.methods.rows import part_of
from acumen.tasks.methods.twins import Families, families

FAMILY = "gluecode"
# What each task asks.
MEANINGS = {
    "npath": "how many ways are there through a method, as PMD counts them?",
    "operators": "which operator of twelve is masked in a method?",
    "naming": "what is a method called?",
    "completion": "which method does a masked call call?",
    "nulltoken": "which token may be null where a method dereferences it?",
}
# Seconds a shard may take.
LIMIT = 3600.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """``rules`` are those NPath is counted by; ``dedup``: no twin of a method that is tested is
    trained on; ``sizes`` are the instances wanted, by task and split."""

    seed: int = 0
    rules: str = "pmd6"
    dedup: bool = False
    sizes: Sizes = field(default_factory=lambda: SIZES)


# Warnings of the null analysis, by the number of the method they are for.
Warnings = Mapping[int, Sequence[Report]]


def build(
    corpus: Corpus, recipe: Recipe, out: Path, engine: Engine, warnings: Warnings,
    step: Progress = ignore_progress,
) -> Json:  # fmt: skip
    """Write the data set; gives what its ``dataset.json`` says."""
    must_be_ours(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=out) as name:
        return _Build(corpus, recipe, out, Path(name), engine, warnings, step).run()


@dataclass(frozen=True, slots=True)
class _Build:
    corpus: Corpus
    recipe: Recipe
    out: Path
    parts: Path
    engine: Engine
    warnings: Warnings
    step: Progress

    def run(self) -> Json:
        looked_at = self.candidates()
        methods = pool(self.corpus, looked_at, {n: len(w) for n, w in self.warnings.items()})
        family, why = self.families(methods)
        found = draws(
            methods, self.recipe.seed, family, dedup=self.recipe.dedup, sizes=self.recipe.sizes
        )
        jobs = self.jobs(methods, found)
        self.work("writing rows", rows.make_rows, jobs)
        files: dict[str, str] = {}
        for task in TASKS:
            lines, table = self.parts / f"{task}.jsonl", self.parts / f"{task}.parquet"
            _join([part_of(job, task, "jsonl") for job in jobs], lines)
            join_parts([part_of(job, task, "parquet") for job in jobs], table, task)
            files |= {path.name: sha256_of(path) for path in (lines, table)}
        counts = counts_of(self.parts, methods, found, self.recipe.sizes, why)
        about = self.about(counts, files)
        for name in files:
            (self.parts / name).replace(self.out / name)
        text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
        write_atomically(self.out / ABOUT, text.encode())
        return about

    def candidates(self) -> list[Candidates]:
        corpus, recipe = self.corpus, self.recipe
        jobs = [
            candidates.Job(
                corpus.folder / "shards" / shard,
                corpus.calls_of(project, shard),
                recipe.seed,
                recipe.rules,
            )
            for project, shard in zip(corpus.project_of_shard, corpus.shards, strict=True)
        ]
        return self.work("finding methods", candidates.candidates, jobs)

    def families(self, methods: Pool) -> tuple[Families | None, str]:
        """None, and why, where the corpus does not tell; an error where they have to be known."""
        try:
            return families(self.corpus)[methods.number], ""
        except AcumenError as error:
            if self.recipe.dedup:
                raise
            return None, str(error)

    def work(self, what: str, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """The results in the order of the jobs."""
        made: dict[int, Any] = {}
        for place, outcome in self.engine.run(function, jobs, LIMIT):
            if isinstance(outcome, Died):
                shard = self.corpus.shards[place]
                raise AcumenError(
                    f"{what}: the shard {shard} cannot be worked on: {outcome.why}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            made[place] = outcome
            self.step(what, len(made), len(jobs))
        return [made[place] for place in range(len(jobs))]

    def jobs(self, methods: Pool, found: Mapping[str, Draw]) -> list[rows.Job]:
        asked = asked_of(methods, found, self.warnings)
        corpus = self.corpus
        return [
            rows.Job(
                corpus.folder, shard, tuple(corpus.manifest.shards[project]),
                corpus.calls_of(project, shard),
                {task: asked[task].get(place, ()) for task in TASKS},
                self.parts / f"{place:06}",
            )
            for place, (project, shard) in enumerate(
                zip(corpus.project_of_shard, corpus.shards, strict=True)
            )
        ]  # fmt: skip

    def about(self, counts: Mapping[str, Json], files: Mapping[str, str]) -> dict[str, Json]:
        return {
            "family": FAMILY,
            "schema": SCHEMA,
            "acumen": __version__,
            "kinds": MEANINGS,
            "settings": asdict(self.recipe),
            "corpus": {
                "folder": _beside(self.corpus.folder, self.out),
                "manifest_sha256": sha256_of(self.corpus.folder / NAME),
                "projects": list(self.corpus.manifest.projects),
            },
            "counts": counts,
            "files": dict(files),
        }


def _beside(corpus: Path, out: Path) -> str:
    """The way from the data set to its corpus, so that both can be moved together."""
    return os.path.relpath(corpus.resolve(), out.resolve())


def _join(parts: Sequence[Path], into: Path) -> None:
    with into.open("wb") as stream:
        for part in parts:
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, stream)
