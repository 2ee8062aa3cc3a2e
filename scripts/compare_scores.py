"""Record the scores of `make eval`, and compare a later run with the record.

    python scripts/compare_scores.py record build/eval scores.json
    python scripts/compare_scores.py check build/eval scores.json

A score is keyed by task, model, metric, evaluation set and slice; its value and interval must be
equal to the last digit. A refactoring that changes one of them has to say why.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SHOWN_DIFFERENCES = 40


def collect_scores(folder: Path) -> dict[str, list[Any]]:
    """Return value, interval and sample size of every score below a folder, by its key."""
    scores: dict[str, list[Any]] = {}
    for file in sorted(folder.rglob("results.json")):
        run = json.loads(file.read_text(encoding="utf-8"))
        for cell in run["cells"]:
            for score in cell["scores"]:
                # Schema 1 called an evaluation set a convention, and a level of input a sight.
                evaluation_set = score.get("evaluation_set", score.get("convention"))
                parts = (score["metric"], evaluation_set, score["slice"])
                key = " | ".join((cell["task"], cell["model"], *parts))
                scores[key] = [score["value"], score["low"], score["high"], score["n"]]
        for mean in run.get("overall", ()):
            key = " | ".join((mean["group"], mean["model"], "mean"))
            scores[key] = [mean["value"], mean["low"], mean["high"], len(mean["tasks"])]
        for loss in run.get("losses", ()):
            level = loss.get("level", loss.get("sight"))
            key = " | ".join((loss["benchmark"], loss["model"], "loss", level))
            scores[key] = [loss["value"], loss["low"], loss["high"], 0]
    return scores


def describe_differences(expected: dict[str, list[Any]], actual: dict[str, list[Any]]) -> list[str]:
    """Return one line for each score that is missing, new or unequal."""
    lines = [f"missing: {key}" for key in sorted(expected.keys() - actual.keys())]
    lines += [f"new: {key}" for key in sorted(actual.keys() - expected.keys())]
    for key in sorted(expected.keys() & actual.keys()):
        if expected[key] != actual[key]:
            lines.append(f"differs: {key}: {expected[key]} -> {actual[key]}")
    return lines


def main(arguments: list[str]) -> int:
    if len(arguments) != 3 or arguments[0] not in ("record", "check"):
        print(__doc__)
        return 2
    mode, folder, file = arguments[0], Path(arguments[1]), Path(arguments[2])
    scores = collect_scores(folder)
    if not scores:
        print(f"{folder} holds no results.json: run `make eval` first")
        return 2
    if mode == "record":
        lines = [f"{json.dumps(key)}: {json.dumps(scores[key])}" for key in sorted(scores)]
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(f"{len(scores)} scores recorded in {file}")
        return 0
    differences = describe_differences(json.loads(file.read_text(encoding="utf-8")), scores)
    for line in differences[:SHOWN_DIFFERENCES]:
        print(line)
    print(f"{len(scores)} scores, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
