"""What threshold gives a wanted precision, measured on a repository's own renames."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acumen.api import AcumenError, Json
from acumen.checker.cases import Judged
from acumen.checker.settings import SHARED
from acumen.files import write_atomically

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
        raise AcumenError(f"{file}: no picture is called so", f"one of {', '.join(kinds)}")
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
                    "x": recall, "y": axis("precision", precision),
                    "order": {"field": "recall"},
                },
            },
            {
                "data": {"values": [{"wanted": found.wanted}]},
                "mark": {"type": "rule", "strokeDash": [4, 4]},
                "encoding": {"y": axis("wanted", precision)},
            },
        ],
    }  # fmt: skip


def write_threshold(file: Path, threshold: float) -> None:
    """Into the settings of a project, all else in them as it was."""
    head = "[tool.acumen.names]" if file.name == SHARED else "[names]"
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
        raise AcumenError(f"{file} cannot be changed", f"write it below {head}: {line}")
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
