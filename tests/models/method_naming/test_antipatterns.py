"""Each rule on methods written by hand: where it speaks, and where it must keep silent.

javac is the oracle that the snippets are Java: what no compiler takes, no rule needs to judge.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.antipatterns import KIND, RULES, findings
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts, facts_of
from codeacumen.models.method_naming.name_words import is_plural, singular, stem
from support import ROOT

BEFORE = """import java.util.*;
import java.util.function.*;
class Door {
    boolean open, closed; int size, width; String name; List<Node> nodes; Node[] array; Door other;
    static class Node { int id; }
    static class EnableState { }
    Door(int size) { this.size = size; }
    void log(String text) { System.out.println(text); }
    void disableMenu() { log("x"); }
    void fail() { throw new IllegalStateException(); }
"""
AFTER = "\n}\n"

# A rule and a method that it speaks of; the first word is the rule's id.
WRONG = {
    "get-returns-void": [
        "void getName() { this.name = System.getProperty(\"a\"); }",
        "void getWidth(int at) { width = at; }",
    ],
    "find-returns-void": ["void findNode(int id) { System.out.println(id); }"],
    "get-changes-state": [
        "int getSize() { width = 0; return size; }",
        "List<Node> getNodes() { width++; log(name); return nodes; }",
    ],
    "question-without-boolean": [
        "int isReady() { return size; }",
        "String hasName() { return name; }",
        "Node canClose() { return null; }",
    ],
    "question-without-answer": [
        "void isOpen() { open = true; }", "void hasName(int n) { size = n; }",
    ],
    "predicate-without-boolean": ["int containsNode() { return size; }"],
    "compare-without-order": ["void compareNodes(int a, int b) { int c = a - b; }"],
    "set-returns": ["int setSize(int size) { this.size = size; return 1 + width; }"],
    "set-sets-nothing": ["void setSize(int size) { int copy = size; }"],
    "one-expected": [
        "List<Node> getNode() { return nodes; }",
        "Node[] findNode(int id) { return array; }",
    ],
    "many-expected": [
        "Node getNodes() { return array[0]; }", "Node findNodesByName() { return null; }",
    ],
    "check-without-answer": ["void checkName() { boolean wrong = name.equals(\"a\"); }"],
    "transform-returns-void": [
        "void toNode() { System.out.println(name); }",
        "void stringToInt(String text) { Integer.parseInt(text); }",
    ],
    "transform-to-another": ["String toInt() { return name; }", "int nameAsString() { return 1; }"],
    "create-makes-nothing": ["void createNode() { int n = 1; }"],
    "negated-field": [
        "boolean isClosed() { return !closed; }", "boolean isOpen() { return !this.open; }",
    ],
    "accessor-of-other-field": [
        "int getSize() { return width; }", "void setSize(int width) { this.width = width; }",
        "boolean isOpen() { return closed; }",
    ],
    "body-does-opposite": ["void enableMenu() { disableMenu(); }"],
    "only-the-opposite": ["void removeNode(int id) { nodes.add(null); }"],
    "does-one-of-two": ["void openAndClose() { log(name); }"],
    "comment-says-opposite": ["/** Stops the door. */ void startDoor() { open = true; }"],
    "type-is-opposite": ["EnableState disableAll() { return null; }"],
    "no-verb": ["void data() { System.out.println(name); }"],
}  # fmt: skip

RIGHT = [
    # What is got goes into a parameter, to a listener, or is a state.
    "void getChars(char[] into) { into[0] = 'a'; }",
    "void getNames(List<String> names) { names.add(name); }",
    "void getName(Consumer<String> consumer) { consumer.accept(name); }",
    "void getReady() { open = true; }",
    # Made on demand, kept after computing, or said to change.
    "String getName() { if (name == null) { name = \"a\"; size = 1; } return name; }",
    "int getNextId() { size++; return width; }",
    "int getSize() { return size; }",
    # Answers that are no booleans but answer.
    "Predicate<String> isEmpty() { return String::isEmpty; }",
    "Optional<Boolean> hasName() { return Optional.empty(); }",
    "Door isOpen(int door) { return this; }",
    "void isTrue(int value, String text) { if (value < 0) throw new RuntimeException(text); }",
    "void hasText(String text) { if (text.isEmpty()) fail(); }",
    "void isOpen(boolean open) { this.open = open; }",
    # Setters that are chained, or give back what was there.
    "Door setSize(int size) { this.size = size; return this; }",
    "int setSize(int size) { int old = this.size; this.size = size; return old; }",
    "boolean setName(String name) { this.name = name; return true; }",
    "Door setWidth(int width) { return new Door(width); }",
    "static Set<String> setOf(String one) { return new HashSet<>(List.of(one)); }",
    "void setSize(Node node) { other.setSize(node); }",
    "void setName(Node node) { throw new UnsupportedOperationException(); }",
    "void setOpen(Node node) { }",
    # Words that stand for many, and types that are many.
    "List<Node> getNodeList() { return nodes; }",
    "List<Node> getNodes() { return nodes; }",
    "List<Node> getPath() { return nodes; }",
    "byte[] getImage() { return new byte[1]; }",
    "Node getNodeByNames() { return null; }",
    "int getSeconds() { return size; }",
    # It throws, or asks somebody who may.
    "void checkName() { if (name == null) throw new IllegalStateException(); }",
    "void checkNode() { Objects.requireNonNull(nodes); }",
    "void validateSize() { assert size > 0; }",
    "void ensureName() { if (name == null) name = \"\"; }",
    # Transformations into a parameter, and ways to a place.
    "void toJson(StringBuilder out) { out.append(name); }",
    "void toFront() { log(name); }",
    "void asNode() { this.open = true; }",
    "String toString(int base) { return name; }",
    "List<Integer> toIntList() { return null; }",
    "void createNode() { nodes.add(new Node()); }",
    "boolean isOpen() { return !closed; }",
    "boolean isOpen() { return open; }",
    "int getWidth() { return width; }",
    "int getTotalSize() { return size; }",
    "void setSize(int size, int width) { this.width = size; }",
    "void enableMenu() { log(name); disableMenu(); }",
    "void enableDoor() { disableMenu(); }",
    "void addNode(List<Node> from) { from.remove(0); }",
    "void removeNode() { nodes.remove(0); nodes.add(null); }",
    "void openAndClose() { open = true; open = false; }",
    "void openAndClose() { other.openAndClose(); }",
    "/** Starts the door. */ void startDoor() { open = true; }",
    "EnableState enableAll() { return null; }",
    "void data(String data) { name = data; }",
    "void valueChanged() { size++; }",
    "void close() { open = false; }",
    # What was set is given, fields that cannot be meant, ciphers that undo themselves, grammars.
    "int addAndGet(int more) { return size += more; }",
    "int getName() { return size; }",
    "void decryptAll() { encryptAll(); } void encryptAll() { size ^= width; }",
    "void Data() { log(name); }",
    "void setWidth(Node node) { return; }",
    # Names that nobody chose here.
    "@Override public String toString() { return null; }",
    "@Deprecated void run() { log(name); }",
    "Object later() { return new Node() { void getId() { id = 1; } }; }",
]  # fmt: skip


def facts(method: str) -> Facts:
    found = facts_of(JavaFile((BEFORE + method + AFTER).encode()))
    known = {"log", "disableMenu", "fail"}
    return next(one for one in found if one.name not in known)


CASES = [(rule, method) for rule, methods in WRONG.items() for method in methods]


@pytest.mark.parametrize(("rule", "method"), CASES)
def test_speaks(rule: str, method: str) -> None:
    found = findings(facts(method))
    assert [one.rule for one in found] == [rule]
    assert all(one.kind == KIND and one.weight > 0 and one.text for one in found)


@pytest.mark.parametrize("method", RIGHT)
def test_keeps_silent(method: str) -> None:
    source = (BEFORE + method + AFTER).encode()
    assert [one.rule for every in facts_of(JavaFile(source)) for one in findings(every)] == []


def test_every_rule_is_tried() -> None:
    assert set(WRONG) == {rule.id for rule in RULES}


def test_every_rule_is_told_of() -> None:
    page = (ROOT / "docs" / "name-rules.md").read_text()
    assert [rule.id for rule in RULES if f"`{rule.id}`" not in page] == []


@pytest.mark.parametrize(("rule", "method"), CASES)
def test_what_an_override_is_called_is_not_its_choice(rule: str, method: str) -> None:
    before, comment, after = method.rpartition("*/ ")
    assert findings(facts(f"{before}{comment}@Override {after}")) == []


def test_inherited_names_count_less() -> None:
    source = "class Door extends Base { int a; public int isReady() { return a; } }"
    [inherited] = [one for every in facts_of(JavaFile(source.encode())) for one in findings(every)]
    [own] = findings(facts("public int isReady() { return size; }"))
    assert 0 < inherited.weight < own.weight


def test_the_snippets_are_java(tmp_path: Path) -> None:
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    methods = [method for _, method in CASES] + RIGHT
    for place, method in enumerate(methods):
        folder = tmp_path / f"p{place}"
        folder.mkdir()
        (folder / "Door.java").write_text(f"package p{place};\n{BEFORE}{method}{AFTER}")
    files = [str(path) for path in sorted(tmp_path.rglob("*.java"))]
    done = subprocess.run(
        [javac, "-proc:none", "-d", str(tmp_path / "out"), *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_any_bytes() -> None:
    """Damaged sources, and names without a letter in them."""
    chance = random.Random(5)
    source = (BEFORE + "\n".join(method for _, method in CASES) + AFTER).encode()
    source = source.replace(b"nodes", b"_").replace(b"name", b"$")
    for _ in range(40):
        damaged = bytearray(source)
        for _ in range(30):
            damaged[chance.randrange(len(damaged))] = chance.choice(b"(){};=.<>\"'!\xff\x00$_")
        found = facts_of(JavaFile(bytes(damaged)))
        conventions = Conventions()
        conventions.learn(found)
        for one in found:
            findings(one)
            conventions.evidence(one)
            for name in ("$", "_", "getNodes", "isA", "set", "get", "to", "openAndClose", "ÄÖ"):
                findings(one.named(name))
                conventions.suggest(one.named(name))


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("nodes", "node"),
        ("entries", "entry"),
        ("boxes", "box"),
        ("matches", "match"),
        ("classes", "class"),
        ("status", "status"),
        ("class", "class"),
        ("is", "is"),
        ("bus", "bus"),
    ],
)
def test_singular(word: str, one: str) -> None:
    assert singular(word) == one
    assert is_plural(word) == (word != one)


@pytest.mark.parametrize(
    ("word", "verb"),
    [("Starts", "start"), ("enabled", "enable"), ("closes", "close"), ("shown", "shown")],
)
def test_stem(word: str, verb: str) -> None:
    assert stem(word) == verb
