"""Run all benchmarks: throughput and memory as ratios to a baseline of the same run.

    make bench                 a table
    python bench/run.py --json machine-readable

Ratios can be compared between machines, seconds cannot. Nothing here is a test.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from corpus import measure_corpus
from gluecode import measure_gluecode
from jdk import Rows, find_jdk_source, prepare_jdk, print_results
from measure import measure_npath
from names import measure_names
from renames import measure_renames
from similar import measure_similar_methods
from transforms import measure_transforms

ROOT = Path(__file__).resolve().parents[1]


def measure_seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """Return the median time of a piece of work in seconds, after one run to warm up."""
    work()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def make_process_runner(*arguments: str) -> Callable[[], object]:
    """Return a function that runs Python with the arguments."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def measure_child_peak(code: str) -> int:
    """Return the peak memory in KiB of a Python process that runs the code."""
    report_code = (
        "from codeacumen.core.machine import peak_memory_bytes; print(peak_memory_bytes() // 1024)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report_code}"], check=True, capture_output=True, text=True
    )
    return int(completed.stdout.split()[-1])


def measure_start_up() -> list[tuple[str, float, float, str]]:
    bare_seconds = measure_seconds(make_process_runner("-c", "pass"), 9)
    return [
        (
            "start: codeacumen --help",
            measure_seconds(make_process_runner("-m", "codeacumen", "--help"), 9),
            bare_seconds,
            "python -c pass",
        ),
        (
            "start: codeacumen tasks list",
            measure_seconds(make_process_runner("-m", "codeacumen", "tasks", "list"), 9),
            bare_seconds,
            "python -c pass",
        ),
        (
            "memory: codeacumen --help",
            measure_child_peak(
                "from codeacumen.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass"
            ),
            measure_child_peak("pass"),
            "python -c pass",
        ),
    ]


def measure_bootstrap() -> list[tuple[str, float, float, str]]:
    import numpy as np
    from scipy.stats import spearmanr

    from codeacumen import metrics
    from codeacumen.runs.statistics import compute_replicates

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 266))
    columns = np.array([x, y])
    resamples = 2000

    def resample_with_scipy() -> None:
        for _ in range(resamples // 10):
            rows = rng.integers(0, 266, size=266)
            spearmanr(x[rows], y[rows])

    our_seconds = measure_seconds(
        lambda: compute_replicates(metrics.spearman, [columns], resamples, 0)
    )
    return [
        (
            "bootstrap: 2000 rank correlations of 266",
            our_seconds,
            10 * measure_seconds(resample_with_scipy, 3),
            "scipy.stats.spearmanr, one resample at a time",
        )
    ]


def measure_answering() -> list[tuple[str, float, float, str]]:
    from rapidfuzz.distance import Levenshtein

    from codeacumen import metrics
    from codeacumen.api import Capability, Instance, Pair, TaskCard
    from codeacumen.core.machine import peak_memory_bytes
    from codeacumen.registry import make_model
    from codeacumen.runs.evaluate import answer_cell
    from codeacumen.runs.plan import Cell, PlannedTask

    pairs = [(f"identifier{i}Name", f"name{i * 7}Identifier") for i in range(50_000)]

    class ManyPairs:
        card = TaskCard("bench/many", "Many", "1", Capability.SIMILARITY, "spearman")
        metric = metrics.spearman

        def instances(self) -> list[Instance]:
            return [Instance(f"{a}~{b}", Pair(a, b), 0.0) for a, b in pairs]

    task = PlannedTask(ManyPairs())
    cell = Cell(make_model("levenshtein"), task)
    assert task.data_sha256

    def run_bare_loop() -> None:
        for a, b in pairs:
            json.dumps({"id": f"{a}~{b}", "answer": Levenshtein.normalized_similarity(a, b)})

    return [
        (
            "eval: 50,000 pairs answered and stored",
            measure_seconds(lambda: answer_cell(cell, fresh=True), 3),
            measure_seconds(run_bare_loop, 3),
            "bare loop over rapidfuzz and json.dumps",
        ),
        (
            "memory: 50,000 pairs answered and stored",
            peak_memory_bytes() / 1024,
            measure_child_peak("import numpy, scipy.stats"),
            "import numpy, scipy.stats",
        ),
        (
            "eval: 50,000 answers from the cache",
            measure_seconds(lambda: answer_cell(cell), 3),
            measure_seconds(run_bare_loop, 3),
            "the same loop",
        ),
    ]


def measure_splitting() -> list[tuple[str, float, float, str]]:
    from codeacumen.text.subtokens import split_subtokens

    names = [f"getValue{i}FromHTTPResponse_code" for i in range(20_000)]
    pattern = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

    def split_with_codeacumen() -> None:
        split_subtokens.cache_clear()
        for name in names:
            split_subtokens(name)

    def split_with_regex() -> None:
        for name in names:
            pattern.findall(name)

    return [
        (
            "subtokens: 20,000 new identifiers",
            measure_seconds(split_with_codeacumen),
            measure_seconds(split_with_regex),
            "re.findall of a simpler rule",
        )
    ]


def measure_java() -> list[tuple[str, float, float, str]]:
    """Return times to parse and analyse every 30th file of the JDK's source, if it is installed."""
    source = find_jdk_source()
    if source is None:
        print("Java not measured: the JDK source is missing", file=sys.stderr)
        return []
    from tree_sitter import Parser

    from codeacumen.languages.java import load_grammar, parse_java
    from codeacumen.languages.java.syntax.declarations import find_declarations
    from codeacumen.languages.java.syntax.tokens import tokenize_java

    with zipfile.ZipFile(source) as archive:
        names = [name for name in sorted(archive.namelist()) if name.endswith(".java")]
        sources = [archive.read(name) for name in names[::30]]
    trees = [parse_java(source) for source in sources]
    parser = Parser(load_grammar())
    parse_seconds = measure_seconds(lambda: [parser.parse(source) for source in sources], 3)
    label = f"java, {len(sources)} files, {sum(map(len, sources)) / 1e6:.1f} MB"
    baseline = "bare tree-sitter parsing of the same files"
    return [
        (
            f"{label}: parse to arrays",
            measure_seconds(lambda: [parse_java(text) for text in sources], 3),
            parse_seconds,
            baseline,
        ),
        (
            f"{label}: tokens",
            measure_seconds(lambda: [tokenize_java(tree) for tree in trees], 3),
            parse_seconds,
            baseline,
        ),
        (
            f"{label}: members",
            measure_seconds(lambda: [find_declarations(tree) for tree in trees], 3),
            parse_seconds,
            baseline,
        ),
    ]


def main() -> None:
    # Memory comes first: a process started by a large one counts that memory as its own.
    with tempfile.TemporaryDirectory() as home:
        os.environ["CODEACUMEN_HOME"] = home
        rows: Rows = [
            *measure_start_up(),
            *measure_bootstrap(),
            *measure_answering(),
            *measure_splitting(),
            *measure_java(),
        ]
    remarks: list[str] = []
    with prepare_jdk() as prepared_jdk:
        measure_functions = (
            measure_corpus,
            measure_npath,
            measure_gluecode,
            measure_transforms,
            measure_similar_methods,
            measure_names,
            measure_renames,
        )
        for measure_part in measure_functions if prepared_jdk is not None else ():
            print(f"running {measure_part.__name__}", file=sys.stderr)
            new_rows, new_remarks = measure_part(prepared_jdk)
            rows, remarks = [*rows, *new_rows], [*remarks, *new_remarks]
    print_results(rows, remarks)


if __name__ == "__main__":
    main()
