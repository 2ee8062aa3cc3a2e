"""The method's own name: masked, as the extractors do it, or as GLUECode does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.views.paths import MethodPaths, OwnName, code2seq_line, code2vec_line


def printed(found: MethodPaths, own_name: OwnName) -> list[str]:
    """The leaves' names as they appear in the line, in order."""
    line = code2vec_line(found, own_name).split(" ")[1:]
    ends = dict(zip(found.left, (one.split(",")[0] for one in line), strict=True))
    ends |= dict(zip(found.right, (one.split(",")[2] for one in line), strict=True))
    return [ends[place] for place in sorted(ends)]


CALLS = {
    "fact(1);": True,
    "this.fact(1);": True,
    "super.fact(1);": True,
    "C.this.fact(1);": True,
    "D.super.fact(1);": True,
    "C.fact(1);": True,
    # Another object's method: its name is known to whoever reads the class.
    "other.fact(1);": False,
    "other().fact(1);": False,
    "C.other.fact(1);": False,
    # A variable of the same name is no call.
    "g(fact);": False,
}


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_what_counts_as_a_call_of_itself(one: Callable[..., MethodPaths], call: str) -> None:
    found = one(f"int fact(int n) {{ {call} }}", length=30, width=30)
    assert (printed(found, "masked").count("METHOD_NAME") == 2) == CALLS[call]
    assert ("fact" not in printed(found, "masked")) == CALLS[call]
    # The extractors mask the declaration alone.
    assert printed(found, "code2vec").count("METHOD_NAME") == 1
    assert "fact" in printed(found, "code2vec")


def test_inner_methods(one: Callable[..., MethodPaths]) -> None:
    java = "void runAll() { new A() { void inner() { } void runAll() { } }; }"
    found = one(java, length=30, width=30)
    # An inner method of the same name would give it away; another one's name is no secret.
    assert printed(found, "masked") == [
        "void",
        "METHOD_NAME",
        "a",
        "void",
        "inner",
        "void",
        "METHOD_NAME",
    ]
    assert printed(found, "code2vec") == [
        "void",
        "METHOD_NAME",
        "a",
        "void",
        "METHOD_NAME",
        "void",
        "METHOD_NAME",
    ]
    assert printed(found, "gluecode") == [
        "void",
        "runAll",
        "a",
        "void",
        "runAll",
        "void",
        "runAll",
    ]


def test_the_target_is_never_masked(one: Callable[..., MethodPaths]) -> None:
    found = one("int factorOf(int n) { return factorOf(n - 1); }")
    assert code2seq_line(found).startswith("factor|of ")
    assert "factor|of" not in code2seq_line(found).removeprefix("factor|of ")


def test_a_method_without_contexts(one: Callable[..., MethodPaths]) -> None:
    assert code2vec_line(one("void f() { }", length=1)) == "f"
