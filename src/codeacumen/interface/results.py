"""Results of an evaluation as tables, data frames and plots; the report on one or more runs."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError, Run, Task
from codeacumen.core.progress import show_progress
from codeacumen.interface.catalogue import to_list

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import pyarrow as pa


_TEXT_COLUMNS = ("task", "model", "metric", "evaluation_set", "slice")


class TemporaryFolder:
    """A temporary folder, deleted when nothing refers to this object any more, or at exit."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="codeacumen-run-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class Results:
    """Scores of models on tasks.

    ``run`` is the record that ``results.json`` in ``folder`` holds. ``notes`` say what was left
    out: models that cannot answer a task, tasks without data, answers that belong to no instance.
    """

    run: Run
    folder: Path
    notes: tuple[str, ...] = ()
    # The tasks of the run, for ``compare``. It cannot always get them from the registry again: the
    # user may have given objects, or loaded another data set since.
    tasks: Mapping[str, Task] = field(default_factory=dict, repr=False, compare=False)
    # A run without ``out`` has a temporary folder; this reference keeps it while the results exist.
    _temporary: TemporaryFolder | None = field(default=None, repr=False, compare=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row for each score."""
        return [
            {
                "task": cell.task,
                "model": cell.model,
                "metric": score.metric,
                "evaluation_set": score.evaluation_set,
                "slice": score.slice,
                "value": score.value,
                "low": score.low,
                "high": score.high,
                "n": score.n,
                "instances": cell.counts.instances,
                "answered": cell.counts.answered,
                "failed": cell.counts.failed,
                "is_baseline": self.run.models[cell.model].is_baseline,
                "note": score.note,
            }
            for cell in self.run.cells
            for score in cell.scores
        ]

    def to_arrow(self) -> pa.Table:
        """Return the scores as an Arrow table; its columns and types are always the same."""
        import pyarrow as pa

        text, number, count = pa.string(), pa.float64(), pa.int64()
        schema = pa.schema(
            [
                *((name, text) for name in _TEXT_COLUMNS),
                *((name, number) for name in ("value", "low", "high")),
                *((name, count) for name in ("n", "instances", "answered", "failed")),
                ("is_baseline", pa.bool_()),
                ("note", text),
            ]
        )
        return pa.Table.from_pylist(self.to_rows(), schema)

    def to_pandas(self) -> pd.DataFrame:
        """Return the scores as a pandas data frame; you must install pandas yourself."""
        try:
            import pandas as pd
        except ImportError as error:
            raise CodeacumenError("pandas is not installed", "pip install pandas") from error
        return pd.DataFrame(self.to_rows(), columns=self.to_arrow().column_names)

    def plot(self, task: str = "") -> alt.Chart:
        """Return the plot of a task, by default the first: each model's score with its interval."""
        import altair as alt

        from codeacumen.report.merged_runs import merge_runs
        from codeacumen.report.plots import EXPORT_WIDTH, build_theme, draw_forest_plot

        name = task or next(iter(self.run.tasks), "")
        if name not in self.run.tasks:
            raise CodeacumenError(
                f"the results have no task {name!r}", f"name one of {', '.join(self.run.tasks)}"
            )
        card = self.run.tasks[name]
        plot = draw_forest_plot(
            merge_runs([(self.folder, self.run)]), card, card.evaluation_sets[0]
        )
        config = build_theme("light")
        # Vega-Lite accepts a layout of legends, but its JSON schema lacks it, and Altair checks the
        # plot against this schema.
        config["legend"] = {
            key: value for key, value in config["legend"].items() if key != "layout"
        }
        return alt.Chart.from_dict({**plot.spec, "width": EXPORT_WIDTH, "config": config})

    def report(self, path: str | Path | None = None) -> Path:
        """Write one HTML file, by default ``report.html`` in ``folder``, and return its path.

        The folder of a run without ``out`` is temporary: name a path to keep the report.
        """
        return write_report(self, path)

    def __str__(self) -> str:
        lines = []
        for title, header, rows in self._build_tables():
            widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
            lines += [title, *("  ".join(map(str.ljust, row, widths)) for row in (header, *rows))]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from html import escape

        parts = []
        for title, header, rows in self._build_tables():
            head = "".join(f"<th>{escape(text)}</th>" for text in header)
            body = "".join(
                f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows
            )
            parts.append(
                f"<h4>{escape(title)}</h4>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            )
        return "".join(parts)

    def _build_tables(self) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Return a title, a header and rows for each task: a row per model, best first."""
        from codeacumen.report.merged_runs import rank_cells
        from codeacumen.text.numbers import format_interval, format_number

        tables: list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]] = []
        for name, card in self.run.tasks.items():
            first = card.evaluation_sets[0]
            header = ("model", card.metric, "interval", "n", "answered", "failed")
            cells = [cell for cell in self.run.cells if cell.task == name]
            rows: list[tuple[str, ...]] = [
                (
                    cell.model,
                    format_number(score.value),
                    format_interval(score.low, score.high),
                    str(score.n),
                    f"{cell.counts.answered} of {cell.counts.instances}",
                    str(cell.counts.failed),
                )
                for cell, score in rank_cells(cells, card, first.name)
            ]
            tables.append((f"{card.title} ({name}), evaluation set {first.name}", header, rows))
        return tables


def write_report(
    runs: str | Path | Results | Sequence[str | Path | Results],
    out: str | Path | None = None,
    *,
    corpora: Sequence[str | Path] = (),
    progress: bool = True,
) -> Path:
    """Write a report on runs, one HTML file, and return its path.

    ``runs`` are folders or results; if several runs score a model on a task, the last one counts.
    ``out`` is by default ``report.html`` in the folder of the first run. The report also describes
    the corpora in the folders ``corpora``. It takes questions and data cards from the data sets
    that the runs used, if these are still in the folders that the runs recorded.
    """
    from codeacumen.datasets.built import load_run_datasets
    from codeacumen.report import build_report

    loaded = _load_runs(runs)
    if out is not None and Path(out).is_dir():
        raise CodeacumenError(f"{out} is a folder", "the report is one HTML file: name a file")
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
    """Write the plots of a report on runs into a folder, and return the paths of the files."""
    from codeacumen.report import export_plots

    return export_plots(_load_runs(runs), Path(folder), formats)


def _load_runs(runs: Any) -> list[tuple[Path, Run]]:
    """Return the folder and the record of each run; ``runs`` is what ``write_report`` takes."""
    from codeacumen.runs.results import find_results, read_run

    loaded: list[tuple[Path, Run]] = []
    for source in to_list(runs):
        if isinstance(source, Results):
            loaded.append((source.folder, source.run))
        else:
            loaded.append((find_results(Path(source)).parent, read_run(Path(source))))
    if not loaded:
        raise CodeacumenError(
            "no run is named", "name at least one run, by its folder or its results"
        )
    return loaded
