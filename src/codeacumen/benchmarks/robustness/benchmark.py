"""Declare the robustness benchmark for data sets, reports and ``reproduce``."""

from codeacumen.api import Benchmark, DataFamily, Recipe

BENCHMARKS = (
    Benchmark(
        "robustness",
        families=(
            DataFamily(
                "robustness",
                "codeacumen.benchmarks.robustness",
                "codeacumen dataset build robustness CORPUS --out robustness",
                build="codeacumen.benchmarks.robustness.build:build_from_corpus",
            ),
        ),
        report_module="codeacumen.benchmarks.robustness.report",
        recipe=Recipe("generalizability", "codeacumen.benchmarks.robustness.reproduce"),
    ),
)
