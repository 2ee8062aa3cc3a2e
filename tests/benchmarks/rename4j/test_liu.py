"""Liu's data as tasks. Oracles: the figures that ReName4J and the authors print of it; a search for
words, where leaks are looked for; the bounds of models that know everything or say nothing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import codeacumen.benchmarks.rename4j
from codeacumen.api import Answer, Capability, Instance, NamedMethod
from codeacumen.benchmarks.rename4j.cases import WITHOUT_LARGE, families, liu_cases
from codeacumen.benchmarks.rename4j.liu2019 import read_renamed
from codeacumen.registry import make_task
from codeacumen.runs.scoring import Settings, score
from codeacumen.text.subtokens import subtokens
from codeacumen.views.paths import METHOD_NAME

assert codeacumen.benchmarks.rename4j
FAST = Settings(resamples=20)


def scores(name: str, answers: dict[str, object]) -> dict[str, float | None]:
    task = make_task(name)
    given = {id_: Answer(id_, value) for id_, value in answers.items()}
    found, unreadable = score(task, task.instances(), given, FAST)
    assert not unreadable
    return {one.metric: one.value for one in found if not one.slice}


def asked(name: str) -> list[Instance]:
    return list(make_task(name).instances())


def test_there_are_as_many_as_are_told(liu: Path) -> None:
    methods = read_renamed(liu)
    assert len(methods) == 2805
    assert Counter(one.consistent for one in methods) == {False: 1403, True: 1402}
    assert sum(len(one.tested) for one in methods) / 2805 == pytest.approx(13.18, abs=0.005)
    words = sum(len(subtokens(one.tested)) for one in methods) / 2805
    assert words == pytest.approx(2.52, abs=0.005)
    # Liu et al. kept renames that change the first word only.
    assert all(
        subtokens(one.buggy)[0].lower() != subtokens(one.fixed)[0].lower()
        for one in methods
        if one.buggy.isalpha() and one.fixed.isalpha()
    )


def test_forks_are_one_cluster(liu: Path) -> None:
    found = families(read_renamed(liu))
    assert len(found) == 247
    tomcats = [project for project in found if project.startswith("tomcat")]
    assert len(tomcats) == 5
    assert {found[project] for project in tomcats} == {"tomcat"}
    assert found["hadoop-common"] == "hadoop"
    assert found["hbase"] == "hbase"


@pytest.mark.parametrize("comments", [False, True])
def test_neither_name_is_told_in_a_text_that_is_checked(liu: Path, comments: bool) -> None:
    """As a method's name, in a comment or in a string. Fields and variables may be called so."""
    names = {one.id: (one.buggy, one.fixed) for one in read_renamed(liu)}
    for case in liu_cases("check", comments=comments):
        assert METHOD_NAME in case.text
        for name in names[case.id]:
            called = re.search(rf"(?<![\w$]){re.escape(name)}\s*\(", case.text)
            # A constructor, or a field of a function's type, is no method of that name.
            assert not called or f"new {called[0]}" in case.text, (case.id, name)
        if not comments:
            assert "/*" not in case.text or '"' in case.text


def test_a_text_does_not_hang_on_which_name_is_under_test(liu: Path) -> None:
    """Methods with the same source and the same two names, under test as wrong and as right, are
    shown alike."""
    shown: dict[tuple[str, str, str], set[str]] = {}
    labels: dict[tuple[str, str, str], set[bool]] = {}
    texts = {case.id: case.text for case in liu_cases("check", comments=False)}
    for one in read_renamed(liu):
        key = (one.code, one.buggy, one.fixed)
        shown.setdefault(key, set()).add(texts[one.id])
        labels.setdefault(key, set()).add(one.consistent)
    both = [key for key, found in labels.items() if len(found) == 2]
    assert len(both) > 50
    assert all(len(shown[key]) == 1 for key in both)


def test_names_are_cut_alike_in_both_classes(liu: Path) -> None:
    """The authors dropped digits from the names that they cut; a digit would tell the class."""
    tested = {one.consistent: [] for one in read_renamed(liu)}  # type: ignore[var-annotated]
    for one in read_renamed(liu):
        tested[one.consistent].append(any(sign.isdigit() for sign in one.tested))
    assert not any(tested[True])
    assert not any(tested[False])


def test_the_check_asks_to_judge(liu: Path) -> None:
    task = make_task("names/liu/check")
    assert task.card.capability is Capability.JUDGE
    first = task.instances()[0]
    assert isinstance(first.input, NamedMethod)
    assert first.input.name == "asBufferedReader"
    assert first.truth == {"value": 0.0, "label": "inconsistent"}
    assert first.input.method.text.startswith("public static BufferedReader METHOD_NAME(")
    small = [one for one in task.instances() if WITHOUT_LARGE in one.tags]
    assert len(small) == 2805 - 417 - 364
    assert task.code_context().describe("liu-0000") == {  # type: ignore[attr-defined]
        "type": "IOUtils",
        "package": "org.apache.commons.io",
        "project": "commons-io",
    }


def test_bounds_of_the_check(liu: Path) -> None:
    instances = asked("names/liu/check")
    right = scores("names/liu/check", {one.id: one.truth["value"] for one in instances})
    for name in ("accuracy", "f1_ic", "f1_c", "roc_auc", "average_precision", "precision_at_50"):
        assert right[name] == 1.0
    assert right["cost"] == 0.0
    assert right["all_inconsistent_f1"] == pytest.approx(2 * 1403 / (1403 + 2805))
    flagged = scores("names/liu/check", {one.id: 0.0 for one in instances})
    assert flagged["f1_ic"] == flagged["all_inconsistent_f1"] == pytest.approx(0.6667, abs=1e-3)
    assert flagged["roc_auc"] == 0.5
    # Nothing said is no alarm.
    assert scores("names/liu/check", {}) == scores(
        "names/liu/check", {one.id: 1.0 for one in instances}
    )


def test_bounds_of_the_recommendation(liu: Path) -> None:
    instances = asked("names/liu/recommend")
    right = scores("names/liu/recommend", {one.id: one.truth for one in instances})
    assert set(right.values()) == {1.0}
    silent = scores("names/liu/recommend", {})
    assert set(silent.values()) == {0.0}


def test_bounds_of_the_check_by_name(liu: Path) -> None:
    """Whoever knows the right name finds all wrong names that are not too like it; and whoever
    recommends what is under test finds none."""
    instances = asked("names/liu/check-by-name")
    right = scores("names/liu/check-by-name", {one.id: one.truth["fixed"] for one in instances})
    assert right["recall_c_t85"] is not None
    assert right["recall_c_t85"] > 0.98
    assert right["recall_ic_t85"] == pytest.approx(right["recall_ic_corrected_t85"])
    echo = scores("names/liu/check-by-name", {one.id: one.truth["tested"] for one in instances})
    assert echo["recall_ic_t100"] == 0.0
    assert echo["recall_c_t100"] == 1.0
    assert echo == scores("names/liu/check-by-name", {})
    # A higher threshold calls no fewer names wrong.
    assert right["recall_ic_t85"] <= right["recall_ic_t94"] <= right["recall_ic_t100"]  # type: ignore[operator]
