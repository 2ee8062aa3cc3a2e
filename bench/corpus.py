"""The whole JDK source to all views and the call graph, against bare parsing of the same files.

    python bench/corpus.py             a table
    python bench/corpus.py --json

Part of ``make bench``. Needs the JDK's source (Debian: openjdk-17-source) and a few minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

WORKERS = 2
GIB = 1 << 30

Rows = list[tuple[str, float, float, str]]


def jdk_source() -> Path | None:
    return next(iter(sorted(Path("/usr/lib/jvm").glob("*17*/lib/src.zip"))), None)


def bare_parsing(archive: Path) -> tuple[float, int, int]:
    """Seconds on one core for nothing but the parse of every file; files; bytes."""
    from tree_sitter import Parser

    from acumen.lang.java import language

    parser = Parser(language())
    spent, count, size = 0.0, 0, 0
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(opened.namelist()):
            if name.endswith(".java"):
                source = opened.read(name)
                clock = time.perf_counter()
                parser.parse(source)
                spent += time.perf_counter() - clock
                count, size = count + 1, size + len(source)
    return spent, count, size


def every_second(archive: Path, into: Path) -> int:
    """A zip of every second file; gives its bytes of source."""
    size = 0
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(into, "w") as half:
        names = [name for name in sorted(whole.namelist()) if name.endswith(".java")]
        for name in names[::2]:
            data = whole.read(name)
            half.writestr(name, data)
            size += len(data)
    return size


def built(source: Path, out: Path) -> tuple[float, Any]:
    """Seconds of the wall for a build, as a person runs it, and its summary."""
    command = [
        sys.executable, "-m", "acumen", "corpus", "build", f"jdk={source}", "--out", str(out),
        "--workers", str(WORKERS), "--json",
    ]  # fmt: skip
    clock = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - clock, json.loads(done.stdout)


def warm_up(folder: Path) -> None:
    """Kernels are compiled once for an installation; that is not what is measured."""
    (folder / "warm").mkdir()
    (folder / "warm" / "A.java").write_text("class A { int f(int x) { return f(x + 1); } }")
    built(folder / "warm", folder / "warm-corpus")


def corpus() -> tuple[Rows, list[str]]:
    """Ratios, and what else there is to say."""
    archive = jdk_source()
    if archive is None:
        print("no JDK source here: no corpus measured", file=sys.stderr)
        return [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warm_up(folder)
        parse, files, size = bare_parsing(archive)
        wall, summary = built(archive, folder / "jdk")
        again, _ = built(archive, folder / "jdk")
        half_size = every_second(archive, folder / "half.zip")
        half, _ = built(folder / "half.zip", folder / "half")
    cost = summary["processor_seconds"]
    total = sum(cost.values())
    methods = summary["counts"]["methods"]
    rows: Rows = [
        (f"corpus: whole JDK, {WORKERS} cores", wall, parse, "bare parsing on one core; at most 8"),
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


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["ACUMEN_HOME"] = home
        rows, told = corpus()
    if "--json" in sys.argv:
        print(json.dumps({"rows": rows, "told": told}, indent=1))
        return
    for what, ours, baseline, against in rows:
        print(f"{what:<44}{ours:>12.2f}{baseline:>12.2f}{ours / baseline:>8.3f}  {against}")
    for line in told:
        print(line)


if __name__ == "__main__":
    main()
