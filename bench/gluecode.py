"""Benchmark the GLUECode data set of the whole JDK: the null analysis, then the five tasks.

    python bench/gluecode.py             a table
    python bench/gluecode.py --json

Part of ``make bench``. Both steps read a corpus that is already built; the baseline is the time
of that build in the same run.
"""

from __future__ import annotations

import resource
import time

from jdk import GIB, WORKERS, Jdk, Result, Rows, run_alone


def measure_gluecode(jdk: Jdk) -> Result:
    from codeacumen.benchmarks.gluecode.build import GluecodeRecipe, build_dataset, collect_warnings
    from codeacumen.corpus import Corpus
    from codeacumen.engines.local import LocalEngine

    corpus = Corpus.open(jdk.corpus)
    engine = LocalEngine(WORKERS)
    start = time.perf_counter()
    warnings, failed_files = collect_warnings(corpus, engine, [], lambda what, done, total: None)
    null_seconds = time.perf_counter() - start
    start = time.perf_counter()
    manifest = build_dataset(corpus, GluecodeRecipe(), jdk.folder / "gluecode", engine, warnings)
    task_seconds = time.perf_counter() - start
    del engine  # its worker processes end here; getrusage counts only children that have ended
    peak = max(resource.getrusage(who).ru_maxrss for who in (_SELF, _CHILDREN))
    rows: Rows = [
        ("gluecode: null analysis", null_seconds, jdk.build_seconds, "the corpus build; at most 3"),
        (
            "gluecode: the five tasks",
            task_seconds,
            jdk.build_seconds,
            "the corpus build; at most 1",
        ),
        ("memory: largest process of all of it", float(peak), 4 * GIB / 1024, "4 GiB; at most 1"),
    ]
    remarks = [
        f"null analysis: {sum(map(len, warnings.values())):,} warnings in {len(warnings):,} "
        f"methods, {len(failed_files)} files left out"
    ]
    for task, splits in manifest["counts"]["tasks"].items():
        sizes = ", ".join(f"{split} {counts['instances']:,}" for split, counts in splits.items())
        remarks.append(f"{task}: {sizes}")
    return rows, remarks


_SELF, _CHILDREN = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN

if __name__ == "__main__":
    run_alone(measure_gluecode)
