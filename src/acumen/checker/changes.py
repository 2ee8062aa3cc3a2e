"""Which methods a change touches: a git diff between a revision and what is there now.

Lines are those of the new side. Where lines only went, the method around that place is touched.
Files that git knows nothing of yet are touched as a whole; files whose lines git cannot count
(UTF-16) too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygit2
from pygit2.enums import DeltaStatus, DiffOption, FileMode

from acumen.api import AcumenError
from acumen.checker.findings import Place
from acumen.corpus.sources.git_tree import commit_or_error
from acumen.corpus.sources.paths import as_text

_GONE = (DeltaStatus.DELETED, DeltaStatus.UNREADABLE)


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that changed: its path from the repository's root, the lines that did (None: all), and
    its staged content where that is what counts."""

    path: str
    lines: tuple[tuple[int, int], ...] | None
    blob: str = ""

    def touches(self, place: Place) -> bool:
        if self.lines is None:
            return True
        return any(first <= place.last and place.first <= last for first, last in self.lines)


def base_of(repository: pygit2.Repository, revision: str) -> str:
    """The commit that a change is compared with. ``main...`` is where the branch left main."""
    named = revision.removesuffix("...")
    if not named or named.startswith("-"):
        raise AcumenError(f"{revision!r} is no revision", "--since main, or --since main...")
    source = repository.workdir or repository.path
    commit = commit_or_error(repository, named, source)
    if named == revision:
        return commit
    head = commit_or_error(repository, "HEAD", source)
    common = repository.merge_base(commit, head)
    if common is None:
        raise AcumenError(
            f"{named} and HEAD have no commit in common",
            "in a shallow clone: git fetch --unshallow",
        )
    return str(common)


def head_of(repository: pygit2.Repository) -> str:
    """The last commit, or nothing before the first."""
    return "" if repository.head_is_unborn else str(repository.head.peel(pygit2.Commit).id)


def changes(repository: pygit2.Repository, base: str, *, staged: bool) -> list[Changed]:
    """The Java files that differ from a commit (empty: from nothing), by path."""
    tree = repository[base or repository.TreeBuilder().write()].peel(pygit2.Tree)
    if staged:
        diff = tree.diff_to_index(repository.index, context_lines=0)
    else:
        options = DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS
        options |= DiffOption.SHOW_UNTRACKED_CONTENT
        diff = tree.diff_to_workdir(options, context_lines=0)
    # A file that was only moved has no line that changed.
    diff.find_similar()
    found: dict[str, Changed] = {}
    for patch in diff:
        if patch is None:
            continue
        delta = patch.delta
        path = as_text(delta.new_file.raw_path)
        if delta.status in _GONE or not path.lower().endswith(".java"):
            continue
        if delta.new_file.mode in (FileMode.LINK, FileMode.COMMIT):
            continue
        lines = (
            None if delta.is_binary else tuple(each for one in patch.hunks for each in _ranges(one))
        )
        if lines == () and delta.status != DeltaStatus.UNTRACKED:
            continue
        found[path] = Changed(path, lines or None, str(delta.new_file.id) if staged else "")
    return [found[path] for path in sorted(found)]


def _ranges(hunk: pygit2.DiffHunk) -> list[tuple[int, int]]:
    """First and last lines of what changed, without the lines around it, which some diffs have.
    Where lines only went, the last stands before the first: that meets what lies on both sides, and
    not what ends or begins there."""
    found: list[tuple[int, int]] = []
    before = hunk.new_start - (hunk.new_lines > 0)
    added, removed = 0, False
    for origin, line in [*((one.origin, one.new_lineno) for one in hunk.lines), (" ", 0)]:
        if origin == "+":
            added += 1
            before = line
        elif origin == "-":
            removed = True
        elif origin == " ":
            if added or removed:
                found.append((before - added + 1, before))
            before, added, removed = line, 0, False
    return found


def under(paths: Sequence[str], path: str) -> bool:
    """Whether a path is one of some, or below one; the empty path is the root."""
    return any(not one or path == one or path.startswith(f"{one}/") for one in paths)
