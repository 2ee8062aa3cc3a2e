"""Robustness of facts and links: any bytes, any depth, and no excessive time for long sources."""

from __future__ import annotations

import random

import pytest

from codeacumen.languages.java.resolve import Call, JavaProject, extract_facts, load_platform
from codeacumen.languages.java.syntax.file import JavaFile

DEEP = 10_000
CLASS = """class A {
    A f(A x) { return x; } A g() { return this; } int h(Object o) { return 1; }
    int h(String o) { return 1; }
    void m(A a, boolean b, int i) { BODY }
}"""


def link_source(source: bytes) -> list[Call]:
    file_facts = extract_facts(JavaFile(source))
    return JavaProject([("A.java", file_facts.declared)], load_platform()).link_file(
        "A.java", file_facts.sites
    )


def wrap_in_method(body: str) -> bytes:
    return CLASS.replace("BODY", body).encode()


NESTED = {
    "parentheses": wrap_in_method("f(" + "(" * DEEP + "a" + ")" * DEEP + ");"),
    "calls": wrap_in_method("f(" * DEEP + "a" + ")" * DEEP + ";"),
    "calls of overloaded methods": wrap_in_method("h(" * DEEP + "a" + ")" * DEEP + ";"),
    "a chain": wrap_in_method("a" + ".g()" * DEEP + ";"),
    "a sum": wrap_in_method('h(""' + "+i" * DEEP + ");"),
    "a sum to the right": wrap_in_method("h(" + "i+(" * DEEP + "i" + ")" * DEEP + ");"),
    "conditions": wrap_in_method("h(" + "b?a:" * DEEP + "a);"),
    "lambdas": wrap_in_method("java.util.function.Function f = " + "x->" * DEEP + "x.g();"),
    "lambdas in calls": wrap_in_method(
        "java.util.Optional.of(a)" + ".map(x->java.util.Optional.of(x)" * 500 + ")" * 500 + ";"
    ),
    "a stream": wrap_in_method(
        "java.util.stream.Stream.of(a)" + ".map(x->x.g())" * 1000 + ".count();"
    ),
    "blocks": wrap_in_method("{" * DEEP + "g();" + "}" * DEEP),
    "classes": b"class A{ void m(){ new A(); } " * DEEP + b"}" * DEEP,
    "classes without a name": wrap_in_method("new A(){ void z(){ " * 2000 + "g();" + "} };" * 2000),
    "type arguments": wrap_in_method(
        "java.util.List<" * DEEP + "A" + ">" * DEEP + " l; l.get(0).foo();"
    ),
    "casts": wrap_in_method("((A)" * DEEP + "a" + ")" * DEEP + ".g();"),
    "dimensions": wrap_in_method("A" + "[]" * DEEP + " x; x" + "[0]" * DEEP + ".g();"),
    "switches": wrap_in_method("switch(i){default->" * DEEP + "g();" + "}" * DEEP),
    "initialisers": wrap_in_method(
        "Object o = new Object[]" + "{" * DEEP + "g()" + "}" * DEEP + ";"
    ),
    "overloads of null": b"class A { %b }"
    % b"".join(b"void m(C%d x) { m(null); } " % i for i in range(200)),
    "heirs": b"".join(
        b"class A%d extends A%d { void m() { m(); } }" % (i + 1, i) for i in range(500)
    ),
}


@pytest.mark.parametrize("what", NESTED)
def test_deep_nesting_is_linked(what: str) -> None:
    assert link_source(NESTED[what])


BROKEN = {
    "nothing": b"",
    "space": b" \n ",
    "an open comment": b"/* x",
    "braces": b"}}}}",
    "bytes": bytes(range(256)) * 20,
    "pieces": b"class A { void m( { foo(; new ; a.; ::; x -> ; } } enum { , }",
    "a method without a class": b"void m() { foo(); new Z(){ void q(){ m(); } }; }",
    "classes that extend each other": b"class A extends B { void m() { foo(); this.z(); } } "
    b"class B extends C<A> {} class C<T extends C<T>> extends A {} "
    b"interface I extends J {} interface J extends I { default void q() { q(); r(); } }",
    "type variables that bound each other": b"class A<T extends U, U extends T> { T t; "
    b"void m() { t.foo(); t.m(); } <X extends X> void n(X x) { x.m(); n(x); } }",
    "a variable that is its own value": b"class A { void m() { var x = x.y(); x.z(); } }",
    "a lambda that is its own argument": b"class A { void m() { f(x -> f(x)); } }",
    "a lambda that is its own value": b"class A { void m() { var g = () -> g.m(); } }",
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_sources_raise_no_error(what: str) -> None:
    link_source(BROKEN[what])


def test_damaged_sources_raise_no_error() -> None:
    """A piece is cut out of a valid source, or random characters are inserted."""
    good = b"""package p; import java.util.*; class A<T extends Comparable<T>> extends B<T> {
        List<T> all = new ArrayList<>();
        enum E { X(1) { void e() {} }; E(int i) {} void e() {} }
        <R> R map(java.util.function.Function<T, R> f) {
            for (var x : all) f.apply(x);
            return all.stream().map(y -> f.apply(y)).findAny().orElseThrow(() -> new Error("e"));
        }
        void m() {
            switch (all.size()) { case 1 -> m(); default -> { map(Object::toString); } }
            try (var r = open()) { r.close(); } catch (A | B e) { e.f(); }
            new A<T>() { int n = n(); };
        }
    }"""
    random_source = random.Random(1)
    for _ in range(300):
        damaged = bytearray(good)
        start = random_source.randrange(len(good))
        if random_source.random() < 0.5:
            del damaged[start : start + random_source.randrange(1, 60)]
        else:
            damaged[start:start] = bytes(random_source.choices(b"(){}<>;,.:->@\"'x1 \xff", k=8))
        link_source(bytes(damaged))
