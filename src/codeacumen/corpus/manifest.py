"""The manifest of a corpus folder: its format, its shards and the hashes of its files.

A build writes the manifest when it begins, with ``complete`` false, and when it ends; each write is
atomic. ``find_damage`` compares files with the hashes; ``damaged_corpus_error`` is the error for a
damaged file.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.corpus.schema import FORMAT, FORMER_FORMAT, SCHEMA

NAME = "manifest.json"
LOCK = ".lock"
# Output of a build besides the manifest: folders with the suffixes of their files, and files. An
# output folder without a manifest that has only these may be overwritten.
_FOLDERS = {
    "shards": (".parquet",),
    "calls": (".parquet", ".sets"),
    "index": (".npy",),
    # Null facts, stored when they are first needed.
    "nulls": (".parquet",),
}
_FILES = ("projects.parquet", "numbers.parquet", "dispatch.parquet", LOCK)
_PART = ".part"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of ``manifest.json``.

    ``complete`` is false until the build ends. ``projects`` are names in the order of the sources,
    ``settings`` those of ``BuildSettings`` that rows depend on. ``shards`` and ``links`` are, by
    project, the names of its shards, in order, and of its folder in ``calls`` and ``nulls``.
    ``crashing_files`` lists files that kill the process that analyses them: project, path, hash,
    kind and message of the problem. ``counts`` are the sizes of the corpus. ``files`` has the
    SHA-256 of every file of the corpus but the null facts.
    """

    complete: bool
    projects: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    shards: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    crashing_files: list[list[str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def require_buildable(folder: Path) -> None:
    """Raise an error if no corpus can be built in the folder; called before any work begins."""
    parent = folder.absolute()
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    if not parent.is_dir():
        raise CodeacumenError(f"{folder}: {parent} is a file", "choose a folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise CodeacumenError(f"{folder}: you may not write in {parent}", "choose another --out")
    has_no_manifest = folder.exists() and not (folder / NAME).exists()
    if has_no_manifest and not all(map(_is_build_output, folder.iterdir())):
        raise CodeacumenError(
            f"{folder} is not empty and holds no corpus",
            "choose another --out: a new folder, an empty one, or a corpus to update",
        )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest atomically, with the format, the schema and our version."""
    content = {
        "format": FORMAT,
        "schema": SCHEMA,
        "codeacumen": __version__,
        "complete": manifest.complete,
        "projects": list(manifest.projects),
        "settings": manifest.settings,
        "counts": manifest.counts,
        "shards": manifest.shards,
        "links": manifest.links,
        "crashing_files": manifest.crashing_files,
        "files": manifest.files,
    }
    write_atomically(folder / NAME, (json.dumps(content, indent=1) + "\n").encode())


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a corpus, or None if the folder has none.

    Raise an error if it is damaged or of another format or schema.
    """
    try:
        content = json.loads((folder / NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise _damaged_error(folder, str(error)) from error
    return _parse_manifest(folder, content)


def _is_build_output(entry: Path) -> bool:
    """Return whether a file or folder, with all files below it, can be output of a build."""
    if entry.name.endswith(_PART) or entry.name in _FILES:
        return not entry.is_dir()
    if entry.name not in _FOLDERS or entry.is_symlink() or not entry.is_dir():
        return False
    endings = (*_FOLDERS[entry.name], _PART)
    return all(path.is_dir() or path.name.endswith(endings) for path in entry.rglob("*"))


def remove_build_output(folder: Path) -> None:
    """Remove the remains of a corpus without a manifest: without hashes they cannot be trusted."""
    for name in _FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in set(_FILES) - {LOCK}:
        (folder / name).unlink(missing_ok=True)


def shard_hashes(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the hashes of each shard's tables from the stored manifest; empty without one."""
    try:
        file = folder / NAME
        return _shard_hashes(file, file.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=1)
def _shard_hashes(file: Path, modified_ns: int) -> dict[str, dict[str, str]]:
    """Return the hashes of each shard's tables; the time of the file is part of the cache key."""
    hashes: dict[str, dict[str, str]] = {}
    for name, sha256 in json.loads(file.read_bytes())["files"].items():
        parts = PurePosixPath(name)
        if parts.parts[0] == "shards":
            hashes.setdefault(parts.parts[1], {})[parts.stem] = sha256
    return hashes


def _parse_manifest(folder: Path, content: Json) -> Manifest:
    rebuild_hint = f"build it again: codeacumen corpus build SOURCE... --out {folder}-{SCHEMA}"
    if isinstance(content, dict) and content.get("format") == FORMER_FORMAT:
        raise CodeacumenError(f"{folder} holds a corpus of a former version", rebuild_hint)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CodeacumenError(
            f"{folder} holds something else than a corpus", "choose another folder"
        )
    schema = content.get("schema")
    if schema != SCHEMA:
        is_newer = isinstance(schema, int) and schema > SCHEMA
        raise CodeacumenError(
            f"{folder} holds a corpus of schema {schema}; this codeacumen reads schema {SCHEMA}",
            "upgrade codeacumen" if is_newer else rebuild_hint,
        )
    try:
        return Manifest(
            bool(content["complete"]),
            tuple(content["projects"]),
            content["settings"],
            content["shards"],
            content["links"],
            content["crashing_files"],
            content["counts"],
            content["files"],
        )
    except (KeyError, TypeError) as error:
        raise _damaged_error(folder, f"{error} is missing") from error


def _damaged_error(folder: Path, reason: str) -> CodeacumenError:
    return CodeacumenError(
        f"{folder / NAME} is damaged: {reason}",
        "delete it and run the same `codeacumen corpus build` again",
    )


REPAIR = "run the same `codeacumen corpus build` again: it rebuilds damaged files"


def damaged_corpus_error(folder: Path, file: Path) -> CodeacumenError:
    """Return the error for a file of a corpus that cannot be read."""
    state = "damaged" if file.exists() else "missing"
    return CodeacumenError(
        f"the corpus in {folder} is damaged: {file.relative_to(folder)} is {state}",
        f"`codeacumen corpus audit {folder}` lists all damaged files; {REPAIR}",
    )


@dataclass(frozen=True, slots=True)
class Damage:
    """Missing files, and files whose hash differs or that cannot be read, in manifest order.

    It is false if there are none.
    """

    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted((*self.missing, *self.changed)))


def find_damage(folder: Path, files: Mapping[str, str]) -> Damage:
    """Return the files of a folder that are missing or differ from their expected SHA-256."""
    missing: list[str] = []
    changed: list[str] = []
    for file, sha256 in files.items():
        try:
            if sha256_of(folder / file) != sha256:
                changed.append(file)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(file)
        except OSError:  # a folder of that name, no permission, a failing disk
            changed.append(file)
    return Damage(tuple(missing), tuple(changed))
