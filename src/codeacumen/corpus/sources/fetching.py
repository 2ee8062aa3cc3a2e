"""Run programs that fetch sources, and keep the fetched folders in the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from codeacumen.api import CodeacumenError

SECONDS = 1800


def run_command(
    command: Sequence[str], folder: Path, purpose: str
) -> subprocess.CompletedProcess[str]:
    """Run a command and return the finished process; its messages are in English.

    ``purpose`` begins the message of an error.
    """
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
            f"{purpose}: there is no {command[0]} on this machine",
            f"install {command[0]}, or copy the sources from another machine and name their folder",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise CodeacumenError(f"{purpose}: {command[0]} did not end in {SECONDS} s") from error


def get_or_make_folder(folder: Path, fill_folder: Callable[[Path], None]) -> Path:
    """Return the folder; if it does not exist, create it and call ``fill_folder``.

    It is filled under another name and then renamed, so that an existing folder is always complete.
    A lock lets only one of several processes fill it.
    """
    if folder.is_dir():
        return folder
    part = folder.with_name(folder.name + ".part")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if folder.is_dir():
                return folder
            if part.exists():
                shutil.rmtree(part)
            part.mkdir()
            fill_folder(part)
            part.rename(folder)
    except OSError as error:
        raise CodeacumenError(f"{folder} cannot be made: {error}", "is the disk full?") from error
    return folder
