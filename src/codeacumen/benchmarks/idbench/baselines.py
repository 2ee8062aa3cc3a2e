"""The seven techniques of the IdBench paper, as models that return the published scores.

They support the pairs of the data set only. With them, the paper's study can be repeated, and new
models can be compared with the techniques on identical pairs.
"""

from __future__ import annotations

from functools import partial

from codeacumen.benchmarks.idbench import SIZES, read_pairs
from codeacumen.datasets import find_dataset, require_dataset
from codeacumen.registry import model
from codeacumen.tasks.published import PairScores, PublishedPairScores

# Column and description of each technique, by name of the model.
TECHNIQUES = {
    "lv": ("LV", "Levenshtein's edit distance"),
    "nw": ("NW", "Needleman-Wunsch distance"),
    "ft-cbow": ("FT-cbow", "FastText, continuous bag of words"),
    "ft-sg": ("FT-SG", "FastText, skip-gram"),
    "w2v-cbow": ("w2v-cbow", "word2vec, continuous bag of words"),
    "w2v-sg": ("w2v-SG", "word2vec, skip-gram"),
    "path-based": ("Path-based", "embedding of syntax paths"),
}


def _load_scores(technique: str) -> PairScores:
    folder = require_dataset("idbench")
    return {
        (pair.left, pair.right): pair.scores[technique]
        for size in SIZES
        for pair in read_pairs(folder, size)
    }


def make_technique(technique: str) -> PublishedPairScores:
    load = partial(_load_scores, technique)
    return PublishedPairScores(load, only=("idbench",), fingerprint=find_dataset("idbench").commit)


for _name, (_technique, _summary) in TECHNIQUES.items():
    model(_name, summary=f"{_summary} (scores published with IdBench)", is_published=True)(
        partial(make_technique, _technique)
    )
