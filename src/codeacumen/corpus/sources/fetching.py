"""Run programs of this machine that fetch sources, and keep what they fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from codeacumen.api import CodeacumenError

SECONDS = 1800


def run(command: Sequence[str], folder: Path, what: str) -> subprocess.CompletedProcess[str]:
    """What it answered, in English whatever the language of the machine."""
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except FileNotFoundError as error:
        raise CodeacumenError(
            f"{what}: there is no {command[0]} on this machine",
            f"install {command[0]}, or get the sources on another machine and give their folder",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise CodeacumenError(f"{what}: {command[0]} did not end in {SECONDS} s") from error


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
        raise CodeacumenError(f"{place} cannot be made: {error}", "is the disk full?") from error
    return place
