"""A corpus's variants: what a transformation that fails leaves of the others."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codeacumen.corpus import Corpus
from codeacumen.transforms import variants
from codeacumen.transforms.certify import reading
from codeacumen.transforms.certify.projects import Means
from codeacumen.transforms.code import Code
from codeacumen.transforms.edits import Edit, Rewrite
from codeacumen.transforms.location import Location
from codeacumen.transforms.run import Order, deliver
from corpora import build_at

SOURCE = """class Stairs {
    int up(int steps) { return steps; }
    int down(int steps) { return -steps; }
    int fall(int steps) { int all = steps; return all; }
}
"""


class Here:
    """Does the work in this process, which knows the transformations of a test."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        return ((place, work(item)) for place, item in enumerate(items))


class Trip:
    """Falls over ``down`` when it looks for places, and over ``fall`` when it changes them."""

    name = "trip"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        declared = code.file.declarations.methods[method]
        if declared.name == "down":
            raise LookupError("no handrail")
        why = "it is safe" if declared.name == "up" else ""
        return [Location("trip:0", method, *code.span(declared.node), why)]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        raise ZeroDivisionError


@pytest.fixture
def stairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    module = ModuleType("codeacumen.transforms.trip")
    module.Trip = Trip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(variants.KINDS, "trip", ("trip", "Trip", "XX", "it trips"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Stairs.java").write_text(SOURCE)
    build_at(tmp_path / "corpus", [str(tmp_path / "src")], workers=1, views=["text"])
    return Corpus.open(tmp_path / "corpus")


def told(file: Path) -> list[tuple[str, str, str]]:
    """Of each line the method, the kind, and what became of it."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return [
        (row["method"], row["kind"], row.get("refused") or " ".join(row["locations"]))
        for row in rows
    ]


def test_a_transformation_that_fails_ends_nothing_else(stairs: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    order = Order(("trip", "rename", "rename+trip"), level="parses", refused=True)
    found = deliver(stairs, order, Here(), out, Means())
    assert told(out) == [
        ("up", "trip", "it is safe"),
        ("up", "rename", "rename:steps:0"),
        ("down", "rename", "rename:steps:0"),
        ("fall", "rename", "rename:steps:0"),
        ("fall", "rename", "rename:all:0"),
    ]
    assert found.failed == {
        ("trip", "made", "LookupError: no handrail"): 1,
        ("trip", "made", "ZeroDivisionError: "): 1,
        ("rename+trip", "made", "LookupError: no handrail"): 1,
        ("rename+trip", "made", "ZeroDivisionError: "): 1,
    }
    assert found.counts.made == {("rename", "single"): 4}
    assert found.counts.found == {"trip": 2, "rename": 4, "rename+trip": 4}


def test_a_kind_without_places_is_counted_too(stairs: Corpus, tmp_path: Path) -> None:
    found = deliver(stairs, Order(("switch", "loop")), Here(), tmp_path / "out.jsonl", Means())
    assert dict(found.counts.found) == {"switch": 0, "loop": 0}
    assert not found.failed


def test_a_check_that_fails_is_told_in_the_certificate(
    stairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def binds(before: Code, after: Code, edits: Sequence[Edit]) -> str:
        if all(b"all" not in before.file.source[one.start : one.end] for one in edits):
            return ""
        raise RecursionError("too deep")

    monkeypatch.setattr(reading, "binds", binds)
    out = tmp_path / "out.jsonl"
    found = deliver(stairs, Order(("rename",), level="binds"), Here(), out, Means())
    assert found.failed == {("rename", "binds", "RecursionError: too deep"): 1}
    certificates = [json.loads(line)["certificate"] for line in out.read_text().splitlines()]
    assert certificates[:3] == [{"level": "binds"}] * 3
    assert certificates[3] == {
        "level": "parses",
        "failed": "binds",
        "why": "RecursionError: too deep",
    }
