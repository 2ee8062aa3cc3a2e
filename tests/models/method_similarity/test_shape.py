"""Traits of methods written by hand, and that no name has a part in them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from codeacumen.api import Pair
from codeacumen.models.method_similarity.bags import Code
from codeacumen.models.method_similarity.model import make_shape
from codeacumen.models.method_similarity.shape import PARTS, traits

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


def told(text: str, part: str) -> set[str]:
    return {trait for place, trait in traits(Code(text)) if PARTS[place] == part}


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
    assert expected <= told(TEXT, part)


def test_no_name_has_a_part_in_it() -> None:
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
    assert sorted(traits(Code(masked))) == sorted(traits(Code(TEXT)))


def test_each_part_by_itself() -> None:
    get = "class A { int size; int size() { return size; } }"
    put = "class A { int size; void put(int a) { size = a; } }"
    pairs = [Pair(get, put), Pair(get, get)]
    answers = {part: make_shape(part=part).similarity(pairs) for part in (*PARTS, "size", "all")}
    assert all(same == 1 for _, same in answers.values())
    # Neither has a literal: alike in that, and no part of the whole.
    assert answers["literals"][0] == 1
    seen = [answers[part][0] for part in (*PARTS, "size") if part not in ("literals", "calls")]
    assert answers["all"][0] == pytest.approx(np.mean(np.array(seen, np.float64)))
    # int size ( ) { return size ; } and void put ( int a ) { size = a ; }
    assert answers["size"][0] == pytest.approx(9 / 12)
