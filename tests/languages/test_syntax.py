from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.java import load_grammar, parse_java
from codeacumen.languages.syntax import Syntax


def check_columns(syntax: Syntax) -> None:
    """Check the invariants between the columns of a syntax tree."""
    size = len(syntax)
    assert syntax.parent[0] == -1
    assert syntax.stop[0] == size
    parents = syntax.parent[1:]
    assert (parents < np.arange(1, size)).all()
    assert (syntax.depth[1:] == syntax.depth[parents] + 1).all()
    assert (syntax.stop <= syntax.stop[np.maximum(syntax.parent, 0)]).all()
    for node in range(min(size, 200)):
        children = syntax.children(node)
        assert [int(syntax.parent[child]) for child in children] == [node] * len(children)
        assert [int(syntax.child_index[child]) for child in children] == list(range(len(children)))


def test_columns_of_a_small_class() -> None:
    syntax = parse_java(b"class A { int f() { return 1; } }")
    check_columns(syntax)
    kinds = [load_grammar().node_kind_for_id(int(kind)) for kind in syntax.kind]
    method = kinds.index("method_declaration")
    assert syntax.text(method) == "int f() { return 1; }"
    assert kinds[syntax.parent[method]] == "class_body"
    name = next(
        child
        for child in syntax.children(method)
        if load_grammar().field_name_for_id(int(syntax.field[child])) == "name"
    )
    assert syntax.text(name) == "f"
    assert not syntax.broken


@given(st.binary(max_size=300))
def test_any_bytes_have_a_tree(source: bytes) -> None:
    check_columns(parse_java(source))


@pytest.mark.parametrize("piece", [b"(", b"{", b"[", b"a.", b"f(", b"-", b"!"])
def test_deep_nesting_raises_no_error(piece: bytes) -> None:
    syntax = parse_java(b"class A { Object x = " + piece * 10_000 + b"; }")
    assert len(syntax) > 10_000
