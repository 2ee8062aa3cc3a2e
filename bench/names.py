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

from jdk import Rows, Told, jdk_source, show

PAIRS = 100_000
LOAD, SPEED = 1.0, 50_000

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
NOTHING = "import time; import numpy, numba; print(time.process_time())"


def identifiers(archive: Path, count: int) -> list[str]:
    """Return distinct identifiers of the archive in a seeded random order."""
    found: set[str] = set()
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(opened.namelist()):
            if name.endswith(".java"):
                found.update(re.findall(r"[A-Za-z_$][\w$]*", opened.read(name).decode()))
                if len(found) > 2 * count:
                    break
    chosen = sorted(found)
    random.Random(0).shuffle(chosen)
    return chosen[:count]


def run(code: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, check=True, capture_output=True, text=True
    )
    return done.stdout


def names(_: object = None) -> Told:
    from codeacumen.models.identifier_similarity.lexicon import FILE

    archive = jdk_source()
    if archive is None or not FILE.is_file():
        print("names not measured: the JDK source or the lexicon is missing", file=sys.stderr)
        return [], []
    text = "\n".join(identifiers(archive, 2 * PAIRS))
    # Compile the kernels first: that happens once for an installation.
    run(CODE, "a\nb")
    load, ours, theirs, count = json.loads(run(CODE, text))
    rows: Rows = [
        ("names: load", load, float(run(NOTHING)), "import numpy, numba"),
        (
            f"names: {count:,} pairs of new identifiers",
            ours,
            theirs,
            "rapidfuzz.distance.Levenshtein, one by one",
        ),
    ]
    told = (
        f"names: {count / ours:,.0f} pairs a second of one core (at least {SPEED:,}), "
        f"loaded in {load:.2f} s (at most {LOAD:.0f})"
    )
    return rows, [told]


if __name__ == "__main__":
    show(*names())
