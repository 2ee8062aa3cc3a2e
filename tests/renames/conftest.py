"""Fixtures: a repository with all events, and the renames mined from it."""

from __future__ import annotations

import json

import pytest

from codeacumen.renames.mining import RenameMiningSettings, mine_repositories
from renames.play_events import History, InProcessEngine, Mined, build_history


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return build_history(tmp_path_factory.mktemp("history") / "events.git")


@pytest.fixture(scope="session")
def mined(history: History, tmp_path_factory: pytest.TempPathFactory) -> Mined:
    out = tmp_path_factory.mktemp("mined")
    summary = mine_repositories(
        [history.folder], out, RenameMiningSettings(), InProcessEngine(), lambda *_: None
    )
    lines = (out / "commits" / "events.jsonl").read_bytes().splitlines()[1:]
    log = {record["commit"]: record for record in map(json.loads, lines)}
    return Mined(out, summary, log)
