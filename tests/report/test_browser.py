"""Tests of the report in a real browser without network access."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Run
from codeacumen.report import build_report

RunFolder = tuple[Path, Run]
PageOpener = Callable[..., Any]

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("at_home")]


def open_section(page: Any, slug: str, name: str) -> Any:
    section = page.locator(f"#task-{slug} [data-{name}]")
    section.locator("summary").first.click()
    page.wait_for_selector(f"#task-{slug} [data-{name}][data-built]")
    return section


def read_column(table: Any, column_number: int) -> list[str]:
    texts: list[str] = table.locator(f"tbody tr > :nth-child({column_number})").all_inner_texts()
    return texts


def test_sorting_by_a_column(open_report_page: PageOpener, small_page: Path) -> None:
    page = open_report_page(small_page)
    part = open_section(page, "abbreviations-match", "instances")
    table = part.locator("table")
    label = table.locator("th[data-key='model-1']")
    column_number = 1 + table.locator("thead th").evaluate_all(
        "cells => cells.findIndex(cell => cell.dataset.key === 'model-1')"
    )
    before = read_column(table, column_number)
    assert len(before) == 25
    label.locator("button").click()
    assert label.get_attribute("aria-sort") == "ascending"
    ascending = [float(text) for text in read_column(table, column_number)]
    assert ascending == sorted(ascending)
    label.locator("button").press("Enter")
    assert label.get_attribute("aria-sort") == "descending"
    descending = [float(text) for text in read_column(table, column_number)]
    assert descending == sorted(descending, reverse=True)
    assert descending[0] > ascending[0]
    assert read_column(table, column_number) != before


def test_searching_and_paging(open_report_page: PageOpener, small_page: Path) -> None:
    page = open_report_page(small_page)
    part = open_section(page, "abbreviations-expand", "instances")
    assert part.get_by_role("status").inner_text() == "1 to 25 of 184"
    first_page = read_column(part.locator("table"), 1)
    part.get_by_role("button", name="Next").click()
    assert part.get_by_role("status").inner_text() == "26 to 50 of 184"
    assert not set(first_page) & set(read_column(part.locator("table"), 1))
    part.get_by_label("Search").fill("abs~1")
    assert part.get_by_role("status").inner_text() == "1 to 1 of 1"
    assert part.locator("tbody tr").count() == 1
    part.get_by_label("Search").fill("no such thing")
    assert part.get_by_role("status").inner_text() == "No instance matches."
    part.get_by_label("Search").fill("")
    part.get_by_text("Choose models").click()
    part.get_by_label("oracle").check()
    assert "oracle" in part.locator("thead").inner_text()


def test_switching_the_evaluation_set_and_filtering_by_tag(
    open_report_page: PageOpener, idbench_page: Path
) -> None:
    page = open_report_page(idbench_page)
    task = page.locator("section.task")
    sizes = "table.board-table:visible tbody tr td:nth-of-type(4)"
    assert set(task.locator(sizes).all_inner_texts()) == {"266"}
    assert "as in the paper" in task.locator(".stands:visible").inner_text()
    task.locator("[data-switch]").get_by_text("own", exact=True).click()
    assert "289" in task.locator(sizes).all_inner_texts()
    assert "that the model scores" in task.locator(".stands:visible").inner_text()
    part = open_section(page, "idbench-similarity-large", "instances")
    part.get_by_label("Only with tag").select_option(label="opposites")
    status_text = part.get_by_role("status").inner_text()
    assert part.locator("tbody tr").count() == int(status_text.split()[-1]) < 25


def test_a_limit_of_instances_is_shown(
    open_report_page: PageOpener,
    small_run: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from codeacumen.report import instances

    monkeypatch.setattr(instances, "MOST_INSTANCES", 50)
    page = open_report_page(build_report([small_run], tmp_path / "report.html"))
    part = open_section(page, "abbreviations-match", "instances")
    assert "50 of 475 instances are shown" in part.inner_text()
    assert part.get_by_role("status").inner_text() == "1 to 25 of 50"


def test_switching_between_light_and_dark(open_report_page: PageOpener, small_page: Path) -> None:
    page = open_report_page(small_page, color_scheme="dark")
    background_script = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background_script) == "rgb(22, 27, 31)"
    page.wait_for_selector("figure[data-plot=overview][data-drawn]")
    page.get_by_label("Light").check(force=True)
    assert page.evaluate(background_script) == "rgb(255, 255, 255)"
    background = "#overview .canvas svg"
    page.wait_for_function(
        f"document.querySelector('{background}').style.backgroundColor === 'rgb(255, 255, 255)'"
    )
    page.reload()
    assert page.get_by_label("Light").is_checked()


def test_flips_of_accuracy(open_report_page: PageOpener, small_page: Path) -> None:
    part = open_section(open_report_page(small_page), "abbreviations-expand", "pairs")
    part.get_by_label("First model").select_option(label="oracle")
    part.get_by_label("Second model").select_option(label="random")
    assert "oracle is better than random" in part.locator(".verdict").inner_text()
    assert "p after Holm" in part.inner_text()
    only_oracle, only_random = part.locator(".flips > div").all()
    assert only_oracle.locator("tbody tr").count() == 12
    assert only_oracle.locator("td.right").count() == 12
    assert only_oracle.locator("td.wrong").count() == 12
    assert "None." in only_random.inner_text()
    part.get_by_label("Second model").select_option(label="oracle")
    assert "Choose two different models." in part.inner_text()


def test_flips_of_ranks(
    open_report_page: PageOpener, small_page: Path, small_run: RunFolder
) -> None:
    from scipy.stats import rankdata

    page = open_report_page(small_page)
    part = open_section(page, "abbreviations-match", "pairs")
    part.get_by_label("First model").select_option(label="jaro-winkler")
    part.get_by_label("Second model").select_option(label="random")
    data = json.loads(page.locator("#data-abbreviations-match").text_content())
    first, second = (data["models"].index(name) for name in ("jaro-winkler", "random"))
    truth = rankdata(data["ranked"])
    errors = [abs(rankdata(data["observed"][model]) - truth) for model in (first, second)]
    rank_gain = errors[1] - errors[0]
    expected_id = data["ids"][
        max(range(len(rank_gain)), key=lambda index: (rank_gain[index], -index))
    ]
    first_flips = part.locator(".flips > div").first
    assert first_flips.locator("tbody th").first.inner_text() == expected_id
    assert "ranks off" in first_flips.inner_text()


@pytest.mark.parametrize(("format_", "start"), [("png", b"\x89PNG\r\n\x1a\n"), ("svg", b"<svg")])
def test_saving_a_plot(
    open_report_page: PageOpener, small_page: Path, format_: str, start: bytes
) -> None:
    page = open_report_page(small_page)
    with page.expect_download() as download:
        page.locator(f"#overview [data-export={format_}]").click()
    assert download.value.suggested_filename == f"overview.{format_}"
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(start)
    assert len(content) > 2000


def test_the_page_fits_a_phone(open_report_page: PageOpener, idbench_page: Path) -> None:
    page = open_report_page(idbench_page, viewport={"width": 390, "height": 844})
    for name in ("instances", "pairs"):
        open_section(page, "idbench-similarity-large", name)
    page.locator(".slices summary").click()
    for details in page.locator(".board:visible [data-draws] summary").all():
        details.click()
    page.wait_for_selector(".board [data-drawn]")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_long_model_names_do_not_widen_the_tables(
    open_report_page: PageOpener, copied_run: RunFolder, tmp_path: Path
) -> None:
    folder, run = copied_run
    long_names = {name: f"{name}:corpus=build/eval/examples,split=all" for name in run.models}
    models = {long_names[name]: card for name, card in run.models.items()}
    # Naming a task of GLUECode adds the table over its five tasks.
    new_task_names = dict(zip(run.tasks, ("gluecode/npath", *list(run.tasks)[1:]), strict=True))
    tasks = {
        new_task_names[name]: replace(card, name=new_task_names[name])
        for name, card in run.tasks.items()
    }
    cells = tuple(
        replace(cell, model=long_names[cell.model], task=new_task_names[cell.task])
        for cell in run.cells
    )
    changed_run = replace(run, models=models, cells=cells, tasks=tasks)
    page = open_report_page(build_report([(folder, changed_run)], tmp_path / "report.html"))
    table_box = page.locator("#overview .scroll")
    assert "split=all" in table_box.inner_text()
    assert table_box.evaluate("one => one.scrollWidth - one.clientWidth") == 0
    overall_box = page.locator("#overall-gluecode .scroll")
    assert "split=all" in overall_box.inner_text()
    assert overall_box.evaluate("one => one.scrollWidth - one.clientWidth") == 0


def test_basic_accessibility(open_report_page: PageOpener, idbench_page: Path) -> None:
    page = open_report_page(idbench_page)
    for name in ("instances", "pairs"):
        open_section(page, "idbench-similarity-large", name)
    assert (
        page.evaluate(
            """[...document.querySelectorAll('input, select')].filter(
            field => !field.labels.length && !field.getAttribute('aria-label')).length"""
        )
        == 0
    )
    assert (
        page.evaluate(
            "[...document.querySelectorAll('button')].filter(one => !one.textContent.trim()).length"
        )
        == 0
    )
    assert page.locator("h1").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(
    open_report_page: PageOpener,
    idbench_page: Path,
    scheme: str,
    find_low_contrast: Callable[[Any], list[str]],
) -> None:
    page = open_report_page(idbench_page, color_scheme=scheme)
    open_section(page, "idbench-similarity-large", "instances")
    assert find_low_contrast(page) == []


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'\\{{7*7}}\n\u2028\ud800"


def test_hostile_texts_are_harmless(
    open_report_page: PageOpener, copied_run: RunFolder, tmp_path: Path
) -> None:
    """Ids, answers, errors, and names of models and tasks are untrusted input."""
    folder, run = copied_run
    tasks = {
        name: replace(card, title=HOSTILE, summary=HOSTILE, metric=HOSTILE)
        for name, card in run.tasks.items()
    }
    cells = []
    for cell in run.cells:
        lines = (folder / cell.answers).read_text().splitlines()
        records = [json.loads(line) for line in lines]
        records[0]["answer"] = HOSTILE
        records[1] = {"id": records[1]["id"], "error": HOSTILE}
        records.append({"id": HOSTILE, "answer": HOSTILE})
        (folder / cell.answers).write_text("\n".join(map(json.dumps, records)))
        model = HOSTILE if cell.model == "levenshtein" else cell.model
        counts = replace(cell.counts, failed=1)
        # Half of the cells used different data, so their ids come only from the answers.
        data_sha256 = cell.data_sha256 if cell.task.endswith("expand") else "0"
        cells.append(
            replace(cell, model=model, counts=counts, errors=(HOSTILE,), data_sha256=data_sha256)
        )
    models = {**run.models, HOSTILE: replace(run.models["levenshtein"], summary=HOSTILE)}
    hostile_run = replace(run, tasks=tasks, cells=tuple(cells), models=models)
    path = build_report([(folder, hostile_run)], tmp_path / "report.html")

    page = open_report_page(path)
    for slug in ("abbreviations-expand", "abbreviations-match"):
        part = open_section(page, slug, "instances")
        part.get_by_label("Search").fill("onerror")
        assert part.locator("tbody tr").count() >= 1
        open_section(page, slug, "pairs")
        page.locator(f"#task-{slug} [data-draws] summary").first.click()
    page.wait_for_selector("figure[data-plot=overview][data-drawn]")
    page.locator("#failures summary").click()
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 0
    assert "alert(1)" in page.locator("#failures").inner_text()
