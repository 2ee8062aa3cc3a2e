"""Fixtures for SeSaMe's files if they are in the shared folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import SHARED


@pytest.fixture(scope="session")
def sesame_source() -> Path:
    folder = SHARED / "sesame"
    if not (folder / "methods.jsonl").is_file():
        pytest.skip(f"SeSaMe's files are not in {folder}")
    return folder


@pytest.fixture
def sesame(home: Path, sesame_source: Path) -> Path:
    """Install SeSaMe in an otherwise empty CODEACUMEN_HOME and return its folder."""
    from codeacumen.datasets import dataset_folder, find_dataset
    from codeacumen.datasets.fetch import fetch_dataset

    fetch_dataset(find_dataset("sesame"), sesame_source)
    return dataset_folder(find_dataset("sesame"))
