from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen import metrics
from codeacumen.api import (
    Answer,
    Capability,
    CodeacumenError,
    EvaluationSet,
    Instance,
    Pair,
    Question,
    TaskCard,
)
from codeacumen.runs.compare import assign_tie_letters, compare_answers
from codeacumen.runs.scoring import ScoringSettings

OWN = EvaluationSet("own", "all")


class NumberTask:
    """A task of instances 0…n−1 whose truth is their number."""

    card = TaskCard("numbers", "Numbers", "1", Capability.SIMILARITY, "spearman")
    metric = metrics.spearman

    def instances(self) -> list[Instance]:
        return [Instance(str(i), Pair(str(i), ""), i) for i in range(60)]


class LetterTask:
    """A task whose truth is always 'a', scored by accuracy."""

    card = TaskCard("letters", "Letters", "1", Capability.CLASSIFY, "accuracy")
    metric = metrics.accuracy

    def instances(self) -> list[Instance]:
        return [Instance(str(i), Question(str(i), ("a", "b")), "a") for i in range(100)]


def make_answers(values: dict[str, object]) -> dict[str, Answer]:
    return {id_: Answer(id_, value) for id_, value in values.items()}


def test_perfect_model_beats_shuffled_one_and_ties_with_itself() -> None:
    task = NumberTask()
    perfect = make_answers({str(i): i for i in range(60)})
    shuffled = make_answers({str(i): i * 37 % 60 for i in range(60)})
    result = compare_answers(
        task,
        task.instances(),
        {"perfect": perfect, "twin": perfect, "shuffled": shuffled},
        OWN,
        ScoringSettings(),
    )
    verdicts = {frozenset((t.first, t.second)): t.different for t in result.tests}
    assert not verdicts[frozenset(("perfect", "twin"))]
    assert verdicts[frozenset(("perfect", "shuffled"))]
    assert result.groups == {"perfect": "a", "twin": "a", "shuffled": "b"}


def test_accuracies_are_compared_by_mcnemar() -> None:
    """75 instances are right in both, 20 only in the first, 5 only in the second: the exact
    two-sided p-value of 5 in 25 is 0.0041 (binomial table)."""
    task = LetterTask()
    first = make_answers({str(i): "a" if i < 95 else "b" for i in range(100)})
    second = make_answers({str(i): "a" if i < 75 or i >= 95 else "b" for i in range(100)})
    result = compare_answers(
        task, task.instances(), {"first": first, "second": second}, OWN, ScoringSettings()
    )
    (test,) = result.tests
    assert test.test == "McNemar"
    assert test.p == pytest.approx(0.0041, abs=0.0001)
    assert test.difference == pytest.approx(0.15)
    assert test.low < 0.15 < test.high


def test_models_are_compared_on_instances_that_both_answer() -> None:
    task = NumberTask()
    most = make_answers({str(i): i for i in range(60) if i % 3})
    some = make_answers({str(i): -i for i in range(60) if i % 2})
    result = compare_answers(
        task, task.instances(), {"most": most, "some": some}, OWN, ScoringSettings()
    )
    assert result.n == sum(1 for i in range(60) if i % 3 and i % 2)
    assert result.values == {"most": pytest.approx(1.0), "some": pytest.approx(-1.0)}


def test_model_without_defined_score_is_left_out() -> None:
    task = NumberTask()
    good = make_answers({str(i): i for i in range(60)})
    constant = make_answers({str(i): 1.0 for i in range(60)})
    silent: dict[str, Answer] = {}
    result = compare_answers(
        task,
        task.instances(),
        {"good": good, "twin": good, "constant": constant, "silent": silent},
        OWN,
        ScoringSettings(),
    )
    assert set(result.left_out) == {"constant", "silent"}
    with pytest.raises(CodeacumenError, match="fewer than two models"):
        compare_answers(
            task, task.instances(), {"good": good, "silent": silent}, OWN, ScoringSettings()
        )


@given(st.integers(1, 7), st.data())
def test_models_share_a_letter_iff_they_are_tied(n: int, data: st.DataObject) -> None:
    ranking = [f"m{i}" for i in range(n)]
    pairs = list(combinations(ranking, 2))
    tied = {pair for pair in pairs if data.draw(st.booleans())}
    letters = assign_tie_letters(ranking, tied)
    assert all(letters.values())
    assert "a" in letters[ranking[0]]
    for first, second in pairs:
        assert bool(set(letters[first]) & set(letters[second])) == ((first, second) in tied)


@pytest.mark.thorough
def test_holm_finds_difference_among_many_models() -> None:
    """The smallest possible p-value of the bootstrap must survive the correction over all pairs: 30
    models are 435 pairs."""
    task = NumberTask()
    models = {
        f"m{k}": make_answers({str(i): (i * (k + 7)) % 61 for i in range(60)}) for k in range(29)
    }
    models["perfect"] = make_answers({str(i): i for i in range(60)})
    result = compare_answers(task, task.instances(), models, OWN, ScoringSettings())
    assert any(t.different for t in result.tests if t.first == "perfect")


def test_too_few_instances_are_not_tested() -> None:
    """With so few instances, the paired bootstrap reports false differences."""
    task = NumberTask()
    perfect = make_answers({str(i): i for i in range(12)})
    reverse = make_answers({str(i): -i for i in range(12)})
    result = compare_answers(
        task, task.instances(), {"perfect": perfect, "reverse": reverse}, OWN, ScoringSettings()
    )
    (test,) = result.tests
    assert (test.test, test.p, test.low, test.different) == ("too few to test", None, None, False)
    assert result.groups == {"perfect": "", "reverse": ""}


def test_metric_undefined_in_many_resamples_is_not_tested() -> None:
    """With one positive among 40, a third of the resamples has none, and the rest is biased."""

    class OnePositive(NumberTask):
        metric = metrics.roc_auc

        def instances(self) -> list[Instance]:
            return [replace(i, truth=int(i.id == "39")) for i in super().instances()[:40]]

    task = OnePositive()
    first_answers = make_answers({str(i): i for i in range(40)})
    second_answers = make_answers({str(i): i * 7 % 40 for i in range(40)})
    result = compare_answers(
        task,
        task.instances(),
        {"one": first_answers, "two": second_answers},
        OWN,
        ScoringSettings(),
    )
    assert result.tests[0].test == "undefined in too many resamples to test"
    assert result.tests[0].p is None


def test_single_cluster_shows_no_difference() -> None:
    task = NumberTask()
    instances = [replace(instance, cluster="the only one") for instance in task.instances()]
    perfect = make_answers({str(i): i for i in range(60)})
    shuffled = make_answers({str(i): i * 37 % 60 for i in range(60)})
    result = compare_answers(
        task, instances, {"perfect": perfect, "shuffled": shuffled}, OWN, ScoringSettings()
    )
    assert not result.tests[0].different


def test_equal_answers_have_no_smallest_visible_difference() -> None:
    task = NumberTask()
    same = make_answers({str(i): i * 37 % 60 for i in range(60)})
    result = compare_answers(
        task, task.instances(), {"one": same, "two": same}, OWN, ScoringSettings()
    )
    assert result.tests[0].smallest_visible is None
