"""The folder of downloaded data, models, fetched sources and cached answers."""

from __future__ import annotations

import os
from pathlib import Path


def codeacumen_home() -> Path:
    """Return the folder in ``CODEACUMEN_HOME``, or the platform's folder for user data without it.

    The folder need not exist.
    """
    chosen = os.environ.get("CODEACUMEN_HOME")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("codeacumen", appauthor=False)
