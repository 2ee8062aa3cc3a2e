"""Our docsim and toksim beside the published ones, for pairs of SeSaMe whose two methods are in a
corpus as they were then.

    codeacumen similar mine CORPUS --out MINED --compat sesame-tools
    python bench/sesame.py MINED

The published numbers are of another corpus, eleven projects of 2018: a trigram is rarer or more
frequent there. A method counts as unchanged if the words of its JavaDoc, or for toksim the tokens
of its body, are those of the published source.
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

from codeacumen.benchmarks.sesame.mining.mining import METHODS, PAIRS
from codeacumen.benchmarks.sesame.mining.pairs import Pairs
from codeacumen.benchmarks.sesame.mining.tokens import kinds, toksim
from codeacumen.datasets import require
from codeacumen.languages.java.javadoc import SESAME_TOOLS, words

# Parts of a path, from its end, that must be the same.
TAIL = 3


def javadoc_of(text: str) -> str:
    start = text.find("/**")
    return words(text[start : text.find("*/", start) + 2], SESAME_TOOLS) if start >= 0 else ""


def tail_of(path: str) -> tuple[str, ...]:
    # The fourth edition of commons-math is the third under another name.
    return tuple(path.replace("math4", "math3").split("/")[-TAIL:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("mined", type=Path)
    mined = parser.parse_args().mined
    data = require("sesame")
    rows = pq.read_table(mined / METHODS, columns=["path", "key", "words", "kinds"]).to_pylist()
    pairs = Pairs.open(mined / PAIRS)
    place: dict[tuple[Any, ...], int] = {}
    for number, row in enumerate(rows):
        place.setdefault((*tail_of(row["path"]), row["key"].replace(" ", "")), number)
    lines = (data / "methods.jsonl").read_text(encoding="utf-8").splitlines()
    source = {one["pairid"]: (one["first"], one["second"]) for one in map(json.loads, lines)}
    found: dict[str, list[tuple[float, float]]] = {"sim": [], "sim_tok": []}
    present = 0
    with (data / "sampled-pairs.csv").open(encoding="utf-8") as stream:
        for pair in csv.DictReader(stream):
            keys = [
                (*tail_of(pair[f"file{side}"]), pair[f"method{side}"].replace(" ", ""))
                for side in "12"
            ]
            if pair["pairid"] not in source or not all(key in place for key in keys):
                continue
            present += 1
            one, other = (place[key] for key in keys)
            texts = source[pair["pairid"]]
            if all(
                javadoc_of(t) == rows[n]["words"] for t, n in zip(texts, (one, other), strict=True)
            ):
                found["sim"].append((float(pairs.sim(one, other)), float(pair["sim"])))
            bodies = [bytes(rows[number]["kinds"]) for number in (one, other)]
            if [kinds(text) for text in texts] == bodies:
                found["sim_tok"].append((toksim(*bodies), float(pair["sim_tok"])))
    print(f"{present} pairs have both methods in the corpus")
    for name, values in found.items():
        ours, published = np.array(values).T
        print(
            f"{name}: {len(values)} unchanged, Spearman {spearmanr(ours, published)[0]:.4f}, "
            f"mean difference {np.abs(ours - published).mean():.4f}, "
            f"largest {np.abs(ours - published).max():.4f}"
        )


if __name__ == "__main__":
    main()
