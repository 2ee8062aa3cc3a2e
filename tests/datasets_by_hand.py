"""A robustness data set written by hand, small enough to see through."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeacumen.core.files import sha256_of
from codeacumen.datasets.built import SCHEMA
from codeacumen.registry import names
from codeacumen.registry.entries import ENTRIES

# A method's name, its statements, and its variants as kind, mode and place.
METHODS: Sequence[tuple[str, int, Sequence[tuple[str, str, str]]]] = (
    ("getCount", 2, [("rename", "single", "rename:x:0"), ("rename", "single", "rename:y:0"),
                     ("rename", "all", "all"), ("loop", "single", "loop:for:0")]),
    ("run", 7, [("rename", "single", "rename:x:0")]),
    ("stop", 120, [("loop", "all", "all")]),
)  # fmt: skip


def write_data(folder: Path, **changes: Any) -> Path:
    """The folder as `codeacumen dataset build robustness` would write it, with other values in its
    ``dataset.json`` where they are given."""
    folder.mkdir(parents=True, exist_ok=True)
    originals, variants = [], []
    counts: Counter[tuple[str, str]] = Counter()
    for place, (name, statements, mine) in enumerate(METHODS):
        method = f"m{place}"
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
        for kind, where, at in mine:
            counts[kind, where] += 1
            variants.append(
                {
                    "id": f"{method}/{kind}/{where}/{at}",
                    "method": method,
                    "kind": kind,
                    "where": where,
                    "locations": [at],
                    "text": f"{text} // {at}",
                    "certificate": {"level": "parses"},
                }
            )
    for name, rows in (("originals.jsonl", originals), ("variants.jsonl", variants)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    told: dict[str, dict[str, int]] = {}
    for (kind, where), n in counts.items():
        told.setdefault(kind, {})[where] = n
    about = {
        "family": "robustness",
        "schema": SCHEMA,
        "kinds": {"rename": "a variable gets another name", "loop": "loops change",
                  "switch": "a switch changes"},
        "settings": {},
        "counts": {"variants": told},
        "files": {name: sha256_of(folder / name) for name in ("originals.jsonl", "variants.jsonl")},
        **changes,
    }  # fmt: skip
    (folder / "dataset.json").write_text(json.dumps(about))
    return folder


@pytest.fixture
def tasks_forgotten() -> Iterator[None]:
    """Tasks of data sets are known to the whole process; a test must not leave its own."""
    names("task")  # loads our own, which register themselves
    known = dict(ENTRIES["task"])
    yield
    ENTRIES["task"].clear()
    ENTRIES["task"].update(known)
