"""Robustness on the page: its numbers are those of the results file, its facts the data set's."""

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
from codeacumen.benchmarks.robustness.report import _most_common
from codeacumen.benchmarks.robustness.report.variants import dedented, differences
from codeacumen.metrics.changes import CHANGED, change_type
from codeacumen.report import build_report, export_plots
from codeacumen.report.evidence import find_score, merge, ranked
from codeacumen.text.subtokens import subtokens

pytestmark = pytest.mark.usefixtures("at_home")

TYPES = ("ccp", "cwp", "wwsp", "wcp", "wwdp")


@pytest.fixture(scope="module")
def text(robust_page: Path) -> str:
    return robust_page.read_text(encoding="utf-8")


def tables(text: str) -> dict[str, list[list[str]]]:
    """The tables of the section, by their labels: the texts of their cells, row by row."""
    section = text.split('<section id="robustness"')[1].split("</section>")[0]
    found = {}
    for label, body in re.findall(
        r'aria-label="([^"]*)">\s*<table[^>]*>(.*?)</table>', section, re.S
    ):
        rows = re.findall(r"<tr.*?</tr>", body, re.S)
        cells = [re.findall(r"<(?:td|th)[ >].*?</(?:td|th)>", row, re.S) for row in rows]
        found[html.unescape(label)] = [[plain(cell) for cell in row] for row in cells]
    return found


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def data_of(text: str, name: str) -> dict[str, Any]:
    found = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', text)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def results(robust_run: Any) -> list[dict[str, Any]]:
    """As they stand in the file, not as the report reads them."""
    record = json.loads((robust_run.folder / "results.json").read_text())
    cells: list[dict[str, Any]] = record["cells"]
    return cells


def told(robust_run: Any, task: str, model: str, metric: str, mode: str) -> str:
    cell = next(one for one in results(robust_run) if (one["task"], one["model"]) == (task, model))
    score = next(
        one
        for one in cell["scores"]
        if (one["metric"], one["evaluation_set"], one["slice"]) == (metric, mode, "")
    )
    if score["value"] is None:
        return "–"
    bounds = "too few"
    if score["low"] is not None:
        bounds = f"{score['low']:.2f} to {score['high']:.2f}"
    return f"{score['value']:.2f} {bounds}"


def test_prediction_change_is_that_of_the_results(text: str, robust_run: Any) -> None:
    head, *rows = tables(text)["Prediction change by share of changed places"]
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
        (kind, mode) for kind, modes in about.items() for mode, n in modes.items() if n
    }
    variants = map(json.loads, (robust_run.data / "variants.jsonl").read_text().splitlines())
    methods: dict[tuple[str, str], set[str]] = {}
    for one in variants:
        methods.setdefault((one["kind"], one["where"]), set()).add(one["method"])
    for kind, mode, n, variants_told, *scores in rows:
        assert int(n) == len(methods[kind, mode])
        assert int(variants_told.replace(",", "")) == about[kind][mode]
        for model, shown in zip(head[4:], scores, strict=True):
            expected = told(robust_run, f"robustness/{kind}", model, "pcp", mode)
            assert shown.split(" n = ")[0] == expected
    headline = tables(text)["Prediction change by transformation and model"][1:]
    assert headline == [row for row in rows if row[1] == "single"]


def test_types_and_subtokens_are_those_of_the_results(text: str, robust_run: Any) -> None:
    found = tables(text)
    shares = ("cwp_share", "wrong_change_share")
    subtoken = [
        f"{one}_{when}" for one in ("precision", "recall", "f1") for when in ("before", "after")
    ]
    for label, metrics in (
        ("Types of changes, by transformation and model", (*TYPES, *shares)),
        ("Subtoken scores before and after", subtoken),
    ):
        rows = [row for row in found[label] if row[0].split()[0] in ("rename", "permute", "loop")]
        assert len(rows) == 9
        for name, *scores in rows:
            kind, model = name.split()
            for metric, shown in zip(metrics, scores, strict=True):
                expected = told(robust_run, f"robustness/{kind}", model, metric, "single")
                assert shown.split(" of ")[0] == expected, (kind, model, metric)
            if metrics[0] == "ccp":
                assert sum(float(one.split()[0]) for one in scores[:5]) == pytest.approx(
                    100, abs=0.03
                )


def test_slices_are_of_the_tasks_own_metric(robust_run: Any, text: str) -> None:
    section = text.split('aria-label="Slices of Robustness: rename"')[1].split("</table>")[0]
    row = section.split('<span class="model">wavering</span>')[1].split("</tr>")[0]
    cell = next(
        one
        for one in results(robust_run)
        if (one["task"], one["model"]) == ("robustness/rename", "wavering")
    )
    expected = [
        f"{one['value']:.2f}"
        for one in cell["scores"]
        if one["metric"] == "pcp" and one["slice"] and one["value"] is not None
    ]
    assert len(expected) > 4
    shown = [plain(one).split()[0] for one in re.findall(r"<td.*?</td>", row, re.S)]
    assert [one for one in shown if one != "–"] == expected


def test_the_lowest_is_the_best(robust_run: Any, text: str) -> None:
    merged = merge([(robust_run.folder, robust_run.run)])
    card = merged.tasks["robustness/rename"]
    order = ranked(merged.of_task(card.name), card, "single")
    values = [score.value for _, score in order if score.value is not None]
    assert values == sorted(values)
    assert order[0][0].model == "oracle"
    other = ranked(merged.of_task(card.name), replace(card, lower_is_better=False), "single")
    assert [cell.model for cell, _ in other][-1] == "oracle"
    overview = text.split('id="overview-title"')[1].split("</table>")[0]
    row = plain(overview.split('href="#task-robustness-rename"')[1].split("</tr>")[0])
    best = next(cell.model for cell, _ in order if cell.model != "oracle")
    assert "lower is better" in row
    assert best in row.split("%")[1]


def test_another_metric_is_no_headline(robust_run: Any) -> None:
    cell: Scores = robust_run.run.cells[0]
    score = find_score(cell, "single")
    assert score is not None
    assert score.metric == "pcp"
    assert find_score(cell, "single", metric="f1_after") not in (None, score)
    assert find_score(cell, "all", metric="f1_after") is None


def test_instances_show_pairs_and_what_the_metric_sees(text: str, robust_run: Any) -> None:
    data = data_of(text, "data-robustness-rename")
    model = data["models"].index("wavering")
    answers = dict(zip(data["ids"], data["answers"][model], strict=True))
    seen = dict(zip(data["ids"], data["observed"][model], strict=True))
    truths = dict(zip(data["ids"], data["truths"], strict=True))
    single = [id_ for id_ in data["ids"] if "/single/" in id_]
    assert data["lower"] is True
    assert any(seen[id_] for id_ in single)
    for id_ in data["ids"]:
        if "/" not in id_:
            assert seen[id_] is None
            assert answers[id_] is None or "→" not in answers[id_]
        elif id_ in single:
            names = ["" if one == "“”" else one for one in answers[id_].split(" → ")]
            assert seen[id_] == (change_type(subtokens, truths[id_], *names) in CHANGED)
    raw = {}
    cell = next(
        one
        for one in robust_run.run.cells
        if (one.task, one.model) == ("robustness/rename", "wavering")
    )
    for line in (robust_run.folder / cell.answers).read_text().splitlines():
        record = json.loads(line)
        raw[record["id"]] = record["answer"]
    for id_ in single:
        pair = (raw[id_.partition("/")[0]] or "“”", raw[id_] or "“”")
        assert answers[id_] == " → ".join(pair)


def test_facts_are_the_data_sets(text: str, robust_run: Any) -> None:
    counts = json.loads((robust_run.data / "dataset.json").read_text())["counts"]
    rows = {
        row[0].split()[0]: row for row in tables(text)[f"Variants of {robust_run.data.name}"][1:]
    }
    assert set(rows) == {"rename", "permute", "loop"}
    for kind, row in rows.items():
        refused = sum(counts["refused"].get(kind, {}).values())
        assert int(row[-2].replace(",", "")) == refused
        kept, found = (counts[one][kind]["single"] for one in ("variants", "variants_found"))
        assert row[1] == (f"{kept}" if kept == found else f"{kept} of {found:,} found")
    reasons = tables(text)["Reasons"][1:]
    assert sum(int(row[3].replace(",", "")) for row in reasons if row[0] == "permute") == sum(
        counts["refused"]["permute"].values()
    )
    assert f"{counts['methods']:,} of {counts['methods_looked_at']:,} looked at" in text


def test_reasons_without_their_names() -> None:
    whys = {f"it reads `{name}`, which is written": 1 for name in "abc"} | {"no block": 2}
    first, second = _most_common("loop", "refused", whys)
    assert (first.why, first.n) == ("it reads `…`, which is written", 3)
    assert (second.why, second.n) == ("no block", 2)
    many = _most_common("loop", "dropped: compiles", {str(n): n for n in range(1, 12)})
    assert (many[-1].why, many[-1].n) == ("3 other reasons", 1 + 2 + 3)
    assert sum(one.n for one in many) == 66


def test_the_viewer_has_both_texts_and_all_names(text: str, robust_run: Any) -> None:
    data = data_of(text, "robustness-data")
    assert data["models"] == ["failing", "wavering", "oracle"]
    kinds = Counter(one["kind"] for one in data["variants"])
    assert set(kinds) == {"rename", "permute", "loop"}
    assert sum(kinds.values()) == 200 < data["known"]
    variants = {}
    for line in (robust_run.data / "variants.jsonl").read_text().splitlines():
        row = json.loads(line)
        variants[row["kind"], row["where"], squeezed(row["text"])] = row
    names = {}
    for line in (robust_run.data / "originals.jsonl").read_text().splitlines():
        row = json.loads(line)
        names[row["id"]] = (row["name"], f"{row['project']}/{row['path']}:{row['line']}")
    for one in data["variants"]:
        row = variants[one["kind"], one["where"], squeezed(one["text"])]
        original = data["originals"][one["original"]]
        assert (original["name"], original["where"]) == names[row["method"]]
        assert one["gone"] or one["come"]
        assert unmarked(original["text"], one["gone"]) == unmarked(one["text"], one["come"])
        types = [said.get("type") for said in one["said"]]
        assert one["changed"] == bool(CHANGED & set(types))
        assert types[2] == "ccp"
    for kind in kinds:
        flags = [one["changed"] for one in data["variants"] if one["kind"] == kind]
        assert flags == sorted(flags, reverse=True)
        assert True in flags
        assert False in flags
    assert any("error" in one["said"][0] for one in data["variants"])


def unmarked(text: str, stretches: list[list[int]]) -> str:
    """What is alike is all that is not marked."""
    kept = list(text)
    for start, end in stretches:
        kept[start:end] = " " * (end - start)
    return squeezed("".join(kept))


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_same_run_same_bytes(robust_run: Any, robust_page: Path, tmp_path: Path) -> None:
    with robust_run.known():
        again = build_report([(robust_run.folder, robust_run.run)], tmp_path / "again.html")
    assert again.read_bytes() == robust_page.read_bytes()


def test_without_the_data_set(robust_run: Any, tmp_path: Path) -> None:
    page = build_report([(robust_run.folder, robust_run.run)], tmp_path / "report.html")
    text = page.read_text(encoding="utf-8")
    rows = tables(text)["Prediction change by transformation and model"]
    assert rows[1][:3] == ["rename", "single", "–"]
    assert rows[1][4:] != ["–"] * 3
    assert "the data set is not available" in text
    assert '<details class="fold needs-script" data-variants>' not in text
    assert data_of(text, "robustness-data")["variants"] == []


def test_no_section_without_such_tasks(small_page: Path) -> None:
    assert 'id="robustness"' not in small_page.read_text(encoding="utf-8")


def test_beside_other_tasks(robust_run: Any, small_run: tuple[Path, Run], tmp_path: Path) -> None:
    """Percentages that should be low share no axis with shares that should be high."""
    page = build_report([small_run, (robust_run.folder, robust_run.run)], tmp_path / "report.html")
    plots = data_of(page.read_text(encoding="utf-8"), "plots")
    highs = [
        plots[name]["layer"][0]["encoding"]["x"]["scale"]["domain"][1]
        for name in ("overview", "overview-2")
    ]
    assert highs[0] == 1
    assert highs[1] > 10


def test_plots_hold_the_scores(text: str, robust_run: Any, tmp_path: Path) -> None:
    plots = data_of(text, "plots")
    assert not any("oracle" in name for name in plots if name.startswith("robustness-"))
    (rows,) = plots["robustness-places-wavering"]["datasets"].values()
    found = {(row["kind"], row["part"]): row for row in rows}
    for kind in ("rename", "loop"):
        for part, mode in (("one place", "single"), ("all places", "all")):
            row = found[kind, part]
            expected = told(robust_run, f"robustness/{kind}", "wavering", "pcp", mode)
            assert f"{row['value']:.2f}" == expected.split()[0]
    written = export_plots([(robust_run.folder, robust_run.run)], tmp_path, ["svg"])
    names = {path.stem for path in written}
    assert {
        f"robustness-{one}-wavering" for one in ("places", "right", "shares", "statements")
    } <= names


@pytest.mark.parametrize(
    ("before", "after", "gone", "come"),
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
def test_differences(before: str, after: str, gone: list[str], come: list[str]) -> None:
    was, now = differences(before, after)
    assert [before[a:b] for a, b in was] == gone
    assert [after[a:b] for a, b in now] == come


def test_dedented() -> None:
    assert dedented("void f() {\n        a();\n\n      }", "x") == ["void f() {\n  a();\n\n}", "x"]
    assert dedented("void f() {}", "") == ["void f() {}", ""]
    assert dedented("a\n\tb\n    c") == ["a\n\tb\n    c"]
