"""Shared parts of the benchmarks: the JDK's source, a corpus built from it once, and the output.

A benchmark is a function of that corpus; it returns rows (what, ours, baseline, against) and
remarks. Run alone, as ``python bench/NAME.py [--json]``, it builds the corpus first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORKERS = 2
GIB = 1 << 30

Rows = list[tuple[str, float, float, str]]
Told = tuple[Rows, list[str]]


@dataclass(frozen=True, slots=True)
class Jdk:
    """Source archive of the JDK and a corpus built from it.

    ``build_seconds`` is the wall time of the build, ``parse_seconds`` the time to parse every file
    on one core, ``byte_count`` the size of the source.
    """

    archive: Path
    folder: Path
    corpus: Path
    wall: float
    summary: Any
    parse: float
    files: int
    size: int


def jdk_source() -> Path | None:
    """Return the JDK's source archive, or None: Debian's JDK may have a dangling link to it."""
    archives = sorted(Path("/usr/lib/jvm").glob("*17*/lib/src.zip"))
    return next((one for one in archives if one.is_file()), None)


def bare_parsing(archive: Path) -> tuple[float, int, int]:
    """Return seconds of parsing every file on one core, number of files and bytes of source."""
    from tree_sitter import Parser

    from codeacumen.languages.java import load_grammar

    parser = Parser(load_grammar())
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


def built(source: Path, out: Path) -> tuple[float, Any]:
    """Return wall seconds of ``codeacumen corpus build`` as a command, and its JSON summary."""
    command = [
        sys.executable,
        "-m",
        "codeacumen",
        "corpus",
        "build",
        f"jdk={source}",
        "--out",
        str(out),
        "--workers",
        str(WORKERS),
        "--json",
    ]
    clock = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - clock, json.loads(done.stdout)


def warm_up(folder: Path) -> None:
    """Build a tiny corpus, so that kernels are compiled before the measurement begins."""
    (folder / "warm").mkdir()
    (folder / "warm" / "A.java").write_text("class A { int f(int x) { return f(x + 1); } }")
    built(folder / "warm", folder / "warm-corpus")


@contextmanager
def jdk() -> Iterator[Jdk | None]:
    """Yield the JDK with a corpus in a temporary folder, or None without the JDK's source."""
    archive = jdk_source()
    if archive is None:
        print("no JDK source here (Debian: openjdk-17-source)", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["CODEACUMEN_HOME"] = str(folder / "home")
        warm_up(folder)
        parse, files, size = bare_parsing(archive)
        wall, summary = built(archive, folder / "jdk")
        yield Jdk(archive, folder, folder / "jdk", wall, summary, parse, files, size)


def show(rows: Rows, told: list[str]) -> None:
    """Print rows and remarks as a table, or as JSON with ``--json``."""
    if "--json" in sys.argv:
        fields = ("what", "ours", "baseline", "against")
        made = [dict(zip(fields, row, strict=True)) for row in rows]
        print(json.dumps({"rows": made, "remarks": told}, indent=1))
        return
    print(f"{'what':<48}{'ours':>13}{'baseline':>13}{'ratio':>8}  against")
    for what, ours, baseline, against in rows:
        unit = "KiB" if what.startswith("memory") else "s"
        form = ".0f" if unit == "KiB" else ".4f"
        print(
            f"{what:<48}{ours:>9{form}} {unit:<3}{baseline:>9{form}} {unit:<3}"
            f"{ours / baseline:>7.2f}  {against}"
        )
    for line in told:
        print(line)


def alone(part: Callable[[Jdk], Told]) -> None:
    """Run one benchmark alone and print its result."""
    with jdk() as found:
        if found is not None:
            show(*part(found))
