"""The results of an evaluation: tables, data frames, plots, and the report."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError, Run

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import pyarrow as pa


class TemporaryFolder:
    """A folder that is deleted with this object."""

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
    # Keeps the folder of a run without ``out`` as long as the results.
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
        """Return the scores as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.to_rows())

    def to_pandas(self) -> pd.DataFrame:
        """Return the scores as a pandas data frame; pandas is not among our dependencies."""
        try:
            import pandas as pd
        except ImportError as error:
            raise CodeacumenError("pandas is not installed", "pip install pandas") from error
        return pd.DataFrame(self.to_rows())

    def plot(self, task: str = "") -> alt.Chart:
        """Return the plot of a task: each model's score with its interval."""
        import altair as alt

        from codeacumen.report.evidence import merge_runs
        from codeacumen.report.plots import EXPORT_WIDTH, build_theme, draw_forest_plot

        name = task or next(iter(self.run.tasks))
        if name not in self.run.tasks:
            raise CodeacumenError(
                f"the results have no task {name!r}", f"name one of {', '.join(self.run.tasks)}"
            )
        card = self.run.tasks[name]
        plot = draw_forest_plot(
            merge_runs([(self.folder, self.run)]), card, card.evaluation_sets[0]
        )
        config = build_theme("light")
        # Vega-Lite knows the layout of legends, but its schema, which Altair checks, does not.
        config["legend"] = {
            key: value for key, value in config["legend"].items() if key != "layout"
        }
        return alt.Chart.from_dict({**plot.spec, "width": EXPORT_WIDTH, "config": config})

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML file, and return its path: by default in the folder."""
        from codeacumen.interface.reports import write_report

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
        """Return for each task a title, a header and a row for each model, best first."""
        from codeacumen.report.evidence import rank_cells
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
