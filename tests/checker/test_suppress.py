"""Tests of inline suppressions: which methods a comment or an annotation silences."""

from __future__ import annotations

import pytest

from codeacumen.checker.reading import find_suppressions
from codeacumen.languages.java.syntax.file import JavaFile


def silenced_rules(source: str) -> dict[str, tuple[str, ...]]:
    file = JavaFile(source.encode())
    methods = file.declarations.methods
    return {methods[index].name: rules for index, rules in find_suppressions(file).items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("// codeacumen: ok\nvoid a() {}\nvoid b() {}", {"a": ("*",)}),
        ("void a() {} // codeacumen: ok\nvoid b() {}", {"a": ("*",)}),
        ("void a() { // codeacumen: ok(get-void) it is historic\n}", {"a": ("get-void",)}),
        ("/* codeacumen: ok(x, y z) */ void a() {}", {"a": ("x", "y", "z")}),
        ("/** Says. codeacumen: ok() */\nvoid a() {}", {"a": ("*",)}),
        ("// codeacumen: ok(x)\n// more\n/** Doc. */\nvoid a() {}", {"a": ("x",)}),
        ("// codeacumen: ok(x)\n\n\nvoid a() {} // codeacumen: ok(y)", {"a": ("x", "y")}),
        ("@Deprecated\n// codeacumen: ok\npublic\nvoid a() {}", {"a": ("*",)}),
        ("void a(int x, // codeacumen: ok\n int y) {}", {"a": ("*",)}),
        ("void a() {\n  // codeacumen: ok\n  b();\n}\nvoid b() {}", {}),
        ("// codeacumen: ok\nint field;\nvoid a() {}", {}),
        ("// codeacumen: okay\nvoid a() {}", {}),
        ('String s = "// codeacumen: ok"; void a() {}', {}),
        ("// CODEACUMEN: OK\nvoid a() {}", {"a": ("*",)}),
        ('@SuppressWarnings("codeacumen:names") void a() {} void b() {}', {"a": ("*",)}),
        ('@SuppressWarnings({"unchecked", "codeacumen:names"}) void a() {}', {"a": ("*",)}),
        ('@SuppressWarnings(value = "codeacumen:names") void a() {}', {"a": ("*",)}),
        ('@java.lang.SuppressWarnings("codeacumen:names") void a() {}', {"a": ("*",)}),
        ('@SuppressWarnings("codeacumen:namesake") void a() {}', {}),
        ('@Named("codeacumen:names") void a() {}', {}),
        ('@SuppressWarnings("codeacumen:names") int x; void a() {}', {}),
        (
            '@SuppressWarnings("codeacumen:names") class I { class J { void a() {} } } void b() {}',
            {"a": ("*",)},
        ),
        (
            '@SuppressWarnings("codeacumen:names") void a() { new Object() { void c() {} }; }',
            {"a": ("*",), "c": ("*",)},
        ),
    ],
)
def test_methods_silenced_by_comments_and_annotations(
    body: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert silenced_rules(f"class A {{\n{body}\n}}\n") == expected


def test_annotation_of_a_type_silences_its_methods() -> None:
    source = (
        '@SuppressWarnings("codeacumen:names")\nclass A { void a() {} }\nclass B { void b() {} }'
    )
    assert silenced_rules(source) == {"a": ("*",)}


def test_suppression_with_cr_line_ends() -> None:
    assert silenced_rules("class A {\r// codeacumen: ok\rvoid a() {}\rvoid b() {}\r}") == {
        "a": ("*",)
    }


def test_deep_nesting_does_not_recurse() -> None:
    deep = 10_000
    source = "// codeacumen: ok\n" + "class A { " * deep + "void a() {} " + "} " * deep
    assert silenced_rules(source) == {}


def test_suppression_in_broken_syntax() -> None:
    silenced_rules(
        'class A { // codeacumen: ok\n void a( { ]] @SuppressWarnings("codeacumen:names"'
    )
