"""Tests that the log of answers survives a kill, a full disk or an editor."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import Answer, Instance, Prompt
from codeacumen.core.files import write_atomically
from codeacumen.runs.answers import AnswerLog, canonical_bytes, parse_line, to_line

# Possible answers: any text, including a lone surrogate and line ends, numbers, vectors, nothing.
# (A high surrogate before a low one is excluded: in JSON both are one character.)
CHARACTER = st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udfff\n\r\0")
TEXT = st.text(CHARACTER, max_size=20)
NUMBER = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
SAID = st.builds(Answer, TEXT, st.none() | TEXT | NUMBER | st.lists(NUMBER, max_size=3))
FAILED = st.builds(Answer, TEXT, error=st.text(CHARACTER, min_size=1, max_size=20))
ANSWER = SAID | FAILED
# Every example writes a file and waits for the disk, so there are fewer, without a deadline.
quick = settings(max_examples=60, deadline=None)
DISTINCT = st.lists(ANSWER, max_size=6, unique_by=lambda answer: answer.id)


def make_log(content: bytes, folder: str) -> AnswerLog:
    path = Path(folder) / "answers.jsonl"
    path.write_bytes(content)
    return AnswerLog(path)


@given(ANSWER)
def test_answer_is_one_ascii_line_and_parses_to_the_same(answer: Answer) -> None:
    line = to_line(answer)
    assert line.isascii()
    assert line.endswith(b"\n")
    assert len(line.splitlines()) == 1
    assert parse_line(line) == answer


def check_cut(answers: list[Answer], cut: int) -> None:
    """The oracle: an answer is complete exactly if its line end is among the kept bytes."""
    content = b"".join(map(to_line, answers))
    with TemporaryDirectory() as folder:
        log = make_log(content[:cut], folder)
        complete_lines = content[:cut].count(b"\n")
        assert log.recorded == {answer.id: answer for answer in answers[:complete_lines]}
        # The partial line is removed from the disk too: the next answer starts a line.
        log.append_answers(answers[complete_lines:])
        log.close()
        assert log.path.read_bytes() == content


def test_log_cut_at_every_byte_keeps_complete_lines() -> None:
    answers = [Answer("len~length", 0.93), Answer("i~j"), Answer("a", error="no\nmemory")]
    for cut in range(sum(len(to_line(answer)) for answer in answers) + 1):
        check_cut(answers, cut)


@given(DISTINCT, st.data())
@quick
def test_any_log_cut_anywhere_keeps_complete_lines(
    answers: list[Answer], data: st.DataObject
) -> None:
    size = sum(len(to_line(answer)) for answer in answers)
    check_cut(answers, data.draw(st.integers(0, size)))


@given(DISTINCT, st.binary(max_size=40), st.data())
@quick
def test_invalid_bytes_do_not_affect_other_lines(
    answers: list[Answer], garbage: bytes, data: st.DataObject
) -> None:
    """The foreign bytes are between two lines or at the end, with or without line ends."""
    lines = [to_line(answer) for answer in answers]
    place = data.draw(st.integers(0, len(lines)))
    content = b"".join([*lines[:place], garbage + b"\n", *lines[place:], garbage])
    with TemporaryDirectory() as folder:
        log = make_log(content, folder)
        for answer in answers:
            assert log.recorded[answer.id] == answer
        log.append_answers([Answer("another", 1.0)])
        log.close()
        again = AnswerLog(log.path)
        again.close()
        assert again.recorded == log.recorded


@given(st.binary(max_size=200))
@quick
def test_log_of_random_bytes_can_be_opened(noise: bytes) -> None:
    with TemporaryDirectory() as folder:
        log = make_log(noise, folder)
        log.append_answers([Answer("a", 0.5)])
        log.close()
        assert log.path.read_bytes().endswith(to_line(Answer("a", 0.5)))
        assert log.recorded["a"] == Answer("a", 0.5)


def test_last_line_of_an_instance_counts(tmp_path: Path) -> None:
    """After ``--retry-failed`` an instance has an error and then an answer."""
    log = AnswerLog(tmp_path / "deep" / "down" / "answers.jsonl")
    log.append_answers([Answer("a", error="out of memory"), Answer("b", 1.0)])
    log.append_answers([Answer("a", 2.0)])
    log.close()
    again = AnswerLog(log.path)
    again.close()
    assert again.recorded == {"a": Answer("a", 2.0), "b": Answer("b", 1.0)}


def test_answers_are_written_in_order_of_instances() -> None:
    instances = [Instance(id_, Prompt(id_), id_) for id_ in "abc"]
    answers = {"c": Answer("c", 3.0), "stranger": Answer("stranger", 0.0), "a": Answer("a", 1.0)}
    assert canonical_bytes(instances, answers) == (
        b'{"id": "a", "answer": 1.0}\n{"id": "c", "answer": 3.0}\n'
    )


def test_atomic_write_replaces_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_atomically(path, b"first")
    write_atomically(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b'{"id": "a", "answer": ', "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'["a", 1]', "expected an object"),
        (b'{"answer": 1}', '"id"'),
        (b'{"id": 7, "answer": 1}', '"id" that is a string'),
        (b'{"id": "a"}', '"answer" or "error"'),
    ],
)
def test_invalid_line_is_reported_with_reason(line: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        parse_line(line)


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "[0.5, NaN]", "9" * 400]
)
def test_infinite_number_fails_its_instance(value: str) -> None:
    """Python can write such lines; they are not valid JSON and cannot be ranked."""
    answer = parse_line(b'{"id": "a", "answer": %s}' % value.encode())
    assert answer.value is None
    assert "finite" in answer.error
    assert parse_line(to_line(answer)) == answer


@pytest.mark.parametrize("nothing", [None, ""])
def test_empty_error_with_answer_is_no_error(nothing: Any) -> None:
    """Some programs always write both fields."""
    line = json.dumps({"id": "a", "answer": 0.5, "error": nothing}).encode()
    assert parse_line(line) == Answer("a", 0.5)


@pytest.mark.parametrize("error", [None, ""])
def test_empty_error_without_answer_is_unknown_error(error: Any) -> None:
    assert parse_line(json.dumps({"id": "a", "error": error}).encode()).error == "unknown error"
