"""``codeacumen corpus``: build a corpus of methods, show, query, export, audit and embed it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._embedding import EmbeddingModel, VectorFile, print_embedding
from codeacumen.cli._groups import FOUND_FAILURES, Command, create_group
from codeacumen.cli._options import (
    AsJson,
    CorpusFolder,
    EngineName,
    Plugins,
    Workers,
    complete_view,
    load_plugins,
    parse_shares,
)
from codeacumen.cli._output import print_facts, print_json, print_note, print_table
from codeacumen.core.progress import show_progress

if TYPE_CHECKING:
    from codeacumen.corpus.build import Summary

app = create_group("Build a corpus of methods from source code, query it.")

SOURCES = (
    "Folder, source file, zip or jar of sources, git:URL@REV, debian:PACKAGE, "
    "npm:PACKAGE@VERSION, or a recipe (.toml); NAME=SOURCE names the project."
)
CompatTool = Annotated[
    str,
    typer.Option("--compat", metavar="TOOL", help="Print in the format of this tool."),
]


@app.command("build", cls=Command)
def build_corpus(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help=SOURCES)],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Folder of the corpus: a new one, or one to update."
        ),
    ],
    view: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_view,
            help="View to store; default: all. Others are computed when they are used, calls are "
            "always stored. Repeatable.",
        ),
    ] = None,
    splits: Annotated[
        str,
        typer.Option(metavar="TRAIN/DEV/TEST", help="Shares of the projects in each split."),
    ] = "80/10/10",
    max_file_bytes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Skip files with more bytes.")
    ] = 8 << 20,
    plugin: Plugins = None,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Build a corpus: parse every file once, store its methods, their views and calls.

    Run the command again to update the corpus: only new and changed files are parsed. A build that
    was stopped continues where it was. The result is the same to the byte for any number of
    workers.

    Examples:
        codeacumen corpus build src/ --out corpus
        codeacumen corpus build debian:jsoup git:https://host/x.git@v1 --out corpus
        codeacumen corpus build recipe.toml --splits 60/20/20 --engine ray:auto --out corpus
    """
    from codeacumen.corpus.kernels import COMPILING
    from codeacumen.interface.corpora import write_corpus

    load_plugins(plugin)
    shares = parse_shares(splits)
    with show_progress() as report:

        def report_stage(stage: str, done: int, total: int) -> None:
            if stage == COMPILING and not done and not sys.stderr.isatty():
                print_note(f"{COMPILING}: this takes a minute or two")
            report(stage, done, total)

        summary = write_corpus(
            sources,
            out,
            views=view,
            splits=shares,
            max_file_bytes=max_file_bytes,
            engine=engine,
            workers=workers,
            report=report_stage,
        )
    for reason in summary.left_out:
        print_note(f"left out: {reason}")
    if as_json:
        from dataclasses import asdict

        print_json(asdict(summary))
    else:
        _print_summary(summary)


def _print_summary(summary: Summary) -> None:
    facts = [(name.replace("_", " "), f"{count:,}") for name, count in summary.counts.items()]
    work = f"{summary.parsed:,} files parsed; {summary.reused} of {summary.shards} shards reused"
    facts.append(("work", work))
    if summary.without_files:
        facts.append(("without a file", ", ".join(summary.without_files)))
    print_facts(summary.folder, facts)
    if summary.problems:
        rows = [
            [kind, f"{files:,}", f"{left_out:,}"]
            for kind, (files, left_out) in summary.problems.items()
        ]
        print_table(["remark", "files", "left out"], rows, right=(1, 2))


@app.command("show", cls=Command)
def show_corpus(
    folder: CorpusFolder,
    method: Annotated[
        str, typer.Argument(metavar="METHOD", help="Id, name, Type.name or Type.<init>.")
    ] = "",
    view: Annotated[
        str,
        typer.Option(
            metavar="NAME", autocompletion=complete_view, help="Print this view of the method."
        ),
    ] = "",
    compat: CompatTool = "",
    depth: Annotated[int, typer.Option(min=1, metavar="N", help="Number of calls to follow.")] = 1,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Show a corpus, a method with its callers and callees, or a view of a method.

    Without METHOD: counts, projects, statistics, and the views with the tools whose output they
    can print.

    Examples:
        codeacumen corpus show corpus
        codeacumen corpus show corpus getKey --depth 2
        codeacumen corpus show corpus Cache.getKey --view code2vec --compat gluecode
    """
    from codeacumen.api import CodeacumenError
    from codeacumen.cli._corpus_show import print_corpus, print_method, print_view
    from codeacumen.corpus import Corpus
    from codeacumen.interface.corpora import describe_corpus

    load_plugins(plugin)
    if compat and not view:
        raise CodeacumenError(f"--compat {compat} formats a view", "add --view NAME")
    if view and not method:
        raise CodeacumenError(
            f"--view {view} shows one method",
            "add its name or id; `codeacumen corpus export` writes a view of all methods",
        )
    corpus = Corpus.open(folder)
    if not method:
        print_corpus(describe_corpus(corpus), as_json=as_json)
    elif view:
        print_view(corpus, method, view, compat, as_json=as_json)
    else:
        print_method(corpus, method, depth, as_json=as_json)


@app.command("query", cls=Command)
def query_corpus(
    folder: CorpusFolder,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One query in DuckDB's dialect.")],
    as_json: AsJson = False,
) -> None:
    """Query a corpus in SQL.

    Tables: projects, files, types, methods, problems, calls, edges, and one for each stored view.

    Examples:
        codeacumen corpus query corpus "select name, count(*) from methods group by 1 limit 5"
    """
    from codeacumen.cli._corpus_show import print_query_result
    from codeacumen.corpus import Corpus

    print_query_result(Corpus.open(folder).query(sql), as_json=as_json)


@app.command("export", cls=Command)
def export_view(
    folder: CorpusFolder,
    view: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_view,
            help="View to write; `codeacumen corpus show CORPUS` lists the views.",
        ),
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="File of JSON lines; - prints them.")
    ],
    compat: CompatTool = "",
    plugin: Plugins = None,
    workers: Workers = 0,
    engine: EngineName = "local",
) -> None:
    """Export a view of every method: id, project, file, line, name and value.

    With --compat, methods that the tool leaves out have no line. The result is the same to the byte
    for any number of workers.

    Examples:
        codeacumen corpus export corpus --view tokens --out tokens.jsonl
        codeacumen corpus export corpus --view code2vec --compat code2vec --out paths.jsonl
    """
    from codeacumen.interface import corpora

    load_plugins(plugin)
    count = corpora.export_view(folder, view, out, compat=compat, engine=engine, workers=workers)
    print_note(f"{count:,} methods")


@app.command("audit", cls=Command)
def audit_corpus(
    folder: CorpusFolder,
    threshold: Annotated[
        float, typer.Option(min=0.5, max=1.0, help="Report pairs with at least this similarity.")
    ] = 0.8,
    min_tokens: Annotated[
        int, typer.Option(min=5, metavar="N", help="Skip methods with fewer tokens.")
    ] = 25,
    as_json: AsJson = False,
) -> None:
    """Check that a corpus is complete, and find near-duplicates within and across its splits.

    The exit code is 1 if a file is missing or changed; building the corpus again repairs it.

    Examples:
        codeacumen corpus audit corpus
    """
    from codeacumen.cli._corpus_show import print_audit
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.audit import audit_corpus

    result = audit_corpus(Corpus.open(folder), threshold=threshold, shortest=min_tokens)
    if as_json:
        print_json(result)
    else:
        print_audit(result)
    if not result["intact"]:
        raise typer.Exit(FOUND_FAILURES)


@app.command("embed", cls=Command)
def embed_methods(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE", help="Folder of a corpus, or sources that one is built from."
        ),
    ],
    model: EmbeddingModel,
    out: VectorFile,
    mask: Annotated[
        bool, typer.Option("--mask", help="Mask the names of the methods in their texts.")
    ] = False,
    plugin: Plugins = None,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Write a model's vectors of methods into a file.

    A Parquet file has a row for each method with a body (id, project, path, line, name, vector),
    with null where the model has no vector. A .npy file has only rows that are vectors; the .txt
    beside it describes each. The same input gives the same bytes. The exit code is 1 if the model
    failed at some methods. `codeacumen models show MODEL` lists a model's capabilities.

    Examples:
        codeacumen corpus embed corpus -m run:runs/cnn --out methods.parquet
        codeacumen corpus embed src/ -m my-model --plugin my_model.py --mask --out methods.npy
    """
    from codeacumen.interface.corpora import embed_corpus

    load_plugins(plugin)
    started_at = time.monotonic()
    summary = embed_corpus(sources, model, out, mask_names=mask, engine=engine, workers=workers)
    print_embedding(summary, "methods", out, time.monotonic() - started_at, as_json=as_json)
