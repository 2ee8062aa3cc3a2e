"""Tests of whether statements complete normally: javac is the oracle, since it refuses unreachable
statements.

Each statement becomes a method with another statement after it. If that is unreachable for javac,
the first statement cannot complete.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.normal_completion import Answer, can_complete
from javac import JAVAC

STATEMENTS = """
x();
;
{ }
{ x(); ; }
return;
throw new RuntimeException();
{ x(); return; }
{ { { return; } } }
class L { void f() { return; } }
assert c : "no";
int k = 1;
if (c) return;
if (true) return;
if (c) return; else x();
if (c) x(); else return;
if (c) return; else throw new RuntimeException();
if (c) return; else if (n > 1) return; else if (n > 2) return; else { return; }
if (c) return; else if (n > 1) return; else if (n > 2) return;
while (c) return;
while (true) { }
while (true) { if (c) break; }
while (true) { break; }
while (true) { while (c) break; }
while (true) { switch (n) { case 1: break; } }
while (true) { switch (n) { default: return; } }
while (true) { Runnable r = () -> { while (c) break; }; }
while (true) { new Object() { void m() { for (;;) break; } }; }
a: while (true) { while (c) break a; }
a: while (true) { while (c) continue a; }
a: { break a; }
a: { if (c) break a; return; }
a: { return; }
a: b: { if (c) break a; return; }
a: b: { if (c) break b; return; }
a: x();
for (;;) { }
for (;;) { if (c) break; }
for (; c; ) return;
for (; true; ) { }
for (int i = 0; ; i++) return;
for (int i = 0; ; i++) { continue; }
for (int i : new int[1]) return;
do { x(); } while (c);
do { x(); } while (true);
do { return; } while (c);
do { if (c) continue; return; } while (n > 1);
do { if (c) continue; return; } while (true);
do { if (c) break; return; } while (true);
do { break; } while (c);
do { return; } while (false);
a: do { while (c) continue a; return; } while (n > 1);
do { try { continue; } finally { return; } } while (c);
do { try { continue; } finally { x(); } } while (c);
synchronized (this) { x(); }
synchronized (this) { return; }
switch (n) { }
switch (n) { case 1: case 2: }
switch (n) { default: }
switch (n) { case 1: return; }
switch (n) { case 1: return; default: return; }
switch (n) { case 1: return; default: x(); }
switch (n) { case 1: x(); default: return; }
switch (n) { default: return; case 1: x(); }
switch (n) { default: return; case 1: }
switch (n) { case 1: break; default: return; }
switch (n) { case 1: if (c) break; return; default: throw new RuntimeException(); }
switch (n) { case 1: while (c) break; return; default: return; }
switch (n) { case ONE: return; case 1 + 1: return; }
switch (n) { case C.ONE: return; default: return; }
switch (n) { case 1 -> x(); default -> { return; } }
switch (n) { case 1 -> { return; } default -> throw new RuntimeException(); }
switch (n) { case 1 -> { return; } }
switch (n) { case 1 -> { if (c) break; return; } default -> { return; } }
switch (n) { case 1, 2 -> { x(); } default -> { return; } }
switch (e) { case A -> { return; } case B -> { return; } }
switch (e) { case A: return; case B: return; }
int k = switch (n) { case 1: yield 1; default: yield 2; };
int k = switch (n) { case 1 -> 1; default -> throw new RuntimeException(); };
try { x(); } catch (RuntimeException r) { return; }
try { return; } catch (RuntimeException r) { x(); }
try { return; } catch (RuntimeException r) { return; } catch (Error r) { throw r; }
try { x(); } finally { return; }
try { return; } finally { x(); }
try { x(); } catch (RuntimeException r) { x(); } finally { return; }
try { x(); } finally { x(); }
try (R r = new R()) { return; }
try (R r = new R()) { x(); }
try (R r = new R()) { return; } catch (RuntimeException y) { }
try (R r = new R()) { x(); } finally { throw new RuntimeException(); }
while (true) { try { break; } finally { return; } }
while (true) { try { break; } finally { x(); } }
while (true) { try { x(); } finally { break; } }
while (true) { try { x(); } catch (RuntimeException r) { break; } finally { return; } }
while (true) { try { try { break; } finally { x(); } } finally { return; } }
a: { try { break a; } finally { while (true) { } } }
while (YES) { }
while (C.YES) { }
while (T.C.YES) { }
while (!NO) { }
while (YES && ONE == 1) { }
while (YES & (ONE < 2)) { }
while (NO || 1 + 1 == 2) { }
while (c || true) { }
while (true || c) { }
while (this.fixed) { }
while (fixed) { }
while (open) { }
while (BOXED) { }
while (ONE > 0 ? true : false) { }
while (ONE == 1 != false) { }
while (-ONE < 0) { }
while (late) { }
final boolean t = true; while (t) { }
boolean t = true; while (t) { }
final boolean t = c; while (t) { }
final var t = true; while (t) { }
final Boolean t = true; while (t) { }
final boolean t; t = true; while (t) { }
final int t = 3; do { x(); } while (t == 3);
final int t = 3; while (t == n) { }
while (I.ON) { }
""".strip().splitlines()

# Statements that the file alone does not decide: None is correct, and so is javac's result.
HIDDEN = """
while (Other.YES) { }
while (Other.NO || c) { }
while (1.0 < 2) { }
while ('a' < 'b') { }
while ("a" == "a") { }
while ((int) 3L == 3) { }
while (7 / 2 == 3) { }
while (0x10 == 16) { }
while (Integer.MAX_VALUE + 1 < 0) { }
switch (n) { case Other.ONE: return; case Other.TWO: return; }
{ while (Other.YES) { } }
while (Other.YES) { break; }
if (c) while (Other.YES) { } else return;
""".strip().splitlines()

OTHER = """
class Other { static final boolean YES = true, NO = false; static final int ONE = 1, TWO = 2; }
"""
HEAD = """
class T {
  static class C { static final boolean YES = true; static final int ONE = 1; }
  interface I { boolean ON = true; }
  enum E { A, B }
  static class R implements AutoCloseable { public void close() { } }
  static final boolean YES = true, NO = false;
  static final int ONE = 1;
  static final Boolean BOXED = true;
  final boolean fixed = true;
  final boolean late; { late = true; }
  boolean open = true, c;
  int n;
  E e;
  void x() { }
"""


def compare_with_javac(statements: list[str], folder: Path) -> list[tuple[str, Answer, bool]]:
    """Return each statement with our result and that of javac."""
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    lines = HEAD.strip().splitlines()
    first = len(lines) + 1
    lines += [
        f"  void f{number}() {{ {statement} x(); }}" for number, statement in enumerate(statements)
    ]
    text = "\n".join([*lines, "}"])
    file = folder / "T.java"
    file.write_text(text)
    other = folder / "Other.java"
    other.write_text(OTHER)
    done = subprocess.run(
        [javac, *JAVAC, "-nowarn", "-Xmaxerrs", "10000", "-d", str(folder), str(file), str(other)],
        capture_output=True,
        text=True,
    )
    errors = re.findall(r"T\.java:(\d+): error: (.*)", done.stderr)
    assert {error for _, error in errors} <= {"unreachable statement"}, done.stderr
    dead = {int(line) - first for line, _ in errors}
    code = code_of(JavaFile(text.encode()))
    methods = code.file.declarations.methods
    results = []
    for place, _ in code.methods_with_body:
        if re.fullmatch(r"f\d+", methods[place].name):
            number = int(methods[place].name[1:])
            last = code.children(methods[place].body)[-3]
            results.append((statements[number], can_complete(code, last), number not in dead))
    assert len(results) == len(statements)
    return results


def test_completion_of_every_kind_of_statement(tmp_path: Path) -> None:
    for statement, ours, javac in compare_with_javac(STATEMENTS, tmp_path):
        assert ours is javac, statement


def test_undecidable_statements_are_none_or_correct(tmp_path: Path) -> None:
    """Our result may be None but is never wrong."""
    results = compare_with_javac(HIDDEN, tmp_path)
    for statement, ours, javac in results:
        assert ours is None or ours is javac, statement
    assert sum(ours is None for _, ours, _ in results) >= 9


def test_completion_of_nested_statements(tmp_path: Path) -> None:
    """Programs of a seeded grammar, in which only the last statement may be unreachable for
    javac."""
    statements = [StatementGenerator(seed).write_statement(3) for seed in range(600)]
    for statement, ours, javac in compare_with_javac(statements, tmp_path):
        assert ours is javac, statement


class StatementGenerator:
    """Generates random statements without unreachable parts: the first statement of a block always
    completes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.labels: list[str] = []
        self.loops = self.breaks = self.caught = 0

    def write_statement(self, depth: int) -> str:
        choice = self.random.choice
        if depth == 0:
            jumps = ["x();", "return;", "throw new RuntimeException();"]
            jumps += ["break;"] * 2 * (self.breaks > 0) + ["continue;"] * (self.loops > 0)
            jumps += [f"break {label};" for label in self.labels]
            return choice(jumps)
        statement_text: str = choice(
            [
                self.write_block,
                self.write_if,
                self.write_if,
                self.write_loop,
                self.write_do,
                self.write_switch,
                self.write_try,
                self.write_labeled,
            ]
        )(depth - 1)
        return statement_text

    def write_block(self, depth: int) -> str:
        before = self.random.choice(["", "x();", f"if (c) {self.write_statement(0)}"])
        return f"{{ {before} {self.write_statement(depth)} }}"

    def write_if(self, depth: int) -> str:
        text = f"if (c) {self.write_block(depth)}"
        return text + self.random.choice(["", f" else {self.write_statement(depth)}"])

    def write_loop(self, depth: int) -> str:
        head = self.random.choice(["while (c)", "while (true)", "for (;;)", "for (; YES; x())"])
        self.loops, self.breaks = self.loops + 1, self.breaks + 1
        text = f"{head} {self.write_block(depth)}"
        self.loops, self.breaks = self.loops - 1, self.breaks - 1
        return text

    def write_do(self, depth: int) -> str:
        self.loops, self.breaks = self.loops + 1, self.breaks + 1
        text = f"do {self.write_block(depth)} while ({self.random.choice(['c', 'true', 'NO'])});"
        self.loops, self.breaks = self.loops - 1, self.breaks - 1
        return text

    def write_switch(self, depth: int) -> str:
        self.breaks += 1
        mark = self.random.choice((":", " ->"))
        cases = [
            f"case {n}{mark} {self.write_block(depth)}" for n in range(self.random.randint(0, 2))
        ]
        cases += [f"default{mark} {self.write_block(depth)}"] * self.random.randint(0, 1)
        self.breaks -= 1
        return f"switch (n) {{ {' '.join(cases)} }}"

    def write_try(self, depth: int) -> str:
        self.caught += 1
        caught = f"catch (RuntimeException r{self.caught}) {self.write_block(depth)}"
        tried = f"try {self.write_block(depth)} "
        end = f"finally {self.write_block(depth)}"
        return tried + self.random.choice([caught, f"{caught} {end}", end])

    def write_labeled(self, depth: int) -> str:
        name = f"l{len(self.labels)}"
        self.labels.append(name)
        text = f"{name}: {self.write_block(depth)}"
        self.labels.pop()
        return text
