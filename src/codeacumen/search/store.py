"""Indexes on disk: one folder per corpus, kind and build configuration.

A folder appears only when all its files are complete. Its name has the hash of the corpus's
manifest and a fingerprint of the code and settings that built it, so a change of either builds
another index; ``index.json`` repeats the name, with the schema. ``word_index`` and
``models.method_naming.neighbours`` store their indexes here.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import sha256_of

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus

# Version of the layout of the folders.
SCHEMA = "codeacumen.search/2"
# Name of the record that marks a folder as complete, without ``.json``.
_MANIFEST = "index"


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The folder of one index; loads and writes its files."""

    folder: Path

    def load_array(self, name: str, mapped: bool = False) -> NDArray[Any]:
        """Return the array of that name; a mapped array is read from disk on access."""
        values: NDArray[Any] = np.load(
            self.folder / f"{name}.npy", mmap_mode="r" if mapped else None
        )
        return values

    def load_value(self, name: str) -> Any:
        """Return the value of that name, stored as JSON."""
        return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))

    def write_array(self, name: str, values: NDArray[Any]) -> None:
        """Write an array."""
        np.save(self.folder / f"{name}.npy", values)

    def write_value(self, name: str, value: object) -> None:
        """Write a value as JSON."""
        (self.folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")


def corpus_manifest(corpus: Path) -> Path:
    """Return the path of a corpus's manifest.

    The file name is repeated here, since importing the corpus package takes longer than a search.
    """
    manifest = corpus / "manifest.json"
    if not manifest.is_file():
        raise CodeacumenError(
            f"{corpus} holds no corpus", "build one with `codeacumen corpus build`"
        )
    return manifest


def index_folder(kind: str, corpus: Path, cache: Path, built_by: Json) -> Path:
    """Return the folder of a corpus's index under ``cache``, which need not exist yet.

    ``built_by`` is all that the index depends on besides the corpus: versions, code, settings.
    """
    fingerprint = hashlib.sha256(json.dumps([SCHEMA, built_by]).encode()).hexdigest()
    name = f"{sha256_of(corpus_manifest(corpus))[:32]}-{fingerprint[:16]}"
    return cache / "search" / kind / name


def open_or_build(
    kind: str,
    corpus: Path,
    cache: Path,
    built_by: Json,
    build: Callable[[Corpus, StoredIndex], None],
) -> StoredIndex:
    """Return the stored index of a corpus; build it first if there is none.

    ``build`` writes the files of the index; the other arguments are those of ``index_folder``.
    """
    folder = index_folder(kind, corpus, cache, built_by)
    record = {"schema": SCHEMA, "kind": kind, "index": folder.name}
    if not folder.is_dir():
        from codeacumen.corpus import Corpus

        opened = Corpus.open(corpus)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".index-") as scratch:
            new_index = StoredIndex(Path(scratch) / "index")
            new_index.folder.mkdir()
            build(opened, new_index)
            new_index.write_value(_MANIFEST, record)
            try:
                new_index.folder.replace(folder)
            except OSError:
                # Another process was faster; its index is the same.
                if not folder.is_dir():
                    raise
                shutil.rmtree(new_index.folder)
    stored = StoredIndex(folder)
    try:
        stored_record = stored.load_value(_MANIFEST)
    except (OSError, ValueError) as error:
        raise damaged_index_error(folder, str(error)) from error
    if stored_record != record:
        raise damaged_index_error(folder, f"its {_MANIFEST}.json is of another index")
    return stored


def damaged_index_error(folder: Path, reason: str) -> CodeacumenError:
    """Return the error for an index whose files cannot be read."""
    return CodeacumenError(
        f"the index in {folder} cannot be read ({reason})",
        f"rm -r {folder}; the next run builds it again",
    )
