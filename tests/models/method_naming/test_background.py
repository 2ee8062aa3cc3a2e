"""Tests of the background: traits of a method, probabilities against scipy's, and the stored
file."""

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
    compute_log_probabilities,
    load_shipped_background,
    read_background,
)
from codeacumen.models.method_naming.facts import Facts, read_facts_from_text
from codeacumen.models.method_naming.neighbours import is_set_aside
from codeacumen.models.method_naming.traits import classify_type, list_traits, split_words


def extract_facts(code: str) -> Facts:
    method_facts = read_facts_from_text(code)
    assert method_facts is not None
    return method_facts


def test_traits_do_not_depend_on_the_name() -> None:
    code = "int NAME(int n) { return n < 2 ? 1 : n * NAME(n - 1); }"
    first, second = (
        extract_facts(code.replace("NAME", name)) for name in ("factorial", "getTotal")
    )
    assert list_traits(first) == list_traits(second)
    assert not any("factorial" in trait for trait in list_traits(first))


def test_type_is_mapped_to_its_sort() -> None:
    types = ("void", "boolean", "Long", "String", "int[]", "Set", "T", "Node", "Tree")
    assert [classify_type(type_name, "Tree") for type_name in types] == [
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


def test_tests_and_examples_are_excluded() -> None:
    assert is_set_aside("src/test/java/A.java")
    assert is_set_aside("examples/A.java")
    assert not is_set_aside("src/main/java/A.java")


def test_probabilities_equal_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(40, 7)).astype(np.float32)
    rows = [rng.choice(40, size=size, replace=False) for size in (0, 1, 5, 12)]
    sums = np.array([weights[row].sum(axis=0) for row in rows])
    for temperature in (1.0, 1.7):
        log_probs = compute_log_probabilities([row.tolist() for row in rows], weights, temperature)
        np.testing.assert_allclose(log_probs, log_softmax(sums / temperature, axis=1), atol=1e-5)


def test_verbs_of_getters_and_setters_are_likely() -> None:
    background = load_shipped_background()
    getter = extract_facts("String getTitle() { return title; }")
    setter = extract_facts("void setTitle(String title) { this.title = title; }")
    rows = background.compute_log_probabilities([getter, setter])
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1, atol=1e-4)
    assert [background.get_title(int(verb_index)) for verb_index in rows.argmax(axis=1)] == [
        "get",
        "set",
    ]
    assert background.find_column(getter, getter.name) == rows[0].argmax()
    assert background.get_title(background.find_column(getter, "title")) == "<returned>"
    assert background.get_title(background.find_column(getter, "nonsense")) == "<other>"


def test_read_background_returns_what_was_stored(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).normal(size=(3, 2 + len(OTHERS))).astype(np.float32) * 5
    shares = np.linspace(-3, -1, weights.shape[1], dtype=np.float32)
    background = Background(
        ("get", "set"), ("a", "b", "c"), weights, shares, {"getId": 7}, {"rule x": 0.5}, {"seed": 1}
    )
    path = tmp_path / "background.npz"
    path.write_bytes(background.to_bytes())
    restored = read_background(path)
    assert (restored.verbs, restored.traits, restored.names) == (
        background.verbs,
        background.traits,
        background.names,
    )
    assert (restored.combination, restored.about) == (background.combination, background.about)
    np.testing.assert_array_equal(restored.shares, shares)
    np.testing.assert_allclose(
        restored.weights, np.clip(weights, -127 * STEP, 127 * STEP), atol=STEP / 2
    )
    assert restored.to_bytes() == background.to_bytes()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY"])
def test_damaged_file_is_reported(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "background.npz"
    path.write_bytes(data)
    with pytest.raises(CodeacumenError, match="no background of names"):
        read_background(path)
    with pytest.raises(CodeacumenError, match="cannot be read"):
        read_background(tmp_path / "absent.npz")


def test_words_of_name_are_lowercase_subtokens() -> None:
    assert split_words("toHTMLString_x") == ("to", "html", "string", "x")
