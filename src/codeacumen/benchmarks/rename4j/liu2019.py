"""Liu et al.'s test data: 2,805 Java methods, each under the name that it had before a commit that
changed nothing else (inconsistent), or under the name that the commit gave it (consistent).

``methods.jsonl`` was put together from five files of their repository (``Data/TestData``), which
have the methods' source in another order than all else. So a line may have another method of its
name and parameters: that of 40 returns another type than the line says. How it was put
together is not published, so the file cannot be fetched;
``codeacumen dataset get liu2019 --from DIR`` takes a copy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from codeacumen.api import CodeacumenError, Json

METHODS = "methods.jsonl"


@dataclass(frozen=True, slots=True)
class Renamed:
    """``code`` is the source after the rename, under the name ``fixed``, with its comment.
    ``tested`` is the name under test: ``buggy`` or ``fixed`` as the authors cut them into
    subtokens, which drops digits and most underscores of both alike."""

    id: str
    project: str
    package: str
    owner: str
    returns: str
    buggy: str
    fixed: str
    tested: str
    consistent: bool
    code: str


@lru_cache(maxsize=2)
def read_renamed(folder: Path) -> tuple[Renamed, ...]:
    """All methods, in the order of the file."""
    path = folder / METHODS
    found: list[Renamed] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found.append(_renamed(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise CodeacumenError(
                f"{path}, line {number}: {type(error).__name__}: {error}",
                "run `codeacumen dataset get liu2019 --from DIR` again",
            ) from error
    return tuple(found)


def _renamed(row: dict[str, Json]) -> Renamed:
    buggy, fixed = "".join(row["buggy_name"]), "".join(row["fixed_name"])
    consistent = row["label"] == "consistent"
    return Renamed(
        id=f"liu-{row['id']:04d}",
        project=row["project"],
        package=row["package"],
        owner=row["class_name"],
        returns=row["return_type"],
        buggy=buggy,
        fixed=row["method_name"],
        tested=fixed if consistent else buggy,
        consistent=consistent,
        code=row["code"],
    )
