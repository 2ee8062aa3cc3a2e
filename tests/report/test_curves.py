"""Curves of judged names: scikit-learn's points, and where there are none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_auc_score

from codeacumen.api import Answer, Capability, Instance, Method, NamedMethod
from codeacumen.report.curves import MOST, curve_plots
from codeacumen.report.evidence import Evidence


def merged(models: dict[str, float], capability: Capability = Capability.JUDGE) -> Any:
    cells = [
        SimpleNamespace(model=name, scores=[SimpleNamespace(value=value)])
        for name, value in models.items()
    ]
    card = SimpleNamespace(name="names/check", title="Check", capability=capability)
    return SimpleNamespace(
        tasks={"names/check": card},
        slugs={"names/check": "names-check"},
        of_task=lambda name: cells,
    )


def evidence(right: list[float], fitness: dict[str, list[float]]) -> dict[str, Evidence]:
    asked = [
        Instance(f"q{i}", NamedMethod(Method(f"m{i}", "void f() {}"), "f"), {"value": one})
        for i, one in enumerate(right)
    ]
    read = {
        model: {f"q{i}": Answer(f"q{i}", one) for i, one in enumerate(values)}
        for model, values in fitness.items()
    }
    return {"names/check": Evidence(read, read, asked)}


def lines(plot: Any, model: str) -> list[dict[str, float]]:
    tables = [one["data"] for one in plot.spec["layer"]]
    tables = [
        plot.spec["datasets"][one["name"]] if "name" in one else one["values"] for one in tables
    ]
    return [row for table in tables for row in table if row.get("model") == model]


def test_points_are_those_of_scikit_learn() -> None:
    draw = np.random.default_rng(1)
    right = (draw.random(120) < 0.6).astype(float).tolist()
    fitness = [round(0.3 * one + float(draw.random()), 2) for one in right]
    first, second = curve_plots(merged({"one": 0.7}), evidence(right, {"one": fitness}))
    wrong = 1 - np.array(right)
    precision, recall, _ = precision_recall_curve(wrong, -np.array(fitness))
    found = {(row["recall"], row["precision"]) for row in lines(first, "one")}
    pairs = zip(recall[:-1].tolist(), precision[:-1].tolist(), strict=True)
    expected = {(round(one, 4), round(other, 4)) for one, other in pairs}
    # scikit-learn drops nothing at the end where recall is whole; both have all that differ.
    assert expected <= found
    points = lines(second, "one")
    area = np.trapezoid([p["recall"] for p in points], [p["false alarms"] for p in points])
    assert area == pytest.approx(roc_auc_score(wrong, -np.array(fitness)), abs=1e-3)


def test_long_curves_are_thinned_and_few_models_drawn() -> None:
    draw = np.random.default_rng(2)
    right = (draw.random(2000) < 0.5).astype(float).tolist()
    fitness = {f"m{i}": draw.random(2000).tolist() for i in range(9)}
    scores = {name: i / 10 for i, name in enumerate(fitness)}
    first, _ = curve_plots(merged(scores), evidence(right, fitness))
    assert len(lines(first, "m8")) == MOST + 1
    assert lines(first, "m2") == []


@pytest.mark.parametrize("right", [[1.0, 1.0], [0.0, 0.0], [0.5, 1.0], []])
def test_no_curve_where_there_is_nothing_to_find(right: list[float]) -> None:
    assert curve_plots(merged({"one": 1.0}), evidence(right, {"one": right})) == []
    assert curve_plots(merged({"one": 1.0}, Capability.NAME), evidence([0.0, 1.0], {})) == []
