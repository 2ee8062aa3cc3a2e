"""``acumen names learn``: how methods are named elsewhere, from corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli._options import AsJson, DrawSeed, Workers
from acumen.cli._show import print_facts, print_json, progress_bar, say


def learn(
    corpus: Annotated[
        list[Path],
        typer.Option("--corpus", "-c", metavar="DIR", help="Folder of a corpus. Repeatable."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The background.")],
    seed: DrawSeed = 0,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Learn a background for `acumen names check`: which verb goes with what methods do.

    One comes with acumen, of the JDK and some forty libraries. Make your own from your
    organisation's code, if its ways are others.

    Example: acumen names learn --corpus corpus --out background.npz

    Example: acumen names check src --background background.npz
    """
    from acumen.corpus import Corpus
    from acumen.engines import engine
    from acumen.files import write_atomically
    from acumen.machine import processors
    from acumen.models.naming.learn import Settings
    from acumen.models.naming.learn import learn as learned

    corpora = [Corpus.open(folder) for folder in corpus]
    with progress_bar() as step:
        background = learned(
            corpora, Settings(seed=seed), engine("local", workers or processors()), step
        )
    data = background.to_bytes()
    write_atomically(out, data)
    facts = {
        "methods": background.about["methods"],
        "files": background.about["files"],
        "verbs": len(background.verbs),
        "traits": len(background.traits),
        "bytes": len(data),
    }
    if as_json:
        print_json({"out": str(out), **facts})
        return
    print_facts("Learned", [(key, f"{value:,}") for key, value in facts.items()])
    say(f"background: {out}")
