"""What a result depends on besides its data: versions, machine, commit, time, memory."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import acumen
from acumen.api import Json
from acumen.machine import peak_memory_bytes


def package_versions() -> dict[str, str]:
    """Versions of what acumen's core depends on, as installed."""
    found: dict[str, str] = {}
    try:
        requirements = requires("acumen") or []
    except PackageNotFoundError:  # run from a source tree that was never installed
        requirements = ["numpy", "scipy", "scikit-learn", "rapidfuzz"]
    for requirement in requirements:
        if "extra ==" in requirement:
            continue
        name = requirement.split(";")[0].strip()
        for end in "<>=!~[ ":
            name = name.split(end)[0]
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return dict(sorted(found.items()))


def git_state() -> dict[str, Json] | None:
    """Commit of the checkout acumen runs from; None for an installed package."""
    root = Path(acumen.__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        commit = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "changed": bool(changed)}


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()


def provenance(started: datetime, seconds: float) -> dict[str, Json]:
    return {
        "acumen": acumen.__version__,
        "git": git_state(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "packages": package_versions(),
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "peak_memory_bytes": peak_memory_bytes(),
    }
