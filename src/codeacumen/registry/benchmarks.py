"""The benchmarks of this package, for runs, data sets, reports and ``reproduce``.

These packages know no benchmark by name; they use the definitions that this module lists.
"""

from __future__ import annotations

import importlib
from functools import lru_cache

from codeacumen.api import Benchmark, DataFamily, InputLevels, Recipe, TaskGroup

# Each of these modules defines ``BENCHMARKS`` and imports nothing heavy.
BENCHMARK_MODULES = (
    "codeacumen.benchmarks.idbench.benchmark",
    "codeacumen.benchmarks.gluecode.benchmark",
    "codeacumen.benchmarks.robustness.benchmark",
    "codeacumen.benchmarks.sesame.benchmark",
    "codeacumen.benchmarks.rename4j.benchmark",
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


def list_data_families() -> list[DataFamily]:
    """Return the families of data sets that can be built, of all benchmarks."""
    return [family for benchmark in list_benchmarks() for family in benchmark.families]


def list_recipes() -> list[Recipe]:
    """Return the papers whose tables can be recomputed."""
    return [benchmark.recipe for benchmark in list_benchmarks() if benchmark.recipe]


def list_report_modules() -> list[str]:
    """Return the modules that build benchmarks' sections of the report."""
    modules = [benchmark.report_module for benchmark in list_benchmarks()]
    return [module for module in modules if module]
