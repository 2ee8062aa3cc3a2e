"""Read Liu et al.'s test data: 2,805 Java methods, each with a name before or after a commit.

The commit changed nothing but the name. The name before it is inconsistent, the name after it
consistent.

``methods.jsonl`` was joined from five files of their repository (``Data/TestData``), which have the
methods' sources in another order than the rest. So a line may have the source of another method
with the same name and parameters: 40 sources return another type than the line states. The joining
program is not published, so the file cannot be fetched; ``codeacumen dataset get liu2019 --from
DIR`` installs a copy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from codeacumen.api import CodeacumenError, Json

METHODS = "methods.jsonl"


@dataclass(frozen=True, slots=True)
class RenamedMethod:
    """A method with its names before (``buggy``) and after the rename (``fixed``).

    ``code`` is the source after the rename, with its comment. ``tested`` is the name under test,
    one of the two, joined from the authors' subtokens, which lack digits and most underscores.
    """

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
def read_renamed(folder: Path) -> tuple[RenamedMethod, ...]:
    """Return all methods, in the order of the file."""
    path = folder / METHODS
    methods: list[RenamedMethod] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            methods.append(_parse_row(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise CodeacumenError(
                f"{path}, line {number}: {type(error).__name__}: {error}",
                "run `codeacumen dataset get liu2019 --from DIR` again",
            ) from error
    return tuple(methods)


def _parse_row(row: dict[str, Json]) -> RenamedMethod:
    buggy, fixed = "".join(row["buggy_name"]), "".join(row["fixed_name"])
    consistent = row["label"] == "consistent"
    return RenamedMethod(
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
