"""``codeacumen similar``: methods that may do the same, mined, sampled to be rated, and found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.cli._options import AsJson, DrawSeed, Workers
from codeacumen.cli._show import (
    Verb,
    print_facts,
    print_json,
    print_table,
    printable,
    progress_bar,
    say,
    verbs,
)

app = verbs("Find methods that may do the same: mine pairs to be rated, or ask for one method.")

COMPAT = "sesame-tools"
CorpusFolder = Annotated[
    Path, typer.Option("--corpus", "-c", metavar="DIR", help="Folder of the corpus.")
]


@app.command("mine", cls=Verb)
def mine(
    corpus: CorpusFolder,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the pairs.")],
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
        typer.Option(
            metavar="TOOL", help="sesame-tools: the stricter rules of SeSaMe's own program."
        ),
    ] = "",
    pairs: Annotated[int, typer.Option("-n", "--pairs", min=1, help="Pairs to sample.")] = 900,
    mu: Annotated[
        float, typer.Option(min=0, max=1, help="Share of docsim in msim; the rest is toksim's.")
    ] = 0.75,
    relevance: Annotated[
        float,
        typer.Option("--lambda", min=0, max=1, help="Share of relevance; the rest is diversity's."),
    ] = 0.6,
    votes: Annotated[int, typer.Option(min=1, help="Votes for each pair.")] = 3,
    raters: Annotated[
        str, typer.Option(metavar="N|NAMES", help="How many raters, or their names: ann,bob,cy.")
    ] = "8",
    seed: DrawSeed = 0,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Mine pairs of methods that may do the same, as SeSaMe did, and make them ready for raters.

    Methods with JavaDoc are compared by what it says (docsim). Of the pairs between projects, a
    diverse sample is taken whose comments are alike and whose code is not (MMR). For each pair,
    what belongs to its methods in their files is shown on a page. The same corpus, seed and
    settings give the same bytes, whatever the number of workers.

    Example: codeacumen similar mine --corpus corpus --out pairs

    Example: codeacumen similar mine -c corpus -o pairs -n 100 --raters ann,bob,cy --space tfidf
    """
    from codeacumen.api import CodeacumenError
    from codeacumen.benchmarks.sesame.mining.mining import PREVIEW, Settings, mine_pairs
    from codeacumen.core.machine import processors
    from codeacumen.corpus import Corpus
    from codeacumen.engines import engine

    if compat not in ("", COMPAT):
        raise CodeacumenError(f"there are no rules of {compat!r}", f"--compat {COMPAT}, or none")
    who: int | tuple[str, ...] = int(raters) if raters.isdecimal() else tuple(raters.split(","))
    settings = Settings(
        space=space, compat=compat, pairs=pairs, mu=mu, relevance=relevance, votes=votes,
        raters=who, seed=seed,
    )  # fmt: skip
    workers = workers or processors()
    with progress_bar() as step:
        record, stages = mine_pairs(
            Corpus.open(corpus), out, settings, engine("local", workers), workers, step
        )
    if as_json:
        print_json({**record, "seconds": stages.seconds, "used again": stages.again})
        return
    _told(record, stages)
    say(f"pages:   {out / PREVIEW / 'index.html'}")


def _told(record: dict[str, Any], stages: Any) -> None:
    methods, sampled = record["methods"], record["sample"]
    facts = [
        ("methods", f"{methods['compared']:,} of {methods['in the corpus']:,} are compared"),
        *((f"  {name}", f"{count:,}") for name, count in methods["dropped"].items() if count),
        *((f"pairs, docsim {name}", f"{count:,}") for name, count in record["pairs"].items()),
        ("sample", f"{sampled['pairs']:,} of {sampled['candidates']:,} pairs between projects"),
        ("token similarities", f"{sampled['token similarities']:,} were needed"),
    ]  # fmt: skip
    if methods["lost"]:
        facts.append(("lost", f"{methods['lost']:,} methods ended the process that read them"))
    print_facts("Mined", facts)
    rows = [
        [name, "there already" if name in stages.again else f"{seconds:.1f}"]
        for name, seconds in stages.seconds.items()
    ]
    print_table(["stage", "seconds"], rows, right=[1])


@app.command("find", cls=Verb)
def find(
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD", help="FILE.java:LINE, FILE.java:NAME, or the id of a method."
        ),
    ],
    corpus: CorpusFolder,
    n: Annotated[int, typer.Option("-n", min=1, help="How many answers.")] = 10,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Which methods do something like this one?

    Compared are the words of names, JavaDoc and code (BM25); 1 is a method that says all that this
    one says. Overloads are told once. The first question to a corpus makes an index of it, which
    takes a minute for the JDK; then an answer takes less than a second.

    Example: codeacumen similar find src/Text.java:42 --corpus jdk

    Example: codeacumen similar find src/Text.java:leftPad -c jdk -n 5 --json
    """
    from codeacumen.core.home import codeacumen_home
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine
    from codeacumen.search.word_index import find as find_similar
    from codeacumen.search.word_index import open_word_index, read_query

    query = read_query(method, corpus)
    with progress_bar() as step:
        index = open_word_index(
            corpus, codeacumen_home(), lambda: engine("local", workers or processors()), step
        )
    hits = find_similar(index, query, n)
    if as_json:
        names = ("method_id", "project", "path", "line", "type", "signature", "says")
        print_json([
            {**{name: getattr(hit.method, name) for name in names}, "score": hit.score,
             "others": hit.others}
            for hit in hits
        ])  # fmt: skip
        return
    if not hits:
        say("no method of the corpus says anything like it")
        return
    for hit in hits:
        one = hit.method
        others = f" and {hit.others} more of that name" if hit.others else ""
        typer.echo(f"{hit.score:.2f}  {printable(one.type)}.{printable(one.signature)}{others}")
        if one.says:
            typer.echo(f"      {printable(one.says)}")
        typer.echo(f"      {printable(one.project)}: {printable(one.path)}:{one.line}")


@app.command("tune", cls=Verb)
def tune(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            help="CSV of left, right, similar (0 or 1): texts; or left_id, right_id, similar.",
        ),
    ],
    mined: Annotated[
        Path | None,
        typer.Option(
            "--mined", metavar="DIR", help="What `mine` made: its comments are the corpus, its ids "
            "may stand in the labels.",
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of the swarm at most.")] = 1000,
    seed: DrawSeed = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    r"""Look for the space that finds similar comments most precisely, as SeSaMe did.

    A swarm of particles searches n-grams, weights, reductions and cuts. A pair counts as found
    above a cosine of 0.8, as rejected below 0.2. Needs pymoo: pip install 'codeacumen\[tune]'

    Example: codeacumen similar tune labels.csv --mined pairs
    """
    from codeacumen.benchmarks.sesame.mining.mining import texts_of
    from codeacumen.benchmarks.sesame.mining.tune import read_labels
    from codeacumen.benchmarks.sesame.mining.tune import tune as tuned

    texts = texts_of(mined) if mined else {}
    with progress_bar() as step:
        found = tuned(
            read_labels(labels, texts), list(dict.fromkeys(texts.values())), seed=seed,
            rounds=rounds, step=step,
        )  # fmt: skip
    if as_json:
        print_json(found.record())
        return
    best = found.best
    print_facts("Best space", [
        ("space", best.space), ("precision", f"{best.precision:.3f}"),
        ("recall", f"{best.recall:.3f}"),
        ("tried", f"{len(found.trials):,} spaces in {len(found.history):,} rounds"),
    ])  # fmt: skip


@app.command("votes", cls=Verb)
def votes(
    exports: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Saved from the pages, one file a rater."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="All votes, as JSON.")],
) -> None:
    """Put the votes of several raters into one file, as `codeacumen survey clean` reads it.

    A rater's name is that of the file.

    Example: codeacumen similar votes ann.json bob.json cy.json --out votes.json
    """
    import json

    from codeacumen.api import CodeacumenError
    from codeacumen.benchmarks.sesame.mining.rating import together
    from codeacumen.core.files import write_atomically

    given = {}
    for path in exports:
        try:
            given[path.stem] = json.loads(path.read_bytes())
        except ValueError as error:
            hint = "save it from the rating pages"
            raise CodeacumenError(f"{path} is no JSON: {error}", hint) from error
    if len(given) < len(exports):
        raise CodeacumenError("two files have the same name", "a rater's name is that of the file")
    found = together(given)
    write_atomically(out, (json.dumps(found, indent=4) + "\n").encode())
    say(f"{len(found):,} pairs, {len(given)} raters: {out}")
