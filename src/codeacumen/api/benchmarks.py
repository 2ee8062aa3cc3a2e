"""A benchmark's definitions beside its tasks: means over groups of tasks, levels of input, families
of data sets, a section of the report, and a recipe for the paper's tables.

Modules are given by name, so that a definition loads nothing before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# A model of the paper, and its scores in the order of the group's tasks.
PublishedRow: TypeAlias = tuple[str, Sequence[float]]


def _no_published_rows() -> Sequence[PublishedRow]:
    return ()


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Tasks whose headline scores are averaged, for each model that has all of them.

    ``caption`` says in the report how the interval of the mean is computed; ``published_rows``
    returns the rows of the paper's table, which the report shows below ours.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    caption: str
    published_rows: Callable[[], Sequence[PublishedRow]] = _no_published_rows


@dataclass(frozen=True, slots=True)
class InputLevels:
    """Levels of input: tasks with the same questions that show more or less of the text.

    ``tasks`` are by level, in the same order at each level; ``meanings`` say in words what a level
    shows. The first level shows all of the text; the report shows how much lower the mean score at
    each other level is.
    """

    benchmark: str
    title: str
    tasks: Mapping[str, tuple[str, ...]]
    meanings: Mapping[str, str]

    @property
    def first_level(self) -> str:
        """The level that shows all of the text."""
        return next(iter(self.tasks))


@dataclass(frozen=True, slots=True)
class DataFamily:
    """Data sets that a benchmark builds; ``name`` is in their ``dataset.json``.

    ``module`` has ``list_tasks(built)``, which returns the tasks of such a data set; their names
    begin with ``name``. ``build_command``, which writes the folder ``name``, is printed when a
    task of the family is named and no data set is loaded.

    ``build`` names the function that builds a data set as ``module:function``; it takes the corpus
    or the other source, the folder, the progress callback, and options by name. ``methods_file`` is
    the file with a row for each method, and ``pretraining_task`` the task with the most methods;
    empty where the family has none.
    """

    name: str
    module: str
    build_command: str
    build: str = ""
    methods_file: str = ""
    pretraining_task: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Module that recomputes the tables of a paper with ``compute_cells`` and ``build_tables`` (see
    ``codeacumen.reproduce``). ``takes_embeddings``: it accepts the option ``--embeddings``."""

    paper: str
    module: str
    takes_embeddings: bool = False


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark's definitions that concern several of its tasks together.

    ``report_module`` names a module with ``build_sections`` and ``draw_plots`` (see
    ``codeacumen.report.sections``).
    """

    name: str
    groups: tuple[TaskGroup, ...] = ()
    input_levels: tuple[InputLevels, ...] = ()
    families: tuple[DataFamily, ...] = ()
    report_module: str = ""
    recipe: Recipe | None = None
