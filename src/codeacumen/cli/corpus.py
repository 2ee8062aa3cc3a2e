"""``codeacumen corpus``: from sources to a store of methods, and what is in it."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._options import AsJson, Plugins, Workers, load_plugins
from codeacumen.cli._show import (
    FOUND_FAILURES,
    Verb,
    print_facts,
    print_json,
    print_table,
    progress_bar,
    say,
    verbs,
)

if TYPE_CHECKING:
    from codeacumen.corpus.build import Summary

app = verbs("Build a corpus of methods from source code, and look into it.")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a corpus.")]


class EngineName(StrEnum):
    LOCAL = "local"
    RAY = "ray"


def complete_view(incomplete: str) -> list[str]:
    from codeacumen.registry import names

    return [name for name in [*names("view"), "calls"] if name.startswith(incomplete)]


@app.command("build", cls=Verb)
def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="Folder, source file, zip or jar of sources, git:URL@REV, debian:PACKAGE, "
            "npm:PACKAGE@VERSION, or a recipe (.toml); NAME=SOURCE names the project.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the corpus.")],
    view: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", autocompletion=complete_view,
            help="View to store; all by default. Others are computed when asked for; calls are "
            "always stored. Repeatable.",
        ),
    ] = None,
    workers: Workers = 0,
    engine: Annotated[EngineName, typer.Option(help="Who does the work.")] = EngineName.LOCAL,
    address: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Ray cluster to join, with --engine ray; empty: new."),
    ] = "",
    splits: Annotated[
        str, typer.Option(metavar="A,B,C", help="Shares of train, dev and test.")
    ] = "80,10,10",
    largest: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="Larger files are left out.")
    ] = 8 << 20,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Parse every file once and store its methods, their views and the calls between them.

    Run again, it does only what is new; killed, it goes on where it was. The result is the same
    to the byte, whatever the number of workers.

    Example: codeacumen corpus build src/ --out corpus

    Example: codeacumen corpus build debian:jsoup git:https://host/x.git@v1 -o corpus
    """
    from codeacumen.api import CodeacumenError
    from codeacumen.core.home import codeacumen_home
    from codeacumen.core.machine import processors
    from codeacumen.corpus.build import build as build_corpus
    from codeacumen.corpus.compiled import COMPILING
    from codeacumen.engines import engine as make_engine
    from codeacumen.registry import names

    if address and engine is not EngineName.RAY:
        raise CodeacumenError(f"--address {address} is a Ray cluster's", "add --engine ray")
    load_plugins(plugin or [])
    worker_count = workers or processors()
    # Calls are stored whatever is asked for.
    views = names("view") if view is None else [name for name in view if name != "calls"]
    with progress_bar() as bar:

        def step(what: str, done: int, total: int) -> None:
            if what == COMPILING and not done and not sys.stderr.isatty():
                say(f"{COMPILING}: this takes a minute or two")
            bar(what, done, total)

        summary = build_corpus(
            sources,
            out,
            engine=make_engine(engine, worker_count, address),
            views=views,
            cache=codeacumen_home(),
            shares=_shares(splits),
            largest=largest,
            plugins=plugin or (),
            step=step,
        )
    if as_json:
        print_json(_json(summary))
    else:
        _print_summary(summary)


def _shares(text: str) -> tuple[int, int, int]:
    from codeacumen.api import CodeacumenError

    parts = text.split(",")
    if len(parts) != 3 or not all(part.strip().isdigit() for part in parts):
        raise CodeacumenError(
            f"--splits {text!r} is no list of three numbers", "for example 80,10,10"
        )
    train, dev, test = (int(part) for part in parts)
    if not train + dev + test:
        raise CodeacumenError("--splits gives nothing to anyone", "for example 80,10,10")
    return train, dev, test


def _json(summary: Summary) -> Any:
    from dataclasses import asdict

    return asdict(summary)


def _print_summary(summary: Summary) -> None:
    counts = summary.counts
    facts = [(name.replace("_", " "), f"{value:,}") for name, value in counts.items()]
    work = f"{summary.parsed:,} files parsed; {summary.reused} of {summary.shards} shards reused"
    facts.append(("work", work))
    if summary.without_files:
        facts.append(("without a file", ", ".join(summary.without_files)))
    print_facts(summary.folder, facts)
    if summary.problems:
        rows = [[kind, f"{n:,}", f"{lost:,}"] for kind, (n, lost) in summary.problems.items()]
        print_table(["remark", "files", "left out"], rows, right=(1, 2))


@app.command("views", cls=Verb)
def views(plugin: Plugins = None, as_json: AsJson = False) -> None:
    """List the views: what a model may see of a method, and the tools whose output they can give.

    Example: codeacumen corpus views
    """
    from codeacumen.cli._corpus_show import show_views

    load_plugins(plugin or [])
    show_views(as_json=as_json)


@app.command("show", cls=Verb)
def show(
    folder: Folder,
    method: Annotated[
        str, typer.Argument(metavar="METHOD", help="An id, a name, Type.name or Type.<init>.")
    ] = "",
    view: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_view,
            help="View of the method to print; `codeacumen corpus views` lists them.",
        ),
    ] = "",
    compat: Annotated[
        str, typer.Option("--as", metavar="TOOL", help="Print the view as this tool does.")
    ] = "",
    depth: Annotated[int, typer.Option(min=1, help="How far to follow calls.")] = 1,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Show a corpus, or one of its methods: a view of it, or who calls it and whom it calls.

    Example: codeacumen corpus show corpus

    Example: codeacumen corpus show corpus getKey --view ast
    """
    from codeacumen.api import CodeacumenError
    from codeacumen.cli._corpus_show import show_corpus, show_method, show_view
    from codeacumen.corpus import Corpus

    load_plugins(plugin or [])
    if compat and not view:
        raise CodeacumenError(f"--as {compat} says how to print a view", "add --view NAME")
    if view and not method:
        raise CodeacumenError(
            f"--view {view} shows one method",
            "add its name or id; `codeacumen corpus export` writes a view of all methods",
        )
    corpus = Corpus.open(folder)
    if not method:
        show_corpus(corpus, as_json=as_json)
    elif view:
        show_view(corpus, method, view, compat, as_json=as_json)
    else:
        show_method(corpus, method, depth, as_json=as_json)


@app.command("query", cls=Verb)
def query(
    folder: Folder,
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="One question, as DuckDB understands it.")
    ],
    as_json: AsJson = False,
) -> None:
    """Ask the corpus in SQL. Tables: projects, files, types, methods, problems, calls, edges, and
    one for each stored view.

    Example: codeacumen corpus query corpus "select name, count(*) from methods group by 1 limit 5"
    """
    from codeacumen.cli._corpus_show import show_answer
    from codeacumen.corpus import Corpus

    show_answer(Corpus.open(folder).query(sql), as_json=as_json)


@app.command("stats", cls=Verb)
def stats(folder: Folder, as_json: AsJson = False) -> None:
    """Count what is in a corpus: projects, splits, sizes, origins, problems.

    Example: codeacumen corpus stats corpus
    """
    from codeacumen.cli._corpus_show import show_stats
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.stats import stats as count

    found = count(Corpus.open(folder))
    if as_json:
        print_json(found)
    else:
        show_stats(found)


@app.command("audit", cls=Verb)
def audit(
    folder: Folder,
    threshold: Annotated[float, typer.Option(min=0.5, max=1.0, help="Similarity to report.")] = 0.8,
    shortest: Annotated[int, typer.Option(min=5, help="Tokens below which nothing is said.")] = 25,
    as_json: AsJson = False,
) -> None:
    """Check that a corpus is whole, and find near-duplicates within and across its splits.

    Ends with 1 where a file is missing or changed; building again repairs that.

    Example: codeacumen corpus audit corpus
    """
    from codeacumen.cli._corpus_show import show_audit
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.audit import audit as examine

    found = examine(Corpus.open(folder), threshold=threshold, shortest=shortest)
    if as_json:
        print_json(found)
    else:
        show_audit(found)
    if not found["whole"]:
        raise typer.Exit(FOUND_FAILURES)


@app.command("export", cls=Verb)
def export(
    folder: Folder,
    view: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_view,
            help="View to write; `codeacumen corpus views` lists them.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="JSON lines; - prints.")],
    compat: Annotated[
        bool, typer.Option("--compat", help="The exact output of the view's own tool.")
    ] = False,
    tool: Annotated[
        str, typer.Option("--as", metavar="TOOL", help="The exact output of another tool.")
    ] = "",
    plugin: Plugins = None,
) -> None:
    """Write a view of every method: id, project, file, line, name and value, one a line.

    Example: codeacumen corpus export corpus --view code2vec --out paths.jsonl
    """
    from codeacumen.cli._corpus_show import authors_tool, write_lines
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.export import export as values

    load_plugins(plugin or [])
    corpus = Corpus.open(folder)
    if compat and not tool:
        tool = authors_tool(view)
    with progress_bar() as step:
        count = write_lines(values(corpus, view, tool), out, corpus.manifest.counts, step)
    say(f"{count:,} methods")
