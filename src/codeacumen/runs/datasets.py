"""Find and load the built data sets of runs.

A run records the folder of each data set; a comparison or a report loads the questions from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from codeacumen.api import CodeacumenError, Run
from codeacumen.datasets.built import BuiltDataset, BuiltTask, load_data
from codeacumen.registry.entries import ENTRIES

PROVENANCE_KEY = "data_sets"


def find_dataset(task: str) -> BuiltDataset | None:
    """Return the built data set of a task, or None if the task has none."""
    entry = ENTRIES["task"].get(task)
    factory = entry.factory if entry else None
    return factory.built if isinstance(factory, BuiltTask) else None


def list_dataset_folders(tasks: Iterable[str]) -> dict[str, str]:
    """Return the folders of the data sets that tasks belong to, by the name of the family."""
    datasets = (find_dataset(task) for task in tasks)
    return {dataset.family: str(dataset.folder) for dataset in datasets if dataset is not None}


def load_run_datasets(runs: Iterable[Run]) -> list[BuiltDataset]:
    """Load the data sets that runs used; return those that are still in their folders.

    A data set that was already loaded, as ``NAME@DIR``, replaces the recorded one.
    """
    datasets: dict[Path, BuiltDataset] = {}
    for run in runs:
        folders = run.provenance.get(PROVENANCE_KEY) or {}
        for folder in folders.values():
            try:
                load_data(Path(folder), keep_loaded=True)
            except CodeacumenError:
                continue  # moved, damaged or replaced: reading the run reports it
        for task in run.tasks:
            dataset = find_dataset(task)
            if dataset is not None:
                datasets[dataset.folder] = dataset
    return list(datasets.values())
