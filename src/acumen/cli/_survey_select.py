"""``acumen survey select`` and ``occurrences``: what to ask people about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from acumen.api import AcumenError
from acumen.cli._options import AsJson, DrawSeed, Workers
from acumen.cli._show import number, print_json, print_table, progress_bar, say

Corpora = Annotated[
    list[Path],
    typer.Option("--corpus", metavar="DIR", help="Folder of a corpus. Repeatable."),
]


def select(
    corpus: Corpora,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="File of JSON to write.")
    ],
    embedding: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Embedding that `acumen train` made, to draw pairs by. Repeatable."
        ),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Words that mean the same, a group on each line; ours "
                     "if none is named."),
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, metavar="N", help="Pairs altogether.")] = 300,
    synonyms: Annotated[
        int, typer.Option(min=0, metavar="N", help="Of these, at most so many synonyms.")
    ] = 30,
    random: Annotated[
        int, typer.Option(min=0, metavar="N", help="Of these, at least so many at random.")
    ] = 60,
    least: Annotated[
        int, typer.Option(min=0, metavar="N", help="Names occur more often than that.")
    ] = 50,
    contexts: Annotated[
        int, typer.Option(min=0, metavar="N", help="Code contexts for each name.")
    ] = 5,
    seed: DrawSeed = 0,
    workers: Workers = 0,
) -> None:  # fmt: skip
    """Frequent identifiers of a corpus, pairs of them and code contexts, for a survey.

    Pairs come from equal ranges of cosine similarity under each embedding, from synonyms, and at
    random. In the contexts of five lines the identifier is blanked. The same corpus, embeddings
    and seed give the same bytes.

    Example: acumen survey select --corpus js --embedding w2v --embedding paths --out questions.json
    """
    from acumen.corpus import Corpus
    from acumen.engines import engine
    from acumen.files import write_atomically
    from acumen.machine import processors
    from acumen.models.embeddings.vectors import Vectors
    from acumen.survey.select import Wish, read_synonyms, select
    from acumen.survey.select import synonyms as shipped_synonyms

    folders = embedding or []
    if len({folder.name for folder in folders}) < len(folders):
        raise AcumenError("two embeddings have the same name", "rename one of the folders")
    vectors = {folder.name: Vectors.load(folder) for folder in folders}
    known = (
        read_synonyms(words.read_text(encoding="utf-8", errors="replace"))
        if words else shipped_synonyms()
    )  # fmt: skip
    wish = Wish(pairs, synonyms, random, least, contexts, seed)
    corpora = [Corpus.open(folder) for folder in corpus]
    with progress_bar() as step:
        workforce = engine("local", workers or processors())
        found = select(corpora, vectors, known, wish, workforce, step)
    text = json.dumps(found, indent=1, ensure_ascii=True)
    write_atomically(out, (text + "\n").encode())
    _print_selected(found, wish.pairs)
    say(f"written: {out}")


def _print_selected(found: Any, wanted: int) -> None:
    why = [one["why"] for one in found["pairs"]]
    rows = [[one, f"{why.count(one):,}"] for one in dict.fromkeys(sorted(why))]
    files = ", ".join(f"{count:,} {name}" for name, count in found["files"].items())
    print_table(
        ["pairs by", ""], rows, right=(1,),
        caption=f"{len(found['pairs']):,} pairs of {len(found['identifiers']):,} identifiers; "
        f"{found['frequent_identifiers']:,} are frequent in {files} files",
    )  # fmt: skip
    for name, counts in found["ranges"].items():
        width = 1 / len(counts)
        cells = [
            [f"{place * width:.1f} to {(place + 1) * width:.1f}", f"{count:,}"]
            for place, count in enumerate(counts)
        ]
        print_table([f"cosine: {name}", "pairs"], cells, right=(1,))
    if len(found["pairs"]) < wanted:
        say(f"only {len(found['pairs']):,} of {wanted:,} pairs: there are no more such names")


def occurrences(corpus: Corpora, workers: Workers = 0, as_json: AsJson = False) -> None:
    """How often IdBench's identifiers occur in a corpus, by language and role.

    The figures of its Table I, and how far the counts go with the published ones.

    Example: acumen survey occurrences --corpus js --corpus jdk
    """
    from acumen.corpus import Corpus
    from acumen.datasets import require
    from acumen.engines import engine
    from acumen.machine import processors
    from acumen.survey.occurrences import compared, occurrences

    folder = require("idbench")
    corpora = [Corpus.open(one) for one in corpus]
    with progress_bar() as step:
        found = occurrences(corpora, engine("local", workers or processors()), step)
    told = compared(found, folder)
    if as_json:
        print_json(told)
        return
    rows = [
        [language, f"{one['total']:,}", f"{one['share']:.1%}", f"{one['min']:,}",
         f"{one['mean']:,.0f}", f"{one['max']:,}", f"{one['occurring']:,} of {told['names']:,}",
         number(one["spearman"])]
        for language, one in told["languages"].items()
    ]  # fmt: skip
    columns = ["language", "total", "share", "min", "mean", "max", "names that occur",
               "ρ with published"]  # fmt: skip
    print_table(columns, rows, title="IdBench's identifiers", right=range(1, len(columns)))
    if "roles" in told:
        _print_roles(told["roles"])


def _print_roles(told: Any) -> None:
    primary = told["primary"]
    rows = [
        [role, f"{share:.1%}", f"{primary['published'][role]:.1%}",
         number(told["spearman"].get(role))]
        for role, share in primary["ours"].items()
    ]  # fmt: skip
    columns = ["primary role", "here", "published", "ρ of the counts"]
    print_table(columns, rows, title="JavaScript", right=(1, 2, 3))
