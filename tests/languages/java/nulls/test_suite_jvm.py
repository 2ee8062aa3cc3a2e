"""Check in the JVM that the programs of the null suite dereference null exactly at their marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from null_programs import (
    Ending,
    Program,
    find_contradictions,
    load_programs,
    parse_null_token,
    parse_programs,
    run_programs,
)

# Programs with wrong marks: the judge must reject each for the reason in its heading.
WRONG_PROGRAMS = """
=== throws_unmarked: a dereference that is not marked
class T {
  static int length() {
    String word = null;
    return word.length();
  }
}
---
T.length()

=== never_throws: a mark without an input that proves it
class T {
  static int length(String word) {
    return word.length(); // null: word
  }
}
---
T.length("a")

=== other_line: a mark on the wrong line
class T {
  static int length() {
    String word = null; // null: word
    return word.length();
  }
}
---
T.length()

=== other_token: a mark with the wrong token
class T {
  static int length(String word, String text) {
    return word.length() + text.length(); // null: word
  }
}
---
T.length("a", null)

=== not_passed: a mark "passed" at a dereference
class T {
  static int length(String word) {
    return word.length(); // null: word passed
  }
}
---
T.length(null)

=== passed: a mark without "passed" at a call
class T {
  static int length(String word) {
    return word.length();
  }
  static int ask(String word) {
    return length(word); // null: word
  }
}
---
T.ask(null)
"""


@pytest.fixture(scope="module")
def wrong_programs() -> tuple[Program, ...]:
    return tuple(parse_programs(WRONG_PROGRAMS, "wrong_marks"))


@pytest.fixture(scope="module")
def endings(
    wrong_programs: tuple[Program, ...], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Ending]]:
    folder: Path = tmp_path_factory.mktemp("nulls")
    return run_programs((*load_programs(), *wrong_programs), folder)


def test_the_jvm_agrees_with_every_program(endings: dict[str, list[Ending]]) -> None:
    problems = [
        line
        for program in load_programs()
        for line in find_contradictions(program, endings[program.package])
    ]
    assert not problems, "\n".join(problems)


def test_the_jvm_names_the_token_of_almost_every_mark(endings: dict[str, list[Ending]]) -> None:
    """For some dereferences the JVM proves only the line, not the token.

    A loop over an array, a switch over strings and a lock keep null in a variable of the compiler;
    a method reference is checked by a method of the platform.
    """
    dereferencing = [
        program for program in load_programs() if any(not mark.passed for mark in program.marks)
    ]
    unnamed_packages = [
        program.package
        for program in dereferencing
        if not any(parse_null_token(ending.message) for ending in endings[program.package])
    ]
    assert len(dereferencing) > 100
    assert len(unnamed_packages) <= 6, unnamed_packages


def test_the_judge_rejects_wrong_programs(
    endings: dict[str, list[Ending]], wrong_programs: tuple[Program, ...]
) -> None:
    problems = {
        program.name: find_contradictions(program, endings[program.package])
        for program in wrong_programs
    }
    assert all(
        "0 marks explain" in problems[name][0] for name in problems if name != "never_throws"
    )
    assert problems["never_throws"] == ["wrong_marks.never_throws: no input proves word on line 3"]
    for name in ("other_line", "other_token", "not_passed", "passed"):
        assert "no input proves" in problems[name][1]
