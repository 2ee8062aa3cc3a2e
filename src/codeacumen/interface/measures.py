"""Measure the methods of Java code, and find null dereferences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeacumen.core.progress import show_progress
from codeacumen.corpus.measure import Measure, Measurements, NPath, OperatorCounts, measure_sources
from codeacumen.engines import start_engine


def measure_npath(
    sources: str | Path | Sequence[str | Path],
    *,
    rules: str = "pmd6",
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> Measurements:
    """Return the NPath complexity of every method with a body.

    ``sources`` are corpora, or what a corpus is built from. ``rules`` are PMD's: pmd6, pmd7 or
    pmd7.14.
    """
    from codeacumen.datasets.built import check_choice
    from codeacumen.languages.java.measures.npath import RULES

    check_choice("rules", rules, RULES)
    return _collect_measures(NPath(rules), sources, engine, workers, progress)


def measure_operators(
    sources: str | Path | Sequence[str | Path],
    *,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> Measurements:
    """Return how often each operator occurs in every method with a body.

    ``sources`` are corpora, or what a corpus is built from.
    """
    return _collect_measures(OperatorCounts(), sources, engine, workers, progress)


def _collect_measures(
    measure: Measure, sources: Any, engine: str, workers: int, progress: bool
) -> Measurements:
    measurements = Measurements()
    for part in stream_measurements(measure, sources, engine, workers, progress=progress):
        measurements.add_measurements(part)
    return measurements


def stream_measurements(
    measure: Measure,
    sources: str | Path | Sequence[str | Path],
    engine: str = "local",
    workers: int = 0,
    *,
    progress: bool = True,
) -> Iterator[Measurements]:
    """Yield the measurements of some consecutive files at a time, in the order of the files.

    ``sources`` are corpora, or what a corpus is built from.
    """
    from codeacumen.core.home import codeacumen_home

    several = [sources] if isinstance(sources, str | Path) else sources
    places = [str(source) for source in several]
    with show_progress(progress) as report:
        started = start_engine(engine, workers)
        yield from measure_sources(measure, places, started, codeacumen_home(), report)


@dataclass(frozen=True, slots=True)
class NullDereferences:
    """Null dereferences of a corpus.

    ``rows`` has a row for each, as ``codeacumen measure nulls --json`` prints it. ``failures`` says
    which files or projects were not analysed, and why.
    """

    rows: list[dict[str, Any]]
    failures: list[str] = field(default_factory=list)


def find_null_dereferences(
    sources: str | Path | Sequence[str | Path],
    *,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> NullDereferences:
    """Return where null may be dereferenced, and the steps that lead there.

    The methods of a project are analysed together. ``sources`` are a corpus, or what a corpus is
    built from.
    """
    from codeacumen.corpus.build import open_or_build
    from codeacumen.corpus.nulls import find_null_reports

    several = [sources] if isinstance(sources, str | Path) else sources
    started = start_engine(engine, workers)
    places = [str(source) for source in several]
    with show_progress(progress) as report, open_or_build(places, started, report) as corpus:
        reports_by_project, failed = find_null_reports(corpus, started, report)
    rows = [
        _to_row(project, null_report)
        for project, reports in reports_by_project.items()
        for null_report in reports
    ]
    failures = [
        f"{failure.project}: {failure.path or 'all of it'}: {failure.reason}" for failure in failed
    ]
    return NullDereferences(rows, failures)


def _to_row(project: str, null_report: Any) -> dict[str, Any]:
    fields = null_report.as_json()
    names = ("line", "token", "expression", "bug_type", "qualifier", "trace")
    row = {"project": project, "file": null_report.path, "method": null_report.name}
    return {**row, **{name: fields[name] for name in names}}
