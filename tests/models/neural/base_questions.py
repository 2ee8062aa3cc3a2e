"""Questions of all five kinds about methods of the example projects, for the tests of
codeacumen-base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from codeacumen.api import Capability, Example, Method, Prompt, Question
from codeacumen.languages.java.measures.npath import BINS
from codeacumen.languages.java.measures.operators import OPERATORS
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.inputs.codeacumen_base import tokenize_method
from codeacumen.models.neural.networks.codeacumen_base import Base
from codeacumen.models.neural.training.encoded_file import EncodedFile
from models.neural.small_networks import list_methods, make_small, prepare_examples

ALL = Purpose("gluecode", Capability.GENERATE)
NAME = "codeacumen-base"


class FixedContext:
    """A context for tests: one callee, a field, candidates for a call, and a variant."""

    def owner(self, method: str) -> dict[str, Any]:
        row = {"type": "Box", "name": "find", "returns": "String", "parameters": []}
        return {
            "header": "class Box extends Crate",
            "fields": ["int size"],
            "callees": [row],
            "call_results": {"find": "null", "size": "other", "trim": "passed"},
            "methods": [{**row, "name": "open"}],
            "doc": "/** Tells where it lies. */",
        }

    def describe(self, method: str) -> dict[str, Any]:
        return {"receiver": "java.util.List<String>", "candidates": ["add", "isEmpty", "add"]}

    def get_variant(self, method: str) -> str:
        return "int METHOD_NAME(int other) { return other + 1; }"


def make_mixed_examples(count: int) -> list[Example]:
    """Return questions of all five kinds about the examples' methods."""
    examples: list[Example] = []
    for number, (text, name) in enumerate(list_methods()):
        if "<" in text:
            continue
        kind = number % 5
        if kind == 0:
            examples.append(Example(Question(text, BINS), BINS[text.count("if (") % len(BINS)]))
        elif kind == 1 and " == " in text:
            question = Question(text.replace(" == ", " <MASK> ", 1), OPERATORS)
            examples.append(Example(question, "=="))
        elif kind == 1 and " + " in text:
            examples.append(Example(Question(text.replace(" + ", " <MASK> ", 1), OPERATORS), "+"))
        elif kind == 2:
            examples.append(Example(Method("", text), name))
        elif kind == 3 and ".size(" in text:
            examples.append(Example(Prompt(text.replace(".size(", ".<MASK>(", 1)), "size"))
        elif kind == 4:
            examples.append(Example(Prompt(text), "<none>" if number % 2 else "METHOD_NAME"))
    answerable = [example for example in examples if example.truth != "METHOD_NAME"]
    for example in examples:
        if example.truth == "METHOD_NAME":
            token_columns, _ = tokenize_method(example.input.text)  # type: ignore[union-attr]
            named_tokens = [
                token
                for token, name_number in zip(
                    join_tokens(token_columns), token_columns.name, strict=True
                )
                if name_number
            ]
            if named_tokens:
                answerable.append(Example(example.input, named_tokens[-1]))
    return answerable[:count]


def join_tokens(token_columns: Any) -> list[str]:
    ends = np.cumsum(token_columns.sizes)
    return ["".join(token_columns.words[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Base, EncodedFile]:
    model, _ = make_small(NAME, ALL)
    assert isinstance(model, Base)
    return model, prepare_examples(model, make_mixed_examples(60), tmp_path_factory.mktemp("base"))
