"""Built data sets: folders with ``dataset.json`` and files of JSON lines.

Each data set belongs to a family, and the benchmark that defines the family lists the tasks of a
folder. ``-t NAME@DIR`` registers them.
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
    """A data set on disk; ``about`` is the content of its ``dataset.json``."""

    folder: Path
    family: str
    about: Mapping[str, Json]

    def rows(self, name: str, holding: str = "") -> Iterator[dict[str, Json]]:
        """Yield the rows of a file; only lines that contain the text, if one is given."""
        text = holding.encode()
        with self.checked(name).open("rb") as stream:
            for line in stream:
                if text in line:
                    yield json.loads(line)

    def checked(self, name: str) -> Path:
        """Return the path of a file; raise an error if it is missing or has another hash."""
        path = self.folder / name
        wanted = self.about["files"].get(name)
        if not path.is_file() or sha256_of(path) != wanted:
            raise CodeacumenError(
                f"{path} is missing or damaged: it does not have the hash in {ABOUT}",
                "build the data set again with `codeacumen dataset build`",
            )
        return path


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """The factory of a task: calling it creates the task from the data set and ``arguments``."""

    name: str
    summary: str
    built: BuiltDataset
    create: Callable[..., Task]
    arguments: tuple[str, ...]

    def __call__(self) -> Task:
        return self.create(self.built, *self.arguments)


def must_be_ours(folder: Path) -> None:
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
    if not isinstance(about, dict) or not all(isinstance(about.get(one), dict) for one in parts):
        raise CodeacumenError(f"{path} does not describe a data set", hint)
    family, schema = about.get("family"), about.get("schema")
    families = [known.name for known in list_data_families()]
    if family not in families:
        raise CodeacumenError(
            f"{path}: unknown family of data sets {family!r}",
            f"this codeacumen supports {', '.join(families)}",
        )
    if schema != SCHEMA:
        newer = isinstance(schema, int) and schema > SCHEMA
        raise CodeacumenError(
            f"{path}: the schema is {schema}; this codeacumen reads schema {SCHEMA}",
            "upgrade codeacumen"
            if newer
            else "build the data set again with `codeacumen dataset build`",
        )
    return BuiltDataset(folder.resolve(), family, about)


def load_data(folder: Path) -> list[str]:
    """Register the tasks of a data set, after all other tasks; return their names."""
    names("task")
    built = read_built(folder)
    family = next(known for known in list_data_families() if known.name == built.family)
    task_names: list[str] = []
    for task in importlib.import_module(family.module).list_tasks(built):
        known = ENTRIES["task"].get(task.name)
        # The data set that was named last replaces another one of the family.
        if known is not None and isinstance(known.factory, BuiltTask):
            del ENTRIES["task"][task.name]
        origin, code = built.folder.name, code_hash(task.create)
        add(Entry("task", task.name, task, task.summary, origin=origin, code_sha256=code))
        task_names.append(task.name)
    return task_names
