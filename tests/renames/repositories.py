"""Git repositories made with pygit2, commit by commit, always the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

# A file's new bytes; None: it is deleted; with a mode: a link or another repository.
Content = bytes | str | None | tuple[bytes, FileMode]
Files = Mapping[str, Content]


@dataclass
class Maker:
    """A repository that grows. Each commit is a second after the one before."""

    folder: Path
    bare: bool = True
    clock: int = 1_600_000_000
    files: dict[str, tuple[pygit2.Oid, FileMode]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = pygit2.init_repository(
            str(self.folder), bare=self.bare, initial_head="main"
        )
        self.head: list[str] = []

    def commit(self, changes: Files, *more: str, message: str = "a change") -> str:
        """Changes to the files; ``more`` are further parents of a merge."""
        for path, content in changes.items():
            if content is None:
                del self.files[path]
                continue
            data, mode = content if isinstance(content, tuple) else (content, FileMode.BLOB)
            data = data.encode() if isinstance(data, str) else data
            if mode == FileMode.COMMIT:
                self.files[path] = pygit2.Oid(data), mode
            else:
                self.files[path] = self.repository.create_blob(data), mode
        index = pygit2.Index()
        for path, (blob, mode) in sorted(self.files.items()):
            index.add(pygit2.IndexEntry(path, blob, mode))
        self.clock += 1
        who = pygit2.Signature("A", "a@example.org", self.clock, 0)
        parents = [pygit2.Oid(hex=one) for one in (*self.head, *more)]
        made = self.repository.create_commit(
            None, who, who, message, index.write_tree(self.repository), parents
        )
        self.head = [str(made)]
        self.repository.references.create("refs/heads/main", made, force=True)
        return str(made)

    def at(self, commit: str, files: dict[str, tuple[pygit2.Oid, FileMode]]) -> None:
        """Go on from another commit, whose files these are."""
        self.head, self.files = [commit], dict(files)
