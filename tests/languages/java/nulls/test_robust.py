"""Robustness of the null analysis: it raises no error on any bytes, at any nesting depth.

Neither the order of the files nor pickling changes the reports. Other files test what it reports.
"""

from __future__ import annotations

import pickle
import random

import pytest

from codeacumen.languages.java.nulls import analyse_sources, extract_facts, solve_project
from codeacumen.languages.java.resolve import JavaProject, load_platform
from codeacumen.languages.java.resolve import extract_facts as call_facts
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


def test_the_sample_program_has_reports() -> None:
    positions = [(report.line, report.token) for report in analyse_sources({"A.java": PROGRAM})]
    assert positions == [(7, "find"), (14, "word"), (22, "next"), (23, "next")]


def test_broken_sources_raise_no_error() -> None:
    """The sources are cut at a random place and have up to five random bytes replaced."""
    random_ = random.Random(5)
    for _ in range(150):
        source = bytearray(PROGRAM)
        for _ in range(random_.randrange(6)):
            source[random_.randrange(len(source))] = random_.randrange(256)
        analyse_sources({"A.java": bytes(source[: random_.randrange(len(source))])})


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
def test_deep_nesting_and_long_sources_raise_no_error(source: bytes) -> None:
    analyse_sources({"A.java": source})


def test_a_too_deeply_nested_method_does_not_hide_other_reports() -> None:
    deep = b"  Object deep() { return " + b"(" * DEEP + b"1" + b")" * DEEP + b"; }\n}\n"
    reports = analyse_sources({"A.java": PROGRAM.rstrip().removesuffix(b"}") + deep})
    assert [report.token for report in reports] == ["find", "word", "next", "next"]


def test_facts_can_be_pickled_and_given_in_any_order() -> None:
    """Facts computed in any process and given in any order lead to the same reports."""
    second_source = b"package p; class B { int g() { return new A().next.length(); } }"
    sources = {"p/A.java": PROGRAM, "p/B.java": second_source}
    files = {path: JavaFile(source) for path, source in sources.items()}
    facts_by_path = {path: call_facts(file) for path, file in files.items()}
    project = JavaProject(
        [(path, facts_of_file.declared) for path, facts_of_file in facts_by_path.items()],
        load_platform(),
    )
    null_facts = [
        extract_facts(file, project.link_file(path, facts_by_path[path].sites), path)
        for path, file in files.items()
    ]
    unpickled = pickle.loads(pickle.dumps(null_facts))
    reports = analyse_sources(sources)
    assert solve_project(unpickled) == solve_project(reversed(unpickled)) == reports
    assert [(report.path, report.token) for report in reports if report.path == "p/B.java"] == [
        ("p/B.java", "next")
    ]


def test_a_report_converts_to_json() -> None:
    report = analyse_sources({"A.java": PROGRAM})[0].as_json()
    assert report["bug_type"] == "NULL_DEREFERENCE"
    assert (report["path"], report["line"], report["token"]) == ("A.java", 7, "find")
    assert [step["line"] for step in report["trace"]] == [7, 6, 7]
    assert [step["level"] for step in report["trace"]] == [0, 1, 0]
    assert "`find(key)` could be null" in report["qualifier"]
