"""Tests of the tasks on Liu's data. Oracles: the figures that ReName4J and the authors print, a
word search for leaks, and the bounds that perfect and silent models reach."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import codeacumen.benchmarks.rename4j
from codeacumen.api import Answer, Capability, Instance, NamedMethod
from codeacumen.benchmarks.rename4j.cases import (
    WITHOUT_LARGE,
    find_project_families,
    load_liu_cases,
    read_renamed,
)
from codeacumen.registry import make_task
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.paths import METHOD_NAME

assert codeacumen.benchmarks.rename4j
FAST = ScoringSettings(resamples=20)


def score_answers(name: str, answers: dict[str, object]) -> dict[str, float | None]:
    task = make_task(name)
    answer_by_id = {id_: Answer(id_, value) for id_, value in answers.items()}
    all_scores, unreadable = compute_scores(task, task.instances(), answer_by_id, FAST)
    assert not unreadable
    return {one_score.metric: one_score.value for one_score in all_scores if not one_score.slice}


def make_instances(name: str) -> list[Instance]:
    return list(make_task(name).instances())


def test_counts_equal_those_of_the_papers(liu: Path) -> None:
    methods = read_renamed(liu)
    assert len(methods) == 2805
    assert Counter(method.consistent for method in methods) == {False: 1403, True: 1402}
    assert sum(len(method.tested) for method in methods) / 2805 == pytest.approx(13.18, abs=0.005)
    mean_word_count = sum(len(split_subtokens(method.tested)) for method in methods) / 2805
    assert mean_word_count == pytest.approx(2.52, abs=0.005)
    # Liu et al. kept renames that change the first word only.
    assert all(
        split_subtokens(method.buggy)[0].lower() != split_subtokens(method.fixed)[0].lower()
        for method in methods
        if method.buggy.isalpha() and method.fixed.isalpha()
    )


def test_forks_are_one_cluster(liu: Path) -> None:
    family_by_project = find_project_families(read_renamed(liu))
    assert len(family_by_project) == 247
    tomcats = [project for project in family_by_project if project.startswith("tomcat")]
    assert len(tomcats) == 5
    assert {family_by_project[project] for project in tomcats} == {"tomcat"}
    assert family_by_project["hadoop-common"] == "hadoop"
    assert family_by_project["hbase"] == "hbase"


@pytest.mark.parametrize("comments", [False, True])
def test_checked_text_contains_neither_name(liu: Path, comments: bool) -> None:
    """Neither name occurs as a method name, in a comment or in a string; fields and variables may
    have it."""
    cases = load_liu_cases("check", comments=comments)
    for method, case in zip(read_renamed(liu), cases, strict=True):
        assert METHOD_NAME in case.text
        for name in (method.buggy, method.fixed):
            call_match = re.search(rf"(?<![\w$]){re.escape(name)}\s*\(", case.text)
            # A constructor call is not a call of a method with that name.
            assert not call_match or f"new {call_match[0]}" in case.text, (case.id, name)
        if not comments:
            assert "/*" not in case.text or '"' in case.text


def test_text_does_not_depend_on_the_tested_name(liu: Path) -> None:
    """Methods with equal source and names have the same text in both classes."""
    texts_by_key: dict[tuple[str, str, str], set[str]] = {}
    labels_by_key: dict[tuple[str, str, str], set[bool]] = {}
    cases = load_liu_cases("check", comments=False)
    for method, case in zip(read_renamed(liu), cases, strict=True):
        key = (method.code, method.buggy, method.fixed)
        texts_by_key.setdefault(key, set()).add(case.text)
        labels_by_key.setdefault(key, set()).add(method.consistent)
    keys_with_both_labels = [key for key, label_set in labels_by_key.items() if len(label_set) == 2]
    assert len(keys_with_both_labels) > 50
    assert all(len(texts_by_key[key]) == 1 for key in keys_with_both_labels)


def test_tested_names_have_no_digits_in_both_classes(liu: Path) -> None:
    """The authors dropped digits from some names, so a digit would leak the class."""
    has_digit_by_class = {method.consistent: [] for method in read_renamed(liu)}  # type: ignore[var-annotated]
    for method in read_renamed(liu):
        has_digit_by_class[method.consistent].append(
            any(character.isdigit() for character in method.tested)
        )
    assert not any(has_digit_by_class[True])
    assert not any(has_digit_by_class[False])


def test_check_has_the_judge_capability(liu: Path) -> None:
    task = make_task("names/liu/check")
    assert task.card.capability is Capability.JUDGE
    first = task.instances()[0]
    assert isinstance(first.input, NamedMethod)
    assert first.input.name == "asBufferedReader"
    assert first.truth == {"value": 0.0, "label": "inconsistent"}
    assert first.input.method.text.startswith("public static BufferedReader METHOD_NAME(")
    without_large_projects = [
        instance for instance in task.instances() if WITHOUT_LARGE in instance.tags
    ]
    assert len(without_large_projects) == 2805 - 417 - 364
    assert task.code_context().describe(first.id) == {  # type: ignore[attr-defined]
        "type": "IOUtils",
        "package": "org.apache.commons.io",
        "project": "commons-io",
    }


def test_bounds_of_the_check(liu: Path) -> None:
    instances = make_instances("names/liu/check")
    perfect = score_answers(
        "names/liu/check", {instance.id: instance.truth["value"] for instance in instances}
    )
    for name in ("accuracy", "f1_ic", "f1_c", "roc_auc", "average_precision", "precision_at_50"):
        assert perfect[name] == 1.0
    assert perfect["cost"] == 0.0
    assert perfect["all_inconsistent_f1"] == pytest.approx(2 * 1403 / (1403 + 2805))
    flagged = score_answers("names/liu/check", {instance.id: 0.0 for instance in instances})
    assert flagged["f1_ic"] == flagged["all_inconsistent_f1"] == pytest.approx(0.6667, abs=1e-3)
    assert flagged["roc_auc"] == 0.5
    # A missing answer counts as consistent.
    assert score_answers("names/liu/check", {}) == score_answers(
        "names/liu/check", {instance.id: 1.0 for instance in instances}
    )


def test_bounds_of_the_recommendation(liu: Path) -> None:
    instances = make_instances("names/liu/recommend")
    perfect = score_answers(
        "names/liu/recommend", {instance.id: instance.truth for instance in instances}
    )
    assert set(perfect.values()) == {1.0}
    silent = score_answers("names/liu/recommend", {})
    assert set(silent.values()) == {0.0}


def test_bounds_of_the_check_by_name(liu: Path) -> None:
    """A model that answers the right name detects all wrong names that are not too similar to it;
    a model that answers the tested name detects none."""
    instances = make_instances("names/liu/check-by-name")
    perfect = score_answers(
        "names/liu/check-by-name", {instance.id: instance.truth["fixed"] for instance in instances}
    )
    assert perfect["recall_c_t85"] is not None
    assert perfect["recall_c_t85"] > 0.98
    assert perfect["recall_ic_t85"] == pytest.approx(perfect["recall_ic_corrected_t85"])
    echo = score_answers(
        "names/liu/check-by-name", {instance.id: instance.truth["tested"] for instance in instances}
    )
    assert echo["recall_ic_t100"] == 0.0
    assert echo["recall_c_t100"] == 1.0
    assert echo == score_answers("names/liu/check-by-name", {})
    # A higher threshold flags at least as many names.
    assert perfect["recall_ic_t85"] <= perfect["recall_ic_t94"] <= perfect["recall_ic_t100"]  # type: ignore[operator]
