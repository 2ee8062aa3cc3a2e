"""Number of processors and memory use of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    if sys.platform.startswith("linux"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_memory_bytes() -> int | None:
    """Return the peak memory of this process in bytes; None if the platform does not report it."""
    try:
        # On Linux, getrusage also counts memory that the parent process held before exec.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    # In bytes on macOS, in KiB elsewhere.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
