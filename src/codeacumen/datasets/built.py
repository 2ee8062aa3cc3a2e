"""Built data sets: a folder with ``dataset.json`` and files of JSON lines.

Each belongs to a family, and the benchmark that defines the family lists the tasks of a folder.
They are registered when the folder is named: ``-t NAME@DIR``.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from codeacumen.api import CodeacumenError, Json, Task
from codeacumen.core.files import sha256_of
from codeacumen.registry import list_data_families, names
from codeacumen.registry.code import code_hash
from codeacumen.registry.entries import ENTRIES, Entry, add

ABOUT = "dataset.json"
SCHEMA = 3


@dataclass(frozen=True, slots=True)
class BuiltDataset:
    """A data set on disk; ``about`` is what its ``dataset.json`` says."""

    folder: Path
    family: str
    about: Mapping[str, Json]

    def rows(self, name: str, holding: str = "") -> Iterator[dict[str, Json]]:
        """The lines of a file; those that hold a text, if one is given."""
        text = holding.encode()
        with self.checked(name).open("rb") as stream:
            for line in stream:
                if text in line:
                    yield json.loads(line)

    def checked(self, name: str) -> Path:
        """The path of a file; an error where it is not what was made."""
        path = self.folder / name
        wanted = self.about["files"].get(name)
        if not path.is_file() or sha256_of(path) != wanted:
            raise CodeacumenError(
                f"{path} is missing or damaged: it is not what {ABOUT} says",
                "build the data set again with `codeacumen dataset build`",
            )
        return path


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """A task of a data set; calling it creates the task from the data set and ``arguments``."""

    name: str
    summary: str
    built: BuiltDataset
    create: Callable[..., Task]
    arguments: tuple[str, ...]

    def __call__(self) -> Task:
        return self.create(self.built, *self.arguments)


def must_be_ours(folder: Path) -> None:
    """A folder to write a data set into: empty, not there yet, or a data set already."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / ABOUT).is_file():
        raise CodeacumenError(
            f"{folder} is no data set, and not empty",
            "choose a folder that is empty or does not exist yet",
        )


def read_built(folder: Path) -> BuiltDataset:
    path = folder / ABOUT
    hint = "NAME@DIR takes a folder that `codeacumen dataset build` wrote"
    try:
        about = json.loads(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror}", hint) from error
    except ValueError as error:
        raise CodeacumenError(f"{path}: not JSON ({error})", hint) from error
    parts = ("kinds", "counts", "files")
    if not isinstance(about, dict) or not all(isinstance(about.get(one), dict) for one in parts):
        raise CodeacumenError(f"{path} describes no data set", hint)
    family, schema = about.get("family"), about.get("schema")
    families = [known.name for known in list_data_families()]
    if family not in families:
        raise CodeacumenError(
            f"{path}: there is no family of data sets called {family!r}",
            f"this codeacumen knows {', '.join(families)}",
        )
    if schema != SCHEMA:
        newer = isinstance(schema, int) and schema > SCHEMA
        raise CodeacumenError(
            f"{path}: the schema is {schema}; this codeacumen knows schema {SCHEMA}",
            "upgrade codeacumen"
            if newer
            else "build the data set again with `codeacumen dataset build`",
        )
    return BuiltDataset(folder.resolve(), family, about)


def load_data(folder: Path) -> list[str]:
    """Make the tasks of a data set known, after those that are known anyway; gives their names."""
    names("task")
    built = read_built(folder)
    family = next(known for known in list_data_families() if known.name == built.family)
    task_names: list[str] = []
    for task in importlib.import_module(family.module).list_tasks(built):
        known = ENTRIES["task"].get(task.name)
        before = known.factory.built if known and isinstance(known.factory, BuiltTask) else None
        if before is not None and before.folder != built.folder:
            raise CodeacumenError(
                f"two data sets have a task {task.name}: {before.folder} and {built.folder}",
                "evaluate them one after the other, each into a folder of its own",
            )
        origin, code = built.folder.name, code_hash(task.create)
        add(Entry("task", task.name, task, task.summary, origin=origin, code_sha256=code))
        task_names.append(task.name)
    return task_names
