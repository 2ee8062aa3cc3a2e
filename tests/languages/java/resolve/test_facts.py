"""Tests of the facts of a file, from which the linker works without its syntax tree."""

from __future__ import annotations

import pytest

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve import extract_facts
from codeacumen.languages.java.resolve.type_programs import DIAMOND, compile_type, evaluate_steps
from codeacumen.languages.java.resolve.types import UNKNOWN, Type
from codeacumen.languages.java.syntax.file import JavaFile

SOURCE = """
package p.q;

import java.util.List;
import java.util.function.*;
import static java.util.Map.entry;

public abstract class Outer<T extends Comparable<T> & Runnable> extends Base<T>
        implements Runnable {
    static int count = next(1L), other[];
    protected abstract <E> List<? super E> all(E[] one, int... rest) throws Exception;
    enum Colour implements Runnable { RED { void x() {} }, GREEN(2); Colour(int... n) {} }
    record Point(int x, List<String> names) {}
    interface Inner { void hidden(); default void shown() {} }
    Outer() { super(null); }
    void local() { class Here {} new Thread() {}; }
}
"""


def test_declared_types_methods_and_fields() -> None:
    declared = extract_facts(JavaFile(SOURCE.encode())).declared
    assert declared["package"] == "p.q"
    assert declared["imports"] == [
        "java.util.List",
        "java.util.function.*",
        "static java.util.Map.entry",
    ]
    # kind, name, owner, method, member, flags, type parameters, supertypes, components
    assert declared["types"] == [
        [
            "class",
            "Outer",
            -1,
            -1,
            1,
            "au",
            ["T extends Comparable<T>&Runnable"],
            ["Base<T>", "Runnable"],
            [],
        ],
        ["enum", "Colour", 0, -1, 1, "", [], ["", "Runnable"], []],
        ["enum constant", "$1", 1, -1, 0, "", [], [""], []],
        ["record", "Point", 0, -1, 1, "", [], [""], [["x", "int"], ["names", "List<String>"]]],
        ["interface", "Inner", 0, -1, 1, "", [], [""], []],
        ["class", "Here", 0, 6, 0, "", [], [""], []],
        ["anonymous", "$2", 0, 6, 0, "", [], ["Thread"], []],
    ]
    # name, type, flags, type parameters, parameters, result
    assert declared["methods"] == [
        ["all", 0, "apv", ["E"], ["E[]", "int..."], "List<?super E>"],
        ["x", 2, "", [], [], "void"],
        ["<init>", 1, "v", [], ["int..."], ""],
        ["hidden", 4, "ua", [], [], "void"],
        ["shown", 4, "du", [], [], "void"],
        ["<init>", 0, "", [], [], ""],
        ["local", 0, "", [], [], "void"],
    ]
    assert declared["fields"] == [
        ["count", 0, "s", "int"],
        ["other", 0, "s", "int[]"],
        ["RED", 1, "cfsu", ""],
        ["GREEN", 1, "cfsu", ""],
    ]


def test_sites_hold_types_and_references_of_names() -> None:
    source = "class A { void m(Foo f) { var g = f.x(); int[] a[] = {}; n(g, a, 1L, y -> y.z()); } }"
    sites = extract_facts(JavaFile(source.encode())).sites
    rows = []
    for kind, operand in zip(sites.code, sites.a, strict=True):
        text = sites.texts[operand] if kind in code.OF_TYPE + code.OF_NAME else operand
        rows.append((kind, text))
    assert rows == [
        (code.CLASS, 0),
        (code.BODY, 0),
        (code.VAR, -1),
        (code.INVOKE, "x"),
        (code.TYPED, "Foo"),
        (code.CALL, "n"),
        (code.REF, 2),
        (code.TYPED, "int[]"),
        (code.LITERAL, 1),
        (code.LAMBDA, 1),
        (code.PARAM, 0),
        (code.INVOKE, "z"),
        (code.REF, 10),
    ]
    # a[] has one dimension more than its type.
    assert sites.b[7] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", "int"),
        ("java.util.List", "java.util.List"),
        ("List<String>[]", "List <1 String> []"),
        ("Map<K,List<?extends V[]>>", "Map <2 K List <1 + V []>>"),
        ("Map<?,? super A<B>>", "Map <2 * - A <1 B>>"),
        ("Outer<A>.Inner<B>", "Outer.Inner <1 B>"),
        ("A&B", "& A B"),
        ("A|B|C", "| A B C"),
        ("Foo<>", "Foo <>"),
        ("String...", "String []"),
        ("List<A", "nothing"),
        ("", "nothing"),
        ("A>", "nothing"),
    ],
)
def test_types_compile_to_postfix_steps(text: str, expected: str) -> None:
    steps = compile_type(text)
    if steps is None:
        assert expected == "nothing"
        return
    # Rebuild the expected text from the postfix steps.
    stack: list[str] = []
    for step in steps:
        if step.operation == "name":
            stack.append(step.name)
        elif step.operation == "*":
            stack.append("*")
        elif step.operation in ("+", "-"):
            stack.append(f"{step.operation} {stack.pop()}")
        elif step.operation == "array":
            stack.append(f"{stack.pop()} []")
        elif step.operation == "args" and step.n == DIAMOND:
            stack.append(f"{stack.pop()} <>")
        else:
            operands = stack[-step.n :]
            del stack[-step.n :]
            if step.operation == "args":
                stack.append(f"{stack.pop()} <{step.n} {' '.join(operands)}>")
            else:
                stack.append(f"{step.operation} {' '.join(operands)}")
    assert stack == [expected]


def test_malformed_types_are_unknown() -> None:
    def fail_on_lookup(name: str) -> Type:
        raise AssertionError(name)

    for text in ("", "<", ">", "[]", ",", "<,>", "List<" * 10_000, "..", "&", "<?>"):
        parsed_type = evaluate_steps(
            compile_type(text), fail_on_lookup, lambda type_, args: type_, lambda types: types[0]
        )
        assert parsed_type is UNKNOWN
