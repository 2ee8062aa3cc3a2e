"""Data sets that `codeacumen dataset` made: a folder with ``dataset.json`` and files of JSON lines.

Each belongs to a family, and the family's module knows the tasks that are in such a folder. They
are there once the folder is named (``--data DIR``).
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import sha256_of
from codeacumen.registry import names
from codeacumen.registry.code import code_hash
from codeacumen.registry.entries import ENTRIES, Entry, add

ABOUT = "dataset.json"
SCHEMA = 1

# Each family's module has ``tasks(built)``: for each task its name, what it asks, and how it is
# made, an object with ``built`` that is called without arguments.
FAMILIES = {
    "robustness": "codeacumen.benchmarks.robustness",
    "gluecode": "codeacumen.benchmarks.gluecode",
    "identifiers": "codeacumen.benchmarks.idbench",
    "similar": "codeacumen.benchmarks.sesame",
    "names": "codeacumen.benchmarks.rename4j.task",
}


@dataclass(frozen=True, slots=True)
class Built:
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
                "make the data set again with `codeacumen dataset`",
            )
        return path


def must_be_ours(folder: Path) -> None:
    """A folder to write a data set into: empty, not there yet, or a data set already."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / ABOUT).is_file():
        raise CodeacumenError(
            f"{folder} is no data set, and not empty",
            "choose a folder that is empty or does not exist yet",
        )


def read_built(folder: Path) -> Built:
    path = folder / ABOUT
    hint = "--data takes a folder that `codeacumen dataset` wrote"
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
    if family not in FAMILIES:
        raise CodeacumenError(
            f"{path}: there is no family of data sets called {family!r}",
            f"this codeacumen knows {', '.join(FAMILIES)}",
        )
    if schema != SCHEMA:
        newer = isinstance(schema, int) and schema > SCHEMA
        raise CodeacumenError(
            f"{path}: the schema is {schema}; this codeacumen knows schema {SCHEMA}",
            "upgrade codeacumen" if newer else "make the data set again with `codeacumen dataset`",
        )
    return Built(folder.resolve(), family, about)


def load_data(folder: Path) -> list[str]:
    """Make the tasks of a data set known, after those that are known anyway; gives their names."""
    names("task")
    built = read_built(folder)
    module = importlib.import_module(FAMILIES[built.family])
    found: list[str] = []
    for name, summary, factory in module.tasks(built):
        known = ENTRIES["task"].get(name)
        before = getattr(known.factory, "built", None) if known else None
        if before is not None and before.folder != built.folder:
            raise CodeacumenError(
                f"two data sets have a task {name}: {before.folder} and {built.folder}",
                "evaluate them one after the other, each into a folder of its own",
            )
        code = code_hash(factory)
        add(Entry("task", name, factory, summary, origin=built.folder.name, code_sha256=code))
        found.append(name)
    return found
