"""The log survives whatever a kill, a full disk or an editor does to it."""

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

# What a model may say: any text, also a lone surrogate and a line end, numbers, vectors, nothing.
# (A high surrogate before a low one is left out: to JSON the two are one character.)
CHARACTER = st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udfff\n\r\0")
TEXT = st.text(CHARACTER, max_size=20)
NUMBER = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
SAID = st.builds(Answer, TEXT, st.none() | TEXT | NUMBER | st.lists(NUMBER, max_size=3))
FAILED = st.builds(Answer, TEXT, error=st.text(CHARACTER, min_size=1, max_size=20))
ANSWER = SAID | FAILED
# Every example writes a file and waits for the disk: fewer of them, and no deadline.
quick = settings(max_examples=60, deadline=None)
DISTINCT = st.lists(ANSWER, max_size=6, unique_by=lambda answer: answer.id)


def log_of(content: bytes, folder: str) -> AnswerLog:
    path = Path(folder) / "answers.jsonl"
    path.write_bytes(content)
    return AnswerLog(path)


@given(ANSWER)
def test_an_answer_is_one_line_of_ascii_and_reads_back_as_it_was(answer: Answer) -> None:
    line = to_line(answer)
    assert line.isascii()
    assert line.endswith(b"\n")
    assert len(line.splitlines()) == 1
    assert parse_line(line) == answer


def check_cut(answers: list[Answer], cut: int) -> None:
    """The oracle: an answer is whole exactly if its line end is among the bytes kept."""
    content = b"".join(map(to_line, answers))
    with TemporaryDirectory() as folder:
        log = log_of(content[:cut], folder)
        whole = content[:cut].count(b"\n")
        assert log.recorded == {answer.id: answer for answer in answers[:whole]}
        # The half line is gone from the disk too: what comes next starts a line.
        log.append(answers[whole:])
        log.close()
        assert log.path.read_bytes() == content


def test_a_log_cut_at_every_byte_keeps_every_whole_line() -> None:
    answers = [Answer("len~length", 0.93), Answer("i~j"), Answer("a", error="no\nmemory")]
    for cut in range(sum(len(to_line(answer)) for answer in answers) + 1):
        check_cut(answers, cut)


@given(DISTINCT, st.data())
@quick
def test_any_log_cut_anywhere_keeps_every_whole_line(
    answers: list[Answer], data: st.DataObject
) -> None:
    size = sum(len(to_line(answer)) for answer in answers)
    check_cut(answers, data.draw(st.integers(0, size)))


@given(DISTINCT, st.binary(max_size=40), st.data())
@quick
def test_bytes_from_anywhere_in_a_log_cost_no_other_line(
    answers: list[Answer], garbage: bytes, data: st.DataObject
) -> None:
    """Foreign bytes between two lines, or at the end, with or without line ends."""
    lines = [to_line(answer) for answer in answers]
    place = data.draw(st.integers(0, len(lines)))
    content = b"".join([*lines[:place], garbage + b"\n", *lines[place:], garbage])
    with TemporaryDirectory() as folder:
        log = log_of(content, folder)
        for answer in answers:
            assert log.recorded[answer.id] == answer
        log.append([Answer("another", 1.0)])
        log.close()
        again = AnswerLog(log.path)
        again.close()
        assert again.recorded == log.recorded


@given(st.binary(max_size=200))
@quick
def test_a_log_of_nothing_but_noise_opens(noise: bytes) -> None:
    with TemporaryDirectory() as folder:
        log = log_of(noise, folder)
        log.append([Answer("a", 0.5)])
        log.close()
        assert log.path.read_bytes().endswith(to_line(Answer("a", 0.5)))
        assert log.recorded["a"] == Answer("a", 0.5)


def test_the_last_line_of_an_instance_counts(tmp_path: Path) -> None:
    """As after ``--retry-failed``: first an error, then an answer."""
    log = AnswerLog(tmp_path / "deep" / "down" / "answers.jsonl")
    log.append([Answer("a", error="out of memory"), Answer("b", 1.0)])
    log.append([Answer("a", 2.0)])
    log.close()
    again = AnswerLog(log.path)
    again.close()
    assert again.recorded == {"a": Answer("a", 2.0), "b": Answer("b", 1.0)}


def test_answers_are_handed_over_in_the_order_of_the_instances() -> None:
    instances = [Instance(id_, Prompt(id_), id_) for id_ in "abc"]
    answers = {"c": Answer("c", 3.0), "stranger": Answer("stranger", 0.0), "a": Answer("a", 1.0)}
    assert canonical_bytes(instances, answers) == (
        b'{"id": "a", "answer": 1.0}\n{"id": "c", "answer": 3.0}\n'
    )


def test_a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
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
def test_a_line_that_is_no_answer_says_what_is_wrong(line: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        parse_line(line)


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "[0.5, NaN]", "9" * 400]
)
def test_a_number_that_is_not_finite_is_a_failure_of_its_instance(value: str) -> None:
    """Python writes such lines when asked to; they are not JSON and cannot be ranked."""
    answer = parse_line(b'{"id": "a", "answer": %s}' % value.encode())
    assert answer.value is None
    assert "finite" in answer.error
    assert parse_line(to_line(answer)) == answer


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_empty_error_beside_an_answer_is_no_error(nothing: Any) -> None:
    """What a program writes that always writes both fields."""
    line = json.dumps({"id": "a", "answer": 0.5, "error": nothing}).encode()
    assert parse_line(line) == Answer("a", 0.5)


@pytest.mark.parametrize("error", [None, ""])
def test_an_empty_error_without_an_answer_is_one(error: Any) -> None:
    assert parse_line(json.dumps({"id": "a", "error": error}).encode()).error == "unknown error"
