"""Build git repositories with pygit2, commit by commit and with reproducible bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

# The new content of a file; None deletes it; a mode makes it a symbolic link or a submodule.
Content = bytes | str | None | tuple[bytes, FileMode]
Files = Mapping[str, Content]


@dataclass
class RepositoryBuilder:
    """Builder of a repository. The time of each commit is a second after the previous one."""

    folder: Path
    bare: bool = True
    clock: int = 1_600_000_000
    files: dict[str, tuple[pygit2.Oid, FileMode]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = pygit2.init_repository(
            str(self.folder), bare=self.bare, initial_head="main"
        )
        self.head: list[str] = []

    def commit(self, changes: Files, *more_parents: str, message: str = "a change") -> str:
        """Commit changes of files and return the hash; ``more_parents`` make it a merge."""
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
        signature = pygit2.Signature("A", "a@example.org", self.clock, 0)
        parents = [pygit2.Oid(hex=parent) for parent in (*self.head, *more_parents)]
        commit_id = self.repository.create_commit(
            None, signature, signature, message, index.write_tree(self.repository), parents
        )
        self.head = [str(commit_id)]
        self.repository.references.create("refs/heads/main", commit_id, force=True)
        return str(commit_id)

    def continue_from(self, commit: str, files: dict[str, tuple[pygit2.Oid, FileMode]]) -> None:
        """Make another commit, with these files, the parent of the next one."""
        self.head, self.files = [commit], dict(files)
