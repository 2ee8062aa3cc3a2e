"""Run the null analysis on small programs and compare its reports with the marks in the programs.

``test_suite_jvm.py`` checks the marks in the JVM. The reports must equal the marks: a missing
report is a missed bug, an additional one is a false alarm.
"""

from __future__ import annotations

import pytest

from codeacumen.languages.java.nulls import Report, analyse_sources
from codeacumen.languages.java.syntax.file import JavaFile
from null_programs import Program, load_programs

ReportSummary = tuple[str, int, str, str]


def summarize_reports(reports: list[Report], sources: dict[str, bytes]) -> list[ReportSummary]:
    """Return the sorted paths, lines, methods and tokens of the reports.

    Also checks that each token stands at the reported offset and line.
    """
    summaries = []
    for report in reports:
        source = sources[report.path]
        assert source[report.offset :].startswith(report.token.encode()), report
        assert source.count(b"\n", 0, report.offset) + 1 == report.line, report
        method = JavaFile(source).declarations.methods[report.method]
        name = "<init>" if "constructor" in method.kind else method.name
        summaries.append((report.path, report.line, name, report.token))
    return sorted(summaries)


def list_expected_reports(program: Program) -> list[ReportSummary]:
    return sorted((mark.path, mark.line, mark.method, mark.token) for mark in program.marks)


def make_cases(is_limit: bool) -> list[object]:
    return [
        pytest.param(
            program,
            id=program.package,
            marks=[pytest.mark.xfail(reason=program.limit)] if is_limit else [],
        )
        for program in load_programs()
        if bool(program.limit) == is_limit
    ]


@pytest.mark.parametrize("program", make_cases(is_limit=False))
def test_reports_equal_the_marks(program: Program) -> None:
    assert summarize_reports(
        analyse_sources(program.sources), program.sources
    ) == list_expected_reports(program)


@pytest.mark.parametrize("program", make_cases(is_limit=True))
def test_known_limits_of_the_analysis(program: Program) -> None:
    """An unexpected pass means that the analysis now handles the program: move it to the others."""
    assert summarize_reports(
        analyse_sources(program.sources), program.sources
    ) == list_expected_reports(program)


def test_one_project_of_all_programs_has_the_same_reports() -> None:
    """Analysing all programs as one project gives the same reports as one by one.

    Their packages keep them apart, and the order of the files does not matter.
    """
    sources: dict[str, bytes] = {}
    separate_summaries: list[ReportSummary] = []
    for program in load_programs():
        sources |= program.sources
        separate_summaries += summarize_reports(analyse_sources(program.sources), program.sources)
    joint_reports = analyse_sources(sources)
    reversed_reports = analyse_sources(dict(reversed(sources.items())))
    assert summarize_reports(joint_reports, sources) == sorted(separate_summaries)
    assert [report.as_json() for report in reversed_reports] == [
        report.as_json() for report in joint_reports
    ]


def test_the_suite_is_large_and_balanced() -> None:
    supported = [program for program in load_programs() if not program.limit]
    positive = [program for program in supported if program.marks]
    assert len(supported) >= 300
    assert 0.4 < len(positive) / len(supported) < 0.6
    assert len(load_programs()) - len(supported) < 8
    assert len({program.package for program in load_programs()}) == len(load_programs())
