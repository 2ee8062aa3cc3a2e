"""Select the methods of a corpus whose JavaDoc describes them, and write them as a table.

    mined = mine_methods(Corpus.open("corpus"), start_engine("local", 2))
    mined.table, mined.counts

A method is mined if it has JavaDoc with words and passes the five filters of SeSaMe (section II-A):
it has a body; the body has at least 10 nodes, an infix operator or a conditional; it does more than
throw; it is no constructor and none of ``equals``, ``hashCode``, ``toString``; it is no test. The
default rules are the paper's. Those of the published tool (``compat="sesame-tools"``) also drop
private methods and methods in types that the tool skips, and recognise tests by other signs.

An engine processes the shards. Rows are sorted by project, path and position in the file, so the
table does not depend on the number of workers, and a row's number identifies its method.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.benchmarks.sesame.mining.tokens import Body, measure_bodies
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.javadoc import (
    SESAME_TOOLS,
    check_compat,
    extract_first_line,
    extract_words,
    list_block_tags,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from codeacumen.corpus import Corpus

StoredRow = Mapping[str, Any]

# A body with fewer JDT nodes than this needs an infix operator or a conditional.
LEAST_NODES = 10
# Names of the filters, in the order of application: the first that drops a method counts it.
# HIDDEN (in a private, local or other type that the published tool does not enter) and PRIVATE
# apply with compat="sesame-tools" only; BLANK drops JavaDoc without words.
UNDOCUMENTED, BODILESS, CONSTRUCTORS, OBJECT_METHODS, TESTS, HIDDEN, PRIVATE = (
    "undocumented",
    "without a body",
    "constructors",
    "equals, hashCode, toString",
    "tests",
    "in excluded types",
    "private",
)
UNREAD, SMALL, THROWING, BLANK = "not parsed as Java", "small", "only throw", "say nothing"
FILTERS = (
    UNDOCUMENTED,
    BODILESS,
    CONSTRUCTORS,
    OBJECT_METHODS,
    TESTS,
    HIDDEN,
    PRIVATE,
    UNREAD,
    SMALL,
    THROWING,
    BLANK,
)

_OBJECT_METHODS = frozenset(
    (
        "equals(Object)",
        "equals(java.lang.Object)",
        "hashCode()",
        "toString()",
    )
)
_TEST_FOLDERS = frozenset(("test", "tests"))
_TEST_ENDS = ("Test", "Tests")
_TOOL_TEST_ENDS = ("Test.java", "TestCase.java", "Tests.java")
_TOOL_FOLDERS = frozenset(("branches", "tags"))
# Kinds of types that the tool does not enter; it does not enter local types either.
_NOT_ENTERED = frozenset(("annotation", "anonymous", "enum constant"))


def find_dropping_filter(
    row: StoredRow, compat: str, find_skipped_type: Callable[[StoredRow], str]
) -> str:
    """Return the filter that drops a method before its body is parsed, or "" if none does.

    ``find_skipped_type`` returns the filter that drops the type around a method, or "".
    """
    if not row["javadoc"]:
        return UNDOCUMENTED
    if row["kind"] != "method":
        return CONSTRUCTORS if row["body"] else BODILESS
    if not row["body"]:
        return BODILESS
    if format_signature(row) in _OBJECT_METHODS:
        return OBJECT_METHODS
    if compat == SESAME_TOOLS:
        if is_tool_test(row["path"]):
            return TESTS
        enclosing_filter = find_skipped_type(row)
        return enclosing_filter or (PRIVATE if "private" in row["modifiers"] else "")
    return TESTS if is_test_method(row["path"], row["type"]) else ""


def is_test_method(path: str, types: str) -> bool:
    """Return whether the paper's rule takes a method for a test.

    Its file is in a folder of tests, and the file or a type is named Test… or …Test(s). ``types``
    is the dotted names of the types around the method.
    """
    *folders, file = path.split("/")
    names = (file.rsplit(".", 1)[0], *types.split("."))
    return not _TEST_FOLDERS.isdisjoint(folders) and any(
        name.startswith("Test") or name.endswith(_TEST_ENDS) for name in names
    )


def is_tool_test(path: str) -> bool:
    *folders, file = path.split("/")
    if not _TOOL_FOLDERS.isdisjoint(folders):
        return True
    # The tool looks at the file's name with its ending, the paper's rule without it.
    named = file.startswith("Test") or file.endswith(_TOOL_TEST_ENDS)
    return named and not _TEST_FOLDERS.isdisjoint(folders)


def find_skipped_types(
    types: Mapping[bytes, StoredRow], paths: Mapping[bytes, str]
) -> dict[bytes, str]:
    """Return, by type id, the filter that makes the tool skip a type or a type around it.

    The result has "" for types that the tool enters. ``types`` has the rows of all types of the
    files by type id, ``paths`` the files' paths by file id.
    """
    filters: dict[bytes, str] = {}
    for start in types:
        chain: list[bytes] = []
        current: bytes | None = start
        while current is not None and current in types and current not in filters:
            chain.append(current)
            current = types[current]["owner_id"]
        filter_name = filters.get(current, "") if current is not None else ""
        for type_id in reversed(chain):
            filter_name = filter_name or _find_skipping_filter(
                types[type_id], paths[types[type_id]["file_id"]]
            )
            filters[type_id] = filter_name
    return filters


def _find_skipping_filter(row: StoredRow, path: str) -> str:
    # A type with a ``method_id`` is a local one, inside that method.
    if "private" in row["modifiers"] or row["kind"] in _NOT_ENTERED or row["method_id"] is not None:
        return HIDDEN
    comment = row["javadoc"]
    if not comment:
        return ""
    in_tests = not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])
    if "test" in list_block_tags(comment) or (
        in_tests and extract_first_line(comment).startswith("Test ")
    ):
        return TESTS
    return ""


def format_signature(row: StoredRow) -> str:
    """Return ``name(type, type)``, with the types formatted by ``format_type``."""
    types = ", ".join(format_type(parameter["type"]) for parameter in row["parameters"])
    return f"{row['name']}({types})"


def format_type(type_: str) -> str:
    """Return a type as SeSaMe writes it: ``Map<String,? extends T>...`` is ``Map<String, ?>[]``.

    The bounds of wildcards are dropped.
    """
    parts: list[str] = []
    depth, bound = 0, -1  # bound: the depth of the wildcard's bound being skipped, or -1
    for sign in type_.replace("...", "[]"):
        if sign == ">":
            depth -= 1
            if depth < bound:
                bound = -1
        elif sign == "," and depth == bound:
            bound = -1
        if bound < 0:
            parts.append(", " if sign == "," else sign)
        if sign == "<":
            depth += 1
        elif sign == "?" and bound < 0:
            bound = depth
    return "".join(parts)


# Seconds for a shard; in a fresh installation the first shard waits while numba compiles kernels.
SHARD_TIMEOUT = 1800.0
# Rows of a shard to process together.
_BATCH = 512
# Rows of a row group of the file: to read one method, its row group is read, a few megabytes.
_ROW_GROUP = 4096

_METHOD_COLUMNS = (
    "method_id",
    "type_id",
    "project",
    "path",
    "kind",
    "type",
    "name",
    "signature",
    "parameters",
    "modifiers",
    "body",
    "start_byte",
    "line",
    "end_line",
    "javadoc",
    "text",
)
_TYPE_COLUMNS = (
    "type_id",
    "file_id",
    "owner_id",
    "method_id",
    "kind",
    "qualified",
    "modifiers",
    "javadoc",
)
_COPIED_COLUMNS = (
    "project",
    "path",
    "name",
    "signature",
    "line",
    "end_line",
    "start_byte",
    "javadoc",
    "text",
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MiningCounts:
    """Numbers of methods: of the corpus, and of those that are mined, dropped and failed.

    ``mined`` methods are in the table; ``dropped`` counts the methods by the filter that drops
    them, in the order of application; ``failed`` methods crashed a worker process or exceeded its
    time limit.
    """

    methods: int
    mined: int
    dropped: Mapping[str, int]
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Mined:
    """Table of the mined methods (see ``make_schema``), and the counts of the run."""

    table: pa.Table
    counts: MiningCounts


@dataclass(frozen=True, slots=True)
class _ShardJob:
    """Rows of one shard for a worker process, with the paths of the corpus and of its tables.

    ``rows`` are indices in the table of methods; empty means all.
    """

    corpus: Path
    methods: Path
    types: Path
    files: Path
    compat: str
    rows: tuple[int, ...] = ()


def make_schema() -> pa.Schema:
    """Return the schema of the table of mined methods.

    ``type`` is the qualified name of the type, ``words`` the JavaDoc's words, ``kinds`` the
    kinds of the body's tokens (one byte each, see ``tokens``), ``nodes`` the body's size in JDT
    nodes, ``key`` the method's name in SeSaMe: ``Outer.Inner.name(type, type)``.
    """
    import pyarrow as pa

    texts = ("method_id", "project", "path", "type", "name", "signature", "key")
    return pa.schema(
        [
            *((name, pa.string()) for name in texts),
            *((name, pa.int32()) for name in ("line", "end_line", "start_byte", "nodes")),
            *((name, pa.string()) for name in ("javadoc", "words", "text")),
            ("kinds", pa.list_(pa.field("element", pa.uint8()))),
        ]
    )


def mine_methods(
    corpus: Corpus,
    engine: Engine,
    compat: str = "",
    step: Progress = ignore_progress,
) -> Mined:
    """Return the methods of a corpus that pass the filters.

    ``compat="sesame-tools"`` applies the rules of the published tool, also for the JavaDoc's words.
    """
    import pyarrow as pa

    check_compat(compat)
    shards = [_make_shard_job(corpus, shard, compat) for shard in corpus.shards]
    tables_by_shard: dict[int, list[pa.Table]] = {}
    total: Counter[str] = Counter()
    failed = 0
    failed_shards: list[int] = []
    for done, (index, outcome) in enumerate(engine.run(_mine_shard, shards, SHARD_TIMEOUT), 1):
        step("mining", done, len(shards))
        if isinstance(outcome, WorkerLost):
            failed_shards.append(index)
        else:
            tables_by_shard.setdefault(index, []).append(outcome[0])
            total.update(outcome[1])
    # Retry the rows of failed shards one by one, so that only the failing row is lost.
    retries = [(index, row) for index in failed_shards for row in _split_into_rows(shards[index])]
    for retry, outcome in engine.run(_mine_shard, [row for _, row in retries], SHARD_TIMEOUT):
        if isinstance(outcome, WorkerLost):
            failed += 1
        else:
            tables_by_shard.setdefault(retries[retry][0], []).append(outcome[0])
            total.update(outcome[1])
    by_project: dict[str, list[pa.Table]] = {}
    for index in sorted(tables_by_shard):
        by_project.setdefault(corpus.project_of_shard[index], []).extend(tables_by_shard.pop(index))
    # Sort each project separately: a text column to reorder must be smaller than 2 GiB.
    order = [(name, "ascending") for name in ("path", "start_byte", "method_id")]
    tables = [
        pa.concat_tables(by_project[name]).sort_by(order).combine_chunks()
        for name in sorted(by_project)
    ]
    table = pa.concat_tables(tables) if tables else make_schema().empty_table()
    counts = {name: total[name] for name in FILTERS}
    number = sum(counts.values()) + table.num_rows + failed
    return Mined(table, MiningCounts(number, table.num_rows, counts, failed))


def write_methods(table: pa.Table, path: Path) -> None:
    """Write the table as Parquet, atomically and with reproducible bytes."""
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        pq.write_table(table, part, row_group_size=_ROW_GROUP, compression="zstd")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _make_shard_job(corpus: Corpus, shard: str, compat: str) -> _ShardJob:
    methods, types, files = (
        corpus.table_path(shard, name).absolute() for name in ("methods", "types", "files")
    )
    return _ShardJob(corpus.folder.absolute(), methods, types, files, compat)


def _split_into_rows(shard: _ShardJob) -> list[_ShardJob]:
    import pyarrow.parquet as pq

    count = pq.read_metadata(shard.methods).num_rows
    return [replace(shard, rows=(row,)) for row in range(count)]


def _mine_shard(shard: _ShardJob) -> tuple[pa.Table, Counter[str]]:
    import pyarrow as pa

    qualified_names, skipped_types = _read_types(shard)
    total: Counter[str] = Counter()
    tables: list[pa.Table] = []
    for rows in _read_batches(shard):
        chosen = []
        for row in rows:
            filter_name = find_dropping_filter(
                row, shard.compat, lambda method_row: skipped_types.get(method_row["type_id"], "")
            )
            if filter_name:
                total[filter_name] += 1
            else:
                chosen.append(row)
        mined_rows = []
        for row, body in zip(chosen, measure_bodies([row["text"] for row in chosen]), strict=True):
            javadoc_words = extract_words(row["javadoc"], shard.compat)
            filter_name = _find_body_filter(body, javadoc_words)
            if filter_name:
                total[filter_name] += 1
            else:
                mined_rows.append(_make_row(row, body, javadoc_words, qualified_names))
        tables.append(_make_table(mined_rows))
    return pa.concat_tables([make_schema().empty_table(), *tables]).combine_chunks(), total


def _find_body_filter(body: Body, javadoc_words: str) -> str:
    if not body.nodes:
        return UNREAD
    if body.nodes < LEAST_NODES and not body.infix:
        return SMALL
    if body.throws:
        return THROWING
    return "" if javadoc_words else BLANK


def _make_row(
    row: Row, body: Body, javadoc_words: str, qualified_names: Mapping[bytes, str]
) -> Row:
    return {
        **{name: row[name] for name in _COPIED_COLUMNS},
        "method_id": str(uuid.UUID(bytes=row["method_id"])),
        "type": qualified_names.get(row["type_id"], row["type"]),
        "key": f"{row['type']}.{format_signature(row)}",
        "nodes": body.nodes,
        "words": javadoc_words,
        "kinds": body.kinds,
    }


def _make_table(rows: Sequence[Row]) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    lengths = np.array([0, *(len(row["kinds"]) for row in rows)], dtype=np.int32)
    data = np.frombuffer(b"".join(row["kinds"] for row in rows), dtype=np.uint8)
    arrays = []
    for column in make_schema():
        if column.name == "kinds":
            offsets = pa.array(np.cumsum(lengths, dtype=np.int32))
            arrays.append(pa.ListArray.from_arrays(offsets, pa.array(data), type=column.type))
        else:
            arrays.append(pa.array([row[column.name] for row in rows], type=column.type))
    return pa.Table.from_arrays(arrays, schema=make_schema())


def _read_types(shard: _ShardJob) -> tuple[dict[bytes, str], dict[bytes, str]]:
    """Return the qualified names of types, and the filters of types that the tool skips, by id.

    The filters are empty unless the tool's rules apply.
    """
    types = {row["type_id"]: row for row in _read_all_rows(shard, shard.types, _TYPE_COLUMNS)}
    qualified_names = {type_id: row["qualified"] for type_id, row in types.items()}
    if shard.compat != SESAME_TOOLS:
        return qualified_names, {}
    files = _read_all_rows(shard, shard.files, ("file_id", "path"))
    return qualified_names, find_skipped_types(
        types, {row["file_id"]: row["path"] for row in files}
    )


def _read_all_rows(shard: _ShardJob, path: Path, columns: Sequence[str]) -> list[Row]:
    return [row for rows in _read_rows(shard, path, columns) for row in rows]


def _read_batches(shard: _ShardJob) -> Iterator[list[Row]]:
    if not shard.rows:
        yield from _read_rows(shard, shard.methods, _METHOD_COLUMNS)
        return
    first = 0
    row_indices = set(shard.rows)
    for rows in _read_rows(shard, shard.methods, _METHOD_COLUMNS):
        yield [row for index, row in enumerate(rows, first) if index in row_indices]
        first += len(rows)


def _read_rows(shard: _ShardJob, path: Path, columns: Sequence[str]) -> Iterator[list[Row]]:
    """Yield a table's rows in batches, with ids as bytes.

    Any failure means that the corpus is damaged, and the error says so.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from codeacumen.corpus.manifest import damaged_corpus_error
    from codeacumen.corpus.parquet import column_to_values

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=list(columns)):
                table = pa.Table.from_batches([batch])
                values = [column_to_values(table[name]) for name in columns]
                yield [
                    dict(zip(columns, row_values, strict=True))
                    for row_values in zip(*values, strict=True)
                ]
    except (OSError, pa.ArrowException) as error:
        raise damaged_corpus_error(shard.corpus, path) from error
