"""The tables of the generalizability study, for networks of ours: Markdown from runs of robustness.

    python scripts/robustness_tables.py FOLDER... > tables.md

Each folder is a run of `acumen eval --data robustness --task robustness` with one network, and is
called after it; of one network there may be several, one of them with the published tool's own
edits (`acumen dataset robustness --kind published`). Beside code2vec, code2seq and GGNN stands what
was published, for java-small.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from acumen.tasks.robustness.marks import MARKS

KINDS = {"rename": "VN", "permute": "PS", "unused": "UN", "loop": "LX", "switch": "SF",
         "boolean": "BX"}  # fmt: skip
SHARES = ("25%", "50%", "75%", "100%")
SIZES = ("1-5", "6-10", "11-15", "16-20", "21-25", "26-50", "51-100", "101+")
# Table 2 of the study, java-small: percent of the predictions that change, single places.
PUBLISHED = {
    "code2vec": {"VN": 54.92, "PS": 72.80, "UN": 39.97, "LX": 59.38, "SF": 68.73, "BX": 53.85},
    "code2seq": {"VN": 57.16, "PS": 57.32, "UN": 45.60, "LX": 52.54, "SF": 61.78, "BX": 54.31},
    "ggnn": {"VN": 28.17, "PS": 26.36, "UN": 28.34, "LX": 31.66, "SF": 31.45, "BX": 29.37},
}
Cells = dict[tuple[str, str], list[dict[str, Any]]]


def read(folders: Sequence[Path]) -> tuple[list[str], Cells]:
    cells: Cells = {}
    for folder in folders:
        for cell in json.loads((folder / "results.json").read_text())["cells"]:
            cells[folder.name, cell["task"].removeprefix("robustness/")] = cell["scores"]
    return list(dict.fromkeys(folder.name for folder in folders)), cells


def score(cells: Cells, model: str, kind: str, metric: str, where: str, part: str = "") -> Any:
    for one in cells.get((model, kind), ()):
        if (one["metric"], one["convention"], one["slice"]) == (metric, where, part):
            return one
    return None


def value(one: Any, interval: bool = False) -> str:
    if one is None or one["value"] is None:
        return ""
    told = f"{one['value']:.1f}"
    if not interval or one["low"] is None:
        return told
    return f"{told} [{one['low']:.1f}, {one['high']:.1f}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|---" + "|--:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def by_kind(models: Sequence[str], cell: Callable[[str, str], str]) -> list[list[str]]:
    return [[f"{kind} ({short})", *(cell(model, kind) for model in models)]
            for kind, short in KINDS.items()]  # fmt: skip


def main() -> None:
    models, cells = read([Path(one) for one in sys.argv[1:]])

    print("Table 2, prediction change, single places, percent (published for java-small):\n")

    def change(model: str, kind: str) -> str:
        before = PUBLISHED.get(model, {}).get(KINDS[kind])
        told = value(score(cells, model, kind, "pcp", "single"), interval=True)
        return told if before is None else f"{told} ({before})"

    table(["kind", *models], by_kind(models, change))

    print("Figure 2, all places at once:\n")
    table(["kind", *models],
          by_kind(models, lambda m, k: value(score(cells, m, k, "pcp", "all"))))  # fmt: skip

    print("Table 3, a share of the places, of methods with four or more:\n")
    rows = [[f"{kind}, {share}", *(value(score(cells, m, kind, "pcp", share)) for m in models)]
            for kind in ("rename", "permute", "loop") for share in SHARES]  # fmt: skip
    table(["kind", *models], rows)

    print("Table 4, what becomes of a prediction, rename, single places:\n")
    names = {
        "ccp": "right, stays right", "cwp": "right, becomes wrong", "wcp": "wrong, becomes right",
        "wwsp": "wrong, stays the same", "wwdp": "wrong, becomes another",
    }  # fmt: skip
    table(["", *models],
          [[said, *(value(score(cells, m, "rename", name, "single")) for m in models)]
           for name, said in names.items()])  # fmt: skip

    print("Tables 1 and 5, F1 of subtokens before and after, single places:\n")

    def f1(model: str, kind: str) -> str:
        pair = [score(cells, model, kind, f"f1_{when}", "single") for when in ("before", "after")]
        return " / ".join(map(value, pair))

    table(["kind", *models], by_kind(models, f1))

    print("Figure 3, change among names that were right / wrong before, single places:\n")

    def right(model: str, kind: str) -> str:
        pair = [score(cells, model, kind, name, "single")
                for name in ("cwp_share", "wrong_change_share")]  # fmt: skip
        return " / ".join(map(value, pair))

    table(["kind", *models], by_kind(models, right))

    if any(kind.startswith("published-") for _, kind in cells):
        print("The published tool's own edits, single places, by what is known of them:\n")
        marks = ("", *(f"edit:{one}" for one in MARKS))
        rows = [[f"{kind} ({short}), {mark.removeprefix('edit:') or 'all'}",
                 *(value(score(cells, m, f"published-{kind}", "pcp", "single", mark), interval=True)
                   for m in models)]
                for kind, short in KINDS.items() for mark in marks]  # fmt: skip
        table(["kind", *models], [row for row in rows if any(row[1:])])

    print("Figure 4, by the number of statements, rename, single places:\n")
    rows = [[size, *(value(score(cells, m, "rename", "pcp", "single", f"statements:{size}"))
                     for m in models)] for size in SIZES]  # fmt: skip
    table(["statements", *models], rows)


if __name__ == "__main__":
    main()
