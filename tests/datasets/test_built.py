"""Tests of built data sets: their tasks, and errors for folders without a data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.datasets.built import find_built_dataset, load_data, load_named_data, read_built
from codeacumen.registry import list_data_families, list_names, make_task, select_tasks
from robustness_dataset import tasks_forgotten, write_data

__all__ = ["tasks_forgotten"]

pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_load_data_registers_the_tasks(tmp_path: Path) -> None:
    before = list_names("task")
    assert not [name for name in before if name.startswith("robustness")]
    # A kind without variants is not a task.
    assert load_data(write_data(tmp_path / "data")) == ["robustness/rename", "robustness/loop"]
    assert list_names("task") == [*before, "robustness/rename", "robustness/loop"]
    assert select_tasks(["robustness"]) == ["robustness/rename", "robustness/loop"]
    assert make_task("robustness/loop").card.name == "robustness/loop"


def test_loading_a_folder_twice_changes_nothing(tmp_path: Path) -> None:
    folder = write_data(tmp_path / "data")
    assert load_data(folder) == load_data(tmp_path / "data" / ".." / "data")


def test_two_data_sets_of_a_family_in_one_command_are_an_error(tmp_path: Path) -> None:
    references = [f"robustness@{write_data(tmp_path / name)}" for name in ("one", "two")]
    with pytest.raises(
        CodeacumenError, match="two data sets have a task robustness/rename"
    ) as error:
        load_named_data(references)
    assert "one after the other" in error.value.hint
    assert load_named_data([references[0], "robustness/rename"]) == [
        "robustness",
        "robustness/rename",
    ]


def test_data_set_replaces_another_of_its_family_by_default(tmp_path: Path) -> None:
    first, second = (write_data(tmp_path / name) for name in ("one", "two"))
    load_data(first)
    load_data(second, keep_loaded=True)
    assert find_built_dataset("robustness/rename").folder == first.resolve()
    load_data(second)
    assert find_built_dataset("robustness/rename").folder == second.resolve()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"family": "recipes"}, "unknown family of data sets 'recipes'"),
        ({"schema": 1}, "the schema is 1"),
        ({"files": None}, "does not describe a data set"),
        ({"counts": []}, "does not describe a data set"),
    ],
)
def test_invalid_dataset_json_is_reported(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(CodeacumenError, match=message) as error:
        read_built(write_data(tmp_path, **changes))
    assert error.value.hint


def test_newer_schema_hints_at_an_upgrade(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError) as error:
        read_built(write_data(tmp_path, schema=99))
    assert error.value.hint == "upgrade codeacumen"


def test_similarity_pairs_with_revealing_ids_are_refused(tmp_path: Path) -> None:
    """The ids of schema 3 contained the labels."""
    with pytest.raises(CodeacumenError, match=r"schema is 3; .* reads schema 4") as error:
        read_built(write_data(tmp_path, family="similarity", schema=3))
    assert "codeacumen dataset build similarity CORPUS --out similarity" in error.value.hint
    assert read_built(write_data(tmp_path, family="similarity", schema=4)).family == "similarity"


def test_folder_without_data_set_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="No such file") as error:
        read_built(tmp_path)
    assert "codeacumen dataset" in error.value.hint
    (tmp_path / "dataset.json").write_text("{")
    with pytest.raises(CodeacumenError, match="not JSON"):
        read_built(tmp_path)
    (tmp_path / "dataset.json").write_text("[]")
    with pytest.raises(CodeacumenError, match="does not describe a data set"):
        read_built(tmp_path)


@pytest.mark.parametrize("name", ["originals.jsonl", "variants.jsonl"])
def test_changed_file_is_reported(tmp_path: Path, name: str) -> None:
    load_data(write_data(tmp_path))
    with (tmp_path / name).open("a") as stream:
        stream.write("{}\n")
    with pytest.raises(CodeacumenError, match=f"{name} is missing or damaged"):
        make_task("robustness/rename").instances()
    (tmp_path / name).unlink()
    with pytest.raises(CodeacumenError, match=f"{name} is missing or damaged"):
        make_task("robustness/rename").instances()


def test_every_family_has_its_module() -> None:
    import importlib

    families = list_data_families()
    assert {family.name for family in families} == {
        "gluecode",
        "robustness",
        "similarity",
        "renames",
        "misnamed",
        "identifiers",
    }
    for family in families:
        assert callable(importlib.import_module(family.module).list_tasks)
