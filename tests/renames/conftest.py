"""One repository with all events, and what is mined from it."""

from __future__ import annotations

import json

import pytest

from codeacumen.renames.mining import Settings, mine
from renames.playing import Here, History, Mined, build


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return build(tmp_path_factory.mktemp("history") / "events.git")


@pytest.fixture(scope="session")
def mined(history: History, tmp_path_factory: pytest.TempPathFactory) -> Mined:
    out = tmp_path_factory.mktemp("mined")
    told = mine([history.folder], out, Settings(), Here(), lambda *_: None)
    lines = (out / "commits" / "events.jsonl").read_bytes().splitlines()[1:]
    log = {record["commit"]: record for record in map(json.loads, lines)}
    return Mined(out, told, log)
