"""Path contexts. Oracle: the code2vec view's own contexts, as strings."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from codeacumen.api import Pair
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_similarity.model import make_path_contexts
from codeacumen.views.paths import code2vec_line, method_paths, paths

ONE = "class A { int f(int x) { if (x > 0) { return x + 1; } return g(x); } }"
OTHER = "class B { int h(int y) { if (y > 0) { return y - 1; } return 2; } }"


def contexts(text: str, names: bool) -> Counter[Any]:
    file = JavaFile(text.encode())
    line = code2vec_line(method_paths(paths(file, [0], most=None), 0), own_name="gluecode")
    printed = [tuple(context.split(",")) for context in line.split()[1:]]
    counts = Counter[Any](path for _, path, _ in printed)
    if names:
        counts.update(printed)
    return counts


@pytest.mark.parametrize("names", [True, False])
def test_the_cosine_is_that_of_the_views_contexts(names: bool) -> None:
    a, b = contexts(ONE, names), contexts(OTHER, names)

    def product(left: Counter[Any], right: Counter[Any]) -> float:
        return sum(
            (1 + math.log(count)) * (1 + math.log(right[key]))
            for key, count in left.items()
            if key in right
        )

    expected = product(a, b) / math.sqrt(product(a, a) * product(b, b))
    assert 0 < expected < 1
    found = make_path_contexts(names=names).similarity([Pair(ONE, OTHER)])
    assert found == pytest.approx([expected])
