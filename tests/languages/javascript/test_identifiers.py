"""Tests of JavaScript identifiers and their places. The oracle is acorn's tree
(acorn_identifiers.js)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.identifiers import PLACES, ROLES, find_identifiers

IdentifierList = list[tuple[int, int, str, str]]


def list_our_identifiers(source: bytes) -> IdentifierList:
    syntax = parse_javascript(source)
    found_identifiers = find_identifiers(syntax)
    spans = zip(
        syntax.start[found_identifiers.node].tolist(),
        syntax.end[found_identifiers.node].tolist(),
        strict=True,
    )
    return [
        (
            start,
            end,
            found_identifiers.text(index).removeprefix("#"),
            PLACES[found_identifiers.place[index]],
        )
        for index, (start, end) in enumerate(spans)
    ]


def list_acorn_identifiers(records: list[Any]) -> IdentifierList:
    """Return acorn's identifiers without ``default``, which is not a chosen name."""
    identifiers_in_order = sorted(tuple(record) for record in records)
    return [
        identifier
        for identifier in identifiers_in_order
        if identifier[2:] != ("default", "module name")
    ]


def test_hard_constructs_agree_with_acorn(acorn: Any, hard: Path) -> None:
    ((_, record),) = acorn("acorn_identifiers", [hard])
    expected = list_acorn_identifiers(record["names"])
    assert {place for _, _, _, place in expected} == set(PLACES)
    assert list_our_identifiers(hard.read_bytes()) == expected


def test_real_packages_agree_with_acorn(acorn: Any, real_files: list[Path]) -> None:
    count = 0
    different = []
    for file, record in acorn("acorn_identifiers", real_files):
        expected = list_acorn_identifiers(record["names"])
        count += len(expected)
        if list_our_identifiers(file.read_bytes()) != expected:
            different.append(file.name)
    assert different == []
    assert count > 50_000


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("foo()", "foo function"),
        ("(foo)(a)", "foo function, a variable"),
        ("a.foo()", "a variable, foo function"),
        ("a.foo", "a variable, foo property"),
        ("a.b.foo = 1", "a variable, b property, foo property"),
        ("a?.foo?.()", "a variable, foo function"),
        ("x = {foo}", "x variable, foo variable"),
        (
            "x = {foo: a, bar: () => a}",
            "x variable, foo property, a variable, bar function, a variable",
        ),
        ("x = {foo() {}, get bar() {}}", "x variable, foo function, bar property"),
        (
            "class A extends B { foo = 1; #bar() {} }",
            "A function, B function, foo property, #bar function",
        ),
        ("new A.B(c)", "A variable, B function, c variable"),
        (
            "var {foo, bar: baz = qux, ...rest} = a",
            "foo variable, bar property, baz variable, qux variable, rest variable, a variable",
        ),
        ("import foo, {a as b, c} from 'm'", "foo variable, a property, b variable, c variable"),
        (
            "import * as foo from 'm'; export {foo as bar}",
            "foo variable, foo variable, bar property",
        ),
        ("export {foo as bar} from 'm'", "foo property, bar property"),
        ("foo: for (;;) break foo", "foo variable, foo variable"),
        (
            "function foo(a, {b, c: [d]}, e = f) {}",
            "foo function, a variable, b variable, c property, d variable, e variable, f variable",
        ),
        ("const foo = function bar() {}", "foo function, bar function"),
        ("a.foo = async () => {}", "a variable, foo function"),
        (
            "<Foo bar={a}><div/></Foo>",
            "Foo function, bar property, a variable, div property, Foo function",
        ),
        ("foo`a${b}`", "foo function, b variable"),
        ("\\u0066oo", "foo variable"),
        ("@foo class A {}", "foo function, A function"),
        ("async function f() { return await (0, g)() }", "f function, g variable"),
        (
            "new.target; import.meta.url; a = undefined",
            "url property, a variable, undefined variable",
        ),
    ],
)
def test_roles_of_identifiers(source: str, expected: str) -> None:
    found_identifiers = find_identifiers(parse_javascript(source.encode()))
    roles = (
        f"{found_identifiers.text(index)} {ROLES[found_identifiers.role[index]]}"
        for index in range(len(found_identifiers))
    )
    assert ", ".join(roles) == expected


def test_idbench_counts_a_called_member_as_a_function(idbench_source: Path) -> None:
    """In ``a.x()`` the role of ``x`` is function because IdBench counts it so.

    Its published counts of roles show this for names of WebGL and the DOM, which occur only as
    called members.
    """
    with (idbench_source / "identifier_role_stats.csv").open() as file:
        counts = {row["Identifier"]: row for row in csv.DictReader(file)}
    for name in ("bindbuffer", "createattribute"):
        function_count, property_count = (
            int(counts[name][f"{role}-count"]) for role in ("function", "property")
        )
        assert function_count > 20 * property_count


@given(st.binary(max_size=300) | st.text(alphabet="ab.(){}=>[],:;#<` ", max_size=60))
def test_identifiers_of_any_source_have_their_words(source: bytes | str) -> None:
    source = source if isinstance(source, bytes) else source.encode()
    found_identifiers = find_identifiers(parse_javascript(source))
    assert [found_identifiers.text(index) for index in range(len(found_identifiers))] == [
        found_identifiers.words[word] for word in found_identifiers.word
    ]


@pytest.mark.parametrize("piece", ["(", "[", "{a:", "a.", "f(", "x=>", "<a>", "({a:"])
def test_deep_nesting_raises_no_error(piece: str) -> None:
    find_identifiers(parse_javascript(f"x = {piece * 10_000}y".encode()))
    # The same depth in a parameter pattern.
    find_identifiers(parse_javascript(f"function f({'[' * 10_000}y{']' * 10_000}) {{}}".encode()))
