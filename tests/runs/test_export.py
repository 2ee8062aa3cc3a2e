"""Tests of instances exported to files, and of answers from other programs in each format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import codeacumen
from codeacumen.api import CodeacumenError, Instance, Pair
from codeacumen.runs.answers import export_instances
from toy_task import ToyTask

TASK = "abbreviations/expand"


def read_rows(file: Path) -> list[dict[str, object]]:
    """Return the rows of a file, with a reader that codeacumen does not use for it."""
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text().splitlines()]
    if file.suffix == ".csv":
        with file.open(newline="") as stream:
            return list(csv.DictReader(stream))
    return pq.read_table(file).to_pylist()


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_truths_are_written_only_on_request_and_score_one(
    home: Path, tmp_path: Path, suffix: str
) -> None:
    task = codeacumen.load_task(TASK)
    questions, answered = tmp_path / f"questions.{suffix}", tmp_path / f"answered.{suffix}"
    assert export_instances([task], questions) == 184
    assert export_instances([task], answered, with_truth=True) == 184
    rows, with_truth = read_rows(questions), read_rows(answered)
    instances = {instance.id: instance for instance in task.instances()}
    assert {row["id"] for row in rows} == instances.keys()
    assert "truth" not in rows[0]
    for row in rows:
        assert row["text"] == instances[str(row["id"])].input.text  # type: ignore[union-attr]
    assert {row["task"] for row in rows} == {TASK}
    # A program elsewhere answers with the truth, in the same format.
    answers = tmp_path / f"perfect.{suffix}"
    if suffix == "jsonl":
        lines = [json.dumps({"id": row["id"], "answer": row["truth"]}) for row in with_truth]
        answers.write_text("\n".join(lines))
    elif suffix == "csv":
        with answers.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["id", "answer"])
            writer.writerows([row["id"], row["truth"]] for row in with_truth)
    else:
        table = pq.read_table(answered)
        names = ["answer" if name == "truth" else name for name in table.column_names]
        pq.write_table(table.rename_columns(names), answers)
    results = codeacumen.score(answers, TASK)
    (row,) = [row for row in results.to_rows() if not row["slice"]]
    assert (row["model"], row["value"], row["answered"]) == ("perfect", 1.0, 184)


def test_numbers_keep_their_value_in_every_format(home: Path, tmp_path: Path) -> None:
    """The same answers score the same to the last digit in every file format."""
    task = "abbreviations/match"
    run = codeacumen.evaluate("levenshtein", task, tmp_path / "run", progress=False).run
    lines = (tmp_path / "run" / run.cells[0].answers).read_text().splitlines()
    records = [json.loads(line) for line in lines]
    (tmp_path / "a.csv").write_text(
        "id,answer\n" + "".join(f"{record['id']},{record['answer']!r}\n" for record in records)
    )
    import pyarrow as pa

    pq.write_table(pa.Table.from_pylist(records), tmp_path / "b.parquet")
    results = codeacumen.score([tmp_path / "a.csv", tmp_path / "b.parquet"], task)
    first, second = results.run.cells
    assert first.scores == second.scores == run.cells[0].scores


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_exported_ratings_of_idbench_score_one(idbench: Path, tmp_path: Path, suffix: str) -> None:
    """Exported ratings correlate with themselves."""
    task = codeacumen.load_task("idbench/similarity/small")
    exported = tmp_path / f"exported.{suffix}"
    assert export_instances([task], exported, with_truth=True) == 166
    ratings = {row["id"]: float(str(row["truth"])) for row in read_rows(exported)}
    assert ratings == {instance.id: instance.truth for instance in task.instances()}
    results = codeacumen.score({"ratings": ratings}, task)
    own = [row for row in results.to_rows() if row["evaluation_set"] == "own"]
    assert own[0]["value"] == pytest.approx(1.0)
    assert own[0]["answered"] == 166


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "identifier,answer\nx,1\n", "expected the columns id and answer"),
        ("a.csv", "id,answer\nlen~length,1\nlen~length,1\n", "was answered already"),
        ("a.csv", b"id,answer\n\xff\xfe,1\n", "not CSV in UTF-8"),
        ("a.parquet", b"PAR1 nothing", "not Parquet"),
    ],
)
def test_unreadable_answers_are_reported(
    home: Path, tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CodeacumenError, match=message):
        codeacumen.score(file, "abbreviations/match")


def test_unknown_format_is_refused(home: Path, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no such file format") as caught:
        export_instances([codeacumen.load_task(TASK)], tmp_path / "a.xlsx")
    assert ".parquet" in caught.value.hint


def test_export_without_truth_does_not_contain_it(home: Path, tmp_path: Path) -> None:
    """Neither the ids nor the order of the rows tell the truths."""
    expand = codeacumen.load_task(TASK)
    for instance in expand.instances():
        assert str(instance.truth) not in instance.id
    match = codeacumen.load_task("abbreviations/match")
    export_instances([match], tmp_path / "pairs.jsonl", with_truth=True)
    truths = [row["truth"] for row in read_rows(tmp_path / "pairs.jsonl")]
    assert truths[:2] * 20 != truths[:40]
    halves = [sum(int(str(truth)) for truth in truths[start::2]) for start in (0, 1)]
    assert abs(halves[0] - halves[1]) < 60  # 238 if true and false pairs alternate


def test_line_ends_and_lone_surrogates_are_exported(home: Path, tmp_path: Path) -> None:
    texts = ["a\rb", "a\nb", 'a,"b"', "lone \udc80 surrogate"]
    pairs = [
        Instance(f"p{position}", Pair(text, "x"), float(position))
        for position, text in enumerate(texts)
    ]
    for suffix in ("csv", "parquet", "jsonl"):
        export_instances([ToyTask(pairs)], tmp_path / f"out.{suffix}")
        rows = read_rows(tmp_path / f"out.{suffix}")
        exported = {row["id"]: str(row["left"]) for row in rows}
        assert [exported[f"p{position}"] for position in range(3)] == texts[:3]
        assert exported["p3"] in (texts[3], "lone \\udc80 surrogate")
