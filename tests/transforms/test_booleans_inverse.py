"""Tests that boolean exchange applied twice is the identity, on generated programs and on the
examples; the JVM runs the generated programs and their variants."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.booleans import BooleanExchange
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply_edits, flatten_rewrites
from codeacumen.transforms.location import Location
from jvm_cases import Case, run_all_variants
from support import ROOT

TRANSFORM = BooleanExchange()
EXAMPLES = sorted((ROOT / "examples").glob("*/src/**/*.java"))
# Precedence of the generated expressions; a value in parentheses has the highest.
ASSIGNED, CHOICE, OR, AND, BITS, EQUAL, SIGN, NAME = range(8)
OPERATORS = {"||": OR, "&&": AND, "|": BITS, "^": BITS, "&": BITS, "==": EQUAL, "!=": EQUAL}


class MethodGenerator:
    """Generates random methods without double negations, redundant parentheses and the like."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["p", "q"]
        self.own: list[str] = []
        self.count = 0

    def choose(self, *choices: str) -> str:
        return self.random.choice(choices)

    def write_value(self, depth: int = 3, minimum: int = ASSIGNED) -> str:
        text, precedence = self._write_value_and_precedence(depth)
        return f"({text})" if precedence < minimum else text

    def _write_value_and_precedence(self, depth: int) -> tuple[str, int]:
        choice = self.random.randrange(9) if depth else self.random.randrange(3)
        if choice == 0:
            return self.choose("true", "false"), NAME
        if choice < 3:
            return self.random.choice(self.names), NAME
        if choice == 3:
            return f"say({self.count}, {self.write_value(depth - 1)})", NAME
        if choice == 4:
            text, precedence = self._write_value_and_precedence(depth - 1)
            if text.startswith("!") or text in ("true", "false"):
                return text, precedence
            return f"!{text}" if precedence == NAME else f"!({text})", SIGN
        if choice == 5:
            parts = [self.write_value(depth - 1, OR) for _ in range(3)]
            return f"{parts[0]} ? {parts[1]} : {parts[2]}", CHOICE
        if choice == 6 and self.own:
            sign = self.choose("=", "&=", "|=", "^=")
            return f"{self.random.choice(self.own)} {sign} {self.write_value(depth - 1)}", ASSIGNED
        sign = self.choose(*OPERATORS)
        # Operators of different kinds are not mixed without parentheses.
        left, right = (self.write_value(depth - 1, EQUAL + 1) for _ in range(2))
        return f"{left} {sign} {right}", OPERATORS[sign]

    def write_declaration(self, final: bool = False) -> str:
        self.count += 1
        name = f"v{self.count}"
        text = f"boolean {name} = {self.write_value()};"
        self.names.append(name)
        if not final:
            self.own.append(name)
        return text

    def write_block(self, depth: int) -> str:
        names, own = list(self.names), list(self.own)
        text = " ".join(self.write_statement(depth) for _ in range(self.random.randrange(1, 4)))
        self.names, self.own = names, own
        return f"{{ {text} }}"

    def write_statement(self, depth: int) -> str:
        self.count += 1
        choice = self.random.randrange(14 if depth else 6)
        if choice < 2:
            return self.write_declaration()
        if choice < 4 and self.own:
            sign = self.choose("=", "=", "&=", "|=", "^=")
            return f"{self.random.choice(self.own)} {sign} {self.write_value()};"
        if choice < 6:
            return f"LOG.append({self.write_value(2)});"
        if choice < 8:
            return (
                f"if ({self.write_value()}) {self.write_block(depth - 1)} else "
                f"{self.write_block(depth - 1)}"
            )
        if choice == 8:
            return (
                f"while (n++ < 20 && {self.write_value(2, AND + 1)}) {self.write_block(depth - 1)}"
            )
        if choice == 9:
            return (
                f"do {self.write_block(depth - 1)} while (n++ < 20 && "
                f"{self.write_value(2, AND + 1)});"
            )
        if choice == 10:
            return (
                f"for (; n++ < 20 & {self.write_value(2, BITS + 1)}; ) "
                f"{self.write_block(depth - 1)}"
            )
        if choice == 11:
            return (
                f"try {{ boom({self.write_value()}); }} catch (IllegalStateException "
                f"e{self.count}) "
                f"{self.write_block(depth - 1)} finally {self.write_block(depth - 1)}"
            )
        if choice == 12 and self.own:
            own = self.random.choice(self.own)
            return f"switch (n % 2) {{ case 0 -> {own} = {self.write_value()}; default -> {{}} }}"
        results = [self.write_value(2) for _ in range(2)]
        first = self.write_declaration(final=True)
        n = self.count
        return (
            f"{first} boolean w{n} = switch (n % 3) {{ case 0 -> {results[0]}; "
            f"case 1 -> {{ yield {results[1]}; }} default -> v{n}; }}; "
            f"BooleanSupplier s{n} = () -> v{n} ^ w{n}; LOG.append(s{n}.getAsBoolean());"
        )

    def write_method(self) -> str:
        declarations = [self.write_declaration() for _ in range(3)]
        body = [self.write_statement(2) for _ in range(8)]
        result = ' + "" + '.join(self.names)
        return " ".join([*declarations, *body, f"return {result};"])


def make_program(seed: int) -> str:
    return f"""
        import java.util.function.*;
        public class T {{
          static final StringBuilder LOG = new StringBuilder();
          static boolean say(int n, boolean b) {{ LOG.append(n).append(b); return b; }}
          static void boom(boolean b) {{ if (b) throw new IllegalStateException(); }}
          static String f(boolean p, boolean q) {{
            int n = 0; {MethodGenerator(seed).write_method()} }}
          public static void run(java.io.PrintStream out) {{
            for (int n = 0; n < 4; n++) out.println(f(n < 2, n % 2 == 0));
            out.println(LOG);
          }}
        }}
        """


def iterate_locations(source: bytes) -> Iterator[tuple[Code, Location]]:
    code = code_of(JavaFile(source))
    for place, _ in code.methods_with_body:
        for location in TRANSFORM.find_locations(code, place, 0):
            yield code, location


def exchange(source: bytes, *chosen_ids: tuple[int, str]) -> bytes:
    """Return the text with these locations changed, given by method and id; by default all."""
    code_and_locations = [
        (code, location)
        for code, location in iterate_locations(source)
        if not chosen_ids or (location.method, location.id) in chosen_ids
    ]
    code = code_and_locations[0][0]
    chosen = [location for _, location in code_and_locations if not location.refused]
    assert len(chosen) == len(chosen_ids) or not chosen_ids
    return apply_edits(source, flatten_rewrites(source, TRANSFORM.make_rewrites(code, chosen)))


def test_variants_of_generated_programs_keep_behaviour(tmp_path: Path) -> None:
    cases = [Case(f"seed {seed}", make_program(seed)) for seed in range(12)]
    assert run_all_variants(TRANSFORM, cases, tmp_path) > 100


@pytest.mark.parametrize("seed", range(100))
def test_exchanging_twice_restores_generated_programs(seed: int) -> None:
    source = make_program(seed).encode()
    for _, location in iterate_locations(source):
        assert not location.refused
        once = exchange(source, (location.method, location.id))
        assert once != source
        assert exchange(once, (location.method, location.id)) == source, location.id
    assert exchange(exchange(source)) == source


def test_exchanging_twice_restores_examples() -> None:
    """Calls of another file's method are exceptions: they need a cast."""
    restored_count, cast = 0, []
    for file in EXAMPLES:
        source = file.read_bytes()
        for _, location in iterate_locations(source):
            if location.refused:
                continue
            once = exchange(source, (location.method, location.id))
            again = exchange(once, (location.method, location.id))
            if again != source:
                assert again.replace(b"(boolean) ", b"") == source
                cast.append(location.id)
            restored_count += 1
    assert cast == ["boolean:matches:0", "boolean:toTheRight:0"]
    assert restored_count == 26
