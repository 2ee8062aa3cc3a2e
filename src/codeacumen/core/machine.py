"""What the machine tells about itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def processors() -> int:
    """How many of the machine's processors this process may use."""
    if sys.platform.startswith("linux"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_memory_bytes() -> int | None:
    """The most memory this process has held, where the platform tells."""
    try:
        # getrusage on Linux counts what the parent held before exec, too.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
