"""Tests of the tasks on a folder of renames. Oracle: the folder, written by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from codeacumen.api import Answer, CodeacumenError, Method, NamedMethod, Task
from codeacumen.datasets.built import load_data
from codeacumen.registry import make_task
from codeacumen.runs.scoring import ScoringSettings, compute_scores

NAMES = [
    "renames/check/balanced",
    "renames/check/imbalanced",
    "renames/check/by-name",
    "renames/recommend",
]


@pytest.fixture
def tasks(renamed: Path) -> dict[str, Task]:
    assert load_data(renamed) == NAMES
    return {name: make_task(name) for name in NAMES}


def test_balanced_has_old_and_new_name_of_each_text(tasks: dict[str, Task]) -> None:
    instances = tasks["renames/check/balanced"].instances()
    assert len(instances) == 8
    for old, new in zip(instances[::2], instances[1::2], strict=True):
        assert isinstance(old.input, NamedMethod)
        assert isinstance(new.input, NamedMethod)
        assert old.input.method.text == new.input.method.text
        assert (old.truth["label"], new.truth["label"]) == ("inconsistent", "consistent")
        assert old.input.name.startswith("fetch")
        assert new.input.name.startswith("load")
        text = old.input.method.text
        assert "load" not in text
        # A field with the old name is not masked, a call is.
        assert text.count(old.input.name) == 1
        assert f"+ {old.input.name};" in text
        assert text.count("METHOD_NAME") == 3
        assert "//" not in text


def test_imbalanced_has_the_stable_methods_and_no_new_names(tasks: dict[str, Task]) -> None:
    instances = tasks["renames/check/imbalanced"].instances()
    assert [instance.truth["value"] for instance in instances] == [0.0] * 4 + [1.0] * 8
    name_stems = {instance.input.name.rstrip("0123456789") for instance in instances}  # type: ignore[union-attr]
    assert name_stems == {"fetch", "run", "stop"}
    last = instances[-1].input
    assert isinstance(last, NamedMethod)
    assert last.method.text == f"void METHOD_NAME() {{ {last.name}Helper.METHOD_NAME(); }}"


@pytest.mark.parametrize("name", ["renames/check/balanced", "renames/check/imbalanced"])
def test_ids_do_not_reveal_the_label(tasks: dict[str, Task], name: str) -> None:
    """Models see the ids, and exported files have them."""
    for instance in tasks[name].instances():
        assert re.fullmatch("[0-9a-f]{16}", instance.id), instance.id
        assert isinstance(instance.input, NamedMethod)
        assert instance.input.method.id == instance.id


def test_recommend_keeps_other_uses_of_the_old_name(tasks: dict[str, Task]) -> None:
    task = tasks["renames/recommend"]
    first = task.instances()[0]
    assert isinstance(first.input, Method)
    assert first.truth.startswith("load")
    assert "inner.fetch" in first.input.text
    assert "load" not in first.input.text


def test_training_shares_no_method_with_instances(tasks: dict[str, Task]) -> None:
    for task in tasks.values():
        examples = task.training()  # type: ignore[attr-defined]
        training_inputs = {repr(example.input) for example in examples}
        assert not training_inputs & {repr(instance.input) for instance in task.instances()}
    recommend = tasks["renames/recommend"].training()  # type: ignore[attr-defined]
    # Four new names and the names of eight stable methods.
    assert len(recommend) == 12
    balanced = tasks["renames/check/balanced"].training()  # type: ignore[attr-defined]
    assert sorted({example.truth for example in balanced}) == [0.0, 1.0]


def test_scores_of_a_perfect_recommendation(tasks: dict[str, Task]) -> None:
    """A model that answers the fixed names detects and corrects all four wrong names."""
    task = tasks["renames/check/by-name"]
    instances = task.instances()
    answers = {instance.id: Answer(instance.id, instance.truth["fixed"]) for instance in instances}
    scores, _ = compute_scores(task, instances, answers, ScoringSettings(resamples=10))
    values = {one_score.metric: one_score.value for one_score in scores if not one_score.slice}
    assert values["accuracy_t85"] == values["f1_ic_corrected_t100"] == 1.0


def test_folder_without_train_split_has_no_training(renamed: Path) -> None:
    for name in ("cases.jsonl", "stable.jsonl"):
        path = renamed / name
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        lines = [json.dumps({**row, "split": "test"}, sort_keys=True) + "\n" for row in rows]
        path.write_text("".join(lines))
    about = json.loads((renamed / "dataset.json").read_text())
    from codeacumen.core.files import sha256_of

    about["files"] |= {
        file_name: sha256_of(renamed / file_name) for file_name in ("cases.jsonl", "stable.jsonl")
    }
    (renamed / "dataset.json").write_text(json.dumps(about))
    load_data(renamed)
    assert not hasattr(make_task("renames/check/balanced"), "training")
    assert len(make_task("renames/check/balanced").instances()) == 16


def test_damaged_file_is_reported(renamed: Path) -> None:
    with (renamed / "cases.jsonl").open("a") as stream:
        stream.write("{}\n")
    load_data(renamed)
    with pytest.raises(CodeacumenError, match=r"cases\.jsonl"):
        make_task("renames/check/balanced")
