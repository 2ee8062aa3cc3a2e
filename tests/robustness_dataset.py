"""A small robustness data set written by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeacumen.core.files import sha256_of
from codeacumen.datasets.built import SCHEMA
from codeacumen.registry import list_names
from codeacumen.registry.entries import ENTRIES

# A method's name, its statements, and its variants as kind, mode and place.
METHODS: Sequence[tuple[str, int, Sequence[tuple[str, str, str]]]] = (
    ("getCount", 2, [("rename", "single", "rename:x:0"), ("rename", "single", "rename:y:0"),
                     ("rename", "all", "all"), ("loop", "single", "loop:for:0")]),
    ("run", 7, [("rename", "single", "rename:x:0")]),
    ("stop", 120, [("loop", "all", "all")]),
)  # fmt: skip


def write_data(folder: Path, **changes: Any) -> Path:
    """Write the folder that `codeacumen dataset build robustness` would write, with ``changes`` to
    its ``dataset.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    originals, variants = [], []
    counts: Counter[tuple[str, str]] = Counter()
    for number, (name, statements, method_variants) in enumerate(METHODS):
        method = f"m{number}"
        text = "void METHOD_NAME() {}"
        originals.append(
            {
                "id": method,
                "project": "p",
                "path": "A.java",
                "line": 1,
                "name": name,
                "text": text,
                "statements": statements,
            }
        )
        for kind, where, location in method_variants:
            counts[kind, where] += 1
            variants.append(
                {
                    "id": f"{method}/{kind}/{where}/{location}",
                    "method": method,
                    "kind": kind,
                    "where": where,
                    "locations": [location],
                    "text": f"{text} // {location}",
                    "certificate": {"level": "parses"},
                }
            )
    for name, rows in (("originals.jsonl", originals), ("variants.jsonl", variants)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    variant_counts: dict[str, dict[str, int]] = {}
    for (kind, where), count in counts.items():
        variant_counts.setdefault(kind, {})[where] = count
    about = {
        "family": "robustness",
        "schema": SCHEMA,
        "kinds": {"rename": "a variable is renamed", "loop": "loops change",
                  "switch": "a switch changes"},
        "settings": {},
        "counts": {"variants": variant_counts},
        "files": {name: sha256_of(folder / name) for name in ("originals.jsonl", "variants.jsonl")},
        **changes,
    }  # fmt: skip
    (folder / "dataset.json").write_text(json.dumps(about))
    return folder


@pytest.fixture
def tasks_forgotten() -> Iterator[None]:
    """Remove the tasks that a test registers: tasks of data sets are known to the whole process."""
    list_names("task")  # loads our own, which register themselves
    registered = dict(ENTRIES["task"])
    yield
    ENTRIES["task"].clear()
    ENTRIES["task"].update(registered)
