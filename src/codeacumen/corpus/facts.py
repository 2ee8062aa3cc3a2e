"""Call facts of files and measures of methods as typed columns, stored when a corpus is built.

Linking reads the call facts instead of parsing all files again. ``languages.java.resolve.facts``
describes the facts of one file; here each kind of value is a column with one list per file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from codeacumen.corpus.schema import FACTS
from codeacumen.languages.java.measures.npath import RULES, compute_npath
from codeacumen.languages.java.measures.operators import find_operators, find_readable_methods
from codeacumen.languages.java.resolve.call_sites import Sites, find_name_ends
from codeacumen.languages.java.resolve.facts import extract_facts
from codeacumen.languages.java.syntax.file import JavaFile

# The columns that hold each kind of declaration, in the order of the values of a declaration in
# ``languages.java.resolve.facts``. The components of a record are stored flat: name, type, name,
# type.
_ROWS = {
    key: tuple(name for name in FACTS.names if name.startswith(f"{key[:-1]}_"))
    for key in ("types", "methods", "fields")
}
_COMPONENTS = "type_components"
# The numeric columns of ``Sites``, which explains them: rows of calls and of the expressions around
# them.
_SITES = ("code", "size", "a", "b")


def compute_fact_columns(file: JavaFile) -> dict[str, Any]:
    """Return the call facts of a file, by column of ``FACTS`` except ``file_id`` and ``path``."""
    declared, sites = extract_facts(file)
    columns: dict[str, Any] = {"package": declared["package"], "imports": declared["imports"]}
    for key, names in _ROWS.items():
        values = list(zip(*declared[key], strict=True)) or [()] * len(names)
        columns |= zip(names, values, strict=True)
    columns[_COMPONENTS] = [
        [text for pair in components for text in pair] for components in columns[_COMPONENTS]
    ]
    return {**columns, **sites._asdict(), "name_end": find_name_ends(file, sites)}


def compute_method_measures(file: JavaFile) -> Iterator[dict[str, Any]]:
    """Yield the measures of each method of a file, by column of ``MEASURES``.

    The order is that of ``declarations.methods``.
    """
    method_count = len(file.declarations.methods)
    values = {npath_column_name(rules): compute_npath(file, rules) for rules in RULES}
    counts: list[dict[str, int | None]] = [dict.fromkeys(values)] * method_count
    for body, method in enumerate(file.bodies):
        counts[method] = {name: int(column[body]) for name, column in values.items()}
    occurrences = find_operators(file)
    order = np.argsort(occurrences.method, kind="stable")
    borders = np.searchsorted(occurrences.method[order], np.arange(method_count + 1))
    operator_codes, start = occurrences.which[order], file.syntax.start[occurrences.node[order]]
    for method, is_readable in enumerate(find_readable_methods(file).tolist()):
        own_rows = slice(borders[method], borders[method + 1])
        yield {
            **counts[method],
            "readable": is_readable,
            "operators": operator_codes[own_rows],
            "operator_starts": start[own_rows],
        }


def npath_column_name(rules: str) -> str:
    """Return the name of the column of ``MEASURES`` that holds NPath by these rules."""
    return f"npath_{rules.replace('.', '_')}"


def read_declared(shard: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield path and declarations of each Java file of a shard.

    The declarations have the form that ``languages.java.resolve.facts`` returns.
    """
    names = [name for columns in _ROWS.values() for name in columns]
    table = pq.read_table(shard / "facts.parquet", columns=["path", "package", "imports", *names])
    columns = {name: column_to_lists(table[name]) for name in ("imports", *names)}
    columns[_COMPONENTS] = [
        [list(zip(flat[::2], flat[1::2], strict=True)) for flat in types]
        for types in columns[_COMPONENTS]
    ]
    for row, (path, package) in enumerate(
        zip(table["path"].to_pylist(), table["package"].to_pylist(), strict=True)
    ):
        declared = {"package": package, "imports": columns["imports"][row]}
        for key, column_names in _ROWS.items():
            declared[key] = list(zip(*(columns[name][row] for name in column_names), strict=True))
        yield path, declared


def read_sites(shard: Path) -> Iterator[tuple[str, Sites, NDArray[Any]]]:
    """Yield path, call sites and end offsets of the calls' names of each Java file of a shard.

    There is an end for each row of the sites, -1 for rows that are no call.
    """
    table = pq.read_table(shard / "facts.parquet", columns=["path", "texts", *_SITES, "name_end"])
    texts = column_to_lists(table["texts"])
    columns = [column_to_arrays(table[name]) for name in (*_SITES, "name_end")]
    for path, site_texts, *numbers, end in zip(
        table["path"].to_pylist(), texts, *columns, strict=True
    ):
        yield path, Sites(site_texts, *numbers), end


def column_to_arrays(column: pa.ChunkedArray) -> list[NDArray[Any]]:
    """Return the lists of a numeric column as arrays, slices of one array."""
    lists = _combine_chunks(column)
    values = lists.values.to_numpy(zero_copy_only=False)
    return [values[start:stop] for start, stop in pairwise(lists.offsets.to_pylist())]


def column_to_lists(column: pa.ChunkedArray | pa.Array) -> list[list[Any]]:
    """Return the lists of a column; their elements may be lists again.

    The conversion goes through numpy, because ``to_pylist`` creates an Arrow scalar for each value.
    """
    lists = _combine_chunks(column)
    if pa.types.is_list(lists.values.type):
        values: list[Any] = column_to_lists(lists.values)
    else:
        values = lists.values.to_numpy(zero_copy_only=False).tolist()
    return [values[start:stop] for start, stop in pairwise(lists.offsets.to_pylist())]


def _combine_chunks(column: pa.ChunkedArray | pa.Array) -> pa.ListArray:
    return column if isinstance(column, pa.Array) else column.combine_chunks()
