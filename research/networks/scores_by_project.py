"""Score networks in each test project, from the answers at the end of their trainings.

    python -m research.networks.scores_by_project gluecode \\
        research/results/networks/ablation/projects.csv RUNS...

Reads the answers of ``research.networks.train_prepared --answer``:
NETWORK/all/answers/gluecode/TASK.jsonl anywhere under RUNS. Prints for every task and network in
how many projects the first network is better; eight projects are too few for a significance test.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from codeacumen.datasets.built import load_data
from codeacumen.registry import make_task
from codeacumen.runs.answers import read_answers
from codeacumen.runs.plan import PlannedTask
from codeacumen.runs.scoring import observe_answers, postprocess_answers
from codeacumen.runs.statistics import compute_statistic

COLUMNS = ("task", "network", "project", "score", "n")
TASKS = ("npath", "operators", "naming", "completion", "nulltoken")
Scores = dict[tuple[str, str, str], tuple[float, int]]


def score_projects(data: Path, runs: list[Path]) -> Scores:
    """Return score and number of instances by task, network and project."""
    load_data(data)
    scores: Scores = {}
    for task in TASKS:
        planned = PlannedTask(make_task(f"gluecode/{task}"))
        files = [path for run in runs for path in run.rglob(f"all/answers/gluecode/{task}.jsonl")]
        for file in sorted(files, key=lambda path: path.parents[3].name):
            answers = postprocess_answers(planned.task, planned.instances, read_answers(file))
            evaluation_set = planned.task.card.evaluation_sets[0]
            observations, _ = observe_answers(
                planned.task.metric, planned.instances, answers, evaluation_set
            )
            for project in sorted(set(observations.clusters)):
                is_in_project = [cluster == project for cluster in observations.clusters]
                value = compute_statistic(
                    planned.task.metric, observations.columns[:, is_in_project]
                )
                scores[task, file.parents[3].name, project] = (value, sum(is_in_project))
    return scores


def main() -> None:
    data, target, *runs = map(Path, sys.argv[1:])
    scores = score_projects(data, runs)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (task, network, project), (value, count) in scores.items():
            writer.writerow((f"gluecode/{task}", network, project, f"{value:.5g}", count))
    networks = sorted({network for _, network, _ in scores})
    for task in TASKS:
        scores_of_first = {
            p: v for (t, n, p), (v, _) in scores.items() if (t, n) == (task, networks[0])
        }
        for other in networks[1:]:
            better = sum(scores_of_first[p] > scores[task, other, p][0] for p in scores_of_first)
            print(
                f"{task}: {networks[0]} is better than {other} in {better} of "
                f"{len(scores_of_first)}"
            )


if __name__ == "__main__":
    main()
