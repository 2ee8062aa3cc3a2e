"""Compare the null analysis with the JVM on randomly generated methods.

The JVM runs each method on all its inputs: three flags and a tape of bits that ``coin()`` reads, so
every decision of a caller or callee is tried. Every second method has a field among its variables.
The JVM is the oracle in both directions: each reported dereference of null must happen, and each
that happens must be reported.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeacumen.languages.java.nulls import analyse_sources

METHODS = 400
# Length of the tape in bits; after its end coin() returns false.
BITS = 8

HELPERS = """package drawn; class Drawn {
  static int tape; static int left;
  static boolean coin() {
    if (left == 0) { return false; }
    left--; tape >>= 1; return (tape & 1) == 1;
  }
  static boolean known(String text) { return text != null && coin(); }
  static String orEmpty(String text) { return text == null ? "" : text; }
  static void check(String text) { if (text == null) { throw new IllegalArgumentException(); } }
  static void risk() { if (coin()) { throw new IllegalStateException(); } }
  void run(boolean p, boolean q, boolean r) {}
}
"""

# Each class has its own nullable methods: the analysis assumes that a method returns no null if
# many callers dereference its result and none tests it, so sharing them would hide reports.
CLASS_MEMBERS = """  static String same(String text) { return text; }
  static String trimmed(String text) { if (text == null) { return null; } return text.trim(); }
  private String f;
  void clear() { f = null; }
  void fill(String text) { f = text; }
  String getF() { return f; }
  boolean hasF() { return f != null; }
"""

RUNNER = """package drawn; final class Runner {
  static final java.util.Set<Integer> LINES = new java.util.TreeSet<>();
  static boolean over;
  static void met(int line) { if (!over) { LINES.add(line); } over = true; }
  public static void main(String[] arguments) {
    for (int method = 0; method < METHODS; method++) {
      for (int input = 0; input < 8 << BITS; input++) {
        Drawn.tape = input >> 2; Drawn.left = BITS; over = false;
        try {
          made(method).run((input & 1) == 1, (input & 2) == 2, (input & 4) == 4);
        } catch (RuntimeException thrown) {
          continue;
        }
      }
    }
    System.out.println(LINES);
  }
  static Drawn made(int method) {
    switch (method) {
CASES
    }
    throw new AssertionError();
  }
}
"""


class ClassGenerator:
    """Generator of a random class with one method, with at most one dereference per line."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.nullable_count = 0
        self.variable_names = "abc" if seed % 2 else "abf"

    def draw_name(self) -> str:
        return self.random.choice(self.variable_names)

    def draw_whether_to_use_field(self) -> bool:
        return self.variable_names[2] == "f" and self.random.random() < 0.2

    def draw_condition(self, depth: int = 0) -> str:
        kind = self.random.randrange(9 if depth < 2 else 6)
        if kind < 2:
            return self.random.choice(["", "!"]) + self.random.choice("pqr")
        if self.draw_whether_to_use_field():
            return self.random.choice(["", "!"]) + "hasF()"
        if kind < 5:
            name = self.draw_name()
            return self.random.choice([f"{name} == null", f"{name} != null", f"known({name})"])
        if kind == 5:
            return "coin()"
        operand = self.draw_condition(depth + 1)
        if kind == 6:
            return f"!({operand})"
        return f"({operand} {self.random.choice(['&&', '||'])} {self.draw_condition(depth + 1)})"

    def draw_value(self) -> str:
        if self.random.random() < 0.1:
            return f"{self.draw_condition(1)} ? {self.draw_value()} : {self.draw_value()}"
        if self.draw_whether_to_use_field():
            return "getF()"
        helper = self.random.choice(["same", "orEmpty", "trimmed"])
        call_text = f"{helper}({self.draw_name()})"
        return self.random.choice(
            ["null", '"x"', self.draw_name(), self.call_new_nullable_method(), call_text]
        )

    def call_new_nullable_method(self) -> str:
        self.nullable_count += 1
        return f"maybe{self.nullable_count}()"

    def draw_block(self, depth: int, indent: str) -> Iterator[str]:
        for _ in range(self.random.randint(*((1, 2) if depth else (2, 4)))):
            yield from self.draw_statement(depth, indent)

    def draw_statement(self, depth: int, indent: str) -> Iterator[str]:
        indented = indent + "  "
        kind = self.random.randrange(14 if depth < 2 else 8)
        if kind < 3 and self.draw_whether_to_use_field():
            yield indent + self.random.choice(
                ["clear();", f"fill({self.draw_name()});", 'fill("x");']
            )
        elif kind < 3:
            yield f"{indent}{self.draw_name()} = {self.draw_value()};"
        elif kind < 6:
            yield f"{indent}sum += {self.draw_name()}.length();"
        elif kind == 6:
            yield f"{indent}check({self.draw_name()});"
        elif kind == 7:
            yield f"{indent}{self.random.choice('pq')} = {self.draw_condition(1)};"
        elif kind < 11:
            yield f"{indent}if ({self.draw_condition()}) {{"
            yield from self.draw_block(depth + 1, indented)
            if self.random.random() < 0.3:
                yield f"{indented}return;"
            if self.random.random() < 0.4:
                yield f"{indent}}} else {{"
                yield from self.draw_block(depth + 1, indented)
            yield f"{indent}}}"
        elif kind < 13:
            yield f"{indent}try {{"
            yield from self.draw_block(depth + 1, indented)
            yield f"{indented}risk();"
            yield from self.draw_block(depth + 1, indented)
            after = f"catch (IllegalStateException failed{depth})" if kind == 11 else "finally"
            yield f"{indent}}} {after} {{"
            yield from self.draw_block(depth + 1, indented)
            yield f"{indent}}}"
        else:
            yield f"{indent}while (coin()) {{"
            yield from self.draw_block(depth + 1, indented)
            if self.random.random() < 0.4:
                jump = self.random.choice(["break", "continue"])
                yield f"{indented}if ({self.draw_condition()}) {{ {jump}; }}"
            yield f"{indent}}}"

    def draw_class(self, number: int) -> str:
        lines = [f"final class D{number} extends Drawn {{"]
        lines += ["  void run(boolean p, boolean q, boolean r) {", "    int sum = 0;"]
        for name in self.variable_names:
            initial_value = self.random.choice(["null", '"x"', self.call_new_nullable_method()])
            lines.append(f"    {'' if name == 'f' else 'String '}{name} = {initial_value};")
        lines += [*self.draw_block(0, "    "), "  }"]
        for method_number in range(1, self.nullable_count + 1):
            lines.append(
                f'  static String maybe{method_number}() {{ return coin() ? null : "x"; }}'
            )
        return "\n".join(lines) + f"\n{CLASS_MEMBERS}}}\n"


@pytest.fixture(scope="module")
def generated_source() -> str:
    return HELPERS + "".join(ClassGenerator(n).draw_class(n) for n in range(METHODS))


@pytest.fixture(scope="module")
def jvm_lines(generated_source: str, tmp_path_factory: pytest.TempPathFactory) -> set[int]:
    """Return the lines at which the JVM dereferences null first in a run.

    Later ones are ignored: a finally block that runs while the exception propagates may dereference
    null as a consequence, and its exception replaces the first.
    """
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: the JVM is the oracle")
    folder: Path = tmp_path_factory.mktemp("drawn")
    instrumented = "\n".join(
        re.sub(r"(sum \+= (\w)\.length)", rf"if (\2 == null) {{ Runner.met({number}); }} \1", line)
        for number, line in enumerate(generated_source.splitlines(), 1)
    )
    (folder / "Drawn.java").write_text(instrumented)
    cases = "\n".join(f"      case {n}: return new D{n}();" for n in range(METHODS))
    runner = RUNNER.replace("METHODS", str(METHODS)).replace("BITS", str(BITS))
    (folder / "Runner.java").write_text(runner.replace("CASES", cases))
    subprocess.run(
        [javac, "-J-XX:TieredStopAtLevel=1", "-nowarn", "-d", ".", "Drawn.java", "Runner.java"],
        cwd=folder,
        check=True,
    )
    completed = subprocess.run(
        [java, "-XX:-StackTraceInThrowable", "-cp", str(folder), "drawn.Runner"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {int(line) for line in re.findall(r"\d+", completed.stdout)}


def mark_lines(lines: set[int], generated_source: str) -> str:
    """Return the source of the first classes that contain one of the lines, with them marked."""
    first_line = 1
    shown_rows = []
    for class_source in re.findall(r".*?^}\n", generated_source, re.DOTALL | re.MULTILINE):
        rows = class_source.removesuffix(f"{CLASS_MEMBERS}}}\n").splitlines()
        if any(first_line + index in lines for index in range(len(rows))):
            shown_rows += [
                f"{row}{' // <--' * (first_line + index in lines)}"
                for index, row in enumerate(rows)
            ]
        first_line += class_source.count("\n")
    return "\n".join(shown_rows[:80])


@pytest.mark.thorough
def test_reports_agree_with_the_jvm_on_random_methods(
    generated_source: str, jvm_lines: set[int]
) -> None:
    """A few differences are allowed: the analysis merges paths when there are too many of them."""
    reported = {
        report.line for report in analyse_sources({"drawn/Drawn.java": generated_source.encode()})
    }
    false_positives, missed_lines = reported - jvm_lines, jvm_lines - reported
    assert len(jvm_lines) > 300
    assert len(false_positives) <= 0.06 * len(reported), mark_lines(
        false_positives, generated_source
    )
    assert len(missed_lines) <= 0.04 * len(jvm_lines), mark_lines(missed_lines, generated_source)
