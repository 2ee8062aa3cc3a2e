"""Robustness as a reader meets it: the viewer of variants, the plots, small and dark screens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeacumen.report import build_report
from datasets_by_hand import write_data

Opener = Callable[..., Any]

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("at_home")]


def viewer(page: Any) -> Any:
    part = page.locator("#robustness [data-variants]")
    part.locator("summary").click()
    page.wait_for_selector("[data-variants][data-built]")
    return part


def open_all(page: Any) -> None:
    page.evaluate(
        "document.querySelectorAll('#robustness > details').forEach(one => { one.open = true; })"
    )


def embedded(page: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.locator("#robustness-data").text_content())
    return data


def test_a_variant_beside_its_original(opened: Opener, robust_page: Path) -> None:
    page = opened(robust_page)
    part = viewer(page)
    data = embedded(page)
    assert part.get_by_role("status").inner_text() == "1 of 200"
    for place in (0, 1):
        if place:
            part.get_by_role("button", name="Next").click()
        variant = data["variants"][place]
        original = data["originals"][variant["original"]]
        before, after = part.locator("pre").all()
        assert before.text_content() == original["text"]
        assert after.text_content() == variant["text"]
        gone = [original["text"][start:end] for start, end in variant["gone"]]
        assert before.locator("del").all_text_contents() == gone
        come = [variant["text"][start:end] for start, end in variant["come"]]
        assert after.locator("ins").all_text_contents() == come
        assert original["name"] in part.locator("h3").inner_text()
        rows = part.locator("table.names tbody tr")
        assert rows.count() == 3
        for row, said in zip(rows.all(), variant["said"], strict=True):
            words = row.inner_text()
            assert ("failed" in words) == ("error" in said)
            if "error" not in said:
                assert (said["before"] or "no name") in words
                assert (said["after"] or "no name") in words
                assert ("≠ changed" in words) == (said["type"] in ("cwp", "wcp", "wwdp"))
                signs = row.locator("td.right").count(), row.locator("td.wrong").count()
                assert signs[0] + signs[1] == 2
                assert (signs[0] == 2) == (said["type"] == "ccp")


def test_choosing(opened: Opener, robust_page: Path) -> None:
    page = opened(robust_page)
    part = viewer(page)
    variants = embedded(page)["variants"]
    status = part.get_by_role("status")
    part.get_by_label("Transformation").select_option("loop")
    loops = [one for one in variants if one["kind"] == "loop"]
    assert status.inner_text() == f"1 of {len(loops)}"
    assert part.locator("h3").inner_text().split(" ", 1)[1].startswith("loop")
    part.get_by_label("Changed only").check()
    changed = [one for one in loops if one["changed"]]
    assert 0 < len(changed) < len(loops)
    assert status.inner_text() == f"1 of {len(changed)}"
    part.get_by_label("Changed for").select_option(label="oracle")
    assert status.inner_text() == "No variant matches."
    assert part.locator("pre").count() == 0
    part.get_by_label("Changed for").select_option(label="wavering")
    part.get_by_label("Transformation").select_option("")
    part.get_by_label("Places").select_option("all")
    wanted = [
        one
        for one in variants
        if one["where"] == "all" and one["said"][1].get("type") in ("cwp", "wcp", "wwdp")
    ]
    assert status.inner_text() == f"1 of {len(wanted)}"
    part.get_by_role("combobox", name="Variant").select_option(str(len(wanted) - 1))
    assert status.inner_text() == f"{len(wanted)} of {len(wanted)}"
    assert part.get_by_role("button", name="Next").is_disabled()


def test_by_keyboard(opened: Opener, robust_page: Path) -> None:
    page = opened(robust_page)
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
    # In a list of choices the arrows choose; in code they scroll.
    part.locator("pre").first.focus()
    page.keyboard.press("ArrowRight")
    assert status.inner_text() == "2 of 200"
    part.get_by_label("Changed only").focus()
    page.keyboard.press("Space")
    assert status.inner_text().startswith("1 of ")


def test_plots_of_each_model(opened: Opener, robust_page: Path) -> None:
    page = opened(robust_page)
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


def test_the_better_of_two_is_the_lower(opened: Opener, robust_page: Path) -> None:
    page = opened(robust_page)
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


def test_phone(opened: Opener, robust_page: Path) -> None:
    page = opened(robust_page, viewport={"width": 390, "height": 844})
    part = viewer(page)
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    before, after = (one.bounding_box() for one in part.locator("pre").all())
    assert after["y"] > before["y"] + before["height"]
    assert before["width"] > 300
    # What happened stands in level, not at the end of a table to be scrolled.
    outcome = part.locator(".outcome, .failed").first.bounding_box()
    assert outcome["x"] >= 0
    assert outcome["x"] + outcome["width"] <= 390


def test_side_by_side_on_a_desk(opened: Opener, robust_page: Path) -> None:
    before, after = (one.bounding_box() for one in viewer(opened(robust_page)).locator("pre").all())
    assert after["y"] == before["y"]
    assert after["x"] > before["x"] + before["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_access(
    opened: Opener, robust_page: Path, scheme: str, weak: Callable[[Any], list[str]]
) -> None:
    page = opened(robust_page, color_scheme=scheme)
    viewer(page)
    open_all(page)
    assert weak(page) == []
    unnamed = """[...document.querySelectorAll('input, select')].filter(
        field => !field.labels.length && !field.getAttribute('aria-label')).length"""
    assert page.evaluate(unnamed) == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'{{7*7}}😀\u2028`${1}`"


def test_hostile_code_is_harmless(opened: Opener, robust_run: Any, tmp_path: Path) -> None:
    """Code, names, paths, reasons, kinds: all of them are somebody else's."""
    from codeacumen.core.files import sha256_of
    from codeacumen.datasets.built import load_data
    from codeacumen.registry import make_model, make_task, names
    from codeacumen.registry.entries import ENTRIES
    from codeacumen.runs.evaluate import evaluate
    from codeacumen.runs.plan import Cell, PlannedTask
    from codeacumen.runs.scoring import Settings

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
    names("task")
    known = dict(ENTRIES["task"])
    try:
        load_data(folder)
        task = PlannedTask(make_task("robustness/rename"))
        cells = [Cell(make_model("oracle"), task)]
        run = evaluate(cells, tmp_path / "run", Settings(resamples=20))
        path = build_report([(tmp_path / "run", run)], tmp_path / "report.html")
    finally:
        ENTRIES["task"].clear()
        ENTRIES["task"].update(known)
    page = opened(path)
    part = viewer(page)
    open_all(page)
    assert "alert(1)" in part.locator("pre").first.inner_text()
    assert part.locator("ins").all_inner_texts() != []
    assert "</script>" in part.locator("table.names").inner_text()
    assert page.get_by_role("region", name="Reasons").inner_text().count("alert(1)") >= 2
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 0
