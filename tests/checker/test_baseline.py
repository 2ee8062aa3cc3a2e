"""Known findings: what is new is told, what is gone too, and the file is the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.projects import ACCOUNT, Check, names, write
from codeacumen.api import CodeacumenError
from codeacumen.checker.findings import read_baseline, write_baseline

FILE = "src/bank/Account.java"


@pytest.fixture
def known(project: Path, run: Check, tmp_path: Path) -> Path:
    file = tmp_path / "known.json"
    assert write_baseline(file, run(project).findings) == 2
    return file


def test_what_is_known_is_not_told(project: Path, run: Check, known: Path) -> None:
    report = run(project, baseline=known)
    assert names(report) == []
    assert [one.suppressed for one in report.findings] == ["baseline", "baseline"]
    assert not report.failed
    assert report.stale == []


def test_lines_may_shift_and_files_may_move(project: Path, run: Check, known: Path) -> None:
    (project / FILE).unlink()
    write(project, {"src/moved/Account.java": "// One more line.\n\n" + ACCOUNT})
    report = run(project, baseline=known)
    assert (names(report), report.stale) == ([], [])


def test_what_is_new_is_told(project: Path, run: Check, known: Path) -> None:
    text = ACCOUNT.replace("int getBalance()", "void getMore() {} int getBalance()")
    write(project, {FILE: text})
    report = run(project, baseline=known)
    assert names(report) == ["getMore"]
    # Another method of a known name is another finding.
    write(project, {FILE: text.replace("getMore()", "getTotal(int why)")})
    assert names(run(project, baseline=known)) == ["getTotal"]


def test_two_alike_are_two(project: Path, run: Check, known: Path) -> None:
    write(project, {"other/bank/Account.java": ACCOUNT})
    report = run(project, baseline=known)
    assert sorted(names(report)) == ["getLimit", "getTotal"]
    assert len({one.fingerprint for one in report.findings}) == 4


def test_what_is_gone_is_told(project: Path, run: Check, known: Path) -> None:
    write(project, {FILE: ACCOUNT.replace("void getTotal()", "void clear()")})
    write(project, {"src/bank/Other.java": "class Other {}"})
    assert [one.method for one in run(project, baseline=known).stale] == ["Account.getTotal()"]
    # Who looks at other files only does not know.
    assert run(project / "src/bank/Other.java", baseline=known).stale == []


def test_another_reason_is_another_finding(project: Path, run: Check, known: Path) -> None:
    told = json.loads(known.read_bytes())
    for one in told["findings"]:
        one["rules"] = ["something-else"]
    known.write_text(json.dumps(told))
    assert len(names(run(project, baseline=known))) == 2


def test_same_bytes(project: Path, run: Check, known: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.json"
    # Written from a check that knows them all.
    write_baseline(again, run(project, baseline=known).findings[::-1])
    assert again.read_bytes() == known.read_bytes()
    assert known.read_text().isascii()
    assert [one.method for one in read_baseline(known)] == [
        "Account.getLimit(int)",
        "Account.getTotal()",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"version": 2, "findings": []}',
        '{"version": 1}',
        "\xff\xfe",
        '{"version": 1, "findings": [3]}',
        '{"version": 1, "findings": {}, "findings": 3}',
        '{"version": 1, "findings": [{"fingerprint": 3, "path": "", "method": "", "rules": []}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_baseline(text: str, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CodeacumenError, match=r"known\.json"):
        read_baseline(file)


def test_there_must_be_one(project: Path, run: Check, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="No such file"):
        run(project, baseline=tmp_path / "none.json")
