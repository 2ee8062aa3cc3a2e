"""Tests that swapping twice restores real code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply_edits, flatten_rewrites
from codeacumen.transforms.location import Location, seeded_random
from codeacumen.transforms.permute import Permute
from corpora import EXAMPLES

AT_MOST = 120


def find_accepted(code: Code) -> list[Location]:
    return [
        location
        for method, _ in code.methods_with_body
        for location in Permute().find_locations(code, method, 0)
        if not location.refused
    ]


def swap_statements(code: Code, location: Location) -> bytes:
    return apply_edits(
        code.source, flatten_rewrites(code.source, Permute().make_rewrites(code, [location]))
    )


def check_twice(code: Code, location: Location) -> None:
    once = code_of(JavaFile(swap_statements(code, location)))
    assert not once.file.syntax.broken
    assert once.source[: location.start] == code.source[: location.start]
    assert once.source[location.end :] == code.source[location.end :]
    again = [
        candidate
        for candidate in Permute().find_locations(once, location.method, 0)
        if (candidate.start, candidate.end) == (location.start, location.end)
    ]
    assert [candidate.refused for candidate in again] == [""], location
    assert once.source != code.source
    assert swap_statements(once, again[0]) == code.source


def check_files(files: Iterable[Path]) -> int:
    places = [
        (code, location)
        for file in files
        for code in [code_of(JavaFile(file.read_bytes()))]
        for location in find_accepted(code)
    ]
    for code, location in seeded_random(3).sample(places, min(AT_MOST, len(places))):
        check_twice(code, location)
    return len(places)


def test_swapping_twice_restores_examples() -> None:
    assert (
        check_files(file for folder in EXAMPLES for file in sorted(Path(folder).rglob("*.java")))
        > 50
    )


def test_swapping_twice_restores_java_util(java_util: list[Path]) -> None:
    assert check_files(seeded_random(4).sample(sorted(java_util), 40)) > 50
