"""Benchmark the GLUECode data set of the whole JDK: the null analysis, then the five tasks.

    python bench/gluecode.py             a table
    python bench/gluecode.py --json

Part of ``make bench``. Both steps read a corpus that is already built; the baseline is the time
of that build in the same run.
"""

from __future__ import annotations

import resource
import time

from jdk import GIB, WORKERS, Jdk, Rows, Told, alone


def gluecode(jdk: Jdk) -> Told:
    from codeacumen.benchmarks.gluecode.build import GluecodeRecipe, build_dataset
    from codeacumen.benchmarks.gluecode.warned import collect_warnings
    from codeacumen.corpus import Corpus
    from codeacumen.engines.local import LocalEngine

    corpus = Corpus.open(jdk.corpus)
    engine = LocalEngine(WORKERS)
    clock = time.perf_counter()
    warnings, failed = collect_warnings(corpus, engine, [], lambda what, done, total: None)
    nulls = time.perf_counter() - clock
    clock = time.perf_counter()
    about = build_dataset(corpus, GluecodeRecipe(), jdk.folder / "gluecode", engine, warnings)
    tasks = time.perf_counter() - clock
    del engine  # its worker processes end here; getrusage counts only children that have ended
    peak = max(resource.getrusage(who).ru_maxrss for who in (_SELF, _CHILDREN))
    rows: Rows = [
        ("gluecode: null analysis", nulls, jdk.wall, "the corpus build; at most 3"),
        ("gluecode: the five tasks", tasks, jdk.wall, "the corpus build; at most 1"),
        ("memory: largest process of all of it", float(peak), 4 * GIB / 1024, "4 GiB; at most 1"),
    ]
    told = [
        f"null analysis: {sum(map(len, warnings.values())):,} warnings in {len(warnings):,} "
        f"methods, {len(failed)} files left out"
    ]
    for task, splits in about["counts"]["tasks"].items():
        sizes = ", ".join(f"{split} {one['instances']:,}" for split, one in splits.items())
        told.append(f"{task}: {sizes}")
    return rows, told


_SELF, _CHILDREN = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN

if __name__ == "__main__":
    alone(gluecode)
