"""Benchmark the corpus build: the JDK source to all views and the call graph.

The baseline is parsing the same files and nothing else.

    python bench/corpus.py             a table
    python bench/corpus.py --json

Part of ``make bench``. It needs the JDK's source (Debian: openjdk-17-source) and takes a few
minutes.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from jdk import GIB, WORKERS, Jdk, Rows, Told, alone, built


def every_second(archive: Path, into: Path) -> int:
    """Write a zip of every second Java file; return the size of its source in bytes."""
    size = 0
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(into, "w") as half:
        names = [name for name in sorted(whole.namelist()) if name.endswith(".java")]
        for name in names[::2]:
            data = whole.read(name)
            half.writestr(name, data)
            size += len(data)
    return size


def corpus(jdk: Jdk) -> Told:
    """Return time and memory of the build with their baselines, and remarks on throughput."""
    files, size, wall, summary = jdk.files, jdk.size, jdk.wall, jdk.summary
    again, _ = built(jdk.archive, jdk.corpus)
    half_size = every_second(jdk.archive, jdk.folder / "half.zip")
    half, _ = built(jdk.folder / "half.zip", jdk.folder / "half")
    cost = summary["processor_seconds"]
    total = sum(cost.values())
    methods = summary["counts"]["methods"]
    rows: Rows = [
        (f"corpus: whole JDK, {WORKERS} cores", wall, jdk.parse,
         "bare parsing on one core; at most 8"),
        ("corpus: unchanged rebuild", again, wall, "the first build; at most 0.05"),
        ("corpus: twice the input", wall, half * size / half_size / 2, "half of it; at most 2.1"),
        ("memory: largest process of the build", summary["peak_bytes"] / 1024, 3 * GIB / 1024,
         "3 GiB; at most 1"),
    ]  # fmt: skip
    told = [
        f"{files:,} files, {size / 1e6:.0f} MB, {methods:,} methods in {wall:.0f} s: "
        f"{files / wall:,.0f} files/s, {size / 1e6 / wall:.1f} MB/s, "
        f"{methods / wall:,.0f} methods/s",
        "wall: " + ", ".join(f"{name} {value:.1f} s" for name, value in summary["seconds"].items()),
        f"processor, {total:.0f} s: "
        + ", ".join(
            f"{name} {value / total:.0%}"
            for name, value in sorted(cost.items(), key=lambda one: -one[1])
        ),
        "counts: " + ", ".join(f"{name} {n:,}" for name, n in summary["counts"].items()),
    ]
    return rows, told


if __name__ == "__main__":
    alone(corpus)
