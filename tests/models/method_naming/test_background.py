"""The background: traits of a method, probabilities against scipy's, the file it is kept in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_softmax

from codeacumen.api import CodeacumenError
from codeacumen.models.method_naming.background import (
    OTHERS,
    STEP,
    Background,
    log_probabilities,
    read_background,
    shipped,
)
from codeacumen.models.method_naming.facts import Facts, facts_of_text
from codeacumen.models.method_naming.neighbours import is_set_aside
from codeacumen.models.method_naming.traits import sort_of, traits, words


def facts(code: str) -> Facts:
    found = facts_of_text(code)
    assert found is not None
    return found


def test_traits_do_not_know_the_name() -> None:
    code = "int NAME(int n) { return n < 2 ? 1 : n * NAME(n - 1); }"
    one, other = (facts(code.replace("NAME", name)) for name in ("factorial", "getTotal"))
    assert traits(one) == traits(other)
    assert not any("factorial" in trait for trait in traits(one))


def test_sorts_of_types() -> None:
    asked = ("void", "boolean", "Long", "String", "int[]", "Set", "T", "Node", "Tree")
    assert [sort_of(one, "Tree") for one in asked] == [
        "void",
        "boolean",
        "number",
        "string",
        "array",
        "collection",
        "any",
        "type",
        "own",
    ]


def test_what_is_set_aside() -> None:
    assert is_set_aside("src/test/java/A.java")
    assert is_set_aside("examples/A.java")
    assert not is_set_aside("src/main/java/A.java")


def test_probabilities_are_those_of_scipy() -> None:
    draw = np.random.default_rng(3)
    weights = draw.normal(size=(40, 7)).astype(np.float32)
    rows = [draw.choice(40, size=size, replace=False) for size in (0, 1, 5, 12)]
    sums = np.array([weights[row].sum(axis=0) for row in rows])
    for temperature in (1.0, 1.7):
        found = log_probabilities([row.tolist() for row in rows], weights, temperature)
        np.testing.assert_allclose(found, log_softmax(sums / temperature, axis=1), atol=1e-5)


def test_verbs_of_getters_and_setters_are_likely() -> None:
    background = shipped()
    getter = facts("String getTitle() { return title; }")
    setter = facts("void setTitle(String title) { this.title = title; }")
    rows = background.log_probabilities([getter, setter])
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1, atol=1e-4)
    assert [background.title(int(place)) for place in rows.argmax(axis=1)] == ["get", "set"]
    assert background.place(getter, getter.name) == rows[0].argmax()
    assert background.title(background.place(getter, "title")) == "<returned>"
    assert background.title(background.place(getter, "nonsense")) == "<other>"


def test_a_background_is_read_as_it_was_written(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).normal(size=(3, 2 + len(OTHERS))).astype(np.float32) * 5
    shares = np.linspace(-3, -1, weights.shape[1], dtype=np.float32)
    background = Background(
        ("get", "set"), ("a", "b", "c"), weights, shares, {"getId": 7}, {"rule x": 0.5}, {"seed": 1}
    )
    path = tmp_path / "background.npz"
    path.write_bytes(background.to_bytes())
    again = read_background(path)
    assert (again.verbs, again.traits, again.names) == (
        background.verbs,
        background.traits,
        background.names,
    )
    assert (again.combination, again.about) == (background.combination, background.about)
    np.testing.assert_array_equal(again.shares, shares)
    np.testing.assert_allclose(
        again.weights, np.clip(weights, -127 * STEP, 127 * STEP), atol=STEP / 2
    )
    assert again.to_bytes() == background.to_bytes()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY"])
def test_a_damaged_file_is_told(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "background.npz"
    path.write_bytes(data)
    with pytest.raises(CodeacumenError, match="no background of names"):
        read_background(path)
    with pytest.raises(CodeacumenError, match="cannot be read"):
        read_background(tmp_path / "absent.npz")


def test_words_of_a_name() -> None:
    assert words("toHTMLString_x") == ("to", "html", "string", "x")
