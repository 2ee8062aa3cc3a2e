"""SeSaMe's files, where they are."""

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
    """SeSaMe in an otherwise empty CODEACUMEN_HOME; the folder of its files there."""
    from codeacumen.datasets import dataset, dataset_folder
    from codeacumen.datasets.fetch import get

    get(dataset("sesame"), sesame_source)
    return dataset_folder(dataset("sesame"))
