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

from jdk import WORKERS, Jdk, Rows, Told, alone

# Rules of counting, see docs/npath.md.
RULES = ("pmd6", "pmd7.14")


def run(place: Path | str, rules: str) -> tuple[float, list[int]]:
    """Return wall seconds of the command, and the NPath values that it prints."""
    command = [
        sys.executable,
        "-m",
        "codeacumen",
        "measure",
        "npath",
        str(place),
        "--rules",
        rules,
        "--workers",
        str(WORKERS),
        "--json",
    ]
    clock = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    spent = time.perf_counter() - clock
    return spent, [json.loads(line)["value"] for line in done.stdout.splitlines()]


def measure(jdk: Jdk) -> Told:
    # Compile the kernels first: that happens once for an installation.
    for rules in RULES:
        run(Path(__file__).resolve().parents[1] / "examples" / "library", rules)
    rows: Rows = []
    told = []
    for rules in RULES:
        spent, values = run(f"jdk={jdk.archive}", rules)
        what = f"measure: npath of the JDK, {rules}"
        rows.append((what, spent, jdk.parse, "bare parsing on one core"))
        rows.append((what, spent, jdk.wall, "the corpus build; at most 0.25"))
        most = Counter(values).most_common(1)[0]
        told.append(
            f"npath, {rules}: {len(values):,} methods, {sum(v > 100 for v in values):,} above 100, "
            f"largest {max(values):,}, {most[1]:,} of {most[0]}"
        )
    return rows, told


if __name__ == "__main__":
    alone(measure)
