"""The Python API behind ``import codeacumen``: evaluate and compare models, given by name or as
objects, and look at the results."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from codeacumen.api import CodeacumenError, Model, Run, Task, get_fingerprint
from codeacumen.core.progress import Progress
from codeacumen.corpus import Corpus
from codeacumen.registry import (
    Entry,
    LoadedModel,
    code_hash,
    make_model,
    make_task,
    names,
    select_tasks,
)
from codeacumen.runs.plan import Cell, PlannedTask, plan_cells
from codeacumen.runs.scoring import Settings

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import pyarrow as pa

    from codeacumen.runs.compare import Comparison

# A name, an object, or several of either.
Models: TypeAlias = "str | Model | LoadedModel | Sequence[str | Model | LoadedModel]"
Tasks: TypeAlias = "str | Task | Sequence[str | Task]"


def list_models() -> list[str]:
    """Return the names of all models, ours first."""
    return names("model")


def list_tasks() -> list[str]:
    """Return the names of all tasks, ours first; those of built data sets once they are loaded."""
    return names("task")


def load_task(name: str) -> Task:
    """Return the task of a name; of a built data set as ``gluecode/npath@DIR``."""
    return _resolve_task_names(name)[0]


def load_model(model: str | Model | LoadedModel, name: str = "") -> LoadedModel:
    """Return a model with what identifies it.

    ``model`` is a reference such as ``levenshtein:decimals=2``, or an object with a capability,
    called ``name`` or after its class. Answers of an object are found again only if it has a
    ``fingerprint``: nothing else says whether two objects of a class answer alike.
    """
    if isinstance(model, LoadedModel):
        return model
    if isinstance(model, str):
        return make_model(model)
    from codeacumen.models.adapters import list_capabilities

    if not list_capabilities(model):
        raise CodeacumenError(
            f"{type(model).__name__} has no capability",
            "a model has at least one of the methods similarity, embed, classify, generate, name "
            "and judge",
        )
    fingerprint = get_fingerprint(model)
    code = f"{code_hash(type(model))} {'' if fingerprint else uuid4().hex}"
    summary = (type(model).__doc__ or "").strip().split("\n")[0]
    reference = name or type(model).__name__
    entry = Entry("model", reference, type(model), summary, origin="object", code_sha256=code)
    return LoadedModel(reference, entry, {}, model)


def evaluate(
    models: Models,
    tasks: Tasks,
    out: str | Path | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 2000,
    skip_unfit: bool = False,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: bool = True,
) -> Results:
    """Ask every model every task, score the answers, and return the results.

    ``out`` is the folder of the run; without it the files are deleted with the results. With
    ``skip_unfit``, models are left out of the tasks that they cannot answer, and
    ``Results.left_out`` says why. ``progress`` shows a bar in a terminal or a notebook.
    """
    from codeacumen.runs.evaluate import evaluate as evaluate_cells

    cells, left_out = _plan(models, tasks, skip_unfit)
    temporary = _TemporaryFolder() if out is None else None
    folder = temporary.path if temporary is not None else Path(out or ".")
    with _show_progress(progress) as report_progress:
        run = evaluate_cells(
            cells,
            folder,
            Settings(seed, confidence, resamples),
            report_progress,
            fresh=fresh,
            retry_failed=retry_failed,
        )
    return Results(run, folder, tuple(left_out), temporary)


def compare(
    models: Models,
    tasks: Tasks,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 10_000,
    progress: bool = True,
) -> list[Comparison]:
    """Test every pair of models on the instances of each task that all of them answer."""
    from codeacumen.runs.compare import compare_answers
    from codeacumen.runs.evaluate import answer_cell

    cells, _ = _plan(models, tasks, skip_unfit=False)
    by_task: dict[str, list[Cell]] = {}
    for cell in cells:
        by_task.setdefault(cell.task.card.name, []).append(cell)
    comparisons = []
    with _show_progress(progress) as report_progress:
        for of_task in by_task.values():
            answers = {
                cell.made.reference: answer_cell(cell, report_progress)[0] for cell in of_task
            }
            planned = of_task[0].task
            evaluation_set = planned.card.evaluation_sets[0]
            settings = Settings(seed, confidence, resamples)
            comparisons.append(
                compare_answers(planned.task, planned.instances, answers, evaluation_set, settings)
            )
    return comparisons


def build_corpus(
    sources: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    views: Sequence[str] | None = None,
    workers: int = 0,
    progress: bool = True,
) -> Corpus:
    """Build a corpus of sources, or bring one up to date, and return it.

    ``views`` are those to store, by default all; others are computed when they are asked for.
    """
    from codeacumen.core.home import codeacumen_home
    from codeacumen.core.machine import processors
    from codeacumen.corpus.build import build
    from codeacumen.engines import engine

    several = [sources] if isinstance(sources, str | Path) else sources
    with _show_progress(progress) as report_progress:
        build(
            [str(source) for source in several],
            Path(out),
            engine=engine("local", workers or processors()),
            views=names("view") if views is None else list(views),
            cache=codeacumen_home(),
            step=report_progress,
        )
    return Corpus.open(out)


class _TemporaryFolder:
    """A folder that is deleted with this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="codeacumen-run-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class Results:
    """Scores of models on tasks. ``run`` is the record that ``results.json`` in ``folder`` holds;
    ``left_out`` says which models cannot answer which tasks."""

    run: Run
    folder: Path
    left_out: tuple[str, ...] = ()
    # Keeps the folder of a run without ``out`` as long as the results.
    _temporary: _TemporaryFolder | None = field(default=None, repr=False, compare=False)

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

        from codeacumen.report.evidence import merge
        from codeacumen.report.plots import EXPORT_WIDTH, forest, theme

        name = task or next(iter(self.run.tasks))
        if name not in self.run.tasks:
            raise CodeacumenError(
                f"the results have no task {name!r}", f"name one of {', '.join(self.run.tasks)}"
            )
        card = self.run.tasks[name]
        plot = forest(merge([(self.folder, self.run)]), card, card.evaluation_sets[0])
        config = theme("light")
        # Vega-Lite knows the layout of legends, but its schema, which Altair checks, does not.
        config["legend"] = {
            key: value for key, value in config["legend"].items() if key != "layout"
        }
        return alt.Chart.from_dict({**plot.spec, "width": EXPORT_WIDTH, "config": config})

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML file, and return its path: by default in the folder."""
        from codeacumen.report import build_report

        out = Path(path) if path is not None else self.folder / "report.html"
        return build_report([(self.folder, self.run)], out)

    def __str__(self) -> str:
        lines = []
        for title, header, rows in self._tables():
            widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
            lines += [title, *("  ".join(map(str.ljust, row, widths)) for row in (header, *rows))]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from html import escape

        parts = []
        for title, header, rows in self._tables():
            head = "".join(f"<th>{escape(text)}</th>" for text in header)
            body = "".join(
                f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows
            )
            parts.append(
                f"<h4>{escape(title)}</h4>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            )
        return "".join(parts)

    def _tables(self) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Return for each task a title, a header and a row for each model, best first."""
        from codeacumen.report.evidence import ranked
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
                for cell, score in ranked(cells, card, first.name)
            ]
            tables.append((f"{card.title} ({name}), scored on {first.name}", header, rows))
        return tables


def _plan(models: Models, tasks: Tasks, skip_unfit: bool) -> tuple[list[Cell], list[str]]:
    loaded = [load_model(model) for model in _as_list(models)]
    references = [model.reference for model in loaded]
    repeated = {reference for reference in references if references.count(reference) > 1}
    if repeated:
        raise CodeacumenError(
            f"several models are called {', '.join(sorted(repeated))}",
            "give each a name: codeacumen.load_model(model, name=...)",
        )
    planned = []
    for task in _as_list(tasks):
        found = _resolve_task_names(task) if isinstance(task, str) else [task]
        planned += [PlannedTask(one) for one in found]
    return plan_cells(loaded, planned, skip_unfit=skip_unfit)


def _as_list(several: Any) -> list[Any]:
    return list(several) if isinstance(several, list | tuple) else [several]


def _resolve_task_names(pattern: str) -> list[Task]:
    """Return the tasks of a name or of the beginning of several; ``NAME@DIR`` loads a data set."""
    from codeacumen.datasets.built import load_data

    name, _, folder = pattern.partition("@")
    if folder:
        load_data(Path(folder))
    return [make_task(found) for found in select_tasks([name])]


def _show_progress(wanted: bool) -> Any:
    from codeacumen.cli._show import progress_bar
    from codeacumen.core.progress import ignore_progress

    silent: Progress = ignore_progress
    return progress_bar() if wanted else nullcontext(silent)
