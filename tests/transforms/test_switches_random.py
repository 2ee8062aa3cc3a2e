"""Tests of switch to if on random methods: switches of all kinds in loops, in try, and nested. They
compile because nothing follows a statement that cannot complete; the JVM runs every variant and its
original."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from codeacumen.transforms.switches import SwitchToIf
from jvm_cases import Case, find_case_locations, run_all_variants

FRAME = """
public class T {
  static java.io.PrintStream out;
  static int fuel;
  enum C { RED, BLUE, GREEN }
  static int p(Object x) { out.print(x + " "); return 3; }
  static void step() { if (--fuel < 0) throw new IllegalStateException(); }
%s
  public static void run(java.io.PrintStream to) {
    out = to;
    for (int k = -1; k < 5; k++) {
      fuel = 40;
      try { p("= " + f(k)); } catch (RuntimeException thrown) { p(thrown.getClass()); }
      out.println();
    }
  }
}
"""
SELECTORS = (
    "k",
    "n",
    "Math.floorMod(n, 4)",
    "p(k) + k",
    "Integer.valueOf(k)",
    "(k)",
    '"abc".substring(0, Math.floorMod(n, 4))',
    'k == 0 ? null : "a" + k',
    "C.values()[Math.floorMod(k, 3)]",
    "k == 3 ? null : C.values()[Math.floorMod(n, 3)]",
)
LABELS = {
    "number": ("0", "1", "2", "3", "-1", "1 + 3", "5"),
    "string": ('""', '"a"', '"ab"', '"abc"', '"a" + 1', '"a2"'),
    "enum": ("RED", "BLUE", "GREEN"),
}


class MethodGenerator:
    """Generates a method. The stack ``targets`` has the possible jump targets, as a kind and a
    label; ``left`` has the labels that a break leaves."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.targets: list[tuple[str, str]] = []
        self.left: set[str] = set()

    def make_name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def write_method(self) -> str:
        body, completes = self.write_block(0)
        end = "return n * 7 + k;" if completes else ""
        return f"  static int f(int k) {{ int n = k; step(); {body} {end} }}"

    def write_block(self, depth: int, most: int = 3) -> tuple[str, bool]:
        """Return statements, and whether the code after them is reachable."""
        texts = []
        for _ in range(self.random.randint(1, most)):
            text, completes = self.write_statement(depth)
            texts.append(text)
            if not completes:
                return " ".join(texts), False
        return " ".join(texts), True

    def write_statement(self, depth: int) -> tuple[str, bool]:
        pick = self.random.random()
        if depth > 4 or pick < 0.22:
            return self.write_plain()
        if pick < 0.36:
            return self.write_jump()
        if pick < 0.46:
            text, completes = self.write_block(depth + 1)
            if self.random.random() < 0.5:
                return f"if (n > {self.random.randint(-2, 3)}) {{ {text} }}", True
            other, also = self.write_block(depth + 1)
            return f"if (k < 2) {{ {text} }} else {{ {other} }}", completes or also
        if pick < 0.54:
            return self.write_loop(depth)
        if pick < 0.62:
            # Jumps leave the try block, never the finally block.
            text, completes = self.write_block(depth + 1)
            return f"try {{ {text} }} finally {{ p('f'); n++; }}", completes
        if pick < 0.68:
            text, completes = self.write_block(depth + 1)
            return f"{{ {text} }}", completes
        if pick < 0.85:
            return self.write_switch(depth)
        return self.write_switch_value(depth)

    def write_plain(self) -> tuple[str, bool]:
        number = self.random.randint(0, 9)
        return self.random.choice(
            (f"p({number});", f"n += {number};", "n--;", f"k = n % {number + 1};", "p(n);")
        ), True

    def write_jump(self) -> tuple[str, bool]:
        """Return a jump out of an enclosing statement, within an enclosing switch expression if
        there is one."""
        choices = [] if any(kind == "value" for kind, _ in self.targets) else ["return n;"]
        for kind, label in reversed(self.targets):
            if kind == "value":
                choices.append("yield n + 1;")
                break
            if kind == "loop":
                choices.append(f"continue {label};")
            choices.append(f"break {label};")
        kinds = [kind for kind, _ in self.targets]
        if kinds and kinds[-1] != "value":
            choices += ["break;"] * 3
        text = self.random.choice(choices)
        if text == "break;":
            self.left.add(self.targets[-1][1])
        elif text.startswith("break "):
            self.left.add(text[6:-1])
        return text, False

    def write_block_within(
        self, kind: str, label: str, depth: int, most: int = 3
    ) -> tuple[str, bool]:
        self.targets.append((kind, label))
        text, completes = self.write_block(depth + 1, most)
        self.targets.pop()
        return text, completes

    def write_loop(self, depth: int) -> tuple[str, bool]:
        label, i = self.make_name(), self.make_name()
        text, _ = self.write_block_within("loop", label, depth)
        if self.random.random() < 0.5:
            return f"{label}: for (int {i} = 0; {i} < 3; {i}++) {{ step(); {text} }}", True
        return f"{label}: while (true) {{ step(); {text} }}", label in self.left

    def shuffle_labels(self, kind: str) -> list[str]:
        shuffled = list(LABELS[kind])
        self.random.shuffle(shuffled)
        return shuffled

    def choose_selector(self) -> tuple[str, str]:
        text = self.random.choice(SELECTORS)
        return text, "enum" if "C." in text else "string" if '"' in text else "number"

    def write_switch(self, depth: int) -> tuple[str, bool]:
        label = self.make_name()
        selector, kind = self.choose_selector()
        labels, cases = self.shuffle_labels(kind), []
        count = self.random.randint(0, 4)
        default = self.random.randint(0, 5)
        ends: list[bool] = []
        rules = self.random.random() < 0.3
        shared = self.make_name()
        for case_number in range(count):
            label_count = 1 if self.random.random() < 0.7 else 2
            own_labels, labels = labels[:label_count], labels[label_count:]
            if not own_labels and case_number != default:
                break
            text, completes = self.write_block_within("switch", label, depth)
            ends.append(completes)
            if rules:
                head = "default" if case_number == default else f"case {', '.join(own_labels)}"
                cases.append(f"{head} -> {{ {text} }}")
                continue
            heads = [f"case {case_label}:" for case_label in own_labels]
            if case_number == default:
                heads.insert(self.random.randint(0, len(heads)), "default:")
            declares = (
                f"int {shared} = n; p({shared});"
                if case_number == 0
                else f"{shared} = {case_number};"
            )
            if self.random.random() < 0.5 and count > 2:
                text = (declares if case_number == 0 or cases[0].find(shared) > 0 else "") + text
            cases.append(" ".join(heads) + " " + text)
        total = default < len(cases)
        completes = not total or label in self.left or not ends
        completes = completes or (any(ends) if rules else ends[-1])
        return f"{label}: switch ({selector}) {{ {' '.join(cases)} }}", completes

    def write_switch_value(self, depth: int) -> tuple[str, bool]:
        selector, kind = self.choose_selector()
        labels, cases = self.shuffle_labels(kind), []
        rules = self.random.random() < 0.6
        for case_number in range(self.random.randint(1, 3)):
            head = f"case {labels[case_number]}"
            self.targets.append(("value", ""))
            outer, self.left = self.left, set()
            if rules and self.random.random() < 0.5:
                cases.append(f"{head} -> n + {case_number};")
            else:
                text, completes = self.write_block(depth + 1, 2)
                text += " yield n;" if completes else ""
                cases.append(f"{head} -> {{ {text} }}" if rules else f"{head}: {text}")
            self.left |= outer
            self.targets.pop()
        last = "default -> k;" if rules else "default: p('d'); yield k;"
        cases.insert(0 if rules and self.random.random() < 0.3 else len(cases), last)
        text = f"switch ({selector}) {{ {' '.join(cases)} }}"
        pick = self.random.random()
        if pick < 0.4:
            return f"n = {text};", True
        if pick < 0.8 or any(kind == "value" for kind, _ in self.targets):
            name = self.make_name()
            return f"int {name} = {text}; n += {name};", True
        return f"return {text};", False


def make_programs(seeds: range) -> list[Case]:
    return [Case(f"seed {seed}", FRAME % MethodGenerator(seed).write_method()) for seed in seeds]


@pytest.mark.thorough
def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    cases = make_programs(range(40))
    transform = SwitchToIf()
    reasons = {
        location.refused for case in cases for location in find_case_locations(transform, case)[1]
    } - {""}
    assert reasons <= {
        "a variable is shared between cases",
        "the value is computed inside try or synchronized",
    }
    assert run_all_variants(transform, cases, tmp_path) > 100
