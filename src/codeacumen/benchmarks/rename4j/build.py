"""Build ReName4J's realistic setting: 33 methods of a corpus for each of Liu's inconsistent names.

The result is a folder with ``dataset.json`` and ``drawn.jsonl``. Methods are eligible by the rules
of Liu et al.: their body is not empty, they are neither constructors nor ``main``, and their path
does not mention tests, samples, examples or templates. Equal texts are sampled once. The sample
depends on the seed and the methods' ids alone. If a corpus has too few methods, the data set has
fewer cases, never fewer methods per case, because precision depends on how rare wrong names are.

The corpus should not contain projects that a model has learned from; a recipe can restrict the
sample to a split of the corpus instead.
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
# Liu et al. exclude files with these words in their path, which contains their package.
LEFT_OUT = re.compile(r"test|sample|example|template", re.IGNORECASE)
_EMPTY = re.compile(r"\{\s*\}\s*$")
_COLUMNS = ["method_id", "project", "split", "path", "type", "kind", "body", "name", "text"]
# Factor by which more methods are sampled than needed, because some have equal texts.
_SPARE = 2
_BATCH = 4096

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of a build.

    ``beside`` is the number of stable methods per inconsistent one, ``cases`` the maximum number of
    inconsistent ones (0 for all), and ``split`` the corpus's split to sample from.
    """

    seed: int = 0
    beside: int = BESIDE
    cases: int = 0
    split: str = "all"


def build(corpus: Corpus, recipe: Recipe, out: Path, step: Progress = ignore_progress) -> Json:
    """Write the data set, and return the content of its ``dataset.json``."""
    must_be_ours(out)
    if recipe.beside < 1:
        raise CodeacumenError(
            f"--beside {recipe.beside}: a case needs at least one stable method",
            "use --beside 1 or more",
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
            f"the corpus has {known:,} eligible methods, but one case needs {recipe.beside}",
            "use a larger corpus, or fewer methods per case (--beside)",
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
    """Return the sampling key of an instance; the smallest keys are sampled."""
    return hashlib.sha256(f"{seed}\0{id_}".encode()).digest()


def _eligible(corpus: Corpus, split: str, step: Progress) -> Iterator[Row]:
    """Yield the eligible methods with their original text."""
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
    """Iterates over rows and counts them, because they are too many for a list."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self.rows, self.many = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for row in self.rows:
            self.many += 1
            yield row


def is_eligible(row: Row) -> bool:
    """Return whether Liu et al.'s rules accept a method."""
    return (
        row["kind"] == "method"
        and bool(row["body"])
        and row["name"] != "main"
        and not LEFT_OUT.search(row["path"])
        and not _EMPTY.search(row["text"])
    )


def _distinct(rows: Sequence[Row], most: int, step: Progress) -> list[Row]:
    """Return the first rows with distinct texts, with the text that a model sees."""
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
                step("sampling", len(found), most)
    return found
