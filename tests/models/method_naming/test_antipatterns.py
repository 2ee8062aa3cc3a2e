"""Test each rule on written methods: where it reports a finding, and where it must not.

javac is the oracle that the snippets are Java: no rule needs to judge what no compiler accepts.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.antipatterns import KIND, RULES, find_antipatterns
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts, read_facts
from codeacumen.models.method_naming.name_words import find_base_verb, is_plural, singularize
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

# For each rule's id, methods on which the rule reports a finding.
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
    # The result goes into a parameter or to a listener, or the name describes a state.
    "void getChars(char[] into) { into[0] = 'a'; }",
    "void getNames(List<String> names) { names.add(name); }",
    "void getName(Consumer<String> consumer) { consumer.accept(name); }",
    "void getReady() { open = true; }",
    # Created lazily, cached, or the name says that the state changes.
    "String getName() { if (name == null) { name = \"a\"; size = 1; } return name; }",
    "int getNextId() { size++; return width; }",
    "int getSize() { return size; }",
    # Results other than boolean that answer the question.
    "Predicate<String> isEmpty() { return String::isEmpty; }",
    "Optional<Boolean> hasName() { return Optional.empty(); }",
    "Door isOpen(int door) { return this; }",
    "void isTrue(int value, String text) { if (value < 0) throw new RuntimeException(text); }",
    "void hasText(String text) { if (text.isEmpty()) fail(); }",
    "void isOpen(boolean open) { this.open = open; }",
    # Setters that are chained or return the previous value.
    "Door setSize(int size) { this.size = size; return this; }",
    "int setSize(int size) { int old = this.size; this.size = size; return old; }",
    "boolean setName(String name) { this.name = name; return true; }",
    "Door setWidth(int width) { return new Door(width); }",
    "static Set<String> setOf(String one) { return new HashSet<>(List.of(one)); }",
    "void setSize(Node node) { other.setSize(node); }",
    "void setName(Node node) { throw new UnsupportedOperationException(); }",
    "void setOpen(Node node) { }",
    # Words that mean several items, and types that hold several.
    "List<Node> getNodeList() { return nodes; }",
    "List<Node> getNodes() { return nodes; }",
    "List<Node> getPath() { return nodes; }",
    "byte[] getImage() { return new byte[1]; }",
    "Node getNodeByNames() { return null; }",
    "int getSeconds() { return size; }",
    # The method throws, or calls one that may throw.
    "void checkName() { if (name == null) throw new IllegalStateException(); }",
    "void checkNode() { Objects.requireNonNull(nodes); }",
    "void validateSize() { assert size > 0; }",
    "void ensureName() { if (name == null) name = \"\"; }",
    # Transformations into a parameter, and "to" as a direction.
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
    # Returns what was set; a field of another type; self-inverse ciphers; grammar rules.
    "int addAndGet(int more) { return size += more; }",
    "int getName() { return size; }",
    "void decryptAll() { encryptAll(); } void encryptAll() { size ^= width; }",
    "void Data() { log(name); }",
    "void setWidth(Node node) { return; }",
    # Names that are not chosen here: overrides, deprecated and anonymous methods.
    "@Override public String toString() { return null; }",
    "@Deprecated void run() { log(name); }",
    "Object later() { return new Node() { void getId() { id = 1; } }; }",
]  # fmt: skip


def extract_facts(method: str) -> Facts:
    all_facts = read_facts(JavaFile((BEFORE + method + AFTER).encode()))
    helper_names = {"log", "disableMenu", "fail"}
    return next(method_facts for method_facts in all_facts if method_facts.name not in helper_names)


CASES = [(rule, method) for rule, methods in WRONG.items() for method in methods]


@pytest.mark.parametrize(("rule", "method"), CASES)
def test_rule_reports_finding(rule: str, method: str) -> None:
    evidence = find_antipatterns(extract_facts(method))
    assert [finding.rule for finding in evidence] == [rule]
    assert all(finding.kind == KIND and finding.weight > 0 and finding.text for finding in evidence)


@pytest.mark.parametrize("method", RIGHT)
def test_no_rule_reports_finding(method: str) -> None:
    source = (BEFORE + method + AFTER).encode()
    assert [
        finding.rule
        for method_facts in read_facts(JavaFile(source))
        for finding in find_antipatterns(method_facts)
    ] == []


def test_every_rule_has_examples() -> None:
    assert set(WRONG) == {rule.id for rule in RULES}


def test_every_rule_is_documented() -> None:
    page = (ROOT / "docs" / "name-rules.md").read_text()
    assert [rule.id for rule in RULES if f"`{rule.id}`" not in page] == []


@pytest.mark.parametrize(("rule", "method"), CASES)
def test_overriding_methods_have_no_findings(rule: str, method: str) -> None:
    prefix, comment, suffix = method.rpartition("*/ ")
    assert find_antipatterns(extract_facts(f"{prefix}{comment}@Override {suffix}")) == []


def test_inherited_names_count_less() -> None:
    source = "class Door extends Base { int a; public int isReady() { return a; } }"
    [inherited] = [
        finding
        for method_facts in read_facts(JavaFile(source.encode()))
        for finding in find_antipatterns(method_facts)
    ]
    [own] = find_antipatterns(extract_facts("public int isReady() { return size; }"))
    assert 0 < inherited.weight < own.weight


def test_javac_compiles_snippets(tmp_path: Path) -> None:
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    methods = [method for _, method in CASES] + RIGHT
    for number, method in enumerate(methods):
        folder = tmp_path / f"p{number}"
        folder.mkdir()
        (folder / "Door.java").write_text(f"package p{number};\n{BEFORE}{method}{AFTER}")
    files = [str(path) for path in sorted(tmp_path.rglob("*.java"))]
    process = subprocess.run(
        [javac, "-proc:none", "-d", str(tmp_path / "out"), *files], capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr


def test_any_bytes_are_supported() -> None:
    """Damaged sources, and names without letters, raise no error."""
    rng = random.Random(5)
    source = (BEFORE + "\n".join(method for _, method in CASES) + AFTER).encode()
    source = source.replace(b"nodes", b"_").replace(b"name", b"$")
    for _ in range(40):
        damaged = bytearray(source)
        for _ in range(30):
            damaged[rng.randrange(len(damaged))] = rng.choice(b"(){};=.<>\"'!\xff\x00$_")
        all_facts = read_facts(JavaFile(bytes(damaged)))
        conventions = Conventions()
        conventions.learn_methods(all_facts)
        for method_facts in all_facts:
            find_antipatterns(method_facts)
            conventions.collect_evidence(method_facts)
            for name in ("$", "_", "getNodes", "isA", "set", "get", "to", "openAndClose", "ÄÖ"):
                find_antipatterns(method_facts.with_name(name))
                conventions.suggest_names(method_facts.with_name(name))


@pytest.mark.parametrize(
    ("word", "expected"),
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
def test_singular_of_word(word: str, expected: str) -> None:
    assert singularize(word) == expected
    assert is_plural(word) == (word != expected)


@pytest.mark.parametrize(
    ("word", "verb"),
    [("Starts", "start"), ("enabled", "enable"), ("closes", "close"), ("shown", "shown")],
)
def test_stem_of_verb(word: str, verb: str) -> None:
    assert find_base_verb(word) == verb
