"""The methods of many files: what is known from before, and the rest read by several processes.

The result depends on the files alone, not on how many processes read them, nor on what was known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from acumen.checker.index import Index, packed, unpacked
from acumen.checker.reading import Methods, as_plain, content_key, from_plain, methods_of
from acumen.core.progress import Progress
from acumen.corpus.reading import LARGEST, Problem
from acumen.corpus.sources.folder import FolderRoot
from acumen.corpus.sources.project import Root

if TYPE_CHECKING:
    from acumen.corpus.engines import Engine

# A process is given so many files at a time; so few are read without starting any.
BATCH, FEW = 32, 24
# Seconds for a batch.
LIMIT = 300.0
# Path, content, packed methods.
Read: TypeAlias = tuple[str, str, bytes]


def read_files(
    root: Root, files: Sequence[tuple[str, str]], index: Index, engine: Callable[[], Engine],
    step: Progress, *, whole: bool,
) -> dict[str, Methods]:  # fmt: skip
    """By path, in the order of the paths. A file's stamp is its content where the root is git's;
    in a folder it is looked at. ``whole``: these are all files of the project."""
    found: dict[str, Methods] = {}
    if isinstance(root, FolderRoot):
        files = list(_with_content(root, files, found, step))
    known = index.methods(files)
    found |= known
    missing = [path for path, _ in files if path not in known]
    done = 0
    for read in _read(root, missing, engine):
        index.keep(read)
        for path, _, data in read:
            found[path] = _unpacked(data)
        done += len(read)
        step("reading", done, len(missing))
    if missing and whole:
        index.prune(files)
    return {path: found[path] for path in sorted(found)}


def _unpacked(data: bytes) -> Methods:
    found = from_plain(unpacked(data))
    if found is None:
        raise RuntimeError("what a worker packed is damaged")
    return found


def _with_content(
    root: FolderRoot,
    files: Sequence[tuple[str, str]],
    unreadable: dict[str, Methods],
    step: Progress,
) -> Iterator[tuple[str, str]]:
    for number, (path, _) in enumerate(files):
        if number % 256 == 0:
            step("looking at files", number, len(files))
        data = root.read(path, LARGEST)
        if isinstance(data, Problem):
            unreadable[path] = Methods(problem=data)
        else:
            yield path, content_key(data)


def _read(root: Root, paths: list[str], engine: Callable[[], Engine]) -> Iterator[list[Read]]:
    if len(paths) <= FEW:
        for path in paths:
            yield read_batch((root, [path]))
        return
    from acumen.corpus.engines import Died

    workers = engine()
    batches = [(root, paths[start : start + BATCH]) for start in range(0, len(paths), BATCH)]
    lost: list[str] = []
    for place, outcome in workers.run(read_batch, batches, LIMIT):
        if isinstance(outcome, Died):
            lost += batches[place][1]
        else:
            yield outcome
    # One file of a batch that was lost may have ended the process: each by itself tells which.
    singles = [(root, [path]) for path in sorted(lost)]
    for place, outcome in workers.run(read_batch, singles, LIMIT):
        if isinstance(outcome, Died):
            path = singles[place][1][0]
            problem = Problem(path, "failed", outcome.why)
            yield [(path, "", packed(as_plain(Methods(problem=problem))))]
        else:
            yield outcome


def read_batch(item: tuple[Root, list[str]]) -> list[Read]:
    root, paths = item
    found: list[Read] = []
    for path in paths:
        data = root.read(path, LARGEST)
        if isinstance(data, Problem):
            found.append((path, "", packed(as_plain(Methods(problem=data)))))
        else:
            found.append((path, content_key(data), packed(as_plain(methods_of(path, data)))))
    return found
