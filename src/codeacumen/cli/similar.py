"""``codeacumen similar``: mine pairs of methods that may do the same, and find such methods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import AsJson, CorpusFolder, EngineName, PairLimit, Seed, Workers
from codeacumen.cli._output import escape_control, print_facts, print_json, print_note, print_table
from codeacumen.core.progress import show_progress

if TYPE_CHECKING:
    from codeacumen.search.word_index import Hit

app = create_group("Mine pairs of methods that may do the same, and find such methods.")

SESAME_TOOLS = "sesame-tools"


@app.command("mine", cls=Command)
def mine(
    corpus: CorpusFolder,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the pairs.")],
    limit: PairLimit = 900,
    space: Annotated[
        str,
        typer.Option(
            metavar="SPACE",
            help="How comments are compared: ppmi, tfidf, bm25, lsi, word2vec, doc2vec or "
            "model:NAME, with settings as in tfidf:ngrams=1-2.",
        ),
    ] = "ppmi",
    compat: Annotated[
        str,
        typer.Option(metavar="TOOL", help="sesame-tools: apply the rules of SeSaMe's program."),
    ] = "",
    mu: Annotated[
        float, typer.Option(min=0, max=1, help="Weight of docsim in msim; toksim has the rest.")
    ] = 0.75,
    relevance: Annotated[
        float,
        typer.Option("--lambda", min=0, max=1, help="Weight of relevance; diversity has the rest."),
    ] = 0.6,
    votes: Annotated[int, typer.Option(min=1, metavar="N", help="Votes for each pair.")] = 3,
    raters: Annotated[
        str, typer.Option(metavar="N|NAMES", help="Number of raters, or names: ann,bob,cy.")
    ] = "8",
    seed: Seed = 0,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Mine pairs of methods that may do the same, as SeSaMe did, for people to rate.

    Methods with JavaDoc are compared by its text (docsim). The sample is of pairs between
    projects whose comments are similar and whose code is not, and it is diverse (MMR). Pages show
    each pair with the code around it. The result is the same to the byte for any number of workers.

    Examples:
        codeacumen similar mine corpus --out pairs
        codeacumen similar mine corpus --limit 100 --raters ann,bob,cy --space tfidf -o pairs
    """
    from codeacumen.benchmarks.sesame.mining.pipeline import PREVIEW, MiningSettings, mine_pairs
    from codeacumen.core.machine import count_processors
    from codeacumen.corpus import Corpus
    from codeacumen.engines import start_engine

    if compat not in ("", SESAME_TOOLS):
        raise CodeacumenError(
            f"--compat {compat}: no such tool", f"--compat {SESAME_TOOLS}, or leave it out"
        )
    settings = MiningSettings(
        space=space,
        compat=compat,
        pairs=limit,
        mu=mu,
        relevance=relevance,
        votes=votes,
        raters=int(raters) if raters.isdecimal() else tuple(raters.split(",")),
        seed=seed,
    )
    with show_progress() as report:
        record, stages = mine_pairs(
            Corpus.open(corpus),
            out,
            settings,
            start_engine(engine, workers),
            workers or count_processors(),
            report,
        )
    if as_json:
        print_json({**record, "seconds": stages.seconds, "reused_stages": stages.reused})
        return
    _print_mined(record, stages)
    print_note(f"pages:   {out / PREVIEW / 'index.html'}")


def _print_mined(record: dict[str, Any], stages: Any) -> None:
    methods, sampled = record["methods"], record["sample"]
    facts = [
        ("methods", f"{methods['compared']:,} of {methods['in_corpus']:,} compared"),
        *((f"  {name}", f"{count:,}") for name, count in methods["dropped"].items() if count),
        *((f"pairs, docsim {name}", f"{count:,}") for name, count in record["pairs"].items()),
        ("sample", f"{sampled['pairs']:,} of {sampled['candidates']:,} pairs between projects"),
        ("token similarities", f"{sampled['token_similarities']:,} computed"),
    ]
    if methods["failed"]:
        facts.append(
            ("failed", f"{methods['failed']:,} methods crashed the process that read them")
        )
    print_facts("Mined", facts)
    rows = [
        [name, "reused" if name in stages.reused else f"{seconds:.1f}"]
        for name, seconds in stages.seconds.items()
    ]
    print_table(["stage", "seconds"], rows, right=[1])


@app.command("find", cls=Command)
def find(
    corpus: CorpusFolder,
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD", help="FILE.java:LINE, FILE.java:NAME, or the id of a method."
        ),
    ],
    n: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Maximum number of methods.")
    ] = 10,
    workers: Workers = 0,
    engine: EngineName = "local",
    as_json: AsJson = False,
) -> None:
    """Find the methods of a corpus that are most like a method.

    Compares the words of names, JavaDoc and code (BM25); 1 is a method of average length with the
    same words. Overloads count once. The first search of a corpus builds an index, which takes a
    minute for the JDK; after that a search takes less than a second.

    Examples:
        codeacumen similar find jdk src/Text.java:42
        codeacumen similar find jdk src/Text.java:leftPad -n 5 --json
    """
    from codeacumen.core.home import codeacumen_home
    from codeacumen.engines import start_engine
    from codeacumen.search.word_index import find_similar as find_similar
    from codeacumen.search.word_index import open_word_index, read_query

    query = read_query(method, corpus)
    with show_progress() as report:
        index = open_word_index(
            corpus, codeacumen_home(), lambda: start_engine(engine, workers), report
        )
    hits = find_similar(index, query, n)
    if as_json:
        print_json([_describe_hit(hit) for hit in hits])
        return
    if not hits:
        print_note("no method of the corpus shares a word with it")
        return
    for hit in hits:
        _print_hit(hit)


def _describe_hit(hit: Hit) -> dict[str, Any]:
    keys = ("method_id", "project", "path", "line", "type", "signature", "summary")
    described = {key: getattr(hit.method, key) for key in keys}
    return {**described, "score": hit.score, "others": hit.others}


def _print_hit(hit: Hit) -> None:
    method = hit.method
    others = f" and {hit.others} more of that name" if hit.others else ""
    typer.echo(f"{hit.score:.2f}  {escape_control(f'{method.type}.{method.signature}')}{others}")
    if method.summary:
        typer.echo(f"      {escape_control(method.summary)}")
    typer.echo(f"      {escape_control(f'{method.project}: {method.path}')}:{method.line}")


@app.command("tune", cls=Command)
def tune(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            help="CSV of left, right, similar (0 or 1), with texts; or left_id, right_id, similar.",
        ),
    ],
    mined: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of `similar mine`, for its comments and its methods' ids."
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum number of rounds.")
    ] = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    r"""Search the vector space that finds similar comments most precisely, as SeSaMe did.

    A particle swarm searches n-grams, weights, reductions and cuts. A pair is found above a cosine
    of 0.8, and rejected below 0.2. Needs pymoo: pip install 'codeacumen\[tune]'

    Examples:
        codeacumen similar tune labels.csv --mined pairs
    """
    from codeacumen.benchmarks.sesame.mining.pipeline import read_texts
    from codeacumen.benchmarks.sesame.mining.tune import read_labels
    from codeacumen.benchmarks.sesame.mining.tune import tune_space as tune_space

    texts = read_texts(mined) if mined else {}
    with show_progress() as report:
        tuned = tune_space(
            read_labels(labels, texts),
            list(dict.fromkeys(texts.values())),
            seed=seed,
            rounds=rounds,
            step=report,
        )
    if as_json:
        print_json(tuned.to_json())
        return
    best = tuned.best
    print_facts(
        "Best space",
        [
            ("space", best.space),
            ("precision", f"{best.precision:.3f}"),
            ("recall", f"{best.recall:.3f}"),
            ("tried", f"{len(tuned.trials):,} spaces in {len(tuned.history):,} rounds"),
        ],
    )
