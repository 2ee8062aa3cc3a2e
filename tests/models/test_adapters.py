from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from scipy.spatial.distance import cosine

from codeacumen.api import Capability, CodeacumenError, Method, NamedMethod, Pair, Prompt, Question
from codeacumen.models.adapters import ask_each, ask_through, find_route, list_capabilities


class LengthEmbedding:
    def embed(self, items: Sequence[str]) -> list[list[float] | None]:
        return [None if item == "unknown" else [len(item), 1.0] for item in items]


class Namer:
    def name(self, methods: Sequence[Method]) -> list[str]:
        return ["getMaxValue"] * len(methods)


class Writer:
    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [""] * len(prompts)


def test_embedding_is_adapted_to_similarity_by_cosine() -> None:
    """Oracle: scipy's cosine distance."""
    ask = ask_through(LengthEmbedding(), Capability.SIMILARITY)
    answers = ask([Pair("a", "abcd"), Pair("a", "unknown"), Pair("abc", "xyz")])
    assert answers[0] == pytest.approx(1 - cosine([1, 1], [4, 1]))
    assert answers[1] is None
    assert answers[2] == pytest.approx(1.0)


def test_embedding_answers_multiple_choice_through_two_adapters() -> None:
    assert find_route(list_capabilities(LengthEmbedding()), Capability.CLASSIFY) == (
        Capability.EMBED,
        Capability.SIMILARITY,
        Capability.CLASSIFY,
    )
    ask = ask_through(LengthEmbedding(), Capability.CLASSIFY)
    assert ask([Question("abc", ("a", "xyz", "unknown"))]) == ["xyz"]
    assert ask([Question("unknown", ("a", "b"))]) == [None]


def test_zero_vector_has_no_similarity() -> None:
    class ZeroEmbedding:
        def embed(self, items: Sequence[str]) -> list[list[float]]:
            return [[0.0, 0.0]] * len(items)

    assert ask_through(ZeroEmbedding(), Capability.SIMILARITY)([Pair("a", "b")]) == [None]


def test_namer_judges_by_similarity_to_its_own_name() -> None:
    method = Method("m", "int f() { return max; }")
    ask = ask_through(Namer(), Capability.JUDGE)
    assert ask([NamedMethod(method, "getMaxValue"), NamedMethod(method, "getMin")]) == [
        1.0,
        pytest.approx(2 / 5),
    ]


def test_missing_adapter_is_reported() -> None:
    assert find_route(list_capabilities(Writer()), Capability.SIMILARITY) is None
    with pytest.raises(CodeacumenError, match="generate for similarity"):
        ask_through(Writer(), Capability.SIMILARITY)


class Fixed:
    """A model whose embedding, similarity or name is given."""

    def __init__(self, capability: str, answers: Callable[[Sequence[Any]], list[Any]]) -> None:
        setattr(self, capability, answers)


@pytest.mark.parametrize(
    "vector",
    [
        [float("nan"), 1.0],
        [float("inf"), 1.0],
        ["1.0", "2.0"],
        "12",
        [[1.0, 2.0]],
        [1.0, 2.0, 3.0],
        [True, False],
        7,
        {"a": 1},
    ],
)
def test_invalid_vector_is_an_error_and_no_missing_answer(vector: Any) -> None:
    model = Fixed("embed", lambda items: [vector if item == "bad" else [1, 2] for item in items])
    answers = ask_through(model, Capability.SIMILARITY)([Pair("a", "b"), Pair("a", "bad")])
    assert answers[0] == pytest.approx(1.0)
    assert isinstance(answers[1], TypeError | ValueError)


@pytest.mark.parametrize("similarity", [float("nan"), float("inf"), "0.9", True, [1.0]])
def test_invalid_similarity_of_a_choice_is_an_error(similarity: Any) -> None:
    model = Fixed("similarity", lambda pairs: [0.5, similarity, None][: len(pairs)])
    (answer,) = ask_through(model, Capability.CLASSIFY)([Question("x", ("a", "b", "c"))])
    assert isinstance(answer, TypeError | ValueError)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    ("own", "needed", "question"),
    [
        ("embed", Capability.SIMILARITY, Pair("a", "b")),
        ("similarity", Capability.CLASSIFY, Question("x", ("a", "b"))),
        ("name", Capability.JUDGE, NamedMethod(Method("m", "void f() {}"), "f")),
    ],
)
def test_wrong_number_of_answers_is_an_error(
    own: str, needed: Capability, question: Any, count: int
) -> None:
    """Otherwise the answers to later questions would be those of others."""
    wrong_count = count - 1 if own == "name" else count
    model = Fixed(own, lambda questions: [[1.0]] * wrong_count)
    (answer,) = ask_each(ask_through(model, needed), [question], 8)
    assert f"{wrong_count} answers to" in str(answer)


def test_invalid_name_is_an_error() -> None:
    methods = [NamedMethod(Method(id_, "void f() {}"), "load") for id_ in "abc"]
    ask = ask_through(Fixed("name", lambda _: ["load", 7, None]), Capability.JUDGE)
    first, second, third = ask(methods)
    assert (first, third) == (1.0, None)
    assert isinstance(second, TypeError)


def test_text_attribute_is_no_capability() -> None:
    class Labelled(LengthEmbedding):
        name = "my model"

    assert list_capabilities(Labelled()) == (Capability.EMBED,)


@pytest.mark.parametrize("returned", [{"a": 0.5}, "x", b"x"])
def test_mapping_or_text_is_no_list_of_answers(returned: Any) -> None:
    (answer,) = ask_each(lambda questions: returned, [Pair("a", "b")], 8)
    assert "expected a list of answers" in str(answer)
