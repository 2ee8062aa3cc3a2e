"""Measure the ingredients of codeacumen-names: learn lexicons without each and score them on
IdBench.

Only this script reads IdBench's labels. It runs at the end, and its result decides nothing.

    python -m research.lexicon.ablation CORPUS... --wordnet DIR --text PATH --out DIR

Lexicons stay in the folder of --out; a later run does not learn them again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from codeacumen import metrics
from codeacumen.api import Pair
from codeacumen.benchmarks.idbench import LABELS, SIZES, IdBench
from codeacumen.core.files import write_atomically
from codeacumen.core.home import codeacumen_home
from codeacumen.corpus import Corpus
from codeacumen.engines import create_engine
from codeacumen.models.identifier_similarity.lexicon import pack_arrays
from codeacumen.models.identifier_similarity.model import IdentifierSimilarity
from codeacumen.runs.statistics import compute_interval, compute_replicates, compute_statistic
from research.lexicon._pairs import Keys
from research.lexicon._streams import streams
from research.lexicon.build import (
    INGREDIENTS,
    Settings,
    Sources,
    lexicon_of,
    neighbours,
    recipes,
    tables_of,
)
from research.lexicon.reading import reading
from research.lexicon.spaces import Matrix, space
from research.lexicon.texts import read_texts
from research.lexicon.wordnet import read_wordnet

CONFIDENCE, RESAMPLES, SEED = 0.95, 2000, 0
ALL = "all ingredients"
# Variants of the model that use the complete lexicon, with other settings.
ANSWERING: dict[str, dict[str, Any]] = {
    "without plurals and abbreviations": {"shapes": False},
    "mean, not weakest part": {"weakest": False},
}


def learn(arguments: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield name and file of the complete lexicon and of one without each ingredient."""
    folder: Path = arguments.out
    wanted = {ALL: (), **{f"without {name}": (name,) for name in INGREDIENTS}}
    files = {name: folder / f"{'-'.join(['names', *out])}.npz" for name, out in wanted.items()}
    missing = {name: out for name, out in wanted.items() if not files[name].is_file()}
    if missing:
        work, settings = create_engine("local", arguments.workers), Settings()
        wordnet, texts = read_wordnet(arguments.wordnet), read_texts(arguments.text, work)
        corpora = [Corpus.open(path) for path in arguments.corpora]
        read, chosen, _ = reading(corpora, work, codeacumen_home())
        text = streams(read, texts, wordnet, settings.words)
        tables = tables_of(read, text.words)
        sources = Sources(read.sha256, texts, wordnet, chosen)
        # Lexicons with the same streams and window share a space.
        made: dict[tuple[tuple[str, ...], int], Matrix] = {}
        near: dict[tuple[tuple[str, ...], int], Keys] = {}
        for name, out in missing.items():
            began = time.monotonic()
            for parts, window in recipes(out).values():
                if (parts, window) not in made:
                    made[parts, window] = space(
                        [getattr(text, part) for part in parts],
                        len(text.words),
                        window,
                        settings.size,
                        settings.seed,
                        name,
                    )
                    near[parts, window] = neighbours(made[parts, window], settings.near)
            close = np.concatenate([near[recipe] for recipe in recipes(out).values()])
            spaces = {which: made[recipe] for which, recipe in recipes(out).items()}
            arrays = lexicon_of(text, spaces, close, tables, sources, settings, out)
            write_atomically(files[name], pack_arrays(arrays))
            print(f"learned {name} in {time.monotonic() - began:.0f} s", flush=True)
    yield from files.items()


def answers(model: IdentifierSimilarity, question: str, size: str) -> np.ndarray:
    """Return labels and similarities of the pairs that every published technique scores."""
    found = [one for one in IdBench(question, size).instances() if "complete" in one.tags]
    said = model.similarity([one.input for one in found if isinstance(one.input, Pair)])
    return np.array([[one.truth for one in found], said], dtype=np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--text", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    files = dict(learn(arguments))
    models = {name: IdentifierSimilarity(file) for name, file in files.items()}
    models |= {
        name: IdentifierSimilarity(files[ALL], **options) for name, options in ANSWERING.items()
    }
    whole: dict[tuple[str, str], np.ndarray] = {}
    for question in LABELS:
        print(f"\n{question}: Spearman's ρ with 95 % intervals; the difference to {ALL}, paired\n")
        print(f"| {'':34} | " + " | ".join(f"{size:46}" for size in SIZES) + " |")
        print(f"|{'-' * 36}|" + f"{'-' * 48}|" * len(SIZES))
        for name, model in models.items():
            cells = []
            for size in SIZES:
                columns = answers(model, question, size)
                whole.setdefault((question, size), columns)
                cells.append(f"{told(columns, whole[question, size]):46}")
            print(f"| {name:34} | " + " | ".join(cells) + " |", flush=True)


def told(columns: np.ndarray, whole: np.ndarray) -> str:
    """Return a score with its interval, and the paired difference to the complete lexicon."""
    metric = metrics.spearman
    score = compute_statistic(metric, columns)
    around = compute_interval(
        metric, columns, confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED
    ) or (
        np.nan,
        np.nan,
    )
    text = f"{score:.3f} [{around[0]:.2f}, {around[1]:.2f}]"
    if columns is whole:
        return text
    ours, theirs = compute_replicates(metric, [columns, whole], RESAMPLES, SEED)
    low, high = np.nanquantile(ours - theirs, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return f"{text} {score - compute_statistic(metric, whole):+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    main()
