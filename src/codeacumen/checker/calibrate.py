"""Choose the checker's threshold for a target precision, measured on a repository's own renames.

A renamed method, under its old name and with its old body, is a case of a wrong name; a method of
the same files that kept its name and body is a case of a right name. The model judges each case in
one version of its file; for a renamed method, this is the version before the rename. It first
learns from stable methods of other files (cross-validation by file), then from all methods of that
version, but never from other versions of the file. ``codeacumen names calibrate`` calls this.

The facts of a method (``models.method_naming.facts``) are all that the model sees of it. A fold is
one of the ``FOLDS`` parts of the files in the cross-validation.
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
from codeacumen.checker.assess import Assessor, create_assessor
from codeacumen.checker.settings import SHARED_FILE
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import LARGEST, Problem, read_source
from codeacumen.corpus.sources.git_tree import GitRoot
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.facts import Facts, read_facts
from codeacumen.renames.records import (
    RENAMES,
    STABLE,
    Rename,
    StableMethod,
    read_renames,
    read_stable,
)

# A rename with one of these tags does not show whether a name fits, or no checker could foresee it.
EXCLUDED_TAGS = frozenset(
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
# Number of parts of the cross-validation by file.
FOLDS = 5
# Number of file versions to read; more would take minutes and change the result little.
MAX_VERSIONS = 2000

# Version of a file: a commit and the path in that commit.
Version: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A method with a wrong name (``wrong``, it was renamed) or a right one.

    ``owner``, ``name`` and ``parameters`` (types) identify the method in its file. ``version`` is
    where the model judges the method. ``file`` is the path after the rename; it determines the
    fold.
    """

    version: Version
    file: str
    owner: str
    name: str
    parameters: tuple[str, ...]
    wrong: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """A case and the model's probability that its name is wrong; 0 if the model cannot judge it."""

    case: Case
    probability: float


@dataclass(frozen=True, slots=True)
class CalibrationCases:
    """Cases, and how many renames each tag excluded; a rename counts for its first tag only."""

    cases: list[Case]
    excluded_tags: Counter[str]


def load_cases(mined: Path) -> CalibrationCases:
    """Return the cases of a folder that ``codeacumen renames mine`` wrote."""
    excluded_tags: Counter[str] = Counter()
    cases: list[Case] = []
    for rename in read_renames(mined / RENAMES):
        tags = sorted(EXCLUDED_TAGS.intersection(rename.tags))
        if tags:
            excluded_tags[tags[0]] += 1
        else:
            cases.append(_case_from_rename(rename))
    files = {case.file for case in cases}
    cases += [
        _case_from_stable_method(method)
        for method in read_stable(mined / STABLE)
        if method.path in files and not EXCLUDED_TAGS.intersection(method.tags)
    ]
    return CalibrationCases(cases, excluded_tags)


def _case_from_rename(rename: Rename) -> Case:
    version = (rename.parent, rename.path_before)
    return Case(version, rename.path, rename.owner, rename.old_name, rename.parameters, True)


def _case_from_stable_method(method: StableMethod) -> Case:
    version = (method.commit, method.path)
    return Case(version, method.path, method.owner, method.name, method.parameters, False)


def judge_cases(
    repository: Path, cases: Sequence[Case], background: str, step: Progress
) -> list[Judgement]:
    """Return judgements of the cases, by cross-validation over files.

    ``background`` is a file, ``none``, or empty for the one that the package ships (see
    ``create_assessor``); ``step`` reports progress. Cases whose version is not sampled or does not
    contain the method are skipped. The judgements are sorted by fold, then by version.
    """
    all_cases_by_version: dict[Version, list[Case]] = {}
    for case in cases:
        all_cases_by_version.setdefault(case.version, []).append(case)
    versions = _sample_versions(all_cases_by_version)
    git_dir = Path(pygit2.Repository(str(repository)).path)
    facts_by_version: dict[Version, list[Facts]] = {}
    cases_by_version: dict[Version, list[tuple[Case, Facts]]] = {}
    for number, version in enumerate(versions):
        step("reading", number, len(versions))
        facts_by_version[version], cases_by_version[version] = _read_version(
            git_dir, version, all_cases_by_version[version]
        )
    judgements: list[Judgement] = []
    for number in range(FOLDS):
        step("judging", number, FOLDS)
        # The cases of a version normally have one ``file``; the first case determines the fold.
        fold_versions = [
            version
            for version in versions
            if _assign_fold(all_cases_by_version[version][0].file) == number
        ]
        judgements += _judge_fold(
            fold_versions, facts_by_version, cases_by_version, number, background
        )
    return judgements


def _sample_versions(cases_by_version: dict[Version, list[Case]]) -> list[Version]:
    """Return at most ``MAX_VERSIONS`` versions, sorted; prefer those with a wrong name.

    Among equals, those with the smallest hashes are sampled, so the sample is always the same.
    """

    def sort_key(version: Version) -> tuple[bool, str]:
        digest = hashlib.sha256("\0".join(version).encode("utf-8", "surrogatepass")).hexdigest()
        return not any(case.wrong for case in cases_by_version[version]), digest

    return sorted(sorted(cases_by_version, key=sort_key)[:MAX_VERSIONS])


def _assign_fold(path: str) -> int:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % FOLDS


def _read_version(
    git_dir: Path, version: Version, cases: Iterable[Case]
) -> tuple[list[Facts], list[tuple[Case, Facts]]]:
    """Return the facts of all methods of a file version, and the cases among them."""
    commit, path = version
    data = GitRoot(git_dir, commit).read_file(path, LARGEST)
    source = data if isinstance(data, Problem) else read_source(path, data)
    if isinstance(source, Problem):
        return [], []
    file = JavaFile(source.data)
    # With the commit in the path, the model takes two versions of one file for two files.
    facts = read_facts(file, f"{path}\0{commit}")
    facts_by_signature: dict[tuple[str, str, tuple[str, ...]], Facts] = {}
    for method_facts in facts:
        method = file.declarations.methods[method_facts.method_index]
        owner = ".".join(file.declarations.type_path(method.type))
        parameter_types = tuple(parameter.type for parameter in method.parameters)
        facts_by_signature.setdefault((owner, method_facts.name, parameter_types), method_facts)
    keys = [(case, (case.owner, case.name, case.parameters)) for case in cases]
    return facts, [
        (case, facts_by_signature[key]) for case, key in keys if key in facts_by_signature
    ]


def _judge_fold(
    versions: Sequence[Version],
    facts_by_version: dict[Version, list[Facts]],
    cases_by_version: dict[Version, list[tuple[Case, Facts]]],
    fold: int,
    background: str,
) -> list[Judgement]:
    """Return judgements of the cases of one fold by a model that has learned from the other folds.

    ``versions`` are those of the fold; the model also learns each version before it judges it.
    """
    model = create_assessor(background)
    training_facts: list[Facts] = []
    for version in sorted(cases_by_version):
        for case, method_facts in cases_by_version[version]:
            # The model counts a method once per path. As in ``_read_version``, a path contains the
            # commit; for a stable method, ``file`` is the path in that commit.
            if not case.wrong and _assign_fold(case.file) != fold:
                training_facts.append(replace(method_facts, path=f"{case.file}\0{version[0]}"))
    model.learn_methods(training_facts)
    pickled_model = pickle.dumps(model)
    judgements: list[Judgement] = []
    for version in versions:
        version_model: Assessor = pickle.loads(pickled_model)
        version_model.learn_methods(facts_by_version[version])
        verdicts = version_model.assess_methods(
            [method_facts for _, method_facts in cases_by_version[version]]
        )
        judgements += [
            Judgement(case, 0.0 if verdict is None else verdict.wrong)
            for (case, _), verdict in zip(cases_by_version[version], verdicts, strict=True)
        ]
    return judgements


# With fewer renames no threshold is chosen: the interval of a precision would span half of [0, 1].
MIN_RENAMES = 20
CONFIDENCE_LEVEL = 0.95
# Thresholds of the printed table.
TABLE_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Point:
    """Results at a threshold: how many names are reported, how many of those are wrong, and
    precision and recall with their confidence intervals.

    ``wrong`` here counts reported names only; ``Calibration.wrong`` counts all wrong names.
    """

    threshold: float
    reported: int
    wrong: int
    precision: float
    precision_bounds: tuple[float, float]
    recall: float
    recall_bounds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Precision and recall at all useful thresholds, and the chosen threshold.

    ``wrong`` and ``right`` count the wrong and the right names. ``curve`` has a point for each
    probability above 0 that the model gave to a wrong name, by rising threshold. ``chosen`` is the
    point with the greatest recall among those that reach the target precision; None if no point
    does, or if there are too few renames.
    """

    wrong: int
    right: int
    target_precision: float
    curve: tuple[Point, ...]
    chosen: Point | None

    @property
    def too_few(self) -> bool:
        return self.wrong < MIN_RENAMES


def calibrate_threshold(judgements: Sequence[Judgement], target_precision: float) -> Calibration:
    """Compute the precision-recall curve and choose the threshold for the target precision."""
    wrong = sorted(
        (judgement.probability for judgement in judgements if judgement.case.wrong), reverse=True
    )
    right = sorted(
        (judgement.probability for judgement in judgements if not judgement.case.wrong),
        reverse=True,
    )
    thresholds = sorted({probability for probability in wrong if probability > 0})
    curve = tuple(compute_point(wrong, right, threshold) for threshold in thresholds)
    candidates = [point for point in curve if point.precision >= target_precision]
    # At equal recall, the higher threshold reports fewer right names.
    best = max(candidates, key=lambda point: (point.recall, point.threshold), default=None)
    return Calibration(
        len(wrong), len(right), target_precision, curve, best if len(wrong) >= MIN_RENAMES else None
    )


def compute_point(wrong: Sequence[float], right: Sequence[float], threshold: float) -> Point:
    """Return the results at a threshold, from the probabilities of the wrong and right names."""
    hits = sum(probability >= threshold for probability in wrong)
    reported = hits + sum(probability >= threshold for probability in right)
    return Point(
        threshold,
        reported,
        hits,
        hits / reported if reported else 0.0,
        wilson_interval(hits, reported),
        hits / len(wrong) if wrong else 0.0,
        wilson_interval(hits, len(wrong)),
    )


def tabulate_points(judgements: Sequence[Judgement]) -> list[Point]:
    """Return precision and recall at the round thresholds of the printed table."""
    wrong = [judgement.probability for judgement in judgements if judgement.case.wrong]
    right = [judgement.probability for judgement in judgements if not judgement.case.wrong]
    return [compute_point(wrong, right, threshold) for threshold in TABLE_THRESHOLDS]


def wilson_interval(hits: int, total: int) -> tuple[float, float]:
    """Return the Wilson score interval of ``hits`` of ``total``; (0, 1) if nothing was counted."""
    if not total:
        return 0.0, 1.0
    from scipy.stats import binomtest

    interval = binomtest(hits, total).proportion_ci(CONFIDENCE_LEVEL, method="wilson")
    return float(interval.low), float(interval.high)


def calibration_to_json(calibration: Calibration) -> Json:
    """Return the output of ``codeacumen names calibrate --json``."""
    return {
        "renamed": calibration.wrong,
        "stable": calibration.right,
        "precision": calibration.target_precision,
        "too_few": calibration.too_few,
        "threshold": None if calibration.chosen is None else round_threshold(calibration.chosen),
        "curve": [_point_to_json(point) for point in calibration.curve],
    }


def _point_to_json(point: Point) -> Json:
    return {
        "threshold": point.threshold,
        "reported": point.reported,
        "wrong": point.wrong,
        "precision": point.precision,
        "precision_bounds": list(point.precision_bounds),
        "recall": point.recall,
        "recall_bounds": list(point.recall_bounds),
    }


def round_threshold(point: Point) -> float:
    """Return the threshold of a point, rounded down to four decimals to keep the recall."""
    return int(point.threshold * 10_000) / 10_000


def write_curve_plot(calibration: Calibration, file: Path) -> None:
    """Write the curve as an image or an HTML page; the suffix of the file decides which."""
    import vl_convert

    renderers = {
        ".png": lambda: vl_convert.vegalite_to_png(_build_plot_spec(calibration), scale=2),
        ".svg": lambda: vl_convert.vegalite_to_svg(_build_plot_spec(calibration)).encode(),
        ".html": lambda: vl_convert.vegalite_to_html(_build_plot_spec(calibration)).encode(),
    }
    render = renderers.get(file.suffix.lower())
    if render is None:
        raise CodeacumenError(f"{file}: unknown image format", f"use {', '.join(renderers)}")
    write_atomically(file, render())


def _build_plot_spec(calibration: Calibration) -> Json:
    """Return the Vega-Lite specification of the precision-recall curve."""
    rows = [
        {
            "recall": point.recall,
            "precision": point.precision,
            "low": point.precision_bounds[0],
            "high": point.precision_bounds[1],
        }
        for point in calibration.curve
    ]

    def build_axis(name: str, title: str) -> Json:
        return {"field": name, "type": "quantitative", "scale": {"domain": [0, 1]}, "title": title}

    recall = build_axis("recall", "recall: share of renamed methods that are reported")
    precision = "precision: share of reported methods that were renamed"
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 480,
        "height": 320,
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {
                    "x": recall,
                    "y": build_axis("low", precision),
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "point": True},
                "encoding": {
                    "x": recall,
                    "y": build_axis("precision", precision),
                    "order": {"field": "recall"},
                },
            },
            {
                "data": {"values": [{"wanted": calibration.target_precision}]},
                "mark": {"type": "rule", "strokeDash": [4, 4]},
                "encoding": {"y": build_axis("wanted", precision)},
            },
        ],
    }


def write_threshold(file: Path, threshold: float) -> None:
    """Write the threshold into the checker's table of a settings file; keep other settings.

    The text is edited line by line, so that comments stay, and then parsed to check the result.
    """
    head = "[tool.codeacumen.names]" if file.name == SHARED_FILE else "[names]"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    line = f"threshold = {threshold:g}"
    changed = _set_threshold_line(text, head, line)
    try:
        table = tomllib.loads(changed)
        for part in head.strip("[]").split("."):
            table = table[part]
        is_written = table["threshold"] == threshold
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        is_written = False
    if not is_written:
        raise CodeacumenError(
            f"{file}: cannot insert the threshold", f"write this line below {head}: {line}"
        )
    write_atomically(file, changed.encode())


def _set_threshold_line(text: str, head: str, line: str) -> str:
    """Replace the threshold's line in the TOML text, or add it below the table header ``head``."""
    section = re.search(rf"^[ \t]*{re.escape(head)}[ \t]*(?:#.*)?$", text, re.MULTILINE)
    if section is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{head}\n{line}\n"
    next_section = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, section.end())
    end = next_section.start() if next_section else len(text)
    body = text[section.end() : end]
    old_line = re.compile(r"^[ \t]*threshold[ \t]*=.*$", re.MULTILINE)
    body = old_line.sub(line, body, count=1) if old_line.search(body) else f"\n{line}{body}"
    return text[: section.end()] + body + text[end:]
