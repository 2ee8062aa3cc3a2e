"""What tests share besides fixtures: where things are, and what the command line is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Real data lies beside the repository; tests that need it skip with the reason where it is
# missing.
SHARED = Path(os.environ.get("ACUMEN_SHARED_DATA", ROOT.parent / "shared" / "data"))

# The ``acumen`` fixture: the command line in a process of its own.
Acumen = Callable[..., subprocess.CompletedProcess[str]]
