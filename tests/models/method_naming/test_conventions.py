"""Conventions of classes and projects written by hand: what deviates, what is left alone."""

from __future__ import annotations

import pickle

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.conventions import KIND, RULES, Conventions
from codeacumen.models.method_naming.facts import Facts, facts_of
from codeacumen.models.method_naming.name_words import words_of
from codeacumen.models.method_naming.shapes import joined, style_of, styled
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
VISITS = "".join(f"void visit{one}(Node n) {{ all.add(n); a++; }} " for one in "ABCDE")


def learned(*members: str, head: str = "class Box") -> tuple[Conventions, dict[str, Facts]]:
    fields = "int a, b, c, d, depth; boolean p, q, isR, open; java.util.List<Object> all;"
    source = f"{head} {{ {fields} {' '.join(members)} }}"
    found = facts_of(JavaFile(source.encode()), "Box.java")
    conventions = Conventions()
    conventions.learn(found)
    return conventions, {one.name: one for one in found}


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
def test_deviates(rule: str, members: tuple[str, ...], name: str, better: str) -> None:
    conventions, found = learned(*members)
    [evidence] = conventions.evidence(found[name])
    assert (evidence.kind, evidence.rule) == (KIND, rule)
    assert evidence.weight > 0
    assert evidence.examples
    assert all(one.split(".")[1] in set(found) - {name} for one in evidence.examples)
    assert [one.name for one in conventions.suggest(found[name])] == [better]
    # The others are what it stands on; and by the better name it would be one of them.
    assert not any(conventions.evidence(one) for other, one in found.items() if other != name)
    assert conventions.evidence(found[name].named(better)) == []


@pytest.mark.parametrize(
    ("members", "name"),
    [
        # Too few to be a style, or two styles side by side.
        (("int getA() { return a; } int getB() { return b; }", ONE), "depth"),
        ((GETTERS, "int d() { return d; } int depth() { return depth; }"), "depth"),
        # More than an accessor; another name than the field's; what a supertype gives.
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
def test_is_left_alone(members: tuple[str, ...], name: str) -> None:
    conventions, found = learned(*members)
    assert conventions.evidence(found[name]) == []
    assert conventions.suggest(found[name]) == []


def test_records_name_their_accessors_like_their_components() -> None:
    conventions, found = learned(GETTERS, "int depth() { return depth; }", head="record Box(int x)")
    assert conventions.evidence(found["depth"]) == []


def project(verbs: list[str]) -> list[Facts]:
    """Classes with one method each, of the same shape and of these verbs."""
    body = "Thing(int v) { Thing t = new Thing(); t.a = v; t.use(); return new Thing(); }"
    return [
        one
        for n, verb in enumerate(verbs)
        for one in facts_of(JavaFile(f"class C{n} {{ Thing {verb}{body} }}".encode()), f"C{n}.java")
    ]


def test_verb_of_a_shape() -> None:
    facts = project(["create"] * 30 + ["zap"])
    conventions = Conventions()
    conventions.learn(facts)
    [evidence] = conventions.evidence(facts[-1])
    assert evidence.rule == "verb-of-shape"
    assert "30 of 30" in evidence.text
    assert evidence.examples == ("C0.createThing", "C1.createThing", "C2.createThing")
    [suggestion] = conventions.suggest(facts[-1])
    assert suggestion.name == "createThing"
    assert not any(conventions.evidence(one) for one in facts[:-1])


@pytest.mark.parametrize(
    "verbs",
    [["create"] * 18 + ["zap"], ["create"] * 20 + ["make"] * 10 + ["zap"]],
    ids=["few", "divided"],
)
def test_a_shape_without_a_verb(verbs: list[str]) -> None:
    facts = project(verbs)
    conventions = Conventions()
    conventions.learn(facts)
    assert conventions.evidence(facts[-1]) == []


def test_a_method_is_no_witness_of_itself() -> None:
    """Whatever name it was learned under: a name under test must not be told from that."""
    facts = project(["create"] * 30 + ["zap"])
    learned_wrong, learned_right, unseen = Conventions(), Conventions(), Conventions()
    learned_wrong.learn(facts)
    learned_right.learn([*facts[:-1], facts[-1].named("createThing")])
    unseen.learn(facts[:-1])
    for name in ("zapThing", "createThing", "makeThing"):
        said = [
            one.evidence(facts[-1].named(name)) for one in (learned_wrong, learned_right, unseen)
        ]
        assert said[0] == said[1] == said[2]


def test_learning_twice_is_learning_once() -> None:
    once, found = learned(GETTERS, "int depth() { return depth; }")
    again, _ = learned(GETTERS, "int depth() { return depth; }")
    again.learn(found.values())
    assert pickle.dumps(once) == pickle.dumps(again)
    restored = pickle.loads(pickle.dumps(once))
    assert restored.evidence(found["depth"]) == once.evidence(found["depth"]) != []


def test_every_rule_is_told_of() -> None:
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
def test_styles(name: str, field: str, style: str) -> None:
    assert style_of(words_of(name), field) == style


def test_names_keep_their_capitals() -> None:
    assert styled("get", "nsURI") == "getNsURI"
    assert styled("bare", "mDepth") == "depth"
    assert joined(("get", "URL", "parts")) == "getURLParts"
