"""Inline suppressions: which methods a comment or an annotation silences."""

from __future__ import annotations

import pytest

from acumen.checker.reading import silenced
from acumen.lang.java.file import JavaFile


def quiet(source: str) -> dict[str, tuple[str, ...]]:
    file = JavaFile(source.encode())
    methods = file.declarations.methods
    return {methods[place].name: rules for place, rules in silenced(file).items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("// acumen: ok\nvoid a() {}\nvoid b() {}", {"a": ("*",)}),
        ("void a() {} // acumen: ok\nvoid b() {}", {"a": ("*",)}),
        ("void a() { // acumen: ok(get-void) it is historic\n}", {"a": ("get-void",)}),
        ("/* acumen: ok(x, y z) */ void a() {}", {"a": ("x", "y", "z")}),
        ("/** Says. acumen: ok() */\nvoid a() {}", {"a": ("*",)}),
        ("// acumen: ok(x)\n// more\n/** Doc. */\nvoid a() {}", {"a": ("x",)}),
        ("// acumen: ok(x)\n\n\nvoid a() {} // acumen: ok(y)", {"a": ("x", "y")}),
        ("@Deprecated\n// acumen: ok\npublic\nvoid a() {}", {"a": ("*",)}),
        ("void a(int x, // acumen: ok\n int y) {}", {"a": ("*",)}),
        ("void a() {\n  // acumen: ok\n  b();\n}\nvoid b() {}", {}),
        ("// acumen: ok\nint field;\nvoid a() {}", {}),
        ("// acumen: okay\nvoid a() {}", {}),
        ('String s = "// acumen: ok"; void a() {}', {}),
        ("// ACUMEN: OK\nvoid a() {}", {"a": ("*",)}),
        ('@SuppressWarnings("acumen:names") void a() {} void b() {}', {"a": ("*",)}),
        ('@SuppressWarnings({"unchecked", "acumen:names"}) void a() {}', {"a": ("*",)}),
        ('@SuppressWarnings(value = "acumen:names") void a() {}', {"a": ("*",)}),
        ('@java.lang.SuppressWarnings("acumen:names") void a() {}', {"a": ("*",)}),
        ('@SuppressWarnings("acumen:namesake") void a() {}', {}),
        ('@Named("acumen:names") void a() {}', {}),
        ('@SuppressWarnings("acumen:names") int x; void a() {}', {}),
        (
            '@SuppressWarnings("acumen:names") class I { class J { void a() {} } } void b() {}',
            {"a": ("*",)},
        ),
        (
            '@SuppressWarnings("acumen:names") void a() { new Object() { void c() {} }; }',
            {"a": ("*",), "c": ("*",)},
        ),
    ],
)
def test_what_is_silenced(body: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert quiet(f"class A {{\n{body}\n}}\n") == expected


def test_on_the_type() -> None:
    source = '@SuppressWarnings("acumen:names")\nclass A { void a() {} }\nclass B { void b() {} }'
    assert quiet(source) == {"a": ("*",)}


def test_lines_may_end_with_cr() -> None:
    assert quiet("class A {\r// acumen: ok\rvoid a() {}\rvoid b() {}\r}") == {"a": ("*",)}


def test_deep_nesting_is_no_recursion() -> None:
    deep = 10_000
    source = "// acumen: ok\n" + "class A { " * deep + "void a() {} " + "} " * deep
    assert quiet(source) == {}


def test_broken_syntax_survives() -> None:
    quiet('class A { // acumen: ok\n void a( { ]] @SuppressWarnings("acumen:names"')
