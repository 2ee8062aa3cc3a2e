"""Tests that docs/networks.md agrees with the stored results, and of the plan and gathering
scripts.

The oracle are the scores in research/results/networks as `codeacumen eval` wrote them.
"""

from __future__ import annotations

import csv
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
from codeacumen.datasets.published import read_published
from research.networks import plan
from research.networks import speed as speed_script
from support import ROOT

KEPT = ROOT / "research" / "results" / "networks"
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
        tuple(f"sesame/{one}/uncommented" for one in ("goals", "operations", "effects")),
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


@cache
def rows(training: str, file: str) -> list[dict[str, str]]:
    with (KEPT / training / file).open() as stream:
        return list(csv.DictReader(stream))


def tables(page: str, heading: str) -> list[list[list[str]]]:
    """Return the tables below a heading as lists of cells, without the ruler line."""
    text = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [line.strip().strip("|").split("|") for line in block.splitlines()]
        found.append([[cell.strip(" *`") for cell in line] for line in (lines[0], *lines[2:])])
    return found


PAGE = (ROOT / "docs" / "networks.md").read_text()


def cells() -> Iterator[tuple[str, str, str, str]]:
    """Yield task, network, trainings and text of each cell."""
    for columns, table in zip(TASKS, tables(PAGE, "Where they stand")[:2], strict=True):
        for name, *said, trainings in table[1:]:
            if name not in NETWORKS:
                continue
            for tasks, cell in zip(columns, said, strict=True):
                parts = cell.split(" / ") if len(tasks) > 1 else [cell]
                for task, part in zip(tasks, parts, strict=True):
                    yield task, NETWORKS[name], trainings, part


@pytest.mark.parametrize(("task", "network", "trainings", "said"), list(cells()))
def test_a_score_on_the_page_is_one_that_was_kept(
    task: str, network: str, trainings: str, said: str
) -> None:
    metric = METRICS.get(task, "spearman")
    kept = [
        [float(row[one]) for one in ("value", "low", "high")]
        for training in TRAININGS
        if training in trainings
        for row in rows(training, "scores.csv")
        if (row["task"], row["network"], row["metric"], row["slice"]) == (task, network, metric, "")
        if not task.startswith("idbench") or row["evaluation_set"] == "complete"
    ]
    # A cell has a score, sometimes its interval, and the published score in brackets.
    score = [float(one) for one in re.findall(r"-?\d\.\d{3}", re.sub(r"\(.*\)", "", said))]
    assert len(score) in (1, 3)
    # Stored scores have five digits, and the page rounds them again.
    assert any(score == pytest.approx(one[: len(score)], abs=0.00051) for one in kept)


def test_all_networks_stand_there() -> None:
    assert {network for _, network, _, _ in cells()} == set(NETWORKS.values())


def test_figures_beside_rename4js_are_those_printed_and_those_kept() -> None:
    asked = (
        ("mnr", "em_acc", "recommend", "exact_match"),
        ("mnr", "f1", "recommend", "name_f1_of_means"),
        ("mcc_balanced", "accuracy", "check", "accuracy"),
        ("mcc_balanced", "f1_ic", "check", "f1_ic"),
        ("mcc_balanced", "f1_c", "check", "f1_c"),
        ("mcc_imbalanced", "precision_ic", "realistic", "precision_ic"),
        ("mcc_imbalanced", "recall_ic", "realistic", "recall_ic"),
    )
    printed = {(row["setting"], row["model"], row["metric"]): row["value"] for row in RENAME4J}
    *_, table, _ = tables(PAGE, "Where they stand")
    assert len(table) == 7
    for who, *cells, training in table[1:]:
        name, _, whose = who.partition(", ")
        said = [float(one) for cell in cells for one in cell.split(" / ")]
        if whose == "ReName4J":
            right = [float(printed[setting, name, metric]) for setting, metric, _, _ in asked]
        else:
            # A score that one training lacks is taken from the row's next training.
            told = sorted((one for one in TRAININGS if one in training), key=training.index)
            kept = {
                (row["task"], row["metric"]): 100 * float(row["value"])
                for one in reversed(told)
                for row in rows(one, "scores.csv")
                if row["network"] == NETWORKS[name] and not row["slice"]
            }
            right = [kept[f"names/liu/{task}", metric] for _, _, task, metric in asked]
        assert said == pytest.approx(right, abs=0.0501)


def test_names_checked_as_rename4j_does_are_those_printed_and_those_kept() -> None:
    printed = {(row["setting"], row["model"], row["metric"]): row["value"] for row in RENAME4J}
    *_, table = tables(PAGE, "Where they stand")
    assert len(table) == 10
    for who, *cells, training in table[1:]:
        name, _, whose = who.partition(", ")
        said = [float(one) for cell in cells for one in re.findall(r"\d+\.\d", cell)]
        if whose == "ReName4J":
            asked = (
                ("balanced", "accuracy"),
                ("balanced", "f1_ic"),
                ("balanced", "f1_c"),
                ("threshold_1", "accuracy"),
            )
            right = [float(printed[f"mcc_{setting}", name, metric]) for setting, metric in asked]
        else:
            kept = {
                row["metric"]: [100 * float(row[one] or 0) for one in ("value", "low", "high")]
                for row in rows(training, "scores.csv")
                if (row["task"], row["network"]) == ("names/liu/check-by-name", NETWORKS[name])
            }
            right = [
                *kept["accuracy_t85"],
                kept["f1_ic_t85"][0],
                kept["f1_c_t85"][0],
                *kept["accuracy_t100"],
            ]
        assert said == pytest.approx(right, abs=0.0501)


def test_what_makes_codeacumen_base_steady_was_measured() -> None:
    page = (ROOT / "docs" / "models" / "codeacumen-base.md").read_text()
    (table,) = tables(page, "What makes it steady")
    kept = rows("ablation", "steady.csv")
    assert table[0][1:] == [row["name"] for row in kept]
    keys = {"all variables renamed": "rename, all", "F1": "f1"}
    for title, *said in table[1:]:
        assert said == [row[keys.get(title, f"{title}, single")] for row in kept]
    assert len(table) == 9


def test_how_fast_each_is_was_measured_and_no_network_waits_for_a_tenth_of_the_time() -> None:
    measured = {row["network"]: row for row in rows("seventh", "speed.csv")}
    (table,) = tables(PAGE, "How fast each is alone")
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


def test_the_script_that_measures_speed_writes_what_is_kept(tmp_path: Path) -> None:
    kept = rows("seventh", "speed.csv")
    assert tuple(kept[0]) == speed_script.COLUMNS
    lines = {f"{one}, {phase}" for one, ways in speed_script.PHASES.items() for phase in ways}
    assert lines == {row["network"] for row in kept} - set(NETWORKS.values())
    (tmp_path / "model.json").write_text(
        json.dumps({"parameters": 7, "training": {"batch": 64, "precision": "32"}})
    )
    # The first round does not count, nor a last round that the clock cut short.
    (tmp_path / "history.csv").write_text(
        "step,examples_per_second,waiting\n8,1,0.9\n16,50,0.01\n24,70,0.03\n25,9,0.5\n"
    )
    told = speed_script.speed(tmp_path)
    assert [told[one] for one in speed_script.COLUMNS[1:] if one != "gpu_busy"] == [
        "7",
        "64",
        "32",
        "60",
        "0.020",
        "2",
    ]


def test_what_a_network_answered_from_what_was_prepared_is_scored() -> None:
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
        trained, asked = plan.stages(network, args)
        assert [one[0] for one in trained] == ["train"]
        assert [" ".join(one) for one in asked if one[0] == "score"] == [
            f"score runs/{network}/{folder}/answers/gluecode/{task}.jsonl "
            f"-t gluecode/{task}@gluecode --out runs/scored/{task}/{network}"
            for task in tasks
        ]
        assert asked[-1][0] == "eval"


@pytest.mark.parametrize("network", ["gtnm", "ggnn", "transformer"])
def test_what_is_set_by_hand_counts_more_than_the_plan(network: str) -> None:
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
    for stage in plan.stages(network, args):
        for one in stage:
            told = [part for part in one if part.startswith("training.minutes=")]
            assert told[-1:] == (["training.minutes=9"] if one[0] == "train" else [])


def test_some_of_the_tasks_may_be_trained_for_alone() -> None:
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
    told = {}
    for only in (("naming",), ("npath", "completion"), plan.GLUECODE):
        args.only = only
        told[only] = [" ".join(one) for stage in plan.stages("ggnn", args) for one in stage]
    for only, commands in told.items():
        taught = {one.split()[4] for one in commands if one.startswith("train")}
        assert taught == {f"gluecode/{task}@gluecode" for task in only}
        # Only the naming network is evaluated on variants and on SeSaMe.
        asked = [one for one in commands if "run:runs/ggnn/naming" in one]
        assert len(asked) == (2 if "naming" in only else 0)
    assert (
        "-t gluecode/npath@gluecode -t gluecode/completion@gluecode"
        in (told["npath", "completion"][-1])
    )
    # A network that only names is neither trained nor evaluated for other tasks.
    args.only = ("npath",)
    assert plan.stages("code2vec", args) == []
    # All five tasks are one benchmark, which has a mean.
    assert any("-t gluecode@gluecode" in one for one in told[plan.GLUECODE])


def test_commands_that_end_together_are_all_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """jobs.json is never written by two threads at once."""
    writing: list[Path] = []
    together: list[int] = []

    class Idle:
        def between(self, start: float, end: float) -> None:
            return None

    def run(*_: object, **__: object) -> Namespace:
        return Namespace(returncode=0)

    def write(path: Path, data: bytes) -> None:
        writing.append(path)
        together.append(len(writing))
        time.sleep(0.005)
        write_atomically(path, data)
        writing.pop()

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(plan, "write_atomically", write)
    args, jobs = Namespace(out=tmp_path, prepare=False, threads=1), []  # type: ignore[var-annotated]
    with ThreadPoolExecutor(16) as pool:
        for at in range(60):
            command = ["eval", "--out", f"{tmp_path}/{at}"]
            pool.submit(plan.run_one, "cnn", command, args, Idle(), jobs)  # type: ignore[arg-type]
    assert together == [1] * 60
    assert len(json.loads((tmp_path / "jobs.json").read_text())) == 60


def kept_answers() -> list[str]:
    """Return the trainings whose answers are stored; the first seven have none."""
    found = sorted(path.parent.name for path in KEPT.glob("*/results.tar.xz"))
    return [one for one in found if one not in (*TRAININGS[:6], "third", "ablation")]


@pytest.mark.parametrize("training", kept_answers())
def test_the_kept_answers_are_those_that_were_scored(training: str) -> None:
    """Compare with the hashes that the runs recorded."""
    runs, hashes = {}, {}
    # Read members in order, because seeking back in an xz stream starts from the beginning.
    with tarfile.open(KEPT / training / "results.tar.xz", "r|xz") as archive:
        for one in archive:
            stream = archive.extractfile(one)
            assert stream is not None
            data = stream.read()
            hashes[one.name] = hashlib.sha256(data).hexdigest()
            if one.name.endswith("results.json"):
                runs[one.name] = json.loads(data)
    assert runs
    for name, run in runs.items():
        for cell in run["cells"]:
            answers = str(PurePosixPath(name).parent / cell["answers"])
            assert hashes[answers] == cell["answers_sha256"]


def test_runs_of_a_gpu_and_of_a_processor_are_gathered_alike(tmp_path: Path) -> None:
    for network, told in (
        ("cnn", "round,loss\n0,2.5\n"),
        ("mlp", "round,loss,gpu_busy\n0,2,0.5\n"),
    ):
        folder = tmp_path / "runs" / network / "naming"
        folder.mkdir(parents=True)
        (folder / "history.csv").write_text(told)
        score = {"metric": "accuracy", "evaluation_set": "test", "slice": "", "value": 0.123456}
        cell = {"task": "gluecode/npath", "scores": [score]}
        asked = tmp_path / "runs" / "eval" / network
        asked.mkdir(parents=True)
        (asked / "results.json").write_text(json.dumps({"cells": [cell], "provenance": {}}))
    script = ROOT / "research" / "networks" / "gather_results.py"
    subprocess.run([sys.executable, script, tmp_path / "runs", tmp_path / "kept"], check=True)
    assert (tmp_path / "kept" / "history.csv").read_text() == (
        "training,round,loss,gpu_busy\ncnn/naming,0,2.5,\nmlp/naming,0,2,0.5\n"
    )
    kept = (tmp_path / "kept" / "scores.csv").read_text().splitlines()
    assert kept[1:] == [f"gluecode/npath,{one},accuracy,test,,0.12346" for one in ("cnn", "mlp")]
