"""Write the tables of docs/networks-robustness.md from the stored runs.

    python -m research.networks.robustness_tables

Each table of the page follows a mark with its name, ``<!-- table: figure-2 -->``, and is replaced
by one computed from ``research/results/networks/*/results.tar.xz``. The figure of the
generalizability study for the same network, on java-small, follows in brackets.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

from codeacumen.benchmarks.robustness import BUCKETS, MARKS
from codeacumen.datasets.published import read_published

ROBUSTNESS = "codeacumen.benchmarks.robustness"
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "networks-robustness.md"
KEPT = ROOT / "research" / "results" / "networks"
MARK = re.compile(r"(<!-- table: (\S+) -->\n\n)((?:\|.*\n)*)")

# Name of a training, and folder of a run in its archive.
Run = tuple[str, str]
Rows = list[list[str]]

STUDY: dict[str, Run] = {
    **{one: ("eighth", f"{one}/robust/{one}") for one in ("code2vec", "code2seq")},
    "ggnn": ("ninth", "ggnn/robust/ggnn"),
}
OTHERS: dict[str, Run] = {
    "cognac": ("ninth", "cognac/robust/cognac"),
    "gtnm": ("eighth", "gtnm/robust/gtnm"),
    "spot-cnn": ("eighth", "spot/robust/spot-cnn"),
    "transformer": ("ninth", "transformer/robust/transformer"),
    "codeacumen-base": ("ninth", "base/robust/codeacumen-base"),
    "the same, 5th": ("fifth", "base/robust/codeacumen-base"),
}
ALL = STUDY | OTHERS
# Runs on the edits of the published tool.
EDITS: dict[str, Run] = {
    **{one: ("eighth", f"{one}/robustness@published/{one}") for one in ("code2vec", "code2seq")},
    **{
        one: ("ninth", f"{one}/robustness@published/{one}")
        for one in ("ggnn", "transformer", "cognac")
    },
    "gtnm": ("eighth", "gtnm/robustness@published/gtnm"),
    "codeacumen-base": ("ninth", "base/robustness@published/codeacumen-base"),
}
ROUNDS: dict[str, Run] = {
    "three rounds": ("second", "runs2/robust/ggnn"),
    "nine rounds": ("seventh", "ggnn/robust/ggnn"),
    "ten rounds": STUDY["ggnn"],
}
# A run of codeacumen-base and the Transformer's run to compare it with.
BESIDE: dict[str, tuple[Run, Run]] = {
    "fifth training, the Transformer's seventh": (
        OTHERS["the same, 5th"],
        ("seventh", "transformer/robust/transformer"),
    ),
    "ninth, the Transformer's ninth": (OTHERS["codeacumen-base"], OTHERS["transformer"]),
}
# Runs that named all test methods.
NAMERS: dict[str, Run] = {
    **{one: ("eighth", f"{one}/eval/{one}") for one in STUDY},
    **{one: ("ninth", f"{one}/scored/naming/{one}") for one in ("cognac", "gtnm")},
    "spot-cnn": ("eighth", "spot/eval/spot-cnn"),
    **{one: ("eighth", f"plain/eval/{one}") for one in ("mlp", "cnn", "bilstm", "seq2seq")},
    "transformer": ("ninth", "transformer/eval/transformer"),
    "codeacumen-base": ("ninth", "base/scored/naming/codeacumen-base"),
    "classical": ("classical", "eval/classical"),
}

KINDS = {
    "rename": "VN",
    "permute": "PS",
    "unused": "UN",
    "loop": "LX",
    "switch": "SF",
    "boolean": "BX",
}
# Most variants of a row on which a network failed.
FAILED = 3
SHARES = ("25%", "50%", "75%", "100%")
FATES = {
    "ccp": "right, stays right",
    "cwp": "right, becomes wrong",
    "wcp": "wrong, becomes right",
    "wwsp": "wrong, stays the same",
    "wwdp": "wrong, becomes another",
}
SUBTOKENS = {"precision": "precision", "recall": "recall", "f1": "F1"}


@cache
def scores(training: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return a training's scores by run folder, task, metric, evaluation set and slice."""
    found = {}
    with tarfile.open(KEPT / training / "results.tar.xz") as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            stream = archive.extractfile(member) if path.name == "results.json" else None
            if stream is None:
                continue
            folder = str(path.parent)
            for cell in json.load(stream)["cells"]:
                task = cell["task"].removeprefix("robustness/")
                for one in cell["scores"]:
                    key = (folder, task, one["metric"], one["evaluation_set"], one["slice"])
                    found[key] = one
    return found


@cache
def published() -> dict[tuple[str, ...], str]:
    """Return the study's figures by table, network, transformation and part."""
    names = ("table", "model", "transformation", "part")
    return {
        tuple(row[one] for one in names): tenths(row["value"])
        for row in read_published(ROBUSTNESS, "java_small")
    }


def tenths(printed: str) -> str:
    """Round a printed number to one decimal, half up: 31.45 as a float would become 31.4."""
    return str(Decimal(printed).quantize(Decimal("0.1"), ROUND_HALF_UP))


def score(run: Run, kind: str, metric: str = "pcp", where: str = "single", part: str = "") -> Any:
    training, folder = run
    return scores(training).get((folder, kind, metric, where, part))


def told(one: Any, interval: bool = False) -> str:
    """Format a score, with its interval if asked for; empty without a score."""
    if one is None or one["value"] is None:
        return ""
    value = f"{one['value']:.1f}"
    if not interval or one["low"] is None:
        return value
    return f"{value} [{one['low']:.1f}, {one['high']:.1f}]"


def beside(ours: str, table: str, model: str, kind: str, *parts: str) -> str:
    """Return our figure followed by the study's figures in brackets."""
    keys = [(table, model, KINDS[kind], part) for part in parts]
    before = [published()[key] for key in keys if key in published()]
    return f"{ours} ({' / '.join(before)})" if ours and before else ours


def variants(kind: str, where: str, part: str = "") -> str:
    """Return the number of variants of a row.

    All networks answer the same variants, except a few on which one of them failed.
    """
    found = {one["n"] for run in ALL.values() if (one := score(run, kind, "pcp", where, part))}
    most = max(found, default=0)
    assert all(most - n <= FAILED for n in found), f"{kind}, {where}, {part}: variants differ"
    return f"{most:,}"


def by_kind(models: Sequence[str], cell: Callable[[str, str], str]) -> Rows:
    rows = [
        [f"{kind} ({short})", *(cell(model, kind) for model in models)]
        for kind, short in KINDS.items()
    ]
    return [["kind", *models], *rows]


def table_1() -> Rows:
    """Return subtoken scores on all test methods; the study has only the first three networks."""
    study = {
        (row["model"].lower(), name): f" ({tenths(row[name])})"
        for row in read_published(ROBUSTNESS, "models")
        for name in SUBTOKENS
        if (row["table"], row["dataset"]) == ("1", "Java-Small")
    }

    def cell(model: str, name: str) -> str:
        one = score(NAMERS[model], "gluecode/naming", f"corpus_{name}", "test")
        # These scores are shares; those of the robustness runs are percentages.
        ours = {key: 100 * one[key] for key in ("value", "low", "high")}
        return told(ours, interval=True) + study.get((model, name), "")

    rows = [[model, *(cell(model, name) for name in SUBTOKENS)] for model in NAMERS]
    return [["network", *SUBTOKENS.values()], *rows]


def table_2(models: Sequence[str]) -> Rows:
    def change(model: str, kind: str) -> str:
        ours = told(score(ALL[model], kind), interval=True)
        return beside(ours, "Table 2", model, kind, "single")

    return by_kind(models, change)


def figure_2() -> Rows:
    rows = [
        [
            f"{kind} ({short})",
            variants(kind, "all"),
            *(
                beside(told(score(run, kind, where="all")), "Figure 2", model, kind, "all")
                for model, run in ALL.items()
            ),
        ]
        for kind, short in KINDS.items()
    ]
    return [["kind", "n", *ALL], *(row for row in rows if any(row[2:]))]


def table_3() -> Rows:
    rows = [
        [
            f"{kind}, {share}",
            variants(kind, share),
            *(
                beside(told(score(run, kind, where=share)), "Table 3", model, kind, share)
                for model, run in ALL.items()
            ),
        ]
        for kind in KINDS
        for share in SHARES
    ]
    return [["kind", "n", *ALL], *(row for row in rows if any(row[2:]))]


def table_4() -> Rows:
    rows = [
        [
            kind,
            fate,
            *(
                beside(told(score(run, kind, name)), "Table 4", model, kind, name)
                for model, run in ALL.items()
            ),
        ]
        for kind in KINDS
        for name, fate in FATES.items()
    ]
    return [["kind", "the prediction is", *ALL], *rows]


def table_5(models: Sequence[str]) -> Rows:
    def both(model: str, kind: str, name: str) -> str:
        pair = [score(ALL[model], kind, f"{name}_{when}") for when in ("before", "after")]
        return beside(" / ".join(map(told, pair)), "Table 5", model, kind, name)

    rows = [
        [kind, title, *(both(model, kind, name) for model in models)]
        for kind in KINDS
        for name, title in SUBTOKENS.items()
    ]
    return [["kind", "", *models], *rows]


def figure_3(models: Sequence[str]) -> Rows:
    def both(model: str, kind: str) -> str:
        pair = [score(ALL[model], kind, name) for name in ("cwp_share", "wrong_change_share")]
        return beside(" / ".join(map(told, pair)), "Figure 3", model, kind, "right", "wrong")

    return by_kind(models, both)


def figure_4(kind: str) -> Rows:
    rows = [
        [
            size,
            variants(kind, "single", f"statements:{size}"),
            *(
                beside(
                    told(score(run, kind, part=f"statements:{size}")), "Figure 4", model, kind, size
                )
                for model, run in ALL.items()
            ),
        ]
        for size in BUCKETS
    ]
    return [["statements", "n", *ALL], *rows]


def rounds() -> Rows:
    """Return GGNN's prediction change by the length of its training."""
    before = [published()["Table 2", "ggnn", short, "single"] for short in KINDS.values()]
    return [
        ["prediction change, single places, %", *KINDS],
        *([name, *(told(score(run, kind)) for kind in KINDS)] for name, run in ROUNDS.items()),
        ["published", *before],
    ]


def edits() -> Rows:
    """Return prediction change by the marks of an edit; rows without edits are left out."""
    rows = [
        [
            f"{kind} ({short}), {mark.removeprefix('edit:') or 'all'}",
            *(
                told(score(run, f"published-{kind}", part=mark), interval=True)
                for run in EDITS.values()
            ),
        ]
        for kind, short in KINDS.items()
        for mark in ("", *(f"edit:{one}" for one in MARKS))
    ]
    return [["kind", *EDITS], *(row for row in rows if any(row[1:]))]


def ratios() -> Rows:
    """Return codeacumen-base's prediction change as a multiple of the Transformer's."""

    def times(ours: Run, theirs: Run, kind: str) -> str:
        one, other = (score(run, kind)["value"] for run in (ours, theirs))
        return f"{one / other:.2f}"

    return [
        ["codeacumen-base's change, times the Transformer's", *KINDS],
        *([title, *(times(*both, kind) for kind in KINDS)] for title, both in BESIDE.items()),
    ]


TABLES: dict[str, Callable[[], Rows]] = {
    "table-1": table_1,
    "table-2": partial(table_2, list(STUDY)),
    "table-2-others": partial(table_2, list(OTHERS)),
    "figure-2": figure_2,
    "table-3": table_3,
    "table-4": table_4,
    "table-5": partial(table_5, list(STUDY)),
    "table-5-others": partial(table_5, list(OTHERS)),
    "figure-3": partial(figure_3, list(STUDY)),
    "figure-3-others": partial(figure_3, list(OTHERS)),
    **{f"figure-4-{kind}": partial(figure_4, kind) for kind in KINDS},
    "ggnn": rounds,
    "edits": edits,
    "codeacumen-base": ratios,
}


def markdown(rows: Rows) -> str:
    # Columns of text are aligned left, columns of numbers right.
    words = [
        not any(cell[:1].isdigit() for cell in column) for column in zip(*rows[1:], strict=True)
    ]
    words[0] = True
    ruler = "".join("|---" if left else "|--:" for left in words) + "|"
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join([head, ruler, *body]) + "\n"


def remade(page: str) -> str:
    """Return the page with its tables computed from the stored runs."""
    return MARK.sub(lambda found: found[1] + markdown(TABLES[found[2]]()), page)


def main() -> None:
    PAGE.write_text(remade(PAGE.read_text()))


if __name__ == "__main__":
    main()
