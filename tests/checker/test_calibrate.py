"""Tests of precision and recall at thresholds. Oracles: statsmodels and scikit-learn."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.checker.calibrate import (
    MIN_RENAMES,
    Case,
    Judgement,
    calibrate_threshold,
    round_threshold,
    tabulate_points,
    wilson_interval,
    write_curve_plot,
    write_threshold,
)


def make_judged_cases(
    wrong_probabilities: list[float], right_probabilities: list[float]
) -> list[Judgement]:
    def make_judged(probability: float, is_wrong: bool) -> Judgement:
        return Judgement(Case(("", ""), "", "", "", (), is_wrong), probability)

    return [
        *(make_judged(probability, True) for probability in wrong_probabilities),
        *(make_judged(probability, False) for probability in right_probabilities),
    ]


@pytest.fixture
def probabilities() -> tuple[list[float], list[float]]:
    random = np.random.default_rng(0)
    wrong_probabilities = np.round(random.beta(3, 2, 80), 2).tolist()
    return wrong_probabilities, np.round(random.beta(1, 4, 900), 2).tolist()


def test_curve_equals_that_of_sklearn(probabilities: tuple[list[float], list[float]]) -> None:
    from sklearn.metrics import precision_recall_curve

    wrong_probabilities, right_probabilities = probabilities
    truth = [1] * len(wrong_probabilities) + [0] * len(right_probabilities)
    precision, recall, thresholds = precision_recall_curve(
        truth, wrong_probabilities + right_probabilities
    )
    expected = {
        float(t): (p, r) for t, p, r in zip(thresholds, precision[:-1], recall[:-1], strict=True)
    }
    curve = calibrate_threshold(
        make_judged_cases(wrong_probabilities, right_probabilities), 0.8
    ).curve
    assert {point.threshold for point in curve} == {p for p in wrong_probabilities if p > 0}
    for point in curve:
        assert (point.precision, point.recall) == pytest.approx(expected[point.threshold])


def test_interval_equals_that_of_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for hits, total in ((0, 5), (3, 7), (40, 50), (19, 19)):
        assert wilson_interval(hits, total) == pytest.approx(
            proportion_confint(hits, total, 0.05, "wilson")
        )
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_threshold_maximises_recall_at_the_target_precision(
    probabilities: tuple[list[float], list[float]],
) -> None:
    wrong_probabilities, right_probabilities = probabilities
    for target in (0.3, 0.5, 0.8):
        result = calibrate_threshold(
            make_judged_cases(wrong_probabilities, right_probabilities), target
        )
        assert result.chosen is not None
        assert result.chosen.precision >= target
        higher_recall = [point for point in result.curve if point.recall > result.chosen.recall]
        assert all(point.precision < target for point in higher_recall)
        # The rounded threshold reports the same names.
        threshold = round_threshold(result.chosen)
        assert threshold <= result.chosen.threshold
        assert (
            sum(probability >= threshold for probability in wrong_probabilities)
            == result.chosen.wrong
        )


def test_too_few_cases_choose_no_threshold() -> None:
    too_few = calibrate_threshold(make_judged_cases([0.9] * (MIN_RENAMES - 1), [0.1]), 0.5)
    assert (too_few.too_few, too_few.chosen) == (True, None)
    enough = calibrate_threshold(make_judged_cases([0.9] * MIN_RENAMES, [0.1]), 0.5)
    assert enough.chosen is not None
    assert calibrate_threshold(make_judged_cases([0.1] * 50, [0.9] * 500), 0.8).chosen is None
    assert calibrate_threshold([], 0.8).curve == ()
    assert [row.reported for row in tabulate_points([])] == [0] * 11


@pytest.mark.parametrize("name", ["curve.png", "curve.svg", "curve.html"])
def test_plot_writes_each_image_format(
    probabilities: tuple[list[float], list[float]], tmp_path: Path, name: str
) -> None:
    write_curve_plot(calibrate_threshold(make_judged_cases(*probabilities), 0.8), tmp_path / name)
    assert len((tmp_path / name).read_bytes()) > 2000


def test_unknown_image_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="unknown image format"):
        write_curve_plot(calibrate_threshold([], 0.8), tmp_path / "curve.txt")


@pytest.mark.parametrize(
    ("name", "before"),
    [
        (".codeacumen.toml", ""),
        (".codeacumen.toml", "[names]"),
        (".codeacumen.toml", "[names]\nthreshold = 0.1 # old\ntests = true\n"),
        (".codeacumen.toml", "# mine\n[names] # ours\ntests = true\n[other]\nthreshold = 3\n"),
        (".codeacumen.toml", "[other]\nthreshold = 3"),
        (
            "pyproject.toml",
            "[project]\nname = 'x'\n[tool.codeacumen.names]\nthreshold=0.2\n[a]\nb=1\n",
        ),
        ("pyproject.toml", "[project]\nname = 'x'\n"),
    ],
)
def test_threshold_is_written_into_settings(tmp_path: Path, name: str, before: str) -> None:
    file = tmp_path / name
    if before:
        file.write_text(before)
    write_threshold(file, 0.625)
    settings = tomllib.loads(file.read_text())
    old_settings = tomllib.loads(before)
    section = (
        settings["tool"]["codeacumen"]["names"] if name == "pyproject.toml" else settings["names"]
    )
    assert section.pop("threshold") == 0.625
    # Other settings and comments stay unchanged.
    for key in ("other", "project", "a"):
        assert settings.get(key) == old_settings.get(key)
    assert section.get("tests") == old_settings.get("names", {}).get("tests")
    assert before.count("# mine") == file.read_text().count("# mine")


@pytest.mark.parametrize("before", ["[names\n", "names = 3\n", "names.threshold = 0.1\n"])
def test_unwritable_settings_are_reported(tmp_path: Path, before: str) -> None:
    file = tmp_path / ".codeacumen.toml"
    file.write_text(before)
    with pytest.raises(CodeacumenError, match="cannot insert the threshold"):
        write_threshold(file, 0.5)
    assert file.read_text() == before
