"""Open a corpus: methods by id, their views, the calls between them, and SQL.

corpus = Corpus.open("corpus")
method = corpus.method("5c3f...")
corpus.view(method["method_id"], "ast")
corpus.callers(method["method_id"], depth=2)
corpus.query("select project, count(*) from methods group by 1")

A method has an id, which is stable, and a number, which is its position in this corpus. The column
``place`` of a row is the index of the method in the declarations of its file.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from codeacumen.api import CodeacumenError, Json, View
from codeacumen.corpus.ids import name_target_set
from codeacumen.corpus.index import Numbers
from codeacumen.corpus.manifest import NAME, REPAIR, Manifest, damaged_corpus_error, read_manifest
from codeacumen.corpus.stored_corpus import Row, StoredCorpus
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view

if TYPE_CHECKING:
    import duckdb

# The id of a method (``corpus.ids``).
Id = str | uuid.UUID

# Calls are shown like a view, but every corpus stores them and the registry has no such view.
CALLS = "calls"


class Corpus(StoredCorpus):
    """A corpus: its methods, their views, the calls between them, and SQL.

    ``Corpus.open(folder)`` opens a corpus; ``len(corpus)`` is the number of its methods. A row is a
    dictionary by column of ``corpus.schema``, with ids as text.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        super().__init__(folder, manifest)
        self._file = lru_cache(maxsize=4)(self._parse_file)

    @classmethod
    def open(cls, folder: str | Path) -> Corpus:
        """Open the corpus in a folder; an unfinished or missing corpus is an error."""
        folder = Path(folder)
        manifest = read_manifest(folder)
        if manifest is None:
            if (folder / "shards").is_dir():
                raise CodeacumenError(f"{folder / NAME} is missing", REPAIR)
            absent = "" if folder.exists() else ": there is no such folder"
            raise CodeacumenError(
                f"{folder} holds no corpus{absent}", "`codeacumen corpus build` makes a corpus"
            )
        if not manifest.complete:
            raise CodeacumenError(
                f"the corpus in {folder} is not finished",
                "run the same `codeacumen corpus build` again: it goes on where it stopped",
            )
        return cls(folder, manifest)

    # ---------------------------------------------------------------- methods by id

    def __len__(self) -> int:
        return len(self.index.numbers_by_id)

    def number_of(self, method: Id) -> int:
        """Return the number of a method, its position in the order of the shards."""
        try:
            method_id = method if isinstance(method, uuid.UUID) else uuid.UUID(str(method))
        except ValueError:
            raise CodeacumenError(
                f"{method!r} is no id of a method", "an id looks like 0b6f6f5e-..., 36 characters"
            ) from None
        number = self.index.find_number(method_id)
        if number < 0:
            raise CodeacumenError(f"there is no method {method} in {self.folder}")
        return number

    def method(self, method: Id) -> Row:
        """Return the row of a method: name, location, types, JavaDoc, text and more."""
        return self.read_row("methods", self.number_of(method))

    def view(self, method: Id, name: str, compat: str = "") -> Json:
        """Return a view of a method as JSON.

        ``compat`` names a tool: the view is then that tool's output, None if the tool skips the
        method. The view ``calls`` returns the rows of ``Corpus.calls``.
        """
        if name == CALLS:
            require_compat(None, compat)
            return self.calls(method)
        return self.compute_view(self._load_view(name), self.number_of(method), compat)

    def compute_view(self, view: View, number: int, compat: str = "") -> Json:
        """Return a view of a method by number, from stored rows if the corpus has them."""
        require_compat(view, compat)
        row = self.read_row("methods", number)
        # A view without tables (``text``) also works for methods without a body.
        if not row["body"] and (compat or view.tables):
            raise CodeacumenError(
                f"{row['type']}.{row['signature']} has no body",
                f"the view {view.name} needs a method with a body",
            )
        if not compat and all(table.name in self.stored_tables for table in view.tables):
            rows = {table.name: self.read_row(table.name, number) for table in view.tables}
            return view.value(row, rows)
        file = self._file(self.shard_of(number), row["file_id"])
        if compat:
            return view.compatible(compat, file, row["place"])
        return view.value(row, compute_rows(view, file, row))

    @lru_cache(maxsize=16)  # noqa: B019
    def _load_view(self, name: str) -> View:
        return make_view(name)

    def _parse_file(self, shard: int, file_id: str) -> JavaFile:
        """Return a file of the shard at a position; ``_file`` caches the result."""
        path = self.table_path(self.shards[shard], "files")
        (row,) = self.take_rows(path, self.find_rows(path, "file_id", file_id), ["source"])
        return JavaFile(row["source"].encode())

    # ---------------------------------------------------------------- along the calls

    def callees(self, method: Id, depth: int = 1, *, guesses: bool = True) -> list[Row]:
        """Return the methods that this one may call, nearest first.

        Each row has the number of calls on the shortest way as ``depth``; ``depth`` limits it.
        Without ``guesses``, ambiguous calls, whose callee is not certain, are not followed.
        """

        def follow_calls(numbers: Numbers) -> Numbers:
            return self.index.target_sets.gather_distinct(
                self.index.called_sets.gather_distinct(numbers, guesses=guesses)
            )

        return self._walk_calls(self.number_of(method), depth, follow_calls)

    def callers(self, method: Id, depth: int = 1, *, guesses: bool = True) -> list[Row]:
        """Return the methods that may call this one, nearest first; see ``callees``."""

        def follow_callers(numbers: Numbers) -> Numbers:
            sets = self.index.containing_sets.gather_distinct(numbers)
            return self.index.set_callers.gather_distinct(sets, guesses=guesses)

        return self._walk_calls(self.number_of(method), depth, follow_callers)

    def _walk_calls(
        self, start: int, depth: int, follow: Callable[[Numbers], Numbers]
    ) -> list[Row]:
        """Return the methods that a breadth-first search reaches, without ``start`` itself.

        ``follow`` returns the distinct neighbours of several methods.
        """
        is_reached = np.zeros(len(self), dtype=np.bool_)
        is_reached[start] = True
        frontier: Numbers = np.array([start], dtype=np.int32)
        rows: list[Row] = []
        # The frontier holds the numbers of the methods that were first reached in the last step.
        for level in range(1, depth + 1):
            frontier = follow(frontier)
            frontier = frontier[~is_reached[frontier]]
            if not len(frontier):
                break
            is_reached[frontier] = True
            rows += [{**row, "depth": level} for row in self.read_summary_rows(frontier.tolist())]
        return rows

    def read_summary_rows(self, numbers: Sequence[int]) -> list[Row]:
        """Return id, location, type, name and signature of methods, given their numbers."""
        columns = ["method_id", "project", "path", "line", "type", "name", "signature"]
        return self.read_rows("methods", numbers, columns)

    def calls(self, method: Id) -> list[Row]:
        """Return the calls in a method, in source order.

        The ``targets`` of a call are the ids of the methods that it may reach.
        """
        number = self.number_of(method)
        shard = self.shard_of(number)
        project = self.project_of_shard[shard]
        path = self.calls_path(project, self.shards[shard])
        rows = self.take_rows(path, self.find_rows(path, "caller_id", str(method)), _CALL)
        # A call's row has the name of its set of targets (``ids.name_target_set``). The name is
        # computed from the members' numbers inside the project, so ``first`` is subtracted.
        target_sets = [
            self.index.target_sets[set_number]
            for set_number in self.index.called_sets[number].tolist()
        ]
        first = self.first_number_of(project)
        members = {
            name_target_set(target_set - first): target_set.tolist() for target_set in target_sets
        }
        ids = self.read_ids(np.unique(np.concatenate([np.empty(0, np.int64), *target_sets])))
        return [
            {**call, "targets": [ids[target] for target in members.get(call["targets"], ())]}
            for call in rows
        ]

    def siblings(self, method: Id) -> list[Row]:
        """Return the other methods of the type that declares this one.

        Methods outside of types are siblings if they are in one file.
        """
        number = self.number_of(method)
        shard = self.shard_of(number)
        path, first = self.table_path(self.shards[shard], "methods"), int(self.first_numbers[shard])
        row = self.read_row("methods", number, ["file_id", "type_id"])
        # All methods of a file, and so of a type, are in one shard.
        numbers = self.find_rows(path, "file_id", row["file_id"]) + first
        types = self.read_rows("methods", numbers.tolist(), ["type_id"])
        return self.read_summary_rows(
            [
                sibling
                for sibling, other in zip(numbers.tolist(), types, strict=True)
                if other["type_id"] == row["type_id"] and sibling != number
            ]
        )

    def type_of(self, method: Id) -> Row:
        """Return the row of the type that declares a method."""
        return self._read_row_of(method, "types", "type_id")

    def file_of(self, method: Id) -> Row:
        """Return the row of the file of a method."""
        return self._read_row_of(method, "files", "file_id")

    def _read_row_of(self, method: Id, table: str, column: str) -> Row:
        """Return the row of ``table`` whose id is in ``column`` of the method's row."""
        number = self.number_of(method)
        row_id = self.read_row("methods", number, [column])[column]
        return self.read_row_with_id(self.shards[self.shard_of(number)], table, column, row_id)

    def project_of(self, method: Id) -> Row:
        """Return the row of the project of a method."""
        project_id = self.read_row("methods", self.number_of(method), ["project_id"])["project_id"]
        path = self.folder / "projects.parquet"
        return self.take_rows(path, self.find_rows(path, "project_id", project_id))[0]

    # ---------------------------------------------------------------- SQL

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """A DuckDB connection with each table of the store, and ``edges``, as SQL views.

        ``edges`` has a row for each call and each method in the project that it may reach.
        """
        import duckdb

        connection = duckdb.connect(config={"autoinstall_known_extensions": False})
        for name, files in self.list_table_files().items():
            file_list = ", ".join(f"'{str(file).replace(chr(39), chr(39) * 2)}'" for file in files)
            connection.execute(f"create view {name} as select * from read_parquet([{file_list}])")
        connection.execute(_EDGES)
        return connection

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """Return the result of one SQL query; several columns may have the same name."""
        import duckdb

        try:
            statements = duckdb.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise CodeacumenError(
                    "not a single query" if statements else "the query is empty",
                    "write one statement that begins with select or with",
                )
            return self.connection.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            files = (file for files in self.list_table_files().values() for file in files)
            damaged = next((file for file in files if str(file) in str(error)), None)
            if damaged is not None:
                raise damaged_corpus_error(self.folder, damaged) from error
            tables = ", ".join([*self.list_table_files(), "edges"])
            raise CodeacumenError(str(error), f"the tables are {tables}") from error

    def find_methods(self, name: str, limit: int) -> list[Row]:
        """Return the first methods with a name or with ``Type.name``, by project, path and line.

        A constructor is ``Type.<init>`` or ``Type.Type``.
        """
        owner, _, short_name = name.rpartition(".")
        are_constructors = short_name == "<init>" or short_name == owner.rpartition(".")[2]
        parameters = [short_name, are_constructors, owner, owner, owner, limit]
        return [dict(row) for row in self.query(_METHODS_BY_NAME, parameters).to_pylist()]


# Columns of a call's row in ``Corpus.calls``.
_CALL = ["start_byte", "line", "kind", "reference", "ambiguous", "inside", "callee", "targets"]
_EDGES = """
create view edges as
select caller_id, m.method_id as callee_id, c.project, c.path, c.line, c.kind, c.ambiguous
from calls c
join (select project, targets, unnest(callees) as number from dispatch) d
  on c.project = d.project and c.targets = d.targets
join numbers m on m.number = d.number
"""
# Parameters: the short name, True if constructors are wanted, the type three times (empty: any
# type), and the limit.
_METHODS_BY_NAME = """
select method_id, project, path, line, type, signature from methods
where (name = ? and kind not like '%constructor' or ? and kind like '%constructor')
and (? = '' or type = ? or type like '%.' || ?)
order by project, path, line limit ?
"""


def is_method_id(text: str) -> bool:
    """Return whether a text has the form of a method's id."""
    return len(text) == 36 and text.count("-") == 4


def require_compat(view: View | None, compat: str) -> None:
    """Raise an error if a view does not support a tool; ``view`` is None for the calls."""
    compats = view.compats if view else {}
    if compat and compat not in compats:
        raise CodeacumenError(
            f"the view {view.name if view else CALLS} does not support the tool {compat!r}",
            f"it supports {', '.join(compats) or 'none'}; "
            "`codeacumen corpus show CORPUS` lists views and tools",
        )


def compute_rows(view: View, file: JavaFile, row: Mapping[str, Any]) -> dict[str, Row]:
    """Return a method's rows of the view's tables, computed from its file.

    They equal the rows that a corpus built with the view stores; ``row`` is the method's row of
    ``methods``.
    """
    # The upper half of each id seeds the view's random samples, as in ``rows._add_java``.
    id_halves = [method.int >> 64 for method in _list_ids_of_bodies(file, row)]
    body = file.bodies.index(row["place"])
    seeds = np.array(id_halves, dtype=np.uint64)
    return {
        table.name: {name: lists[body] for name, lists in table.columns(file, seeds).items()}
        for table in view.tables
    }


def _list_ids_of_bodies(file: JavaFile, row: Mapping[str, Any]) -> list[uuid.UUID]:
    """Return the ids of the methods of a file that have a body; ``row`` is that of any of them."""
    from codeacumen.corpus.ids import compute_method_ids

    ids = compute_method_ids(row["project"], row["path"], file.declarations)
    return [ids[place] for place in file.bodies]
