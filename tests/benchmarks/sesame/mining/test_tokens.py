"""Tests of toksim and token kinds, with the published similarities as the oracle."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.benchmarks.sesame.mining.tokens import (
    TEXT_BLOCK,
    compute_token_kinds,
    compute_toksim,
    compute_toksims,
)
from codeacumen.languages.java.syntax.tokens import CODE
from support import SHARED


def encode_kinds(*names: str) -> bytes:
    return bytes(CODE[name] for name in names)


def test_kinds_cover_the_body_with_its_braces() -> None:
    text = "@A({1}) static int f(int[] a) throws E { return a[0]; }"
    body = ("LBRACE", "RETURN", "IDENTIFIER", "LBRACKET", "INTLITERAL", "RBRACKET", "SEMI")
    assert compute_token_kinds(text) == encode_kinds(*body, "RBRACE")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("int x = 1;", "Foo y = 2;"),  # a primitive type is an identifier
        ('f("a");', 'g("b\\n");'),
        ("x = 'a';", "y = 'b';"),
        ("/* a */ f(); // b", "f();"),
        (
            "boolean b; byte c; char d; double e; float f; long g; short h;",
            "A b; A c; A d; A e; A f; A g; A h;",
        ),
        ("a(_);", "a(b);"),
    ],
)
def test_bodies_with_equal_kinds(left: str, right: str) -> None:
    assert compute_token_kinds(f"void f() {{ {left} }}") == compute_token_kinds(
        f"void f() {{ {right} }}"
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x = true;", "x = false;"),
        ("x = null;", "x = y;"),
        ("x = 1;", "x = 1L;"),
        ("x = 1.0;", "x = 1f;"),
        ("x += 1;", "x -= 1;"),
        ("x = 'a';", 'x = "a";'),
        ('x = """\na""";', 'x = "a";'),
        ("Object o = void.class;", "Object o = int.class;"),
    ],
)
def test_bodies_with_different_kinds(left: str, right: str) -> None:
    assert compute_token_kinds(f"void f() {{ {left} }}") != compute_token_kinds(
        f"void f() {{ {right} }}"
    )


def test_generics_close_with_one_token_and_text_blocks_are_a_kind() -> None:
    token_kinds = compute_token_kinds('void f() { Map<A, List<List<B>>> m = """\n  x"""; }')
    assert token_kinds.count(CODE["GTGTGT"]) == 1
    assert CODE["GT"] not in token_kinds
    assert token_kinds.count(TEXT_BLOCK) == 1


def test_kinds_of_a_class_are_those_of_its_documented_method() -> None:
    text = "class A { A() { } void g() { ; } /** It. */ void f() { a(); } /** x */ void h() { } }"
    assert compute_token_kinds(text) == compute_token_kinds("void f() { a(); }")
    assert compute_token_kinds("class A { int x; void g() { a(); } }") == compute_token_kinds(
        "void f() { a(); }"
    )


@given(st.text(alphabet=st.sampled_from("a1 {}();\"'/*<>=.,@\n"), max_size=40))
def test_malformed_text_has_kinds(text: str) -> None:
    compute_token_kinds(text)
    compute_token_kinds(f"void f() {{ {text} }}")


def test_deep_nesting_does_not_recurse() -> None:
    deep = "(" * 10_000 + "x" + ")" * 10_000
    assert len(compute_token_kinds(f"void f() {{ y = {deep}; }}")) == 20_006


def compute_toksim_slowly(left: Sequence[int], right: Sequence[int]) -> float:
    """Compute toksim with the Wagner-Fischer algorithm as in a textbook."""
    table = np.zeros((len(left) + 1, len(right) + 1), dtype=int)
    table[:, 0], table[0] = range(len(left) + 1), range(len(right) + 1)
    for i, left_kind in enumerate(left, 1):
        for j, right_kind in enumerate(right, 1):
            table[i, j] = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (left_kind != right_kind),
            )
    longest = max(len(left), len(right))
    return 1 - table[-1, -1] / longest if longest else 1.0


BODIES = st.binary(max_size=12).map(lambda data: bytes(byte % 4 for byte in data))


@given(st.lists(BODIES, min_size=1, max_size=6), st.data())
def test_toksim_is_one_minus_the_normalised_edit_distance(
    bodies: list[bytes], data: st.DataObject
) -> None:
    rows = st.lists(st.integers(0, len(bodies) - 1), min_size=5, max_size=5)
    left, right = (np.array(data.draw(rows), dtype=np.int32) for _ in range(2))
    expected = [
        compute_toksim_slowly(bodies[i], bodies[j]) for i, j in zip(left, right, strict=True)
    ]
    assert compute_toksims(bodies, left, right).tolist() == pytest.approx(expected)
    similarities = [compute_toksim(bodies[i], bodies[j]) for i, j in zip(left, right, strict=True)]
    assert similarities == pytest.approx(expected)


def test_batches_do_not_change_toksims(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    bodies = [generator.integers(0, 5, size).astype(np.uint8).tobytes() for size in range(30)]
    left, right = generator.integers(0, 30, (2, 500)).astype(np.int32)
    at_once = compute_toksims(bodies, left, right)
    monkeypatch.setattr("codeacumen.benchmarks.sesame.mining.tokens._BATCH", 7)
    assert np.array_equal(compute_toksims(bodies, left, right), at_once)


# Pairs whose published value differs. GLUED: a comment touches the closing brace, and the tool
# reads its first character as an operator. PRINTED: the published text of a comment with an escaped
# */ is not valid Java.
GLUED, PRINTED = "89", "897"


@pytest.mark.thorough
def test_toksims_equal_the_published_ones() -> None:
    """Compare with SeSaMe's ``sim_tok``, computed with JDT's scanner, for each pair with published
    source."""
    folder = SHARED / "sesame"
    if not folder.is_dir():
        pytest.skip(f"SeSaMe's files are not in {folder}")
    ours = {
        row["pairid"]: (compute_token_kinds(row["first"]), compute_token_kinds(row["second"]))
        for row in _read_rows(folder)
    }
    with (folder / "sampled-pairs.csv").open(encoding="utf-8", newline="") as stream:
        published = {row["pairid"]: float(row["sim_tok"]) for row in csv.DictReader(stream)}
    differing = {
        pair
        for pair, bodies in ours.items()
        if abs(compute_toksim(*bodies) - published[pair]) > 1e-9
    }
    assert len(ours) == 857
    assert differing == {GLUED, PRINTED}
    first, second = ours[GLUED]
    assert compute_toksim(first, second + encode_kinds("SLASH")) == pytest.approx(
        published[GLUED], abs=1e-9
    )


def _read_rows(folder: Path) -> list[dict[str, str]]:
    text = (folder / "methods.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]
