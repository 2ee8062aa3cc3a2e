"""Tests of masking the own name of a method: fully, as the extractors do, and as GLUECode does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.views.paths import MethodPaths, OwnName, format_code2seq_line, format_code2vec_line


def list_printed_names(method: MethodPaths, own_name: OwnName) -> list[str]:
    """Return the names of the leaves in the printed line, in the order of the source."""
    contexts = format_code2vec_line(method, own_name).split(" ")[1:]
    name_of_leaf = dict(
        zip(method.left, (context.split(",")[0] for context in contexts), strict=True)
    )
    name_of_leaf |= dict(
        zip(method.right, (context.split(",")[2] for context in contexts), strict=True)
    )
    return [name_of_leaf[leaf_index] for leaf_index in sorted(name_of_leaf)]


CALLS = {
    "fact(1);": True,
    "this.fact(1);": True,
    "super.fact(1);": True,
    "C.this.fact(1);": True,
    "D.super.fact(1);": True,
    "C.fact(1);": True,
    # A method of another object: its name is not secret.
    "other.fact(1);": False,
    "other().fact(1);": False,
    "C.other.fact(1);": False,
    # A variable of the same name is not a call.
    "g(fact);": False,
}


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_calls_of_the_method_itself_are_masked(
    extract_from_members: Callable[..., MethodPaths], call: str
) -> None:
    method = extract_from_members(f"int fact(int n) {{ {call} }}", length=30, width=30)
    assert (list_printed_names(method, "masked").count("METHOD_NAME") == 2) == CALLS[call]
    assert ("fact" not in list_printed_names(method, "masked")) == CALLS[call]
    # The extractors mask only the declaration.
    assert list_printed_names(method, "code2vec").count("METHOD_NAME") == 1
    assert "fact" in list_printed_names(method, "code2vec")


def test_names_of_inner_methods(extract_from_members: Callable[..., MethodPaths]) -> None:
    members = "void runAll() { new A() { void inner() { } void runAll() { } }; }"
    method = extract_from_members(members, length=30, width=30)
    # An inner method of the same name would reveal it; the name of another one would not.
    assert list_printed_names(method, "masked") == [
        "void",
        "METHOD_NAME",
        "a",
        "void",
        "inner",
        "void",
        "METHOD_NAME",
    ]
    assert list_printed_names(method, "code2vec") == [
        "void",
        "METHOD_NAME",
        "a",
        "void",
        "METHOD_NAME",
        "void",
        "METHOD_NAME",
    ]
    assert list_printed_names(method, "gluecode") == [
        "void",
        "runAll",
        "a",
        "void",
        "runAll",
        "void",
        "runAll",
    ]


def test_the_target_is_never_masked(extract_from_members: Callable[..., MethodPaths]) -> None:
    method = extract_from_members("int factorOf(int n) { return factorOf(n - 1); }")
    assert format_code2seq_line(method).startswith("factor|of ")
    assert "factor|of" not in format_code2seq_line(method).removeprefix("factor|of ")


def test_a_method_without_contexts(extract_from_members: Callable[..., MethodPaths]) -> None:
    assert format_code2vec_line(extract_from_members("void f() { }", length=1)) == "f"
