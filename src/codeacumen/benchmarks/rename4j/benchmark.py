"""ReName4J's definitions for data sets and ``reproduce``."""

from codeacumen.api import Benchmark, DataFamily, Recipe

BENCHMARKS = (
    Benchmark(
        "rename4j",
        families=(
            DataFamily(
                "names",
                "codeacumen.benchmarks.rename4j.task",
                tasks="names",
                build_command="codeacumen names dataset --renames MINED --out names",
            ),
        ),
        recipe=Recipe("rename4j", "codeacumen.benchmarks.rename4j.reproduce"),
    ),
)
