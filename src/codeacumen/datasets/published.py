"""The papers' tables as data: each benchmark has its own in its folder ``published``."""

from __future__ import annotations

import csv
from importlib.resources import files


def read_published(benchmark: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a table, given the package of its benchmark."""
    path = files(benchmark).joinpath("published", f"{table}.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
