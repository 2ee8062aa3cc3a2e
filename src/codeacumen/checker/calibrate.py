"""Choose the checker's threshold for a target precision, measured on a repository's own renames.

A renamed method, under its old name and with its old body, is a case of a wrong name; a method of
the same files that kept its name and body is a case of a right name. The model judges each case in
the version of the file before the rename, together with the other methods of that version. It has
learned from stable methods of other files only (cross-validation by file), so the file of a case
never helps to judge it. ``codeacumen names calibrate`` calls this.
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

# Tags of renames that do not show whether a name fits, or that no checker could foresee.
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
# Number of file versions to read; more would take minutes and change the result little.
MOST = 2000

# Version of a file: a commit and the path in that commit.
Version: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A method with a wrong or a right name. ``file`` is the path after the rename; it determines
    the fold."""

    version: Version
    file: str
    owner: str
    name: str
    parameters: tuple[str, ...]
    wrong: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and the probability, by the model, that its name is wrong."""

    case: Case
    probability: float


@dataclass(frozen=True, slots=True)
class Cases:
    """Cases, and how many renames were excluded, by tag."""

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
    """Judge each case that its file contains, by cross-validation over files.

    Return the judgements in the order of folds and versions.
    """
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
    """Return at most ``MAX_VERSIONS`` versions, sorted; prefer those with a wrong name.

    Hashes make the choice, so it is the same each time.
    """

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
    """Return the facts of all methods of a file version, and the cases among them."""
    commit, path = version
    data = GitRoot(place, commit).read(path, LARGEST)
    source = data if isinstance(data, Problem) else read_source(path, data)
    if isinstance(source, Problem):
        return [], []
    file = JavaFile(source.data)
    # The commit in the path makes two versions of one file two files to the model.
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
    """Judge the cases of one fold by a model that has learned from the other folds."""
    model = assessor(background)
    known: list[Facts] = []
    for version in sorted(found):
        for case, one in found[version]:
            # The model counts a method once per path, so the path must not depend on old names.
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


# With fewer renames, the confidence interval of a precision would span about half of [0, 1].
FEWEST = 20
LEVEL = 0.95
# Thresholds of the printed table.
GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Point:
    """Results at a threshold: how many names are reported, how many of those are wrong, and
    precision and recall with their confidence intervals."""

    threshold: float
    told: int
    wrong: int
    precision: float
    precision_bounds: tuple[float, float]
    recall: float
    recall_bounds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Precision and recall over all thresholds, for numbers of ``wrong`` and ``right`` names.

    ``curve`` has a point for each probability that a wrong name received. ``chosen`` is the point
    with the greatest recall among those that reach the target precision; None if no point does, or
    if there are too few renames.
    """

    wrong: int
    right: int
    wanted: float
    curve: tuple[Point, ...]
    chosen: Point | None

    @property
    def too_few(self) -> bool:
        return self.wrong < FEWEST


def calibration(judged: Sequence[Judged], wanted: float) -> Calibration:
    """Compute the precision-recall curve and choose the threshold for the target precision."""
    wrong = sorted((one.probability for one in judged if one.case.wrong), reverse=True)
    right = sorted((one.probability for one in judged if not one.case.wrong), reverse=True)
    thresholds = sorted({one for one in wrong if one > 0})
    curve = tuple(point(wrong, right, one) for one in thresholds)
    fits = [one for one in curve if one.precision >= wanted]
    # At equal recall, the higher threshold reports fewer right names.
    best = max(fits, key=lambda one: (one.recall, one.threshold), default=None)
    return Calibration(
        len(wrong), len(right), wanted, curve, best if len(wrong) >= FEWEST else None
    )


def point(wrong: Sequence[float], right: Sequence[float], threshold: float) -> Point:
    """Return precision and recall at a threshold, from the probabilities of both groups."""
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
    """Return precision and recall at the round thresholds of the printed table."""
    wrong = [one.probability for one in judged if one.case.wrong]
    right = [one.probability for one in judged if not one.case.wrong]
    return [point(wrong, right, one) for one in GRID]


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the Wilson score interval of ``hits`` of ``total``; (0, 1) if nothing was counted."""
    if not of:
        return 0.0, 1.0
    from scipy.stats import binomtest

    found = binomtest(hits, of).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def record(found: Calibration) -> Json:
    """Return the output of ``codeacumen names calibrate --json``."""
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
    """Return the threshold of a point, rounded down to four decimals to keep the recall."""
    return int(chosen.threshold * 10_000) / 10_000


def plot(found: Calibration, file: Path) -> None:
    """Write the curve as an image or an HTML page, by the suffix of the file."""
    import vl_convert

    kinds = {
        ".png": lambda: vl_convert.vegalite_to_png(_spec(found), scale=2),
        ".svg": lambda: vl_convert.vegalite_to_svg(_spec(found)).encode(),
        ".html": lambda: vl_convert.vegalite_to_html(_spec(found)).encode(),
    }
    make = kinds.get(file.suffix.lower())
    if make is None:
        raise CodeacumenError(f"{file}: unknown image format", f"one of {', '.join(kinds)}")
    write_atomically(file, make())


def _spec(found: Calibration) -> Json:
    """Return the Vega-Lite specification of the precision-recall curve."""
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
    """Write the threshold to a settings file and leave the rest of the file unchanged."""
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
        raise CodeacumenError(
            f"{file}: cannot insert the threshold", f"write it below {head}: {line}"
        )
    write_atomically(file, changed.encode())


def _with_line(text: str, head: str, line: str) -> str:
    """Return the TOML text with the threshold's line replaced or added below its table's head."""
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
