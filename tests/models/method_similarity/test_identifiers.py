"""Tests of identifier averages on a small lexicon with answers computed by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import Pair
from codeacumen.models.identifier_similarity.lexicon import pack_arrays
from codeacumen.models.method_similarity.model import make_names_average
from codeacumen.models.method_similarity.words import list_identifiers
from lexicons import make_arrays

# Two dimensions in the space of code, two in that of all text; all words equally frequent.
ARRAYS = make_arrays(
    dict.fromkeys(("begin", "start", "end", "tree"), 0.001),
    english={"begin", "start", "end", "tree"},
    vectors={
        "begin": [1.0, 0.0, 1.0, 0.0],
        "start": [1.0, 0.0, 0.0, 1.0],
        "end": [0.0, 1.0, 1.0, 0.0],
        "tree": [0.0, 1.0, 0.0, 1.0],
    },
    pairs={("begin", "start"): 204 / 255, ("begin", "end"): 51 / 255, ("end", "tree"): 0.0},
)


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("lexicon") / "names.npz"
    file.write_bytes(pack_arrays(ARRAYS))
    return str(file)


def make_method(*names: str) -> str:
    return f"void {names[0]}() {{ {' '.join(f'{name}();' for name in names[1:])} }}"


def test_identifiers_include_method_and_type_name() -> None:
    text = "class Tree { int f; int begin(int a) { v1(f); return a; } void other() { begin(2); } }"
    assert list_identifiers(text) == ("begin", "a", "f", "Tree")


def test_averages_by_hand(lexicon: str) -> None:
    model = make_names_average(lexicon=lexicon)
    # begin + end against begin: in code (1, 1) and (1, 0), in all text (2, 0) and (1, 0).
    pairs = [
        Pair(make_method("begin", "end"), make_method("begin")),
        Pair(make_method("v1"), make_method("begin")),
    ]
    similarities = model.similarity(pairs)
    assert similarities == [pytest.approx((1 / math.sqrt(2) + 1) / 2), None]


def test_mean_of_prepared_methods_is_subtracted(lexicon: str) -> None:
    texts = [make_method("begin", "end"), make_method("begin"), make_method("start")]
    model = make_names_average(lexicon=lexicon)
    model.prepare(texts)
    component = 1 / math.sqrt(2)
    code = np.array([[component, component], [1, 0], [1, 0]])
    text = np.array([[1, 0], [1, 0], [0, 1.0]])
    cosines = []
    for space in (code, text):
        centered = space - space.mean(axis=0)
        centered /= np.linalg.norm(centered, axis=1, keepdims=True)
        cosines.append(centered[0] @ centered[2])
    assert model.similarity([Pair(texts[0], texts[2])]) == [pytest.approx(np.mean(cosines))]


def test_partners_by_hand(lexicon: str) -> None:
    model = make_names_average(answer="partners", lexicon=lexicon)
    # begin: 0.8 with start; end: its pair with start is not in the table; start: 0.8.
    pair = Pair(make_method("begin", "end"), make_method("start"))
    assert model.similarity([pair, Pair(make_method("v7"), make_method("end"))]) == [
        pytest.approx((0.8 + 0.0 + 0.8) / 3),
        None,
    ]
