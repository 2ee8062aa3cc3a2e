"""Compare the files of a corpus with the hashes in its manifest; errors for damaged files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of

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
    """Missing files, and files whose hash differs or that cannot be read; in order."""

    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted((*self.missing, *self.changed)))


def find_damage(folder: Path, files: Mapping[str, str]) -> Damage:
    """Return which files of a folder are missing or differ from their expected SHA-256."""
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
