"""Tests of the tasks, from the published data to scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import Answer, Capability, CodeacumenError, Pair
from codeacumen.benchmarks.sesame import FLAVOURS
from codeacumen.benchmarks.sesame import make_task as make_sesame_task
from codeacumen.benchmarks.sesame.baselines import make_measure
from codeacumen.registry import list_input_levels, list_task_groups, make_task
from codeacumen.runs.overall import compute_task_seed
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.views.masking.levels import LEVELS, show_level

QUICK = ScoringSettings(resamples=20)


def test_instances_of_a_task(sesame: Path) -> None:
    task = make_sesame_task("goals", "bare")
    assert task.card.name == "sesame/goals/bare"
    assert task.card.capability is Capability.SIMILARITY
    instances = task.instances()
    assert len(instances) == 857
    first, unmasked = instances[0], make_sesame_task("goals", "whole").instances()[0]
    assert isinstance(first.input, Pair)
    assert isinstance(unmasked.input, Pair)
    assert first.input.relation == "goals"
    assert first.input.left == show_level(unmasked.input.left, "bare") != unmasked.input.left
    assert (
        first.truth == unmasked.truth == make_sesame_task("goals", "unnamed").instances()[0].truth
    )
    assert first.truth == {"value": 2.0, "mean": 2.0, "majority": 2.0, "majority_all": 2.0}
    # Clusters are neither all single pairs nor a few large ones.
    assert 300 < len({instance.cluster for instance in instances}) < 500
    ceiling = task.card.ceiling
    assert ceiling is not None
    assert 0.86 < ceiling.value < 0.88


def test_task_without_data_has_a_card_and_a_helpful_error(home: Path) -> None:
    task = make_sesame_task("effects", "whole")
    assert task.card.ceiling is None
    with pytest.raises(CodeacumenError, match="sesame is not on this machine"):
        task.instances()


def test_scores_of_the_published_measures(sesame: Path) -> None:
    for measure, level, flavour, auc in (
        ("docsim", "whole", "goals", 0.942),
        ("toksim", "whole", "operations", 0.822),
        ("toksim", "bare", "operations", 0.822),
    ):
        task = make_sesame_task(flavour, level)
        instances = task.instances()
        model = make_measure(measure)
        assert task.card.name in model.only
        similarities = model.similarity([instance.input for instance in instances])  # type: ignore[misc]
        answers = {
            instance.id: Answer(instance.id, value)
            for instance, value in zip(instances, similarities, strict=True)
        }
        scores, unreadable = compute_scores(task, instances, answers, QUICK)
        assert not unreadable
        value_by_metric = {
            (one_score.metric, one_score.slice): one_score.value for one_score in scores
        }
        assert scores[0].metric == "spearman"
        assert value_by_metric["roc_auc", ""] == pytest.approx(auc, abs=5e-4)
        best, trivial = value_by_metric["best_f1", ""], value_by_metric["all_positive_f1", ""]
        assert best is not None
        assert trivial is not None
        assert 0 < trivial < best < 1
        assert value_by_metric["roc_auc", "approach differs"] is not None


def test_docsim_skips_levels_without_comments() -> None:
    assert "sesame/goals/bare" not in make_measure("docsim").only
    assert len(make_measure("toksim").only) == 12


def test_an_unknown_pair_has_no_published_value(sesame: Path) -> None:
    assert make_measure("docsim").similarity([Pair("class A {}", "class B {}")]) == [None]


def test_flavours_of_a_level_form_one_group() -> None:
    groups = {group.name: group.tasks for group in list_task_groups()}
    for level in LEVELS:
        assert groups[f"sesame/{level}"] == tuple(
            f"sesame/{flavour}/{level}" for flavour in FLAVOURS
        )


def test_all_sesame_tasks_share_their_resampling_seed(sesame: Path) -> None:
    (levels,) = [levels for levels in list_input_levels() if levels.benchmark == "sesame"]
    tasks = [task for tasks in levels.tasks.values() for task in tasks]
    assert len(tasks) == 12
    assert len({compute_task_seed(7, make_task(task).instances()) for task in tasks}) == 1
