"""Tests that docs/networks.md agrees with the stored results, and of the plan and gathering
scripts.

The oracle are the scores in research/results/networks as `codeacumen eval` wrote them.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import time
from argparse import Namespace
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from codeacumen.core.files import write_atomically
from codeacumen.tasks.published import read_published
from research.networks import plan
from research.networks import speed as speed_script
from research.networks.stored_results import RESULTS, read_stored_rows
from support import ROOT

TRAININGS = (
    "first",
    "second",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "classical",
)
NETWORKS = {
    "MLP": "mlp", "CNN": "cnn", "BiLSTM": "bilstm", "Seq2Seq / Seq2Tok": "seq2seq",
    "Transformer": "transformer", "codeacumen-base": "codeacumen-base", "code2vec": "code2vec",
    "code2seq": "code2seq", "GGNN": "ggnn", "Spot's CNN": "spot-cnn", "Cognac": "cognac",
    "GTNM": "gtnm", "classical`, no network": "classical",
}  # fmt: skip
# Tasks of each column in the page's first two tables; several where a cell has several scores.
TASKS = (
    (
        ("gluecode/npath",),
        ("gluecode/operators",),
        ("gluecode/naming",),
        ("gluecode/completion",),
        ("gluecode/nulltoken",),
    ),
    (
        ("gluecode/naming",),
        ("names/liu/recommend",),
        ("names/liu/check",),
        ("names/liu/realistic",),
        ("idbench/relatedness/large", "idbench/similarity/large"),
        tuple(f"sesame/{domain}/uncommented" for domain in ("goals", "operations", "effects")),
    ),
)
METRICS = {
    "gluecode/npath": "accuracy",
    "gluecode/operators": "accuracy",
    "gluecode/naming": "character_bleu",
    "gluecode/completion": "exact_match",
    "gluecode/nulltoken": "exact_match",
    "names/liu/recommend": "name_f1",
    "names/liu/check": "accuracy",
    "names/liu/realistic": "average_precision",
}


RENAME4J = read_published("codeacumen.benchmarks.rename4j", "scores")


read_rows = cache(read_stored_rows)


def parse_tables(page: str, heading: str) -> list[list[list[str]]]:
    """Return the tables below a heading as lists of cells, without the ruler line."""
    text = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    parsed_tables = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [line.strip().strip("|").split("|") for line in block.splitlines()]
        parsed_tables.append(
            [[cell.strip(" *`") for cell in line] for line in (lines[0], *lines[2:])]
        )
    return parsed_tables


PAGE = (ROOT / "docs" / "networks.md").read_text()


def list_cells() -> Iterator[tuple[str, str, str, str]]:
    """Yield task, network, trainings and text of each cell."""
    for columns, table in zip(TASKS, parse_tables(PAGE, "Where they stand")[:2], strict=True):
        for name, *cell_texts, trainings in table[1:]:
            if name not in NETWORKS:
                continue
            for tasks, cell in zip(columns, cell_texts, strict=True):
                parts = cell.split(" / ") if len(tasks) > 1 else [cell]
                for task, cell_text in zip(tasks, parts, strict=True):
                    yield task, NETWORKS[name], trainings, cell_text


@pytest.mark.parametrize(("task", "network", "trainings", "cell_text"), list(list_cells()))
def test_every_score_on_the_page_is_in_the_results(
    task: str, network: str, trainings: str, cell_text: str
) -> None:
    metric = METRICS.get(task, "spearman")
    stored_scores = [
        [float(row[column]) for column in ("value", "low", "high")]
        for training in TRAININGS
        if training in trainings
        for row in read_rows(training, "scores.csv")
        if (row["task"], row["network"], row["metric"], row["slice"]) == (task, network, metric, "")
        if not task.startswith("idbench") or row["evaluation_set"] == "complete"
    ]
    # A cell has a score, sometimes its interval, and the published score in brackets.
    score = [
        float(number) for number in re.findall(r"-?\d\.\d{3}", re.sub(r"\(.*\)", "", cell_text))
    ]
    assert len(score) in (1, 3)
    # Stored scores have five digits, and the page rounds them again.
    assert any(
        score == pytest.approx(stored[: len(score)], abs=0.00051) for stored in stored_scores
    )


def test_all_networks_are_on_the_page() -> None:
    assert {network for _, network, _, _ in list_cells()} == set(NETWORKS.values())


def test_figures_beside_rename4j_agree_with_paper_and_results() -> None:
    columns = (
        ("mnr", "em_acc", "recommend", "exact_match"),
        ("mnr", "f1", "recommend", "name_f1_of_means"),
        ("mcc_balanced", "accuracy", "check", "accuracy"),
        ("mcc_balanced", "f1_ic", "check", "f1_ic"),
        ("mcc_balanced", "f1_c", "check", "f1_c"),
        ("mcc_imbalanced", "precision_ic", "realistic", "precision_ic"),
        ("mcc_imbalanced", "recall_ic", "realistic", "recall_ic"),
    )
    printed = {(row["setting"], row["model"], row["metric"]): row["value"] for row in RENAME4J}
    *_, table, _ = parse_tables(PAGE, "Where they stand")
    assert len(table) == 7
    for row_label, *cells, training in table[1:]:
        name, _, source = row_label.partition(", ")
        page_figures = [float(number) for cell in cells for number in cell.split(" / ")]
        if source == "ReName4J":
            expected = [float(printed[setting, name, metric]) for setting, metric, _, _ in columns]
        else:
            # A score that one training lacks is taken from the row's next training.
            row_trainings = sorted(
                (
                    name_of_training
                    for name_of_training in TRAININGS
                    if name_of_training in training
                ),
                key=training.index,
            )
            stored_scores = {
                (row["task"], row["metric"]): 100 * float(row["value"])
                for name_of_training in reversed(row_trainings)
                for row in read_rows(name_of_training, "scores.csv")
                if row["network"] == NETWORKS[name] and not row["slice"]
            }
            expected = [
                stored_scores[f"names/liu/{task}", metric] for _, _, task, metric in columns
            ]
        assert page_figures == pytest.approx(expected, abs=0.0501)


def test_name_checks_agree_with_paper_and_results() -> None:
    printed = {(row["setting"], row["model"], row["metric"]): row["value"] for row in RENAME4J}
    *_, table = parse_tables(PAGE, "Where they stand")
    assert len(table) == 10
    for row_label, *cells, training in table[1:]:
        name, _, source = row_label.partition(", ")
        page_figures = [float(number) for cell in cells for number in re.findall(r"\d+\.\d", cell)]
        if source == "ReName4J":
            columns = (
                ("balanced", "accuracy"),
                ("balanced", "f1_ic"),
                ("balanced", "f1_c"),
                ("threshold_1", "accuracy"),
            )
            expected = [
                float(printed[f"mcc_{setting}", name, metric]) for setting, metric in columns
            ]
        else:
            stored_scores = {
                row["metric"]: [
                    100 * float(row[column] or 0) for column in ("value", "low", "high")
                ]
                for row in read_rows(training, "scores.csv")
                if (row["task"], row["network"]) == ("names/liu/check-by-name", NETWORKS[name])
            }
            expected = [
                *stored_scores["accuracy_t85"],
                stored_scores["f1_ic_t85"][0],
                stored_scores["f1_c_t85"][0],
                *stored_scores["accuracy_t100"],
            ]
        assert page_figures == pytest.approx(expected, abs=0.0501)


def test_steadiness_table_agrees_with_results() -> None:
    page = (ROOT / "docs" / "models" / "codeacumen-base.md").read_text()
    (table,) = parse_tables(page, "What makes it steady")
    stored_rows = read_rows("ablation", "steady.csv")
    assert table[0][1:] == [row["name"] for row in stored_rows]
    keys = {"all variables renamed": "rename, all", "F1": "f1"}
    for title, *cell_texts in table[1:]:
        assert cell_texts == [row[keys.get(title, f"{title}, single")] for row in stored_rows]
    assert len(table) == 9


def test_speed_table_agrees_with_results_and_no_network_waits_long() -> None:
    measured = {row["network"]: row for row in read_rows("seventh", "speed.csv")}
    (table,) = parse_tables(PAGE, "How fast each is alone")
    names = NETWORKS | {"Seq2Seq": "seq2seq"}
    assert len(table) - 1 == len(measured)
    for name, batch, speed, _, waiting, _, busy in table[1:]:
        row = measured[names.get(name, name)]
        assert batch.replace(",", "") == row["batch"]
        digits = 3 if len(row["examples_per_second"]) > 5 else 2
        assert int(speed.replace(",", "")) == float(
            f"{float(row['examples_per_second']):.{digits}g}"
        )
        assert waiting == f"{100 * float(row['waiting']):.1f} %"
        assert busy == f"{100 * float(row['gpu_busy']):.0f} %"
        assert float(row["waiting"]) < 0.1


def test_speed_script_writes_the_stored_columns(tmp_path: Path) -> None:
    stored_rows = read_rows("seventh", "speed.csv")
    assert tuple(stored_rows[0]) == speed_script.COLUMNS
    lines = {
        f"{network}, {phase}" for network, phases in speed_script.PHASES.items() for phase in phases
    }
    assert lines == {row["network"] for row in stored_rows} - set(NETWORKS.values())
    (tmp_path / "model.json").write_text(
        json.dumps({"parameters": 7, "training": {"batch": 64, "precision": "32"}})
    )
    # The first round does not count, nor a last round that the clock cut short.
    (tmp_path / "history.csv").write_text(
        "step,examples_per_second,waiting\n8,1,0.9\n16,50,0.01\n24,70,0.03\n25,9,0.5\n"
    )
    measured = speed_script.read_speed(tmp_path)
    assert [measured[column] for column in speed_script.COLUMNS[1:] if column != "gpu_busy"] == [
        "7",
        "64",
        "32",
        "60",
        "0.020",
        "2",
    ]


def test_answers_to_prepared_tasks_are_scored() -> None:
    args = Namespace(
        data="gluecode",
        out="runs",
        prepared="prepared",
        prepare=False,
        most=10,
        variants=None,
        config="",
        set=[],
        limit=False,
        patience=1.0,
        robustness=None,
        task=["sesame"],
        only=plan.GLUECODE,
    )
    for network, folder, tasks in (
        ("gtnm", "naming", ("naming",)),
        ("codeacumen-base", "all", plan.GLUECODE),
    ):
        trainings, evaluations = plan.list_stages(network, args)
        assert [command[0] for command in trainings] == ["train"]
        assert [" ".join(command) for command in evaluations if command[0] == "score"] == [
            f"score runs/{network}/{folder}/answers/gluecode/{task}.jsonl "
            f"-t gluecode/{task}@gluecode --out runs/scored/{task}/{network}"
            for task in tasks
        ]
        assert evaluations[-1][0] == "eval"


@pytest.mark.parametrize("network", ["gtnm", "ggnn", "transformer"])
def test_settings_by_hand_override_the_plan(network: str) -> None:
    args = Namespace(
        data="gluecode",
        out="runs",
        prepared="prepared",
        prepare=False,
        most=10,
        config="",
        set=["training.minutes=9"],
        limit=True,
        patience=1.0,
        robustness=None,
        task=[],
        only=("naming",),
        pretrain_minutes=4.0,
    )
    for stage in plan.list_stages(network, args):
        for command in stage:
            minutes_settings = [part for part in command if part.startswith("training.minutes=")]
            assert minutes_settings[-1:] == (
                ["training.minutes=9"] if command[0] == "train" else []
            )


def test_plan_for_some_tasks_only() -> None:
    args = Namespace(
        data="gluecode",
        out="runs",
        config="",
        set=[],
        limit=False,
        robustness="robustness",
        task=["sesame"],
        patience=1.0,
    )
    commands_of_tasks = {}
    for only in (("naming",), ("npath", "completion"), plan.GLUECODE):
        args.only = only
        commands_of_tasks[only] = [
            " ".join(command) for stage in plan.list_stages("ggnn", args) for command in stage
        ]
    for only, commands in commands_of_tasks.items():
        trained_tasks = {command.split()[4] for command in commands if command.startswith("train")}
        assert trained_tasks == {f"gluecode/{task}@gluecode" for task in only}
        # Only the naming network is evaluated on variants and on SeSaMe.
        naming_evaluations = [command for command in commands if "run:runs/ggnn/naming" in command]
        assert len(naming_evaluations) == (2 if "naming" in only else 0)
    assert (
        "-t gluecode/npath@gluecode -t gluecode/completion@gluecode"
        in (commands_of_tasks["npath", "completion"][-1])
    )
    # A network that only names is neither trained nor evaluated for other tasks.
    args.only = ("npath",)
    assert plan.list_stages("code2vec", args) == []
    # All five tasks are one benchmark, which has a mean.
    assert any("-t gluecode@gluecode" in command for command in commands_of_tasks[plan.GLUECODE])


def test_commands_that_end_together_are_all_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """jobs.json is never written by two threads at once."""
    writing: list[Path] = []
    concurrent_writes: list[int] = []

    class IdleMonitor:
        def mean_between(self, start: float, end: float) -> None:
            return None

    def run_successfully(*_: object, **__: object) -> Namespace:
        return Namespace(returncode=0)

    def write_slowly(path: Path, data: bytes) -> None:
        writing.append(path)
        concurrent_writes.append(len(writing))
        time.sleep(0.005)
        write_atomically(path, data)
        writing.pop()

    monkeypatch.setattr(subprocess, "run", run_successfully)
    monkeypatch.setattr(plan, "write_atomically", write_slowly)
    args, jobs = Namespace(out=tmp_path, prepare=False, threads=1), []  # type: ignore[var-annotated]
    with ThreadPoolExecutor(16) as pool:
        for number in range(60):
            command = ["eval", "--out", f"{tmp_path}/{number}"]
            pool.submit(plan.run_command, "cnn", command, args, IdleMonitor(), jobs)  # type: ignore[arg-type]
    assert concurrent_writes == [1] * 60
    assert len(json.loads((tmp_path / "jobs.json").read_text())) == 60


def trainings_with_answers() -> list[str]:
    """Return the trainings whose answers are stored; the first seven have none."""
    trainings = sorted(path.parent.name for path in RESULTS.glob("*/results.tar.xz"))
    return [
        training for training in trainings if training not in (*TRAININGS[:6], "third", "ablation")
    ]


@pytest.mark.parametrize("training", trainings_with_answers())
def test_stored_answers_have_the_scored_hashes(training: str) -> None:
    """Compare with the hashes that the runs recorded."""
    runs, hashes = {}, {}
    # Read members in order, because seeking back in an xz stream starts from the beginning.
    with tarfile.open(RESULTS / training / "results.tar.xz", "r|xz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            assert stream is not None
            data = stream.read()
            hashes[member.name] = hashlib.sha256(data).hexdigest()
            if member.name.endswith("results.json"):
                runs[member.name] = json.loads(data)
    assert runs
    for name, run in runs.items():
        for cell in run["cells"]:
            answers = str(PurePosixPath(name).parent / cell["answers"])
            assert hashes[answers] == cell["answers_sha256"]


def test_gather_results_of_gpu_and_processor_runs(tmp_path: Path) -> None:
    for network, history_text in (
        ("cnn", "round,loss\n0,2.5\n"),
        ("mlp", "round,loss,gpu_busy\n0,2,0.5\n"),
    ):
        folder = tmp_path / "runs" / network / "naming"
        folder.mkdir(parents=True)
        (folder / "history.csv").write_text(history_text)
        score = {"metric": "accuracy", "evaluation_set": "test", "slice": "", "value": 0.123456}
        cell = {"task": "gluecode/npath", "scores": [score]}
        evaluation_folder = tmp_path / "runs" / "eval" / network
        evaluation_folder.mkdir(parents=True)
        (evaluation_folder / "results.json").write_text(
            json.dumps({"cells": [cell], "provenance": {}})
        )
    script = ROOT / "research" / "networks" / "gather_results.py"
    subprocess.run([sys.executable, script, tmp_path / "runs", tmp_path / "kept"], check=True)
    assert (tmp_path / "kept" / "history.csv").read_text() == (
        "training,round,loss,gpu_busy\ncnn/naming,0,2.5,\nmlp/naming,0,2,0.5\n"
    )
    score_lines = (tmp_path / "kept" / "scores.csv").read_text().splitlines()
    assert score_lines[1:] == [
        f"gluecode/npath,{network},accuracy,test,,0.12346" for network in ("cnn", "mlp")
    ]
