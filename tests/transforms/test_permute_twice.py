"""Permute statements: changing places twice is no change, on real code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply, flatten
from codeacumen.transforms.location import Location, seeded
from codeacumen.transforms.permute import Permute
from corpora import EXAMPLES

AT_MOST = 120


def accepted(code: Code) -> list[Location]:
    return [
        one
        for method, _ in code.bodies
        for one in Permute().locations(code, method, 0)
        if not one.refused
    ]


def swapped(code: Code, location: Location) -> bytes:
    return apply(code.source, flatten(code.source, Permute().rewrites(code, [location])))


def check_twice(code: Code, location: Location) -> None:
    once = code_of(JavaFile(swapped(code, location)))
    assert not once.file.syntax.broken
    assert once.source[: location.start] == code.source[: location.start]
    assert once.source[location.end :] == code.source[location.end :]
    again = [
        one
        for one in Permute().locations(once, location.method, 0)
        if (one.start, one.end) == (location.start, location.end)
    ]
    assert [one.refused for one in again] == [""], location
    assert once.source != code.source
    assert swapped(once, again[0]) == code.source


def check_files(files: Iterable[Path]) -> int:
    places = [
        (code, one)
        for file in files
        for code in [code_of(JavaFile(file.read_bytes()))]
        for one in accepted(code)
    ]
    for code, one in seeded(3).sample(places, min(AT_MOST, len(places))):
        check_twice(code, one)
    return len(places)


def test_twice_is_the_original_on_the_examples() -> None:
    assert check_files(file for one in EXAMPLES for file in sorted(Path(one).rglob("*.java"))) > 50


def test_twice_is_the_original_on_java_util(java_util: list[Path]) -> None:
    assert check_files(seeded(4).sample(sorted(java_util), 40)) > 50
