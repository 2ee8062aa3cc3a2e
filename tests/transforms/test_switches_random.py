"""Switch to if on random methods: switches of all kinds in loops, in try, in each other. They
compile as they are, because nothing is written behind what cannot complete; the JVM runs every
variant beside its original."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from codeacumen.transforms.switches import SwitchToIf
from running import Case, check_all, found

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


class Writer:
    """Writes a method. What may be jumped to is kept on a stack: a kind and a label; what was
    jumped to with a break, in ``left``."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.targets: list[tuple[str, str]] = []
        self.left: set[str] = set()

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def method(self) -> str:
        body, completes = self.block(0)
        end = "return n * 7 + k;" if completes else ""
        return f"  static int f(int k) {{ int n = k; step(); {body} {end} }}"

    def block(self, depth: int, most: int = 3) -> tuple[str, bool]:
        """Statements, and whether what follows them is reached."""
        texts = []
        for _ in range(self.random.randint(1, most)):
            text, completes = self.statement(depth)
            texts.append(text)
            if not completes:
                return " ".join(texts), False
        return " ".join(texts), True

    def statement(self, depth: int) -> tuple[str, bool]:
        pick = self.random.random()
        if depth > 4 or pick < 0.22:
            return self.plain()
        if pick < 0.36:
            return self.jump()
        if pick < 0.46:
            text, completes = self.block(depth + 1)
            if self.random.random() < 0.5:
                return f"if (n > {self.random.randint(-2, 3)}) {{ {text} }}", True
            other, also = self.block(depth + 1)
            return f"if (k < 2) {{ {text} }} else {{ {other} }}", completes or also
        if pick < 0.54:
            return self.loop(depth)
        if pick < 0.62:
            # Jumps out of what finally guards, never out of finally itself.
            text, completes = self.block(depth + 1)
            return f"try {{ {text} }} finally {{ p('f'); n++; }}", completes
        if pick < 0.68:
            text, completes = self.block(depth + 1)
            return f"{{ {text} }}", completes
        if pick < 0.85:
            return self.switch(depth)
        return self.value(depth)

    def plain(self) -> tuple[str, bool]:
        number = self.random.randint(0, 9)
        return self.random.choice(
            (f"p({number});", f"n += {number};", "n--;", f"k = n % {number + 1};", "p(n);")
        ), True

    def jump(self) -> tuple[str, bool]:
        """Out of something around, as far as no value is asked for there."""
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

    def within(self, kind: str, label: str, depth: int, most: int = 3) -> tuple[str, bool]:
        self.targets.append((kind, label))
        text, completes = self.block(depth + 1, most)
        self.targets.pop()
        return text, completes

    def loop(self, depth: int) -> tuple[str, bool]:
        label, i = self.name(), self.name()
        text, _ = self.within("loop", label, depth)
        if self.random.random() < 0.5:
            return f"{label}: for (int {i} = 0; {i} < 3; {i}++) {{ step(); {text} }}", True
        return f"{label}: while (true) {{ step(); {text} }}", label in self.left

    def labels(self, kind: str) -> list[str]:
        found = list(LABELS[kind])
        self.random.shuffle(found)
        return found

    def selector(self) -> tuple[str, str]:
        text = self.random.choice(SELECTORS)
        return text, "enum" if "C." in text else "string" if '"' in text else "number"

    def switch(self, depth: int) -> tuple[str, bool]:
        label = self.name()
        selector, kind = self.selector()
        labels, cases = self.labels(kind), []
        count = self.random.randint(0, 4)
        default = self.random.randint(0, 5)
        ends: list[bool] = []
        rules = self.random.random() < 0.3
        shared = self.name()
        for place in range(count):
            few = 1 if self.random.random() < 0.7 else 2
            mine, labels = labels[:few], labels[few:]
            if not mine and place != default:
                break
            text, completes = self.within("switch", label, depth)
            ends.append(completes)
            if rules:
                head = "default" if place == default else f"case {', '.join(mine)}"
                cases.append(f"{head} -> {{ {text} }}")
                continue
            heads = [f"case {one}:" for one in mine]
            if place == default:
                heads.insert(self.random.randint(0, len(heads)), "default:")
            declares = f"int {shared} = n; p({shared});" if place == 0 else f"{shared} = {place};"
            if self.random.random() < 0.5 and count > 2:
                text = (declares if place == 0 or cases[0].find(shared) > 0 else "") + text
            cases.append(" ".join(heads) + " " + text)
        total = default < len(cases)
        completes = not total or label in self.left or not ends
        completes = completes or (any(ends) if rules else ends[-1])
        return f"{label}: switch ({selector}) {{ {' '.join(cases)} }}", completes

    def value(self, depth: int) -> tuple[str, bool]:
        selector, kind = self.selector()
        labels, cases = self.labels(kind), []
        rules = self.random.random() < 0.6
        for place in range(self.random.randint(1, 3)):
            head = f"case {labels[place]}"
            self.targets.append(("value", ""))
            outer, self.left = self.left, set()
            if rules and self.random.random() < 0.5:
                cases.append(f"{head} -> n + {place};")
            else:
                text, completes = self.block(depth + 1, 2)
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
            name = self.name()
            return f"int {name} = {text}; n += {name};", True
        return f"return {text};", False


def programs(seeds: range) -> list[Case]:
    return [Case(f"seed {seed}", FRAME % Writer(seed).method()) for seed in seeds]


@pytest.mark.thorough
def test_every_variant_does_the_same(tmp_path: Path) -> None:
    cases = programs(range(40))
    transform = SwitchToIf()
    reasons = {one.refused for case in cases for one in found(transform, case)[1]} - {""}
    assert reasons <= {
        "a variable is shared between cases",
        "the value is given inside try or synchronized",
    }
    assert check_all(transform, cases, tmp_path) > 100
