"""Data sets that were made: their tasks, and what is said of folders that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.datasets.built import load_data, read_built
from codeacumen.registry import list_data_families, make_task, names, select_tasks
from datasets_by_hand import tasks_forgotten, write_data

__all__ = ["tasks_forgotten"]

pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_tasks_are_there_once_the_folder_is_named(tmp_path: Path) -> None:
    before = names("task")
    assert not [name for name in before if name.startswith("robustness")]
    # A kind without a variant is no task.
    assert load_data(write_data(tmp_path / "data")) == ["robustness/rename", "robustness/loop"]
    assert names("task") == [*before, "robustness/rename", "robustness/loop"]
    assert select_tasks(["robustness"]) == ["robustness/rename", "robustness/loop"]
    assert make_task("robustness/loop").card.name == "robustness/loop"


def test_naming_a_folder_twice_changes_nothing(tmp_path: Path) -> None:
    folder = write_data(tmp_path / "data")
    assert load_data(folder) == load_data(tmp_path / "data" / ".." / "data")


def test_two_folders_with_one_task_are_told_apart_by_nobody(tmp_path: Path) -> None:
    load_data(write_data(tmp_path / "one"))
    with pytest.raises(
        CodeacumenError, match="two data sets have a task robustness/rename"
    ) as error:
        load_data(write_data(tmp_path / "two"))
    assert "one after the other" in error.value.hint


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"family": "recipes"}, "no family of data sets called 'recipes'"),
        ({"schema": 1}, "the schema is 1"),
        ({"files": None}, "describes no data set"),
        ({"counts": []}, "describes no data set"),
    ],
)
def test_what_is_wrong_with_a_folder_is_told(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(CodeacumenError, match=message) as error:
        read_built(write_data(tmp_path, **changes))
    assert error.value.hint


def test_a_newer_schema_asks_for_a_newer_codeacumen(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError) as error:
        read_built(write_data(tmp_path, schema=99))
    assert error.value.hint == "upgrade codeacumen"


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="No such file") as error:
        read_built(tmp_path)
    assert "codeacumen dataset" in error.value.hint
    (tmp_path / "dataset.json").write_text("{")
    with pytest.raises(CodeacumenError, match="not JSON"):
        read_built(tmp_path)
    (tmp_path / "dataset.json").write_text("[]")
    with pytest.raises(CodeacumenError, match="describes no data set"):
        read_built(tmp_path)


@pytest.mark.parametrize("name", ["originals.jsonl", "variants.jsonl"])
def test_a_file_that_was_changed_is_noticed(tmp_path: Path, name: str) -> None:
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
