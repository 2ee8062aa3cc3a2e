"""Benchmark the model ``codeacumen-names``: time to load, and pairs of identifiers a second.

    python bench/names.py             a table
    python bench/names.py --json

Part of ``make bench``. The identifiers are from the JDK's source, each in one pair only, so that no
cache helps. Times are processor times of a separate process; the baseline is the edit distance of
the same pairs. Loading includes every import, also those of numpy and numba.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from jdk import Result, Rows, find_jdk_source, print_results

PAIRS = 100_000
MOST_LOAD_SECONDS, LEAST_PAIRS_PER_SECOND = 1.0, 50_000

CODE = """
import json, sys, time
clock = time.process_time()
from codeacumen.api import Pair
from codeacumen.models.identifier_similarity.model import make_names
model = make_names()
model.similarity([Pair("firstName", "second_name")])
load = time.process_time() - clock
lines = sys.stdin.read().split("\\n")
pairs = [Pair(a, b) for a, b in zip(lines[::2], lines[1::2])]
clock = time.process_time()
for at in range(0, len(pairs), model.batch_size):
    model.similarity(pairs[at : at + model.batch_size])
ours = time.process_time() - clock
from rapidfuzz.distance import Levenshtein
clock = time.process_time()
for pair in pairs:
    Levenshtein.normalized_similarity(pair.left, pair.right)
print(json.dumps([load, ours, time.process_time() - clock, len(pairs)]))
"""
IMPORTS_ONLY = "import time; import numpy, numba; print(time.process_time())"


def sample_identifiers(archive: Path, count: int) -> list[str]:
    """Return distinct identifiers of the archive in a seeded random order."""
    distinct_identifiers: set[str] = set()
    with zipfile.ZipFile(archive) as archive_zip:
        for file_name in sorted(archive_zip.namelist()):
            if file_name.endswith(".java"):
                distinct_identifiers.update(
                    re.findall(r"[A-Za-z_$][\w$]*", archive_zip.read(file_name).decode())
                )
                if len(distinct_identifiers) > 2 * count:
                    break
    shuffled = sorted(distinct_identifiers)
    random.Random(0).shuffle(shuffled)
    return shuffled[:count]


def run_python(code: str, text: str = "") -> str:
    completed = subprocess.run(
        [sys.executable, "-c", code], input=text, check=True, capture_output=True, text=True
    )
    return completed.stdout


def measure_names(_: object = None) -> Result:
    from codeacumen.models.identifier_similarity.lexicon import FILE

    archive = find_jdk_source()
    if archive is None or not FILE.is_file():
        print("names not measured: the JDK source or the lexicon is missing", file=sys.stderr)
        return [], []
    text = "\n".join(sample_identifiers(archive, 2 * PAIRS))
    # Compile the kernels first: that happens once for an installation.
    run_python(CODE, "a\nb")
    load_seconds, seconds, baseline_seconds, count = json.loads(run_python(CODE, text))
    rows: Rows = [
        ("names: load", load_seconds, float(run_python(IMPORTS_ONLY)), "import numpy, numba"),
        (
            f"names: {count:,} pairs of new identifiers",
            seconds,
            baseline_seconds,
            "rapidfuzz.distance.Levenshtein, one by one",
        ),
    ]
    remark = (
        f"names: {count / seconds:,.0f} pairs a second of one core (at least "
        f"{LEAST_PAIRS_PER_SECOND:,}), "
        f"loaded in {load_seconds:.2f} s (at most {MOST_LOAD_SECONDS:.0f})"
    )
    return rows, [remark]


if __name__ == "__main__":
    print_results(*measure_names())
