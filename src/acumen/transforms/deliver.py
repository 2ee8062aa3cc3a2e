"""A corpus's variants, certified, in one file of lines; and the changed files themselves."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acumen.core.progress import Progress, ignore_progress
from acumen.corpus import Corpus
from acumen.corpus.engines import Engine
from acumen.transforms.certify import UNMADE, Certificate, level_of, without_place
from acumen.transforms.certify.projects import Means, certify
from acumen.transforms.certify.rounds import Subject
from acumen.transforms.edits import Edit, apply
from acumen.transforms.run import Counts, Order, by_project, make_parts, sources_of

Row = dict[str, Any]


@dataclass(slots=True)
class Delivered:
    """What was made. ``failed`` counts variants by kind, level and reason; methods, where none
    could be made of them."""

    counts: Counts
    failed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lines: int = 0


def deliver(
    corpus: Corpus, order: Order, engine: Engine, out: Path, means: Means,
    step: Progress = ignore_progress, write: Path | None = None,
) -> Delivered:  # fmt: skip
    """Write the lines of all variants; the file appears when all of them are there. With
    ``write``, the changed files too."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".acumen-", dir=out.parent) as name:
        parts, counts = make_parts(corpus, order, engine, Path(name), step)
        found = Delivered(counts)
        for (kind, why), methods in counts.unmade.items():
            found.failed[kind, UNMADE, without_place(why)] += methods
        done = Path(name) / "all"
        writer = _Writer(write) if write else None
        with done.open("w", encoding="utf-8") as stream:
            for project, mine in by_project(corpus, parts):
                sources = sources_of(corpus, project) if writer or _compiled(order) else {}
                rows = _rows(mine)
                if _compiled(order):
                    rows = iter(_certified(list(rows), sources, order, means, step))
                for row in rows:
                    certificate = row.get("certificate", {})
                    if certificate.get("failed"):
                        why = without_place(certificate["why"])
                        found.failed[row["kind"], certificate["failed"], why] += 1
                    if writer and "_" in row:
                        writer.add(found.lines, row, sources)
                    row.pop("_", None)
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                    found.lines += 1
                if writer:
                    writer.finish(project, sources)
        done.replace(out)
    return found


def _compiled(order: Order) -> bool:
    return level_of(order.level) >= level_of("compiles")


def _rows(parts: Sequence[Path]) -> Iterator[Row]:
    for part in parts:
        with part.open(encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)


def _certified(
    rows: list[Row], sources: Mapping[str, bytes], order: Order, means: Means, step: Progress
) -> list[Row]:
    made = [row for row in rows if "_" in row]
    known = [Certificate(**row["certificate"]) for row in made]
    subjects = [
        Subject(place, row["file"], _edits(row), (row["_"][1][0], row["_"][1][1]))
        for place, row in enumerate(made)
    ]
    certificates = certify(subjects, known, sources, order.level, means, step)
    for row, certificate in zip(made, certificates, strict=True):
        row["certificate"] = certificate.json()
    return rows


def _edits(row: Row) -> tuple[Edit, ...]:
    return tuple(Edit(one["start"], one["end"], one["text"].encode()) for one in row["_"][0])


class _Writer:
    """Changed files: of single places each variant in a folder named by its line; else the whole
    project, every method changed that is not inside another one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.together: dict[str, dict[str, list[tuple[tuple[int, int], tuple[Edit, ...]]]]] = {}

    def add(self, line: int, row: Row, sources: Mapping[str, bytes]) -> None:
        path = row["file"]
        if row["where"] == "single":
            self._write(f"{line + 1:06}", path, apply(sources[path], _edits(row)))
            return
        start, end = row["_"][1]
        files = self.together.setdefault(f"{row['kind']}-{row['where'].rstrip('%')}", {})
        mine = files.setdefault(path, [])
        # Methods come in order: what ends after this one begins holds it.
        if not mine or mine[-1][0][1] <= start:
            mine.append(((start, end), _edits(row)))

    def finish(self, project: str, sources: Mapping[str, bytes]) -> None:
        for name, files in self.together.items():
            for path, source in sources.items():
                edits = sorted(edit for _, several in files.get(path, ()) for edit in several)
                self._write(f"{name}/{project}", path, apply(source, edits))
        self.together.clear()

    def _write(self, folder: str, path: str, data: bytes) -> None:
        file = self.folder / folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
