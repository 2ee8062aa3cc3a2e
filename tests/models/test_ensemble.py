"""Tests of the ensemble. Oracle: scikit-learn's leave-one-out cross-validation on the same
inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from codeacumen.api import CodeacumenError
from codeacumen.models.ensemble import PAPER_MEMBERS, identifier_features
from codeacumen.registry import make_model
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell, PlannedTask, explain_misfit, make_task
from codeacumen.text.english import is_english


def test_leave_one_out_equals_that_of_scikit_learn(idbench: Path) -> None:
    from codeacumen.benchmarks.idbench import TECHNIQUES, read_pairs

    task = PlannedTask(make_task("idbench/contextual/small"))
    ours = answer_cell(Cell(make_model("ensemble"), task))[0]
    pairs = [
        pair
        for pair in read_pairs(idbench, "small")
        if pair.is_complete and pair.labels["contextual"] is not None
    ]
    inputs = np.array(
        [
            [pair.scores[technique] for technique in TECHNIQUES]
            + identifier_features(pair.left, pair.right)
            for pair in pairs
        ]
    )
    truths = np.array([pair.labels["contextual"] for pair in pairs])
    theirs = cross_val_predict(
        make_pipeline(StandardScaler(), SVR()), inputs, truths, cv=LeaveOneOut()
    )
    predictions = [ours[f"{pair.left}~{pair.right}"].value for pair in pairs]
    np.testing.assert_allclose(predictions, theirs)


def test_pair_without_score_of_a_member_is_not_answered(idbench: Path) -> None:
    task = PlannedTask(make_task("idbench/similarity/small"))
    answers = answer_cell(Cell(make_model("ensemble:levenshtein,path-based"), task))[0]
    answered = {id_ for id_, answer in answers.items() if answer.value is not None}
    assert answered == {i.id for i in task.instances if "complete" in i.tags}


def test_members_decide_which_tasks_are_supported(idbench: Path) -> None:
    paper = make_model("ensemble")
    strings = make_model("ensemble:levenshtein,jaro-winkler")
    match = make_task("abbreviations/match").card
    assert explain_misfit(paper, match) == "it answers idbench only"
    assert explain_misfit(strings, match) == ""


def test_siblings_of_a_cluster_are_left_out_together(home: Path) -> None:
    """In abbreviations/match, a true and a false form of one identifier are a cluster. The labels
    of both are hidden while either is predicted."""
    shown_labels: list[set[str]] = []
    task = PlannedTask(make_task("abbreviations/match"))
    loaded_model = make_model("ensemble:levenshtein,features=false")
    fit = loaded_model.model.fit
    loaded_model.model.fit = lambda examples: (  # type: ignore[method-assign]
        shown_labels.append({example.input.right for example in examples}),
        fit(examples),
    )
    answer_cell(Cell(loaded_model, task))
    identifiers = [i.cluster for i in task.instances]
    assert len(shown_labels) == len(set(identifiers))
    assert all(len(labels) == len(set(identifiers)) - 1 for labels in shown_labels)


@pytest.mark.parametrize(
    ("reference", "reason"),
    [("ensemble:oracle", "learns from labels itself"), ("ensemble:nobody", "no model 'nobody'")],
)
def test_unusable_members_are_reported(reference: str, reason: str) -> None:
    with pytest.raises(CodeacumenError, match=reason):
        make_model(reference)


def test_words_are_looked_up_as_written() -> None:
    assert is_english("length")
    assert not is_english("len")
    assert not is_english("english")  # names of languages are capitalized
    assert identifier_features("maxIdx", "length") == [6, 6, 2, 1, 1, 1, 1, 0]


def test_the_papers_members_are_the_seven_techniques() -> None:
    assert len(PAPER_MEMBERS) == 7


def test_failure_of_a_member_loses_only_its_pair(home: Path, tmp_path: Path) -> None:
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
    unanswered = {id_.split("~")[0] for id_, answer in answers.items() if answer.value is None}
    assert unanswered == {"abs", "acc"}
    assert not any(answer.error for answer in answers.values())
