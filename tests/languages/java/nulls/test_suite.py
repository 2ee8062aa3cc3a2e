"""The analysis on small programs, against what they say of themselves.

That it is true is the JVM's word (``test_suite_jvm.py``). Reports must be exactly the marks: one
too few is a bug that was not seen, one too many a false alarm.
"""

from __future__ import annotations

import pytest

from codeacumen.languages.java.nulls import Report, analyse
from codeacumen.languages.java.syntax.file import JavaFile
from null_programs import Program, programs

Told = tuple[str, int, str, str]


def told(reports: list[Report], sources: dict[str, bytes]) -> list[Told]:
    """Path, line, method and token of each report, in order; checks that the token stands where
    the report says."""
    found = []
    for report in reports:
        source = sources[report.path]
        assert source[report.offset :].startswith(report.token.encode()), report
        assert source.count(b"\n", 0, report.offset) + 1 == report.line, report
        method = JavaFile(source).declarations.methods[report.method]
        name = "<init>" if "constructor" in method.kind else method.name
        found.append((report.path, report.line, name, report.token))
    return sorted(found)


def expected(program: Program) -> list[Told]:
    return sorted((mark.path, mark.line, mark.method, mark.token) for mark in program.marks)


def cases(beyond: bool) -> list[object]:
    return [
        pytest.param(
            program,
            id=program.package,
            marks=[pytest.mark.xfail(reason=program.beyond)] if beyond else [],
        )
        for program in programs()
        if bool(program.beyond) == beyond
    ]


@pytest.mark.parametrize("program", cases(beyond=False))
def test_reports_are_the_marks(program: Program) -> None:
    assert told(analyse(program.sources), program.sources) == expected(program)


@pytest.mark.parametrize("program", cases(beyond=True))
def test_what_is_beyond_the_analysis(program: Program) -> None:
    """Fails when one of them is seen after all: then it belongs among the others."""
    assert told(analyse(program.sources), program.sources) == expected(program)


def test_together_as_alone() -> None:
    """As one project the programs are what they are one by one: packages keep them apart, and
    the order of the files decides nothing."""
    sources: dict[str, bytes] = {}
    alone: list[Told] = []
    for program in programs():
        sources |= program.sources
        alone += told(analyse(program.sources), program.sources)
    together = analyse(sources)
    turned = analyse(dict(reversed(sources.items())))
    assert told(together, sources) == sorted(alone)
    assert [one.as_json() for one in turned] == [one.as_json() for one in together]


def test_the_suite_is_large_and_balanced() -> None:
    seen = [program for program in programs() if not program.beyond]
    positive = [program for program in seen if program.marks]
    assert len(seen) >= 300
    assert 0.4 < len(positive) / len(seen) < 0.6
    assert len(programs()) - len(seen) < 8
    assert len({program.package for program in programs()}) == len(programs())
