"""Tests of the robustness section in a browser: the viewer, the plots, small and dark screens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeacumen.report import build_report
from robustness_dataset import write_data

PageOpener = Callable[..., Any]

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("at_home")]


def open_viewer(page: Any) -> Any:
    viewer_section = page.locator("#robustness [data-variants]")
    viewer_section.locator("summary").click()
    page.wait_for_selector("[data-variants][data-built]")
    return viewer_section


def open_all_sections(page: Any) -> None:
    page.evaluate(
        "document.querySelectorAll('#robustness > details').forEach(one => { one.open = true; })"
    )


def read_embedded_data(page: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.locator("#robustness-data").text_content())
    return data


def test_a_variant_is_shown_beside_its_original(
    open_report_page: PageOpener, robust_page: Path
) -> None:
    page = open_report_page(robust_page)
    part = open_viewer(page)
    data = read_embedded_data(page)
    assert part.get_by_role("status").inner_text() == "1 of 200"
    for index in (0, 1):
        if index:
            part.get_by_role("button", name="Next").click()
        variant = data["variants"][index]
        original = data["originals"][variant["original"]]
        before, after = part.locator("pre").all()
        assert before.text_content() == original["text"]
        assert after.text_content() == variant["text"]
        removed = [original["text"][start:end] for start, end in variant["removed"]]
        assert before.locator("del").all_text_contents() == removed
        added = [variant["text"][start:end] for start, end in variant["added"]]
        assert after.locator("ins").all_text_contents() == added
        assert original["name"] in part.locator("h3").inner_text()
        rows = part.locator("table.names tbody tr")
        assert rows.count() == 3
        for row, answer in zip(rows.all(), variant["predictions"], strict=True):
            row_text = row.inner_text()
            assert ("failed" in row_text) == ("error" in answer)
            if "error" not in answer:
                assert (answer["before"] or "no name") in row_text
                assert (answer["after"] or "no name") in row_text
                assert ("≠ changed" in row_text) == (answer["type"] in ("cwp", "wcp", "wwdp"))
                right_and_wrong = row.locator("td.right").count(), row.locator("td.wrong").count()
                assert right_and_wrong[0] + right_and_wrong[1] == 2
                assert (right_and_wrong[0] == 2) == (answer["type"] == "ccp")


def test_filtering_the_variants(open_report_page: PageOpener, robust_page: Path) -> None:
    page = open_report_page(robust_page)
    part = open_viewer(page)
    variants = read_embedded_data(page)["variants"]
    status = part.get_by_role("status")
    part.get_by_label("Transformation").select_option("loop")
    loops = [variant for variant in variants if variant["kind"] == "loop"]
    assert status.inner_text() == f"1 of {len(loops)}"
    assert part.locator("h3").inner_text().split(" ", 1)[1].startswith("loop")
    part.get_by_label("Changed only").check()
    changed = [variant for variant in loops if variant["changed"]]
    assert 0 < len(changed) < len(loops)
    assert status.inner_text() == f"1 of {len(changed)}"
    part.get_by_label("Changed for").select_option(label="oracle")
    assert status.inner_text() == "No variant matches."
    assert part.locator("pre").count() == 0
    part.get_by_label("Changed for").select_option(label="wavering")
    part.get_by_label("Transformation").select_option("")
    part.get_by_label("Places").select_option("all")
    expected = [
        variant
        for variant in variants
        if variant["where"] == "all"
        and variant["predictions"][1].get("type") in ("cwp", "wcp", "wwdp")
    ]
    assert status.inner_text() == f"1 of {len(expected)}"
    part.get_by_role("combobox", name="Variant").select_option(str(len(expected) - 1))
    assert status.inner_text() == f"{len(expected)} of {len(expected)}"
    assert part.get_by_role("button", name="Next").is_disabled()


def test_keyboard_navigation(open_report_page: PageOpener, robust_page: Path) -> None:
    page = open_report_page(robust_page)
    summary = page.locator("#robustness [data-variants] summary")
    summary.focus()
    page.keyboard.press("Enter")
    part = page.locator("#robustness [data-variants]")
    status = part.get_by_role("status")
    status.wait_for()
    part.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    assert status.inner_text() == "2 of 200"
    page.keyboard.press("ArrowRight")
    assert status.inner_text() == "3 of 200"
    page.keyboard.press("ArrowLeft")
    assert status.inner_text() == "2 of 200"
    # In a selection list the arrow keys select, and in code they scroll.
    part.locator("pre").first.focus()
    page.keyboard.press("ArrowRight")
    assert status.inner_text() == "2 of 200"
    part.get_by_label("Changed only").focus()
    page.keyboard.press("Space")
    assert status.inner_text().startswith("1 of ")


def test_plots_of_each_model_are_drawn(open_report_page: PageOpener, robust_page: Path) -> None:
    page = open_report_page(robust_page)
    names = ("places", "right", "shares", "statements")
    page.wait_for_selector("figure[data-plot=robustness-places-failing][data-drawn]")
    assert not page.locator("figure[data-plot=robustness-places-wavering]").is_visible()
    page.get_by_label("Plots of").select_option(label="wavering")
    for name in names:
        figure = page.locator(f"figure[data-plot=robustness-{name}-wavering]")
        figure.scroll_into_view_if_needed()
        page.wait_for_selector(f"figure[data-plot=robustness-{name}-wavering][data-drawn]")
        assert figure.locator("svg").bounding_box()["width"] > 300
    assert not page.locator("figure[data-plot=robustness-places-failing]").is_visible()


def test_the_model_with_the_lower_score_is_better(
    open_report_page: PageOpener, robust_page: Path
) -> None:
    page = open_report_page(robust_page)
    part = page.locator("#task-robustness-rename [data-pairs]")
    part.locator("summary").first.click()
    part.get_by_label("First model").select_option(label="wavering")
    part.get_by_label("Second model").select_option(label="oracle")
    assert "oracle is better than wavering" in part.locator(".verdict").inner_text()
    wavering, oracle = part.locator(".flips > div").all()
    assert "None." in wavering.inner_text()
    for row in oracle.locator("tbody tr").all():
        before, after = row.locator("td").nth(1).inner_text().split(" → ")
        assert before != after
        same = row.locator("td").nth(2).inner_text().split(" → ")
        assert same[0] == same[1]


def test_the_viewer_fits_a_phone(open_report_page: PageOpener, robust_page: Path) -> None:
    page = open_report_page(robust_page, viewport={"width": 390, "height": 844})
    part = open_viewer(page)
    open_all_sections(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    before, after = (box_locator.bounding_box() for box_locator in part.locator("pre").all())
    assert after["y"] > before["y"] + before["height"]
    assert before["width"] > 300
    # The outcome is visible without scrolling a table sideways.
    outcome = part.locator(".outcome, .failed").first.bounding_box()
    assert outcome["x"] >= 0
    assert outcome["x"] + outcome["width"] <= 390


def test_texts_are_side_by_side_on_a_wide_screen(
    open_report_page: PageOpener, robust_page: Path
) -> None:
    before, after = (
        box_locator.bounding_box()
        for box_locator in open_viewer(open_report_page(robust_page)).locator("pre").all()
    )
    assert after["y"] == before["y"]
    assert after["x"] > before["x"] + before["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_basic_accessibility_and_contrast(
    open_report_page: PageOpener,
    robust_page: Path,
    scheme: str,
    find_low_contrast: Callable[[Any], list[str]],
) -> None:
    page = open_report_page(robust_page, color_scheme=scheme)
    open_viewer(page)
    open_all_sections(page)
    assert find_low_contrast(page) == []
    unnamed = """[...document.querySelectorAll('input, select')].filter(
        field => !field.labels.length && !field.getAttribute('aria-label')).length"""
    assert page.evaluate(unnamed) == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'{{7*7}}😀\u2028`${1}`"


def test_hostile_code_is_harmless(
    open_report_page: PageOpener, robust_run: Any, tmp_path: Path
) -> None:
    """Code, names, paths, reasons and kinds are untrusted input."""
    from codeacumen.core.files import sha256_of
    from codeacumen.datasets.built import load_data
    from codeacumen.registry import list_names, make_model, make_task
    from codeacumen.registry.entries import ENTRIES
    from codeacumen.runs.evaluate import evaluate_cells
    from codeacumen.runs.plan import Cell, PlannedTask
    from codeacumen.runs.scoring import ScoringSettings

    folder = write_data(tmp_path / "data")
    for name in ("originals.jsonl", "variants.jsonl"):
        rows = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for row in rows:
            row["text"] = f"void METHOD_NAME() {{ /* {HOSTILE} */ {row['id'].split('/')[-1]}; }}"
            if name == "originals.jsonl":
                row |= {"name": HOSTILE, "path": HOSTILE, "project": HOSTILE}
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    about = json.loads((folder / "dataset.json").read_text())
    about["files"] = {name: sha256_of(folder / name) for name in about["files"]}
    about["kinds"]["rename"] = HOSTILE
    about["counts"]["refused"] = {"rename": {HOSTILE: 3}}
    about["counts"]["dropped"] = {"rename": {HOSTILE: {HOSTILE: 4}}}
    about["settings"] = {"split": HOSTILE}
    (folder / "dataset.json").write_text(json.dumps(about))
    list_names("task")
    entries_before = dict(ENTRIES["task"])
    try:
        load_data(folder)
        task = PlannedTask(make_task("robustness/rename"))
        cells = [Cell(make_model("oracle"), task)]
        run = evaluate_cells(cells, tmp_path / "run", ScoringSettings(resamples=20))
        path = build_report([(tmp_path / "run", run)], tmp_path / "report.html")
    finally:
        ENTRIES["task"].clear()
        ENTRIES["task"].update(entries_before)
    page = open_report_page(path)
    part = open_viewer(page)
    open_all_sections(page)
    assert "alert(1)" in part.locator("pre").first.inner_text()
    assert part.locator("ins").all_inner_texts() != []
    assert "</script>" in part.locator("table.names").inner_text()
    assert page.get_by_role("region", name="Reasons").inner_text().count("alert(1)") >= 2
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 0
