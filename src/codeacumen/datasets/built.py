"""Built data sets: folders with ``dataset.json`` and files of JSON lines.

Each data set belongs to a family, and the benchmark that defines the family lists the tasks of a
folder. The option ``-t NAME@DIR`` registers these tasks.

A run records the folder of each data set that it used; a comparison or a report loads the questions
from that folder.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeacumen.api import CodeacumenError, DataFamily, Json, Run, Task
from codeacumen.core.files import sha256_of
from codeacumen.registry import list_data_families, list_names, select_tasks
from codeacumen.registry.code_hash import hash_code
from codeacumen.registry.entries import ENTRIES, Entry, add_entry

ABOUT = "dataset.json"
# Version of the form of ``dataset.json`` and the files; data sets of other versions are refused.
SCHEMA = 4
# Key of a run's provenance with the folders of its data sets.
PROVENANCE_KEY = "data_sets"


@dataclass(frozen=True, slots=True)
class BuiltDataset:
    """A data set on disk; ``about`` is the content of its ``dataset.json``.

    ``about`` has for all families the ``family``, the ``schema``, the ``kinds`` (by task,
    transformation or size of the data, depending on the family), the ``counts``, and the SHA-256 of
    the ``files`` by name.
    """

    folder: Path
    family: str
    about: Mapping[str, Json]

    def read_rows(self, name: str, containing: str = "") -> Iterator[dict[str, Json]]:
        """Yield the rows of a file, after comparing its hash.

        With ``containing``, lines without that text are skipped before they are parsed.
        """
        text = containing.encode()
        with self.verify_file(name).open("rb") as stream:
            for line in stream:
                if text in line:
                    yield json.loads(line)

    def verify_file(self, name: str) -> Path:
        """Return the path of a file; raise an error if it is missing or has another hash."""
        path = self.folder / name
        expected = self.about["files"].get(name)
        if not path.is_file() or sha256_of(path) != expected:
            raise CodeacumenError(
                f"{path} is missing or damaged: it does not have the hash in {ABOUT}",
                "build the data set again with `codeacumen dataset build`",
            )
        return path


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """The factory of a task: calling it creates the task from the data set and ``arguments``.

    The benchmark's ``list_tasks`` returns these factories.
    """

    name: str
    summary: str
    built: BuiltDataset
    create: Callable[..., Task]
    arguments: tuple[str, ...]

    def __call__(self) -> Task:
        return self.create(self.built, *self.arguments)


def check_choice(option: str, value: str, choices: Sequence[str]) -> None:
    """Raise an error unless the value of an option is one of the choices."""
    if value not in choices:
        raise CodeacumenError(
            f"{option}: no such value {value!r}", f"choose one of {', '.join(choices)}"
        )


def list_method_ids(folder: Path) -> list[str]:
    """Return the ids of the methods of the built data set in a folder.

    Raise an error if its family has no file of methods.
    """
    built = read_built(folder)
    family = find_data_family(built.family)
    if not family.methods_file:
        raise CodeacumenError(
            f"{folder}: the data set {built.family} has no file of methods",
            "name a data set of methods, which `codeacumen dataset build gluecode` writes",
        )
    return [row["id"] for row in built.read_rows(family.methods_file)]


def find_data_family(name: str) -> DataFamily:
    """Return the family of data sets with this name; raise an error if there is none."""
    families = {family.name: family for family in list_data_families()}
    if name not in families:
        raise CodeacumenError(
            f"no data set {name!r} can be built", f"choose one of {', '.join(families)}"
        )
    return families[name]


def require_dataset_folder(folder: Path) -> None:
    """Raise an error unless the folder is empty, does not exist or holds a data set already."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / ABOUT).is_file():
        raise CodeacumenError(
            f"{folder} is not empty and holds no data set",
            "choose a folder that is empty or does not exist yet",
        )


def read_built(folder: Path) -> BuiltDataset:
    """Read the ``dataset.json`` of a folder and check its form, family and schema."""
    path = folder / ABOUT
    hint = "NAME@DIR takes a folder that `codeacumen dataset build` wrote"
    try:
        about = json.loads(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror}", hint) from error
    except ValueError as error:
        raise CodeacumenError(f"{path}: not JSON ({error})", hint) from error
    parts = ("kinds", "counts", "files")
    if not isinstance(about, dict) or not all(isinstance(about.get(part), dict) for part in parts):
        raise CodeacumenError(f"{path} does not describe a data set", hint)
    families = {family.name: family for family in list_data_families()}
    if about.get("family") not in families:
        raise CodeacumenError(
            f"{path}: unknown family of data sets {about.get('family')!r}",
            f"this codeacumen supports {', '.join(families)}",
        )
    family, schema = families[about["family"]], about.get("schema")
    if schema != SCHEMA:
        newer = isinstance(schema, int) and schema > SCHEMA
        raise CodeacumenError(
            f"{path}: the schema is {schema}; this codeacumen reads schema {SCHEMA}",
            "upgrade codeacumen"
            if newer
            else f"build the data set again, such as with: {family.build_command}",
        )
    return BuiltDataset(folder.resolve(), family.name, about)


def load_data(folder: Path, *, keep_loaded: bool = False) -> list[str]:
    """Register the tasks of a data set, after all other tasks; return their names.

    A task of the same name from another data set is replaced; with ``keep_loaded`` it is kept, and
    its name is not returned.
    """
    # Load our own tasks first, so that a conflict with their names is reported here.
    list_names("task")
    built = read_built(folder)
    family = find_data_family(built.family)
    task_names: list[str] = []
    for task in importlib.import_module(family.module).list_tasks(built):
        registered = ENTRIES["task"].get(task.name)
        if registered is not None and isinstance(registered.factory, BuiltTask):
            if keep_loaded and registered.factory.built.folder != built.folder:
                continue
            del ENTRIES["task"][task.name]
        origin, code = built.folder.name, hash_code(task.create)
        add_entry(Entry("task", task.name, task, task.summary, origin=origin, code_sha256=code))
        task_names.append(task.name)
    return task_names


def load_named_data(references: Iterable[str]) -> list[str]:
    """Register the data sets of references to tasks, ``NAME`` or ``NAME@DIR``; return the names.

    Raise an error if a data set lacks the named task, or if two data sets have the same task.
    """
    names_without_folder: list[str] = []
    folders: dict[str, str] = {}
    for reference in references:
        name, _, folder = reference.partition("@")
        names_without_folder.append(name)
        if not folder:
            continue
        task_names = load_data(Path(folder))
        if not set(select_tasks([name])) <= set(task_names):
            raise CodeacumenError(
                f"the data set in {folder} has no task {name!r}", f"it has {', '.join(task_names)}"
            )
        for task_name in task_names:
            if Path(folders.setdefault(task_name, folder)).resolve() != Path(folder).resolve():
                raise CodeacumenError(
                    f"two data sets have a task {task_name}: {folders[task_name]} and {folder}",
                    "evaluate them one after the other, each into a folder of its own",
                )
    return names_without_folder


def find_built_dataset(task: str) -> BuiltDataset | None:
    """Return the built data set of a registered task; None for other tasks and unknown names."""
    entry = ENTRIES["task"].get(task)
    factory = entry.factory if entry else None
    return factory.built if isinstance(factory, BuiltTask) else None


def list_dataset_folders(tasks: Iterable[str]) -> dict[str, str]:
    """Return the folders of the data sets that tasks belong to, by the name of the family."""
    datasets = (find_built_dataset(task) for task in tasks)
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
            dataset = find_built_dataset(task)
            if dataset is not None:
                datasets[dataset.folder] = dataset
    return list(datasets.values())
