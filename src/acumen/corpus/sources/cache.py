"""Folders that are made once and kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from acumen.api import AcumenError


def kept(place: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``place``, made by ``make`` if it is not there. It is made under another name and
    renamed, so under its own it is always whole; of several processes one makes it."""
    if place.is_dir():
        return place
    part = place.with_name(place.name + ".part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(place.with_name(place.name + ".lock")):
            if place.is_dir():
                return place
            if part.exists():
                shutil.rmtree(part)
            part.mkdir()
            make(part)
            part.rename(place)
    except OSError as error:
        raise AcumenError(f"{place} cannot be made: {error}", "is the disk full?") from error
    return place
