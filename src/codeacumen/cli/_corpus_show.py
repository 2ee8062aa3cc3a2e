"""How a corpus looks on a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from codeacumen.api import CodeacumenError, Json
from codeacumen.cli._show import print_facts, print_json, print_table, say
from codeacumen.core.progress import Progress
from codeacumen.corpus.integrity import REPAIR

if TYPE_CHECKING:
    import pyarrow as pa

    from codeacumen.corpus import Corpus

MOST_SHOWN = 20


def show_corpus(corpus: Corpus, *, as_json: bool) -> None:
    from codeacumen.corpus.stats import stats

    found = stats(corpus)
    if as_json:
        settings = {"settings": corpus.manifest.settings, "views": sorted(corpus.stored)}
        print_json({"folder": str(corpus.folder), **settings, **found})
        return
    views = ", ".join(corpus.manifest.settings["views"])
    counts = [(name.replace("_", " "), f"{n:,}") for name, n in found["totals"].items()]
    print_facts(str(corpus.folder), [*counts, ("views", views)])
    _print_projects(found["projects"])


def _print_projects(projects: list[Json]) -> None:
    # What fits into 80 columns; --json has the rest.
    columns = ["project", "split", "files", "methods", "bodies", "JavaDoc", "calls", "licence"]
    numbers = ("files", "methods", "bodies", "javadoc", "calls")
    rows = [
        [row["project"], row["split"], *(f"{row[key]:,}" for key in numbers),
         ", ".join(row["licences"])]
        for row in projects
    ]  # fmt: skip
    print_table(columns, rows, right=range(2, 7), wide=7)


def show_stats(found: Json) -> None:
    _print_projects(found["projects"])
    lines = ", ".join(f"{name} {value}" for name, value in found["lines_of_a_method"].items())
    facts = [("lines of a method", lines)]
    for key in (
        "methods_by_split",
        "method_kinds",
        "type_kinds",
        "languages",
        "origins",
        "encodings",
    ):
        told = ", ".join(f"{name} {count:,}" for name, count in found[key].items())
        facts.append((key.replace("_", " "), told))
    print_facts("", facts)
    if found["problems"]:
        rows = [
            [row["kind"], f"{row['files']:,}", f"{row['skipped']:,}"] for row in found["problems"]
        ]
        print_table(["remark", "files", "left out"], rows, right=(1, 2))


def show_audit(found: Json) -> None:
    if not found["whole"]:
        _print_damage(found)
        return
    if found["not_looked_for"]:
        print_facts("", [("whole", "yes"), ("near-duplicates", _not_looked_for(found))])
        return
    facts = [
        ("whole", "yes"),
        ("clusters of near-duplicates", f"{found['clusters']:,}"),
        ("methods in them", f"{found['methods_in_clusters']:,}"),
        ("largest", f"{found['largest_cluster']:,}"),
        ("pairs across projects", f"{found['across_projects']:,}"),
    ]
    title = (
        f"methods of {found['shortest']} tokens or more, similarity {found['threshold']} or more"
    )
    print_facts(title, facts)
    rows = [[one["where"], f"{one['pairs']:,}", f"{one['methods']:,}"] for one in found["findings"]]
    print_table(["where", "pairs", "methods"], rows, right=(1, 2))
    for one in found["findings"]:
        if one["examples"]:
            _print_examples(one)


def _print_damage(found: Json) -> None:
    rows = [[what, file] for what in ("missing", "changed") for file in found[what]]
    facts = [("whole", "no"), ("near-duplicates", _not_looked_for(found))]
    print_facts("", facts)
    print_table(["damage", "file"], rows[:MOST_SHOWN], caption=_and_more(rows), wide=1)
    say(f"hint: {REPAIR}")


def _not_looked_for(found: Json) -> str:
    return f"not looked for: {found['not_looked_for']}"


def _and_more(rows: Sequence[Any]) -> str:
    more = len(rows) - MOST_SHOWN
    return f"and {more:,} more" if more > 0 else ""


def _print_examples(finding: Json) -> None:
    rows = []
    for example in finding["examples"]:
        for place, method in enumerate(example["methods"]):
            first = f"{example['similarity']:.2f}" if not place else ""
            where = f"{method['path']}:{method['line']}"
            rows.append([first, method["project"], f"{method['type']}.{method['name']}", where])
    columns = ["similarity", "project", "method", "file"]
    print_table(columns, rows, title=finding["where"], wide=3)


def find_method(corpus: Corpus, wanted: str, *, as_json: bool) -> str:
    """The id that is meant: given itself, or by a name that only one method has. A constructor is
    ``Type.<init>``, or called as its type: ``Type.Type``."""
    if len(wanted) == 36 and wanted.count("-") == 4:
        return wanted
    owner, _, name = wanted.rpartition(".")
    constructors = name == "<init>" or name == owner.rpartition(".")[2]
    found = corpus.query(
        "select method_id, project, path, line, type, signature from methods "
        "where (name = ? and kind not like '%constructor' or ? and kind like '%constructor') "
        "and (? = '' or type = ? or type like '%.' || ?) "
        "order by project, path, line limit 21",
        [name, constructors, owner, owner, owner],
    ).to_pylist()
    if len(found) == 1:
        return str(found[0]["method_id"])
    if not found:
        raise CodeacumenError(
            f"there is no method called {wanted!r}", "a name, Type.name, Type.<init>, or an id"
        )
    count = "more than 20" if len(found) > MOST_SHOWN else str(len(found))
    several = f"{count} methods are called {wanted!r}"
    if as_json:
        ids = ", ".join(str(row["method_id"]) for row in found[:MOST_SHOWN])
        raise CodeacumenError(several, f"choose one by its id: {ids}")
    rows = [
        [str(row["method_id"]),
         f"{row['type']}.{row['signature']}\n{row['project']}, {row['path']}:{row['line']}"]
        for row in found[:MOST_SHOWN]
    ]  # fmt: skip
    print_table(["id", "method"], rows, wide=1)
    raise CodeacumenError(several, "choose one by its id")


def show_view(corpus: Corpus, method: str, view: str, compat: str, *, as_json: bool) -> None:
    value = corpus.view(find_method(corpus, method, as_json=as_json), view, compat)
    if value is None and compat:
        raise CodeacumenError(
            f"{compat} prints nothing for it",
            "it leaves out constructors, and methods with nothing in them",
        )
    as_text = isinstance(value, str) and not as_json
    typer.echo(value if as_text else json.dumps(value, default=str))


def show_method(corpus: Corpus, method: str, depth: int, *, as_json: bool) -> None:
    found = find_method(corpus, method, as_json=as_json)
    row = corpus.method(found)
    callers, callees = corpus.callers(found, depth), corpus.callees(found, depth)
    calls = corpus.calls(found)
    if as_json:
        told = {**row, "callers": callers, "callees": callees, "calls": calls}
        typer.echo(json.dumps(told, indent=1, default=str))
        return
    keys = ("project", "split", "path", "line", "kind", "type", "signature", "returns")
    facts = [(key, str(row[key])) for key in keys]
    print_facts(str(row["method_id"]), facts)
    typer.echo(row["javadoc"])
    typer.echo(row["text"])
    outside = sorted({call["callee"] for call in calls if not call["inside"]})
    _print_methods("called by", callers)
    _print_methods("calls", callees)
    if outside:
        names = [[name] for name in outside[:MOST_SHOWN]]
        print_table(["calls outside the project"], names, caption=_and_more(outside), wide=0)


def _print_methods(title: str, methods: list[dict[str, Any]]) -> None:
    if not methods:
        return
    rows = [
        [str(one["depth"]), f"{one['type']}.{one['signature']}", f"{one['path']}:{one['line']}"]
        for one in methods[:MOST_SHOWN]
    ]
    print_table(["depth", title, "file"], rows, caption=_and_more(methods), wide=2)


def show_answer(found: pa.Table, *, as_json: bool) -> None:
    """The answer to a question in SQL. Two columns may have one name."""
    columns = [column.to_pylist() for column in found.columns]
    rows = list(zip(*columns, strict=True))
    if as_json:
        names = distinct(found.column_names)
        told = [dict(zip(names, map(plain, row), strict=True)) for row in rows]
        typer.echo(json.dumps(told, indent=1, allow_nan=False))
    elif not rows:
        typer.echo("no rows")
    else:
        cells = [[_cell(value) for value in row] for row in rows]
        print_table(found.column_names, cells)


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return "" if value is None else str(value)


def distinct(names: Sequence[str]) -> list[str]:
    """Names of columns, later ones of the same name numbered as DuckDB does it.

    >>> distinct(["a", "b", "a", "a_1", "a"])
    ['a', 'b', 'a_1', 'a_1_1', 'a_2']
    """
    found: list[str] = []
    for name in names:
        numbered = (f"{name}_{n}" if n else name for n in count())
        found.append(next(one for one in numbered if one not in found))
    return found


def plain(value: Any) -> Json:
    """A value of a table as JSON: bytes in hex, null for what is no number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value)


def show_views(*, as_json: bool) -> None:
    from codeacumen.registry import listing, make_view

    rows: list[tuple[str, str, list[str], str]] = []
    for name, summary, origin in listing("view"):
        try:
            tools = list(make_view(name).compats)
        except CodeacumenError:  # of another package, and broken: that is told when it is used
            tools = []
        rows.append((name, summary, tools, origin))
    rows.append(
        ("calls", "the calls in a method, and the methods they may reach", [], "codeacumen")
    )
    if as_json:
        keys = ("name", "summary", "tools", "origin")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    cells = [[name, summary, ", ".join(tools), origin] for name, summary, tools, origin in rows]
    print_table(["view", "what it shows", "--as", "from"], cells, wide=1)


def authors_tool(view: str) -> str:
    """The tool whose output ``--compat`` is, of a view: the first it knows."""
    from codeacumen.registry import make_view

    known = () if view == "calls" else tuple(make_view(view).compats)
    if not known:
        raise CodeacumenError(f"no other tool prints the view {view}", "leave out --compat")
    return known[0]


def write_lines(
    values: Iterable[Json], out: Path, counts: Mapping[str, int], step: Progress
) -> int:
    """JSON lines into a file that appears when it is whole; ``-`` is standard output."""
    total = counts["bodies"]
    if str(out) == "-":
        return _write(values, sys.stdout, total, step)
    if out.is_dir():
        raise CodeacumenError(f"{out} is a folder", "name a file, or - to print")
    part = out.with_name(f".{out.name}.part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with part.open("w", encoding="utf-8") as stream:
            count = _write(values, stream, total, step)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return count


def _write(values: Iterable[Json], stream: Any, total: int, step: Progress) -> int:
    count = 0
    for value in values:
        stream.write(json.dumps(value, ensure_ascii=False) + "\n")
        count += 1
        if count % 500 == 0:
            step("writing", count, total)
    return count
