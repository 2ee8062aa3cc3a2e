"""Tests of the text of the report page, and that the same runs give the same bytes."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from codeacumen.api import CodeacumenError, Counts, Run
from codeacumen.report import build_report

RunFolder = tuple[Path, Run]

pytestmark = pytest.mark.usefixtures("at_home")


def page_text(runs: list[RunFolder], tmp_path: Path) -> str:
    return build_report(runs, tmp_path / "report.html").read_text(encoding="utf-8")


def read_page_data(text: str, slug: str) -> dict[str, Any]:
    match = re.search(f'<script type="application/json" id="data-{slug}">(.*?)</script>', text)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def test_importing_the_report_loads_no_heavy_library() -> None:
    code = (
        "import sys, codeacumen.report;"
        "print([m for m in ('altair', 'vl_convert', 'jinja2', 'scipy', 'numpy')"
        " if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_same_runs_give_the_same_bytes(
    small_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle_function = vl_convert.javascript_bundle.__wrapped__
    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle_function)
    first = build_report([small_run], tmp_path / "a.html").read_bytes()
    assert build_report([small_run], tmp_path / "b.html").read_bytes() == first
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".html"] == []


def test_the_page_loads_nothing_from_elsewhere(small_run: RunFolder, tmp_path: Path) -> None:
    text = page_text([small_run], tmp_path)
    assert "default-src 'none'" in html.unescape(text)
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL)
    assert len(markup) < 200_000
    assert not re.search(r'(?:src|href)="(?!#|data:)', markup)
    assert "@import" not in markup
    assert "url(" not in markup


def test_the_best_model_is_not_a_baseline(small_run: RunFolder, tmp_path: Path) -> None:
    text = page_text([small_run], tmp_path)
    overview = text.split('id="overview-title"')[1].split("</table>")[0]
    assert "oracle" not in overview.split("<tbody>")[1].split('class="num strong"')[0]
    assert "jaro-winkler" in overview
    assert "knows the labels" in text


def test_paired_tests_are_those_of_the_comparison(small_run: RunFolder, tmp_path: Path) -> None:
    from codeacumen.report.merged_runs import gather_evidence, merge_runs

    data = read_page_data(page_text([small_run], tmp_path), "abbreviations-expand")
    comparison = gather_evidence(merge_runs([small_run]), "abbreviations/expand").comparison
    assert comparison is not None
    assert len(data["tests"]) == len(comparison.tests) == 15
    expected = next(
        test for test in comparison.tests if {test.first, test.second} == {"oracle", "random"}
    )
    row = next(
        row
        for row in data["tests"]
        if {data["models"][row[0]], data["models"][row[1]]} == {"oracle", "random"}
    )
    assert row[2] == pytest.approx(expected.difference, rel=1e-5)
    assert row[6] == pytest.approx(expected.p_holm, rel=1e-5)


def test_ceiling_evaluation_sets_and_slices_are_shown(
    idbench_run: RunFolder, tmp_path: Path
) -> None:
    text = page_text([idbench_run], tmp_path)
    assert "people 0.51" in text
    assert "pairs that every published technique scores, as in the paper" in text
    assert "every labelled pair that the model scores" in text
    assert "These parts are tiny: the largest has 25 instances." in text
    assert "undefined: too few or all equal" in text
    tags = read_page_data(text, "idbench-similarity-large")["tags"]
    assert "opposites" in tags
    assert "complete" in tags


def test_failures_are_shown_at_the_top(copied_run: RunFolder, tmp_path: Path) -> None:
    folder, run = copied_run
    cell = run.cells[0]
    failed_cell = replace(cell, counts=Counts(184, 181, 0, 3), errors=("x~y: the server said no",))
    text = page_text([(folder, replace(run, cells=(failed_cell, *run.cells[1:])))], tmp_path)
    page_head = text.split('<main id="main"')[0]
    assert "3 answers failed" in page_head
    assert "the server said no" in page_head


def test_failed_answers_are_on_the_page(copied_run: RunFolder, tmp_path: Path) -> None:
    folder, run = copied_run
    cell = next(cell for cell in run.cells if cell.model == "levenshtein")
    lines = (folder / cell.answers).read_text().splitlines()
    first_id = json.loads(lines[0])["id"]
    lines[0] = json.dumps({"id": first_id, "error": "out of memory"})
    (folder / cell.answers).write_text("\n".join(lines) + "\n")
    text = page_text([copied_run], tmp_path)
    slug = cell.task.replace("/", "-")
    data = read_page_data(text, slug)
    assert "out of memory" in data["errors"][data["models"].index("levenshtein")].values()
    # The answers differ from those that were scored, and the page warns of it.
    assert "were changed after they were scored" in text


def test_a_run_whose_task_is_not_installed(copied_run: RunFolder, tmp_path: Path) -> None:
    """If the plug-in of a task is missing, the page shows scores, answers, and the reason."""
    folder, run = copied_run
    names = {"abbreviations/expand": "gone/expand", "abbreviations/match": "gone/match"}
    renamed_run = replace(
        run,
        tasks={names[name]: replace(card, name=names[name]) for name, card in run.tasks.items()},
        cells=tuple(replace(cell, task=names[cell.task]) for cell in run.cells),
    )
    text = page_text([(folder, renamed_run)], tmp_path)
    assert "Questions and truths are not shown: no task" in text
    data = read_page_data(text, "gone-expand")
    assert len(data["ids"]) == 184
    assert "truths" not in data
    assert data["mode"] == "none"


def test_a_run_on_different_data(copied_run: RunFolder, tmp_path: Path) -> None:
    folder, run = copied_run
    changed_run = replace(
        run, cells=tuple(replace(cell, data_sha256="0" * 64) for cell in run.cells)
    )
    text = page_text([(folder, changed_run)], tmp_path)
    assert "the data on this machine differs from the data of the run" in text
    assert "truths" not in read_page_data(text, "abbreviations-expand")


def test_a_run_with_missing_answers(copied_run: RunFolder, tmp_path: Path) -> None:
    folder, run = copied_run
    (folder / run.cells[0].answers).unlink()
    outside_cell = replace(run.cells[1], answers="../../etc/passwd")
    incomplete_run = replace(run, cells=(run.cells[0], outside_cell, *run.cells[2:]))
    text = page_text([(folder, incomplete_run)], tmp_path)
    assert f"The answers of {run.cells[0].model} cannot be shown" in text
    assert "are not in the run&#39;s folder" in text


def test_the_number_of_instances_is_limited(
    small_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeacumen.report import instances

    monkeypatch.setattr(instances, "MOST_INSTANCES", 50)
    data = read_page_data(page_text([small_run], tmp_path), "abbreviations-match")
    assert len(data["ids"]) == 50
    assert data["total"] == 475
    assert all(len(column) == 50 for column in data["answers"])
    chosen_ids = instances.sample_ids([*sorted(data["ids"], reverse=True), "zzz"])
    assert len(chosen_ids) == 50


def test_scores_of_later_runs_replace_earlier_ones(copied_run: RunFolder, tmp_path: Path) -> None:
    folder, run = copied_run
    changed_score = replace(run.cells[0].scores[0], value=0.123456)
    cell = replace(run.cells[0], scores=(changed_score,))
    later_run = replace(run, seed=7, cells=(cell,))
    text = page_text([copied_run, (folder, later_run)], tmp_path)
    assert '<td class="num strong">0.123</td>' in text
    assert "The runs differ in their seeds: 0, 7." in text
    assert '<td class="num strong">0.123</td>' not in page_text(
        [(folder, later_run), copied_run], tmp_path
    )


def test_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no run"):
        build_report([], tmp_path / "report.html")


def test_embedded_json_is_inert() -> None:
    from codeacumen.report.html import embed_json, escape_script

    hostile = "</script><!--<script>&\u2028\u2029\ud800"
    text = str(embed_json(hostile))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == hostile
    assert "</script" not in escape_script('a = "</script>"').lower()
    assert "<script" not in escape_script('a = "<SCRIPT>"').lower()
