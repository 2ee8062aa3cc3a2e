"""Tests of the baseline: new and fixed findings are reported, and the file is deterministic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.projects import ACCOUNT, Check, reported_names, write_files
from codeacumen.api import CodeacumenError
from codeacumen.checker.findings import read_baseline, write_baseline

FILE = "src/bank/Account.java"


@pytest.fixture
def baseline(project: Path, run: Check, tmp_path: Path) -> Path:
    file = tmp_path / "known.json"
    assert write_baseline(file, run(project).findings) == 2
    return file


def test_known_findings_are_not_reported(project: Path, run: Check, baseline: Path) -> None:
    report = run(project, baseline=baseline)
    assert reported_names(report) == []
    assert [finding.suppressed for finding in report.findings] == ["baseline", "baseline"]
    assert not report.failed
    assert report.stale == []


def test_known_findings_survive_moved_lines_and_files(
    project: Path, run: Check, baseline: Path
) -> None:
    (project / FILE).unlink()
    write_files(project, {"src/moved/Account.java": "// One more line.\n\n" + ACCOUNT})
    report = run(project, baseline=baseline)
    assert (reported_names(report), report.stale) == ([], [])


def test_new_findings_are_reported(project: Path, run: Check, baseline: Path) -> None:
    text = ACCOUNT.replace("int getBalance()", "void getMore() {} int getBalance()")
    write_files(project, {FILE: text})
    report = run(project, baseline=baseline)
    assert reported_names(report) == ["getMore"]
    # Another method with a known name is a new finding.
    write_files(project, {FILE: text.replace("getMore()", "getTotal(int why)")})
    assert reported_names(run(project, baseline=baseline)) == ["getTotal"]


def test_findings_of_copied_files_are_distinct(project: Path, run: Check, baseline: Path) -> None:
    write_files(project, {"other/bank/Account.java": ACCOUNT})
    report = run(project, baseline=baseline)
    assert sorted(reported_names(report)) == ["getLimit", "getTotal"]
    assert len({finding.fingerprint for finding in report.findings}) == 4


def test_fixed_findings_are_stale(project: Path, run: Check, baseline: Path) -> None:
    write_files(project, {FILE: ACCOUNT.replace("void getTotal()", "void clear()")})
    write_files(project, {"src/bank/Other.java": "class Other {}"})
    assert [known_finding.method for known_finding in run(project, baseline=baseline).stale] == [
        "Account.getTotal()"
    ]
    # A check of other files cannot tell what is stale.
    assert run(project / "src/bank/Other.java", baseline=baseline).stale == []


def test_finding_with_other_rules_is_new(project: Path, run: Check, baseline: Path) -> None:
    content = json.loads(baseline.read_bytes())
    for finding in content["findings"]:
        finding["rules"] = ["something-else"]
    baseline.write_text(json.dumps(content))
    assert len(reported_names(run(project, baseline=baseline))) == 2


def test_baseline_is_deterministic(
    project: Path, run: Check, baseline: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.json"
    # Write from a report in which all findings are known.
    write_baseline(again, run(project, baseline=baseline).findings[::-1])
    assert again.read_bytes() == baseline.read_bytes()
    assert baseline.read_text().isascii()
    assert [known_finding.method for known_finding in read_baseline(baseline)] == [
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
def test_malformed_baseline_is_rejected(text: str, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CodeacumenError, match=r"known\.json"):
        read_baseline(file)


def test_missing_baseline_is_rejected(project: Path, run: Check, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="No such file"):
        run(project, baseline=tmp_path / "none.json")
