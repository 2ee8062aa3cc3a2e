"""The threshold that gives a wanted precision, measured on a repository's own renames.

A renamed method, under its old name and with its old body, is a case of a wrong name; a method of
the same files that kept its name and body is a case of a right name. Each case is judged as it was
then, beside the methods that stood beside it, by a model that knows stable methods of other files
only: the file of a case never helps to judge it.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pygit2

from codeacumen.api import CodeacumenError, Json
from codeacumen.checker.assess import Assessor, assessor
from codeacumen.checker.settings import SHARED
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import LARGEST, Problem, read_source
from codeacumen.corpus.sources.git_tree import GitRoot
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.facts import Facts, facts_of
from codeacumen.renames.records import (
    RENAMES,
    STABLE,
    Rename,
    StableMethod,
    read_renames,
    read_stable,
)

# Renames that say nothing about whether a name fits, or that no checker could foresee.
LEFT_OUT = frozenset(
    (
        "typo",
        "case",
        "test",
        "example",
        "generated",
        "reverted",
        "ambiguous",
        "override",
        "mass",
        "no-body",
        "empty",
        "anonymous",
    )
)
FOLDS = 5
# Versions of files that are looked at; more would take minutes and tell little more.
MOST = 2000

# A file as it was: the commit and its path there.
Version: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """``file``: the path it has after the rename, by which it belongs to a fold."""

    version: Version
    file: str
    owner: str
    name: str
    parameters: tuple[str, ...]
    wrong: bool


@dataclass(frozen=True, slots=True)
class Judged:
    case: Case
    probability: float


@dataclass(frozen=True, slots=True)
class Cases:
    cases: list[Case]
    left_out: Counter[str]


def cases_of(mined: Path) -> Cases:
    """Return the cases of a folder that ``codeacumen renames mine`` wrote."""
    left_out: Counter[str] = Counter()
    found: list[Case] = []
    for rename in read_renames(mined / RENAMES):
        tags = sorted(LEFT_OUT.intersection(rename.tags))
        if tags:
            left_out[tags[0]] += 1
        else:
            found.append(_wrong(rename))
    files = {one.file for one in found}
    found += [
        _right(one)
        for one in read_stable(mined / STABLE)
        if one.path in files and not LEFT_OUT.intersection(one.tags)
    ]
    return Cases(found, left_out)


def _wrong(one: Rename) -> Case:
    version = (one.parent, one.path_before)
    return Case(version, one.path, one.owner, one.old_name, one.parameters, True)


def _right(one: StableMethod) -> Case:
    version = (one.commit, one.path)
    return Case(version, one.path, one.owner, one.name, one.parameters, False)


def judged(
    repository: Path, cases: Sequence[Case], background: str, step: Progress
) -> list[Judged]:
    """Each case that is found in its file, in the order of files and versions."""
    by_version: dict[Version, list[Case]] = {}
    for case in cases:
        by_version.setdefault(case.version, []).append(case)
    versions = _chosen(by_version)
    place = Path(pygit2.Repository(str(repository)).path)
    facts: dict[Version, list[Facts]] = {}
    found: dict[Version, list[tuple[Case, Facts]]] = {}
    for number, version in enumerate(versions):
        step("reading", number, len(versions))
        facts[version], found[version] = _methods(place, version, by_version[version])
    told: list[Judged] = []
    for number in range(FOLDS):
        step("judging", number, FOLDS)
        own = [one for one in versions if _fold(by_version[one][0].file) == number]
        told += _fold_judged(own, facts, found, number, background)
    return told


def _chosen(by_version: dict[Version, list[Case]]) -> list[Version]:
    """Those with a wrong name first, if there are too many; the same each time."""

    def order(version: Version) -> tuple[bool, str]:
        digest = hashlib.sha256("\0".join(version).encode("utf-8", "surrogatepass")).hexdigest()
        return not any(case.wrong for case in by_version[version]), digest

    return sorted(sorted(by_version, key=order)[:MOST])


def _fold(path: str) -> int:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % FOLDS


def _methods(
    place: Path, version: Version, cases: Iterable[Case]
) -> tuple[list[Facts], list[tuple[Case, Facts]]]:
    """The methods of a file as it was, and the cases among them."""
    commit, path = version
    data = GitRoot(place, commit).read(path, LARGEST)
    source = data if isinstance(data, Problem) else read_source(path, data)
    if isinstance(source, Problem):
        return [], []
    file = JavaFile(source.data)
    # Two versions of one file are two files to the model.
    facts = facts_of(file, f"{path}\0{commit}")
    named: dict[tuple[str, str, tuple[str, ...]], Facts] = {}
    for one in facts:
        method = file.declarations.methods[one.place]
        owner = ".".join(file.declarations.path(method.type))
        kinds = tuple(parameter.type for parameter in method.parameters)
        named.setdefault((owner, one.name, kinds), one)
    keys = [(case, (case.owner, case.name, case.parameters)) for case in cases]
    return facts, [(case, named[key]) for case, key in keys if key in named]


def _fold_judged(
    versions: Sequence[Version],
    facts: dict[Version, list[Facts]],
    found: dict[Version, list[tuple[Case, Facts]]],
    number: int,
    background: str,
) -> list[Judged]:
    model = assessor(background)
    known: list[Facts] = []
    for version in sorted(found):
        for case, one in found[version]:
            # Under one path, each method of a file counts once, from whichever version.
            if not case.wrong and _fold(case.file) != number:
                known.append(replace(one, path=f"{case.file}\0{version[0]}"))
    model.learn(known)
    kept = pickle.dumps(model)
    told: list[Judged] = []
    for version in versions:
        beside: Assessor = pickle.loads(kept)
        beside.learn(facts[version])
        verdicts = beside.assess([one for _, one in found[version]])
        told += [
            Judged(case, 0.0 if verdict is None else verdict.wrong)
            for (case, _), verdict in zip(found[version], verdicts, strict=True)
        ]
    return told


# Fewer renames tell nothing: the interval of a precision would be half as wide as all there is.
FEWEST = 20
LEVEL = 0.95
# Rows of the table that people read.
GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Point:
    """At a threshold: how many names are told, how many of them were wrong; precision and recall
    with their intervals."""

    threshold: float
    told: int
    wrong: int
    precision: float
    precision_bounds: tuple[float, float]
    recall: float
    recall_bounds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """``curve`` has a point for each probability that was given to a wrong name. ``chosen`` is the
    point of the greatest recall with the wanted precision; None where there is none, or too few
    renames to tell."""

    wrong: int
    right: int
    wanted: float
    curve: tuple[Point, ...]
    chosen: Point | None

    @property
    def too_few(self) -> bool:
        return self.wrong < FEWEST


def calibration(judged: Sequence[Judged], wanted: float) -> Calibration:
    wrong = sorted((one.probability for one in judged if one.case.wrong), reverse=True)
    right = sorted((one.probability for one in judged if not one.case.wrong), reverse=True)
    thresholds = sorted({one for one in wrong if one > 0})
    curve = tuple(point(wrong, right, one) for one in thresholds)
    fits = [one for one in curve if one.precision >= wanted]
    # The lowest threshold finds most; where two find the same, the higher one tells less else.
    best = max(fits, key=lambda one: (one.recall, one.threshold), default=None)
    return Calibration(
        len(wrong), len(right), wanted, curve, best if len(wrong) >= FEWEST else None
    )


def point(wrong: Sequence[float], right: Sequence[float], threshold: float) -> Point:
    hits = sum(one >= threshold for one in wrong)
    told = hits + sum(one >= threshold for one in right)
    return Point(
        threshold,
        told,
        hits,
        hits / told if told else 0.0,
        wilson(hits, told),
        hits / len(wrong) if wrong else 0.0,
        wilson(hits, len(wrong)),
    )


def table(judged: Sequence[Judged]) -> list[Point]:
    """The curve at round thresholds."""
    wrong = [one.probability for one in judged if one.case.wrong]
    right = [one.probability for one in judged if not one.case.wrong]
    return [point(wrong, right, one) for one in GRID]


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    if not of:
        return 0.0, 1.0
    from scipy.stats import binomtest

    found = binomtest(hits, of).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def record(found: Calibration) -> Json:
    return {
        "renamed": found.wrong,
        "stable": found.right,
        "precision": found.wanted,
        "too_few": found.too_few,
        "threshold": None if found.chosen is None else rounded(found.chosen),
        "curve": [_point(one) for one in found.curve],
    }


def _point(one: Point) -> Json:
    return {
        "threshold": one.threshold,
        "told": one.told,
        "wrong": one.wrong,
        "precision": one.precision,
        "precision_bounds": list(one.precision_bounds),
        "recall": one.recall,
        "recall_bounds": list(one.recall_bounds),
    }


def rounded(chosen: Point) -> float:
    """A threshold as a person would write it, below the measured one by less than it matters."""
    return int(chosen.threshold * 10_000) / 10_000


def plot(found: Calibration, file: Path) -> None:
    """The curve as a picture or a page, by how the file's name ends."""
    import vl_convert

    kinds = {
        ".png": lambda: vl_convert.vegalite_to_png(_spec(found), scale=2),
        ".svg": lambda: vl_convert.vegalite_to_svg(_spec(found)).encode(),
        ".html": lambda: vl_convert.vegalite_to_html(_spec(found)).encode(),
    }
    make = kinds.get(file.suffix.lower())
    if make is None:
        raise CodeacumenError(f"{file}: no picture is called so", f"one of {', '.join(kinds)}")
    write_atomically(file, make())


def _spec(found: Calibration) -> Json:
    rows = [
        {
            "recall": one.recall,
            "precision": one.precision,
            "low": one.precision_bounds[0],
            "high": one.precision_bounds[1],
        }
        for one in found.curve
    ]

    def axis(name: str, title: str) -> Json:
        return {"field": name, "type": "quantitative", "scale": {"domain": [0, 1]}, "title": title}

    recall = axis("recall", "recall: renamed methods that are found")
    precision = "precision: findings that were renamed"
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 480,
        "height": 320,
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {"x": recall, "y": axis("low", precision), "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "line", "point": True},
                "encoding": {
                    "x": recall,
                    "y": axis("precision", precision),
                    "order": {"field": "recall"},
                },
            },
            {
                "data": {"values": [{"wanted": found.wanted}]},
                "mark": {"type": "rule", "strokeDash": [4, 4]},
                "encoding": {"y": axis("wanted", precision)},
            },
        ],
    }


def write_threshold(file: Path, threshold: float) -> None:
    """Into the settings of a project, all else in them as it was."""
    head = "[tool.codeacumen.names]" if file.name == SHARED else "[names]"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    line = f"threshold = {threshold:g}"
    changed = _with_line(text, head, line)
    try:
        at = tomllib.loads(changed)
        for part in head.strip("[]").split("."):
            at = at[part]
        right = at["threshold"] == threshold
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        right = False
    if not right:
        raise CodeacumenError(f"{file} cannot be changed", f"write it below {head}: {line}")
    write_atomically(file, changed.encode())


def _with_line(text: str, head: str, line: str) -> str:
    section = re.search(rf"^[ \t]*{re.escape(head)}[ \t]*(?:#.*)?$", text, re.MULTILINE)
    if section is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{head}\n{line}\n"
    after = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, section.end())
    end = after.start() if after else len(text)
    body = text[section.end() : end]
    old = re.compile(r"^[ \t]*threshold[ \t]*=.*$", re.MULTILINE)
    body = old.sub(line, body, count=1) if old.search(body) else f"\n{line}{body}"
    return text[: section.end()] + body + text[end:]
