"""Precision and recall at thresholds; statsmodels and scikit-learn are the oracles."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.checker.calibrate import (
    FEWEST,
    Case,
    Judged,
    calibration,
    plot,
    rounded,
    table,
    wilson,
    write_threshold,
)


def cases(wrong: list[float], right: list[float]) -> list[Judged]:
    def one(probability: float, is_wrong: bool) -> Judged:
        return Judged(Case(("", ""), "", "", "", (), is_wrong), probability)

    return [*(one(p, True) for p in wrong), *(one(p, False) for p in right)]


@pytest.fixture
def drawn() -> tuple[list[float], list[float]]:
    random = np.random.default_rng(0)
    wrong = np.round(random.beta(3, 2, 80), 2).tolist()
    return wrong, np.round(random.beta(1, 4, 900), 2).tolist()


def test_the_curve_is_that_of_scikit_learn(drawn: tuple[list[float], list[float]]) -> None:
    from sklearn.metrics import precision_recall_curve

    wrong, right = drawn
    truth = [1] * len(wrong) + [0] * len(right)
    precision, recall, thresholds = precision_recall_curve(truth, wrong + right)
    expected = {
        float(t): (p, r) for t, p, r in zip(thresholds, precision[:-1], recall[:-1], strict=True)
    }
    found = calibration(cases(wrong, right), 0.8).curve
    assert {one.threshold for one in found} == {p for p in wrong if p > 0}
    for one in found:
        assert (one.precision, one.recall) == pytest.approx(expected[one.threshold])


def test_the_interval_is_that_of_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for hits, of in ((0, 5), (3, 7), (40, 50), (19, 19)):
        assert wilson(hits, of) == pytest.approx(proportion_confint(hits, of, 0.05, "wilson"))
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_threshold_finds_most_at_the_wanted_precision(
    drawn: tuple[list[float], list[float]],
) -> None:
    wrong, right = drawn
    for wanted in (0.3, 0.5, 0.8):
        found = calibration(cases(wrong, right), wanted)
        assert found.chosen is not None
        assert found.chosen.precision >= wanted
        better = [one for one in found.curve if one.recall > found.chosen.recall]
        assert all(one.precision < wanted for one in better)
        # Written with few digits, it still tells the same names.
        least = rounded(found.chosen)
        assert least <= found.chosen.threshold
        assert sum(p >= least for p in wrong) == found.chosen.wrong


def test_too_few_tell_nothing() -> None:
    few = calibration(cases([0.9] * (FEWEST - 1), [0.1]), 0.5)
    assert (few.too_few, few.chosen) == (True, None)
    enough = calibration(cases([0.9] * FEWEST, [0.1]), 0.5)
    assert enough.chosen is not None
    assert calibration(cases([0.1] * 50, [0.9] * 500), 0.8).chosen is None
    assert calibration([], 0.8).curve == ()
    assert [one.told for one in table([])] == [0] * 11


@pytest.mark.parametrize("name", ["curve.png", "curve.svg", "curve.html"])
def test_plots(drawn: tuple[list[float], list[float]], tmp_path: Path, name: str) -> None:
    plot(calibration(cases(*drawn), 0.8), tmp_path / name)
    assert len((tmp_path / name).read_bytes()) > 2000


def test_no_such_plot(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="unknown image format"):
        plot(calibration([], 0.8), tmp_path / "curve.txt")


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
def test_written_into_settings(tmp_path: Path, name: str, before: str) -> None:
    file = tmp_path / name
    if before:
        file.write_text(before)
    write_threshold(file, 0.625)
    told = tomllib.loads(file.read_text())
    old = tomllib.loads(before)
    at = told["tool"]["codeacumen"]["names"] if name == "pyproject.toml" else told["names"]
    assert at.pop("threshold") == 0.625
    # All else is as it was, comments too.
    for key in ("other", "project", "a"):
        assert told.get(key) == old.get(key)
    assert at.get("tests") == old.get("names", {}).get("tests")
    assert before.count("# mine") == file.read_text().count("# mine")


@pytest.mark.parametrize("before", ["[names\n", "names = 3\n", "names.threshold = 0.1\n"])
def test_what_cannot_be_written_is_told(tmp_path: Path, before: str) -> None:
    file = tmp_path / ".codeacumen.toml"
    file.write_text(before)
    with pytest.raises(CodeacumenError, match="cannot insert the threshold"):
        write_threshold(file, 0.5)
    assert file.read_text() == before
