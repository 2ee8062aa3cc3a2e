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


def collect_scores(runs: Path) -> list[dict[str, object]]:
    rows = []
    for path in sorted(runs.rglob("results.json")):
        for cell in json.loads(path.read_text())["cells"]:
            # A run folder is named after its network.
            network = path.parent.name
            rows += [
                {"task": cell["task"], "network": network, **score}
                for score in cell["scores"]
                if not score["slice"] or score["slice"].startswith("edit:")
            ]
    return rows


def collect_histories(runs: Path) -> list[dict[str, object]]:
    rows = []
    for path in sorted(runs.rglob("history.csv")):
        with path.open() as stream:
            rows += [
                {"training": str(path.parent.relative_to(runs)), **row}
                for row in csv.DictReader(stream)
            ]
    return rows


def write_csv(rows: list[dict[str, object]], target: Path) -> None:
    # Rows differ in their columns: a training without a GPU has no gpu_busy.
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with target.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            formatted = {k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()}
            writer.writerow(formatted)


def pack_results(runs: Path, patterns: tuple[str, ...], target: Path) -> None:
    """Write the files that match to an archive whose bytes do not depend on file times."""
    paths = sorted({path for pattern in patterns for path in runs.rglob(pattern)})
    # All networks answer the same questions: a large dictionary stores their text once.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 27}]
    with (
        lzma.open(target, "wb", filters=filters) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for path in paths:
            data = path.read_bytes()
            if path.name == "results.json":
                # The platform is dropped, because it is not a result.
                results = json.loads(data)
                results.get("provenance", {}).pop("platform", None)
                data = json.dumps(results, indent=1).encode()
            member = tarfile.TarInfo(str(path.relative_to(runs)))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def main() -> None:
    runs, target = map(Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    write_csv(collect_scores(runs), target / "scores.csv")
    jobs = [job for path in sorted(runs.rglob("jobs.json")) for job in json.loads(path.read_text())]
    # Models without training have neither rounds nor jobs.
    if history_rows := collect_histories(runs):
        write_csv(history_rows, target / "history.csv")
    if jobs:
        (target / "jobs.json").write_text(json.dumps(jobs, indent=1) + "\n")
    pack_results(runs, ("results.json", "answers/**/*.jsonl"), target / "results.tar.xz")


if __name__ == "__main__":
    main()
