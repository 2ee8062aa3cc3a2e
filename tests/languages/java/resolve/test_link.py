"""Tests of class-hierarchy analysis from source, with one small program for each rule.

A call is written as its kind, the named method, ``->`` and the methods it may reach, with ``?``
instead of ``->`` if the call is ambiguous. The kind of a method reference ends in ``&``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.languages.java.resolve import JavaProject, extract_facts, load_platform
from codeacumen.languages.java.syntax.file import JavaFile

Link = Callable[..., dict[str, list[str]]]

ANIMALS = """
abstract class Animal { abstract String say(); String twice() { return say() + say(); } }
class Dog extends Animal { String say() { return "wuff"; } }
class Puppy extends Dog { String say() { return "wiff"; } String twice() { return ""; } }
final class Cat extends Animal { String say() { return "miau"; } static Cat any() { return null; } }
"""

# name of the rule: (the body of a method, the name at the call, the expected call)
DISPATCH = {
    "an abstract method reaches all implementations": (
        "Animal a = null; a.say();", "say", "M Animal.say() -> Cat.say Dog.say Puppy.say"),
    "a class's own method and its overrides": (
        "Dog d = null; d.say();", "say", "M Dog.say() -> Dog.say Puppy.say"),
    "a final class has no subclass": ("Cat c = null; c.say();", "say", "M Cat.say() -> Cat.say"),
    "an inherited method with an override in a subclass": (
        "Dog d = null; d.twice();", "twice", "M Animal.twice() -> Animal.twice Puppy.twice"),
    "an inherited method without an override in a subclass": (
        "Cat c = null; c.twice();", "twice", "M Animal.twice() -> Animal.twice"),
    "static": ("Cat.any();", "any", "S Cat.any() -> Cat.any"),
    "an anonymous subclass": (
        "Cat.any(); Dog d = new Dog() { String say() { return null; } }; d.say();", "say",
        "M Dog.say() -> Dog.say Puppy.say Test.$1.say"),
    "a new object of an anonymous class": (
        "new Dog() { String say() { return null; } }.say();", "say",
        "M Test.$1.say() -> Test.$1.say"),
    "a platform method reaches the project's overrides": (
        "Object o = null; o.toString(); class D extends Dog { public String toString() "
        "{ return null; } }", "toString", "M java.lang.Object.toString() -> Test.D.toString"),
    "an unknown receiver reaches all methods of that name": (
        "var x = unknown(); x.say();", "say",
        "M ?.say/0 ? Animal.say Cat.say Dog.say Puppy.say"),
    "no project method of that name": ("var x = unknown(); x.sing();", "sing", "M ?.sing/0 ->"),
}  # fmt: skip


@pytest.mark.parametrize("rule", DISPATCH)
def test_dispatch(link: Link, rule: str) -> None:
    body, name, expected = DISPATCH[rule]
    calls = link(ANIMALS, f"class Test {{ void test() {{ {body} }} }}")[name]
    assert calls[-1] == expected


METHODS = """
class Test {
    void f(Object o) {}
    void f(String s) {}
    void f(int i) {}
    void f(long l) {}
    void f(Integer i) {}
    void f(int... many) {}
    void g(Object o, String s) {}
    void g(String s, Object o) {}
    void h(Runnable r) {}
    <T> T h(java.util.concurrent.Callable<T> c) { return null; }
    void k(java.util.function.Function<String, Integer> one) {}
    void k(java.util.function.BiFunction<String, String, Integer> two) {}
    int number() { return 1; }
    void nothing() {}
    void test(byte b, Short s, char c, Long boxed, CharSequence text, Unseen unseen) { BODY }
}
"""
OVERLOADS = {
    "the same type": ('f("")', "f(java.lang.String)"),
    "a supertype": ("f(text)", "f(java.lang.Object)"),
    "the narrowest wider primitive type": ("f(b)", "f(int)"),
    "boxed before a variable number": ("f(boxed)", "f(java.lang.Object)"),
    "unboxed and widened only if nothing takes it as it is": ("f(s)", "f(java.lang.Object)"),
    "a variable number of arguments last": ("f(1, 2)", "f(int[])"),
    "no arguments": ("f()", "f(int[])"),
    "arithmetic promotes": ("f(c + 1)", "f(int)"),
    "long wins": ("f(1 + 2L)", "f(long)"),
    "a string if one side is": ("f(1 + text.toString())", "f(java.lang.String)"),
    "a conditional expression by its branches": (
        "f(b > 1 ? null : text.toString())", "f(java.lang.String)"),
    "a cast": ("f((Object) 1)", "f(java.lang.Object)"),
    "the branches may disagree with all but one": ('f(b > 1 ? text : "")', "f(java.lang.Object)"),
    "a lambda without a value": ("h(() -> nothing())", "h(java.lang.Runnable)"),
    "a lambda with a value": ("h(() -> number())", "h(java.util.concurrent.Callable)"),
    "a block without a value": ("h(() -> { number(); })", "h(java.lang.Runnable)"),
    "a block with a value": (
        "h(() -> { return number(); })", "h(java.util.concurrent.Callable)"),
    "a reference to a method without a value": ("h(this::nothing)", "h(java.lang.Runnable)"),
    "the number of a lambda's parameters": ("k(x -> 1)", "k(java.util.function.Function)"),
    "two parameters": ("k((x, y) -> 1)", "k(java.util.function.BiFunction)"),
    "a reference's parameters": ("k(String::length)", "k(java.util.function.Function)"),
}  # fmt: skip


@pytest.mark.parametrize("rule", OVERLOADS)
def test_overloads(link: Link, rule: str) -> None:
    call, expected = OVERLOADS[rule]
    name = expected.partition("(")[0]
    calls = link(METHODS.replace("BODY", f"{call};"))[name]
    assert calls == [f"M Test.{expected} -> Test.{name}"]


def test_an_argument_of_unknown_type_is_ambiguous_between_all_that_fit(link: Link) -> None:
    calls = link(METHODS.replace("BODY", "f(unseen.value());"))
    assert calls["f"] == ["M Test.f/1 ? Test.f Test.f Test.f Test.f Test.f Test.f"]
    # A class of an unknown library is neither a number nor a string.
    calls = link(METHODS.replace("BODY", "f(unseen);"))
    assert calls["f"] == ["M Test.f/1 ? Test.f Test.f Test.f"]


SHAPES = """
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
class Item { Item part() { return this; } String name() { return ""; } int size() { return 1; } }
class Box<T extends Item> extends ArrayList<T> {
    T first() { return get(0); }
    <R> R as(Function<? super T, ? extends R> how) { return how.apply(first()); }
    static <E extends Item> Box<E> of(E... all) { return null; }
}
class Small extends Item { Small half() { return this; } }
class Decoy { Item part() { return null; } void half() {} int size() { return 0; } }
class Test {
    Box<Small> box;
    Map<String, List<Small>> map;
    Small[] array;
    <T extends Small> T pick(T one, T other) { return one; }
    void test(Collection<? extends Small> some, Function<Item, Small> make) { BODY; }
}
"""
TYPES = {
    "a type argument": "box.first().half()",
    "through a platform's class": "box.get(0).half()",
    "a field of an array's type": "array[0].half()",
    "an array's copy": "array.clone()[0].half()",
    "nested type arguments": 'map.get("").get(0).half()',
    "a wildcard's bound": "some.iterator().next().half()",
    "a loop over var": "for (var one : box) one.half()",
    "a loop over entries": "for (var e : map.entrySet()) e.getValue().get(0).half()",
    "var": "var one = box.first(); one.half()",
    "a constructor": "new Small().half()",
    "a diamond": "new ArrayList<>(some).get(0).half()",
    "a generic method by its arguments": "Box.of(new Small()).first().half()",
    "the nearest type of several arguments": "pick(new Small(), box.first()).half()",
    "written type arguments": "Box.<Small>of().first().half()",
    "a lambda's parameter": "box.forEach(x -> x.half())",
    "a lambda's result": "box.as(x -> x.half()).name()",
    "a function's result": "make.apply(null).half()",
    "a composed function": "make.andThen(x -> x.half())",
    "an optional": "Optional.of(box).map(x -> x.first()).get().half()",
    "a method reference's result": "Optional.of(box).map(Box::first).get().half()",
    "a stream": "box.stream().filter(x -> true).map(x -> x).findFirst().get().half()",
    "a grouping": "box.stream().collect(Collectors.groupingBy(x -> x.half()))",
    "a collector's result": "box.stream().collect(Collectors.toList()).get(0).half()",
    "a sorting": "box.sort((a, b) -> a.half().size() - b.size())",
    "a comparator typed by its context":
        "Comparator<Small> c = Comparator.comparing(x -> x.half().name())",
    "a pattern": "if (make instanceof Object o && box.get(0) instanceof Small s) s.half()",
    "after a catch": "try { } catch (RuntimeException | Error e) { } array[0].half()",
    "a conditional": "(array == null ? box.first() : new Small()).half()",
    "an assignment": "Small s; (s = box.first()).half()",
    "a cast": "((Small) (Object) box).half()",
    "parentheses": "((box.first())).half()",
}  # fmt: skip


@pytest.mark.parametrize("how", TYPES)
def test_inferred_types_resolve_calls(link: Link, how: str) -> None:
    calls = link(SHAPES.replace("BODY", TYPES[how]))
    assert calls["half"] == ["M Small.half() -> Small.half"]
    assert calls.get("name", ["M Item.name() -> Item.name"]) == ["M Item.name() -> Item.name"]


KINDS = {
    "a constructor": ("class A { A(int i) {} A make() { return new A(1); } }", "A",
                      "O A.<init>(int) -> A.A"),
    "a default constructor": ("class A { A make() { return new A(); } }", "A",
                                   "O A.<init>() ->"),
    "this(…)": ("class A { A() { this(1); } A(int i) {} }", "this", "O A.<init>(int) -> A.A"),
    "super(…)": ("class A extends B { A() { super(1); } } class B { B(int i) {} }", "super",
                 "O B.<init>(int) -> B.B"),
    "super.m() runs the superclass's method": (
        "class A extends B { void m() { super.m(); } } class B { void m() {} }", "m",
        "O B.m() -> B.m"),
    "an interface's default": (
        "interface I { default void m() {} } class A implements I { public void m() "
        "{ I.super.m(); } }", "m", "O I.m() -> I.m"),
    "an interface": ("interface I { void m(); } class A { void t(I i) { i.m(); } }", "m",
                     "I I.m() -> I.m"),
    "an interface's methods of Object": (
        "interface I {} class A { void t(I i) { i.hashCode(); } }", "hashCode",
        "M java.lang.Object.hashCode() ->"),
    "an enum constant": ("enum E { X(1), Y; E() {} E(int i) {} }", "X", "O E.<init>(int) -> E.E"),
    "an enum's own methods": ("enum E { X; E t() { return valueOf(\"X\"); } }", "valueOf",
                              "S E.valueOf(java.lang.String) ->"),
    "an enum constant's body overrides": (
        "enum E { X { void m() {} }; void m() {} void t(E e) { e.m(); } }", "m",
        "M E.m() -> E.$1.m E.m"),
    "a record's accessor": ("record R(int x) { int t() { return x(); } }", "x", "M R.x() ->"),
    "an explicit record accessor": (
        "record R(int x) { public int x() { return 1; } int t() { return x(); } }", "x",
        "M R.x() -> R.x"),
    "a record's constructor": (
        "record R(int x) { R { } static R t() { return new R(1); } }", "R",
        "O R.<init>(int) -> R.R"),
    "a reference to a method": (
        "class A { void m() {} Runnable t() { return this::m; } }", "m", "M& A.m() -> A.m"),
    "a reference to a constructor": (
        "class A { A() {} java.util.function.Supplier<A> t() { return A::new; } }", "new",
        "O& A.<init>() -> A.A"),
    "a reference to a static method": (
        "class A { static int m(String s) { return 1; } "
        "java.util.function.ToIntFunction<String> t() { return A::m; } }", "m",
        "S& A.m(java.lang.String) -> A.m"),
    "a method of the class around": (
        "class A { void m() {} class B { void t() { m(); } } }", "m", "M A.m() -> A.m"),
    "the inner class's method has precedence": (
        "class A { void m() {} class B { void m() {} void t() { m(); } } }", "m",
        "M A.B.m() -> A.B.m"),
    "private methods are not inherited": (
        "class A { private void m(String s) {} } class B extends A { void m(Object o) {} "
        'void t() { m(""); } }', "m", "M B.m(java.lang.Object) -> B.m"),
    "a generic interface's method": (
        "class A implements Comparable<A> { public int compareTo(A a) { return 0; } "
        "int t(Comparable<A> c) { return c.compareTo(this); } }", "compareTo",
        "I java.lang.Comparable.compareTo(java.lang.Object) -> A.compareTo"),
    "a method inherited for an interface": (
        "interface I { void m(); } class B { public void m() {} } class C extends B implements I "
        "{} class D { void t(I i) { i.m(); } }", "m", "I I.m() -> B.m"),
    "a field shadows a captured variable": (
        "class F { void m() {} } class G { F x; void m() {} } class A { void t(G x) { new F2() { "
        "void u() { x.m(); } }; } } class F2 { F x; }", "m", "M F.m() -> F.m"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_calls(link: Link, kind: str) -> None:
    source, name, expected = KINDS[kind]
    assert link(source)[name] == [expected]


def test_names_resolve_across_files(link: Link) -> None:
    calls = link(
        "package a; public class A { public static void s() {} protected void p() {} "
        "public static class N { public void n() {} } }",
        "package b; import a.A; import static a.A.s; class B extends A { void t() { s(); p(); "
        "new N().n(); A.N.class.cast(null).n(); a.A.s(); } }",
        "package b; import a.*; import static a.A.*; class C { void t() { s(); N x; x.n(); } }",
    )
    assert calls["s"] == ["S a.A.s() -> A.s"] * 3
    assert calls["p"] == ["M a.A.p() -> A.p"]
    assert calls["n"] == ["M a.A.N.n() -> A.N.n"] * 3


def test_a_project_class_hides_the_platform_class(link: Link) -> None:
    calls = link(
        "package java.util; public class ArrayList<T> { public T odd() { return null; } }",
        "import java.util.*; class A { void m() {} void t(ArrayList<A> l) { l.odd().m(); } }",
    )
    assert calls["odd"] == ["M java.util.ArrayList.odd() -> ArrayList.odd"]
    assert calls["m"] == ["M A.m() -> A.m"]


def test_calls_into_an_unknown_library(link: Link) -> None:
    calls = link(
        "import org.lib.Base; import org.lib.Tool; class A extends Base { void own() {} "
        "void run(Base b, Tool t) { t.work(1); b.own(); inherited(); own(); new Tool(2); "
        "Tool.make().own(); } }"
    )
    assert calls["work"] == ["M org.lib.Tool.work/1 ->"]
    assert calls["Tool"] == ["O org.lib.Tool.<init>/1 ->"]
    assert calls["make"] == ["S org.lib.Tool.make/0 ->"]
    assert calls["inherited"] == ["M org.lib.Base.inherited/0 ->"]
    # A class that extends the library's class may override the called method.
    on_base, by_name, on_unknown = calls["own"]
    assert on_base == "M org.lib.Base.own/0 ? A.own"
    assert by_name == "M A.own() -> A.own"
    assert on_unknown == "M ?.own/0 ? A.own"


def test_callers_of_initialisers_lambdas_and_nested_classes() -> None:
    source = b"""class A {
        static int s = f(); { f(); } static { f(); }
        void m() { Runnable r = () -> f(); new Object() { int x = f(); void n() { f(); } }; }
        static int f() { return 1; }
    }"""
    file_facts = extract_facts(JavaFile(source))
    calls = JavaProject([("A.java", file_facts.declared)], load_platform()).link_file(
        "A.java", file_facts.sites
    )
    callers_of_f = [(call.type, call.caller) for call in calls if call.callee == "A.f()"]
    # Types: A and the anonymous class; methods: m, n, f.
    assert callers_of_f == [(0, -1), (0, -1), (0, -1), (0, 0), (1, -1), (1, 1)]
    assert all(
        len(call.targets) == 1 and not call.ambiguous for call in calls if call.callee == "A.f()"
    )
