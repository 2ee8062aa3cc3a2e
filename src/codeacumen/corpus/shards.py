"""Shards: consecutive files of a project, analysed and written together.

The name of a shard's folder is a hash of everything that its content depends on, and the folder
appears complete, by a rename. The existence of the folder is therefore the record of a finished
shard. A repeated build makes missing shards only, and copies the rows of unchanged files from the
shards of the previous build.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa

from codeacumen.core.machine import peak_memory_bytes
from codeacumen.corpus.manifest import shard_hashes
from codeacumen.corpus.parquet import (
    Tables,
    count_true,
    file_hashes,
    problem_kinds,
    read_rows,
    row_counts,
    table_hashes,
    write_tables,
)
from codeacumen.corpus.reading import Problem, read_source
from codeacumen.corpus.rows import Context, Rows, add_file, sha256
from codeacumen.corpus.schema import SCHEMA, SHARD
from codeacumen.corpus.sources import Entry, Project
from codeacumen.corpus.splits import split_of
from codeacumen.languages.java.syntax.file import JavaFile

# Source bytes after which a shard may end and must end: small enough that a killed build loses
# little and work spreads evenly, large enough that there are few files.
SMALLEST, LARGEST = 1 << 20, 4 << 20
# One path in this many ends a shard (content-defined chunking): a new file then changes its own
# shard only, not all following shards.
ONE_IN = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a build that all rows depend on; part of the key of every shard."""

    views: tuple[str, ...]
    shares: tuple[int, int, int]
    largest: int
    code: str
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A shard to make: its files, and the shards that may already have their rows."""

    out: Path
    project: Project
    settings: Settings
    paths: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    # The project's shards in the previous build.
    before: tuple[str, ...] = ()
    # Files that kill the process which analyses them: hash of the content and problem, by path.
    lethal: Mapping[str, tuple[str, Problem]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shard:
    """A finished shard.

    ``problems`` are pairs of a kind and whether the file was skipped. ``is_new`` is False for a
    shard that existed already; ``parsed`` counts the files analysed for a new one. ``seconds`` is
    the processor time by stage, ``peak`` the peak memory of the process in bytes.
    """

    key: str
    project: str
    rows: Mapping[str, int]
    hashes: Mapping[str, str]
    bodies: int
    problems: tuple[tuple[str, bool], ...]
    made: bool
    parsed: int
    seconds: Mapping[str, float]
    peak: int


def cut(entries: Sequence[Entry | Problem]) -> Iterator[list[Entry | Problem]]:
    """Yield the files of a project in groups, one group per shard."""
    current: list[Entry | Problem] = []
    size = 0
    for entry in entries:
        current.append(entry)
        size += entry.size if isinstance(entry, Entry) else 0
        digest = hashlib.sha256(entry.path.encode("utf-8", "surrogateescape")).digest()
        if (size >= SMALLEST and digest[0] % ONE_IN == 0) or size >= LARGEST:
            yield current
            current, size = [], 0
    if current:
        yield current


def make_shard(plan: Plan) -> Shard:
    """Return the shard of a plan; make it if it does not exist or is damaged."""
    contents = _read(plan)
    key = _key(plan, contents)
    folder = plan.out / "shards" / f"{slug(plan.project.name)}.{key}"
    if folder.is_dir():
        found = _found(folder, plan)
        if found is not None:
            return found
        shutil.rmtree(folder)
    stretches, parsed = _analysed(plan, contents)
    seconds = added(one.seconds for one in stretches if isinstance(one, Rows))
    clock = time.process_time()
    temporary = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    temporary.mkdir(parents=True)
    try:
        write_tables(temporary, stretches)
        temporary.rename(folder)
    except OSError:
        # Another process may have made the same shard in the meantime.
        shutil.rmtree(temporary, ignore_errors=True)
        if not folder.is_dir():
            raise
    seconds["writing"] = time.process_time() - clock
    return _describe(folder, plan, table_hashes(folder), True, parsed, seconds)


def _found(folder: Path, plan: Plan) -> Shard | None:
    """Return the shard in a folder, or None if it is damaged."""
    try:
        hashes = table_hashes(folder)
        known = shard_hashes(plan.out).get(folder.name)
        # The manifest of a killed build has no hashes; its shards are complete because of the
        # rename.
        whole = set(hashes) == _tables(plan) if known is None else hashes == known
        return _describe(folder, plan, hashes, False, 0, {}) if whole else None
    except (OSError, pa.ArrowException):
        return None


def _tables(plan: Plan) -> set[str]:
    """Return the names of the tables of a shard."""
    context = _context(plan.project.name, plan.settings)
    return {*SHARD, *(table.name for table in context.tables)}


def probe_file(plan: Plan) -> None:
    """Analyse the single file of a plan, to find out whether that kills the process."""
    _analysed(plan, _read(plan))


def _read(plan: Plan) -> list[tuple[str, bytes | Problem]]:
    contents: list[tuple[str, bytes | Problem]] = []
    for path in plan.paths:
        content = plan.project.read(path)
        known = plan.lethal.get(path)
        if known and isinstance(content, bytes) and sha256(content) == known[0]:
            content = known[1]
        contents.append((path, content))
    return contents


def _key(plan: Plan, contents: Sequence[tuple[str, bytes | Problem]]) -> str:
    """Return the hash of everything that the shard's content depends on."""
    project, settings = plan.project, plan.settings
    digest = hashlib.sha256()
    told = [SCHEMA, project.name, settings.views, settings.shares, settings.largest, settings.code]
    digest.update(json.dumps(told).encode())
    for path, content in contents:
        what = sha256(content) if isinstance(content, bytes) else f"{content}"
        digest.update(f"{path}\0{what}\n".encode("utf-8", "surrogateescape"))
    for problem in plan.problems:
        digest.update(f"{problem}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:20]


def _analysed(
    plan: Plan, contents: Sequence[tuple[str, bytes | Problem]]
) -> tuple[list[Rows | Tables], int]:
    """Return the rows of the shard, in order, and the number of files that were parsed.

    The parts alternate between newly analysed files and rows of unchanged files.
    """
    context = _context(plan.project.name, plan.settings)
    stretches: list[Rows | Tables] = []
    fresh = Rows()
    for problem in plan.problems:
        fresh.note(plan.project.name, _printable(problem), skipped=True)
    parsed = 0
    # Whether a shard of the previous build has the hashes of the manifest, once checked.
    whole: dict[str, bool] = {}
    for kept, run in groupby(contents, key=lambda one: _kept(plan, whole, *one)):
        if kept:
            paths = [printable(path) for path, _ in run]
            stretches += [fresh, read_rows(plan.out / "shards" / kept, paths)]
            fresh = Rows()
            continue
        for path, content in run:
            if isinstance(content, Problem):
                fresh.note(plan.project.name, _printable(content), skipped=True)
            else:
                parsed += _add(fresh, context, path, content, plan.settings.largest)
    # Without a method, the tables of views are missing: add empty ones.
    for table in context.tables:
        if table.name not in fresh.views:
            nothing = table.columns(JavaFile(b""), np.empty(0, dtype=np.uint64))
            fresh.views[table.name] = {name: [lists] for name, lists in nothing.items()}
    stretches.append(fresh)
    return stretches, parsed


def _kept(plan: Plan, whole: dict[str, bool], path: str, content: bytes | Problem) -> str:
    """Return the intact previous shard with the rows of this content, or an empty text."""
    if isinstance(content, Problem):
        return ""
    known = _rows_before(plan.out, plan.before).get(printable(path))
    if not known or known[0] != sha256(content):
        return ""
    shard = known[1]
    if shard not in whole:
        try:
            hashes = table_hashes(plan.out / "shards" / shard)
            whole[shard] = hashes == shard_hashes(plan.out).get(shard)
        except OSError:  # damaged, and another process is removing it
            whole[shard] = False
    return shard if whole[shard] else ""


@lru_cache(maxsize=1)
def _rows_before(out: Path, shards: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Return the content hash and the shard of each file of the previous shards, by path."""
    found: dict[str, tuple[str, str]] = {}
    for shard in shards:
        for path, digest in file_hashes(out / "shards" / shard):
            found[path] = (digest, shard)
    return found


def _add(rows: Rows, context: Context, path: str, content: bytes, largest: int) -> bool:
    """Add a file's rows, or the problem because of which it is skipped; return whether it was
    parsed."""
    source = read_source(printable(path), content, largest)
    if isinstance(source, Problem):
        rows.note(context.project, source, skipped=True)
        return False
    try:
        add_file(rows, context, source, sha256(content))
    except Exception as error:
        # A single bad file must not end a build; the problem is counted and reported.
        what = f"{type(error).__name__}: {error}"
        rows.note(context.project, Problem(source.path, "failed", what), skipped=True)
    return True


@lru_cache(maxsize=64)
def _context(project: str, settings: Settings) -> Context:
    from codeacumen.languages.base import list_languages
    from codeacumen.registry import load_plugin, make_view

    for plugin in settings.plugins:
        load_plugin(Path(plugin))
    views = [make_view(name) for name in settings.views]
    tables = {table.name: table for view in views for table in view.tables}
    split = split_of(project, settings.shares)
    return Context(project, split, tuple(tables.values()), list_languages())


def _describe(
    folder: Path,
    plan: Plan,
    hashes: Mapping[str, str],
    made: bool,
    parsed: int,
    seconds: Mapping[str, float],
) -> Shard:
    return Shard(
        folder.name,
        plan.project.name,
        row_counts(folder),
        hashes,
        count_true(folder, "methods", "body"),
        tuple(problem_kinds(folder)),
        made,
        parsed,
        dict(seconds),
        peak_memory_bytes() or 0,
    )


def added(times: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the sum of the times of each stage."""
    total: dict[str, float] = {}
    for one in times:
        for stage, spent in one.items():
            total[stage] = total.get(stage, 0.0) + spent
    return total


def slug(project: str) -> str:
    """Return a project's name in a form that is safe in file names."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", project)[:40].strip("-") or "project"


def printable(path: str) -> str:
    """Return a path that can be stored: bytes that are not UTF-8 become backslash escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _printable(problem: Problem) -> Problem:
    return Problem(printable(problem.path), problem.kind, printable(problem.message))
