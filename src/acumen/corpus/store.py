"""A corpus that is built: methods by id, their views, the calls between them, and SQL.

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
import pyarrow.compute as pc
import pyarrow.parquet as pq

from acumen.api import AcumenError, Json, View
from acumen.corpus.index import Index, Numbers
from acumen.corpus.manifest import Manifest, read_manifest
from acumen.lang.java.file import JavaFile
from acumen.registry import make_view

if TYPE_CHECKING:
    import duckdb

Id = str | uuid.UUID
Row = dict[str, Any]


class Corpus:
    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self.index = Index(folder / "index")
        self._parquet = lru_cache(maxsize=256)(_open)
        self._file = lru_cache(maxsize=4)(self._parsed)

    @classmethod
    def open(cls, folder: str | Path) -> Corpus:
        folder = Path(folder)
        manifest = read_manifest(folder)
        if manifest is None:
            raise AcumenError(f"{folder} holds no corpus", "`acumen corpus build` makes one")
        if not manifest.complete:
            raise AcumenError(
                f"the corpus in {folder} is not finished",
                "run the same `acumen corpus build` again: it goes on where it was",
            )
        return cls(folder, manifest)

    # ---------------------------------------------------------------- rows by id

    @cached_property
    def shards(self) -> tuple[str, ...]:
        return tuple(shard for shards in self.manifest.shards.values() for shard in shards)

    @cached_property
    def _first(self) -> Any:
        """The number of each shard's first method."""
        counts = [self._rows(shard) for shard in self.shards]
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def _rows(self, shard: str) -> int:
        return int(self._parquet(self._table(shard, "methods")).metadata.num_rows)

    def _table(self, shard: str, table: str) -> Path:
        return self.folder / "shards" / shard / f"{table}.parquet"

    def __len__(self) -> int:
        return len(self.index.numbers)

    def number(self, method: Id) -> int:
        try:
            wanted = method if isinstance(method, uuid.UUID) else uuid.UUID(str(method))
        except ValueError:
            raise AcumenError(
                f"{method!r} is no id of a method", "an id looks like 0b6f6f5e-..., 36 characters"
            ) from None
        number = self.index.number(wanted)
        if number < 0:
            raise AcumenError(f"there is no method {method} in {self.folder}")
        return number

    def row(self, table: str, number: int, columns: Sequence[str] | None = None) -> Row:
        """A method's row in a table of the shards: ``methods``, or that of a view."""
        return self.rows(table, [number], columns)[0]

    def rows(
        self, table: str, numbers: Sequence[int], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Rows of several methods; each stretch of a file is read once."""
        wanted = np.asarray(numbers, dtype=np.int64)
        found: dict[int, Row] = {}
        places = np.searchsorted(self._first, wanted, side="right") - 1
        for place in np.unique(places).tolist():
            file = self._parquet(self._table(self.shards[place], table))
            mine = np.unique(wanted[places == place])
            first = int(self._first[place])
            for group in range(file.metadata.num_row_groups):
                stop = first + file.metadata.row_group(group).num_rows
                here = mine[(mine >= first) & (mine < stop)]
                if len(here):
                    rows = file.read_row_group(group, columns=columns).take(here - first)
                    found |= zip(here.tolist(), map(_told, rows.to_pylist()), strict=True)
                first = stop
        return [found[number] for number in wanted.tolist()]

    def method(self, method: Id) -> Row:
        """Everything about a method: name, place, types, JavaDoc, text."""
        return self.row("methods", self.number(method))

    def view(self, method: Id, name: str, compat: str = "") -> Json:
        """One representation of a method, as JSON; ``compat`` as another tool would give it."""
        if name == "calls":
            return self.calls(method)
        return self.value(self._view(name), self.number(method), compat)

    def value(self, view: View, number: int, compat: str = "") -> Json:
        row = self.row("methods", number)
        compat_of(view, compat)
        if not compat and all(table.name in self.stored for table in view.tables):
            rows = {table.name: self.row(table.name, number) for table in view.tables}
            return view.value(row, rows)
        file = self._file(row["file_id"])
        if compat:
            return view.compatible(compat, file, row["place"])
        return view.value(row, computed_rows(view, file, row))

    @lru_cache(maxsize=16)  # noqa: B019
    def _view(self, name: str) -> View:
        return make_view(name)

    @cached_property
    def stored(self) -> frozenset[str]:
        """Tables of views that the shards hold."""
        return frozenset(
            file.stem
            for shard in self.shards[:1]
            for file in self._table(shard, "x").parent.iterdir()
        )

    def _parsed(self, file_id: str) -> JavaFile:
        found = self.query("select source from files where file_id = ?", [file_id])
        return JavaFile(found["source"][0].as_py().encode())

    # ---------------------------------------------------------------- along the calls

    def callees(self, method: Id, depth: int = 1, *, guesses: bool = True) -> list[Row]:
        """Methods that this one may call, nearest first; each with its ``depth``. Without
        ``guesses`` only those whose receiver's type is known."""

        def step(numbers: Numbers) -> Numbers:
            return self.index.sets.gather(self.index.calls.gather(numbers, guesses=guesses))

        return self._walk(self.number(method), depth, step)

    def callers(self, method: Id, depth: int = 1, *, guesses: bool = True) -> list[Row]:
        """Methods that may call this one, nearest first; each with its ``depth``."""

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
        columns = ["method_id", "project", "path", "line", "type", "name", "signature"]
        return self.rows("methods", numbers, columns)

    def calls(self, method: Id) -> list[Row]:
        """The calls that stand in a method, in their order, each with the methods it may reach."""
        row = self.method(method)
        found = self.query(
            "select start_byte, line, kind, reference, ambiguous, inside, callee, targets "
            "from calls where project = ? and path = ? and caller_id = ? order by start_byte",
            [row["project"], row["path"], row["method_id"]],
        )
        first = self.sets_by_targets(row["project"])
        calls = []
        for call in found.to_pylist():
            targets = call.pop("targets")
            numbers = self.index.sets[first[targets]].tolist() if targets is not None else []
            ids = [row["method_id"] for row in self.rows("methods", numbers, ["method_id"])]
            calls.append({**call, "targets": ids})
        return calls

    @lru_cache(maxsize=4)  # noqa: B019
    def sets_by_targets(self, project: str) -> dict[int, int]:
        found = pq.read_table(self.folder / "dispatch.parquet", columns=["project", "targets"])
        pairs = zip(found["project"].to_pylist(), found["targets"].to_pylist(), strict=True)
        return {targets: place for place, (name, targets) in enumerate(pairs) if name == project}

    def siblings(self, method: Id) -> list[Row]:
        """The other methods of the type that declares this one."""
        number = self.number(method)
        place = int(np.searchsorted(self._first, number, side="right")) - 1
        file = self._parquet(self._table(self.shards[place], "methods"))
        # All methods of a type stand in one shard.
        ids = file.read(columns=["file_id", "type_id"])
        first = int(self._first[place])
        same = np.ones(len(ids), dtype=np.bool_)
        for column in ids.columns:
            stored = pa.chunked_array([chunk.storage for chunk in column.chunks], pa.binary(16))
            one = stored[number - first]
            equal = pc.equal(stored, one) if one.is_valid else pc.is_null(stored)
            same &= equal.fill_null(False).to_numpy()
        same[number - first] = False
        return self.brief((np.flatnonzero(same) + first).tolist())

    def type_of(self, method: Id) -> Row:
        return self._one("types", "type_id", self.method(method)["type_id"])

    def file_of(self, method: Id) -> Row:
        return self._one("files", "file_id", self.method(method)["file_id"])

    def project_of(self, method: Id) -> Row:
        return self._one("projects", "project_id", self.method(method)["project_id"])

    def _one(self, table: str, column: str, wanted: str) -> Row:
        rows = self.query(f"select * from {table} where {column} = ?", [wanted])
        return dict(rows.to_pylist()[0])

    # ---------------------------------------------------------------- SQL

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB, with each table of the store as a view."""
        import duckdb

        connection = duckdb.connect(config={"autoinstall_known_extensions": False})
        for name, files in self.tables().items():
            listed = ", ".join(f"'{str(file).replace(chr(39), chr(39) * 2)}'" for file in files)
            connection.execute(f"create view {name} as select * from read_parquet([{listed}])")
        connection.execute(_EDGES)
        return connection

    def tables(self) -> dict[str, list[Path]]:
        """Each table's files, in order."""
        found = {
            name: [self.folder / f"{name}.parquet"] for name in ("projects", "dispatch", "numbers")
        }
        for name in sorted(self.stored):
            found[name] = [self._table(shard, name) for shard in self.shards]
        found["calls"] = [
            self.folder / "calls" / link / f"{shard}.parquet"
            for project, link in self.manifest.links.items()
            for shard in self.manifest.shards[project]
        ]
        return {name: files for name, files in found.items() if files}

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        import duckdb

        try:
            found = self.connection.sql(sql, params=list(parameters))
            if found is None:
                raise AcumenError("that is no question", "a query begins with select or with")
            return found.to_arrow_table()
        except duckdb.Error as error:
            tables = ", ".join([*self.tables(), "edges"])
            raise AcumenError(str(error), f"the tables are {tables}") from error


_EDGES = """
create view edges as
select caller_id, m.method_id as callee_id, c.project, c.path, c.line, c.kind, c.ambiguous
from calls c
join (select project, targets, unnest(callees) as number from dispatch) d
  on c.project = d.project and c.targets = d.targets
join numbers m on m.number = d.number
"""


def _told(row: Mapping[str, Any]) -> Row:
    """A row as DuckDB gives it: ids are text."""
    return {
        name: str(value) if isinstance(value, uuid.UUID) else value for name, value in row.items()
    }


def _open(path: Path) -> pq.ParquetFile:
    return pq.ParquetFile(path, memory_map=True)


def compat_of(view: View, compat: str) -> None:
    """Refuse what a view does not know."""
    if compat and compat not in view.compats:
        known = ", ".join(view.compats) or "none"
        raise AcumenError(
            f"the view {view.name} knows no tool called {compat!r}", f"it knows {known}"
        )


def computed_rows(view: View, file: JavaFile, row: Mapping[str, Any]) -> dict[str, Row]:
    """What the store would hold, for a corpus that does not."""
    places = [method.int >> 64 for method in _ids(file, row)]
    at = file.bodies.index(row["place"])
    seeds = np.array(places, dtype=np.uint64)
    return {
        table.name: {name: lists[at] for name, lists in table.columns(file, seeds).items()}
        for table in view.tables
    }


def _ids(file: JavaFile, row: Mapping[str, Any]) -> list[uuid.UUID]:
    from acumen.corpus.ids import method_ids

    found = method_ids(row["project"], row["path"], file.declarations)
    return [found[place] for place in file.bodies]
