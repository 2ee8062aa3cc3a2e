"""Learn a background for `codeacumen names check` from corpora.

python -m research.naming_background --corpus corpus --out background.npz
codeacumen names check src --background background.npz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from codeacumen.core.files import write_atomically
from codeacumen.core.machine import count_processors
from codeacumen.core.progress import show_progress
from codeacumen.corpus import Corpus
from codeacumen.engines import create_engine
from research.command import run_main
from research.naming_background.learn import BackgroundSettings, learn_background


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--corpus", "-c", type=Path, action="append", required=True, help="Corpus; repeatable."
    )
    parser.add_argument("--out", "-o", type=Path, required=True, help="File for the background.")
    parser.add_argument("--seed", type=int, default=0, help="Random seed.")
    parser.add_argument(
        "--workers", "-j", type=int, default=0, help="Number of processes; 0 for one per core."
    )
    args = parser.parse_args()
    corpora = [Corpus.open(folder) for folder in args.corpus]
    workers = create_engine("local", args.workers or count_processors())
    with show_progress() as report_progress:
        background = learn_background(
            corpora, BackgroundSettings(seed=args.seed), workers, report_progress
        )
    data = background.to_bytes()
    write_atomically(args.out, data)
    print(
        f"{background.about['methods']:,} methods of {background.about['files']:,} files, "
        f"{len(background.verbs):,} verbs, {len(background.traits):,} traits, "
        f"{len(data):,} bytes: {args.out}"
    )


if __name__ == "__main__":
    run_main(main)
