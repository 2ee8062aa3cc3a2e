"""Gather the results of `research/networks/plan.py` in small files: scores, histories, commands.

    python -m research.networks.gather_results runs research/results/networks/NAME

``scores.csv`` has a line for each score of each metric (of the slices only ``edit:*``, the known
properties of the published tool's edits), ``history.csv`` a line for each round of each training,
``jobs.json`` the commands and their seconds, and ``results.tar.xz`` each run's ``results.json`` and
answers, which `codeacumen score` can score again.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import sys
import tarfile
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
    # Rows differ in their columns: a training without a GPU has no gpu_busy.
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with into.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            told = {k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()}
            writer.writerow(told)


def pack(runs: Path, patterns: tuple[str, ...], into: Path) -> None:
    """Write the files that match to an archive whose bytes do not depend on file times."""
    found = sorted({path for pattern in patterns for path in runs.rglob(pattern)})
    # All networks answer the same questions: a large dictionary stores their text once.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 27}]
    with (
        lzma.open(into, "wb", filters=filters) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for path in found:
            data = path.read_bytes()
            if path.name == "results.json":
                # The platform is dropped, because it is not a result.
                about = json.loads(data)
                about.get("provenance", {}).pop("platform", None)
                data = json.dumps(about, indent=1).encode()
            told = tarfile.TarInfo(str(path.relative_to(runs)))
            told.size = len(data)
            archive.addfile(told, io.BytesIO(data))


def main() -> None:
    runs, into = map(Path, sys.argv[1:])
    into.mkdir(parents=True, exist_ok=True)
    write(scores(runs), into / "scores.csv")
    jobs = [one for path in sorted(runs.rglob("jobs.json")) for one in json.loads(path.read_text())]
    # Models without training have neither rounds nor jobs.
    if rounds := histories(runs):
        write(rounds, into / "history.csv")
    if jobs:
        (into / "jobs.json").write_text(json.dumps(jobs, indent=1) + "\n")
    pack(runs, ("results.json", "answers/**/*.jsonl"), into / "results.tar.xz")


if __name__ == "__main__":
    main()
