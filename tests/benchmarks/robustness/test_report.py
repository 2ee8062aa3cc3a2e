"""Tests that the robustness section agrees with the results file and with the data set."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Run, Scores
from codeacumen.benchmarks.robustness.report import _summarize_reasons
from codeacumen.benchmarks.robustness.report.variants import (
    find_differences,
    remove_common_indentation,
)
from codeacumen.metrics.prediction_change import CHANGED, classify_change
from codeacumen.report import build_report, export_plots
from codeacumen.report.merged_runs import find_score, merge_runs, rank_cells
from codeacumen.text.subtokens import split_subtokens

pytestmark = pytest.mark.usefixtures("at_home")

CHANGE_TYPES = ("ccp", "cwp", "wwsp", "wcp", "wwdp")


@pytest.fixture(scope="module")
def text(robust_page: Path) -> str:
    return robust_page.read_text(encoding="utf-8")


def read_tables(text: str) -> dict[str, list[list[str]]]:
    """Return the rows of cell texts of each table in the section, by the label of the table."""
    section = text.split('<section id="robustness"')[1].split("</section>")[0]
    rows_by_label = {}
    for label, body in re.findall(
        r'aria-label="([^"]*)">\s*<table[^>]*>(.*?)</table>', section, re.S
    ):
        rows = re.findall(r"<tr.*?</tr>", body, re.S)
        cells = [re.findall(r"<(?:td|th)[ >].*?</(?:td|th)>", row, re.S) for row in rows]
        rows_by_label[html.unescape(label)] = [
            [strip_markup(cell) for cell in row] for row in cells
        ]
    return rows_by_label


def strip_markup(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def read_page_data(text: str, name: str) -> dict[str, Any]:
    match = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', text)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def read_result_cells(robust_run: Any) -> list[dict[str, Any]]:
    """Read the cells from the results file directly, without the report's own reader."""
    record = json.loads((robust_run.folder / "results.json").read_text())
    cells: list[dict[str, Any]] = record["cells"]
    return cells


def format_score(robust_run: Any, task: str, model: str, metric: str, mode: str) -> str:
    cell = next(
        candidate
        for candidate in read_result_cells(robust_run)
        if (candidate["task"], candidate["model"]) == (task, model)
    )
    score = next(
        candidate
        for candidate in cell["scores"]
        if (candidate["metric"], candidate["evaluation_set"], candidate["slice"])
        == (metric, mode, "")
    )
    if score["value"] is None:
        return "–"
    bounds = "too few"
    if score["low"] is not None:
        bounds = f"{score['low']:.2f} to {score['high']:.2f}"
    return f"{score['value']:.2f} {bounds}"


def test_prediction_change_agrees_with_the_results(text: str, robust_run: Any) -> None:
    head, *rows = read_tables(text)["Prediction change by share of changed places"]
    assert head == [
        "Transformation",
        "Places",
        "Methods",
        "Variants",
        "failing",
        "wavering",
        "oracle",
    ]
    about = json.loads((robust_run.data / "dataset.json").read_text())["counts"]["variants"]
    assert {(row[0], row[1]) for row in rows} == {
        (kind, mode)
        for kind, modes in about.items()
        for mode, method_count in modes.items()
        if method_count
    }
    variants = map(json.loads, (robust_run.data / "variants.jsonl").read_text().splitlines())
    methods: dict[tuple[str, str], set[str]] = {}
    for variant in variants:
        methods.setdefault((variant["kind"], variant["where"]), set()).add(variant["method"])
    for kind, mode, method_count, variant_count, *scores in rows:
        assert int(method_count) == len(methods[kind, mode])
        assert int(variant_count.replace(",", "")) == about[kind][mode]
        for model, cell_text in zip(head[4:], scores, strict=True):
            expected = format_score(robust_run, f"robustness/{kind}", model, "pcp", mode)
            assert cell_text.split(" n = ")[0] == expected
    headline = read_tables(text)["Prediction change by transformation and model"][1:]
    assert headline == [row for row in rows if row[1] == "single"]


def test_types_and_subtokens_agree_with_the_results(text: str, robust_run: Any) -> None:
    rows_by_label = read_tables(text)
    shares = ("cwp_share", "wrong_change_share")
    subtoken_metrics = [
        f"{measure}_{moment}"
        for measure in ("precision", "recall", "f1")
        for moment in ("before", "after")
    ]
    for label, metrics in (
        ("Types of changes, by transformation and model", (*CHANGE_TYPES, *shares)),
        ("Subtoken scores before and after", subtoken_metrics),
    ):
        rows = [
            row
            for row in rows_by_label[label]
            if row[0].split()[0] in ("rename", "permute", "loop")
        ]
        assert len(rows) == 9
        for name, *scores in rows:
            kind, model = name.split()
            for metric, cell_text in zip(metrics, scores, strict=True):
                expected = format_score(robust_run, f"robustness/{kind}", model, metric, "single")
                assert cell_text.split(" of ")[0] == expected, (kind, model, metric)
            if metrics[0] == "ccp":
                assert sum(
                    float(score_text.split()[0]) for score_text in scores[:5]
                ) == pytest.approx(100, abs=0.03)


def test_slices_use_the_metric_of_the_task(robust_run: Any, text: str) -> None:
    section = text.split('aria-label="Slices of Robustness: rename"')[1].split("</table>")[0]
    row = section.split('<span class="model">wavering</span>')[1].split("</tr>")[0]
    cell = next(
        candidate
        for candidate in read_result_cells(robust_run)
        if (candidate["task"], candidate["model"]) == ("robustness/rename", "wavering")
    )
    expected = [
        f"{score['value']:.2f}"
        for score in cell["scores"]
        if score["metric"] == "pcp" and score["slice"] and score["value"] is not None
    ]
    assert len(expected) > 4
    cell_texts = [
        strip_markup(cell_markup).split()[0]
        for cell_markup in re.findall(r"<td.*?</td>", row, re.S)
    ]
    assert [cell_text for cell_text in cell_texts if cell_text != "–"] == expected


def test_the_lowest_score_is_the_best(robust_run: Any, text: str) -> None:
    merged = merge_runs([(robust_run.folder, robust_run.run)])
    card = merged.tasks["robustness/rename"]
    order = rank_cells(merged.cells_of_task(card.name), card, "single")
    values = [score.value for _, score in order if score.value is not None]
    assert values == sorted(values)
    assert order[0][0].model == "oracle"
    reverse_order = rank_cells(
        merged.cells_of_task(card.name), replace(card, lower_is_better=False), "single"
    )
    assert [cell.model for cell, _ in reverse_order][-1] == "oracle"
    overview = text.split('id="overview-title"')[1].split("</table>")[0]
    row = strip_markup(overview.split('href="#task-robustness-rename"')[1].split("</tr>")[0])
    best = next(cell.model for cell, _ in order if cell.model != "oracle")
    assert "lower is better" in row
    assert best in row.split("%")[1]


def test_another_metric_is_not_the_headline(robust_run: Any) -> None:
    cell: Scores = robust_run.run.cells[0]
    score = find_score(cell, "single")
    assert score is not None
    assert score.metric == "pcp"
    assert find_score(cell, "single", metric="f1_after") not in (None, score)
    assert find_score(cell, "all", metric="f1_after") is None


def test_instances_show_pairs_and_the_observed_changes(text: str, robust_run: Any) -> None:
    data = read_page_data(text, "data-robustness-rename")
    model = data["models"].index("wavering")
    answers = dict(zip(data["ids"], data["answers"][model], strict=True))
    observed = dict(zip(data["ids"], data["observed"][model], strict=True))
    truths = dict(zip(data["ids"], data["truths"], strict=True))
    single = [id_ for id_ in data["ids"] if "/single/" in id_]
    assert data["lower"] is True
    assert any(observed[id_] for id_ in single)
    for id_ in data["ids"]:
        if "/" not in id_:
            assert observed[id_] is None
            assert answers[id_] is None or "→" not in answers[id_]
        elif id_ in single:
            names = ["" if name == "“”" else name for name in answers[id_].split(" → ")]
            assert observed[id_] == (
                classify_change(split_subtokens, truths[id_], *names) in CHANGED
            )
    raw_answers = {}
    cell = next(
        candidate
        for candidate in robust_run.run.cells
        if (candidate.task, candidate.model) == ("robustness/rename", "wavering")
    )
    for line in (robust_run.folder / cell.answers).read_text().splitlines():
        record = json.loads(line)
        raw_answers[record["id"]] = record["answer"]
    for id_ in single:
        pair = (raw_answers[id_.partition("/")[0]] or "“”", raw_answers[id_] or "“”")
        assert answers[id_] == " → ".join(pair)


def test_counts_agree_with_the_data_set(text: str, robust_run: Any) -> None:
    counts = json.loads((robust_run.data / "dataset.json").read_text())["counts"]
    rows = {
        row[0].split()[0]: row
        for row in read_tables(text)[f"Variants of {robust_run.data.name}"][1:]
    }
    assert set(rows) == {"rename", "permute", "loop"}
    for kind, row in rows.items():
        refused = sum(counts["refused"].get(kind, {}).values())
        assert int(row[-2].replace(",", "")) == refused
        kept_count, found_count = (
            counts[count_name][kind]["single"] for count_name in ("variants", "variants_found")
        )
        assert row[1] == (
            f"{kept_count}"
            if kept_count == found_count
            else f"{kept_count} of {found_count:,} found"
        )
    reasons = read_tables(text)["Reasons"][1:]
    assert sum(int(row[3].replace(",", "")) for row in reasons if row[0] == "permute") == sum(
        counts["refused"]["permute"].values()
    )
    assert f"{counts['methods']:,} of {counts['methods_examined']:,} examined" in text


def test_reasons_are_merged_without_their_names() -> None:
    count_of_reason = {f"it reads `{name}`, which is written": 1 for name in "abc"} | {
        "no block": 2
    }
    first, second = _summarize_reasons("loop", "refused", count_of_reason)
    assert (first.reason, first.n) == ("it reads `…`, which is written", 3)
    assert (second.reason, second.n) == ("no block", 2)
    merged_reasons = _summarize_reasons(
        "loop", "dropped: compiles", {str(n): n for n in range(1, 12)}
    )
    assert (merged_reasons[-1].reason, merged_reasons[-1].n) == ("3 other reasons", 1 + 2 + 3)
    assert sum(reason.n for reason in merged_reasons) == 66


def test_the_viewer_has_both_texts_and_all_names(text: str, robust_run: Any) -> None:
    data = read_page_data(text, "robustness-data")
    assert data["models"] == ["failing", "wavering", "oracle"]
    kinds = Counter(variant["kind"] for variant in data["variants"])
    assert set(kinds) == {"rename", "permute", "loop"}
    assert sum(kinds.values()) == 200 < data["total"]
    variants = {}
    for line in (robust_run.data / "variants.jsonl").read_text().splitlines():
        row = json.loads(line)
        variants[row["kind"], row["where"], remove_whitespace(row["text"])] = row
    names = {}
    for line in (robust_run.data / "originals.jsonl").read_text().splitlines():
        row = json.loads(line)
        names[row["id"]] = (row["name"], f"{row['project']}/{row['path']}:{row['line']}")
    for variant in data["variants"]:
        row = variants[variant["kind"], variant["where"], remove_whitespace(variant["text"])]
        original = data["originals"][variant["original"]]
        assert (original["name"], original["where"]) == names[row["method"]]
        assert variant["removed"] or variant["added"]
        assert remove_marked(original["text"], variant["removed"]) == remove_marked(
            variant["text"], variant["added"]
        )
        types = [answer.get("type") for answer in variant["predictions"]]
        assert variant["changed"] == bool(CHANGED & set(types))
        assert types[2] == "ccp"
    for kind in kinds:
        flags = [variant["changed"] for variant in data["variants"] if variant["kind"] == kind]
        assert flags == sorted(flags, reverse=True)
        assert True in flags
        assert False in flags
    assert any("error" in variant["predictions"][0] for variant in data["variants"])


def remove_marked(text: str, stretches: list[list[int]]) -> str:
    """Return the text without its marked ranges and without white space."""
    characters = list(text)
    for start, end in stretches:
        characters[start:end] = " " * (end - start)
    return remove_whitespace("".join(characters))


def remove_whitespace(text: str) -> str:
    return "".join(text.split())


def test_the_same_run_gives_the_same_bytes(
    robust_run: Any, robust_page: Path, tmp_path: Path
) -> None:
    with robust_run.register_tasks():
        second_page = build_report([(robust_run.folder, robust_run.run)], tmp_path / "again.html")
    assert second_page.read_bytes() == robust_page.read_bytes()


def test_a_run_without_its_data_set(robust_run: Any, tmp_path: Path) -> None:
    page = build_report([(robust_run.folder, robust_run.run)], tmp_path / "report.html")
    text = page.read_text(encoding="utf-8")
    rows = read_tables(text)["Prediction change by transformation and model"]
    assert rows[1][:3] == ["rename", "single", "–"]
    assert rows[1][4:] != ["–"] * 3
    assert "the data set is not available" in text
    assert '<details class="fold needs-script" data-variants>' not in text
    assert read_page_data(text, "robustness-data")["variants"] == []


def test_no_section_without_robustness_tasks(small_page: Path) -> None:
    assert 'id="robustness"' not in small_page.read_text(encoding="utf-8")


def test_other_tasks_are_plotted_on_a_separate_axis(
    robust_run: Any, small_run: tuple[Path, Run], tmp_path: Path
) -> None:
    """Percentages that should be low and shares that should be high are on separate axes."""
    page = build_report([small_run, (robust_run.folder, robust_run.run)], tmp_path / "report.html")
    plots = read_page_data(page.read_text(encoding="utf-8"), "plots")
    highs = [
        plots[name]["layer"][0]["encoding"]["x"]["scale"]["domain"][1]
        for name in ("overview", "overview-2")
    ]
    assert highs[0] == 1
    assert highs[1] > 10


def test_plots_hold_the_scores(text: str, robust_run: Any, tmp_path: Path) -> None:
    plots = read_page_data(text, "plots")
    assert not any("oracle" in name for name in plots if name.startswith("robustness-"))
    (rows,) = plots["robustness-places-wavering"]["datasets"].values()
    row_of_part = {(row["kind"], row["part"]): row for row in rows}
    for kind in ("rename", "loop"):
        for part, mode in (("one place", "single"), ("all places", "all")):
            row = row_of_part[kind, part]
            expected = format_score(robust_run, f"robustness/{kind}", "wavering", "pcp", mode)
            assert f"{row['value']:.2f}" == expected.split()[0]
    written = export_plots([(robust_run.folder, robust_run.run)], tmp_path, ["svg"])
    names = {path.stem for path in written}
    assert {
        f"robustness-{plot_name}-wavering"
        for plot_name in ("places", "right", "shares", "statements")
    } <= names


@pytest.mark.parametrize(
    ("before", "after", "removed", "added"),
    [
        ("int a = b;", "int a = b;", [], []),
        ("f(a, b);", "f(x, b);", ["a"], ["x"]),
        ("f(a);", "int t = 1; f(a);", [], ["int t = 1;"]),
        ("if (a)\n  b();", "if (a)\n      b();", [], []),
        ('s = "a b";', 's = "a  b";', ['"a b"'], ['"a  b"']),
        ("f();", "g();\n  h();\n  f();", [], ["g();", "h();"]),
        ('x("😀", a);', 'x("😀", c);', ["a"], ["c"]),
        ("", "a", [], ["a"]),
    ],
)
def test_differences_of_two_texts(
    before: str, after: str, removed: list[str], added: list[str]
) -> None:
    removed_ranges, added_ranges = find_differences(before, after)
    assert [before[start:end] for start, end in removed_ranges] == removed
    assert [after[start:end] for start, end in added_ranges] == added


def test_dedented_removes_common_indentation() -> None:
    assert remove_common_indentation("void f() {\n        a();\n\n      }", "x") == [
        "void f() {\n  a();\n\n}",
        "x",
    ]
    assert remove_common_indentation("void f() {}", "") == ["void f() {}", ""]
    assert remove_common_indentation("a\n\tb\n    c") == ["a\n\tb\n    c"]
