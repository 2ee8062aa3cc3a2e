"""Collect null-dereference warnings by method, from our own analysis or from reports of Infer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.nulls import FailedAnalysis, find_null_reports
from codeacumen.engines import Engine
from codeacumen.languages.java.nulls import Report


def collect_warnings(
    corpus: Corpus, engine: Engine, infer: Sequence[str], step: Progress
) -> tuple[dict[int, list[Report]], list[FailedAnalysis]]:
    """Return the warnings by method number, and the failures of the analysis.

    ``infer`` lists projects with their Infer reports, as PROJECT=FILE; these replace our analysis.
    """
    report_files = dict(_parse_infer_option(corpus, option) for option in infer)
    reports_by_project, failed = find_null_reports(
        corpus, engine, step, excluded=frozenset(report_files)
    )
    warnings: dict[int, list[Report]] = {}
    for project in corpus.manifest.projects:
        if project in report_files:
            from codeacumen.languages.java.nulls.report import read_report

            reports: Iterable[Report] = _locate_reports(
                corpus, project, read_report(report_files[project])
            )
        else:
            reports = reports_by_project[project]
        numbers = _number_methods(corpus, project)
        for report in reports:
            number = numbers.get((report.path, report.method))
            if number is not None:
                warnings.setdefault(number, []).append(report)
    return warnings, failed


def _parse_infer_option(corpus: Corpus, text: str) -> tuple[str, Path]:
    project, equals, file = text.partition("=")
    if not equals:
        raise CodeacumenError(
            f"--infer {text!r} lacks the file", "for example --infer guava=report.json"
        )
    if project not in corpus.manifest.projects:
        raise CodeacumenError(
            f"--infer: the corpus has no project {project!r}",
            f"it has {', '.join(corpus.manifest.projects)}",
        )
    return project, Path(file)


def _number_methods(corpus: Corpus, project: str) -> dict[tuple[str, int], int]:
    """Return the numbers of a project's methods, by path and index in the file."""
    indices: dict[tuple[str, int], int] = {}
    for path, index, _, _ in _read_methods(corpus, project):
        indices[path, index] = len(indices)
    first = corpus.first_number_of(project)
    return {key: first + number for key, number in indices.items()}


def _read_methods(corpus: Corpus, project: str) -> Iterator[tuple[str, int, int, int]]:
    for shard in corpus.manifest.shards[project]:
        table = corpus.read_table(
            corpus.table_path(shard, "methods"), ["path", "place", "line", "end_line"]
        )
        yield from zip(*(table[name].to_pylist() for name in table.column_names), strict=True)


def _locate_reports(corpus: Corpus, project: str, reports: Iterable[Report]) -> Iterator[Report]:
    """Yield Infer's reports with our path and method.

    Infer reports lines: a warning belongs to the innermost method around its line. Its paths may
    begin above the project's.
    """
    spans: dict[str, list[tuple[int, int, int]]] = {}
    for path, index, line, end_line in _read_methods(corpus, project):
        spans.setdefault(path, []).append((line, end_line, index))
    paths_by_file_name: dict[str, list[str]] = {}
    for path in spans:
        paths_by_file_name.setdefault(path.rpartition("/")[2], []).append(path)
    for report in reports:
        matching_paths = [
            path
            for path in paths_by_file_name.get(report.path.rpartition("/")[2], ())
            if report.path == path
            or report.path.endswith(f"/{path}")
            or path.endswith(f"/{report.path}")
        ]
        if len(matching_paths) != 1:
            continue
        enclosing_spans = [
            span for span in spans[matching_paths[0]] if span[0] <= report.line <= span[1]
        ]
        if enclosing_spans:
            _, _, index = max(enclosing_spans)
            yield report._replace(path=matching_paths[0], method=index)
