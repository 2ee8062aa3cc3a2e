"""Fixtures: the checker with the model ``GetVoid``."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.projects import ACCOUNT, Check, GetVoid, write_files
from codeacumen.checker import check as checking
from codeacumen.checker.check import CheckRequest, Report, run_check
from codeacumen.checker.settings import CheckerSettings
from corpora import shared_engine


@pytest.fixture
def get_void(monkeypatch: pytest.MonkeyPatch) -> list[GetVoid]:
    """Make the checker use ``GetVoid``; return the list of assessors that it makes."""
    assessors: list[GetVoid] = []

    def make_get_void(background: str) -> GetVoid:
        assessors.append(GetVoid())
        return assessors[-1]

    monkeypatch.setattr(checking, "create_assessor", make_get_void)
    return assessors


@pytest.fixture
def run(home: Path, get_void: list[GetVoid]) -> Check:
    """Return a function that checks paths with ``GetVoid`` and settings given as keywords."""

    def check_paths(
        *paths: Path, since: str = "", staged: bool = False, workers: int = 1, **settings: object
    ) -> Report:
        request = CheckRequest(paths, CheckerSettings(**settings), since, staged)  # type: ignore[arg-type]
        return run_check(
            request, home, lambda: shared_engine(workers), lambda stage, done, total: None
        )

    return check_paths


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write_files(folder, {"src/bank/Account.java": ACCOUNT})
    return folder
