"""Words of identifiers on a lexicon made by hand, answers worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import Pair
from codeacumen.models.identifier_similarity.lexicon import arrays_of, packed
from codeacumen.models.method_similarity.model import make_names_average
from codeacumen.models.method_similarity.words import identifiers_of

# Two dimensions in the space of code, two in that of all text; all words equally frequent.
ARRAYS = arrays_of(
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
    file.write_bytes(packed(ARRAYS))
    return str(file)


def method(*names: str) -> str:
    return f"void {names[0]}() {{ {' '.join(f'{name}();' for name in names[1:])} }}"


def test_identifiers_are_the_methods_and_its_types_name() -> None:
    text = "class Tree { int f; int begin(int a) { v1(f); return a; } void other() { begin(2); } }"
    assert identifiers_of(text) == ("begin", "a", "f", "Tree")


def test_averages_by_hand(lexicon: str) -> None:
    model = make_names_average(lexicon=lexicon)
    # begin + end against begin: in code (1, 1) and (1, 0), in all text (2, 0) and (1, 0).
    pairs = [Pair(method("begin", "end"), method("begin")), Pair(method("v1"), method("begin"))]
    found = model.similarity(pairs)
    assert found == [pytest.approx((1 / math.sqrt(2) + 1) / 2), None]


def test_what_all_have_in_common_is_taken_away(lexicon: str) -> None:
    texts = [method("begin", "end"), method("begin"), method("start")]
    model = make_names_average(lexicon=lexicon)
    model.prepare(texts)
    half = 1 / math.sqrt(2)
    code = np.array([[half, half], [1, 0], [1, 0]])
    text = np.array([[1, 0], [1, 0], [0, 1.0]])
    cosines = []
    for space in (code, text):
        apart = space - space.mean(axis=0)
        apart /= np.linalg.norm(apart, axis=1, keepdims=True)
        cosines.append(apart[0] @ apart[2])
    assert model.similarity([Pair(texts[0], texts[2])]) == [pytest.approx(np.mean(cosines))]


def test_partners_by_hand(lexicon: str) -> None:
    model = make_names_average(answer="partners", lexicon=lexicon)
    # begin: 0.8 with start; end: 0.2 at best, with none of them in the table; start: 0.8.
    pair = Pair(method("begin", "end"), method("start"))
    assert model.similarity([pair, Pair(method("v7"), method("end"))]) == [
        pytest.approx((0.8 + 0.0 + 0.8) / 3),
        None,
    ]
