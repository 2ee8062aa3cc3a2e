"""Learn the lexicon of the model codeacumen-names from corpora, WordNet and English texts.

    python -m research.lexicon.resources resources
    python -m research.lexicon CORPUS... --wordnet resources/wordnet-base \
        --text resources/texts --out lexicon
"""

from __future__ import annotations

import argparse
import json
import time
from contextlib import ExitStack
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.files import write_atomically
from codeacumen.core.home import codeacumen_home
from codeacumen.core.machine import count_processors
from codeacumen.core.progress import show_progress
from codeacumen.corpus.build import open_or_build
from codeacumen.engines import create_engine
from codeacumen.models.identifier_similarity.lexicon import pack_arrays
from research.command import run_main
from research.lexicon.build import INGREDIENTS, LexiconSettings
from research.lexicon.train import FILE, learn_lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "sources", nargs="+", metavar="CORPUS", help="Corpora or sources of corpora."
    )
    parser.add_argument(
        "--wordnet", type=Path, required=True, help="Folder of WordNet's database files."
    )
    parser.add_argument(
        "--text",
        type=Path,
        action="append",
        default=[],
        help="Folder of English texts; repeatable.",
    )
    parser.add_argument("--out", "-o", type=Path, required=True, help="Folder for the lexicon.")
    parser.add_argument(
        "--words",
        type=int,
        default=LexiconSettings().words,
        help="Number of words; the most frequent are kept.",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=INGREDIENTS,
        help="Ingredient to leave out; repeatable.",
    )
    parser.add_argument("--seed", type=int, default=0, help="Random seed.")
    parser.add_argument(
        "--workers", "-j", type=int, default=0, help="Number of processes; 0 for one per core."
    )
    args = parser.parse_args()
    out: Path = args.out
    if out.exists() and (not out.is_dir() or any(not is_output(file) for file in out.iterdir())):
        raise CodeacumenError(f"{out} holds other files", "name another folder with --out")
    start = time.monotonic()
    with show_progress() as report_progress, ExitStack() as stack:
        workers = create_engine("local", args.workers or count_processors())
        corpora = [
            stack.enter_context(open_or_build([source], workers, report_progress))
            for source in args.sources
        ]
        settings = LexiconSettings(seed=args.seed, words=args.words)
        arrays, left_out = learn_lexicon(
            corpora,
            args.wordnet,
            args.text,
            settings,
            workers,
            codeacumen_home(),
            args.without,
            report_progress,
        )
    if left_out:
        print(f"{left_out:,} files left out: their analysis crashes the worker process")
    data = pack_arrays(arrays)
    write_atomically(out / FILE, data)
    learned = json.loads(arrays["about"].tobytes())["learned"]
    simlex, wordsim = learned["simlex999"], learned["wordsim353"]
    print(f"SimLex-999 (ten-fold, {simlex['pairs']} pairs): {simlex['ten-fold']}")
    print(f"WordSim-353 ({wordsim['pairs']} pairs): {wordsim['similarity']}")
    print(
        f"{len(arrays['frequency']):,} words, {len(arrays['pair']):,} pairs, "
        f"{len(data) / 1e6:.1f} MB, in {time.monotonic() - start:.0f} s: {out / FILE}"
    )


def is_output(file: Path) -> bool:
    """Return whether an earlier run of this script may have written the file."""
    return file.name == FILE or (file.name.startswith(FILE) and file.name.endswith(".part"))


if __name__ == "__main__":
    run_main(main)
