"""Fixtures: Liu's data if it is in the shared folder, and a hand-written folder of renames."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.datasets import dataset_folder, find_dataset
from codeacumen.datasets.fetch import fetch_dataset
from codeacumen.registry import list_names
from codeacumen.registry.entries import ENTRIES
from codeacumen.renames.dataset import RenameDatasetSettings, build_rename_dataset
from codeacumen.renames.records import RENAMES, STABLE, Rename, StableMethod, write_lines
from support import SHARED


@pytest.fixture
def liu(home: Path) -> Path:
    if not (SHARED / "liu2019" / "methods.jsonl").is_file():
        pytest.skip(f"Liu's methods are not in {SHARED / 'liu2019'}")
    fetch_dataset(find_dataset("liu2019"), SHARED / "liu2019")
    return dataset_folder(find_dataset("liu2019"))


@pytest.fixture
def families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the task registry after a test, so that tests do not share tasks."""
    list_names("task")  # load lazily registered tasks before the registry is copied
    monkeypatch.setitem(ENTRIES, "task", dict(ENTRIES["task"]))


def make_rename(project: str, old: str, new: str, limit: int) -> Rename:
    """Return a rename whose code has self-references, a call of the old name and a leaking
    comment."""
    code = (
        f"/** {new} what was {old}. */\npublic int {new}(int n) {{\n"
        f"    // {new} again\n    return n < {limit} ? inner.{old}(n) : {new}(n - 1) + {old};\n}}"
    )
    return Rename(
        id=f"{project}-{old}",
        project=project,
        commit="c",
        parent="p",
        time=0,
        path=f"{project}/A.java",
        path_before=f"{project}/A.java",
        owner="A",
        old_name=old,
        new_name=new,
        parameters=("int",),
        returns="int",
        code=code,
        code_before=code.replace(new, old),
    )


def make_stable_method(project: str, name: str) -> StableMethod:
    return StableMethod(
        id=f"{project}-{name}",
        project=project,
        commit="c",
        path=f"{project}/A.java",
        owner="A",
        name=name,
        parameters=(),
        returns="void",
        code=f"void {name}() {{ {name}Helper.{name}(); }}",
    )


@pytest.fixture
def renamed(tmp_path: Path, families: None) -> Path:
    """Build a data set of eight projects, each with a rename and two stable methods; half of the
    projects are for training."""
    projects = [f"p{number}" for number in range(8)]
    mined = tmp_path / "mined"
    mined.mkdir()
    write_lines(
        mined / RENAMES,
        [make_rename(project, f"fetch{i}", f"load{i}", i) for i, project in enumerate(projects)],
    )
    write_lines(
        mined / STABLE,
        [
            make_stable_method(project, f"{name}{i}")
            for i, project in enumerate(projects)
            for name in ("run", "stop")
        ],
    )
    out = tmp_path / "names"
    build_rename_dataset([mined], {}, out, RenameDatasetSettings(shares=(50, 0, 50)))
    return out
