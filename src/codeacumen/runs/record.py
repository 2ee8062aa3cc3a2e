"""Turn a model's answers to a task into a cell (``Scores``), and the cells into a run.

The run also has its provenance (versions, machine, commit, time and memory). If a folder is given,
the answers and the run are written to it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import codeacumen
from codeacumen.api import Answer, Json, ModelCard, Run, Scores, TaskCard
from codeacumen.core.files import write_atomically
from codeacumen.core.machine import peak_memory_bytes
from codeacumen.datasets.built import PROVENANCE_KEY, BuiltDataset, list_dataset_folders
from codeacumen.runs.answers import canonical_bytes
from codeacumen.runs.overall import (
    compute_losses,
    compute_overall_scores,
    compute_task_seed,
    needs_resamples,
)
from codeacumen.runs.plan import PlannedTask
from codeacumen.runs.results import write_run
from codeacumen.runs.scoring import (
    ScoringSettings,
    compute_headline_draws,
    compute_scores,
    count_answers,
)

if TYPE_CHECKING:
    from codeacumen.api import Floats


def list_package_versions() -> dict[str, str]:
    """Return the installed versions of the libraries that codeacumen requires."""
    versions: dict[str, str] = {}
    try:
        requirements = requires("codeacumen") or []
    except PackageNotFoundError:  # run from a source tree that was never installed
        requirements = ["numpy", "scipy", "scikit-learn", "rapidfuzz"]
    for requirement in requirements:
        if "extra ==" in requirement:
            continue
        name = requirement.split(";")[0].strip()
        for end in "<>=!~[ ":
            name = name.split(end)[0]
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return dict(sorted(versions.items()))


def read_git_state() -> dict[str, Json] | None:
    """Return the commit of codeacumen's checkout, and whether tracked files are changed.

    Return None for an installed package, or if Git fails.
    """
    root = Path(codeacumen.__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        commit = _run_git(root, "rev-parse", "HEAD")
        changed = _run_git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "changed": bool(changed)}


def _run_git(root: Path, *arguments: str) -> str:
    process = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return process.stdout.strip()


def collect_provenance(started: datetime, seconds: float) -> dict[str, Json]:
    """Return versions, machine, commit, peak memory, start and duration (seconds) of the run."""
    return {
        "codeacumen": codeacumen.__version__,
        "git": read_git_state(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "packages": list_package_versions(),
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "peak_memory_bytes": peak_memory_bytes(),
    }


# Maximum number of errors that a cell quotes; ``counts.failed`` counts all.
MAX_ERRORS = 5


class Recorder:
    """Collects the cells of a run, and writes answers and results to ``out``, unless it is None."""

    def __init__(self, settings: ScoringSettings, out: Path | None) -> None:
        self.settings = settings
        self.out = out
        self.cells: list[Scores] = []
        self.tasks: dict[str, TaskCard] = {}
        self.models: dict[str, ModelCard] = {}
        self._datasets: list[BuiltDataset] = []
        # Values of the headline score in the resamples, by task and model; None for few units.
        self._draws: dict[tuple[str, str], Floats | None] = {}
        self._started = datetime.now(UTC)
        self._clock = time.perf_counter()

    def add_cell(
        self,
        task: PlannedTask,
        model: ModelCard,
        answers: Mapping[str, Answer],
        *,
        computed_count: int = 0,
        started: float | None = None,
    ) -> None:
        """Score and store the answers of a model.

        ``computed_count`` is how many of them the model computed in this run. ``started`` is the
        value of ``time.perf_counter`` before it was asked; None if it was not asked.
        """
        data = canonical_bytes(task.instances, answers)
        path = Path("answers") / task.card.name / f"{make_file_name(model.name)}.jsonl"
        if self.out is not None:
            write_atomically(self.out / path, data)
        scores, unreadable = compute_scores(task.task, task.instances, answers, self.settings)
        if needs_resamples(task.card.name):
            seed = compute_task_seed(self.settings.seed, task.instances)
            task_settings = replace(self.settings, seed=seed)
            draws = compute_headline_draws(task.task, task.instances, answers, task_settings)
            self._draws[task.card.name, model.name] = draws
        failed = {a.id: a.error for a in answers.values() if a.error} | unreadable
        self.tasks[task.card.name] = task.card
        # Keep the data set itself: at the end of the run, the registry may hold another one of the
        # same family.
        built = getattr(task.task, "built", None)
        if isinstance(built, BuiltDataset):
            self._datasets.append(built)
        self.models[model.name] = model
        self.cells.append(
            Scores(
                task=task.card.name,
                model=model.name,
                scores=tuple(scores),
                counts=count_answers(task.instances, answers, failed),
                answers=path.as_posix() if self.out is not None else "",
                answers_sha256=hashlib.sha256(data).hexdigest(),
                data_sha256=task.data_sha256,
                computed=computed_count,
                seconds=0.0 if started is None else round(time.perf_counter() - started, 3),
                errors=tuple(
                    f"{id_}: {error}" for id_, error in islice(failed.items(), MAX_ERRORS)
                ),
            )
        )

    def finish_run(self) -> Run:
        """Return the run; write it if a folder was given."""
        # Leave out tasks with a limit: readers would mistake their mean for the benchmark's score.
        full_cells = [cell for cell in self.cells if not self.tasks[cell.task].limit]
        run = Run(
            seed=self.settings.seed,
            confidence=self.settings.confidence,
            resamples=self.settings.resamples,
            tasks=self.tasks,
            models=self.models,
            cells=tuple(self.cells),
            provenance={
                **collect_provenance(self._started, time.perf_counter() - self._clock),
                PROVENANCE_KEY: {
                    **list_dataset_folders(self.tasks),
                    **{built.family: str(built.folder) for built in self._datasets},
                },
            },
            overall=compute_overall_scores(full_cells, self._draws, self.settings.confidence),
            losses=compute_losses(full_cells, self._draws, self.settings.confidence),
        )
        if self.out is not None:
            write_run(self.out, run)
        return run


def make_file_name(reference: str) -> str:
    """Return a file name, without extension, for a model's reference.

    A reference that is too long or has other characters than a file name may have is changed and
    gets a hash, so that two models do not share a file.
    """
    safe_name = re.sub(r"[^A-Za-z0-9.=-]+", "_", reference)
    if safe_name == reference and len(safe_name) < 100:
        return safe_name
    # Python reads bytes of the command line that are not UTF-8 as lone surrogates.
    digest = hashlib.sha256(reference.encode(errors="surrogatepass")).hexdigest()
    return f"{safe_name[:100]}-{digest[:8]}"
