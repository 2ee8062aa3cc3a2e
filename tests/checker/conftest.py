"""The checker with a model that knows one thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.projects import ACCOUNT, Check, GetVoid, write
from codeacumen.checker import check as checking
from codeacumen.checker.check import CheckRequest, Report, check
from codeacumen.checker.settings import Settings
from corpora import shared_engine


@pytest.fixture
def get_void(monkeypatch: pytest.MonkeyPatch) -> list[GetVoid]:
    """The checker with that model; a list of those it made."""
    made: list[GetVoid] = []

    def make(background: str) -> GetVoid:
        made.append(GetVoid())
        return made[-1]

    monkeypatch.setattr(checking, "assessor", make)
    return made


@pytest.fixture
def run(home: Path, get_void: list[GetVoid]) -> Check:
    """Check paths with that model; settings as keywords."""

    def checked(
        *paths: Path, since: str = "", staged: bool = False, workers: int = 1, **settings: object
    ) -> Report:
        asked = CheckRequest(paths, Settings(**settings), since, staged)  # type: ignore[arg-type]
        return check(asked, home, lambda: shared_engine(workers), lambda what, done, total: None)

    return checked


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write(folder, {"src/bank/Account.java": ACCOUNT})
    return folder
