"""Methods of a corpus to stand beside Liu's inconsistent names: 33 to each, as in ReName4J's
realistic setting. A folder with ``dataset.json`` and ``drawn.jsonl``.

Drawn are methods as Liu et al. chose theirs: with a body that is not empty, neither constructors
nor ``main``, and nothing below a path that speaks of tests, samples, examples or templates. A text
is drawn once. Which methods are drawn hangs on the seed and on their ids alone. Where a corpus has
too few for all cases, fewer cases are asked about, never fewer methods to a case: precision hangs
on how rare wrong names are.

The corpus should hold no project that a model has learned from; or only those of one of its splits
are drawn.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.rename4j.cases import asked_text, without_override
from codeacumen.benchmarks.rename4j.liu2019 import read_renamed
from codeacumen.benchmarks.rename4j.task import DRAWN
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.manifest import NAME
from codeacumen.datasets import dataset, require
from codeacumen.datasets.built import ABOUT, SCHEMA, must_be_ours

BESIDE = 33
# What Liu et al. left out, by words in the path of a file, its package included.
LEFT_OUT = re.compile(r"test|sample|example|template", re.IGNORECASE)
_EMPTY = re.compile(r"\{\s*\}\s*$")
_COLUMNS = ["method_id", "project", "split", "path", "type", "kind", "body", "name", "text"]
# So many times as many as are wanted are looked at: some are copies of others.
_SPARE = 2
_BATCH = 4096

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """``beside``: how many stable methods to each inconsistent one; ``cases``: at most so many of
    these, 0 for all. ``split``: whose methods may be drawn."""

    seed: int = 0
    beside: int = BESIDE
    cases: int = 0
    split: str = "all"


def build(corpus: Corpus, recipe: Recipe, out: Path, step: Progress = ignore_progress) -> Json:
    """Write the data set; gives what its ``dataset.json`` says."""
    must_be_ours(out)
    if recipe.beside < 1:
        raise CodeacumenError(
            "there is no imbalance with nothing beside", "give --beside 1 or more"
        )
    wrong = [one.id for one in read_renamed(require("liu2019")) if not one.consistent]
    wrong.sort(key=lambda id_: _lot(recipe.seed, id_))
    wanted = wrong[: recipe.cases] if recipe.cases else wrong
    most = recipe.beside * len(wanted)
    eligible = _Counted(_eligible(corpus, recipe.split, step))
    first = heapq.nsmallest(_SPARE * most, eligible, key=lambda row: _lot(recipe.seed, row["id"]))
    drawn, known = _distinct(first, most, step), eligible.many
    many = len(drawn) // recipe.beside
    if not many:
        raise CodeacumenError(
            f"the corpus has {known:,} methods to draw from, and {recipe.beside} are needed for "
            "one case",
            "a larger corpus is needed, or fewer methods beside a case (--beside)",
        )
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    for place, row in enumerate(drawn[: many * recipe.beside]):
        told = {**row, "beside": wanted[place // recipe.beside]}
        lines.append(json.dumps(told, ensure_ascii=False, sort_keys=True) + "\n")
    write_atomically(out / DRAWN, "".join(lines).encode("utf-8", "replace"))
    about = {
        "family": "misnamed",
        "schema": SCHEMA,
        "codeacumen": __version__,
        "kinds": {"check": "is a rare wrong name found among many right ones?"},
        "settings": asdict(recipe),
        "corpus": {"manifest_sha256": sha256_of(corpus.folder / NAME)},
        "liu2019": dataset("liu2019").files[0].sha256,
        "counts": {
            "cases": min(many, len(wanted)),
            "inconsistent": len(wrong),
            "drawn": len(lines),
            "eligible": known,
            "projects": len({row["project"] for row in drawn}),
        },
        "files": {DRAWN: sha256_of(out / DRAWN)},
    }
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    write_atomically(out / ABOUT, text.encode())
    return about


def _lot(seed: int, id_: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{id_}".encode()).digest()


def _eligible(corpus: Corpus, split: str, step: Progress) -> Iterator[Row]:
    """All methods that may be drawn, with their text as it is in the corpus."""
    import pyarrow.parquet as pq

    methods = corpus.tables().get("methods", [])
    for done, table in enumerate(methods):
        for batch in pq.ParquetFile(table).iter_batches(_BATCH, columns=_COLUMNS):
            for row in batch.to_pylist():
                if split in ("all", row["split"]) and is_eligible(row):
                    kept = {name: row[name] for name in ("project", "path", "type", "name", "text")}
                    yield {"id": str(row["method_id"]), **kept}
        step("reading", done + 1, len(methods))


class _Counted:
    """Rows, and how many they were: too many to keep."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self.rows, self.many = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for row in self.rows:
            self.many += 1
            yield row


def is_eligible(row: Row) -> bool:
    return (
        row["kind"] == "method"
        and bool(row["body"])
        and row["name"] != "main"
        and not LEFT_OUT.search(row["path"])
        and not _EMPTY.search(row["text"])
    )


def _distinct(rows: Sequence[Row], most: int, step: Progress) -> list[Row]:
    """The first so many, with the text that a model sees, each text once."""
    seen: set[tuple[str, str]] = set()
    found: list[Row] = []
    for row in rows:
        if len(found) == most:
            break
        text = asked_text(without_override(row["text"]), row["name"])
        if text and (row["name"], text) not in seen:
            seen.add((row["name"], text))
            found.append({**row, "text": text})
            if len(found) % 256 == 0:
                step("drawing", len(found), most)
    return found
