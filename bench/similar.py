"""Benchmark similar methods of the whole JDK: docsim of all pairs, sampling, and one query.

    python bench/similar.py              a table
    python bench/similar.py --json

Part of ``make bench``. All steps read a corpus that is already built; the baseline is the time of
that build in the same run. Pairs are sampled across projects, so each module of the JDK counts as a
project.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from jdk import GIB, WORKERS, Jdk, Result, Rows, run_alone


def measure_similar_methods(jdk: Jdk) -> Result:
    import numpy as np

    from codeacumen.benchmarks.sesame.mining import sample
    from codeacumen.benchmarks.sesame.mining.methods import mine_methods
    from codeacumen.benchmarks.sesame.mining.pairs import StoredPairs, write_pairs
    from codeacumen.benchmarks.sesame.mining.pipeline import split_bodies
    from codeacumen.benchmarks.sesame.mining.spaces import Space
    from codeacumen.benchmarks.sesame.mining.tokens import compute_toksims
    from codeacumen.corpus import Corpus
    from codeacumen.engines.local import LocalEngine

    corpus = Corpus.open(jdk.corpus)
    start = time.perf_counter()
    table = mine_methods(corpus, LocalEngine(WORKERS), "", lambda what, done, total: None).table
    methods_seconds = time.perf_counter() - start
    start = time.perf_counter()
    path = jdk.folder / "pairs.parquet"
    write_pairs(Space().fit(table["words"].to_pylist()).vectors, path, workers=WORKERS)
    docsim_seconds = time.perf_counter() - start
    pairs = StoredPairs.open(path)
    paths = table["path"].to_pylist()
    modules = [source_path.partition("/")[0] for source_path in paths]
    bodies = split_bodies(table)
    start = time.perf_counter()
    sampled_pairs = sample.sample_pairs(
        sample.CandidatePairs(pairs.left, pairs.right, pairs.similar),
        sample.MethodColumns(table["method_id"].to_pylist(), modules, paths),
        lambda left, right: np.asarray(compute_toksims(bodies, left, right)),
        sample.SamplingSettings(),
        workers=WORKERS,
    )
    sampling_seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    command = [
        sys.executable,
        "-m",
        "codeacumen",
        "similar",
        "find",
        str(jdk.corpus),
        table["method_id"][0].as_py(),
    ]
    subprocess.run(command, check=True, capture_output=True)  # the first call builds the index
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    find_seconds = time.perf_counter() - start
    rows: Rows = [
        ("similar: methods with JavaDoc", methods_seconds, jdk.build_seconds, "the corpus build"),
        (
            "similar: docsim of all pairs",
            docsim_seconds,
            jdk.build_seconds,
            "the corpus build; at most 2",
        ),
        (
            "similar: 900 pairs sampled",
            sampling_seconds,
            jdk.build_seconds,
            "the corpus build; at most 1.5",
        ),
        ("similar: find, the whole command", find_seconds, 1.0, "a second; at most 1"),
        ("memory: docsim and sampling", float(peak), 6 * GIB / 1024, "6 GiB; at most 1"),
    ]
    remarks = [
        f"similar: {table.num_rows:,} methods, {len(pairs):,} pairs with docsim above 0, "
        f"{len(sampled_pairs):,} sampled"
    ]
    return rows, remarks


if __name__ == "__main__":
    run_alone(measure_similar_methods)
