"""Tests of the curves of judged names against scikit-learn, and of runs without curves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_auc_score

from codeacumen.api import Answer, Capability, Instance, Method, NamedMethod
from codeacumen.report.curves import MAX_POINTS, curve_plots
from codeacumen.report.merged_runs import Evidence


def make_merged_runs(models: dict[str, float], capability: Capability = Capability.JUDGE) -> Any:
    cells = [
        SimpleNamespace(model=name, scores=[SimpleNamespace(value=value)])
        for name, value in models.items()
    ]
    card = SimpleNamespace(name="names/check", title="Check", capability=capability)
    return SimpleNamespace(
        tasks={"names/check": card},
        slugs={"names/check": "names-check"},
        cells_of_task=lambda name: cells,
    )


def make_evidence(right: list[float], fitness: dict[str, list[float]]) -> dict[str, Evidence]:
    instances = [
        Instance(
            f"q{index}", NamedMethod(Method(f"m{index}", "void f() {}"), "f"), {"value": truth}
        )
        for index, truth in enumerate(right)
    ]
    answers = {
        model: {
            f"q{index}": Answer(f"q{index}", fitness_value)
            for index, fitness_value in enumerate(values)
        }
        for model, values in fitness.items()
    }
    return {"names/check": Evidence(answers, answers, instances)}


def list_rows(plot: Any, model: str) -> list[dict[str, float]]:
    tables = [layer["data"] for layer in plot.spec["layer"]]
    tables = [
        plot.spec["datasets"][layer_data["name"]] if "name" in layer_data else layer_data["values"]
        for layer_data in tables
    ]
    return [row for table in tables for row in table if row.get("model") == model]


def test_points_agree_with_scikit_learn() -> None:
    random_source = np.random.default_rng(1)
    right = (random_source.random(120) < 0.6).astype(float).tolist()
    fitness = [round(0.3 * truth + float(random_source.random()), 2) for truth in right]
    first, second = curve_plots(
        make_merged_runs({"one": 0.7}), make_evidence(right, {"one": fitness})
    )
    is_wrong = 1 - np.array(right)
    precision, recall, _ = precision_recall_curve(is_wrong, -np.array(fitness))
    our_points = {(row["recall"], row["precision"]) for row in list_rows(first, "one")}
    pairs = zip(recall[:-1].tolist(), precision[:-1].tolist(), strict=True)
    expected = {
        (round(recall_value, 4), round(precision_value, 4))
        for recall_value, precision_value in pairs
    }
    # scikit-learn keeps all points at full recall, which may repeat; the sets contain all others.
    assert expected <= our_points
    points = list_rows(second, "one")
    area = np.trapezoid(
        [point["recall"] for point in points], [point["false alarms"] for point in points]
    )
    assert area == pytest.approx(roc_auc_score(is_wrong, -np.array(fitness)), abs=1e-3)


def test_long_curves_are_thinned_and_few_models_are_shown() -> None:
    random_source = np.random.default_rng(2)
    right = (random_source.random(2000) < 0.5).astype(float).tolist()
    fitness = {f"m{i}": random_source.random(2000).tolist() for i in range(9)}
    scores = {name: i / 10 for i, name in enumerate(fitness)}
    first, _ = curve_plots(make_merged_runs(scores), make_evidence(right, fitness))
    assert len(list_rows(first, "m8")) == MAX_POINTS + 1
    assert list_rows(first, "m2") == []


@pytest.mark.parametrize("right", [[1.0, 1.0], [0.0, 0.0], [0.5, 1.0], []])
def test_no_curve_without_both_right_and_wrong_names(right: list[float]) -> None:
    assert curve_plots(make_merged_runs({"one": 1.0}), make_evidence(right, {"one": right})) == []
    assert (
        curve_plots(make_merged_runs({"one": 1.0}, Capability.NAME), make_evidence([0.0, 1.0], {}))
        == []
    )
