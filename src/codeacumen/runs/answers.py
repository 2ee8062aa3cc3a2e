"""Read and write answers as files, and export the instances for models that run elsewhere.

Answers are one JSON object a line, ``{"id": ..., "answer": ...}`` or ``{"id": ..., "error": ...}``;
an answer of null means that the model returned none. While a model answers, its answers are
appended to a log. A log may end in half a line after a kill, and may hold an instance twice after a
retry; the last complete line counts. The answers file of a run is written from the log, in the
order of the instances.

Instances are exported as JSON lines, CSV or Parquet, and answers of another program may have any of
these formats, with the same names as columns.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from codeacumen.api import Answer, Capability, CodeacumenError, Instance, Json, Task
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress, ignore_progress

# Capabilities whose answers are text. In a CSV cell, an answer of any other capability is JSON.
_TEXT = (Capability.CLASSIFY, Capability.GENERATE, Capability.NAME)
_HINT = 'an answer looks like {"id": "len~length", "answer": 0.93}'
_FILE_HINT = "name a file of answers: JSON lines, CSV or Parquet"


def to_line(answer: Answer) -> bytes:
    """Return an answer as a line of JSON."""
    record: dict[str, Any] = {"id": answer.id}
    if answer.error:
        record["error"] = answer.error
    else:
        record["answer"] = answer.value
    # ASCII, because an identifier or an error may hold a lone surrogate.
    return json.dumps(record, allow_nan=False).encode() + b"\n"


def parse_line(line: bytes) -> Answer:
    """Return the answer of a line of JSON; raise a ValueError that says what is wrong."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    return parse_record(record)


def parse_record(record: Json) -> Answer:
    """Return the answer of a decoded line, an object with ``id`` and ``answer`` or ``error``.

    Raise a ValueError that says what is wrong.
    """
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise ValueError('expected an object with an "id" that is a string')
    # A program that always writes both fields leaves the error empty.
    if record.get("error") or "answer" not in record:
        if "error" not in record:
            raise ValueError('expected "answer" or "error" beside "id"')
        return Answer(record["id"], error=str(record["error"] or "unknown error"))
    try:
        is_finite = _is_finite(record["answer"])
    except RecursionError as error:
        raise ValueError(f"not JSON ({error})") from error
    if not is_finite:
        # Python reads and writes NaN, which is not JSON; other answers of the file are fine.
        return Answer(record["id"], error="expected finite numbers")
    return Answer(record["id"], record["answer"])


def _is_finite(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


class AnswerLog:
    """The append-only log of one cell; ``recorded`` has its answers by the instances' ids."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recorded: dict[str, Answer] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._recover_answers()

    def _recover_answers(self) -> None:
        """Read the recorded answers; truncate an unfinished last line that a kill left behind."""
        content = self.path.read_bytes()
        complete_size = content.rfind(b"\n") + 1
        if complete_size < len(content):
            os.ftruncate(self._descriptor, complete_size)
        for line in content[:complete_size].splitlines():
            try:
                answer = parse_line(line)
            except ValueError:
                continue  # the model answers the instance of a damaged line again
            self.recorded[answer.id] = answer

    def append_answers(self, answers: Iterable[Answer]) -> None:
        """Append answers to the log; a later answer to an instance replaces an earlier one."""
        answers = list(answers)
        data = b"".join(map(to_line, answers))
        while data:
            data = data[os.write(self._descriptor, data) :]
        self.recorded.update((answer.id, answer) for answer in answers)

    def close(self) -> None:
        os.fsync(self._descriptor)
        os.close(self._descriptor)


def canonical_bytes(instances: Sequence[Instance], answers: Mapping[str, Answer]) -> bytes:
    """Return the answers as JSON lines in the order of the instances, whatever the log's order."""
    return b"".join(to_line(answers[i.id]) for i in instances if i.id in answers)


def read_answers(path: Path, capability: Capability = Capability.SIMILARITY) -> dict[str, Answer]:
    """Return the answers of a file, by instance id.

    The suffix decides the format: ``.csv``, ``.parquet``, otherwise JSON lines. ``capability`` is
    that of the task; it decides whether the cells of a CSV file are text or JSON.
    """
    readers = {".csv": _read_csv, ".parquet": _read_parquet}
    read = readers.get(path.suffix.lower(), _read_lines)
    answers: dict[str, Answer] = {}
    first_seen: dict[str, int] = {}
    try:
        for number, answer in read(path, capability):
            if answer.id in answers:
                raise CodeacumenError(
                    f"{path}:{number}: {answer.id!r} was answered already on line "
                    f"{first_seen[answer.id]}",
                    "give one answer for each instance",
                )
            answers[answer.id] = answer
            first_seen[answer.id] = number
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror or error}", _FILE_HINT) from error
    return answers


def _read_lines(path: Path, capability: Capability) -> Iterator[tuple[int, Answer]]:
    """Yield the answers of a file of JSON lines with their line numbers."""
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                yield number, parse_line(line)
            except ValueError as error:
                raise CodeacumenError(f"{path}:{number}: {error}", _HINT) from error


def _read_csv(path: Path, capability: Capability) -> Iterator[tuple[int, Answer]]:
    """Yield the answers of a CSV file with a header, each with the number of its last line."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""))
        columns = set(reader.fieldnames or ())
        if "id" not in columns or not columns & {"answer", "error"}:
            raise CodeacumenError(
                f"{path}: expected the columns id and answer, found {', '.join(sorted(columns))}",
                "write a header: id,answer",
            )
        for row in reader:
            record: dict[str, Json] = {"id": row["id"], "answer": None}
            if row.get("error"):
                record["error"] = row["error"]
            elif row.get("answer"):
                record["answer"] = _parse_cell(row["answer"], capability)
            yield reader.line_num, _parse_row(path, reader.line_num, record)
    except (UnicodeDecodeError, csv.Error) as error:
        raise CodeacumenError(f"{path}: not CSV in UTF-8 ({error})", _HINT) from error


def _parse_cell(cell: str, capability: Capability) -> Json:
    if capability in _TEXT:
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell  # the check of the answer reports that it is not a number


def _read_parquet(path: Path, capability: Capability) -> Iterator[tuple[int, Answer]]:
    """Yield the answers of a Parquet file with the numbers of their rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise CodeacumenError(f"{path}: no such file", _FILE_HINT)
    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise CodeacumenError(f"{path}: not Parquet ({error})", _HINT) from error
    names = [name for name in ("id", "answer", "error") if name in table.column_names]
    for number, row in enumerate(table.select(names).to_pylist(), start=1):
        yield number, _parse_row(path, number, row)


def _parse_row(path: Path, number: int, record: Json) -> Answer:
    try:
        return parse_record(record)
    except ValueError as error:
        raise CodeacumenError(f"{path}:{number}: {error}", _HINT) from error


# Exported instances: for each, its values by column name. A row may lack columns of other tasks.
Rows = list[dict[str, Json]]


def export_instances(
    tasks: Sequence[Task],
    out: Path,
    *,
    with_truth: bool = False,
    progress: Progress = ignore_progress,
) -> int:
    """Write the instances of tasks into a file, chosen by its suffix; return their number.

    A row has the task, the instance's id, the parts of its input and, on request, the truth. ``-``
    prints JSON lines. The rows of a task are in the order of the hashes of their ids, because the
    order of a task's instances may show their truths: true and false pairs may alternate.
    """
    from codeacumen.runs.plan import PlannedTask, question_to_json

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
        for instance in sorted(PlannedTask(task).instances, key=_hash_id):
            row = {"task": task.card.name, "id": instance.id, **question_to_json(instance.input)}
            rows.append({**row, "truth": instance.truth} if with_truth else row)
    data = write(rows)
    if is_printed:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        write_atomically(out, data)
    return len(rows)


def _hash_id(instance: Instance) -> bytes:
    return hashlib.sha256(instance.id.encode("utf-8", "surrogatepass")).digest()


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
    columns = _list_columns(rows)
    lines = [columns, *([_to_cell(row.get(column)) or "" for column in columns] for row in rows)]
    text = "".join(",".join(map(_quote_cell, line)) + "\n" for line in lines)
    return text.encode("utf-8", errors="backslashreplace")


def _quote_cell(cell: str) -> str:
    """Return a cell of a CSV file. Python's writer does not quote a bare carriage return."""
    is_plain = not any(character in cell for character in ',"\r\n')
    return cell if is_plain else '"' + cell.replace('"', '""') + '"'


def _replace_surrogates(value: Json) -> Json:
    """Return the value with lone surrogates escaped, which Parquet cannot store."""
    if isinstance(value, str):
        return value.encode("utf-8", errors="backslashreplace").decode()
    if isinstance(value, list | tuple):
        return [_replace_surrogates(element) for element in value]
    return value


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
        columns[name] = pa.array(_replace_surrogates(values), kind)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]
