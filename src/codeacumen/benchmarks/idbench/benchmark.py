"""Declare IdBench for data sets and ``reproduce``."""

from codeacumen.api import Benchmark, DataFamily, Recipe

BENCHMARKS = (
    Benchmark(
        "idbench",
        families=(
            DataFamily(
                "identifiers",
                "codeacumen.benchmarks.idbench",
                "codeacumen dataset build identifiers VOTES --out identifiers",
                build="codeacumen.benchmarks.idbench.build:build_from_votes",
            ),
        ),
        recipe=Recipe("idbench", "codeacumen.benchmarks.idbench.reproduce", takes_embeddings=True),
    ),
)
