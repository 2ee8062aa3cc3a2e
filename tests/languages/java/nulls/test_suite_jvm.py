"""The programs of the null suite do in the JVM what they say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from null_programs import Ending, Program, named_by_jvm, programs, read, run_all, wrong

# Programs that say what is not so: the judge must refuse each for the reason given.
LIES = """
=== throws_unmarked: a dereference that is not marked
class T {
  static int length() {
    String word = null;
    return word.length();
  }
}
---
T.length()

=== never_throws: a mark that no input proves
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

=== not_passed: a mark of what is passed where it is dereferenced
class T {
  static int length(String word) {
    return word.length(); // null: word passed
  }
}
---
T.length(null)

=== passed: a mark of what is dereferenced where it is passed
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
def lies() -> tuple[Program, ...]:
    return tuple(read(LIES, "lies"))


@pytest.fixture(scope="module")
def endings(
    lies: tuple[Program, ...], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Ending]]:
    folder: Path = tmp_path_factory.mktemp("nulls")
    return run_all((*programs(), *lies), folder)


def test_the_jvm_agrees_with_every_program(endings: dict[str, list[Ending]]) -> None:
    found = [line for one in programs() for line in wrong(one, endings[one.package])]
    assert not found, "\n".join(found)


def test_the_jvm_names_the_token_of_almost_every_mark(endings: dict[str, list[Ending]]) -> None:
    """A loop over an array, a switch over texts and a lock keep null in a local of the compiler's,
    a method reference is checked by a method of the platform: there only the line is proved."""
    direct = [one for one in programs() if any(not mark.passed for mark in one.marks)]
    unnamed = [
        one.package
        for one in direct
        if not any(named_by_jvm(ending.message) for ending in endings[one.package])
    ]
    assert len(direct) > 100
    assert len(unnamed) <= 6, unnamed


def test_the_judge_refuses_what_is_not_so(
    endings: dict[str, list[Ending]], lies: tuple[Program, ...]
) -> None:
    found = {one.name: wrong(one, endings[one.package]) for one in lies}
    assert all("0 marks explain" in found[name][0] for name in found if name != "never_throws")
    assert found["never_throws"] == ["lies.never_throws: no input proves word on line 3"]
    for name in ("other_line", "other_token", "not_passed", "passed"):
        assert "no input proves" in found[name][1]
