"""A benchmark that `codeacumen survey clean` made, asked like IdBench."""

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


def test_every_labelled_pair_is_asked(benchmark: Path) -> None:
    built = read_built(benchmark)
    made = {task.name: task() for task in list_tasks(built)}
    assert len(made) == 9
    labels = built.about["kinds"]["small"]["labels"]
    for question, column in (("similarity", "similarity"), ("contextual", "contextual_similarity")):
        task = made[f"identifiers/{question}/small"]
        assert len(task.instances()) == labels[column] > 0
        assert all(0 <= one.truth <= 1 for one in task.instances())
    ceiling = made["identifiers/similarity/small"].card.ceiling
    assert ceiling is not None
    assert ceiling.value == built.about["kinds"]["small"]["agreement"]["similarity"]
    assert made["identifiers/contextual/small"].card.ceiling is None


def test_a_table_that_was_changed_is_refused(benchmark: Path) -> None:
    with (benchmark / "small_pair_wise.csv").open("a") as stream:
        stream.write("a,b,1,1,1\n")
    made = {task.name: task for task in list_tasks(read_built(benchmark))}
    with pytest.raises(CodeacumenError, match="missing or damaged"):
        made["identifiers/similarity/small"]().instances()


def test_a_model_is_evaluated_on_it(
    codeacumen: Codeacumen, benchmark: Path, tmp_path: Path
) -> None:
    done = codeacumen(
        "eval",
        "-t",
        f"identifiers@{benchmark}",
        "-m",
        "levenshtein",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    assert "identifiers/relatedness/large" in json.dumps(json.loads(done.stdout))
