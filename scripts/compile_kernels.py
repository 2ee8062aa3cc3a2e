"""Compile every kernel, so that no test waits for another that compiles the same.

python scripts/compile_kernels.py
"""

from __future__ import annotations

from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from codeacumen.api import Method, NamedMethod, Pair
from codeacumen.benchmarks.sesame.mining import sample
from codeacumen.benchmarks.sesame.mining.pairs import Pairs, write_pairs
from codeacumen.benchmarks.sesame.mining.spaces import vectors
from codeacumen.corpus.compiled import analyse_one_file
from codeacumen.corpus.duplicates import near_duplicates
from codeacumen.languages.java.measures.npath import RULES, npath
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.identifier_similarity.model import make_names
from codeacumen.registry import make_model
from codeacumen.text.columns import Ragged


def main() -> None:
    # What analyses a file takes most of the time; all others, meanwhile, another process.
    beside = get_context("spawn").Process(target=others)
    beside.start()
    analyse_one_file(None)
    beside.join()
    if beside.exitcode:
        raise SystemExit(beside.exitcode)


def others() -> None:
    file = JavaFile(b"class A { int f(int x) { return x > 0 ? 1 : 2; } }")
    for rules in RULES:
        npath(file, rules)
    near_duplicates(Ragged(np.arange(90) % 7, np.array([0, 30, 60, 90])))
    # A word that no dictionary has, so that it is cut.
    make_names().similarity([Pair("touchmovex", "idx")])
    similar_methods()
    method_names()


def method_names() -> None:
    method = Method("1", "void METHOD_NAME(int x) { this.x = x; }")
    make_model("codeacumen-naming").model.judge([NamedMethod(method, "setX")])  # type: ignore[union-attr]


def similar_methods() -> None:
    code = Pair("class A { int f(int a) { return a; } }", "class B { int g(int b) { return -b; } }")
    for reference in ("wl-kernel", "method-shape"):
        make_model(reference).model.similarity([code])  # type: ignore[union-attr]
    texts = ["returns the list of words", "adds the list of words", "no"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        write_pairs(vectors(texts), path)
        pairs = Pairs.open(path)
        pairs.sim(0, 1)
        pairs.neighbours(0)
    # Three candidates for two places: each bound is needed.
    left, right = np.array([0, 0, 1], dtype=np.int32), np.array([2, 3, 3], dtype=np.int32)
    near = np.array([0.9, 0.5, 0.4], dtype=np.float32)
    sample.sample(
        sample.Pairs(left, right, near),
        sample.Methods(["a", "b", "c", "d"], [0, 0, 1, 1], [0, 0, 1, 1]),
        lambda one, other: np.zeros(len(one)),
        sample.Settings(many=2),
    )


if __name__ == "__main__":
    main()
