"""From what was drawn to what is asked of each shard's methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acumen.api import Json
from acumen.lang.java.nulls.report import Report
from acumen.lang.java.operators import OPERATORS
from acumen.tasks.methods.masks import TASKS
from acumen.tasks.methods.pool import Draw, Pool
from acumen.tasks.methods.rows import Asked


def asked_of(
    methods: Pool, found: Mapping[str, Draw], warnings: Mapping[int, Sequence[Report]]
) -> dict[str, dict[int, list[Asked]]]:
    """For each task and shard, in the order of the shard's methods."""
    asked: dict[str, dict[int, list[Asked]]] = {task: {} for task in TASKS}
    for task, draw in found.items():
        for split, drawn in draw.drawn.items():
            columns = (drawn.chosen.tolist(), drawn.label.tolist(), draw.twin[split].tolist())
            for at, label, twin in zip(*columns, strict=True):
                one = _asked(task, methods, at, label, twin, warnings)
                asked[task].setdefault(int(methods.shard[at]), []).append(one)
    for shards in asked.values():
        for mine in shards.values():
            mine.sort(key=lambda one: one.row)
    return asked


def _asked(
    task: str, methods: Pool, at: int, label: int, twin: bool,
    warnings: Mapping[int, Sequence[Report]],
) -> Asked:  # fmt: skip
    row = int(methods.row[at])
    if task == "npath":
        return Asked(row, label, twin=twin, told={"value": int(methods.npath[at])})
    if task == "operators":
        start = int(methods.operator[at, label])
        return Asked(row, label, start, start + len(OPERATORS[label]), twin)
    if task == "completion":
        return Asked(row, 0, int(methods.call[at]), int(methods.call_end[at]), twin)
    if task == "nulltoken" and label:
        return Asked(row, label, twin=twin, told=_told(warnings[int(methods.number[at])][0]))
    return Asked(row, label, twin=twin)


def _told(report: Report) -> dict[str, Json]:
    """A warning as the data set tells it. No model is shown this."""
    record = report.as_json()
    names = ("token", "expression", "qualifier", "trace")
    return {**{name: record[name] for name in names}, "warning_line": report.line}
