"""Liu's data where it lies beside the repository, and a folder of renames written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.datasets import dataset, dataset_folder
from codeacumen.datasets.fetch import get
from codeacumen.registry import names
from codeacumen.registry.entries import ENTRIES
from codeacumen.renames.dataset import Settings, build
from codeacumen.renames.records import RENAMES, STABLE, Rename, StableMethod, write_lines
from support import SHARED


@pytest.fixture
def liu(home: Path) -> Path:
    if not (SHARED / "liu2019" / "methods.jsonl").is_file():
        pytest.skip(f"Liu's methods are not in {SHARED / 'liu2019'}")
    get(dataset("liu2019"), SHARED / "liu2019")
    return dataset_folder(dataset("liu2019"))


@pytest.fixture
def families(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tasks of one test are not those of the next."""
    names("task")  # what is registered while the copy stands would be gone with it
    monkeypatch.setitem(ENTRIES, "task", dict(ENTRIES["task"]))


def rename(project: str, old: str, new: str, place: int) -> Rename:
    """Self-references and a call of the old name are in the code, and a comment that tells."""
    code = (
        f"/** {new} what was {old}. */\npublic int {new}(int n) {{\n"
        f"    // {new} again\n    return n < {place} ? inner.{old}(n) : {new}(n - 1) + {old};\n}}"
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


def stable(project: str, name: str) -> StableMethod:
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
    """Eight projects with a rename and two stable methods each, half of them for training."""
    projects = [f"p{number}" for number in range(8)]
    mined = tmp_path / "mined"
    mined.mkdir()
    write_lines(
        mined / RENAMES,
        [rename(one, f"fetch{i}", f"load{i}", i) for i, one in enumerate(projects)],
    )
    write_lines(
        mined / STABLE,
        [stable(one, f"{name}{i}") for i, one in enumerate(projects) for name in ("run", "stop")],
    )
    out = tmp_path / "names"
    build([mined], {}, out, Settings(shares=(50, 0, 50)))
    return out
