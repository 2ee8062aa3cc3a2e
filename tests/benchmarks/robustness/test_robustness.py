"""Tests of the robustness tasks of a data set, and of counting statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import Answer, Capability, Method
from codeacumen.benchmarks.robustness import BUCKETS, RobustnessTask, find_bucket
from codeacumen.datasets.built import read_built
from codeacumen.datasets.variants.shards import count_statements
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.runs.plan import PlannedTask
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.transforms.code import code_of
from robustness_dataset import write_data


@pytest.fixture
def rename(tmp_path: Path) -> RobustnessTask:
    return RobustnessTask(read_built(write_data(tmp_path)), "rename")


def test_each_original_precedes_its_variants(rename: RobustnessTask) -> None:
    instances = PlannedTask(rename).instances
    assert [(instance.id, instance.cluster, instance.truth) for instance in instances] == [
        ("m0", "m0", "getCount"),
        ("m0/rename/single/rename:x:0", "m0", "getCount"),
        ("m0/rename/single/rename:y:0", "m0", "getCount"),
        ("m0/rename/all/all", "m0", "getCount"),
        ("m1", "m1", "run"),
        ("m1/rename/single/rename:x:0", "m1", "run"),
    ]
    assert [sorted(instance.tags) for instance in instances[2:5]] == [
        ["statements:1-5", "variant", "where:single"],
        ["statements:1-5", "variant", "where:all"],
        ["original", "statements:6-10"],
    ]
    variant_input = instances[1].input
    assert isinstance(variant_input, Method)
    assert variant_input == Method(instances[1].id, "void METHOD_NAME() {} // rename:x:0", "java")


def test_card_of_a_robustness_task(rename: RobustnessTask) -> None:
    card = rename.card
    assert (card.capability, card.metric, card.lower_is_better) == (Capability.NAME, "pcp", True)
    assert [
        (evaluation_set.name, evaluation_set.tag) for evaluation_set in card.evaluation_sets
    ] == [
        ("single", "where:single"),
        ("all", "where:all"),
    ]
    assert card.slices == tuple(f"statements:{name}" for name in BUCKETS)
    assert card.summary == "Stability of the predicted name when a variable is renamed"


def test_single_mode_is_the_headline_even_if_listed_last(tmp_path: Path) -> None:
    counts = {"variants": {"rename": {"25%": 2, "all": 1, "single": 3, "50%": 0}}}
    task = RobustnessTask(read_built(write_data(tmp_path, counts=counts)), "rename")
    assert [evaluation_set.name for evaluation_set in task.card.evaluation_sets] == [
        "single",
        "25%",
        "all",
    ]
    assert "25% of the places" in task.card.evaluation_sets[1].meaning


def test_first_mode_is_the_headline_without_single_mode(tmp_path: Path) -> None:
    counts = {"variants": {"rename": {"all": 1, "25%": 2}}}
    task = RobustnessTask(read_built(write_data(tmp_path, counts=counts)), "rename")
    assert [evaluation_set.name for evaluation_set in task.card.evaluation_sets] == ["all", "25%"]


X, Y, ALL = "m0/rename/single/rename:x:0", "m0/rename/single/rename:y:0", "m0/rename/all/all"
OTHER = "m1/rename/single/rename:x:0"


def pair_answers(task: RobustnessTask, answers: dict[str, Answer]) -> dict[str, Answer]:
    return task.postprocess_answers(task.instances(), answers)


def test_pair_has_answers_before_and_after(rename: RobustnessTask) -> None:
    answers = {id_: Answer(id_, value) for id_, value in {"m0": "a", X: "b", Y: "a"}.items()}
    assert pair_answers(rename, answers) == {
        X: Answer(X, {"before": "a", "after": "b"}),
        Y: Answer(Y, {"before": "a", "after": "a"}),
    }


def test_missing_answer_is_an_empty_name(rename: RobustnessTask) -> None:
    answers = {"m0": Answer("m0"), X: Answer(X), Y: Answer(Y, "a")}
    pairs = pair_answers(rename, answers)
    assert pairs[X].value == {"before": "", "after": ""}
    assert pairs[Y].value == {"before": "", "after": "a"}


def test_failure_on_either_method_fails_the_pair(rename: RobustnessTask) -> None:
    answers = {
        "m0": Answer("m0", "a"),
        X: Answer(X, error="no"),
        Y: Answer(Y, "a"),
        "m1": Answer("m1", error="never"),
        OTHER: Answer(OTHER, "b"),
    }
    pairs = pair_answers(rename, answers)
    assert (pairs[X], pairs[OTHER]) == (Answer(X, error="no"), Answer(OTHER, error="never"))
    assert pairs[Y].value == {"before": "a", "after": "a"}


def test_scores_of_all_evaluation_sets(rename: RobustnessTask) -> None:
    """A single-place variant of two changes from right to wrong; a failed pair is excluded."""
    answers = {
        "m0": Answer("m0", "get_count"),
        X: Answer(X, "getCount"),
        Y: Answer(Y, "getTotal"),
        ALL: Answer(ALL),
        "m1": Answer("m1", "go"),
        OTHER: Answer(OTHER, error="no"),
    }
    scores, unreadable = compute_scores(
        rename, rename.instances(), answers, ScoringSettings(resamples=100)
    )
    value_and_n = {
        (one_score.metric, one_score.evaluation_set, one_score.slice): (
            one_score.value,
            one_score.n,
        )
        for one_score in scores
    }
    assert value_and_n["pcp", "single", ""] == (50, 2)
    assert value_and_n["pcp", "all", ""] == (100, 1)
    assert value_and_n["cwp", "single", ""] == (50, 2)
    assert value_and_n["cwp_share", "single", "statements:1-5"] == (50, 2)
    assert value_and_n["pcp", "single", "statements:6-10"] == (None, 0)
    assert unreadable == {}


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        (1, "1-5"),
        (5, "1-5"),
        (6, "6-10"),
        (15, "11-15"),
        (16, "16-20"),
        (25, "21-25"),
        (26, "26-50"),
        (50, "26-50"),
        (51, "51-100"),
        (100, "51-100"),
        (101, "101+"),
        (9999, "101+"),
    ],
)
def test_buckets_match_figure_4(statements: int, name: str) -> None:
    assert find_bucket(statements) == name
    assert name in BUCKETS


@pytest.mark.parametrize(
    ("body", "statements"),
    [
        ("", 1),
        ("return x;", 2),
        ("int a = 1, b = 2;", 2),
        (";", 2),
        ("for (int i = 0; i < 3; i++) ;", 3),
        ("for (;;) { break; }", 4),
        ("for (x = 0, y = 1; x < y; x++, y--) f();", 3),
        ("for (int i : all) { f(i); }", 4),
        ("outer: while (true) { continue outer; }", 5),
        ("outer: ;", 3),
        ("do ; while (x > 1);", 3),
        ("if (x > 1) ; else if (x > 2) return; else { }", 6),
        # A case is not a statement, the statements in it are.
        ("switch (x) { case 1: f(); break; default: ; }", 5),
        ("switch (x) { case 1 -> f(); case 2 -> throw new E(); default -> {} }", 5),
        # A switch expression is not a statement, but the values of its rules are.
        ("int y = switch (x) { case 1 -> 2; default -> { yield 3; } };", 5),
        ("return switch (x) { default -> 1; };", 3),
        # The body of a lambda is a statement, in braces or not.
        ("Runnable r = () -> f();", 3),
        ("Runnable r = () -> { f(); };", 4),
        ("g(a -> switch (a) { default -> 1; });", 4),
        ("try (var z = o()) { } catch (E e) { } finally { ; }", 6),
        ("synchronized (this) { assert x > 1; throw new E(); }", 5),
        # A local class is one statement plus the statements in it; its members are not statements.
        ("class B { int q; B() { super(); } ; void t() { } { q = 1; } static { } }", 8),
        ("new Object() { int f() { return 1; } };", 4),
        ("record P(int x) { P { x = 1; } } enum C { A } interface I { }", 6),
    ],
)
def test_statement_count_matches_javaparser(body: str, statements: int) -> None:
    """Expected counts follow JavaParser's classes of statements and are counted by hand."""
    file = JavaFile(f"class A {{ void m(int x) {{ {body} }} }}".encode())
    assert not file.syntax.broken
    assert count_statements(code_of(file), file.declarations.methods[0].node) == statements
