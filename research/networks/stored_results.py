"""Read stored results of the networks under the names that columns and networks have today.

``research/results/networks`` keeps what the trainings wrote and is not rewritten after a rename:
the tables below map each old name to the new one.
"""

from __future__ import annotations

import csv
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results" / "networks"
NEW_COLUMNS = {"convention": "evaluation_set"}
NEW_NETWORKS = {"acumen-base": "codeacumen-base"}


def read_stored_rows(training: str, file: str) -> list[dict[str, str]]:
    """Return the rows of a training's CSV file."""
    with (RESULTS / training / file).open(newline="") as stream:
        rows = [rename_columns(row) for row in csv.DictReader(stream)]
    return [
        row | {"network": rename_network(row["network"])} if "network" in row else row
        for row in rows
    ]


def iterate_stored_runs(training: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield folder and cells of each run in a training's archive; a cell has a task's scores."""
    with tarfile.open(RESULTS / training / "results.tar.xz") as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            stream = archive.extractfile(member) if path.name == "results.json" else None
            if stream is None:
                continue
            # A run folder is named after its network.
            folder = path.parent.with_name(rename_network(path.parent.name))
            yield (
                str(folder),
                [
                    cell | {"scores": [rename_columns(score) for score in cell["scores"]]}
                    for cell in json.load(stream)["cells"]
                ],
            )


def rename_columns(row: dict[str, Any]) -> dict[str, Any]:
    return {NEW_COLUMNS.get(column, column): value for column, value in row.items()}


def rename_network(network: str) -> str:
    """Return a network's name of today, with the suffix of its phase or ablation."""
    for old_name, new_name in NEW_NETWORKS.items():
        if network.startswith(old_name):
            return new_name + network.removeprefix(old_name)
    return network
