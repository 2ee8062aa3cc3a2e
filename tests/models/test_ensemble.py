"""Oracle: scikit-learn's own leave-one-out cross-validation on the same inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from codeacumen.api import CodeacumenError
from codeacumen.models.ensemble import PAPER_MEMBERS, identifier_features, is_english
from codeacumen.registry import make_model
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell, PlannedTask, make_task, why_not


def test_leave_one_out_is_scikit_learns(idbench: Path) -> None:
    from codeacumen.benchmarks.idbench import TECHNIQUES, read_pairs

    task = PlannedTask(make_task("idbench/contextual/small"))
    ours = answer_cell(Cell(make_model("ensemble"), task))[0]
    pairs = [
        p for p in read_pairs(idbench, "small") if p.complete and p.labels["contextual"] is not None
    ]
    inputs = np.array(
        [
            [p.scores[technique] for technique in TECHNIQUES] + identifier_features(p.left, p.right)
            for p in pairs
        ]
    )
    truths = np.array([p.labels["contextual"] for p in pairs])
    theirs = cross_val_predict(
        make_pipeline(StandardScaler(), SVR()), inputs, truths, cv=LeaveOneOut()
    )
    found = [ours[f"{p.left}~{p.right}"].value for p in pairs]
    np.testing.assert_allclose(found, theirs)


def test_a_pair_that_a_member_cannot_score_is_not_answered(idbench: Path) -> None:
    task = PlannedTask(make_task("idbench/similarity/small"))
    answers = answer_cell(Cell(make_model("ensemble:levenshtein,path-based"), task))[0]
    answered = {id_ for id_, answer in answers.items() if answer.value is not None}
    assert answered == {i.id for i in task.instances if "complete" in i.tags}


def test_its_members_decide_which_tasks_it_can_answer(idbench: Path) -> None:
    paper = make_model("ensemble")
    strings = make_model("ensemble:levenshtein,jaro-winkler")
    match = make_task("abbreviations/match").card
    assert why_not(paper, match) == "it answers idbench only"
    assert why_not(strings, match) == ""


def test_siblings_of_a_cluster_are_left_out_together(home: Path) -> None:
    """In abbreviations/match a true and a false form of one identifier are a cluster. While
    either is asked, the labels of both are hidden."""
    shown: list[set[str]] = []
    task = PlannedTask(make_task("abbreviations/match"))
    made = make_model("ensemble:levenshtein,features=false")
    fit = made.model.fit
    made.model.fit = lambda examples: (  # type: ignore[method-assign]
        shown.append({e.input.right for e in examples}),
        fit(examples),
    )
    answer_cell(Cell(made, task))
    identifiers = [i.cluster for i in task.instances]
    assert len(shown) == len(set(identifiers))
    assert all(len(labels) == len(set(identifiers)) - 1 for labels in shown)


@pytest.mark.parametrize(
    ("reference", "reason"),
    [("ensemble:oracle", "learns from labels itself"), ("ensemble:nobody", "no model 'nobody'")],
)
def test_members_that_will_not_do(reference: str, reason: str) -> None:
    with pytest.raises(CodeacumenError, match=reason):
        make_model(reference)


def test_words_are_looked_up_as_written() -> None:
    assert is_english("length")
    assert not is_english("len")
    assert not is_english("english")  # a name of a language is written with a capital
    assert identifier_features("maxIdx", "length") == [6, 6, 2, 1, 1, 1, 1, 0]


def test_the_papers_members_are_the_seven_techniques() -> None:
    assert len(PAPER_MEMBERS) == 7


def test_a_member_that_fails_on_one_pair_costs_that_pair_only(home: Path, tmp_path: Path) -> None:
    from codeacumen.registry import load_plugin

    plugin = tmp_path / "one_bad.py"
    plugin.write_text(
        "from codeacumen.registry import model\n"
        "class OneBad:\n"
        "    batch_size = 4\n"
        "    def similarity(self, pairs):\n"
        "        assert len(pairs) <= 4\n"
        "        if any(pair.left == 'abs' for pair in pairs):\n"
        "            raise ValueError('not this one')\n"
        "        return [float('nan') if p.left == 'acc' else len(p.left) for p in pairs]\n"
        "model('one-bad')(OneBad)\n"
    )
    load_plugin(plugin)
    task = PlannedTask(make_task("abbreviations/match"))
    answers = answer_cell(Cell(make_model("ensemble:levenshtein,one-bad"), task))[0]
    silent = {id_.split("~")[0] for id_, answer in answers.items() if answer.value is None}
    assert silent == {"abs", "acc"}
    assert not any(answer.error for answer in answers.values())
