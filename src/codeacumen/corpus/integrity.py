"""Is a corpus what its manifest says? Files go missing, disks lie, somebody edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of

REPAIR = "run the same `codeacumen corpus build` again: what is damaged is made anew"


def unreadable(folder: Path, file: Path) -> CodeacumenError:
    """What to say of a file of a corpus that cannot be read."""
    what = "damaged" if file.exists() else "missing"
    return CodeacumenError(
        f"the corpus in {folder} is damaged: {file.relative_to(folder)} is {what}",
        f"`codeacumen corpus audit {folder}` names all that is; {REPAIR}",
    )


@dataclass(frozen=True, slots=True)
class Damage:
    """Files that are not there, and those that are not what they were; in order."""

    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted((*self.missing, *self.changed)))


def damage(folder: Path, files: Mapping[str, str]) -> Damage:
    """What is wrong with files of a folder, whose hashes are known."""
    missing: list[str] = []
    changed: list[str] = []
    for file, sha256 in files.items():
        try:
            if sha256_of(folder / file) != sha256:
                changed.append(file)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(file)
        except OSError:  # a folder in its place, no permission, a disk that gives up
            changed.append(file)
    return Damage(tuple(missing), tuple(changed))
