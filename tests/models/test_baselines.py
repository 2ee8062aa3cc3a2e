from __future__ import annotations

from dataclasses import dataclass

from codeacumen.api import Example, Method, NamedMethod, Pair, Prompt, Question
from codeacumen.models.baselines import Chance, Constant, Oracle


def test_chance_depends_only_on_question_and_seed() -> None:
    pairs = [Pair("a", "b"), Pair("c", "d")]
    assert Chance(0).similarity(pairs) == Chance(0).similarity(pairs[::-1])[::-1]
    assert Chance(0).similarity(pairs) != Chance(1).similarity(pairs)


def test_random_answers_do_not_depend_on_class_or_field_names() -> None:
    @dataclass(frozen=True)
    class RenamedPair:
        first: str
        second: str

        @property
        def content(self) -> tuple[str, ...]:
            return Pair(self.first, self.second).content

    assert Chance(0).draw_number(RenamedPair("a", "b")) == Chance(0).draw_number(Pair("a", "b"))
    # The value itself: recorded scores of `random` depend on it.
    assert Chance(0).draw_number(Pair("a", "b")) == 0.021732200177876138
    questions = [Method("a", "b"), NamedMethod(Method("a", "b"), "c"), Question("a", ("b",))]
    assert len({Chance(0).draw_number(question) for question in [*questions, Prompt("a")]}) == 4


def test_chance_is_uniform_over_choices() -> None:
    choices = ("a", "b", "c", "d")
    answers = Chance(0).classify([Question(str(i), choices) for i in range(4000)])
    assert all(900 < answers.count(choice) < 1100 for choice in choices)


def test_constant_predicts_mean_or_most_frequent_label() -> None:
    constant = Constant()
    constant.fit([Example(Pair("a", str(i)), truth) for i, truth in enumerate([1.0, 1.0, 4.0])])
    assert constant.similarity([Pair("x", "y")]) == [2.0]
    constant.fit(
        [Example(Question(str(i), ()), label) for i, label in enumerate(["b", "a", "b", "c"])]
    )
    assert constant.classify([Question("x", ("a", "b")), Question("y", ("c", "a"))]) == ["b", "a"]


def test_oracle_returns_the_true_label() -> None:
    oracle = Oracle()
    oracle.fit([Example(Pair("a", "b"), 0.25)])
    assert oracle.similarity([Pair("a", "b")]) == [0.25]
