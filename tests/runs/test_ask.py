"""Tests of calling models: concurrent calls, and exceptions in place of answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

import codeacumen
from codeacumen.api import CodeacumenError, Pair, Question


class ConcurrentModel:
    """Answers only while ``concurrency`` calls wait at the same time."""

    batch_size = 5

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self.barrier = threading.Barrier(concurrency, timeout=20)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        self.barrier.wait()
        return [float(len(pair.left)) for pair in pairs]


def test_calls_are_concurrent_and_each_instance_is_asked_once(home: Path) -> None:
    # 475 instances in batches of 5 are 95 batches: 19 rounds of 5 calls.
    results = codeacumen.evaluate(ConcurrentModel(5), "abbreviations/match", progress=False)
    counts = results.run.cells[0].counts
    assert (counts.answered, counts.failed, results.run.cells[0].computed) == (475, 0, 475)


def test_invalid_concurrency_is_refused(home: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "wrong_concurrency.py"
    plugin.write_text(
        "import codeacumen\n"
        "class Wrong:\n"
        "    concurrency = 0\n"
        "    def similarity(self, pairs):\n"
        "        return [0.0 for _ in pairs]\n"
        "@codeacumen.model('wrong-concurrency')\n"
        "def make(): return Wrong()\n"
    )
    from codeacumen.registry import load_plugin

    load_plugin(plugin)
    with pytest.raises(CodeacumenError, match="its concurrency is 0"):
        codeacumen.load_model("wrong-concurrency")


class SometimesFails:
    """Returns an exception instead of a vector for every identifier that begins with ``s``."""

    batch_size = 64

    def embed(self, items: Sequence[str]) -> list[list[float] | Exception]:
        return [
            ConnectionError("no route") if item.startswith("s") else [1.0, float(len(item))]
            for item in items
        ]


@pytest.mark.parametrize("task", ["abbreviations/match", "abbreviations/expand"])
def test_exception_instead_of_answer_fails_only_its_item(home: Path, task: str) -> None:
    """Check one adapter (cosine) and two (the most similar choice)."""
    instances = codeacumen.load_task(task).instances()
    expected = 0
    for instance in instances:
        question = instance.input
        words = (
            (question.text, *question.choices)
            if isinstance(question, Question)
            else (question.left, question.right)  # type: ignore[union-attr]
        )
        expected += any(word.startswith("s") for word in words)
    results = codeacumen.evaluate(SometimesFails(), task, progress=False)
    (cell,) = results.run.cells
    assert 0 < expected < len(instances)
    assert (cell.counts.failed, cell.counts.answered) == (expected, len(instances) - expected)
    assert "ConnectionError: no route" in cell.errors[0]


def test_limit_selects_the_first_instances(home: Path, tmp_path: Path) -> None:
    results = codeacumen.evaluate(
        ["levenshtein", "random"], "abbreviations", tmp_path / "run", limit=40, progress=False
    )
    assert {row["instances"] for row in results.to_rows()} == {40}
    titles = [card.title for card in results.run.tasks.values()]
    assert titles == [
        "Abbreviations: match (first 40 of 475)",
        "Abbreviations: expand (first 40 of 184)",
    ]
    # The report and a comparison use the same instances.
    (comparison,) = codeacumen.compare(tmp_path / "run", "abbreviations/match", progress=False)
    assert comparison.n == 40
    page = results.report().read_text()
    assert "first 40 of 475" in page
    assert "answered other data" not in page
    # A limit above the number of instances has no effect.
    (card,) = codeacumen.evaluate(
        "random", "abbreviations/expand", limit=1000, progress=False
    ).run.tasks.values()
    assert (card.limit, card.title) == (0, "Abbreviations: expand")
