"""Robustness' definitions for data sets, reports and ``reproduce``."""

from codeacumen.api import Benchmark, DataFamily, Recipe

BENCHMARKS = (
    Benchmark(
        "robustness",
        families=(
            DataFamily(
                "robustness",
                "codeacumen.benchmarks.robustness",
                tasks="robustness",
                build_command="codeacumen dataset robustness --corpus CORPUS --out robustness",
            ),
        ),
        report_module="codeacumen.benchmarks.robustness.report",
        recipe=Recipe("generalizability", "codeacumen.benchmarks.robustness.reproduce"),
    ),
)
