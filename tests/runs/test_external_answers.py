"""Tests of answers from other programs: any file results in a score or in a message that says how
to correct it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeacumen import metrics
from codeacumen.api import Capability, CodeacumenError, Instance, Pair, Scores, TaskCard
from codeacumen.interface.evaluation import score
from codeacumen.runs.results import read_run
from support import Codeacumen


class TenPairs:
    """A task of ten pairs, rated 0 to 9."""

    card = TaskCard("ten", "Ten pairs", "1", Capability.SIMILARITY, "spearman")
    metric = metrics.spearman

    def instances(self) -> Sequence[Instance]:
        return [Instance(f"p{i}", Pair(f"a{i}", f"b{i}"), i) for i in range(10)]


GOOD = [f'{{"id": "p{i}", "answer": {i / 10}}}' for i in range(10)]


def score_text(tmp_path: Path, content: str | bytes) -> tuple[Scores, list[str]]:
    """Return the one cell of a file with this content, and the notes."""
    file = tmp_path / "mine.jsonl"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    results = score(file, TenPairs(), resamples=100)
    return results.run.cells[0], list(results.notes)


def get_error(tmp_path: Path, content: str | bytes) -> CodeacumenError:
    with pytest.raises(CodeacumenError) as caught:
        score_text(tmp_path, content)
    return caught.value


def test_model_has_the_name_of_the_file(tmp_path: Path) -> None:
    cell, remarks = score_text(tmp_path, "\n".join(GOOD))
    assert cell.model == "mine"
    assert cell.scores[0].value == pytest.approx(1.0)
    assert cell.counts.answered == 10
    assert remarks == []


@pytest.mark.parametrize(
    "content",
    [
        "\r\n".join(GOOD) + "\r\n",
        "\ufeff" + "\n".join(GOOD) + "\n",
        "\n\n  \n" + "\n\n".join(GOOD) + "\n\n\n",
        "\n".join(reversed(GOOD)),
        "\n".join(line.replace("}", ', "seconds": 0.1, "model": "x"}') for line in GOOD),
        "\n".join(line.replace("}", ', "error": null}') for line in GOOD),
    ],
    ids=["windows", "byte order mark", "empty lines", "any order", "more fields", "empty error"],
)
def test_variants_of_json_lines_are_accepted(tmp_path: Path, content: str) -> None:
    cell, remarks = score_text(tmp_path, content)
    assert cell.counts.answered == 10
    assert cell.scores[0].value == pytest.approx(1.0)
    assert remarks == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "p3", "answer": 0.3', "not JSON"),
        ("p3,0.3", "not JSON"),
        ("[0.3]", "expected an object"),
        ('{"id": 3, "answer": 0.3}', '"id" that is a string'),
        ('{"answer": 0.3}', '"id" that is a string'),
        ('{"id": "p3", "score": 0.3}', '"answer" or "error"'),
        ("\0\1\2", "not JSON"),
    ],
)
def test_malformed_line_is_reported_with_file_and_line(
    tmp_path: Path, line: str, message: str
) -> None:
    content = "\n".join([*GOOD[:3], "", line, *GOOD[4:]])
    error = get_error(tmp_path, content)
    assert str(error).startswith(f"{tmp_path / 'mine.jsonl'}:5: ")
    assert message in str(error)
    assert '{"id": "len~length", "answer": 0.93}' in error.hint


def test_repeated_answer_is_reported_with_both_lines(tmp_path: Path) -> None:
    error = get_error(tmp_path, "\n".join([*GOOD, '{"id": "p3", "answer": 9}']))
    assert f"{tmp_path / 'mine.jsonl'}:11: 'p3' was answered already on line 4" in str(error)


def test_unknown_and_missing_instances_are_noted_and_not_scored(tmp_path: Path) -> None:
    stranger = '{"id": "q\\ud800", "answer": 100}'
    cell, remarks = score_text(tmp_path, "\n".join([stranger, *GOOD[:8]]))
    assert cell.counts.unanswered == 2
    assert cell.scores[0].n == 8
    assert cell.scores[0].value == pytest.approx(1.0)
    first, second = remarks
    assert "1 answers belong to no instance of ten" in first
    assert r"'q\ud800'" in first
    assert "2 of 10 instances have no answer" in second


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file has no answers"),
        ("\n\n", "the file has no answers"),
        ('{"id": "other", "answer": 1}', "answers belongs to ten"),
    ],
)
def test_file_without_answers_to_the_task_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    error = get_error(tmp_path, content)
    assert message in str(error)
    assert "codeacumen tasks show ten" in error.hint


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"0.3"', "expected a number, found '0.3'"),
        ("true", "expected a number, found True"),
        ("[0.3]", "expected a number"),
        ("{}", "expected a number"),
        ("NaN", "finite"),
        ("-Infinity", "finite"),
        ("1e999", "finite"),
        ("9" * 400, "finite"),
        ("[NaN]", "finite"),
    ],
)
def test_answer_of_wrong_type_fails_its_instance(tmp_path: Path, value: str, message: str) -> None:
    """The other instances are scored, and the run can be stored."""
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join([*GOOD[:9], f'{{"id": "p9", "answer": {value}}}']))
    run = score(file, TenPairs(), tmp_path / "run", resamples=100).run
    (cell,) = run.cells
    assert (cell.counts.answered, cell.counts.failed) == (9, 1)
    assert cell.scores[0].n == 9
    assert cell.errors[0].startswith("p9: ")
    assert message in cell.errors[0]
    assert read_run(tmp_path / "run").cells == run.cells


def test_errors_and_missing_answers_are_counted_separately(tmp_path: Path) -> None:
    last = ['{"id": "p8", "answer": null}', '{"id": "p9", "error": "out of memory"}']
    cell, remarks = score_text(tmp_path, "\n".join([*GOOD[:8], *last]))
    assert (cell.counts.answered, cell.counts.unanswered, cell.counts.failed) == (8, 1, 1)
    assert cell.errors == ("p9: out of memory",)
    assert remarks == []


@given(st.binary(min_size=1))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_bytes_are_refused(tmp_path: Path, noise: bytes) -> None:
    """Hypothesis never generates an answer to ``p0``."""
    assert str(tmp_path / "mine.jsonl") in str(get_error(tmp_path, noise))


def test_other_encoding_is_reported(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-32"):
        error = get_error(tmp_path, "\n".join(GOOD).encode(encoding))
        assert "mine.jsonl:" in str(error)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.jsonl", tmp_path):
        with pytest.raises(CodeacumenError, match=str(path)):
            score(path, TenPairs())


def test_files_with_the_same_name_are_refused(tmp_path: Path) -> None:
    """Two models called ``answers`` could not be distinguished."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "answers.jsonl").write_text("\n".join(GOOD))
    files = [tmp_path / folder / "answers.jsonl" for folder in ("a", "b")]
    with pytest.raises(CodeacumenError, match="same name"):
        score(files, TenPairs())


@pytest.mark.parametrize("model", ["levenshtein", "random:seed=7"])
def test_scores_of_exported_answers_equal_those_of_the_run(
    codeacumen: Codeacumen, tmp_path: Path, model: str
) -> None:
    """``eval`` is the oracle of ``score``: the same answers and seed result in the same numbers."""
    task = "abbreviations/expand"
    evaluated = json.loads(
        codeacumen("eval", "-m", model, "-t", task, "-o", tmp_path / "run", "--json").stdout
    )
    (cell,) = evaluated["cells"]
    done = codeacumen(
        "score", tmp_path / "run" / cell["answers"], "-t", task, "-o", tmp_path / "again", "--json"
    )
    assert done.returncode == 0, done.stderr
    (scored,) = json.loads(done.stdout)["cells"]
    for field in ("scores", "counts", "data_sha256", "answers_sha256"):
        assert scored[field] == cell[field]
    assert cell["scores"][0]["low"] < cell["scores"][0]["value"] < cell["scores"][0]["high"]
    # The second run can be compared with the first.
    compared = codeacumen("compare", tmp_path / "run", tmp_path / "again", "--json")
    assert compared.returncode == 0, compared.stderr
    (test,) = json.loads(compared.stdout)[0]["tests"]
    assert test["difference"] == 0


def test_command_line_reports_errors_and_exit_codes(codeacumen: Codeacumen, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_bytes(b'{"id": "a", "answer": 1}\n\xff\xfe\n')
    done = codeacumen("score", file, "-t", "abbreviations/match")
    assert done.returncode == 2
    assert f"{file}:2: not JSON" in done.stderr
    assert "Traceback" not in done.stderr
    ids = json.loads(codeacumen("tasks", "show", "abbreviations/match", "--json").stdout)[
        "examples"
    ]
    lines = [{"id": ids[0]["id"], "answer": 1}, {"id": ids[1]["id"], "error": "no \ud800"}]
    file.write_text("\n".join(map(json.dumps, lines)))
    done = codeacumen("score", file, "-t", "abbreviations/match")
    assert done.returncode == 1
    assert "mine on abbreviations/match: 1 of 475 instances failed" in done.stderr
    assert "473 of 475 instances have no answer" in done.stderr
