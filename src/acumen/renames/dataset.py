"""Renames and decisions on them, made into a benchmark: a folder that ``acumen eval`` can ask.

``cases.jsonl`` holds renames (``records.Rename``) and ``stable.jsonl`` the other methods of their
files (``records.StableMethod``), each with its ``split``; ``files.jsonl`` says which file is in
which split, for whoever trains on other copies of these projects; ``dataset.json`` what is in the
folder.

No file is in two splits, and no method's text: projects (or files, with all paths they had) go to
one split as a whole, and a method of the training split that reads like one of the test split, its
own name aside, is left out. The same records, decisions and settings give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from acumen import __version__
from acumen.api import AcumenError, Json
from acumen.datasets.built import ABOUT, SCHEMA, must_be_ours
from acumen.files import sha256_of, write_atomically
from acumen.renames._dataset_card import card, markdown
from acumen.renames._dataset_choice import Choice, chosen, chosen_stable
from acumen.renames._dataset_splits import SPLITS, divided, without_twins
from acumen.renames.records import (
    RENAMES,
    STABLE,
    Rename,
    StableMethod,
    read_renames,
    read_stable,
)

FAMILY, FORMAT = "names", "acumen.names/1"
CASES, FILES, CARD = "cases.jsonl", "files.jsonl", "card.md"


@dataclass(frozen=True, slots=True)
class Settings:
    """``shares`` of the cases for training, development and test; ``by`` project or file."""

    shares: tuple[int, int, int] = (0, 0, 100)
    by: str = "project"
    seed: int = 0
    choice: Choice = field(default_factory=Choice)


@dataclass(frozen=True, slots=True)
class Case:
    split: str
    rename: Rename


@dataclass(frozen=True, slots=True)
class StableCase:
    split: str
    method: StableMethod


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a folder holds; ``about`` is its ``dataset.json``."""

    about: Mapping[str, Json]
    cases: tuple[Case, ...]
    stable: tuple[StableCase, ...]


def read_cases(folder: Path) -> Benchmark:
    """A benchmark as it was written; its files are checked against their hashes."""
    path = folder / ABOUT
    hint = "make it again with `acumen names dataset`"
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise AcumenError(f"{path} cannot be read: {error}", hint) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise AcumenError(f"{folder} is no data set of names", hint)
    for name in (CASES, STABLE):
        there = (folder / name).is_file()
        if not there or sha256_of(folder / name) != about["files"].get(name):
            raise AcumenError(f"{folder / name} is missing or damaged", hint)
    return Benchmark(
        about,
        tuple(
            Case(split, one)
            for split, one in zip(
                _splits(folder / CASES), read_renames(folder / CASES), strict=True
            )
        ),
        tuple(
            StableCase(split, one)
            for split, one in zip(
                _splits(folder / STABLE), read_stable(folder / STABLE), strict=True
            )
        ),
    )


def _splits(path: Path) -> list[str]:
    return [str(json.loads(line)["split"]) for line in path.read_bytes().splitlines()]


def build(
    folders: Sequence[Path], decisions: Mapping[str, str], out: Path, settings: Settings
) -> dict[str, Json]:
    """Write the data set; gives what its ``dataset.json`` says."""
    # A run that was ended early has left the cases, which are written first.
    if not (out / CASES).is_file():
        must_be_ours(out)
    if sum(settings.shares) <= 0 or settings.by not in ("project", "file"):
        raise AcumenError("the splits have no share at all", "give them as in 60/10/30")
    renames, stable, sources = _read(folders)
    dropped: Counter[str] = Counter()
    cases = chosen(renames, decisions, settings.choice, dropped)
    if not cases:
        reasons = ", ".join(f"{count:,} {why}" for why, count in sorted(dropped.items()))
        raise AcumenError(
            f"no rename is left for a benchmark{': ' if reasons else ''}{reasons}",
            "decide on those in the review file, or take all with --undecided include",
        )
    others = chosen_stable(stable, renames, cases, settings.choice, dropped)
    split_of = divided(cases, settings.by, settings.shares, settings.seed)
    placed = [Case(split_of[one.project, one.path], one) for one in cases]
    kept = [StableCase(split_of[one.project, one.path], one) for one in others]
    placed, kept = without_twins(placed, kept, dropped)
    files = sorted(
        {
            (one.rename.project, path, one.split)
            for one in placed
            for path in (one.rename.path, one.rename.path_before)
        }
    )
    lines = {
        CASES: [{**asdict(one.rename), "split": one.split} for one in placed],
        STABLE: [{**asdict(one.method), "split": one.split} for one in kept],
        FILES: [{"project": one, "path": path, "split": split} for one, path, split in files],
    }
    counts = card(placed, kept, dropped)
    about: dict[str, Json] = {
        "family": FAMILY,
        "schema": SCHEMA,
        "format": FORMAT,
        "acumen": __version__,
        "kinds": {
            "check": "does the name fit the method?",
            "recommend": "which name would fit?",
        },
        "settings": _told(settings),
        "sources": sources,
        "decisions": len(decisions),
        "counts": counts,
    }
    for name, rows in lines.items():
        write_atomically(out / name, _lines(rows))
    write_atomically(out / CARD, markdown(about).encode())
    about["files"] = {name: sha256_of(out / name) for name in (*lines, CARD)}
    text = json.dumps(about, indent=1, ensure_ascii=True) + "\n"
    write_atomically(out / ABOUT, text.encode())
    return about


def _read(folders: Sequence[Path]) -> tuple[list[Rename], list[StableMethod], list[Json]]:
    renames: list[Rename] = []
    stable: list[StableMethod] = []
    sources: list[Json] = []
    for folder in folders:
        path, beside = folder / RENAMES, folder / STABLE
        if not path.is_file():
            raise AcumenError(
                f"{folder} holds no {RENAMES}",
                "--renames takes a folder that `acumen names mine` or `names reviews` wrote",
            )
        found = _whole(path, Rename, read_renames(path))
        others = _whole(beside, StableMethod, read_stable(beside)) if beside.is_file() else []
        renames += found
        stable += others
        told: dict[str, Json] = {"folder": folder.name, "renames": len(found)}
        told |= {"stable": len(others), "sha256": {RENAMES: sha256_of(path)}}
        if beside.is_file():
            told["sha256"][STABLE] = sha256_of(beside)
        sources.append(told)
    return renames, stable, sources


def _whole(path: Path, kind: type, records: Iterable[Json]) -> list[Json]:
    """All records of a file; an error that says where they are of another kind."""
    try:
        return list(records)
    except TypeError as error:
        names = ", ".join(one.name for one in fields(kind))
        raise AcumenError(f"{path}: {error}", f"each line has {names}") from error


def _told(settings: Settings) -> dict[str, Json]:
    shares = dict(zip(SPLITS, settings.shares, strict=True))
    chosen_by = asdict(settings.choice)
    return {"shares": shares, "by": settings.by, "seed": settings.seed, **chosen_by}


def _lines(rows: Sequence[Json]) -> bytes:
    return "".join(
        json.dumps(row, ensure_ascii=True, sort_keys=True) + "\n" for row in rows
    ).encode()
