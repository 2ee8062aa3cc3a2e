"""Tests of path contexts. Oracle: the contexts of the code2vec view, as strings."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from codeacumen.api import Pair
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_similarity.model import make_path_contexts
from codeacumen.views.paths import build_paths, format_code2vec_line, paths_of_method

ONE = "class A { int f(int x) { if (x > 0) { return x + 1; } return g(x); } }"
OTHER = "class B { int h(int y) { if (y > 0) { return y - 1; } return 2; } }"


def count_contexts(text: str, names: bool) -> Counter[Any]:
    file = JavaFile(text.encode())
    line = format_code2vec_line(
        paths_of_method(build_paths(file, [0], max_contexts=None), 0), own_name="gluecode"
    )
    printed = [tuple(context.split(",")) for context in line.split()[1:]]
    counts = Counter[Any](path for _, path, _ in printed)
    if names:
        counts.update(printed)
    return counts


@pytest.mark.parametrize("names", [True, False])
def test_cosine_equals_that_of_contexts_of_the_view(names: bool) -> None:
    a, b = count_contexts(ONE, names), count_contexts(OTHER, names)

    def compute_product(left: Counter[Any], right: Counter[Any]) -> float:
        return sum(
            (1 + math.log(count)) * (1 + math.log(right[key]))
            for key, count in left.items()
            if key in right
        )

    expected = compute_product(a, b) / math.sqrt(compute_product(a, a) * compute_product(b, b))
    assert 0 < expected < 1
    similarities = make_path_contexts(names=names).similarity([Pair(ONE, OTHER)])
    assert similarities == pytest.approx([expected])
