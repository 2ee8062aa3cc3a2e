"""Get, build, describe, audit and export data sets."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import show_progress

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.interface.catalogue import Models, Tasks
    from codeacumen.runs.evaluate import NearDuplicateEffect

# The model that ``audit_dataset`` asks by default: it answers all tasks and memorises what it can.
AUDITED_MODEL = "classical"


def get_dataset(name: str, source: str | Path | None = None, *, progress: bool = True) -> Path:
    """Download a published data set, or copy it from ``source``; return its folder.

    Every file is checked against its SHA-256. Files that are here are not fetched again.
    """
    from codeacumen.datasets import dataset_folder, find_dataset
    from codeacumen.datasets.fetch import fetch_dataset

    published = find_dataset(name)
    with show_progress(progress) as report:
        fetch_dataset(published, Path(source) if source is not None else None, progress=report)
    return dataset_folder(published)


def build_dataset(
    kind: str,
    source: str | Path | Corpus | Sequence[str | Path],
    out: str | Path,
    *,
    progress: bool = True,
    **options: Any,
) -> dict[str, Json]:
    """Build a data set into the folder ``out``; return its description.

    ``kind`` is a family of data sets: ``gluecode``, ``robustness``, ``similarity`` or ``misnamed``,
    whose source is a corpus, ``renames``, whose source are folders of mined renames, or
    ``identifiers``, whose source are the votes of a survey. The options
    are those of ``codeacumen dataset build KIND``; an unknown one is an error that lists them. The
    tasks are named ``KIND@OUT``. The result is the same to the byte for any number of workers.
    """
    from codeacumen.datasets.built import find_data_family

    module, _, function = find_data_family(kind).build.partition(":")
    build = getattr(import_module(module), function)
    accepted = [
        name
        for name, parameter in inspect.signature(build).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    unknown = [name for name in options if name not in accepted]
    if unknown:
        raise CodeacumenError(
            f"{kind} has no option {', '.join(unknown)}", f"it has {', '.join(accepted)}"
        )
    with show_progress(progress) as report:
        about: dict[str, Json] = build(source, Path(out), report, **options)
    return about


def list_datasets() -> dict[str, list[dict[str, Json]]]:
    """Return the ``published`` data sets, and as ``built`` the families that users build."""
    from codeacumen.datasets import CATALOGUE
    from codeacumen.registry import list_data_families

    families = list_data_families()
    return {
        "published": [_describe_published(name) for name in CATALOGUE],
        "built": [{"name": family.name, "command": family.build_command} for family in families],
    }


def describe_dataset(dataset: str | Path) -> dict[str, Json]:
    """Return the description of a data set.

    ``dataset`` is the name of a published data set, or the folder of one that was built: then the
    result has its ``folder``, its ``tasks`` and the contents of its ``dataset.json``.
    """
    from codeacumen.datasets import CATALOGUE
    from codeacumen.datasets.built import load_data, read_built

    if str(dataset) in CATALOGUE and not (Path(dataset) / "dataset.json").is_file():
        return _describe_published(str(dataset))
    built = read_built(Path(dataset))
    return {"folder": str(built.folder), "tasks": load_data(built.folder), **built.about}


def _describe_published(name: str) -> dict[str, Json]:
    from codeacumen.datasets import dataset_folder, find_dataset, missing_files

    data = find_dataset(name)
    return {
        "name": data.name,
        "title": data.title,
        "installed": not missing_files(data),
        "folder": str(dataset_folder(data)),
        "source": f"{data.repository} at {data.commit}",
        "licence": data.licence,
        "citation": data.citation,
        "files": {file.name: file.sha256 for file in data.files},
    }


class NearDuplicateEffects(list["NearDuplicateEffect"]):
    """Effects of near-duplicates, one per model and task.

    ``left_out`` says which models cannot answer which tasks, and why.
    """

    def __init__(self, effects: Sequence[NearDuplicateEffect], left_out: Sequence[str]) -> None:
        super().__init__(effects)
        self.left_out = tuple(left_out)


def audit_dataset(
    tasks: Tasks,
    models: Models | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 2000,
    progress: bool = True,
) -> NearDuplicateEffects:
    """Measure what near-duplicates in training add to the scores of models.

    ``tasks`` are those of a built data set, such as ``gluecode@DIR``; ``models`` are asked where
    their answers are not stored, by default ``classical``.
    """
    from codeacumen.interface.catalogue import load_models, load_tasks
    from codeacumen.runs.evaluate import measure_effects
    from codeacumen.runs.plan import PlannedTask, plan_cells
    from codeacumen.runs.scoring import ScoringSettings

    settings = ScoringSettings(seed, confidence, resamples)
    loaded = load_models(AUDITED_MODEL if models is None else models)
    planned = [PlannedTask(task) for task in load_tasks(tasks)]
    cells, left_out = plan_cells(loaded, planned, skip_unfit=True)
    with show_progress(progress) as report:
        return NearDuplicateEffects(measure_effects(cells, settings, report), left_out)


def export_dataset(
    tasks: Tasks, out: str | Path, *, with_truth: bool = False, progress: bool = True
) -> int:
    """Write the instances of tasks into a file, for a model that runs elsewhere; return how many.

    ``out`` is ``FILE.jsonl``, ``FILE.csv`` or ``FILE.parquet``; ``-`` prints JSON lines. A row has
    the task, the id and the input, and the truth only with ``with_truth``. ``score`` reads the
    answers.
    """
    from codeacumen.interface.catalogue import load_tasks
    from codeacumen.runs.answers import export_instances

    with show_progress(progress) as report:
        return export_instances(
            load_tasks(tasks), Path(out), with_truth=with_truth, progress=report
        )
