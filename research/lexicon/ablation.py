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
from codeacumen.benchmarks.idbench import LABELS, SIZES, make_task
from codeacumen.core.files import write_atomically
from codeacumen.core.home import codeacumen_home
from codeacumen.corpus import Corpus
from codeacumen.engines import create_engine
from codeacumen.models.identifier_similarity.lexicon import pack_arrays
from codeacumen.models.identifier_similarity.model import IdentifierSimilarity
from codeacumen.runs.statistics import compute_interval, compute_replicates, compute_statistic
from research.lexicon.build import (
    INGREDIENTS,
    LexiconSettings,
    LexiconSources,
    assemble_lexicon,
    build_tables,
    find_neighbours,
    list_space_recipes,
)
from research.lexicon.pair_tables import Keys
from research.lexicon.reading import read_corpora
from research.lexicon.spaces import Matrix, build_space
from research.lexicon.texts import read_texts
from research.lexicon.word_streams import build_streams
from research.lexicon.wordnet import read_wordnet

CONFIDENCE, RESAMPLES, SEED = 0.95, 2000, 0
ALL = "all ingredients"
# Variants of the model that use the complete lexicon, with other settings.
ANSWER_OPTIONS: dict[str, dict[str, Any]] = {
    "without plurals and abbreviations": {"shapes": False},
    "mean, not weakest part": {"weakest": False},
}


def learn_lexicons(arguments: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield name and file of the complete lexicon and of one without each ingredient."""
    folder: Path = arguments.out
    left_out_of_variant = {ALL: (), **{f"without {name}": (name,) for name in INGREDIENTS}}
    files = {
        name: folder / f"{'-'.join(['names', *left_out])}.npz"
        for name, left_out in left_out_of_variant.items()
    }
    missing = {
        name: left_out
        for name, left_out in left_out_of_variant.items()
        if not files[name].is_file()
    }
    if missing:
        worker_engine, settings = create_engine("local", arguments.workers), LexiconSettings()
        wordnet, texts = read_wordnet(arguments.wordnet), read_texts(arguments.text, worker_engine)
        corpora = [Corpus.open(path) for path in arguments.corpora]
        code_reading, selected_files, _ = read_corpora(corpora, worker_engine, codeacumen_home())
        word_streams = build_streams(code_reading, texts, wordnet, settings.words)
        tables = build_tables(code_reading, word_streams.words)
        sources = LexiconSources(code_reading.sha256, texts, wordnet, selected_files)
        # Lexicons with the same streams and window share a space.
        space_of_recipe: dict[tuple[tuple[str, ...], int], Matrix] = {}
        neighbours_of_recipe: dict[tuple[tuple[str, ...], int], Keys] = {}
        for name, left_out in missing.items():
            start = time.monotonic()
            for stream_names, window in list_space_recipes(left_out).values():
                if (stream_names, window) not in space_of_recipe:
                    space_of_recipe[stream_names, window] = build_space(
                        [getattr(word_streams, stream_name) for stream_name in stream_names],
                        len(word_streams.words),
                        window,
                        settings.size,
                        settings.seed,
                        name,
                    )
                    neighbours_of_recipe[stream_names, window] = find_neighbours(
                        space_of_recipe[stream_names, window], settings.near
                    )
            near_pairs = np.concatenate(
                [neighbours_of_recipe[recipe] for recipe in list_space_recipes(left_out).values()]
            )
            spaces = {
                space_name: space_of_recipe[recipe]
                for space_name, recipe in list_space_recipes(left_out).items()
            }
            arrays = assemble_lexicon(
                word_streams, spaces, near_pairs, tables, sources, settings, left_out
            )
            write_atomically(files[name], pack_arrays(arrays))
            print(f"learned {name} in {time.monotonic() - start:.0f} s", flush=True)
    yield from files.items()


def collect_labels_and_answers(model: IdentifierSimilarity, question: str, size: str) -> np.ndarray:
    """Return labels and similarities of the pairs that every published technique scores."""
    instances = [
        instance
        for instance in make_task(question, size).instances()
        if "complete" in instance.tags
    ]
    similarities = model.similarity(
        [instance.input for instance in instances if isinstance(instance.input, Pair)]
    )
    return np.array([[instance.truth for instance in instances], similarities], dtype=np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--text", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    files = dict(learn_lexicons(arguments))
    models = {name: IdentifierSimilarity(file) for name, file in files.items()}
    models |= {
        name: IdentifierSimilarity(files[ALL], **options)
        for name, options in ANSWER_OPTIONS.items()
    }
    baseline_columns: dict[tuple[str, str], np.ndarray] = {}
    for question in LABELS:
        print(f"\n{question}: Spearman's ρ with 95 % intervals; the difference to {ALL}, paired\n")
        print(f"| {'':34} | " + " | ".join(f"{size:46}" for size in SIZES) + " |")
        print(f"|{'-' * 36}|" + f"{'-' * 48}|" * len(SIZES))
        for name, model in models.items():
            cells = []
            for size in SIZES:
                columns = collect_labels_and_answers(model, question, size)
                baseline_columns.setdefault((question, size), columns)
                cells.append(f"{format_cell(columns, baseline_columns[question, size]):46}")
            print(f"| {name:34} | " + " | ".join(cells) + " |", flush=True)


def format_cell(columns: np.ndarray, baseline: np.ndarray) -> str:
    """Return a score with its interval, and the paired difference to the complete lexicon."""
    metric = metrics.spearman
    score = compute_statistic(metric, columns)
    bounds = compute_interval(
        metric, columns, confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED
    ) or (
        np.nan,
        np.nan,
    )
    text = f"{score:.3f} [{bounds[0]:.2f}, {bounds[1]:.2f}]"
    if columns is baseline:
        return text
    resampled, resampled_baseline = compute_replicates(metric, [columns, baseline], RESAMPLES, SEED)
    low, high = np.nanquantile(
        resampled - resampled_baseline, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    )
    return f"{text} {score - compute_statistic(metric, baseline):+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    main()
