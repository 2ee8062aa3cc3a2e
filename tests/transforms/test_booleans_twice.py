"""Boolean exchange made twice is the identity, on generated programs and on the examples; the
JVM runs the generated programs beside what is made of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.booleans import BooleanExchange
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply, flatten
from codeacumen.transforms.location import Location
from running import Case, check_all
from support import ROOT

TRANSFORM = BooleanExchange()
EXAMPLES = sorted((ROOT / "examples").glob("*/src/**/*.java"))
# How tightly what is written holds together: a value in parentheses is tighter than any.
ASSIGNED, CHOICE, OR, AND, BITS, EQUAL, SIGN, NAME = range(8)
OPERATORS = {"||": OR, "&&": AND, "|": BITS, "^": BITS, "&": BITS, "==": EQUAL, "!=": EQUAL}


class Writer:
    """Random methods, without a double negation, parentheses that are not needed, and such."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["p", "q"]
        self.own: list[str] = []
        self.count = 0

    def pick(self, *ways: str) -> str:
        return self.random.choice(ways)

    def value(self, depth: int = 3, tight: int = ASSIGNED) -> str:
        text, is_ = self._value(depth)
        return f"({text})" if is_ < tight else text

    def _value(self, depth: int) -> tuple[str, int]:
        way = self.random.randrange(9) if depth else self.random.randrange(3)
        if way == 0:
            return self.pick("true", "false"), NAME
        if way < 3:
            return self.random.choice(self.names), NAME
        if way == 3:
            return f"say({self.count}, {self.value(depth - 1)})", NAME
        if way == 4:
            text, is_ = self._value(depth - 1)
            if text.startswith("!") or text in ("true", "false"):
                return text, is_
            return f"!{text}" if is_ == NAME else f"!({text})", SIGN
        if way == 5:
            parts = [self.value(depth - 1, OR) for _ in range(3)]
            return f"{parts[0]} ? {parts[1]} : {parts[2]}", CHOICE
        if way == 6 and self.own:
            sign = self.pick("=", "&=", "|=", "^=")
            return f"{self.random.choice(self.own)} {sign} {self.value(depth - 1)}", ASSIGNED
        sign = self.pick(*OPERATORS)
        # Operators are not mixed without parentheses.
        left, right = (self.value(depth - 1, EQUAL + 1) for _ in range(2))
        return f"{left} {sign} {right}", OPERATORS[sign]

    def declared(self, final: bool = False) -> str:
        self.count += 1
        name = f"v{self.count}"
        text = f"boolean {name} = {self.value()};"
        self.names.append(name)
        if not final:
            self.own.append(name)
        return text

    def block(self, depth: int) -> str:
        names, own = list(self.names), list(self.own)
        text = " ".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))
        self.names, self.own = names, own
        return f"{{ {text} }}"

    def statement(self, depth: int) -> str:
        self.count += 1
        way = self.random.randrange(14 if depth else 6)
        if way < 2:
            return self.declared()
        if way < 4 and self.own:
            sign = self.pick("=", "=", "&=", "|=", "^=")
            return f"{self.random.choice(self.own)} {sign} {self.value()};"
        if way < 6:
            return f"LOG.append({self.value(2)});"
        if way < 8:
            return f"if ({self.value()}) {self.block(depth - 1)} else {self.block(depth - 1)}"
        if way == 8:
            return f"while (n++ < 20 && {self.value(2, AND + 1)}) {self.block(depth - 1)}"
        if way == 9:
            return f"do {self.block(depth - 1)} while (n++ < 20 && {self.value(2, AND + 1)});"
        if way == 10:
            return f"for (; n++ < 20 & {self.value(2, BITS + 1)}; ) {self.block(depth - 1)}"
        if way == 11:
            return (
                f"try {{ boom({self.value()}); }} catch (IllegalStateException e{self.count}) "
                f"{self.block(depth - 1)} finally {self.block(depth - 1)}"
            )
        if way == 12 and self.own:
            own = self.random.choice(self.own)
            return f"switch (n % 2) {{ case 0 -> {own} = {self.value()}; default -> {{}} }}"
        results = [self.value(2) for _ in range(2)]
        first = self.declared(final=True)
        n = self.count
        return (
            f"{first} boolean w{n} = switch (n % 3) {{ case 0 -> {results[0]}; "
            f"case 1 -> {{ yield {results[1]}; }} default -> v{n}; }}; "
            f"BooleanSupplier s{n} = () -> v{n} ^ w{n}; LOG.append(s{n}.getAsBoolean());"
        )

    def method(self) -> str:
        first = [self.declared() for _ in range(3)]
        body = [self.statement(2) for _ in range(8)]
        told = ' + "" + '.join(self.names)
        return " ".join([*first, *body, f"return {told};"])


def written(seed: int) -> str:
    return f"""
        import java.util.function.*;
        public class T {{
          static final StringBuilder LOG = new StringBuilder();
          static boolean say(int n, boolean b) {{ LOG.append(n).append(b); return b; }}
          static void boom(boolean b) {{ if (b) throw new IllegalStateException(); }}
          static String f(boolean p, boolean q) {{ int n = 0; {Writer(seed).method()} }}
          public static void run(java.io.PrintStream out) {{
            for (int n = 0; n < 4; n++) out.println(f(n < 2, n % 2 == 0));
            out.println(LOG);
          }}
        }}
        """


def located(source: bytes) -> Iterator[tuple[Code, Location]]:
    code = code_of(JavaFile(source))
    for place, _ in code.bodies:
        for one in TRANSFORM.locations(code, place, 0):
            yield code, one


def exchanged(source: bytes, *wanted: tuple[int, str]) -> bytes:
    """The text with these locations made, by method and id."""
    found = [
        (code, one) for code, one in located(source) if not wanted or (one.method, one.id) in wanted
    ]
    code = found[0][0]
    chosen = [one for _, one in found if not one.refused]
    assert len(chosen) == len(wanted) or not wanted
    return apply(source, flatten(source, TRANSFORM.rewrites(code, chosen)))


def test_generated_programs_run_the_same(tmp_path: Path) -> None:
    cases = [Case(f"seed {seed}", written(seed)) for seed in range(12)]
    assert check_all(TRANSFORM, cases, tmp_path) > 100


@pytest.mark.parametrize("seed", range(100))
def test_twice_is_the_identity_on_generated_programs(seed: int) -> None:
    source = written(seed).encode()
    for _, one in located(source):
        assert not one.refused
        once = exchanged(source, (one.method, one.id))
        assert once != source
        assert exchanged(once, (one.method, one.id)) == source, one.id
    assert exchanged(exchanged(source)) == source


def test_twice_is_the_identity_on_the_examples() -> None:
    """Except where a call of another file's method must be cast."""
    kept, cast = 0, []
    for file in EXAMPLES:
        source = file.read_bytes()
        for _, one in located(source):
            if one.refused:
                continue
            once = exchanged(source, (one.method, one.id))
            again = exchanged(once, (one.method, one.id))
            if again != source:
                assert again.replace(b"(boolean) ", b"") == source
                cast.append(one.id)
            kept += 1
    assert cast == ["boolean:matches:0", "boolean:toTheRight:0"]
    assert kept == 26
