"""Tests of the registry leave it as they found it."""

from __future__ import annotations

import pytest

from codeacumen.registry import entries, names


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    names("model")
    names("task")
    copy = {kind: dict(known) for kind, known in entries.ENTRIES.items()}
    monkeypatch.setattr(entries, "ENTRIES", copy)
