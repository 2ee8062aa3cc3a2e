"""Running a program of this machine that brings sources."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from acumen.api import AcumenError

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
        raise AcumenError(
            f"{what}: there is no {command[0]} on this machine",
            f"install {command[0]}, or get the sources on another machine and give their folder",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise AcumenError(f"{what}: {command[0]} did not end in {SECONDS} s") from error
