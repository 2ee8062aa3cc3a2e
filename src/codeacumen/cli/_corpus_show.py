"""Print a corpus, its methods, and answers to queries."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import typer

from codeacumen.api import CodeacumenError, Json
from codeacumen.cli._output import print_facts, print_json, print_note, print_table
from codeacumen.corpus.manifest import REPAIR

if TYPE_CHECKING:
    import pyarrow as pa

    from codeacumen.corpus import Corpus

# Maximum number of rows of a table that are printed; --json has all.
ROWS_SHOWN = 20
# Keys of a corpus's description whose values are counts by name.
_STATISTICS = (
    "methods_by_split",
    "method_kinds",
    "type_kinds",
    "languages",
    "origins",
    "encodings",
)


# --------------------------------------------------------------------------------------
# A corpus
# --------------------------------------------------------------------------------------


def print_corpus(description: Json, *, as_json: bool) -> None:
    """Print what ``describe_corpus`` returns: counts, projects, statistics, problems, views.

    Problems are remarks about files, some of which were left out of the corpus.
    """
    if as_json:
        print_json(description)
        return
    totals = [(name.replace("_", " "), f"{n:,}") for name, n in description["totals"].items()]
    print_facts(description["folder"], [*totals, *_list_statistics(description)])
    _print_projects(description["projects"])
    if description["problems"]:
        rows = [
            [problem["kind"], f"{problem['files']:,}", f"{problem['skipped']:,}"]
            for problem in description["problems"]
        ]
        print_table(["remark", "files", "left out"], rows, right=(1, 2))
    _print_views(description["views"])


def _list_statistics(description: Json) -> list[tuple[str, str]]:
    lines = ", ".join(f"{name} {n}" for name, n in description["lines_of_a_method"].items())
    facts = [("lines of a method", lines)]
    for key in _STATISTICS:
        counts = ", ".join(f"{name} {n:,}" for name, n in description[key].items())
        facts.append((key.replace("_", " "), counts))
    return facts


def _print_projects(projects: list[Json]) -> None:
    # What fits into 80 columns; --json has the rest.
    columns = ["project", "split", "files", "methods", "bodies", "JavaDoc", "calls", "licence"]
    numbers = ("files", "methods", "bodies", "javadoc", "calls")
    rows = [
        [
            project["project"],
            project["split"],
            *(f"{project[key]:,}" for key in numbers),
            ", ".join(project["licences"]),
        ]
        for project in projects
    ]
    print_table(columns, rows, right=range(2, 7), wide=7)


def _print_views(views: list[Json]) -> None:
    rows = [
        [
            view["name"],
            view["summary"],
            "yes" if view["stored"] else "no",
            ", ".join(view["tools"]),
            view["origin"],
        ]
        for view in views
    ]
    print_table(["view", "content", "stored", "--compat", "from"], rows, wide=1)


# --------------------------------------------------------------------------------------
# An audit
# --------------------------------------------------------------------------------------


def print_audit(audit: Json) -> None:
    if not audit["intact"]:
        _print_damage(audit)
        return
    if audit["duplicates_skipped"]:
        print_facts("", [("intact", "yes"), ("near-duplicates", _format_reason(audit))])
        return
    facts = [
        ("intact", "yes"),
        ("clusters of near-duplicates", f"{audit['clusters']:,}"),
        ("methods in them", f"{audit['methods_in_clusters']:,}"),
        ("largest", f"{audit['largest_cluster']:,}"),
        ("pairs across projects", f"{audit['across_projects']:,}"),
    ]
    title = (
        f"methods of {audit['shortest']} tokens or more, similarity {audit['threshold']} or more"
    )
    print_facts(title, facts)
    rows = [
        [finding["where"], f"{finding['pairs']:,}", f"{finding['methods']:,}"]
        for finding in audit["findings"]
    ]
    print_table(["where", "pairs", "methods"], rows, right=(1, 2))
    for finding in audit["findings"]:
        if finding["examples"]:
            _print_examples(finding)


def _print_damage(audit: Json) -> None:
    rows = [[damage, file] for damage in ("missing", "changed") for file in audit[damage]]
    print_facts("", [("intact", "no"), ("near-duplicates", _format_reason(audit))])
    print_table(["damage", "file"], rows[:ROWS_SHOWN], caption=_format_rest(rows), wide=1)
    print_note(f"hint: {REPAIR}")


def _format_reason(audit: Json) -> str:
    return f"not searched: {audit['duplicates_skipped']}"


def _format_rest(rows: Sequence[Any]) -> str:
    more = len(rows) - ROWS_SHOWN
    return f"and {more:,} more" if more > 0 else ""


def _print_examples(finding: Json) -> None:
    rows = []
    for example in finding["examples"]:
        for position, method in enumerate(example["methods"]):
            similarity = f"{example['similarity']:.2f}" if not position else ""
            name = f"{method['type']}.{method['name']}"
            rows.append([similarity, method["project"], name, f"{method['path']}:{method['line']}"])
    columns = ["similarity", "project", "method", "file"]
    print_table(columns, rows, title=finding["where"], wide=3)


# --------------------------------------------------------------------------------------
# A method
# --------------------------------------------------------------------------------------


def _find_method(corpus: Corpus, name: str, *, as_json: bool) -> str:
    """Return the id of the method of a name; print the candidates where there are several."""
    from codeacumen.corpus.store import is_method_id

    if is_method_id(name):
        return name
    methods = corpus.find_methods(name, ROWS_SHOWN + 1)
    if len(methods) == 1:
        return str(methods[0]["method_id"])
    if not methods:
        raise CodeacumenError(
            f"there is no method called {name!r}", "a name, Type.name, Type.<init>, or an id"
        )
    number = f"more than {ROWS_SHOWN}" if len(methods) > ROWS_SHOWN else str(len(methods))
    ambiguity = f"{number} methods are called {name!r}"
    if as_json:
        ids = ", ".join(str(method["method_id"]) for method in methods[:ROWS_SHOWN])
        raise CodeacumenError(ambiguity, f"choose one by its id: {ids}")
    rows = [
        [
            str(method["method_id"]),
            f"{method['type']}.{method['signature']}\n"
            f"{method['project']}, {method['path']}:{method['line']}",
        ]
        for method in methods[:ROWS_SHOWN]
    ]
    print_table(["id", "method"], rows, wide=1)
    raise CodeacumenError(ambiguity, "choose one by its id")


def print_view(corpus: Corpus, method: str, view: str, compat: str, *, as_json: bool) -> None:
    """Print a view of the method of a name: text as it is, other values as JSON."""
    value = corpus.view(_find_method(corpus, method, as_json=as_json), view, compat)
    if value is None and compat:
        raise CodeacumenError(
            f"{compat} prints nothing for this method",
            "it leaves out constructors, and methods with nothing in them",
        )
    as_text = isinstance(value, str) and not as_json
    typer.echo(value if as_text else json.dumps(value, default=str))


def print_method(corpus: Corpus, method: str, depth: int, *, as_json: bool) -> None:
    """Print the method of a name, its callers and its callees."""
    method_id = _find_method(corpus, method, as_json=as_json)
    row = corpus.method(method_id)
    callers, callees = corpus.callers(method_id, depth), corpus.callees(method_id, depth)
    calls = corpus.calls(method_id)
    if as_json:
        described = {**row, "callers": callers, "callees": callees, "calls": calls}
        typer.echo(json.dumps(described, indent=1, default=str))
        return
    keys = ("project", "split", "path", "line", "kind", "type", "signature", "returns")
    print_facts(str(row["method_id"]), [(key, str(row[key])) for key in keys])
    typer.echo(row["javadoc"])
    typer.echo(row["text"])
    outside = sorted({call["callee"] for call in calls if not call["inside"]})
    _print_methods("called by", callers)
    _print_methods("calls", callees)
    if outside:
        names = [[name] for name in outside[:ROWS_SHOWN]]
        print_table(["calls outside the project"], names, caption=_format_rest(outside), wide=0)


def _print_methods(title: str, methods: list[dict[str, Any]]) -> None:
    if not methods:
        return
    rows = [
        [
            str(method["depth"]),
            f"{method['type']}.{method['signature']}",
            f"{method['path']}:{method['line']}",
        ]
        for method in methods[:ROWS_SHOWN]
    ]
    print_table(["depth", title, "file"], rows, caption=_format_rest(methods), wide=2)


# --------------------------------------------------------------------------------------
# A query
# --------------------------------------------------------------------------------------


def print_query_result(table: pa.Table, *, as_json: bool) -> None:
    """Print the rows that a query returned. Two columns may have one name."""
    columns = [column.to_pylist() for column in table.columns]
    rows = list(zip(*columns, strict=True))
    if as_json:
        names = number_duplicates(table.column_names)
        objects = [dict(zip(names, map(to_json_value, row), strict=True)) for row in rows]
        typer.echo(json.dumps(objects, indent=1, allow_nan=False))
    elif not rows:
        typer.echo("no rows")
    else:
        cells = [[_format_cell(value) for value in row] for row in rows]
        print_table(table.column_names, cells)


def _format_cell(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return "" if value is None else str(value)


def number_duplicates(names: Sequence[str]) -> list[str]:
    """Return distinct names: later ones of the same name are numbered as DuckDB does it.

    >>> number_duplicates(["a", "b", "a", "a_1", "a"])
    ['a', 'b', 'a_1', 'a_1_1', 'a_2']
    """
    distinct: list[str] = []
    for name in names:
        candidates = (f"{name}_{n}" if n else name for n in count())
        distinct.append(next(candidate for candidate in candidates if candidate not in distinct))
    return distinct


def to_json_value(value: Any) -> Json:
    """Return a value of a table as JSON: bytes in hex, null for a number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {str(key): to_json_value(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(element) for element in value]
    return str(value)
