"""Tests of facts extracted from written methods: they do not depend on the name, and any bytes are
supported.

The oracle for names renames methods in the text with a regular expression, in the JDK's source and
Liu et al.'s methods; it does not use syntax trees.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.facts import (
    SELF,
    Facts,
    read_facts,
    read_facts_from_text,
    simplify_type_name,
)
from support import SHARED

SHELF = b"""package a.b;
import java.util.*;
public class Shelf<T> extends Base<T> implements Iterable<T>, java.io.Closeable {
    private final List<T> books = new ArrayList<>();
    private int size, limit;
    int[] weights;
    Shelf(int limit) { this.limit = limit; }
    abstract void missing();

    /** Adds; see {@link #put(Object, int)} and put it back. */
    @Override @Deprecated
    public synchronized <E extends T> boolean put(E book, int... at) throws java.io.IOException {
        if (book == null || !(book instanceof Comparable)) {
            throw new IllegalArgumentException("no book");
        }
        for (int i : at) {
            weights[i] = (int) i + this.limit;
            at[0]++;
        }
        Runnable later = () -> { return; };
        at = null;
        books.add(book);
        return put(book) && super.put(book, 1, 2) && later != null;
    }

    void setLimit(int limit, int size) { this.limit = (limit); this.size = Math.max(size, 1); }
    T last() { return size == 0 ? null : (T) this.books.get(size - 1); }
    boolean open() { return !closed; }
    void nothing() { /* really */ ; }
    Map.Entry<String, T>[] all()[] { throw new UnsupportedOperationException(); }
    void fill(Shelf<T> other, StringBuilder out) { other.size = 3; out.append("x").append('y'); }
    Iterator<T> iterator() {
        return new Iterator<T>() {
            public boolean hasNext() { return false; }
            public T next() { class Local { int one() { return 1; } } return null; }
        };
    }
}
"""


def extract_by_name(source: bytes) -> dict[str, Facts]:
    return {method.name: method for method in read_facts(JavaFile(source), "Shelf.java")}


@pytest.fixture(scope="module")
def shelf() -> dict[str, Facts]:
    return extract_by_name(SHELF)


def test_facts_cover_only_methods_with_a_body(shelf: dict[str, Facts]) -> None:
    expected = [
        "put",
        "setLimit",
        "last",
        "open",
        "nothing",
        "all",
        "fill",
        "iterator",
        "hasNext",
        "next",
        "one",
    ]
    assert list(shelf) == expected
    assert [name for name, method in shelf.items() if method.anonymous] == ["hasNext", "next"]
    assert [name for name, method in shelf.items() if method.local] == ["one"]


def test_facts_of_declaration(shelf: dict[str, Facts]) -> None:
    put = shelf["put"]
    assert (put.path, put.line, put.owner, put.owner_kind) == (
        "Shelf.java",
        12,
        "a.b.Shelf",
        "class",
    )
    assert put.extends == ("Base<T>",)
    assert put.implements == ("Iterable<T>", "java.io.Closeable")
    assert put.fields == (
        ("books", "List<T>"),
        ("size", "int"),
        ("limit", "int"),
        ("weights", "int[]"),
    )
    assert put.parameters == (("E", "book"), ("int[]", "at"))
    assert put.type_parameters == ("E extends T",)
    assert put.modifiers == {"public", "synchronized"}
    assert put.annotations == ("Override", "Deprecated")
    assert put.overrides
    assert put.throws == ("IOException",)
    assert put.doc == f"/** Adds; see {{@link #{SELF}(Object, int)}} and put it back. */"
    assert (shelf["all"].returns, shelf["all"].returned) == (
        "Map.Entry<String,T>[][]",
        "Entry[][]",
    )
    assert shelf["hasNext"].extends == ("Iterator<T>",)


def test_facts_of_body(shelf: dict[str, Facts]) -> None:
    put = shelf["put"]
    assert (put.steps, put.statements, put.loops, put.branches) == (6, 10, 1, 1)
    assert (put.casts, put.instanceofs, put.lambdas, put.tries, put.asserts) == (1, 1, 1, 0, 0)
    assert put.thrown == put.created == ("IllegalArgumentException",)
    assert put.calls == (("books", "add", 1), ("", SELF, 1), ("super", SELF, 3))
    assert (put.self_calls, put.overload_calls, put.super_calls) == (0, 1, 1)
    assert put.fields_read == ("weights", "limit", "books")
    assert put.elements_written == ("weights",)
    assert put.filled == put.parameters_written == ("at",)
    # The lambda's return is not counted as the method's.
    assert (put.returns_count, put.returns_kinds) == (1, ("boolean expression",))
    assert put.strings == ("no book",)
    assert "put" not in put.identifiers
    assert put.identifiers[:4] == ("book", "book", "Comparable", "IllegalArgumentException")


def test_facts_of_setter(shelf: dict[str, Facts]) -> None:
    setter = shelf["setLimit"]
    assert setter.stored == (("limit", "limit"),)
    assert setter.derived == (("size", "size"),)
    assert setter.fields_written == ("limit", "size")
    assert setter.fields_read == ()
    assert setter.returns_kinds == ("void",)


def test_facts_of_returns(shelf: dict[str, Facts]) -> None:
    assert shelf["last"].returns_kinds == ("null", "call")
    assert shelf["last"].calls == (("books", "get", 1),)
    assert (shelf["open"].returns_kinds, shelf["open"].returned_names) == (
        ("not field",),
        ("closed",),
    )
    assert shelf["iterator"].returns_kinds == ("new",)
    assert shelf["iterator"].returns_count == 1
    assert shelf["iterator"].created == ("Iterator",)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x", "field"),
        ("this.x", "field"),
        ("A.this.x", "field"),
        ("p", "parameter"),
        ("this", "this"),
        ("A.this", "this"),
        ("LIMIT", "constant"),
        ("p.x", "other field"),
        ("(int) (p)", "parameter"),
        ("1", "literal"),
        ("-1", "literal"),
        ("-p", "arithmetic"),
        ("p + 1", "arithmetic"),
        ("p > 1", "boolean expression"),
        ("!p", "boolean expression"),
        ("!x", "not field"),
        ("new int[p]", "new"),
        ("x[1]", "element"),
        ("true", "true"),
        ("x = p", "assignment"),
        ("v -> v", "lambda"),
        ("A::b", "lambda"),
        ("l", "local"),
        ("String.class", "literal"),
        ("switch (p) { default -> 1; }", "switch"),
        ("f()", "call"),
    ],
)
def test_kind_of_returned_expression(expression: str, expected: str) -> None:
    source = f"class A {{ Object x; Object m(Object p) {{ Object l; return {expression}; }} }}"
    assert extract_by_name(source.encode())["m"].returns_kinds == (expected,)


def test_small_bodies(shelf: dict[str, Facts]) -> None:
    assert (shelf["nothing"].empty, shelf["nothing"].steps) == (True, 0)
    assert shelf["all"].throws_only
    assert not shelf["put"].throws_only
    assert shelf["fill"].filled == ("other",)
    assert shelf["fill"].calls == (("append()", "append", 1), ("out", "append", 1))


def test_calls_of_the_own_name_are_hidden() -> None:
    source = b"""class Tree { Tree left; Other other;
        int deep(int n) { return left.deep(n) + deep(n).deep() + other.deep(n) + deep; }
        void walk() { run(this::walk); run(left::walk); } }"""
    facts_by_name = extract_by_name(source)
    # On another type it is another method; a variable of that name is not a call.
    assert [call[1] for call in facts_by_name["deep"].calls] == [SELF, "deep", SELF, "deep"]
    assert facts_by_name["deep"].calls[1][0] == f"{SELF}()"
    assert facts_by_name["deep"].identifiers == (
        "left",
        "n",
        "n",
        "deep",
        "other",
        "deep",
        "n",
        "deep",
    )
    assert facts_by_name["walk"].identifiers == ("run", "run", "left")


@pytest.mark.parametrize(
    ("written", "expected"),
    [("a.b.C<D<E>,F>.G[]", "G[]"), ("int...", "int[]"), ("", ""), ("Map<K,V>", "Map")],
)
def test_head_of_type(written: str, expected: str) -> None:
    assert simplify_type_name(written) == expected


def rename_in_text(code: str, name: str, new: str) -> str:
    word = re.escape(name)
    calls = rf"(?<![\w.$@]){word}(?=\s*\()|(?<=[^\w$]this\.){word}(?=\s*\()"
    references = rf"(?<=[^\w$]super\.){word}(?=\s*\()|(?<=this::){word}\b"
    return re.sub(f"{calls}|{references}", new, code)


def compare_after_renaming(code: str) -> bool | None:
    """Return whether the facts stay equal after a renaming; None if the regular expression cannot
    separate calls from other text."""
    before = read_facts_from_text(code)
    if before is None:
        return None
    nested = len(read_facts(JavaFile(f"class T {{\n{code}\n}}".encode()))) > 1
    doc_and_strings = before.doc + "".join(before.strings)
    if (
        nested
        or "//" in code
        or before.name in doc_and_strings
        or "/*" in code.replace(before.doc, "")
    ):
        return None
    after = read_facts_from_text(rename_in_text(code, before.name, "wobbleFrobnicate"))
    assert after is not None
    assert after.name == "wobbleFrobnicate"
    assert after.subtokens == ("wobble", "Frobnicate")
    return after.with_name(before.name) == before


def test_facts_of_liu_methods_do_not_depend_on_name() -> None:
    data = SHARED / "liu2019" / "methods.jsonl"
    if not data.is_file():
        pytest.skip("Liu et al.'s data is not here")
    lines = data.read_text().splitlines()[::4]
    outcomes = [compare_after_renaming(json.loads(line)["code"]) for line in lines]
    assert outcomes.count(True) > 350
    assert outcomes.count(False) == 0


def test_facts_of_jdk_methods_do_not_depend_on_name(java_util: list[Path]) -> None:
    outcomes: list[bool | None] = []
    for path in java_util[::12]:
        file = JavaFile(path.read_bytes())
        for body in file.bodies[::3]:
            method = file.declarations.methods[body]
            if method.kind == "method":
                outcomes.append(compare_after_renaming(file.syntax.text(method.node)))
    assert outcomes.count(True) > 100
    assert outcomes.count(False) == 0


def test_facts_of_text_equal_those_in_its_file() -> None:
    source = b"class T {\n int half(int n) { return n / 2; }\n}"
    alone = read_facts_from_text(" int half(int n) { return n / 2; }")
    assert alone == replace(extract_by_name(source)["half"], path="", line=1)
    assert [read_facts_from_text(text) for text in ("", "int x;", "}{", "T() { x(); }")] == [
        None
    ] * 4


@pytest.mark.parametrize(
    "source",
    [
        "class A{Object f(){return " + "new B(){Object f(){return " * 3000 + "null;" + "}};" * 3000,
        "class A{int f(){return " + "(" * 10000 + "x" + ")" * 10000 + ";}}",
        "class A{int f(){return " + "f(" * 10000 + "x" + ")" * 10000 + ";}}",
        "class A{int f(){return a" + ".f()" * 10000 + ";}}",
        "class A{int f(){a" + ".f" * 10000 + "[0]" * 10000 + "=3;}}",
        "class A{int f(){" + "{ return x; " * 10000 + "}" * 10000 + "}}",
        "class A{void f(int p){" + "x=" * 10000 + "p;}}",
        "class A{int f(){return " + "x?y:" * 10000 + "p;}}",
        "class A{void f(){" * 2000 + "}}" * 2000,
    ],
    ids=[
        "classes",
        "parentheses",
        "arguments",
        "calls",
        "dots",
        "blocks",
        "assignments",
        "conditionals",
        "local",
    ],
)
def test_deep_nesting_is_supported(source: str) -> None:
    assert read_facts(JavaFile(source.encode()))


def test_any_bytes_are_supported() -> None:
    rng = random.Random(3)
    for _ in range(100):
        read_facts(JavaFile(rng.randbytes(200)))
        damaged = bytearray(SHELF)
        for _ in range(12):
            damaged[rng.randrange(len(damaged))] = rng.choice(b"(){};=.<>\"'!\xff\x00")
        read_facts(JavaFile(bytes(damaged)))


def test_facts_are_plain_values(shelf: dict[str, Facts]) -> None:
    plain = (str, int, bool, tuple, frozenset)
    assert all(isinstance(getattr(shelf["put"], field.name), plain) for field in fields(Facts))
