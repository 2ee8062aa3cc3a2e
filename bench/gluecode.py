"""The five GLUECode tasks of the whole JDK: the null analysis, then all else.

    python bench/gluecode.py             a table
    python bench/gluecode.py --json

Part of ``make bench``. Both work on a corpus that is built; against its build in the same run.
"""

from __future__ import annotations

import resource
import time

from jdk import GIB, WORKERS, Jdk, Rows, Told, alone


def gluecode(jdk: Jdk) -> Told:
    from codeacumen.benchmarks.gluecode.build import Recipe, build
    from codeacumen.benchmarks.gluecode.warned import warnings_of
    from codeacumen.corpus import Corpus
    from codeacumen.engines.local import LocalEngine

    corpus = Corpus.open(jdk.corpus)
    engine = LocalEngine(WORKERS)
    clock = time.perf_counter()
    warnings, failed = warnings_of(corpus, engine, [], lambda what, done, total: None)
    nulls = time.perf_counter() - clock
    clock = time.perf_counter()
    about = build(corpus, Recipe(), jdk.folder / "gluecode", engine, warnings)
    tasks = time.perf_counter() - clock
    del engine  # its processes end with it, and are counted
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
