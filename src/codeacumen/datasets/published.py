"""Published tables of the papers, as CSV files in each benchmark's folder ``published``."""

from __future__ import annotations

import csv
from importlib.resources import files


def read_published(benchmark: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a published table; ``benchmark`` is the name of its package."""
    path = files(benchmark).joinpath("published", f"{table}.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
