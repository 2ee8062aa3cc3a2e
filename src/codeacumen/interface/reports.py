"""Write the report of runs, and its plots as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codeacumen.api import Run
from codeacumen.core.progress import show_progress
from codeacumen.interface.results import Results


def write_report(
    runs: str | Path | Results | Sequence[str | Path | Results],
    out: str | Path | None = None,
    *,
    corpora: Sequence[str | Path] = (),
    progress: bool = True,
) -> Path:
    """Write one HTML file about runs, and return its path: by default in the first run's folder.

    ``runs`` are folders or results; of a model's scores on a task, those of the last run count.
    ``corpora`` are folders of corpora to describe. Questions and data cards come from the data
    sets that the runs were made with, where they are still in their folders.
    """
    from codeacumen.report import build_report
    from codeacumen.runs.datasets import load_run_datasets

    loaded = _load_runs(runs)
    path = Path(out) if out is not None else loaded[0][0] / "report.html"
    data_sets = load_run_datasets(run for _, run in loaded)
    folders = [Path(corpus) for corpus in corpora]
    with show_progress(progress) as report_progress:
        return build_report(loaded, path, report_progress, folders, data_sets)


def write_plots(
    runs: str | Path | Results | Sequence[str | Path | Results],
    folder: str | Path,
    formats: Sequence[str] = ("png", "svg"),
) -> list[Path]:
    """Write the plots of the report of runs into a folder, and return the files."""
    from codeacumen.report import export_plots

    return export_plots(_load_runs(runs), Path(folder), formats)


def _load_runs(runs: Any) -> list[tuple[Path, Run]]:
    """Return runs with their folders."""
    from codeacumen.runs.results import find_results, read_run

    loaded = []
    for run in runs if isinstance(runs, list | tuple) else [runs]:
        if isinstance(run, Results):
            loaded.append((run.folder, run.run))
        else:
            loaded.append((find_results(Path(run)).parent, read_run(Path(run))))
    return loaded
