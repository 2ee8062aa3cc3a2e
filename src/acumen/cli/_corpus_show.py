"""How a corpus looks on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from acumen.api import AcumenError, Json
from acumen.cli._show import Step, print_facts, print_json, print_table

if TYPE_CHECKING:
    from acumen.corpus import Corpus

MOST_SHOWN = 20


def show_corpus(corpus: Corpus, *, as_json: bool) -> None:
    from acumen.corpus.stats import stats

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
    columns = ["project", "split", "files", "types", "methods", "bodies", "JavaDoc", "calls",
               "ambiguous", "licence"]  # fmt: skip
    numbers = ("files", "types", "methods", "bodies", "javadoc", "calls", "ambiguous")
    rows = [
        [row["project"], row["split"], *(f"{row[key]:,}" for key in numbers),
         ", ".join(row["licences"])]
        for row in projects
    ]  # fmt: skip
    print_table(columns, rows, right=range(2, 9))


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
    whole = "yes" if not found["damaged"] else f"no: {', '.join(found['damaged'][:5])}"
    facts = [
        ("whole", whole),
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


def _print_examples(finding: Json) -> None:
    rows = []
    for example in finding["examples"]:
        for place, method in enumerate(example["methods"]):
            first = f"{example['similarity']:.2f}" if not place else ""
            where = f"{method['path']}:{method['line']}"
            rows.append([first, method["project"], f"{method['type']}.{method['name']}", where])
    print_table(["similarity", "project", "method", "file"], rows, title=finding["where"])


def find_method(corpus: Corpus, wanted: str) -> str:
    """The id that is meant: given itself, or by a name that only one method has."""
    if len(wanted) == 36 and wanted.count("-") == 4:
        return wanted
    name = wanted.rsplit(".", 1)[-1]
    owner = wanted.rsplit(".", 1)[0] if "." in wanted else ""
    found = corpus.query(
        "select method_id, project, path, line, type, signature from methods "
        "where name = ? and (? = '' or type = ? or type like '%.' || ?) and kind <> 'constructor' "
        "order by project, path, line limit 21",
        [name, owner, owner, owner],
    ).to_pylist()
    if len(found) == 1:
        return str(found[0]["method_id"])
    if not found:
        raise AcumenError(f"there is no method called {wanted!r}", "a name, Type.name, or an id")
    rows = [
        [str(row["method_id"]), row["project"], f"{row['type']}.{row['signature']}",
         f"{row['path']}:{row['line']}"]
        for row in found[:MOST_SHOWN]
    ]  # fmt: skip
    print_table(["id", "project", "method", "file"], rows)
    count = "more than 20" if len(found) > MOST_SHOWN else str(len(found))
    raise AcumenError(f"{count} methods are called {wanted!r}", "choose one by its id")


def show_view(corpus: Corpus, method: str, view: str, compat: str) -> None:
    value = corpus.view(find_method(corpus, method), view, compat)
    typer.echo(value if isinstance(value, str) else json.dumps(value, default=str))


def show_method(corpus: Corpus, method: str, depth: int, *, as_json: bool) -> None:
    found = find_method(corpus, method)
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
    outside = sorted({call["callee"] for call in calls if not call["targets"]})
    _print_methods("called by", callers)
    _print_methods("calls", callees)
    if outside:
        print_table(["calls outside the project"], [[name] for name in outside[:MOST_SHOWN]])


def _print_methods(title: str, methods: list[dict[str, Any]]) -> None:
    if not methods:
        return
    rows = [
        [str(one["depth"]), f"{one['type']}.{one['signature']}", f"{one['path']}:{one['line']}"]
        for one in methods[:MOST_SHOWN]
    ]
    more = len(methods) - MOST_SHOWN
    caption = f"and {more:,} more" if more > 0 else ""
    print_table(["depth", title, "file"], rows, caption=caption)


def write_lines(values: Iterable[Json], out: Path, counts: Mapping[str, int], step: Step) -> int:
    """JSON lines into a file that appears when it is whole; ``-`` is standard output."""
    total = counts["bodies"]
    if str(out) == "-":
        return _write(values, sys.stdout, total, step)
    part = out.with_name(f".{out.name}.part")
    out.parent.mkdir(parents=True, exist_ok=True)
    with part.open("w", encoding="utf-8") as stream:
        count = _write(values, stream, total, step)
    part.replace(out)
    return count


def _write(values: Iterable[Json], stream: Any, total: int, step: Step) -> int:
    count = 0
    for value in values:
        stream.write(json.dumps(value, ensure_ascii=False) + "\n")
        count += 1
        if count % 500 == 0:
            step("writing", count, total)
    return count
