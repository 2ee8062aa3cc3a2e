"""Renames and the decisions on them as a benchmark: a folder that ``codeacumen eval`` can read.

``cases.jsonl`` holds renames (``records.Rename``) and ``stable.jsonl`` the other methods of their
files (``records.StableMethod``), each with its ``split``; ``files.jsonl`` maps files to splits, for
people who train on other copies of these projects; ``dataset.json`` describes the folder.

A person's decision selects a rename first, then its tags and features. No file is in two splits,
and no method text: projects (or files, with all paths they had) go to one split as a whole, and a
training method whose text equals that of a test method, up to its own name, is left out. The same
records, decisions and settings give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.corpus.splits import SPLITS
from codeacumen.datasets.built import ABOUT, SCHEMA, must_be_ours
from codeacumen.renames.dataset_card import card, markdown
from codeacumen.renames.records import (
    RENAMES,
    STABLE,
    Rename,
    StableMethod,
    read_renames,
    read_stable,
)
from codeacumen.renames.reviews.comments import is_clear

INCLUDE, EXCLUDE = "include", "exclude"
CLEAR = "clear"
# ReName4J leaves out typos and examples. Names that differ in case alone have the same subtokens;
# without a body there is nothing to compare a name with; what a program wrote, what was taken back
# and what cannot be matched with certainty tells nothing about names.
DROPPED_TAGS = (
    "typo",
    "case",
    "example",
    "generated",
    "reverted",
    "ambiguous",
    "no-body",
    "empty",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """``undecided`` says what becomes of a reviewed rename that nobody decided on: ``clear`` takes
    those whose new name stands in the comment and was accepted, ``include`` all, ``exclude`` none.
    ``tags`` are those with which a rename is not taken, unless a person did."""

    undecided: str = CLEAR
    tags: tuple[str, ...] = DROPPED_TAGS


def chosen(
    renames: Iterable[Rename], decisions: Mapping[str, str], choice: Choice, dropped: Counter[str]
) -> list[Rename]:
    """The cases, in a fixed order; ``dropped`` counts the others by reason."""
    if choice.undecided not in (CLEAR, INCLUDE, EXCLUDE):
        raise CodeacumenError(f"--undecided {choice.undecided}", "it is clear, include or exclude")
    kept: list[Rename] = []
    for one in _once(renames, dropped):
        decision = decisions.get(one.id, one.review.decision if one.review else "")
        why = _against(one, decision, choice)
        if why:
            dropped[why] += 1
            continue
        if one.review is not None:
            one = replace(one, review=replace(one.review, decision=decision))
        kept.append(one)
    return kept


def _against(one: Rename, decision: str, choice: Choice) -> str:
    if decision == EXCLUDE:
        return "excluded by a person"
    if decision == INCLUDE:
        return ""
    for tag in choice.tags:
        if tag in one.tags or (one.review is not None and tag in one.review.features):
            return f"tagged {tag}"
    if one.review is not None and choice.undecided != INCLUDE:
        clear = choice.undecided == CLEAR and is_clear(one.review.features)
        return "" if clear else "undecided"
    return ""


def _once(renames: Iterable[Rename], dropped: Counter[str]) -> list[Rename]:
    """Each rename once: a history and a review may both tell of it, and the review tells more."""
    found: dict[tuple[object, ...], Rename] = {}
    ids: set[str] = set()
    for one in sorted(renames, key=lambda one: (one.review is None, one.project, one.path, one.id)):
        # Not by project: a clone may be named otherwise than its home.
        key = (one.path, one.owner, one.old_name, one.new_name, one.parameters, one.code)
        if key in found or one.id in ids:
            dropped["told twice"] += 1
        else:
            found[key] = one
            ids.add(one.id)
    return sorted(found.values(), key=lambda one: (one.project, one.path, one.owner, one.id))


def chosen_stable(
    stable: Iterable[StableMethod],
    renames: Sequence[Rename],
    cases: Sequence[Rename],
    choice: Choice,
    dropped: Counter[str],
) -> list[StableMethod]:
    """The other methods of the cases' files, each once; none that was itself renamed, ever."""
    files = {(one.project, one.path) for one in cases}
    renamed = {
        (one.project, one.path, one.owner, name, one.parameters)
        for one in renames
        for name in (one.old_name, one.new_name)
    }
    found: dict[tuple[object, ...], StableMethod] = {}
    for one in sorted(stable, key=lambda one: (one.commit, one.id)):
        key = (one.project, one.path, one.owner, one.name, one.parameters)
        if (one.project, one.path) not in files:
            dropped["stable, in a file without a case"] += 1
        elif key in renamed:
            dropped["stable, but renamed elsewhere"] += 1
        elif any(tag in one.tags for tag in choice.tags):
            dropped["stable, with such a tag"] += 1
        else:
            dropped["stable, told twice"] += key in found
            found[key] = one
    once = {one.id: one for one in found.values()}
    dropped["stable, told twice"] += len(found) - len(once)
    return sorted(once.values(), key=lambda one: (one.project, one.path, one.owner, one.id))


FAMILY, FORMAT = "renames", "codeacumen.renames/1"
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
    hint = "make it again with `codeacumen dataset build renames`"
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CodeacumenError(f"{path} cannot be read: {error}", hint) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise CodeacumenError(f"{folder} is not a data set of renames", hint)
    for name in (CASES, STABLE):
        there = (folder / name).is_file()
        if not there or sha256_of(folder / name) != about["files"].get(name):
            raise CodeacumenError(f"{folder / name} is missing or damaged", hint)
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
        raise CodeacumenError("the splits have no share at all", "give them as in 60/10/30")
    renames, stable, sources = _read(folders)
    dropped: Counter[str] = Counter()
    cases = chosen(renames, decisions, settings.choice, dropped)
    if not cases:
        reasons = ", ".join(f"{count:,} {why}" for why, count in sorted(dropped.items()))
        raise CodeacumenError(
            f"no rename is left for a benchmark{': ' if reasons else ''}{reasons}",
            "decide on those in the review file, or take all with --undecided include",
        )
    others = chosen_stable(stable, renames, cases, settings.choice, dropped)
    split_of = divided(cases, settings.by, settings.shares, settings.seed)
    placed = [Case(split_of[one.project, one.path], one) for one in cases]
    kept = [StableCase(split_of[one.project, one.path], one) for one in others]
    placed, kept = without_near_duplicates(placed, kept, dropped)
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
        "codeacumen": __version__,
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
            raise CodeacumenError(
                f"{folder} holds no {RENAMES}",
                "name a folder that `codeacumen renames mine` or `renames reviews` wrote",
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
        raise CodeacumenError(f"{path}: {error}", f"each line has {names}") from error


def _told(settings: Settings) -> dict[str, Json]:
    shares = dict(zip(SPLITS, settings.shares, strict=True))
    chosen_by = asdict(settings.choice)
    return {"shares": shares, "by": settings.by, "seed": settings.seed, **chosen_by}


def _lines(rows: Sequence[Json]) -> bytes:
    return "".join(
        json.dumps(row, ensure_ascii=True, sort_keys=True) + "\n" for row in rows
    ).encode()


File = tuple[str, str]
# Comments have no group. What is not closed goes on to the end, so nothing is read twice.
_TOKEN = re.compile(
    r'''/\*.*?(?:\*/|\Z)|//[^\n]*|("""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?'''
    r"""|'(?:\\.|[^'\\\n])*'?|[\w$]+|[^\w\s])""",
    re.DOTALL,
)


def divided(
    cases: Sequence[Rename], by: str, shares: tuple[int, int, int], seed: int
) -> dict[File, str]:
    """The split of each file. Groups (projects, or files with all paths they had) come in an order
    that the seed draws, each to the split that lacks most of its share of the cases."""
    groups = _groups(cases, by)
    sizes = Counter(groups[one.project, one.path] for one in cases)
    whole = sum(shares)
    wanted = {
        split: len(cases) * share / whole
        for split, share in zip(SPLITS, shares, strict=True)
        if share
    }
    held = dict.fromkeys(wanted, 0)
    split_of: dict[File, str] = {}
    for group in sorted(sizes, key=lambda group: _draw(seed, group)):
        # The largest share of what is wanted is lacking; the last split, test, among equals.
        split = max(wanted, key=lambda one: (1 - held[one] / wanted[one], SPLITS.index(one)))
        held[split] += sizes[group]
        split_of[group] = split
    return {file: split_of[group] for file, group in groups.items() if group in split_of}


def _groups(cases: Sequence[Rename], by: str) -> dict[File, File]:
    """For each file, the first file of those it must stay with."""
    mother: dict[File, File] = {}

    def root(file: File) -> File:
        while mother.setdefault(file, file) != file:
            mother[file] = mother[mother[file]]
            file = mother[file]
        return file

    for one in cases:
        before = (one.project, one.path_before or one.path)
        whole = (one.project, "") if by == "project" else before
        for other in (before, whole):
            first, second = sorted((root((one.project, one.path)), root(other)))
            mother[second] = first
    return {file: root(file) for file in list(mother)}


def _draw(seed: int, group: File) -> bytes:
    text = f"{seed}\0{group[0]}\0{group[1]}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def without_near_duplicates(
    cases: Sequence[Case], stable: Sequence[StableCase], dropped: Counter[str]
) -> tuple[list[Case], list[StableCase]]:
    """All but those that read like a method of a later split: test keeps what it has, development
    loses what test has, training what either has."""
    texts = [text_key(one.rename.code, one.rename.new_name) for one in cases]
    others = [text_key(one.method.code, one.method.name) for one in stable]
    latest: dict[bytes, int] = {}
    splits = [*(one.split for one in cases), *(one.split for one in stable)]
    for text, split in zip([*texts, *others], splits, strict=True):
        latest[text] = max(latest.get(text, 0), SPLITS.index(split))
    kept = [
        one
        for one, text in zip(cases, texts, strict=True)
        if SPLITS.index(one.split) == latest[text]
    ]
    left = [
        one
        for one, text in zip(stable, others, strict=True)
        if SPLITS.index(one.split) == latest[text]
    ]
    dropped["cases with a near-duplicate in a later split"] += len(cases) - len(kept)
    dropped["stable, with a near-duplicate in a later split"] += len(stable) - len(left)
    return kept, left


def text_key(code: str, name: str) -> bytes:
    """A print of a method's tokens: neither comments nor lay-out nor its own name change it."""
    tokens = [match[1] for match in _TOKEN.finditer(code) if match[1] is not None]
    text = "\n".join("" if token == name else token for token in tokens)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
