"""Gather what `scripts/train_networks.py` left into small files: scores, histories, commands.

    python scripts/gather_results.py runs results/networks

``scores.csv`` has a line for each headline score and further metric (slices only where they tell
what is known of the published tool's edits), ``history.csv`` one for each
round of each training, ``jobs.json`` the commands with their seconds.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path


def scores(runs: Path) -> list[dict[str, object]]:
    found = []
    for path in sorted(runs.rglob("results.json")):
        for cell in json.loads(path.read_text())["cells"]:
            # A run folder is named after its network.
            network = path.parent.name
            found += [
                {"task": cell["task"], "network": network, **one}
                for one in cell["scores"]
                if not one["slice"] or one["slice"].startswith("edit:")
            ]
    return found


def histories(runs: Path) -> list[dict[str, object]]:
    found = []
    for path in sorted(runs.rglob("history.csv")):
        with path.open() as stream:
            found += [
                {"training": str(path.parent.relative_to(runs)), **row}
                for row in csv.DictReader(stream)
            ]
    return found


def write(rows: list[dict[str, object]], into: Path) -> None:
    with into.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            told = {k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()}
            writer.writerow(told)


def main() -> None:
    runs, into = map(Path, sys.argv[1:])
    into.mkdir(parents=True, exist_ok=True)
    write(scores(runs), into / "scores.csv")
    write(histories(runs), into / "history.csv")
    jobs = runs / "jobs.json"
    if jobs.is_file():
        (into / "jobs.json").write_text(jobs.read_text())


if __name__ == "__main__":
    main()
