"""Whether statements complete normally: javac is the oracle, for it refuses what cannot be reached.

Each statement becomes a method with something behind it. Where that is unreachable for javac, the
statement cannot complete.
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
from codeacumen.transforms.completes import Answer, completes
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

# What the file does not show, or what is not worked out: None is right, and so is what javac says.
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


def answers(statements: list[str], folder: Path) -> list[tuple[str, Answer, bool]]:
    """Each statement, whether it completes for us, and for javac."""
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac is the oracle")
    lines = HEAD.strip().splitlines()
    first = len(lines) + 1
    lines += [f"  void f{number}() {{ {one} x(); }}" for number, one in enumerate(statements)]
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
    found = []
    for place, _ in code.bodies:
        if re.fullmatch(r"f\d+", methods[place].name):
            number = int(methods[place].name[1:])
            last = code.children(methods[place].body)[-3]
            found.append((statements[number], completes(code, last), number not in dead))
    assert len(found) == len(statements)
    return found


def test_every_kind_of_statement(tmp_path: Path) -> None:
    for statement, ours, javac in answers(STATEMENTS, tmp_path):
        assert ours is javac, statement


def test_what_the_file_does_not_show(tmp_path: Path) -> None:
    """Never wrong; sometimes it is clear all the same."""
    found = answers(HIDDEN, tmp_path)
    for statement, ours, javac in found:
        assert ours is None or ours is javac, statement
    assert sum(ours is None for _, ours, _ in found) >= 9


def test_statements_inside_each_other(tmp_path: Path) -> None:
    """What a seeded grammar makes, where javac finds nothing unreachable but what is behind."""
    statements = [Grammar(seed).statement(3) for seed in range(600)]
    for statement, ours, javac in answers(statements, tmp_path):
        assert ours is javac, statement


class Grammar:
    """Statements at random, such that nothing in them is unreachable: what stands first in a
    block completes for certain."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.labels: list[str] = []
        self.loops = self.breaks = self.caught = 0

    def statement(self, depth: int) -> str:
        choice = self.random.choice
        if depth == 0:
            jumps = ["x();", "return;", "throw new RuntimeException();"]
            jumps += ["break;"] * 2 * (self.breaks > 0) + ["continue;"] * (self.loops > 0)
            jumps += [f"break {label};" for label in self.labels]
            return choice(jumps)
        made: str = choice(
            [self.block, self.if_, self.if_, self.loop, self.do, self.switch, self.try_, self.label]
        )(depth - 1)
        return made

    def block(self, depth: int) -> str:
        before = self.random.choice(["", "x();", f"if (c) {self.statement(0)}"])
        return f"{{ {before} {self.statement(depth)} }}"

    def if_(self, depth: int) -> str:
        text = f"if (c) {self.block(depth)}"
        return text + self.random.choice(["", f" else {self.statement(depth)}"])

    def loop(self, depth: int) -> str:
        head = self.random.choice(["while (c)", "while (true)", "for (;;)", "for (; YES; x())"])
        self.loops, self.breaks = self.loops + 1, self.breaks + 1
        text = f"{head} {self.block(depth)}"
        self.loops, self.breaks = self.loops - 1, self.breaks - 1
        return text

    def do(self, depth: int) -> str:
        self.loops, self.breaks = self.loops + 1, self.breaks + 1
        text = f"do {self.block(depth)} while ({self.random.choice(['c', 'true', 'NO'])});"
        self.loops, self.breaks = self.loops - 1, self.breaks - 1
        return text

    def switch(self, depth: int) -> str:
        self.breaks += 1
        mark = self.random.choice((":", " ->"))
        cases = [f"case {n}{mark} {self.block(depth)}" for n in range(self.random.randint(0, 2))]
        cases += [f"default{mark} {self.block(depth)}"] * self.random.randint(0, 1)
        self.breaks -= 1
        return f"switch (n) {{ {' '.join(cases)} }}"

    def try_(self, depth: int) -> str:
        self.caught += 1
        caught = f"catch (RuntimeException r{self.caught}) {self.block(depth)}"
        tried = f"try {self.block(depth)} "
        end = f"finally {self.block(depth)}"
        return tried + self.random.choice([caught, f"{caught} {end}", end])

    def label(self, depth: int) -> str:
        name = f"l{len(self.labels)}"
        self.labels.append(name)
        text = f"{name}: {self.block(depth)}"
        self.labels.pop()
        return text
