"""Fixtures of the registry's tests, which restore the registry."""

from __future__ import annotations

import pytest

from codeacumen.registry import entries, list_names


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove what a test registers."""
    list_names("model")
    list_names("task")
    copy = {kind: dict(registered) for kind, registered in entries.ENTRIES.items()}
    monkeypatch.setattr(entries, "ENTRIES", copy)
