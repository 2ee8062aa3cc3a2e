"""Oracle for which identifiers there are and where they stand: acorn's tree
(acorn_identifiers.js)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.identifiers import PLACES, ROLES, identifiers

Found = list[tuple[int, int, str, str]]


def ours(source: bytes) -> Found:
    syntax = parse_javascript(source)
    found = identifiers(syntax)
    spans = zip(syntax.start[found.node].tolist(), syntax.end[found.node].tolist(), strict=True)
    return [
        (start, end, found.text(i).removeprefix("#"), PLACES[found.place[i]])
        for i, (start, end) in enumerate(spans)
    ]


def theirs(found: list[Any]) -> Found:
    """acorn's, without ``default``, which nobody chose as a name."""
    in_order = sorted(tuple(one) for one in found)
    return [one for one in in_order if one[2:] != ("default", "module name")]


def test_hard_constructs(acorn: Any, hard: Path) -> None:
    ((_, found),) = acorn("acorn_identifiers", [hard])
    expected = theirs(found["names"])
    assert {place for _, _, _, place in expected} == set(PLACES)
    assert ours(hard.read_bytes()) == expected


def test_real_packages(acorn: Any, real_files: list[Path]) -> None:
    count = 0
    different = []
    for file, found in acorn("acorn_identifiers", real_files):
        expected = theirs(found["names"])
        count += len(expected)
        if ours(file.read_bytes()) != expected:
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
def test_roles(source: str, expected: str) -> None:
    found = identifiers(parse_javascript(source.encode()))
    roles = (f"{found.text(i)} {ROLES[found.role[i]]}" for i in range(len(found)))
    assert ", ".join(roles) == expected


def test_a_called_member_is_a_function_in_idbench_s_counts(idbench_source: Path) -> None:
    """The published counts of roles, for names of WebGL and of the DOM that are only ever called
    as members: the reason for what ``x`` is in ``a.x()``."""
    with (idbench_source / "identifier_role_stats.csv").open() as file:
        counts = {row["Identifier"]: row for row in csv.DictReader(file)}
    for name in ("bindbuffer", "createattribute"):
        called, read = (int(counts[name][f"{role}-count"]) for role in ("function", "property"))
        assert called > 20 * read


@given(st.binary(max_size=300) | st.text(alphabet="ab.(){}=>[],:;#<` ", max_size=60))
def test_any_source_gives_identifiers(source: bytes | str) -> None:
    source = source if isinstance(source, bytes) else source.encode()
    found = identifiers(parse_javascript(source))
    assert [found.text(i) for i in range(len(found))] == [found.words[w] for w in found.word]


@pytest.mark.parametrize("piece", ["(", "[", "{a:", "a.", "f(", "x=>", "<a>", "({a:"])
def test_deep_nesting_is_survivable(piece: str) -> None:
    identifiers(parse_javascript(f"x = {piece * 10_000}y".encode()))
    # The same as a pattern of parameters.
    identifiers(parse_javascript(f"function f({'[' * 10_000}y{']' * 10_000}) {{}}".encode()))
