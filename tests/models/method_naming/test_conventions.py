"""Tests of naming conventions of written classes and projects: deviations are reported, other names
are not."""

from __future__ import annotations

import pickle

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.conventions import KIND, RULES, Conventions
from codeacumen.models.method_naming.facts import Facts, read_facts
from codeacumen.models.method_naming.name_words import split_words
from codeacumen.models.method_naming.shapes import (
    build_accessor_name,
    classify_style,
    join_camel_case,
)
from support import ROOT

GETTERS = "int getA() { return a; } int getB() { return b; } int getC() { return c; }"
ONE = "int depth() { return depth; }"
BARE = "int a() { return a; } int b() { return b; } int c() { return c; }"
SETTERS = "void setA(int v) { a = v; } void setB(int v) { b = v; } void setC(int v) { c = v; }"
CHAINED = """Box withA(int v) { a = v; return this; } Box withB(int v) { b = v; return this; }
    Box withC(int v) { c = v; return this; }"""
QUESTIONS = """boolean isP() { return p; } boolean isQ() { return q; }
    boolean isR() { return isR; }"""
OVERLOADS = """void put(int v) { put(v, 1); } void cut(int v) { cut(v, 1); }
    void let(int v) { let(v, 1); } void put(int v, int w) { a = v + w; }
    void cut(int v, int w) { b = v + w; } void let(int v, int w) { c = v + w; }
    void mow(int v, int w) { d = v + w; }"""
VISITS = "".join(f"void visit{letter}(Node n) {{ all.add(n); a++; }} " for letter in "ABCDE")


def learn_class(*members: str, head: str = "class Box") -> tuple[Conventions, dict[str, Facts]]:
    fields = "int a, b, c, d, depth; boolean p, q, isR, open; java.util.List<Object> all;"
    source = f"{head} {{ {fields} {' '.join(members)} }}"
    class_facts = read_facts(JavaFile(source.encode()), "Box.java")
    conventions = Conventions()
    conventions.learn_methods(class_facts)
    return conventions, {method_facts.name: method_facts for method_facts in class_facts}


@pytest.mark.parametrize(
    ("rule", "members", "name", "better"),
    [
        ("getter-style", (GETTERS, "int depth() { return depth; }"), "depth", "getDepth"),
        ("getter-style", (BARE, "int getDepth() { return depth; }"), "getDepth", "depth"),
        ("question-style", (QUESTIONS, "boolean getOpen() { return open; }"), "getOpen", "isOpen"),
        ("question-style", (QUESTIONS, "boolean open() { return open; }"), "open", "isOpen"),
        ("setter-style", (SETTERS, "void depth(int v) { depth = v; }"), "depth", "setDepth"),
        (
            "setter-style",
            (CHAINED, "Box setDepth(int v) { depth = v; return this; }"),
            "setDepth",
            "withDepth",
        ),
        (
            "pair-of-field",
            ("int getDepth() { return depth; } void setLength(int v) { depth = v; }",),
            "setLength",
            "setDepth",
        ),
        ("overload-name", (OVERLOADS, "void trim(int v) { mow(v, 1); }"), "trim", "mow"),
        (
            "prefix-of-siblings",
            (VISITS, "void goRound(Node n) { all.add(n); a++; }"),
            "goRound",
            "visitRound",
        ),
    ],
)
def test_deviating_name_is_reported(
    rule: str, members: tuple[str, ...], name: str, better: str
) -> None:
    conventions, facts_by_name = learn_class(*members)
    [evidence] = conventions.collect_evidence(facts_by_name[name])
    assert (evidence.kind, evidence.rule) == (KIND, rule)
    assert evidence.weight > 0
    assert evidence.examples
    assert all(
        example.split(".")[1] in set(facts_by_name) - {name} for example in evidence.examples
    )
    assert [suggestion.name for suggestion in conventions.suggest_names(facts_by_name[name])] == [
        better
    ]
    # The other methods have no evidence, nor has this one under the better name.
    assert not any(
        conventions.collect_evidence(method_facts)
        for other_name, method_facts in facts_by_name.items()
        if other_name != name
    )
    assert conventions.collect_evidence(facts_by_name[name].with_name(better)) == []


@pytest.mark.parametrize(
    ("members", "name"),
    [
        # Too few methods for a style, or two styles.
        (("int getA() { return a; } int getB() { return b; }", ONE), "depth"),
        ((GETTERS, "int d() { return d; } int depth() { return depth; }"), "depth"),
        # More than an accessor; a name other than the field's; a name from a supertype.
        ((GETTERS, "int depth() { return depth + 1; }"), "depth"),
        ((GETTERS, "int length() { return depth; }"), "length"),
        ((GETTERS, "@Override public int depth() { return depth; }"), "depth"),
        # The other accessor is no better, there are two, or the name is taken.
        (("int getWidth() { return depth; } void setLength(int v) { depth = v; }",), "setLength"),
        (
            (
                "int getDepth() { return depth; } void setLength(int v) { depth = v; }",
                "void setDepth(int v) { depth = v; }",
            ),
            "setLength",
        ),
        # The target's name is part of the name.
        ((OVERLOADS, "void mowTwice(int v) { mow(v, 1); }"), "mowTwice"),
        ((VISITS, "void goRound(Node n) { all.add(n); }"), "goRound"),
        ((VISITS, "int goRound(Node n) { all.add(n); a++; return a; }"), "goRound"),
    ],
)
def test_conforming_name_is_not_reported(members: tuple[str, ...], name: str) -> None:
    conventions, facts_by_name = learn_class(*members)
    assert conventions.collect_evidence(facts_by_name[name]) == []
    assert conventions.suggest_names(facts_by_name[name]) == []


def test_bare_accessors_of_records_are_not_reported() -> None:
    conventions, facts_by_name = learn_class(
        GETTERS, "int depth() { return depth; }", head="record Box(int x)"
    )
    assert conventions.collect_evidence(facts_by_name["depth"]) == []


def extract_project(verbs: list[str]) -> list[Facts]:
    """Return facts of classes with one method each; the methods have the same shape and these
    verbs."""
    body = "Thing(int v) { Thing t = new Thing(); t.a = v; t.use(); return new Thing(); }"
    return [
        method_facts
        for number, verb in enumerate(verbs)
        for method_facts in read_facts(
            JavaFile(f"class C{number} {{ Thing {verb}{body} }}".encode()), f"C{number}.java"
        )
    ]


def test_unusual_verb_for_shape_is_reported() -> None:
    facts = extract_project(["create"] * 30 + ["zap"])
    conventions = Conventions()
    conventions.learn_methods(facts)
    [evidence] = conventions.collect_evidence(facts[-1])
    assert evidence.rule == "verb-of-shape"
    assert "30 of 30" in evidence.text
    assert evidence.examples == ("C0.createThing", "C1.createThing", "C2.createThing")
    [suggestion] = conventions.suggest_names(facts[-1])
    assert suggestion.name == "createThing"
    assert not any(conventions.collect_evidence(method_facts) for method_facts in facts[:-1])


@pytest.mark.parametrize(
    "verbs",
    [["create"] * 18 + ["zap"], ["create"] * 20 + ["make"] * 10 + ["zap"]],
    ids=["few", "divided"],
)
def test_shape_without_dominant_verb_reports_nothing(verbs: list[str]) -> None:
    facts = extract_project(verbs)
    conventions = Conventions()
    conventions.learn_methods(facts)
    assert conventions.collect_evidence(facts[-1]) == []


def test_evidence_does_not_depend_on_learned_name_of_the_method() -> None:
    """The name under test must not influence the evidence, whatever name the method was learned
    under."""
    facts = extract_project(["create"] * 30 + ["zap"])
    learned_wrong, learned_right, unseen = Conventions(), Conventions(), Conventions()
    learned_wrong.learn_methods(facts)
    learned_right.learn_methods([*facts[:-1], facts[-1].with_name("createThing")])
    unseen.learn_methods(facts[:-1])
    for name in ("zapThing", "createThing", "makeThing"):
        evidence = [
            conventions.collect_evidence(facts[-1].with_name(name))
            for conventions in (learned_wrong, learned_right, unseen)
        ]
        assert evidence[0] == evidence[1] == evidence[2]


def test_learning_twice_equals_learning_once() -> None:
    once, facts_by_name = learn_class(GETTERS, "int depth() { return depth; }")
    twice, _ = learn_class(GETTERS, "int depth() { return depth; }")
    twice.learn_methods(facts_by_name.values())
    assert pickle.dumps(once) == pickle.dumps(twice)
    restored = pickle.loads(pickle.dumps(once))
    assert (
        restored.collect_evidence(facts_by_name["depth"])
        == once.collect_evidence(facts_by_name["depth"])
        != []
    )


def test_every_rule_is_documented() -> None:
    page = (ROOT / "docs" / "name-rules.md").read_text()
    assert [rule for rule in RULES if f"`{rule}`" not in page] == []


@pytest.mark.parametrize(
    ("name", "field", "style"),
    [
        ("getName", "name", "get"),
        ("getName", "mName", "get"),
        ("name", "_name", "bare"),
        ("isOpen", "isOpen", "is"),
        ("setOpen", "isOpen", "set"),
        ("getFilename", "fileName", "get"),
        ("getTitle", "name", ""),
        ("hasName", "name", "is"),
    ],
)
def test_style_of_accessor(name: str, field: str, style: str) -> None:
    assert classify_style(split_words(name), field) == style


def test_styled_and_joined_names_keep_capitals() -> None:
    assert build_accessor_name("get", "nsURI") == "getNsURI"
    assert build_accessor_name("bare", "mDepth") == "depth"
    assert join_camel_case(("get", "URL", "parts")) == "getURLParts"
