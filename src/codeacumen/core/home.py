"""The folder where data, models and cached answers live."""

from __future__ import annotations

import os
from pathlib import Path


def codeacumen_home() -> Path:
    """Return ``CODEACUMEN_HOME``, or the platform's folder for user data where it is not set."""
    chosen = os.environ.get("CODEACUMEN_HOME")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("codeacumen", appauthor=False)
