"""Any bytes, any nesting, any order: the analysis gives the same reports, or none, and never ends
a run. What it should find is elsewhere; these are properties."""

from __future__ import annotations

import pickle
import random

import pytest

from codeacumen.languages.java.nulls import analyse, facts, solve
from codeacumen.languages.java.resolve import Project, platform
from codeacumen.languages.java.resolve import facts as call_facts
from codeacumen.languages.java.syntax.file import JavaFile

PROGRAM = b"""package p;
import java.util.*;
class A {
  private final Map<String, String> words = new HashMap<>();
  String next;
  static String find(int key) { return key == 0 ? null : "a"; }
  int first(int key) { return find(key).length(); }
  int second(String key) {
    try {
      for (int i = 0; i < 3; i++) {
        String word = words.get(key);
        switch (i) {
          case 1: continue;
          default: if (word.isEmpty()) break;
        }
      }
    } catch (IllegalStateException e) {
      return 1;
    } finally {
      next = null;
    }
    Runnable later = () -> new A().next.trim();
    return new A().next.length();
  }
}
"""
DEEP = 10_000


def test_the_program_has_reports() -> None:
    found = [(one.line, one.token) for one in analyse({"A.java": PROGRAM})]
    assert found == [(7, "find"), (14, "word"), (22, "next"), (23, "next")]


def test_broken_sources_are_survived() -> None:
    """Cut anywhere, and with bytes changed at random."""
    random_ = random.Random(5)
    for _ in range(150):
        source = bytearray(PROGRAM)
        for _ in range(random_.randrange(6)):
            source[random_.randrange(len(source))] = random_.randrange(256)
        analyse({"A.java": bytes(source[: random_.randrange(len(source))])})


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\x00\xff" * 500,
        b"class A { int f() { return " + b"(" * DEEP + b"1" + b")" * DEEP + b"; } }",
        b"class A { int f() { return " + b"-" * 1 + b"1" + b"+1" * DEEP + b"; } }",
        b"class A { boolean f(boolean a) { return " + b"!" * DEEP + b"a; } }",
        b"class A { boolean f(boolean a) { return a" + b" && a" * DEEP + b"; } }",
        b"class A { void f() { " + b"{" * DEEP + b"}" * DEEP + b" } }",
        b"class A { void f(int a) { " + b"if (a > 1) " * DEEP + b"; } }",
        b"class A { void f(int a) { " + b"if (a > 1) f(1); else " * DEEP + b"; } }",
        b"class A { A f() { return this" + b".f()" * DEEP + b"; } }",
        b"class A { A a; A f() { return this" + b".a" * DEEP + b"; } }",
        b"class A { void f() { " + b"try { " * 200 + b"} finally { f(); }" * 200 + b" } }",
        b"class A { Object f() { return " + b"() -> " * DEEP + b"null; } }",
        b"class A { int f(int a) { return " + b"a > 1 ? 2 : " * DEEP + b"3; } }",
        b"class A { " + b"class B { " * 3000 + b"}" * 3000 + b" }",
        b"class A { void f() { String s = null; s.g(); " + b"s = null; " * DEEP + b"} }",
    ],
    ids=lambda source: source[22:60].decode(errors="replace"),
)
def test_nesting_and_length_are_survived(source: bytes) -> None:
    analyse({"A.java": source})


def test_a_method_that_is_too_deep_hides_no_other() -> None:
    deep = b"  Object deep() { return " + b"(" * DEEP + b"1" + b")" * DEEP + b"; }\n}\n"
    found = analyse({"A.java": PROGRAM.rstrip().removesuffix(b"}") + deep})
    assert [one.token for one in found] == ["find", "word", "next", "next"]


def test_facts_can_be_sent_and_order_does_not_matter() -> None:
    """Made in any process and in any order, the facts of the files give the same reports."""
    other = b"package p; class B { int g() { return new A().next.length(); } }"
    sources = {"p/A.java": PROGRAM, "p/B.java": other}
    files = {path: JavaFile(source) for path, source in sources.items()}
    declared = {path: call_facts(file) for path, file in files.items()}
    project = Project([(path, one.declared) for path, one in declared.items()], platform())
    made = [
        facts(file, project.link(path, declared[path].sites), path) for path, file in files.items()
    ]
    sent = pickle.loads(pickle.dumps(made))
    whole = analyse(sources)
    assert solve(sent) == solve(reversed(sent)) == whole
    assert [(one.path, one.token) for one in whole if one.path == "p/B.java"] == [
        ("p/B.java", "next")
    ]


def test_reports_are_plain() -> None:
    one = analyse({"A.java": PROGRAM})[0].as_json()
    assert one["bug_type"] == "NULL_DEREFERENCE"
    assert (one["path"], one["line"], one["token"]) == ("A.java", 7, "find")
    assert [step["line"] for step in one["trace"]] == [7, 6, 7]
    assert [step["level"] for step in one["trace"]] == [0, 1, 0]
    assert "`find(key)` could be null" in one["qualifier"]
