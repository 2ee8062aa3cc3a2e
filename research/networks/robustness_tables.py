"""Write the tables of docs/networks-robustness.md from the stored runs.

    python -m research.networks.robustness_tables

Each table of the page follows a mark with its name, ``<!-- table: figure-2 -->``, and is replaced
by one computed from ``research/results/networks/*/results.tar.xz``. The figure of the
generalizability study for the same network, on java-small, follows in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any

from codeacumen.benchmarks.robustness import BUCKETS, MARKS
from codeacumen.tasks.published import read_published
from research.networks.stored_results import iterate_stored_runs

ROBUSTNESS = "codeacumen.benchmarks.robustness"
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "networks-robustness.md"
MARK = re.compile(r"(<!-- table: (\S+) -->\n\n)((?:\|.*\n)*)")

# Name of a training, and folder of a run in its archive.
Run = tuple[str, str]
Rows = list[list[str]]

STUDY: dict[str, Run] = {
    **{network: ("eighth", f"{network}/robust/{network}") for network in ("code2vec", "code2seq")},
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
ALL_RUNS = STUDY | OTHERS
# Runs on the edits of the published tool.
EDITS: dict[str, Run] = {
    **{
        network: ("eighth", f"{network}/robustness@published/{network}")
        for network in ("code2vec", "code2seq")
    },
    **{
        network: ("ninth", f"{network}/robustness@published/{network}")
        for network in ("ggnn", "transformer", "cognac")
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
COMPARED_WITH_TRANSFORMER: dict[str, tuple[Run, Run]] = {
    "fifth training, the Transformer's seventh": (
        OTHERS["the same, 5th"],
        ("seventh", "transformer/robust/transformer"),
    ),
    "ninth, the Transformer's ninth": (OTHERS["codeacumen-base"], OTHERS["transformer"]),
}
# Runs that named all test methods.
NAMERS: dict[str, Run] = {
    **{network: ("eighth", f"{network}/eval/{network}") for network in STUDY},
    **{network: ("ninth", f"{network}/scored/naming/{network}") for network in ("cognac", "gtnm")},
    "spot-cnn": ("eighth", "spot/eval/spot-cnn"),
    **{
        network: ("eighth", f"plain/eval/{network}")
        for network in ("mlp", "cnn", "bilstm", "seq2seq")
    },
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
MOST_FAILURES = 3
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
def load_scores(training: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return a training's scores by run folder, task, metric, evaluation set and slice."""
    score_of_key = {}
    for folder, cells in iterate_stored_runs(training):
        for cell in cells:
            task = cell["task"].removeprefix("robustness/")
            for entry in cell["scores"]:
                key = (folder, task, entry["metric"], entry["evaluation_set"], entry["slice"])
                score_of_key[key] = entry
    return score_of_key


@cache
def load_study_figures() -> dict[tuple[str, ...], str]:
    """Return the study's figures by table, network, transformation and part."""
    names = ("table", "model", "transformation", "part")
    return {
        tuple(row[name] for name in names): round_to_tenths(row["value"])
        for row in read_published(ROBUSTNESS, "java_small")
    }


def round_to_tenths(printed: str) -> str:
    """Round a printed number to one decimal, half up: 31.45 as a float would become 31.4."""
    return str(Decimal(printed).quantize(Decimal("0.1"), ROUND_HALF_UP))


def find_score(
    run: Run, kind: str, metric: str = "pcp", evaluation_set: str = "single", slice_name: str = ""
) -> Any:
    training, folder = run
    return load_scores(training).get((folder, kind, metric, evaluation_set, slice_name))


def format_score(entry: Any, interval: bool = False) -> str:
    """Format a score, with its interval if asked for; empty without a score."""
    if entry is None or entry["value"] is None:
        return ""
    value = f"{entry['value']:.1f}"
    if not interval or entry["low"] is None:
        return value
    return f"{value} [{entry['low']:.1f}, {entry['high']:.1f}]"


def add_study_figures(ours: str, table: str, model: str, kind: str, *parts: str) -> str:
    """Return our figure followed by the study's figures in brackets."""
    keys = [(table, model, KINDS[kind], part) for part in parts]
    study_figures = [load_study_figures()[key] for key in keys if key in load_study_figures()]
    return f"{ours} ({' / '.join(study_figures)})" if ours and study_figures else ours


def count_variants(kind: str, evaluation_set: str, slice_name: str = "") -> str:
    """Return the number of variants of a row.

    All networks answer the same variants, except a few on which one of them failed.
    """
    counts = {
        entry["n"]
        for run in ALL_RUNS.values()
        if (entry := find_score(run, kind, "pcp", evaluation_set, slice_name))
    }
    largest = max(counts, default=0)
    assert all(largest - count <= MOST_FAILURES for count in counts), (
        f"{kind}, {evaluation_set}, {slice_name}: variants differ"
    )
    return f"{largest:,}"


def make_rows_by_kind(models: Sequence[str], cell: Callable[[str, str], str]) -> Rows:
    rows = [
        [f"{kind} ({abbreviation})", *(cell(model, kind) for model in models)]
        for kind, abbreviation in KINDS.items()
    ]
    return [["kind", *models], *rows]


def table_1() -> Rows:
    """Return subtoken scores on all test methods; the study has only the first three networks."""
    study = {
        (row["model"].lower(), name): f" ({round_to_tenths(row[name])})"
        for row in read_published(ROBUSTNESS, "models")
        for name in SUBTOKENS
        if (row["table"], row["dataset"]) == ("1", "Java-Small")
    }

    def format_subtokens(model: str, name: str) -> str:
        entry = find_score(NAMERS[model], "gluecode/naming", f"corpus_{name}", "test")
        # These scores are shares; those of the robustness runs are percentages.
        ours = {key: 100 * entry[key] for key in ("value", "low", "high")}
        return format_score(ours, interval=True) + study.get((model, name), "")

    rows = [[model, *(format_subtokens(model, name) for name in SUBTOKENS)] for model in NAMERS]
    return [["network", *SUBTOKENS.values()], *rows]


def table_2(models: Sequence[str]) -> Rows:
    def format_change(model: str, kind: str) -> str:
        ours = format_score(find_score(ALL_RUNS[model], kind), interval=True)
        return add_study_figures(ours, "Table 2", model, kind, "single")

    return make_rows_by_kind(models, format_change)


def figure_2() -> Rows:
    rows = [
        [
            f"{kind} ({short})",
            count_variants(kind, "all"),
            *(
                add_study_figures(
                    format_score(find_score(run, kind, evaluation_set="all")),
                    "Figure 2",
                    model,
                    kind,
                    "all",
                )
                for model, run in ALL_RUNS.items()
            ),
        ]
        for kind, short in KINDS.items()
    ]
    return [["kind", "n", *ALL_RUNS], *(row for row in rows if any(row[2:]))]


def table_3() -> Rows:
    rows = [
        [
            f"{kind}, {share}",
            count_variants(kind, share),
            *(
                add_study_figures(
                    format_score(find_score(run, kind, evaluation_set=share)),
                    "Table 3",
                    model,
                    kind,
                    share,
                )
                for model, run in ALL_RUNS.items()
            ),
        ]
        for kind in KINDS
        for share in SHARES
    ]
    return [["kind", "n", *ALL_RUNS], *(row for row in rows if any(row[2:]))]


def table_4() -> Rows:
    rows = [
        [
            kind,
            fate,
            *(
                add_study_figures(
                    format_score(find_score(run, kind, name)), "Table 4", model, kind, name
                )
                for model, run in ALL_RUNS.items()
            ),
        ]
        for kind in KINDS
        for name, fate in FATES.items()
    ]
    return [["kind", "the prediction is", *ALL_RUNS], *rows]


def table_5(models: Sequence[str]) -> Rows:
    def format_before_after(model: str, kind: str, name: str) -> str:
        pair = [find_score(ALL_RUNS[model], kind, f"{name}_{time}") for time in ("before", "after")]
        return add_study_figures(" / ".join(map(format_score, pair)), "Table 5", model, kind, name)

    rows = [
        [kind, title, *(format_before_after(model, kind, name) for model in models)]
        for kind in KINDS
        for name, title in SUBTOKENS.items()
    ]
    return [["kind", "", *models], *rows]


def figure_3(models: Sequence[str]) -> Rows:
    def format_shares(model: str, kind: str) -> str:
        pair = [
            find_score(ALL_RUNS[model], kind, name) for name in ("cwp_share", "wrong_change_share")
        ]
        return add_study_figures(
            " / ".join(map(format_score, pair)), "Figure 3", model, kind, "right", "wrong"
        )

    return make_rows_by_kind(models, format_shares)


def figure_4(kind: str) -> Rows:
    rows = [
        [
            size,
            count_variants(kind, "single", f"statements:{size}"),
            *(
                add_study_figures(
                    format_score(find_score(run, kind, slice_name=f"statements:{size}")),
                    "Figure 4",
                    model,
                    kind,
                    size,
                )
                for model, run in ALL_RUNS.items()
            ),
        ]
        for size in BUCKETS
    ]
    return [["statements", "n", *ALL_RUNS], *rows]


def table_of_rounds() -> Rows:
    """Return GGNN's prediction change by the length of its training."""
    study_figures = [
        load_study_figures()["Table 2", "ggnn", abbreviation, "single"]
        for abbreviation in KINDS.values()
    ]
    return [
        ["prediction change, single places, %", *KINDS],
        *(
            [name, *(format_score(find_score(run, kind)) for kind in KINDS)]
            for name, run in ROUNDS.items()
        ),
        ["published", *study_figures],
    ]


def table_of_edits() -> Rows:
    """Return prediction change by the marks of an edit; rows without edits are left out."""
    rows = [
        [
            f"{kind} ({abbreviation}), {mark.removeprefix('edit:') or 'all'}",
            *(
                format_score(find_score(run, f"published-{kind}", slice_name=mark), interval=True)
                for run in EDITS.values()
            ),
        ]
        for kind, abbreviation in KINDS.items()
        for mark in ("", *(f"edit:{mark_name}" for mark_name in MARKS))
    ]
    return [["kind", *EDITS], *(row for row in rows if any(row[1:]))]


def table_of_ratios() -> Rows:
    """Return codeacumen-base's prediction change as a multiple of the Transformer's."""

    def format_ratio(ours: Run, theirs: Run, kind: str) -> str:
        our_change, their_change = (find_score(run, kind)["value"] for run in (ours, theirs))
        return f"{our_change / their_change:.2f}"

    return [
        ["codeacumen-base's change, times the Transformer's", *KINDS],
        *(
            [title, *(format_ratio(*runs, kind) for kind in KINDS)]
            for title, runs in COMPARED_WITH_TRANSFORMER.items()
        ),
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
    "ggnn": table_of_rounds,
    "edits": table_of_edits,
    "codeacumen-base": table_of_ratios,
}


def format_markdown(rows: Rows) -> str:
    # Columns of text are aligned left, columns of numbers right.
    is_text = [
        not any(cell[:1].isdigit() for cell in column) for column in zip(*rows[1:], strict=True)
    ]
    is_text[0] = True
    ruler = "".join("|---" if left else "|--:" for left in is_text) + "|"
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join([head, ruler, *body]) + "\n"


def update_tables(page: str) -> str:
    """Return the page with its tables computed from the stored runs."""
    return MARK.sub(lambda match: match[1] + format_markdown(TABLES[match[2]]()), page)


def main() -> None:
    PAGE.write_text(update_tables(PAGE.read_text()))


if __name__ == "__main__":
    main()
