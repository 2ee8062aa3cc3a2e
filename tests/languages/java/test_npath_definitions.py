"""Tests that the three NPath definitions agree where their rules are equal, and have common laws.

The rules of PMD 6, 7.0 and 7.14 treat these constructs alike: statements in sequence multiply, an
if adds its branches, a loop adds one to its body. They differ at operators and ternaries, at exits
other than at the end, at do, try, switches, endless loops, and at nested bodies.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.languages.java.measures.npath import MOST, RULES, compute_npath
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import symbol_name
from support import ROOT

# Kinds of nodes that make the definitions differ anywhere in a body.
DIFFERING_KINDS = frozenset(
    (
        "&&",
        "||",
        "ternary_expression",
        "lambda_expression",
        "class_body",
        "enum_body",
        "interface_body",
        "do_statement",
        "try_statement",
        "try_with_resources_statement",
        "break_statement",
        "continue_statement",
        "yield_statement",
        "switch_expression",
    )
)
EXITS = ("return_statement", "throw_statement")
LOOPS = ("while_statement", "for_statement")


def rules_must_agree(file: JavaFile, body: int) -> bool:
    """Return True if the three definitions must agree on this body."""
    syntax = file.syntax
    children = syntax.children(body)
    final_exit = [node for node in children if symbol_name(int(syntax.kind[node])) in EXITS][-1:]
    for node in range(body, int(syntax.stop[body])):
        kind = symbol_name(int(syntax.kind[node]))
        if kind in DIFFERING_KINDS or (kind in EXITS and node not in final_exit):
            return False
        if kind in LOOPS:
            texts = [syntax.text(child) for child in syntax.children(node)]
            if "(true)" in texts or "true" in texts or texts[2:4] == [";", ";"]:
                return False
    return True


def count_agreeing_bodies(sources: Iterable[bytes]) -> tuple[int, int]:
    """Check the bodies that must agree; return their number and how many have several paths."""
    count = branching_count = 0
    for source in sources:
        file = JavaFile(source)
        rows = zip(*(compute_npath(file, rules).tolist() for rules in RULES), strict=True)
        for method_index, (pmd6, pmd7, pmd7_14) in zip(file.bodies, rows, strict=True):
            method = file.declarations.methods[method_index]
            if rules_must_agree(file, method.body):
                assert pmd6 == min(pmd7, MOST["pmd6"]) == min(pmd7_14, MOST["pmd6"]), method.name
                count, branching_count = count + 1, branching_count + (pmd6 > 1)
    return count, branching_count


def test_the_three_agree_on_the_examples() -> None:
    files = sorted((ROOT / "examples").rglob("*.java"))
    count, branching_count = count_agreeing_bodies(file.read_bytes() for file in files)
    assert count > 400
    assert branching_count > 30


def test_the_three_agree_on_java_util(part_of_java_util: list[Path]) -> None:
    count, branching_count = count_agreeing_bodies(file.read_bytes() for file in part_of_java_util)
    assert count > 500
    assert branching_count > 40


# --------------------------------------------------------------------------------------
# Laws that hold for every program.
# --------------------------------------------------------------------------------------

_condition = st.sampled_from(
    ["a", "a && b", "a || b && c", "!(a || b)", "f(a ? b : c)", "a ? b : c"]
)
_statement = st.recursive(
    st.sampled_from(
        [
            "f();",
            ";",
            "int v = a ? 1 : 2;",
            "x = a && b;",
            "run(() -> { if (a) f(); });",
            "switch (k) { case 1: case 2: f(); break; default: g(); }",
            "switch (k) { case 1, 2 -> f(); default -> { if (a) g(); } }",
        ]
    ),
    lambda inner: st.builds(
        lambda shape, condition, first_statement, second_statement: (
            shape.replace("E", condition)
            .replace("S", first_statement)
            .replace("T", second_statement)
        ),
        st.sampled_from(
            [
                "if (E) { S }",
                "if (E) { S } else { T }",
                "while (E) { S T }",
                "do { S } while (E);",
                "for (int i = 0; E; i++) { S }",
                "for (X x : xs) { S }",
                "{ S T }",
                "l: { S }",
                "try { S } catch (X e) { T } finally { S }",
                "synchronized (o) { S }",
            ]
        ),
        _condition,
        inner,
        inner,
    ),
    max_leaves=10,
)


def npath_of_only_method(body: str, rules: str) -> int:
    return int(compute_npath(JavaFile(f"class A {{ void m() {{ {body} }} }}".encode()), rules)[0])


@given(_statement, _statement, _condition)
@settings(max_examples=200, deadline=None)
def test_an_additional_if_never_lowers_the_value(first: str, second: str, condition: str) -> None:
    for rules in RULES:
        before = npath_of_only_method(f"{first} {second}", rules)
        assert 1 <= before <= MOST[rules]
        assert npath_of_only_method(f"{first} if ({condition}) f(); {second}", rules) >= before
        assert npath_of_only_method(
            f"{first} if ({condition}) {{ {second} }}", rules
        ) >= npath_of_only_method(first, rules)


@given(_statement, _statement)
@settings(max_examples=200, deadline=None)
def test_a_sequence_multiplies(first: str, second: str) -> None:
    """The older rules always multiply; by the newer, paths that go back in a do end there."""
    for rules in RULES[:2]:
        product = npath_of_only_method(first, rules) * npath_of_only_method(second, rules)
        assert npath_of_only_method(f"{first} {second}", rules) == min(product, MOST[rules])
        assert npath_of_only_method(f"{{ {first} }} ; {{ {second} }}", rules) == min(
            product, MOST[rules]
        )
    if "do {" not in first + second:
        product = npath_of_only_method(first, "pmd7.14") * npath_of_only_method(second, "pmd7.14")
        assert npath_of_only_method(f"{first} {second}", "pmd7.14") == min(product, MOST["pmd7.14"])


@given(_statement)
@settings(max_examples=100, deadline=None)
def test_branches_add(inner: str) -> None:
    for rules in RULES:
        if rules != "pmd7.14" or "do {" not in inner:
            inner_npath = npath_of_only_method(inner, rules)
            assert npath_of_only_method(f"if (a) {{ {inner} }}", rules) == inner_npath + 1
            assert (
                npath_of_only_method(f"if (a) {{ {inner} }} else {{ {inner} }}", rules)
                == 2 * inner_npath
            )
            assert npath_of_only_method(f"while (a) {{ {inner} }}", rules) == inner_npath + 1
