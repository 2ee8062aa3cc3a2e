"""Collect null-dereference warnings by method, from our own analysis or from reports of Infer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.nulls import Failed, null_reports
from codeacumen.engines import Engine
from codeacumen.languages.java.nulls import Report


def warnings_of(
    corpus: Corpus, engine: Engine, infer: Sequence[str], step: Progress
) -> tuple[dict[int, list[Report]], list[Failed]]:
    """Return the warnings by method number, and the failures of the analysis.

    ``infer`` lists projects with their Infer reports, as PROJECT=FILE; these replace our analysis.
    """
    given = dict(_given(corpus, one) for one in infer)
    found, failed = null_reports(corpus, engine, step, without=frozenset(given))
    numbered: dict[int, list[Report]] = {}
    for project in corpus.manifest.projects:
        if project in given:
            from codeacumen.languages.java.nulls.report import read_report

            reports: Iterable[Report] = _placed(corpus, project, read_report(given[project]))
        else:
            reports = found[project]
        numbers = _numbers(corpus, project)
        for one in reports:
            number = numbers.get((one.path, one.method))
            if number is not None:
                numbered.setdefault(number, []).append(one)
    return numbered, failed


def _given(corpus: Corpus, text: str) -> tuple[str, Path]:
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


def _numbers(corpus: Corpus, project: str) -> dict[tuple[str, int], int]:
    """Return the numbers of a project's methods, by path and index in the file."""
    found: dict[tuple[str, int], int] = {}
    for path, place, _, _ in _methods(corpus, project):
        found[path, place] = len(found)
    first = corpus.first_of(project)
    return {key: first + number for key, number in found.items()}


def _methods(corpus: Corpus, project: str) -> Iterator[tuple[str, int, int, int]]:
    for shard in corpus.manifest.shards[project]:
        table = corpus.read(corpus.table(shard, "methods"), ["path", "place", "line", "end_line"])
        yield from zip(*(table[name].to_pylist() for name in table.column_names), strict=True)


def _placed(corpus: Corpus, project: str, reports: Iterable[Report]) -> Iterator[Report]:
    """Yield Infer's reports with our path and method.

    Infer reports lines: a warning belongs to the innermost method around its line. Its paths may
    begin above the project's.
    """
    spans: dict[str, list[tuple[int, int, int]]] = {}
    for path, place, line, end_line in _methods(corpus, project):
        spans.setdefault(path, []).append((line, end_line, place))
    ends: dict[str, list[str]] = {}
    for path in spans:
        ends.setdefault(path.rpartition("/")[2], []).append(path)
    for one in reports:
        near = [
            path
            for path in ends.get(one.path.rpartition("/")[2], ())
            if one.path == path or one.path.endswith(f"/{path}") or path.endswith(f"/{one.path}")
        ]
        if len(near) != 1:
            continue
        around = [span for span in spans[near[0]] if span[0] <= one.line <= span[1]]
        if around:
            _, _, place = max(around)
            yield one._replace(path=near[0], method=place)
