"""Tests of IdBench. Oracles: the published data, and figures of the specification that were
computed with the authors' released procedure."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from codeacumen.api import Pair
from codeacumen.benchmarks.idbench import SIZES, read_pairs, read_subsets
from codeacumen.registry import list_names, make_model, make_task


def test_idbench_has_nine_tasks() -> None:
    assert sum(name.startswith("idbench/") for name in list_names("task")) == 9


@pytest.mark.parametrize(
    ("question", "size", "labelled", "complete"),
    [
        ("relatedness", "small", 166, 154),
        ("relatedness", "medium", 246, 228),
        ("relatedness", "large", 289, 266),
        ("similarity", "small", 166, 154),
        ("similarity", "large", 289, 266),
        ("contextual", "small", 113, 100),
        ("contextual", "medium", 143, 130),
        ("contextual", "large", 174, 160),
    ],
)
def test_counts_of_labelled_and_complete_pairs(
    idbench: Path, question: str, size: str, labelled: int, complete: int
) -> None:
    instances = make_task(f"idbench/{question}/{size}").instances()
    assert len(instances) == labelled
    assert sum("complete" in instance.tags for instance in instances) == complete


@pytest.mark.parametrize(
    ("reference", "column"),
    [("levenshtein:decimals=2", "LV"), ("needleman-wunsch:decimals=2", "NW")],
)
def test_string_distances_equal_all_published_rows(
    idbench: Path, reference: str, column: str
) -> None:
    """All 786 rows agree; they are read with the csv module, not with our reader."""
    rows = []
    for size in SIZES:
        with (idbench / f"{size}_pair_wise.csv").open(newline="") as stream:
            rows += list(csv.DictReader(stream))
    assert len(rows) == 786
    similarities = make_model(reference).model.similarity(
        [Pair(row["id1"], row["id2"]) for row in rows]
    )
    assert similarities == [float(row[column]) for row in rows]


@pytest.mark.parametrize(
    ("reference", "question", "size", "n", "value"),
    [
        ("lv", "relatedness", "small", 166, 0.4737),
        ("ft-cbow", "relatedness", "large", 289, 0.7221),
        ("ft-sg", "similarity", "medium", 246, 0.3166),
        ("w2v-cbow", "contextual", "large", 174, 0.1031),
        ("w2v-sg", "similarity", "small", 166, 0.1742),
        ("nw", "contextual", "medium", 143, 0.2505),
    ],
)
def test_own_evaluation_set_has_the_pairs_scored_by_the_technique(
    idbench: Path, reference: str, question: str, size: str, n: int, value: float
) -> None:
    from codeacumen.runs.evaluate import answer_cell
    from codeacumen.runs.plan import Cell, PlannedTask
    from codeacumen.runs.scoring import ScoringSettings, compute_scores

    task = PlannedTask(make_task(f"idbench/{question}/{size}"))
    answers = answer_cell(Cell(make_model(reference), task))[0]
    scores, _ = compute_scores(task.task, task.instances, answers, ScoringSettings(resamples=100))
    own_score = next(one_score for one_score in scores if one_score.evaluation_set == "own")
    assert (own_score.n, round(own_score.value, 4)) == (n, value)
    truths = [
        instance.truth for instance in task.instances if answers[instance.id].value is not None
    ]
    values = [
        answers[instance.id].value
        for instance in task.instances
        if answers[instance.id].value is not None
    ]
    assert own_score.value == pytest.approx(spearmanr(truths, values).statistic)


def test_subsets_are_pairs_of_the_large_file(idbench: Path) -> None:
    subsets = read_subsets(idbench)
    counts = {
        tag: sum(tag in tags for tags in subsets.values())
        for tag in (
            "abbreviations",
            "opposites",
            "synonyms",
            "added subtoken",
            "tricky tokenization",
        )
    }
    assert counts == {
        "abbreviations": 8,
        "opposites": 7,
        "synonyms": 26,
        "added subtoken": 14,
        "tricky tokenization": 22,
    }
    doubly_labelled = {
        (pair.left, pair.right)
        for pair in read_pairs(idbench, "large")
        if pair.labels["relatedness"] is not None and pair.labels["contextual"] is not None
    }
    assert set(subsets) == doubly_labelled


def test_ceiling_is_human_agreement(idbench: Path) -> None:
    assert make_task("idbench/similarity/large").card.ceiling.value == 0.51
    assert make_task("idbench/contextual/large").card.ceiling is None
