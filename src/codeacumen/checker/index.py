"""Read the methods of many files: unchanged files from an index, others in worker processes.

The result depends only on the files, not on the number of processes or the contents of the index.

The index lies in codeacumen's own folder, one folder for each project, together with trained
models. The methods are in an SQLite database: after a kill at any point it holds what was finished,
and two checks can run at once. Damaged entries, and those of another version of codeacumen, are
computed again. If the index is not writable, every file is read again.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import pickle
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from codeacumen.checker.reading import Methods, as_plain, content_key, from_plain, methods_of
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.project import Root

if TYPE_CHECKING:
    from codeacumen.engines import Engine

FILE, LEARNED = "methods.sqlite", "learned-"
# Models to keep for a project: those of the base commits that were used last.
KEPT = 4
# Keys in one database query.
_AT_ONCE = 500
_DIGEST = 16
# Rows of other files are dropped when the database has this many times more rows than files.
_SPARE = 3
# Unpickling damaged bytes may raise almost anything.
_DAMAGED = (
    pickle.UnpicklingError,
    EOFError,
    ValueError,
    TypeError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    MemoryError,
)


def packed(value: object) -> bytes:
    """Pickle a value, with a digest in front that detects damage."""
    data = pickle.dumps(value, protocol=5)
    return hashlib.blake2b(data, digest_size=_DIGEST).digest() + data


def unpacked(data: bytes) -> Any:
    """Return the value that ``pack_with_digest`` packed; None if the bytes are damaged."""
    digest, body = data[:_DIGEST], memoryview(data)[_DIGEST:]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
        return None
    # Searching for cycles among a million new objects would take longer than creating them.
    collected = gc.isenabled()
    gc.disable()
    try:
        return pickle.load(io.BytesIO(body))
    except _DAMAGED:
        return None
    finally:
        if collected:
            gc.enable()


@lru_cache(maxsize=1)
def version() -> str:
    """Return a hash of the code, the grammar and Python's version; a change rebuilds the index."""
    from importlib.metadata import version as installed

    from codeacumen.registry import modules_hash

    grammar = installed("tree-sitter-java")
    code = modules_hash("codeacumen.checker.index", "codeacumen.checker.reading")
    told = f"{code} {grammar} {sys.version_info[:2]}"
    return hashlib.sha256(told.encode()).hexdigest()[:32]


class Index:
    """Methods and trained models of one project, stored between checks."""

    def __init__(self, home: Path, root: Path) -> None:
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]
        self.folder = home / "checker" / name
        self._base = self._opened()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._base.close()

    def _opened(self) -> sqlite3.Connection:
        """Open the database; delete it once if it is damaged; use memory if it is unusable."""
        file = self.folder / FILE
        for _ in range(2):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                base = sqlite3.connect(file, timeout=30, isolation_level=None)
                _prepared(base)
                return base
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and "disk" not in str(error):
                    break  # locked, or not writable
                with suppress(OSError):
                    file.unlink()
            except OSError:
                break
        base = sqlite3.connect(":memory:", isolation_level=None)
        _prepared(base)
        return base

    def methods(self, files: Sequence[tuple[str, str]]) -> dict[str, Methods]:
        """Return the methods of those files, given as path and content hash, that are indexed."""
        found: dict[str, Methods] = {}
        with suppress(sqlite3.Error):
            for path, data in self._rows(files):
                known = from_plain(unpacked(data))
                if known is not None:
                    found[path] = known
        return found

    def _rows(self, files: Sequence[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        for start in range(0, len(files), _AT_ONCE):
            wanted = {_key(*file): file[0] for file in files[start : start + _AT_ONCE]}
            marks = ",".join("?" * len(wanted))
            rows = self._base.execute(
                f"SELECT key, data FROM methods WHERE key IN ({marks})", list(wanted)
            )
            for key, data in rows:
                yield wanted[key], data

    def keep(self, read: Iterable[tuple[str, str, bytes]]) -> None:
        """Store the methods of files, given as path, content hash and packed methods."""
        rows = [(_key(path, content), data) for path, content, data in read]
        with suppress(sqlite3.Error):
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("INSERT OR REPLACE INTO methods VALUES (?, ?)", rows)
            self._base.execute("COMMIT")

    def prune(self, files: Sequence[tuple[str, str]]) -> None:
        """Delete the rows of other files if there are many."""
        with suppress(sqlite3.Error):
            (count,) = self._base.execute("SELECT count(*) FROM methods").fetchone()
            if count <= _SPARE * len(files) + 1000:
                return
            self._base.execute("CREATE TEMP TABLE wanted (key BLOB PRIMARY KEY)")
            keys = [(_key(*file),) for file in files]
            self._base.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", keys)
            self._base.execute("DELETE FROM methods WHERE key NOT IN (SELECT key FROM wanted)")
            self._base.execute("DROP TABLE wanted")

    def learned(self, key: str) -> Any:
        """Return the model stored under this key, or None."""
        file = self.folder / f"{LEARNED}{_digest(key)}"
        try:
            found = unpacked(file.read_bytes())
            os.utime(file)
        except OSError:
            return None
        return found

    def keep_learned(self, key: str, model: object) -> None:
        """Store a model and delete the oldest ones. A failure only costs time the next time."""
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
            write_atomically(self.folder / f"{LEARNED}{_digest(key)}", packed(model))
            kept = [file for file in self.folder.glob(f"{LEARNED}*") if file.suffix != ".part"]
            kept.sort(key=lambda file: -file.stat().st_mtime_ns)
            for old in kept[KEPT:]:
                old.unlink(missing_ok=True)


def _prepared(base: sqlite3.Connection) -> None:
    """Create the tables, and empty them if another version of codeacumen wrote them."""
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("PRAGMA synchronous=NORMAL")
    base.execute("CREATE TABLE IF NOT EXISTS methods (key BLOB PRIMARY KEY, data BLOB)")
    base.execute("CREATE TABLE IF NOT EXISTS about (version TEXT)")
    row = base.execute("SELECT version FROM about").fetchone()
    if row is None or row[0] != version():
        base.execute("BEGIN IMMEDIATE")
        base.execute("DELETE FROM methods")
        base.execute("DELETE FROM about")
        base.execute("INSERT INTO about VALUES (?)", (version(),))
        base.execute("COMMIT")


def _key(path: str, content: str) -> bytes:
    text = f"{path}\0{content}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _digest(key: str) -> str:
    return hashlib.sha256(f"{version()} {key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


# Files in a batch for a process; up to this many are read without starting processes.
BATCH, FEW = 32, 24
# Seconds that a batch may take.
LIMIT = 300.0
# Path, content hash, packed methods.
Read: TypeAlias = tuple[str, str, bytes]


def read_files(
    root: Root,
    files: Sequence[tuple[str, str]],
    index: Index,
    engine: Callable[[], Engine],
    step: Progress,
    *,
    whole: bool,
) -> dict[str, Methods]:
    """Return the methods of files, given as path and stamp, by path in sorted order.

    In a git root the stamp is the hash of the content; in a folder, each file is read to hash it.
    ``is_whole_project``: these are all files of the project, so rows of others may be dropped.
    """
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
        raise RuntimeError("the methods packed by a worker are damaged")
    return found


def _with_content(
    root: FolderRoot,
    files: Sequence[tuple[str, str]],
    unreadable: dict[str, Methods],
    step: Progress,
) -> Iterator[tuple[str, str]]:
    """Yield path and content hash of the readable files; add the others to ``unreadable``."""
    for number, (path, _) in enumerate(files):
        if number % 256 == 0:
            step("hashing files", number, len(files))
        data = root.read(path, LARGEST)
        if isinstance(data, Problem):
            unreadable[path] = Methods(problem=data)
        else:
            yield path, content_key(data)


def _read(root: Root, paths: list[str], engine: Callable[[], Engine]) -> Iterator[list[Read]]:
    """Yield the files in batches, read in this process if they are few."""
    if len(paths) <= FEW:
        for path in paths:
            yield read_batch((root, [path]))
        return
    from codeacumen.engines import WorkerLost

    workers = engine()
    batches = [(root, paths[start : start + BATCH]) for start in range(0, len(paths), BATCH)]
    lost: list[str] = []
    for place, outcome in workers.run(read_batch, batches, LIMIT):
        if isinstance(outcome, WorkerLost):
            lost += batches[place][1]
        else:
            yield outcome
    # One file may have crashed the worker of a batch: read each alone to find out which.
    singles = [(root, [path]) for path in sorted(lost)]
    for place, outcome in workers.run(read_batch, singles, LIMIT):
        if isinstance(outcome, WorkerLost):
            path = singles[place][1][0]
            problem = Problem(path, "failed", outcome.why)
            yield [(path, "", packed(as_plain(Methods(problem=problem))))]
        else:
            yield outcome


def read_batch(item: tuple[Root, list[str]]) -> list[Read]:
    """Read the methods of some files. Worker processes call this."""
    root, paths = item
    found: list[Read] = []
    for path in paths:
        data = root.read(path, LARGEST)
        if isinstance(data, Problem):
            found.append((path, "", packed(as_plain(Methods(problem=data)))))
        else:
            found.append((path, content_key(data), packed(as_plain(methods_of(path, data)))))
    return found
