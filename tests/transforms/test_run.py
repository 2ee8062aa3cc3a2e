"""Tests of a corpus' variants if a transformation fails: the other variants are not affected."""

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
from codeacumen.transforms.certify import front_end
from codeacumen.transforms.certify.projects import CertificationTools
from codeacumen.transforms.code import Code
from codeacumen.transforms.edits import Edit, Rewrite
from codeacumen.transforms.location import Location
from codeacumen.transforms.run import TransformRequest, write_variants
from corpora import build_corpus_at

SOURCE = """class Stairs {
    int up(int steps) { return steps; }
    int down(int steps) { return -steps; }
    int fall(int steps) { int all = steps; return all; }
}
"""


class InlineEngine:
    """An engine that works in this process, where a test's transformations are registered."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        return ((place, work(item)) for place, item in enumerate(items))


class Trip:
    """A transformation that fails in method ``down`` when it searches locations, and in ``fall``
    when it changes them."""

    name = "trip"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        declared = code.file.declarations.methods[method]
        if declared.name == "down":
            raise LookupError("no handrail")
        reason = "it is safe" if declared.name == "up" else ""
        return [Location("trip:0", method, *code.span(declared.node), reason)]

    def make_rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        raise ZeroDivisionError


@pytest.fixture
def stairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    module = ModuleType("codeacumen.transforms.trip")
    module.Trip = Trip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(variants.KINDS, "trip", ("trip", "Trip", "XX", "it trips"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Stairs.java").write_text(SOURCE)
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "src")], workers=1, views=["text"])
    return Corpus.open(tmp_path / "corpus")


def read_outcomes(file: Path) -> list[tuple[str, str, str]]:
    """Return method, kind and outcome of each line."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return [
        (row["method"], row["kind"], row.get("refused") or " ".join(row["locations"]))
        for row in rows
    ]


def test_failing_transformation_does_not_affect_others(stairs: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    order = TransformRequest(("trip", "rename", "rename+trip"), level="parses", refused=True)
    summary = write_variants(stairs, order, InlineEngine(), out, CertificationTools())
    assert read_outcomes(out) == [
        ("up", "trip", "it is safe"),
        ("up", "rename", "rename:steps:0"),
        ("down", "rename", "rename:steps:0"),
        ("fall", "rename", "rename:steps:0"),
        ("fall", "rename", "rename:all:0"),
    ]
    assert summary.failed == {
        ("trip", "made", "LookupError: no handrail"): 1,
        ("trip", "made", "ZeroDivisionError: "): 1,
        ("rename+trip", "made", "LookupError: no handrail"): 1,
        ("rename+trip", "made", "ZeroDivisionError: "): 1,
    }
    assert summary.counts.variants == {("rename", "single"): 4}
    assert summary.counts.locations == {"trip": 2, "rename": 4, "rename+trip": 4}


def test_kind_without_locations_is_counted(stairs: Corpus, tmp_path: Path) -> None:
    summary = write_variants(
        stairs,
        TransformRequest(("switch", "loop")),
        InlineEngine(),
        tmp_path / "out.jsonl",
        CertificationTools(),
    )
    assert dict(summary.counts.locations) == {"switch": 0, "loop": 0}
    assert not summary.failed


def test_failing_check_is_recorded_in_the_certificate(
    stairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_for_all(before: Code, after: Code, edits: Sequence[Edit]) -> str:
        if all(b"all" not in before.file.source[edit.start : edit.end] for edit in edits):
            return ""
        raise RecursionError("too deep")

    monkeypatch.setattr(front_end, "explain_binding_change", raise_for_all)
    out = tmp_path / "out.jsonl"
    summary = write_variants(
        stairs,
        TransformRequest(("rename",), level="binds"),
        InlineEngine(),
        out,
        CertificationTools(),
    )
    assert summary.failed == {("rename", "binds", "RecursionError: too deep"): 1}
    certificates = [json.loads(line)["certificate"] for line in out.read_text().splitlines()]
    assert certificates[:3] == [{"level": "binds"}] * 3
    assert certificates[3] == {
        "level": "parses",
        "failed": "binds",
        "reason": "RecursionError: too deep",
    }
