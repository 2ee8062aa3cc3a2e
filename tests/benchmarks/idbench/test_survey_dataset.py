"""Tests of a benchmark that `codeacumen survey clean` made, evaluated like IdBench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.idbench import list_tasks
from codeacumen.datasets.built import read_built
from support import Codeacumen


@pytest.fixture
def benchmark(codeacumen_here: Codeacumen, tmp_path: Path) -> Path:
    out = tmp_path / "benchmark"
    codeacumen_here(
        "survey", "simulate", "-o", tmp_path / "votes", "--raters", "80", "--pairs", "40"
    )
    assert codeacumen_here("survey", "clean", tmp_path / "votes", "-o", out).returncode == 0
    return out


def test_instances_are_all_labelled_pairs(benchmark: Path) -> None:
    built = read_built(benchmark)
    task_by_name = {task.name: task() for task in list_tasks(built)}
    assert len(task_by_name) == 9
    labels = built.about["kinds"]["small"]["labels"]
    for question, column in (("similarity", "similarity"), ("contextual", "contextual_similarity")):
        task = task_by_name[f"identifiers/{question}/small"]
        assert len(task.instances()) == labels[column] > 0
        assert all(0 <= instance.truth <= 1 for instance in task.instances())
    ceiling = task_by_name["identifiers/similarity/small"].card.ceiling
    assert ceiling is not None
    assert ceiling.value == built.about["kinds"]["small"]["agreement"]["similarity"]
    assert task_by_name["identifiers/contextual/small"].card.ceiling is None


def test_changed_table_is_rejected(benchmark: Path) -> None:
    with (benchmark / "small_pair_wise.csv").open("a") as stream:
        stream.write("a,b,1,1,1\n")
    task_by_name = {task.name: task for task in list_tasks(read_built(benchmark))}
    with pytest.raises(CodeacumenError, match="missing or damaged"):
        task_by_name["identifiers/similarity/small"]().instances()


def test_eval_runs_on_a_rated_benchmark(
    codeacumen: Codeacumen, benchmark: Path, tmp_path: Path
) -> None:
    completed = codeacumen(
        "eval",
        "-t",
        f"identifiers@{benchmark}",
        "-m",
        "levenshtein",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert completed.returncode == 0, completed.stderr
    assert "identifiers/relatedness/large" in json.dumps(json.loads(completed.stdout))
