"""Shards: consecutive files of a project, analysed and written together by a worker of a build.

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
from codeacumen.corpus.rows import RowContext, Rows, add_file, sha256_hex
from codeacumen.corpus.schema import SCHEMA, SHARD
from codeacumen.corpus.sources import Entry, Project
from codeacumen.corpus.splits import split_of
from codeacumen.languages.java.syntax.file import JavaFile

# Source bytes after which a shard may end and must end: small enough that a killed build loses
# little and work spreads evenly, large enough that there are few files. This ``LARGEST`` is not the
# limit for one file, which is ``BuildSettings.largest``.
SMALLEST, LARGEST = 1 << 20, 4 << 20
# One path in this many ends a shard (content-defined chunking): a new file then changes its own
# shard only, not all following shards.
ONE_IN = 16


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Settings of a build that all rows depend on.

    ``shares`` are the sizes of train, dev and test, ``largest`` is the limit for a file in bytes,
    ``code`` the hash of the code. All but ``plugins``, the files that workers load first, are part
    of the key of every shard; ``code`` covers the views of plug-ins.
    """

    views: tuple[str, ...]
    shares: tuple[int, int, int]
    largest: int
    code: str
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """A shard to make: its files, and the shards that may already have their rows.

    ``problems`` are those of files that cannot be listed or are too large to be read.
    """

    out: Path
    project: Project
    settings: BuildSettings
    paths: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    # The project's shards in the previous build.
    previous_shards: tuple[str, ...] = ()
    # Files that kill the process that analyses them: hash of the content and problem, by path. A
    # file with another hash has changed and is tried again.
    crashing: Mapping[str, tuple[str, Problem]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shard:
    """A finished shard; ``key`` is the name of its folder.

    ``rows`` and ``hashes`` are the number of rows and the SHA-256 of each table, ``bodies`` the
    number of methods with a body. ``problems`` are pairs of a kind and True for a skipped file.
    ``is_new`` is False for a shard that existed already; ``parsed`` counts the files analysed for a
    new one. ``seconds`` is the processor time by stage, ``peak`` the peak memory of the process in
    bytes.
    """

    key: str
    project: str
    rows: Mapping[str, int]
    hashes: Mapping[str, str]
    bodies: int
    problems: tuple[tuple[str, bool], ...]
    is_new: bool
    parsed: int
    seconds: Mapping[str, float]
    peak: int


def split_into_shards(entries: Sequence[Entry | Problem]) -> Iterator[list[Entry | Problem]]:
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


def make_shard(plan: ShardPlan) -> Shard:
    """Return the shard of a plan; make it if it does not exist or is damaged.

    An engine runs this function.
    """
    contents = _read_contents(plan)
    key = _compute_key(plan, contents)
    folder = plan.out / "shards" / f"{slugify(plan.project.name)}.{key}"
    if folder.is_dir():
        existing = _load_existing_shard(folder, plan)
        if existing is not None:
            return existing
        shutil.rmtree(folder)
    parts, parsed = _analyse_contents(plan, contents)
    seconds = sum_stage_seconds(part.seconds for part in parts if isinstance(part, Rows))
    start = time.process_time()
    temporary = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    temporary.mkdir(parents=True)
    try:
        write_tables(temporary, parts)
        temporary.rename(folder)
    except OSError:
        # Another process may have made the same shard in the meantime.
        shutil.rmtree(temporary, ignore_errors=True)
        if not folder.is_dir():
            raise
    seconds["writing"] = time.process_time() - start
    return _describe_shard(folder, plan, table_hashes(folder), True, parsed, seconds)


def _load_existing_shard(folder: Path, plan: ShardPlan) -> Shard | None:
    """Return the shard in a folder, or None if it is damaged."""
    try:
        hashes = table_hashes(folder)
        known_hashes = shard_hashes(plan.out).get(folder.name)
        # The manifest lacks the hashes of shards that a killed build made; these are complete
        # because of the rename.
        is_complete = (
            set(hashes) == _list_table_names(plan)
            if known_hashes is None
            else hashes == known_hashes
        )
        return _describe_shard(folder, plan, hashes, False, 0, {}) if is_complete else None
    except (OSError, pa.ArrowException):
        return None


def _list_table_names(plan: ShardPlan) -> set[str]:
    """Return the names of the tables of a shard."""
    context = _make_context(plan.project.name, plan.settings)
    return {*SHARD, *(table.name for table in context.tables)}


def probe_file(plan: ShardPlan) -> None:
    """Analyse the single file of a plan, to find out whether that kills the process."""
    _analyse_contents(plan, _read_contents(plan))


def _read_contents(plan: ShardPlan) -> list[tuple[str, bytes | Problem]]:
    """Return path and content of each file; the problem for unreadable and crashing files."""
    contents: list[tuple[str, bytes | Problem]] = []
    for path in plan.paths:
        content = plan.project.read_file(path)
        crashing = plan.crashing.get(path)
        if crashing and isinstance(content, bytes) and sha256_hex(content) == crashing[0]:
            content = crashing[1]
        contents.append((path, content))
    return contents


def _compute_key(plan: ShardPlan, contents: Sequence[tuple[str, bytes | Problem]]) -> str:
    """Return the hash of everything that the shard's content depends on."""
    project, settings = plan.project, plan.settings
    digest = hashlib.sha256()
    settings_parts = [
        SCHEMA,
        project.name,
        settings.views,
        settings.shares,
        settings.largest,
        settings.code,
    ]
    digest.update(json.dumps(settings_parts).encode())
    for path, content in contents:
        content_key = sha256_hex(content) if isinstance(content, bytes) else f"{content}"
        digest.update(f"{path}\0{content_key}\n".encode("utf-8", "surrogateescape"))
    for problem in plan.problems:
        digest.update(f"{problem}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:20]


def _analyse_contents(
    plan: ShardPlan, contents: Sequence[tuple[str, bytes | Problem]]
) -> tuple[list[Rows | Tables], int]:
    """Return the rows of the shard, in order, and the number of files that were parsed now.

    The parts alternate between newly analysed files and rows of unchanged files.
    """
    context = _make_context(plan.project.name, plan.settings)
    parts: list[Rows | Tables] = []
    new_rows = Rows()
    for problem in plan.problems:
        new_rows.add_problem(plan.project.name, _to_printable_problem(problem), skipped=True)
    parsed = 0
    # Previous shards that were checked, by name: True if the tables still have the hashes that the
    # manifest lists, so that their rows can be copied.
    is_intact: dict[str, bool] = {}
    # ``source_shard`` is the shard to copy rows from; it is empty for files to analyse.
    for source_shard, group in groupby(
        contents,
        key=lambda path_and_content: _find_stored_shard(plan, is_intact, *path_and_content),
    ):
        if source_shard:
            paths = [to_printable(path) for path, _ in group]
            parts += [new_rows, read_rows(plan.out / "shards" / source_shard, paths)]
            new_rows = Rows()
            continue
        for path, content in group:
            if isinstance(content, Problem):
                new_rows.add_problem(
                    plan.project.name, _to_printable_problem(content), skipped=True
                )
            else:
                parsed += _add_file_or_problem(
                    new_rows, context, path, content, plan.settings.largest
                )
    # Without a newly analysed Java file, the tables of views may be missing: add empty ones.
    for table in context.tables:
        if table.name not in new_rows.views:
            empty_columns = table.columns(JavaFile(b""), np.empty(0, dtype=np.uint64))
            new_rows.views[table.name] = {name: [lists] for name, lists in empty_columns.items()}
    parts.append(new_rows)
    return parts, parsed


def _find_stored_shard(
    plan: ShardPlan, is_intact: dict[str, bool], path: str, content: bytes | Problem
) -> str:
    """Return the intact previous shard with the rows of this content, or an empty text.

    ``is_intact`` caches by shard whether its tables have the hashes of the manifest.
    """
    if isinstance(content, Problem):
        return ""
    previous = _index_previous_files(plan.out, plan.previous_shards).get(to_printable(path))
    if not previous or previous[0] != sha256_hex(content):
        return ""
    shard = previous[1]
    if shard not in is_intact:
        try:
            hashes = table_hashes(plan.out / "shards" / shard)
            is_intact[shard] = hashes == shard_hashes(plan.out).get(shard)
        except OSError:  # damaged, and another process is removing it
            is_intact[shard] = False
    return shard if is_intact[shard] else ""


@lru_cache(maxsize=1)
def _index_previous_files(out: Path, shards: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Return the content hash and the shard of each file of the previous shards, by path."""
    files: dict[str, tuple[str, str]] = {}
    for shard in shards:
        for path, digest in file_hashes(out / "shards" / shard):
            files[path] = (digest, shard)
    return files


def _add_file_or_problem(
    rows: Rows, context: RowContext, path: str, content: bytes, largest: int
) -> bool:
    """Add a file's rows, or the problem because of which it is skipped.

    Return False if the file could not be decoded, so that its analysis did not begin.
    """
    source = read_source(to_printable(path), content, largest)
    if isinstance(source, Problem):
        rows.add_problem(context.project, source, skipped=True)
        return False
    try:
        add_file(rows, context, source, sha256_hex(content))
    except Exception as error:
        # A single bad file must not end a build; the problem is counted and reported.
        message = f"{type(error).__name__}: {error}"
        rows.add_problem(context.project, Problem(source.path, "failed", message), skipped=True)
    return True


@lru_cache(maxsize=64)
def _make_context(project: str, settings: BuildSettings) -> RowContext:
    """Return the settings of a project's rows, after loading the plug-ins in this process."""
    from codeacumen.languages.base import list_languages
    from codeacumen.registry import load_plugin, make_view

    for plugin in settings.plugins:
        load_plugin(Path(plugin))
    views = [make_view(name) for name in settings.views]
    tables = {table.name: table for view in views for table in view.tables}
    split = split_of(project, settings.shares)
    return RowContext(project, split, tuple(tables.values()), list_languages())


def _describe_shard(
    folder: Path,
    plan: ShardPlan,
    hashes: Mapping[str, str],
    is_new: bool,
    parsed: int,
    seconds: Mapping[str, float],
) -> Shard:
    """Return the record of the shard in a folder, with counts from its tables."""
    return Shard(
        folder.name,
        plan.project.name,
        row_counts(folder),
        hashes,
        count_true(folder, "methods", "body"),
        tuple(problem_kinds(folder)),
        is_new,
        parsed,
        dict(seconds),
        peak_memory_bytes() or 0,
    )


def sum_stage_seconds(times: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the sum of the times of each stage."""
    total: dict[str, float] = {}
    for stage_seconds in times:
        for stage, seconds in stage_seconds.items():
            total[stage] = total.get(stage, 0.0) + seconds
    return total


def slugify(project: str) -> str:
    """Return a project's name in a form that is safe in file names; it need not be unique."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", project)[:40].strip("-") or "project"


def to_printable(path: str) -> str:
    """Return a text that can be stored: surrogates of bytes that are not UTF-8 are escaped."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _to_printable_problem(problem: Problem) -> Problem:
    return Problem(to_printable(problem.path), problem.kind, to_printable(problem.message))
