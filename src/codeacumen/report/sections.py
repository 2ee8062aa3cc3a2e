"""Sections of the page that benchmarks define.

A benchmark's definition names a module with two functions: ``build_sections(merged, evidence,
data_sets)`` returns its sections, and ``draw_plots(merged)`` returns those plots that need only
scores. Templates, styles and scripts are in the module's folder ``page``. The report itself knows
no benchmark by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeacumen.datasets.built import BuiltDataset
from codeacumen.registry import list_report_modules
from codeacumen.report.merged_runs import Evidence, MergedRuns
from codeacumen.report.plots import Plot


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page about several tasks of a benchmark, or about a data set.

    The report renders ``template`` with this record as ``section``; ``content`` is what the
    template shows. ``template``, ``styles`` and ``scripts`` are in the folder ``page`` of
    ``package``. ``data`` is in the page as JSON, with the id ``{anchor}-data``. The section comes
    before the task ``before_task``, or, if that is empty, after all tasks.

    ``summarized_tasks`` are tasks whose other metrics this section shows, so that the tasks' own
    sections do not; their scores are percentages and are shown with two decimals.
    """

    anchor: str
    contents_title: str
    package: str
    template: str
    content: Any
    plots: Sequence[Plot] = ()
    styles: Sequence[str] = ()
    scripts: Sequence[str] = ()
    data: Any = None
    before_task: str = ""
    summarized_tasks: frozenset[str] = frozenset()

    @property
    def template_path(self) -> str:
        return f"{self.package}/{self.template}"


def build_sections(
    merged: MergedRuns, evidence: Mapping[str, Evidence], data_sets: Sequence[BuiltDataset]
) -> list[Section]:
    """Return the sections of all benchmarks, in the order of the benchmarks."""
    return [
        section
        for name in list_report_modules()
        for section in importlib.import_module(name).build_sections(merged, evidence, data_sets)
    ]


def draw_section_plots(merged: MergedRuns) -> list[Plot]:
    """Return the plots of all benchmarks that need only scores."""
    return [
        plot
        for name in list_report_modules()
        for plot in importlib.import_module(name).draw_plots(merged)
    ]
