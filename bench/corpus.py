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

from jdk import GIB, WORKERS, Jdk, Result, Rows, run_alone, time_corpus_build


def write_every_second_file(archive: Path, target: Path) -> int:
    """Write a zip of every second Java file; return the size of its source in bytes."""
    byte_count = 0
    with zipfile.ZipFile(archive) as archive_zip, zipfile.ZipFile(target, "w") as half_zip:
        names = [name for name in sorted(archive_zip.namelist()) if name.endswith(".java")]
        for name in names[::2]:
            data = archive_zip.read(name)
            half_zip.writestr(name, data)
            byte_count += len(data)
    return byte_count


def measure_corpus(jdk: Jdk) -> Result:
    """Return time and memory of the build with their baselines, and remarks on throughput."""
    file_count, byte_count, build_seconds, summary = (
        jdk.file_count,
        jdk.byte_count,
        jdk.build_seconds,
        jdk.summary,
    )
    rebuild_seconds, _ = time_corpus_build(jdk.archive, jdk.corpus)
    half_size = write_every_second_file(jdk.archive, jdk.folder / "half.zip")
    half_seconds, _ = time_corpus_build(jdk.folder / "half.zip", jdk.folder / "half")
    cost = summary["processor_seconds"]
    total = sum(cost.values())
    methods = summary["counts"]["methods"]
    rows: Rows = [
        (f"corpus: whole JDK, {WORKERS} cores", build_seconds, jdk.parse_seconds,
         "bare parsing on one core; at most 8"),
        ("corpus: unchanged rebuild", rebuild_seconds, build_seconds,
         "the first build; at most 0.05"),
        ("corpus: twice the input", build_seconds, half_seconds * byte_count / half_size / 2,
         "half of it; at most 2.1"),
        ("memory: largest process of the build", summary["peak_bytes"] / 1024, 3 * GIB / 1024,
         "3 GiB; at most 1"),
    ]  # fmt: skip
    remarks = [
        f"{file_count:,} files, {byte_count / 1e6:.0f} MB, {methods:,} methods in "
        f"{build_seconds:.0f} s: "
        f"{file_count / build_seconds:,.0f} files/s, {byte_count / 1e6 / build_seconds:.1f} MB/s, "
        f"{methods / build_seconds:,.0f} methods/s",
        "wall: " + ", ".join(f"{name} {value:.1f} s" for name, value in summary["seconds"].items()),
        f"processor, {total:.0f} s: "
        + ", ".join(
            f"{name} {value / total:.0%}"
            for name, value in sorted(
                cost.items(), key=lambda stage_and_seconds: -stage_and_seconds[1]
            )
        ),
        "counts: " + ", ".join(f"{name} {count:,}" for name, count in summary["counts"].items()),
    ]
    return rows, remarks


if __name__ == "__main__":
    run_alone(measure_corpus)
