"""Read the methods of many files: unchanged files from an index, others in worker processes.

The result depends only on the files, not on the number of processes or the contents of the index.

The index lies in codeacumen's home folder, in one folder for each project, together with trained
models. The methods are in an SQLite database: a killed check loses only its unfinished batches, and
two checks can run at once. Damaged entries, and those of another version of codeacumen, are
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

from codeacumen.checker.reading import (
    FileMethods,
    hash_content,
    methods_from_tuple,
    methods_to_tuple,
    read_methods,
)
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.project import SourceRoot

if TYPE_CHECKING:
    from codeacumen.engines import Engine

DATABASE_NAME, MODEL_PREFIX = "methods.sqlite", "learned-"
# Number of models to keep for a project: those that were used last.
MAX_MODELS = 4
# Maximum number of keys in one database query; old versions of SQLite allow 999 parameters.
_MAX_QUERY_KEYS = 500
# Number of bytes of the digest in front of pickled data.
_DIGEST = 16
# If the database has more rows than this many times the project's files (plus a constant), the rows
# of other files, and of other contents of these files, are deleted.
_MAX_STALE_RATIO = 3
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


def pack_with_digest(value: object) -> bytes:
    """Pickle a value, with a digest in front that detects damage."""
    data = pickle.dumps(value, protocol=5)
    return hashlib.blake2b(data, digest_size=_DIGEST).digest() + data


def unpack_verified(data: bytes) -> Any:
    """Return the value that ``pack_with_digest`` packed; None if the bytes are damaged."""
    digest, body = data[:_DIGEST], memoryview(data)[_DIGEST:]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
        return None
    # Searching for cycles among a million new objects would take longer than creating them.
    gc_was_enabled = gc.isenabled()
    gc.disable()
    try:
        return pickle.load(io.BytesIO(body))
    except _DAMAGED:
        return None
    finally:
        if gc_was_enabled:
            gc.enable()


@lru_cache(maxsize=1)
def compute_index_version() -> str:
    """Return a hash of the reading code and of the versions of grammar and Python.

    If it changes, the index is rebuilt.
    """
    from importlib.metadata import version as installed

    from codeacumen.registry import hash_modules

    grammar = installed("tree-sitter-java")
    code = hash_modules("codeacumen.checker.index", "codeacumen.checker.reading")
    description = f"{code} {grammar} {sys.version_info[:2]}"
    return hashlib.sha256(description.encode()).hexdigest()[:32]


class MethodIndex:
    """Methods and trained models of one project, stored between checks.

    ``home`` is codeacumen's own folder, ``root`` the folder of the project. A file is indexed under
    its path and the hash of its content (``reading.hash_content``).
    """

    def __init__(self, home: Path, root: Path) -> None:
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]
        self.folder = home / "checker" / name
        self._database = self._open_database()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._database.close()

    def _open_database(self) -> sqlite3.Connection:
        """Open the database; if it is damaged, replace it; if that fails, use one in memory."""
        file = self.folder / DATABASE_NAME
        for _ in range(2):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                database = sqlite3.connect(file, timeout=30, isolation_level=None)
                _prepare_database(database)
                return database
            except sqlite3.DatabaseError as error:
                # SQLite reports damage as a DatabaseError or as an error of the disk.
                if isinstance(error, sqlite3.OperationalError) and "disk" not in str(error):
                    break  # locked, or not writable
                with suppress(OSError):
                    file.unlink()
            except OSError:
                break
        database = sqlite3.connect(":memory:", isolation_level=None)
        _prepare_database(database)
        return database

    def load_methods(self, files: Sequence[tuple[str, str]]) -> dict[str, FileMethods]:
        """Return the indexed methods by path; each file is given as path and content hash."""
        methods_by_path: dict[str, FileMethods] = {}
        with suppress(sqlite3.Error):
            for path, data in self._select_rows(files):
                methods = methods_from_tuple(unpack_verified(data))
                if methods is not None:
                    methods_by_path[path] = methods
        return methods_by_path

    def _select_rows(self, files: Sequence[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        for start in range(0, len(files), _MAX_QUERY_KEYS):
            paths_by_key = {
                _hash_file_key(*file): file[0] for file in files[start : start + _MAX_QUERY_KEYS]
            }
            marks = ",".join("?" * len(paths_by_key))
            rows = self._database.execute(
                f"SELECT key, data FROM methods WHERE key IN ({marks})", list(paths_by_key)
            )
            for key, data in rows:
                yield paths_by_key[key], data

    def store_methods(self, packed_files: Iterable[tuple[str, str, bytes]]) -> None:
        """Store the methods of files, given as path, content hash and packed methods."""
        rows = [(_hash_file_key(path, digest), data) for path, digest, data in packed_files]
        with suppress(sqlite3.Error):
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR REPLACE INTO methods VALUES (?, ?)", rows)
            self._database.execute("COMMIT")

    def drop_other_files(self, files: Sequence[tuple[str, str]]) -> None:
        """Delete the rows of all but these files (path and hash) if there are too many rows."""
        with suppress(sqlite3.Error):
            (count,) = self._database.execute("SELECT count(*) FROM methods").fetchone()
            if count <= _MAX_STALE_RATIO * len(files) + 1000:
                return
            self._database.execute("CREATE TEMP TABLE wanted (key BLOB PRIMARY KEY)")
            keys = [(_hash_file_key(*file),) for file in files]
            self._database.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", keys)
            self._database.execute("DELETE FROM methods WHERE key NOT IN (SELECT key FROM wanted)")
            self._database.execute("DROP TABLE wanted")

    def load_model(self, key: str) -> Any:
        """Return the model stored under this key and mark it as used; None if there is none."""
        file = self.folder / f"{MODEL_PREFIX}{_hash_model_key(key)}"
        try:
            model = unpack_verified(file.read_bytes())
            os.utime(file)
        except OSError:
            return None
        return model

    def store_model(self, key: str, model: object) -> None:
        """Store a model and delete those not used for longest.

        If storing fails, the next check only has to train the model again.
        """
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
            write_atomically(
                self.folder / f"{MODEL_PREFIX}{_hash_model_key(key)}", pack_with_digest(model)
            )
            model_files = [
                file for file in self.folder.glob(f"{MODEL_PREFIX}*") if file.suffix != ".part"
            ]
            model_files.sort(key=lambda file: -file.stat().st_mtime_ns)
            for old_file in model_files[MAX_MODELS:]:
                old_file.unlink(missing_ok=True)


def _prepare_database(database: sqlite3.Connection) -> None:
    """Create the tables, and empty them if another version of codeacumen wrote them."""
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("CREATE TABLE IF NOT EXISTS methods (key BLOB PRIMARY KEY, data BLOB)")
    database.execute("CREATE TABLE IF NOT EXISTS about (version TEXT)")
    row = database.execute("SELECT version FROM about").fetchone()
    if row is None or row[0] != compute_index_version():
        database.execute("BEGIN IMMEDIATE")
        database.execute("DELETE FROM methods")
        database.execute("DELETE FROM about")
        database.execute("INSERT INTO about VALUES (?)", (compute_index_version(),))
        database.execute("COMMIT")


def _hash_file_key(path: str, content_hash: str) -> bytes:
    text = f"{path}\0{content_hash}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _hash_model_key(key: str) -> str:
    return hashlib.sha256(
        f"{compute_index_version()} {key}".encode("utf-8", "surrogatepass")
    ).hexdigest()[:32]


# ``BATCH_SIZE`` files go to a worker at once; up to ``MAX_IN_PROCESS`` are read without workers.
BATCH_SIZE, MAX_IN_PROCESS = 32, 24
# Maximum number of seconds that a batch may take in a worker.
BATCH_TIMEOUT = 300.0
# Path, content hash (empty if the file could not be read), and packed methods.
ReadFile: TypeAlias = tuple[str, str, bytes]


def read_files(
    root: SourceRoot,
    files: Sequence[tuple[str, str]],
    index: MethodIndex,
    engine: Callable[[], Engine],
    report_progress: Progress,
    *,
    is_whole_project: bool,
) -> dict[str, FileMethods]:
    """Return the methods of files, given as path and stamp, by path in sorted order.

    In a git root the stamp is the hash of the content; in a folder the stamp is ignored, and each
    file is read to hash it. ``is_whole_project`` says that these are all files of the project, so
    the index may drop others. ``engine`` starts the worker processes; it is called only if there
    are many files to read.
    """
    methods_by_path: dict[str, FileMethods] = {}
    if isinstance(root, FolderRoot):
        files = list(_hash_files(root, files, methods_by_path, report_progress))
    indexed = index.load_methods(files)
    methods_by_path |= indexed
    missing = [path for path, _ in files if path not in indexed]
    done_count = 0
    for batch in _read_in_batches(root, missing, engine):
        index.store_methods(batch)
        for path, _, data in batch:
            methods_by_path[path] = _unpack_methods(data)
        done_count += len(batch)
        report_progress("reading", done_count, len(missing))
    if missing and is_whole_project:
        index.drop_other_files(files)
    return {path: methods_by_path[path] for path in sorted(methods_by_path)}


def _unpack_methods(data: bytes) -> FileMethods:
    methods = methods_from_tuple(unpack_verified(data))
    if methods is None:
        raise RuntimeError("the methods that a worker packed are damaged")
    return methods


def _hash_files(
    root: FolderRoot,
    files: Sequence[tuple[str, str]],
    unreadable: dict[str, FileMethods],
    report_progress: Progress,
) -> Iterator[tuple[str, str]]:
    """Yield path and content hash of the readable files; add the others to ``unreadable``."""
    for number, (path, _) in enumerate(files):
        if number % 256 == 0:
            report_progress("hashing files", number, len(files))
        data = root.read_file(path, LARGEST)
        if isinstance(data, Problem):
            unreadable[path] = FileMethods(problem=data)
        else:
            yield path, hash_content(data)


def _read_in_batches(
    root: SourceRoot, paths: list[str], engine: Callable[[], Engine]
) -> Iterator[list[ReadFile]]:
    """Yield the methods of the files in batches; read many files in worker processes.

    Batches of workers come in the order in which they finish.
    """
    if len(paths) <= MAX_IN_PROCESS:
        for path in paths:
            yield read_batch((root, [path]))
        return
    from codeacumen.engines import WorkerLost

    workers = engine()
    batches = [
        (root, paths[start : start + BATCH_SIZE]) for start in range(0, len(paths), BATCH_SIZE)
    ]
    lost: list[str] = []
    for number, outcome in workers.run(read_batch, batches, BATCH_TIMEOUT):
        if isinstance(outcome, WorkerLost):
            lost += batches[number][1]
        else:
            yield outcome
    # One file may have crashed the worker of its batch. Read each file alone to find that file.
    singles = [(root, [path]) for path in sorted(lost)]
    for number, outcome in workers.run(read_batch, singles, BATCH_TIMEOUT):
        if isinstance(outcome, WorkerLost):
            path = singles[number][1][0]
            problem = Problem(path, "failed", outcome.reason)
            yield [(path, "", pack_with_digest(methods_to_tuple(FileMethods(problem=problem))))]
        else:
            yield outcome


def read_batch(item: tuple[SourceRoot, list[str]]) -> list[ReadFile]:
    """Read the methods of some files, in a worker process or in this one."""
    root, paths = item
    batch: list[ReadFile] = []
    for path in paths:
        data = root.read_file(path, LARGEST)
        if isinstance(data, Problem):
            batch.append((path, "", pack_with_digest(methods_to_tuple(FileMethods(problem=data)))))
        else:
            batch.append(
                (
                    path,
                    hash_content(data),
                    pack_with_digest(methods_to_tuple(read_methods(path, data))),
                )
            )
    return batch
