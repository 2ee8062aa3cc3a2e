"""What was read before: methods by path and content of their file, and models that have learned.

Both lie in acumen's own folder, one folder for each project. The methods are in an SQLite database:
killed at any point, it holds what was finished, and two checks at once do not disturb each other.
What is damaged, or made by another version of acumen, is made again. A cache that cannot be written
is no reason to fail: then everything is read anew.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import pickle
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from acumen.checker.reading import Methods, from_plain
from acumen.files import write_atomically

FILE, LEARNED = "methods.sqlite", "learned-"
# Models kept for a project: of the last revisions that changes were compared with.
KEPT = 4
# A question to the database names so many files at once.
_AT_ONCE = 500
_DIGEST = 16
# Rows of files that are gone are dropped when there are so many times more than files.
_SPARE = 3
# Damaged bytes may raise nearly anything when they are unpickled.
_DAMAGED = (
    pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, ImportError,
    IndexError, KeyError, MemoryError,
)  # fmt: skip


def packed(value: object) -> bytes:
    """Bytes that tell whether they are whole."""
    data = pickle.dumps(value, protocol=5)
    return hashlib.blake2b(data, digest_size=_DIGEST).digest() + data


def unpacked(data: bytes) -> Any:
    """What was packed; None where the bytes are damaged."""
    digest, body = data[:_DIGEST], memoryview(data)[_DIGEST:]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
        return None
    # Looking for cycles among a million new objects would take longer than making them.
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
    """Another code, another grammar or another Python makes another index."""
    from importlib.metadata import version as installed

    from acumen.registry.code import package_hash

    grammar = installed("tree-sitter-java")
    told = f"{package_hash('acumen')} {grammar} {sys.version_info[:2]}"
    return hashlib.sha256(told.encode()).hexdigest()[:32]


class Index:
    def __init__(self, home: Path, root: Path) -> None:
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]
        self.folder = home / "checker" / name
        self._base = self._opened()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._base.close()

    def _opened(self) -> sqlite3.Connection:
        file = self.folder / FILE
        for _ in range(2):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                base = sqlite3.connect(file, timeout=30, isolation_level=None)
                _prepared(base)
                return base
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and "disk" not in str(error):
                    break  # locked by others, or not to be written
                with suppress(OSError):
                    file.unlink()
            except OSError:
                break
        base = sqlite3.connect(":memory:", isolation_level=None)
        _prepared(base)
        return base

    def methods(self, files: Sequence[tuple[str, str]]) -> dict[str, Methods]:
        """Of files, as path and content, those that are known; by path."""
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
        """Path, content and packed methods of files that were read."""
        rows = [(_key(path, content), data) for path, content, data in read]
        with suppress(sqlite3.Error):
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("INSERT OR REPLACE INTO methods VALUES (?, ?)", rows)
            self._base.execute("COMMIT")

    def prune(self, files: Sequence[tuple[str, str]]) -> None:
        """Drop what is not of these files, when there is much of it."""
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
        """The model that was kept under this key; None where there is none."""
        file = self.folder / f"{LEARNED}{_digest(key)}"
        try:
            found = unpacked(file.read_bytes())
            os.utime(file)
        except OSError:
            return None
        return found

    def keep_learned(self, key: str, model: object) -> None:
        """A model that cannot be kept is learned again the next time."""
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
            write_atomically(self.folder / f"{LEARNED}{_digest(key)}", packed(model))
            kept = [file for file in self.folder.glob(f"{LEARNED}*") if file.suffix != ".part"]
            kept.sort(key=lambda file: -file.stat().st_mtime_ns)
            for old in kept[KEPT:]:
                old.unlink(missing_ok=True)


def _prepared(base: sqlite3.Connection) -> None:
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
