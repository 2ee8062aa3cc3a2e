"""Questions of all five kinds for codeacumen-base's tests, made of the example projects'
methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from codeacumen.api import Capability, Example, Method, Prompt, Question
from codeacumen.languages.java.measures.npath import BINS
from codeacumen.languages.java.measures.operators import OPERATORS
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.inputs.base import own_tokens
from codeacumen.models.neural.networks.base import Base
from codeacumen.models.neural.training.encoded import EncodedFile
from models.neural.checks import made, methods, prepare

ALL = Purpose("gluecode", Capability.GENERATE)
NAME = "codeacumen-base"


class Around:
    """A context of the test's own: one callee, a field, candidates for a call, a variant."""

    def owner(self, method: str) -> dict[str, Any]:
        row = {"type": "Box", "name": "find", "returns": "String", "parameters": []}
        return {
            "header": "class Box extends Crate",
            "fields": ["int size"],
            "callees": [row],
            "gives": {"find": "null", "size": "other", "trim": "passed"},
            "methods": [{**row, "name": "open"}],
            "doc": "/** Tells where it lies. */",
        }

    def describe(self, method: str) -> dict[str, Any]:
        return {"receiver": "java.util.List<String>", "candidates": ["add", "isEmpty", "add"]}

    def variant(self, method: str) -> str:
        return "int METHOD_NAME(int other) { return other + 1; }"


def mixed(count: int) -> list[Example]:
    """Questions of all five kinds about the examples' methods."""
    found: list[Example] = []
    for place, (text, name) in enumerate(methods()):
        if "<" in text:
            continue
        which = place % 5
        if which == 0:
            found.append(Example(Question(text, BINS), BINS[text.count("if (") % len(BINS)]))
        elif which == 1 and " == " in text:
            asked = Question(text.replace(" == ", " <MASK> ", 1), OPERATORS)
            found.append(Example(asked, "=="))
        elif which == 1 and " + " in text:
            found.append(Example(Question(text.replace(" + ", " <MASK> ", 1), OPERATORS), "+"))
        elif which == 2:
            found.append(Example(Method("", text), name))
        elif which == 3 and ".size(" in text:
            found.append(Example(Prompt(text.replace(".size(", ".<MASK>(", 1)), "size"))
        elif which == 4:
            found.append(Example(Prompt(text), "<none>" if place % 2 else "METHOD_NAME"))
    words = [t for t in found if t.truth != "METHOD_NAME"]
    for example in found:
        if example.truth == "METHOD_NAME":
            told, _ = own_tokens(example.input.text)  # type: ignore[union-attr]
            plain = [w for w, n in zip(tokens_of(told), told.name, strict=True) if n]
            if plain:
                words.append(Example(example.input, plain[-1]))
    return words[:count]


def tokens_of(told: Any) -> list[str]:
    ends = np.cumsum(told.sizes)
    return ["".join(told.words[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Base, EncodedFile]:
    model, _ = made(NAME, ALL)
    assert isinstance(model, Base)
    return model, prepare(model, mixed(60), tmp_path_factory.mktemp("base"))
