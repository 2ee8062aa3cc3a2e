"""Tests of the export of a view: the same bytes from any engine, and nothing after a failure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.corpus.export import iterate_view_values, write_view
from codeacumen.engines import Engine, WorkerLost
from corpora import shared_engine


class ReversedEngine:
    """An engine without processes that finishes the last item first; the items at ``lost`` are
    lost."""

    def __init__(self, lost: Sequence[int] = ()) -> None:
        self.lost = lost

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for index in reversed(range(len(items))):
            yield index, WorkerLost("SIGKILL") if index in self.lost else work(items[index])


@pytest.mark.parametrize("engine", [ReversedEngine(), shared_engine(2)], ids=["reversed", "local"])
@pytest.mark.parametrize(
    ("view", "compat"), [("tokens", ""), ("code2vec", "code2vec"), ("calls", ""), ("text", "")]
)
def test_lines_are_in_the_order_of_the_store(
    examples_corpus: Corpus, engine: Engine, view: str, compat: str, tmp_path: Path
) -> None:
    assert len(examples_corpus.shards) > 3
    out, progress = tmp_path / "out.jsonl", list[int]()
    count = write_view(
        examples_corpus, view, out, engine, compat, lambda _, done, total: progress.append(done)
    )
    expected = list(iterate_view_values(examples_corpus, view, compat))
    assert [json.loads(line) for line in out.read_text().splitlines()] == expected
    assert count == len(expected) == progress[-1]


def test_lost_worker_is_reported_and_leaves_no_file(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    with pytest.raises(CodeacumenError, match="cannot be exported: SIGKILL") as caught:
        write_view(examples_corpus, "tokens", tmp_path / "out.jsonl", ReversedEngine(lost=[1]))
    assert "--workers 1" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
