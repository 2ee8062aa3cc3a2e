"""Declare ReName4J for data sets and ``reproduce``."""

from codeacumen.api import Benchmark, DataFamily, Recipe

BENCHMARKS = (
    Benchmark(
        "rename4j",
        families=(
            DataFamily(
                "renames",
                "codeacumen.benchmarks.rename4j.task",
                "codeacumen dataset build renames MINED --out renames",
                build="codeacumen.benchmarks.rename4j.build:build_from_renames",
            ),
            DataFamily(
                "misnamed",
                "codeacumen.benchmarks.rename4j.task",
                "codeacumen dataset build misnamed CORPUS --out misnamed",
                build="codeacumen.benchmarks.rename4j.build:build_from_corpus",
            ),
        ),
        recipe=Recipe("rename4j", "codeacumen.benchmarks.rename4j.reproduce"),
    ),
)
