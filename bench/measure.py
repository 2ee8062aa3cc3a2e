"""Benchmark ``codeacumen measure npath`` on every method of the JDK.

    python bench/measure.py             a table
    python bench/measure.py --json

Part of ``make bench``. The command reads, parses and measures the files of the source archive with
as many workers as the corpus build. The baselines are parsing the same files on one core, and the
corpus build of the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from jdk import WORKERS, Jdk, Result, Rows, run_alone

# Rules of counting, see docs/npath.md.
RULES = ("pmd6", "pmd7.14")


def run_npath(source: Path | str, rules: str) -> tuple[float, list[int]]:
    """Return wall seconds of the command, and the NPath values that it prints."""
    command = [
        sys.executable,
        "-m",
        "codeacumen",
        "measure",
        "npath",
        str(source),
        "--rules",
        rules,
        "--workers",
        str(WORKERS),
        "--json",
    ]
    start = time.perf_counter()
    completed = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return seconds, [json.loads(line)["value"] for line in completed.stdout.splitlines()]


def measure_npath(jdk: Jdk) -> Result:
    # Compile the kernels first: that happens once for an installation.
    for rules in RULES:
        run_npath(Path(__file__).resolve().parents[1] / "examples" / "library", rules)
    rows: Rows = []
    remarks = []
    for rules in RULES:
        seconds, values = run_npath(f"jdk={jdk.archive}", rules)
        label = f"measure: npath of the JDK, {rules}"
        rows.append((label, seconds, jdk.parse_seconds, "bare parsing on one core"))
        rows.append((label, seconds, jdk.build_seconds, "the corpus build; at most 0.25"))
        most_frequent = Counter(values).most_common(1)[0]
        remarks.append(
            f"npath, {rules}: {len(values):,} methods, "
            f"{sum(value > 100 for value in values):,} above 100, "
            f"largest {max(values):,}, {most_frequent[1]:,} of {most_frequent[0]}"
        )
    return rows, remarks


if __name__ == "__main__":
    run_alone(measure_npath)
