"""Recompute the tables of papers: our number, the published number, difference and verdict.

A benchmark may have a recipe, a module with ``compute_cells(options)`` and ``build_tables(cells)``.
The benchmark's definition in the registry names the module, so this package knows no benchmark by
name. ``codeacumen reproduce PAPER`` calls ``reproduce_paper``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.registry import list_recipes
from codeacumen.runs.scoring import ScoringSettings

# Verdicts: within the tolerance, outside it, or nothing to compare with.
WITHIN = "within"
OUTSIDE = "outside"
NO_NUMBER = "no published number"
# Greatest error of computations with floats.
FLOAT_ERROR = 1e-9


@dataclass(frozen=True, slots=True)
class ReproducedCell:
    """A number of a paper's table, recomputed and compared with the published one.

    ``table``, ``task``, ``size``, ``technique`` and ``subset`` locate it; a recipe may leave some
    empty. ``n`` is the number of instances behind it. ``difference`` is ours less the published
    number, ``verdict`` one of those above or the recipe's own. ``low`` and ``high`` bound the
    interval of ours, ``ceiling`` is the agreement of people.
    """

    table: str
    task: str
    size: str
    technique: str
    n: int
    ours: float | None
    published: float | None
    difference: float | None
    verdict: str
    tolerance: float | None = None
    low: float | None = None
    high: float | None = None
    subset: str = ""
    ceiling: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table to print; ``numeric`` has the indices of right-aligned columns of numbers.

    ``footer`` is a text after the table.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    numeric: Sequence[int] = ()
    footer: str = ""


@dataclass(frozen=True, slots=True)
class RecipeOptions:
    """Options of a recipe; ``embeddings`` is a folder with embeddings that the user trained, for
    papers that compare embeddings.
    """

    settings: ScoringSettings = field(default_factory=ScoringSettings)
    progress: Progress = ignore_progress
    embeddings: Path | None = None


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Recomputed numbers of a paper, and the tables to print."""

    cells: list[ReproducedCell]
    tables: list[TextTable]

    @property
    def outside(self) -> list[ReproducedCell]:
        """Cells outside their tolerance."""
        return [cell for cell in self.cells if cell.verdict == OUTSIDE]


def list_papers() -> list[str]:
    """Return the papers that ``codeacumen reproduce`` knows."""
    return [recipe.paper for recipe in list_recipes()]


def reproduce_paper(paper: str, options: RecipeOptions) -> Reproduction:
    """Return the recomputed numbers and tables of a paper, by the recipe of its benchmark.

    Raises an error for an unknown paper, or for ``embeddings`` if the recipe takes none.
    """
    recipes = {recipe.paper: recipe for recipe in list_recipes()}
    if paper not in recipes:
        raise CodeacumenError(f"no recipe for the paper {paper!r}", f"papers: {', '.join(recipes)}")
    if options.embeddings is not None and not recipes[paper].takes_embeddings:
        supporting_papers = [recipe.paper for recipe in recipes.values() if recipe.takes_embeddings]
        raise CodeacumenError(
            f"{paper} takes no --embeddings", f"papers that do: {', '.join(supporting_papers)}"
        )
    module = importlib.import_module(recipes[paper].module)
    cells = module.compute_cells(options)
    return Reproduction(cells, module.build_tables(cells))


def compare_with_published(
    ours: float | None, published: float | None, tolerance: float | None
) -> tuple[float | None, str]:
    """Return ours less the published number, and the verdict.

    The difference is None if a number is missing. A missing tolerance counts as no published
    number, and a missing number of ours as outside.
    """
    if published is None or tolerance is None:
        return None, NO_NUMBER
    if ours is None:
        return None, OUTSIDE
    difference = ours - published
    return difference, WITHIN if abs(difference) <= tolerance else OUTSIDE


def make_cell(
    table: str,
    ours: float | None,
    published: float,
    tolerance: float,
    task: str = "",
    size: str = "",
    technique: str = "",
    n: int = 0,
    subset: str = "",
    note: str = "",
) -> ReproducedCell:
    """Return a cell that compares our number with the published one."""
    difference, verdict = compare_with_published(ours, published, tolerance + FLOAT_ERROR)
    return ReproducedCell(
        table=table,
        task=task,
        size=size,
        technique=technique,
        n=n,
        ours=ours,
        published=published,
        difference=difference,
        verdict=verdict,
        tolerance=tolerance,
        subset=subset,
        note=note,
    )
