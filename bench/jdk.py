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
Result = tuple[Rows, list[str]]


@dataclass(frozen=True, slots=True)
class Jdk:
    """Source archive of the JDK and a corpus built from it.

    ``build_seconds`` is the wall time of the build, ``parse_seconds`` the time to parse every file
    on one core, ``byte_count`` the size of the source.
    """

    archive: Path
    folder: Path
    corpus: Path
    build_seconds: float
    summary: Any
    parse_seconds: float
    file_count: int
    byte_count: int


def find_jdk_source() -> Path | None:
    """Return the JDK's source archive, or None: Debian's JDK may have a dangling link to it."""
    archives = sorted(Path("/usr/lib/jvm").glob("*17*/lib/src.zip"))
    return next((archive for archive in archives if archive.is_file()), None)


def time_bare_parsing(archive: Path) -> tuple[float, int, int]:
    """Return seconds of parsing every file on one core, number of files and bytes of source."""
    from tree_sitter import Parser

    from codeacumen.languages.java import load_grammar

    parser = Parser(load_grammar())
    seconds, file_count, byte_count = 0.0, 0, 0
    with zipfile.ZipFile(archive) as archive_zip:
        for name in sorted(archive_zip.namelist()):
            if name.endswith(".java"):
                source = archive_zip.read(name)
                start = time.perf_counter()
                parser.parse(source)
                seconds += time.perf_counter() - start
                file_count, byte_count = file_count + 1, byte_count + len(source)
    return seconds, file_count, byte_count


def time_corpus_build(source: Path, out: Path) -> tuple[float, Any]:
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
    start = time.perf_counter()
    completed = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, json.loads(completed.stdout)


def warm_up(folder: Path) -> None:
    """Build a tiny corpus, so that kernels are compiled before the measurement begins."""
    (folder / "warm").mkdir()
    (folder / "warm" / "A.java").write_text("class A { int f(int x) { return f(x + 1); } }")
    time_corpus_build(folder / "warm", folder / "warm-corpus")


@contextmanager
def prepare_jdk() -> Iterator[Jdk | None]:
    """Yield the JDK with a corpus in a temporary folder, or None without the JDK's source."""
    archive = find_jdk_source()
    if archive is None:
        print("no JDK source here (Debian: openjdk-17-source)", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        os.environ["CODEACUMEN_HOME"] = str(folder / "home")
        warm_up(folder)
        parse_seconds, file_count, byte_count = time_bare_parsing(archive)
        build_seconds, summary = time_corpus_build(archive, folder / "jdk")
        yield Jdk(
            archive,
            folder,
            folder / "jdk",
            build_seconds,
            summary,
            parse_seconds,
            file_count,
            byte_count,
        )


def print_results(rows: Rows, remarks: list[str]) -> None:
    """Print rows and remarks as a table, or as JSON with ``--json``."""
    if "--json" in sys.argv:
        fields = ("what", "ours", "baseline", "against")
        records = [dict(zip(fields, row, strict=True)) for row in rows]
        print(json.dumps({"rows": records, "remarks": remarks}, indent=1))
        return
    print(f"{'what':<48}{'ours':>13}{'baseline':>13}{'ratio':>8}  against")
    for label, ours, baseline, against in rows:
        unit = "KiB" if label.startswith("memory") else "s"
        number_format = ".0f" if unit == "KiB" else ".4f"
        print(
            f"{label:<48}{ours:>9{number_format}} {unit:<3}{baseline:>9{number_format}} {unit:<3}"
            f"{ours / baseline:>7.2f}  {against}"
        )
    for remark in remarks:
        print(remark)


def run_alone(measure: Callable[[Jdk], Result]) -> None:
    """Run one benchmark alone and print its result."""
    with prepare_jdk() as prepared_jdk:
        if prepared_jdk is not None:
            print_results(*measure(prepared_jdk))
