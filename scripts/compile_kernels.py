"""Compile every kernel before the tests, so that no test waits while another one compiles it.

python scripts/compile_kernels.py
"""

from __future__ import annotations

from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from codeacumen.api import Method, NamedMethod, Pair
from codeacumen.benchmarks.sesame.mining import sample
from codeacumen.benchmarks.sesame.mining.pairs import StoredPairs, write_pairs
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.corpus.duplicates import find_near_duplicates
from codeacumen.corpus.kernels import analyse_one_file
from codeacumen.languages.java.measures.npath import RULES, compute_npath
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.identifier_similarity.model import make_names
from codeacumen.registry import make_model
from codeacumen.text.columns import Ragged


def main() -> None:
    # The kernels that analyse a file take longest; a second process compiles the others meanwhile.
    other_process = get_context("spawn").Process(target=compile_other_kernels)
    other_process.start()
    analyse_one_file(None)
    other_process.join()
    if other_process.exitcode:
        raise SystemExit(other_process.exitcode)


def compile_other_kernels() -> None:
    file = JavaFile(b"class A { int f(int x) { return x > 0 ? 1 : 2; } }")
    for rules in RULES:
        compute_npath(file, rules)
    find_near_duplicates(Ragged(np.arange(90) % 7, np.array([0, 30, 60, 90])))
    # A word that is in no dictionary, so that the model segments it.
    make_names().similarity([Pair("touchmovex", "idx")])
    compile_similarity_kernels()
    compile_naming_kernels()


def compile_naming_kernels() -> None:
    method = Method("1", "void METHOD_NAME(int x) { this.x = x; }")
    make_model("codeacumen-naming").model.judge([NamedMethod(method, "setX")])  # type: ignore[union-attr]


def compile_similarity_kernels() -> None:
    code = Pair("class A { int f(int a) { return a; } }", "class B { int g(int b) { return -b; } }")
    for reference in ("wl-kernel", "method-shape"):
        make_model(reference).model.similarity([code])  # type: ignore[union-attr]
    texts = ["returns the list of words", "adds the list of words", "no"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        write_pairs(Space().fit(texts).vectors, path)
        pairs = StoredPairs.open(path)
        pairs.look_up_similarity(0, 1)
        pairs.list_neighbours(0)
    # Three candidates for two pairs, so that every limit of the sampling applies.
    left, right = np.array([0, 0, 1], dtype=np.int32), np.array([2, 3, 3], dtype=np.int32)
    similarities = np.array([0.9, 0.5, 0.4], dtype=np.float32)
    sample.sample_pairs(
        sample.CandidatePairs(left, right, similarities),
        sample.MethodColumns(["a", "b", "c", "d"], [0, 0, 1, 1], [0, 0, 1, 1]),
        lambda lefts, rights: np.zeros(len(lefts)),
        sample.SamplingSettings(pair_count=2),
    )


if __name__ == "__main__":
    main()
