"""What a corpus folder says about itself: its format, its shards and their hashes.

Written when a build begins (``complete`` is false then) and when it ends, always at once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acumen import __version__
from acumen.api import AcumenError, Json
from acumen.corpus.schema import FORMAT, SCHEMA
from acumen.files import write_atomically

NAME = "manifest.json"
LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Manifest:
    """``shards`` are each project's shards and links, in order; ``lethal`` the files that end
    whatever process reads them; ``files`` all files of the corpus with their hashes."""

    complete: bool
    projects: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    shards: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    lethal: list[list[str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    content = {
        "format": FORMAT,
        "schema": SCHEMA,
        "acumen": __version__,
        "complete": manifest.complete,
        "projects": list(manifest.projects),
        "settings": manifest.settings,
        "counts": manifest.counts,
        "shards": manifest.shards,
        "links": manifest.links,
        "lethal": manifest.lethal,
        "files": manifest.files,
    }
    write_atomically(folder / NAME, (json.dumps(content, indent=1) + "\n").encode())


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a corpus; None where there is nothing yet. An error where the folder is
    something else."""
    if folder.exists() and not folder.is_dir():
        raise AcumenError(f"{folder} is a file", "choose a folder")
    try:
        found = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        if folder.exists() and any(entry.name != LOCK for entry in folder.iterdir()):
            raise AcumenError(
                f"{folder} is no corpus, and not empty",
                "choose a folder that is empty or does not exist yet",
            ) from None
        return None
    except ValueError as error:
        raise _damaged(folder, str(error)) from error
    return _checked(folder, found)


def _checked(folder: Path, found: Json) -> Manifest:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise AcumenError(f"{folder} holds something else than a corpus", "choose another folder")
    schema = found.get("schema")
    if schema != SCHEMA:
        newer = isinstance(schema, int) and schema > SCHEMA
        raise AcumenError(
            f"{folder} holds a corpus of schema {schema}; this acumen knows schema {SCHEMA}",
            "upgrade acumen" if newer else "build it anew into another folder",
        )
    try:
        return Manifest(
            bool(found["complete"]), tuple(found["projects"]), found["settings"],
            found["shards"], found["links"], found["lethal"], found["counts"], found["files"],
        )  # fmt: skip
    except (KeyError, TypeError) as error:
        raise _damaged(folder, f"{error} is missing") from error


def _damaged(folder: Path, why: str) -> AcumenError:
    return AcumenError(
        f"{folder / NAME} is damaged: {why}",
        "delete it and build again: shards that are whole stay",
    )
