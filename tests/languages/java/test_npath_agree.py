"""Where the rules of PMD 6, 7.0 and 7.14 say the same, their values are the same; and what must
hold whatever the program is.

Which constructs the three treat alike is derived from the rules: statements one after the other
multiply, an if adds its branches, a loop adds one to its body. They part ways at operators and
ternaries, at ways out other than at the end, at do, try, colon switches, endless loops, and at
bodies inside bodies.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.languages.java.measures.npath import MOST, RULES, npath
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import name_of
from support import ROOT

# What makes one of them differ from another, wherever it stands in a body.
APART = frozenset(
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
WAYS_OUT = ("return_statement", "throw_statement")
LOOPS = ("while_statement", "for_statement")


def alike(file: JavaFile, body: int) -> bool:
    """Whether the three rules cannot but agree on this body."""
    syntax = file.syntax
    children = syntax.children(body)
    last = [node for node in children if name_of(int(syntax.kind[node])) in WAYS_OUT][-1:]
    for node in range(body, int(syntax.stop[body])):
        kind = name_of(int(syntax.kind[node]))
        if kind in APART or (kind in WAYS_OUT and node not in last):
            return False
        if kind in LOOPS:
            texts = [syntax.text(child) for child in syntax.children(node)]
            if "(true)" in texts or "true" in texts or texts[2:4] == [";", ";"]:
                return False
    return True


def agreed(sources: Iterable[bytes]) -> tuple[int, int]:
    """How many bodies must agree, and do; and how many of them have more than one way."""
    count = more = 0
    for source in sources:
        file = JavaFile(source)
        rows = zip(*(npath(file, rules).tolist() for rules in RULES), strict=True)
        for place, (six, seven, later) in zip(file.bodies, rows, strict=True):
            method = file.declarations.methods[place]
            if alike(file, method.body):
                assert six == min(seven, MOST["pmd6"]) == min(later, MOST["pmd6"]), method.name
                count, more = count + 1, more + (six > 1)
    return count, more


def test_the_three_agree_on_the_examples() -> None:
    files = sorted((ROOT / "examples").rglob("*.java"))
    count, more = agreed(file.read_bytes() for file in files)
    assert count > 400
    assert more > 30


def test_the_three_agree_on_java_util(part_of_java_util: list[Path]) -> None:
    count, more = agreed(file.read_bytes() for file in part_of_java_util)
    assert count > 500
    assert more > 40


# --------------------------------------------------------------------------------------
# Whatever the program is.
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
        lambda shape, condition, one, other: (
            shape.replace("E", condition).replace("S", one).replace("T", other)
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


def value(body: str, rules: str) -> int:
    return int(npath(JavaFile(f"class A {{ void m() {{ {body} }} }}".encode()), rules)[0])


@given(_statement, _statement, _condition)
@settings(max_examples=200, deadline=None)
def test_one_more_if_never_lowers_it(first: str, second: str, condition: str) -> None:
    for rules in RULES:
        before = value(f"{first} {second}", rules)
        assert 1 <= before <= MOST[rules]
        assert value(f"{first} if ({condition}) f(); {second}", rules) >= before
        assert value(f"{first} if ({condition}) {{ {second} }}", rules) >= value(first, rules)


@given(_statement, _statement)
@settings(max_examples=200, deadline=None)
def test_one_after_the_other_multiplies(first: str, second: str) -> None:
    """By the older rules always; by the newer ones what goes back in a do ends there."""
    for rules in RULES[:2]:
        product = value(first, rules) * value(second, rules)
        assert value(f"{first} {second}", rules) == min(product, MOST[rules])
        assert value(f"{{ {first} }} ; {{ {second} }}", rules) == min(product, MOST[rules])
    if "do {" not in first + second:
        product = value(first, "pmd7.14") * value(second, "pmd7.14")
        assert value(f"{first} {second}", "pmd7.14") == min(product, MOST["pmd7.14"])


@given(_statement)
@settings(max_examples=100, deadline=None)
def test_branches_add(inner: str) -> None:
    for rules in RULES:
        if rules != "pmd7.14" or "do {" not in inner:
            one = value(inner, rules)
            assert value(f"if (a) {{ {inner} }}", rules) == one + 1
            assert value(f"if (a) {{ {inner} }} else {{ {inner} }}", rules) == 2 * one
            assert value(f"while (a) {{ {inner} }}", rules) == one + 1
