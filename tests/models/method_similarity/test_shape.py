"""Tests of traits of methods on written examples; names must not influence them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from codeacumen.api import Pair
from codeacumen.models.method_similarity.bags import ParsedMethod
from codeacumen.models.method_similarity.model import make_shape
from codeacumen.models.method_similarity.shape import PARTS, list_traits

TEXT = """class Map<K, V> extends Base implements Sized {
    static boolean has(Map<K, V> map, int[] keys, K key) throws E {
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == 7) { map.use(key, null); return true; }
        }
        this.count = 3;
        return other(key);
    }
    private int count;
    boolean other(K key) { throw new E("x"); }
}"""


def list_traits_of_part(text: str, part: str) -> set[str]:
    return {
        trait for part_index, trait in list_traits(ParsedMethod(text)) if PARTS[part_index] == part
    }


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            "signature",
            {
                "returns boolean",
                "takes own type",
                "takes array of int",
                "static",
                "takes type variable",
                "throws",
                "has 3 parameters",
            },
        ),
        (
            "types",
            {
                "class",
                "has 2 type variables",
                "superclass",
                "super_interfaces",
                "field int",
                "local whole number",
            },
        ),
        ("control", {"loop", "loop in body", "if in loop", "return in if", "throw in body"}),
        ("operators", {"<", "== of 7 and an element", "++", "= of field"}),
        ("literals", {"7", "3", "true", "null", "a string"}),
        (
            "calls",
            {
                "call on parameter with 2",
                "call on parameter is dropped",
                "passes null",
                "call in if",
                "call on nothing is returned",
                "new is thrown",
            },
        ),
        (
            "data",
            {
                "reads an element of parameter",
                "writes field",
                "reads parameter",
                "returns true",
                "returns a call",
            },
        ),
    ],
)
def test_traits_by_hand(part: str, expected: set[str]) -> None:
    assert expected <= list_traits_of_part(TEXT, part)


def test_traits_do_not_depend_on_names() -> None:
    masked = TEXT
    names = (
        "Map",
        "K",
        "V",
        "Base",
        "Sized",
        "has",
        "map",
        "keys",
        "key",
        "E",
        "i",
        "use",
        "count",
    )
    for number, name in enumerate(names, 1):
        masked = re.sub(rf"\b{name}\b", f"v{number}", masked)
    assert sorted(list_traits(ParsedMethod(masked))) == sorted(list_traits(ParsedMethod(TEXT)))


def test_each_part_alone_and_mean_of_parts() -> None:
    get = "class A { int size; int size() { return size; } }"
    put = "class A { int size; void put(int a) { size = a; } }"
    pairs = [Pair(get, put), Pair(get, get)]
    answers = {part: make_shape(part=part).similarity(pairs) for part in (*PARTS, "size", "all")}
    assert all(self_similarity == 1 for _, self_similarity in answers.values())
    # Neither has a literal: this part is equal and does not count in the whole.
    assert answers["literals"][0] == 1
    part_scores = [
        answers[part][0] for part in (*PARTS, "size") if part not in ("literals", "calls")
    ]
    assert answers["all"][0] == pytest.approx(np.mean(np.array(part_scores, np.float64)))
    # int size ( ) { return size ; } and void put ( int a ) { size = a ; }
    assert answers["size"][0] == pytest.approx(9 / 12)
