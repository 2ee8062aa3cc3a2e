"""Open a corpus: methods by id, their views, the calls between them, and SQL.

corpus = Corpus.open("corpus")
method = corpus.method("5c3f...")
corpus.view(method["method_id"], "ast")
corpus.callers(method["method_id"], depth=2)
corpus.query("select project, count(*) from methods group by 1")
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
from codeacumen.corpus.ids import targets_name
from codeacumen.corpus.index import Numbers
from codeacumen.corpus.integrity import REPAIR, unreadable
from codeacumen.corpus.manifest import NAME, Manifest, read_manifest
from codeacumen.corpus.stored import Row, Stored
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view

if TYPE_CHECKING:
    import duckdb

Id = str | uuid.UUID

# Calls are shown like a view, but every corpus stores them and the registry has no such view.
CALLS = "calls"


class Corpus(Stored):
    """A corpus: its methods, their views, the calls between them, and SQL.

    ``Corpus.open(folder)`` opens a corpus; ``len(corpus)`` is the number of its methods.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        super().__init__(folder, manifest)
        self._file = lru_cache(maxsize=4)(self._parsed)

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
        return len(self.index.numbers)

    def number(self, method: Id) -> int:
        """Return the number of a method, its position in the order of the shards."""
        try:
            wanted = method if isinstance(method, uuid.UUID) else uuid.UUID(str(method))
        except ValueError:
            raise CodeacumenError(
                f"{method!r} is no id of a method", "an id looks like 0b6f6f5e-..., 36 characters"
            ) from None
        number = self.index.number(wanted)
        if number < 0:
            raise CodeacumenError(f"there is no method {method} in {self.folder}")
        return number

    def method(self, method: Id) -> Row:
        """Return the row of a method: name, location, types, JavaDoc, text and more."""
        return self.row("methods", self.number(method))

    def view(self, method: Id, name: str, compat: str = "") -> Json:
        """Return a view of a method as JSON.

        ``compat`` names a tool: the view is then that tool's output, None if it skips the method.
        """
        if name == CALLS:
            compat_of(None, compat)
            return self.calls(method)
        return self.value(self._view(name), self.number(method), compat)

    def value(self, view: View, number: int, compat: str = "") -> Json:
        """Return a view of a method by number, from stored rows if the corpus has them."""
        compat_of(view, compat)
        row = self.row("methods", number)
        # The view ``text`` has no tables and also works for methods without a body.
        if not row["body"] and (compat or view.tables):
            raise CodeacumenError(
                f"{row['type']}.{row['signature']} has no body",
                f"the view {view.name} needs a method with a body",
            )
        if not compat and all(table.name in self.stored for table in view.tables):
            rows = {table.name: self.row(table.name, number) for table in view.tables}
            return view.value(row, rows)
        file = self._file(self.shard_of(number), row["file_id"])
        if compat:
            return view.compatible(compat, file, row["place"])
        return view.value(row, computed_rows(view, file, row))

    @lru_cache(maxsize=16)  # noqa: B019
    def _view(self, name: str) -> View:
        return make_view(name)

    def _parsed(self, shard: int, file_id: str) -> JavaFile:
        path = self.table(self.shards[shard], "files")
        (found,) = self.take(path, self.where(path, "file_id", file_id), ["source"])
        return JavaFile(found["source"].encode())

    # ---------------------------------------------------------------- along the calls

    def callees(self, method: Id, depth: int = 1, *, guesses: bool = True) -> list[Row]:
        """Return the methods that this one may call, nearest first, each with its ``depth``.

        Without ``guesses``, only calls whose receiver's type is known are followed.
        """

        def step(numbers: Numbers) -> Numbers:
            return self.index.sets.gather(self.index.calls.gather(numbers, guesses=guesses))

        return self._walk(self.number(method), depth, step)

    def callers(self, method: Id, depth: int = 1, *, guesses: bool = True) -> list[Row]:
        """Return the methods that may call this one, nearest first, each with its ``depth``."""

        def step(numbers: Numbers) -> Numbers:
            sets = self.index.within.gather(numbers)
            return self.index.callers.gather(sets, guesses=guesses)

        return self._walk(self.number(method), depth, step)

    def _walk(self, start: int, depth: int, step: Callable[[Numbers], Numbers]) -> list[Row]:
        seen = np.zeros(len(self), dtype=np.bool_)
        seen[start] = True
        front: Numbers = np.array([start], dtype=np.int32)
        found: list[Row] = []
        for level in range(1, depth + 1):
            front = step(front)
            front = front[~seen[front]]
            if not len(front):
                break
            seen[front] = True
            found += [{**row, "depth": level} for row in self.brief(front.tolist())]
        return found

    def brief(self, numbers: Sequence[int]) -> list[Row]:
        """Return id, location, type, name and signature of methods by number."""
        columns = ["method_id", "project", "path", "line", "type", "name", "signature"]
        return self.rows("methods", numbers, columns)

    def calls(self, method: Id) -> list[Row]:
        """Return the calls in a method, in order, each with the methods it may reach."""
        number = self.number(method)
        shard = self.shard_of(number)
        project = self.project_of_shard[shard]
        path = self.calls_of(project, self.shards[shard])
        found = self.take(path, self.where(path, "caller_id", str(method)), _CALL)
        # The name of a set is computed from its members' numbers inside the project.
        sets = [self.index.sets[one] for one in self.index.calls[number].tolist()]
        first = self.first_of(project)
        members = {targets_name(one - first): one.tolist() for one in sets}
        ids = self.ids_of(np.unique(np.concatenate([np.empty(0, np.int64), *sets])))
        return [
            {**call, "targets": [ids[one] for one in members.get(call["targets"], ())]}
            for call in found
        ]

    def siblings(self, method: Id) -> list[Row]:
        """Return the other methods of the type that declares this one."""
        number = self.number(method)
        shard = self.shard_of(number)
        path, first = self.table(self.shards[shard], "methods"), int(self.first[shard])
        row = self.row("methods", number, ["file_id", "type_id"])
        # All methods of a file are in one shard; methods without a type (JavaScript) share none.
        same = self.where(path, "file_id", row["file_id"]) + first
        types = self.rows("methods", same.tolist(), ["type_id"])
        return self.brief(
            [
                one
                for one, other in zip(same.tolist(), types, strict=True)
                if other["type_id"] == row["type_id"] and one != number
            ]
        )

    def type_of(self, method: Id) -> Row:
        """Return the row of the type that declares a method."""
        return self._of(method, "types", "type_id")

    def file_of(self, method: Id) -> Row:
        """Return the row of the file of a method."""
        return self._of(method, "files", "file_id")

    def _of(self, method: Id, table: str, column: str) -> Row:
        number = self.number(method)
        wanted = self.row("methods", number, [column])[column]
        return self.row_with(self.shards[self.shard_of(number)], table, column, wanted)

    def project_of(self, method: Id) -> Row:
        """Return the row of the project of a method."""
        wanted = self.row("methods", self.number(method), ["project_id"])["project_id"]
        path = self.folder / "projects.parquet"
        return self.take(path, self.where(path, "project_id", wanted))[0]

    # ---------------------------------------------------------------- SQL

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """A DuckDB connection with each table of the store, and ``edges``, as SQL views."""
        import duckdb

        connection = duckdb.connect(config={"autoinstall_known_extensions": False})
        for name, files in self.tables().items():
            listed = ", ".join(f"'{str(file).replace(chr(39), chr(39) * 2)}'" for file in files)
            connection.execute(f"create view {name} as select * from read_parquet([{listed}])")
        connection.execute(_EDGES)
        return connection

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """Return the result of one SQL query; equal column names are kept."""
        import duckdb

        try:
            asked = duckdb.extract_statements(sql)
            if len(asked) != 1 or asked[0].type != duckdb.StatementType.SELECT:
                raise CodeacumenError(
                    "not a single query" if asked else "the query is empty",
                    "write one statement that begins with select or with",
                )
            return self.connection.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            files = (file for files in self.tables().values() for file in files)
            damaged = next((file for file in files if str(file) in str(error)), None)
            if damaged is not None:
                raise unreadable(self.folder, damaged) from error
            tables = ", ".join([*self.tables(), "edges"])
            raise CodeacumenError(str(error), f"the tables are {tables}") from error


_CALL = ["start_byte", "line", "kind", "reference", "ambiguous", "inside", "callee", "targets"]
_EDGES = """
create view edges as
select caller_id, m.method_id as callee_id, c.project, c.path, c.line, c.kind, c.ambiguous
from calls c
join (select project, targets, unnest(callees) as number from dispatch) d
  on c.project = d.project and c.targets = d.targets
join numbers m on m.number = d.number
"""


def compat_of(view: View | None, compat: str) -> None:
    """Raise an error if a view does not support a tool; ``view`` is None for the calls."""
    known = view.compats if view else {}
    if compat and compat not in known:
        raise CodeacumenError(
            f"the view {view.name if view else CALLS} does not support the tool {compat!r}",
            f"it supports {', '.join(known) or 'none'}; "
            "`codeacumen corpus show CORPUS` lists views and tools",
        )


def computed_rows(view: View, file: JavaFile, row: Mapping[str, Any]) -> dict[str, Row]:
    """Return the rows that the store would hold, computed for a corpus without the view."""
    places = [method.int >> 64 for method in _ids(file, row)]
    at = file.bodies.index(row["place"])
    seeds = np.array(places, dtype=np.uint64)
    return {
        table.name: {name: lists[at] for name, lists in table.columns(file, seeds).items()}
        for table in view.tables
    }


def _ids(file: JavaFile, row: Mapping[str, Any]) -> list[uuid.UUID]:
    from codeacumen.corpus.ids import method_ids

    found = method_ids(row["project"], row["path"], file.declarations)
    return [found[place] for place in file.bodies]
