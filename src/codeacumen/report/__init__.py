"""Build the report: one HTML file about one or several runs, and its plots as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import Run
from codeacumen.core.progress import Progress, ignore_progress

if TYPE_CHECKING:
    from codeacumen.datasets.built import BuiltDataset

__all__ = ["build_report", "export_plots"]


def build_report(
    runs: Sequence[tuple[Path, Run]],
    out: Path,
    progress: Progress = ignore_progress,
    corpora: Sequence[Path] = (),
    data_sets: Sequence[BuiltDataset] = (),
) -> Path:
    """Write one self-contained HTML page and return its path.

    The page describes ``runs``, each with its folder, the corpora in the folders ``corpora``, and
    the data sets of the runs. If several runs score the same model on the same task, the last one
    counts. The page needs no network, and equal runs give equal bytes.
    """
    # Imported here so that `codeacumen --help` does not load numpy, altair and jinja2.
    from codeacumen.core.files import write_atomically
    from codeacumen.report.corpora import build_corpus_views
    from codeacumen.report.html import render_page
    from codeacumen.report.merged_runs import gather_evidence, merge_runs
    from codeacumen.report.page_records import build_page
    from codeacumen.report.sections import build_sections

    merged = merge_runs(runs)
    corpus_views = build_corpus_views(corpora)
    evidence = {}
    for number, name in enumerate(merged.tasks):
        progress(f"comparing models on {name}", number, len(merged.tasks))
        evidence[name] = gather_evidence(merged, name)
    progress("writing the page", len(merged.tasks), len(merged.tasks))
    sections = build_sections(merged, evidence, data_sets)
    write_atomically(out, render_page(build_page(merged, evidence, corpus_views, sections)))
    return out


def export_plots(
    runs: Sequence[tuple[Path, Run]], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Write every plot of the report into ``folder``, as ``png``, ``svg`` or both."""
    from codeacumen.report.merged_runs import merge_runs
    from codeacumen.report.plots import draw_page_plots, write_plots
    from codeacumen.report.sections import draw_section_plots

    merged = merge_runs(runs)
    return write_plots([*draw_page_plots(merged), *draw_section_plots(merged)], folder, formats)
