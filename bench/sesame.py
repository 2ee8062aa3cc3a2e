"""Compare docsim and toksim with the published values, for pairs of SeSaMe found in a corpus.

    codeacumen similar mine CORPUS --out MINED --compat sesame-tools
    python bench/sesame.py MINED

The published values are from a corpus of eleven projects of 2018, so trigrams have other
frequencies there. Only unchanged methods are compared: the words of the JavaDoc, or for toksim the
tokens of the body, equal those of the published source.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import spearmanr

from codeacumen.benchmarks.sesame.mining.pairs import StoredPairs
from codeacumen.benchmarks.sesame.mining.pipeline import METHODS, PAIRS
from codeacumen.benchmarks.sesame.mining.tokens import compute_token_kinds, compute_toksim
from codeacumen.datasets import require_dataset
from codeacumen.languages.java.javadoc import SESAME_TOOLS, extract_words

# Number of trailing path components that must agree.
TAIL_LENGTH = 3


def extract_javadoc_words(text: str) -> str:
    """Return the words of the first JavaDoc comment, by the rules of the SeSaMe tools."""
    start = text.find("/**")
    return (
        extract_words(text[start : text.find("*/", start) + 2], SESAME_TOOLS) if start >= 0 else ""
    )


def path_tail(path: str) -> tuple[str, ...]:
    """Return the last components of a path, which identify a file across versions."""
    # commons-math 4 renamed the packages of commons-math 3.
    return tuple(path.replace("math4", "math3").split("/")[-TAIL_LENGTH:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("mined", type=Path)
    mined = parser.parse_args().mined
    data = require_dataset("sesame")
    rows = pq.read_table(mined / METHODS, columns=["path", "key", "words", "kinds"]).to_pylist()
    pairs = StoredPairs.open(mined / PAIRS)
    row_of_method: dict[tuple[Any, ...], int] = {}
    for row_index, row in enumerate(rows):
        row_of_method.setdefault((*path_tail(row["path"]), row["key"].replace(" ", "")), row_index)
    lines = (data / "methods.jsonl").read_text(encoding="utf-8").splitlines()
    source = {
        record["pairid"]: (record["first"], record["second"]) for record in map(json.loads, lines)
    }
    scores: dict[str, list[tuple[float, float]]] = {"sim": [], "sim_tok": []}
    present_count = 0
    with (data / "sampled-pairs.csv").open(encoding="utf-8") as stream:
        for pair in csv.DictReader(stream):
            keys = [
                (*path_tail(pair[f"file{side}"]), pair[f"method{side}"].replace(" ", ""))
                for side in "12"
            ]
            if pair["pairid"] not in source or not all(key in row_of_method for key in keys):
                continue
            present_count += 1
            left, right = (row_of_method[key] for key in keys)
            texts = source[pair["pairid"]]
            if all(
                extract_javadoc_words(text) == rows[row_index]["words"]
                for text, row_index in zip(texts, (left, right), strict=True)
            ):
                scores["sim"].append(
                    (float(pairs.look_up_similarity(left, right)), float(pair["sim"]))
                )
            bodies = [bytes(rows[row_index]["kinds"]) for row_index in (left, right)]
            if [compute_token_kinds(text) for text in texts] == bodies:
                scores["sim_tok"].append((compute_toksim(*bodies), float(pair["sim_tok"])))
    print(f"{present_count} pairs have both methods in the corpus")
    for name, values in scores.items():
        ours, published = np.array(values).T
        print(
            f"{name}: {len(values)} unchanged, Spearman {spearmanr(ours, published)[0]:.4f}, "
            f"mean difference {np.abs(ours - published).mean():.4f}, "
            f"largest {np.abs(ours - published).max():.4f}"
        )


if __name__ == "__main__":
    main()
