"""The benchmarks of this package: what runs and reports know about groups of tasks."""

from __future__ import annotations

import importlib
from functools import lru_cache

from codeacumen.api import Benchmark, InputLevels, TaskGroup

# Each of these modules defines ``BENCHMARKS`` and imports nothing heavy.
BENCHMARK_MODULES = (
    "codeacumen.benchmarks.gluecode.benchmark",
    "codeacumen.benchmarks.sesame",
)


@lru_cache(maxsize=1)
def list_benchmarks() -> tuple[Benchmark, ...]:
    """Return the definitions of all benchmarks."""
    modules = [importlib.import_module(name) for name in BENCHMARK_MODULES]
    return tuple(benchmark for module in modules for benchmark in module.BENCHMARKS)


def list_task_groups() -> list[TaskGroup]:
    """Return the groups of tasks over which scores are averaged, of all benchmarks."""
    return [group for benchmark in list_benchmarks() for group in benchmark.groups]


def list_input_levels() -> list[InputLevels]:
    """Return the levels of input that all benchmarks define."""
    return [levels for benchmark in list_benchmarks() for levels in benchmark.input_levels]
