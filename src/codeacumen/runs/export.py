"""Export instances of tasks for models that run elsewhere, as JSON lines, CSV or Parquet.

A row has the task, the instance's id, the parts of its input and, on request, the truth.
``runs/answers.py`` reads the answers.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from codeacumen.api import CodeacumenError, Json, Task
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.runs.plan import PlannedTask, question_to_json

Rows = list[dict[str, Json]]


def export_instances(
    tasks: Sequence[Task],
    out: Path,
    *,
    with_truth: bool = False,
    progress: Progress = ignore_progress,
) -> int:
    """Write the instances of tasks into a file, chosen by its suffix; return their number.

    ``-`` prints JSON lines.
    """
    writers: dict[str, Callable[[Rows], bytes]] = {
        ".jsonl": _to_json_lines,
        ".csv": _to_csv,
        ".parquet": _to_parquet,
    }
    is_printed = str(out) == "-"
    write = _to_json_lines if is_printed else writers.get(out.suffix.lower())
    if write is None:
        raise CodeacumenError(
            f"{out}: no such file format", f"choose one of {', '.join(writers)}, or - to print"
        )
    rows: Rows = []
    for position, task in enumerate(tasks):
        progress(f"reading {task.card.name}", position, len(tasks))
        for instance in PlannedTask(task).instances:
            row = {"task": task.card.name, "id": instance.id, **question_to_json(instance.input)}
            rows.append({**row, "truth": instance.truth} if with_truth else row)
    data = write(rows)
    if is_printed:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        write_atomically(out, data)
    return len(rows)


def _to_json_lines(rows: Rows) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _list_columns(rows: Rows) -> list[str]:
    """Return the keys of the rows in order of first use, ``truth`` last."""
    columns = dict.fromkeys(key for row in rows for key in row)
    return [*(key for key in columns if key != "truth"), *(["truth"] if "truth" in columns else [])]


def _to_cell(value: Json) -> str | None:
    """Return text and None unchanged, and all other values as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _to_csv(rows: Rows) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, _list_columns(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _to_cell(value) for key, value in row.items()} for row in rows)
    return stream.getvalue().encode("utf-8", errors="backslashreplace")


def _to_parquet(rows: Rows) -> bytes:
    """Return the rows as a Parquet table.

    A column has numbers or lists of text if all of its values have that type; otherwise it has
    text, with other values as JSON.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {}
    for name in _list_columns(rows):
        values = [row.get(name) for row in rows]
        if all(value is None or isinstance(value, list | tuple) for value in values):
            kind = pa.list_(pa.string())
        elif all(value is None or type(value) in (int, float) for value in values):
            kind = pa.float64()
        else:
            values, kind = [_to_cell(value) for value in values], pa.string()
        columns[name] = pa.array(values, kind)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]
