"""The tasks, from the published data to scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import Answer, Capability, CodeacumenError, Pair
from codeacumen.benchmarks.sesame import FLAVOURS
from codeacumen.benchmarks.sesame import make_task as make_sesame_task
from codeacumen.benchmarks.sesame.baselines import make_measure
from codeacumen.registry import list_input_levels, list_task_groups, make_task
from codeacumen.runs.overall import task_seed
from codeacumen.runs.scoring import Settings, score
from codeacumen.views.masking.levels import LEVELS, shown

QUICK = Settings(resamples=20)


def test_what_is_asked(sesame: Path) -> None:
    task = make_sesame_task("goals", "bare")
    assert task.card.name == "sesame/goals/bare"
    assert task.card.capability is Capability.SIMILARITY
    instances = task.instances()
    assert len(instances) == 857
    first, whole = instances[0], make_sesame_task("goals", "whole").instances()[0]
    assert isinstance(first.input, Pair)
    assert isinstance(whole.input, Pair)
    assert first.input.relation == "goals"
    assert first.input.left == shown(whole.input.left, "bare") != whole.input.left
    assert first.truth == whole.truth == make_sesame_task("goals", "unnamed").instances()[0].truth
    assert first.truth == {"value": 2.0, "mean": 2.0, "majority": 2.0, "majority_all": 2.0}
    # Neither all pairs by themselves nor a few lumps.
    assert 300 < len({one.cluster for one in instances}) < 500
    ceiling = task.card.ceiling
    assert ceiling is not None
    assert 0.86 < ceiling.value < 0.88


def test_without_the_data_there_is_a_card_and_advice(home: Path) -> None:
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
        said = model.similarity([one.input for one in instances])  # type: ignore[misc]
        answers = {
            one.id: Answer(one.id, value) for one, value in zip(instances, said, strict=True)
        }
        scores, unreadable = score(task, instances, answers, QUICK)
        assert not unreadable
        found = {(one.metric, one.slice): one.value for one in scores}
        assert scores[0].metric == "spearman"
        assert found["roc_auc", ""] == pytest.approx(auc, abs=5e-4)
        best, trivial = found["best_f1", ""], found["all_positive_f1", ""]
        assert best is not None
        assert trivial is not None
        assert 0 < trivial < best < 1
        assert found["roc_auc", "approach differs"] is not None


def test_docsim_is_not_asked_where_comments_are_hidden() -> None:
    assert "sesame/goals/bare" not in make_measure("docsim").only
    assert len(make_measure("toksim").only) == 12


def test_an_unknown_pair_has_no_published_value(sesame: Path) -> None:
    assert make_measure("docsim").similarity([Pair("class A {}", "class B {}")]) == [None]


def test_aspects_of_a_sight_form_one_group() -> None:
    groups = {group.name: group.tasks for group in list_task_groups()}
    for level in LEVELS:
        assert groups[f"sesame/{level}"] == tuple(
            f"sesame/{flavour}/{level}" for flavour in FLAVOURS
        )


def test_all_sesame_tasks_share_the_seed_of_their_resamples(sesame: Path) -> None:
    (levels,) = [levels for levels in list_input_levels() if levels.benchmark == "sesame"]
    tasks = [task for tasks in levels.tasks.values() for task in tasks]
    assert len(tasks) == 12
    assert len({task_seed(7, make_task(task).instances()) for task in tasks}) == 1
