from __future__ import annotations

from collections.abc import Sequence

import pytest
from scipy.spatial.distance import cosine

from codeacumen.api import Capability, CodeacumenError, Method, NamedMethod, Pair, Prompt, Question
from codeacumen.models.adapters import ask_through, find_route, list_capabilities


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
