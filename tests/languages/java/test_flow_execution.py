"""Tests of last uses and last writes against executions. The oracle is the JVM.

Generated programs log each access to their variables. Each observed pair of an occurrence and the
last use or last write before it must be among the pairs of the analysis.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeacumen.languages.java.flow.graph import build_flow
from codeacumen.languages.java.syntax.file import JavaFile
from javac import JAVA, JAVAC

METHODS, RUNS = 150, 300


@dataclass(frozen=True)
class Code:
    """A piece of a program in two versions: one is analysed, the other runs.

    An occurrence of a variable carries its number in the first, and calls the log in the second.
    """

    plain: str
    logged: str

    def __add__(self, other: Code | str) -> Code:
        if isinstance(other, str):
            other = Code(other, other)
        return Code(self.plain + other.plain, self.logged + other.logged)

    def __radd__(self, other: str) -> Code:
        return Code(other, other) + self


def join_code(pieces: list[Code]) -> Code:
    return Code("".join(p.plain for p in pieces), "".join(p.logged for p in pieces))


@dataclass(frozen=True)
class Variable:
    number: int
    boxed: bool = False
    fixed: bool = False

    @property
    def name(self) -> str:
        return f"v{self.number}"


@dataclass(frozen=True)
class Scope:
    """Context of a piece of code: variables, enclosing loops, the name of the log, and the return
    statement that is allowed, if any."""

    variables: tuple[Variable, ...] = ()
    loops: tuple[str, ...] = ()
    breakable: bool = False
    log: str = "l0"
    returns: str = "return;"
    depth: int = 0

    def replace_fields(self, **changes: object) -> Scope:
        return Scope(**{**self.__dict__, **changes})  # type: ignore[arg-type]


@dataclass
class Generator:
    rng: random.Random
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    variables: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    names: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))

    def mark_occurrence(self, variable: Variable) -> tuple[str, int]:
        number = next(self.numbers)
        return f"\x01{number}\x02{variable.name}", number

    def generate_declaration(
        self, scope: Scope, value: Code, **traits: bool
    ) -> tuple[Variable, Code]:
        variable = Variable(next(self.variables), **traits)
        plain, number = self.mark_occurrence(variable)
        type_ = "Integer" if variable.boxed else "int"
        call = f"{scope.log}.bind({variable.number}, {number}, {value.logged})"
        return variable, Code(
            f"{type_} {plain} = {value.plain};", f"{type_} {variable.name} = {call};"
        )

    # Expressions.

    def generate_integer(self, scope: Scope, depth: int = 0) -> Code:
        kinds = [self.generate_literal, self.generate_read, self.generate_read, self.generate_call]
        if depth < 2:
            kinds += [
                self.generate_binary,
                self.generate_ternary,
                self.generate_assignment,
                self.generate_assignment,
                self.generate_update,
                self.generate_array_element,
                self.generate_switch_expression,
                self.generate_lambda,
            ]
        return self.rng.choice(kinds)(scope, depth + 1)

    def generate_literal(self, scope: Scope, depth: int) -> Code:
        return "" + Code(*[str(self.rng.randrange(4))] * 2)

    def generate_read(self, scope: Scope, depth: int) -> Code:
        if not scope.variables:
            return self.generate_literal(scope, depth)
        variable = self.rng.choice(scope.variables)
        plain, number = self.mark_occurrence(variable)
        return Code(plain, f"{scope.log}.read({variable.number}, {number}, {variable.name})")

    def generate_call(self, scope: Scope, depth: int) -> Code:
        if depth > 3 or self.rng.random() < 0.5:
            return Code("f()", "f()")
        return (
            "g("
            + self.generate_integer(scope, depth)
            + ", "
            + self.generate_integer(scope, depth)
            + ")"
        )

    def generate_binary(self, scope: Scope, depth: int) -> Code:
        operator = self.rng.choice("+-*/%")
        left, right = self.generate_integer(scope, depth), self.generate_integer(scope, depth)
        return "(" + left + f" {operator} " + right + ")"

    def generate_ternary(self, scope: Scope, depth: int) -> Code:
        condition = self.generate_condition(scope, depth)
        return (
            "("
            + condition
            + " ? "
            + self.generate_integer(scope, depth)
            + " : "
            + self.generate_integer(scope, depth)
            + ")"
        )

    def choose_assignable(self, scope: Scope) -> Variable | None:
        free = [v for v in scope.variables if not v.fixed and not v.boxed]
        return self.rng.choice(free) if free else None

    def generate_plain_assignment(self, scope: Scope, variable: Variable, depth: int) -> Code:
        plain, number = self.mark_occurrence(variable)
        value = self.generate_integer(scope, depth)
        logged_write = f"{scope.log}.write({variable.number}, {number}, {value.logged})"
        return Code(f"{plain} = {value.plain}", f"{variable.name} = {logged_write}")

    def generate_compound_assignment(self, scope: Scope, variable: Variable, depth: int) -> Code:
        plain, number = self.mark_occurrence(variable)
        operator = self.rng.choice("+-*/")
        value = self.generate_integer(scope, depth)
        arguments = f"{variable.number}, {number}"
        read = f"{scope.log}.read({arguments}, {variable.name})"
        logged_write = f"{scope.log}.write({arguments}, {read} {operator} ({value.logged}))"
        return Code(f"{plain} {operator}= {value.plain}", f"{variable.name} = {logged_write}")

    def generate_increment(self, scope: Scope, variable: Variable, is_postfix: bool) -> Code:
        plain, number = self.mark_occurrence(variable)
        arguments = f"{variable.number}, {number}"
        read = f"{scope.log}.read({arguments}, {variable.name})"
        logged_write = f"{variable.name} = {scope.log}.write({arguments}, {read} + 1)"
        return Code(f"{plain}++" if is_postfix else f"++{plain}", logged_write)

    def generate_assignment(self, scope: Scope, depth: int) -> Code:
        variable = self.choose_assignable(scope)
        if variable is None:
            return self.generate_literal(scope, depth)
        kind = self.rng.choice([self.generate_plain_assignment, self.generate_compound_assignment])
        return "(" + kind(scope, variable, depth) + ")"

    def generate_update(self, scope: Scope, depth: int) -> Code:
        variable = self.choose_assignable(scope)
        if variable is None:
            return self.generate_literal(scope, depth)
        is_postfix = self.rng.random() < 0.5
        code = self.generate_increment(scope, variable, is_postfix)
        return Code(f"({code.plain})", f"(({code.logged}) {'- 1' if is_postfix else ''})")

    def generate_array_element(self, scope: Scope, depth: int) -> Code:
        return "array()[" + self.generate_integer(scope, depth) + "]"

    def generate_switch_expression(self, scope: Scope, depth: int) -> Code:
        inner = scope.replace_fields(loops=(), breakable=False, returns="", depth=scope.depth + 2)
        block = self.generate_block(inner, 2)
        return (
            "switch ("
            + self.generate_integer(scope, depth)
            + ") { case 0 -> "
            + self.generate_integer(inner, depth)
            + "; case 1, 2 -> { "
            + block[1]
            + "yield 0 + "
            + self.generate_integer(block[0], depth)
            + "; } default -> "
            + self.generate_integer(inner, depth)
            + "; }"
        )

    def generate_lambda(self, scope: Scope, depth: int) -> Code:
        """Generate a call with a lambda, which reads only final variables and has its own log."""
        log = f"l{next(self.names)}x"
        inner = scope.replace_fields(
            variables=tuple(v for v in scope.variables if v.fixed),
            loops=(),
            breakable=False,
            log=log,
            returns="return 1;",
            depth=scope.depth + 2,
        )
        scope, block = self.generate_block(inner, 2)
        opening = Code("", f"FlowLog {log} = new FlowLog(); ")
        return (
            "run(() -> { "
            + opening
            + block
            + "return "
            + self.generate_integer(scope, depth)
            + "; })"
        )

    def generate_condition(self, scope: Scope, depth: int = 0) -> Code:
        kind = self.rng.randrange(6 if depth < 2 else 2)
        if kind == 0:
            return Code("p()", "p()")
        if kind == 1:
            # A constant would make javac reject code as unreachable.
            return "(f() < " + self.generate_integer(scope, depth + 1) + ")"
        left, right = (
            self.generate_condition(scope, depth + 1),
            self.generate_condition(scope, depth + 1),
        )
        if kind == 2:
            return "(" + left + " && " + right + ")"
        if kind == 3:
            return "(" + left + " || " + right + ")"
        if kind == 4:
            return "!(" + left + ")"
        return "(" + left + " ? " + right + " : " + self.generate_condition(scope, depth + 1) + ")"

    # Statements.

    def generate_block(self, scope: Scope, length: int = 4) -> tuple[Scope, Code]:
        """Generate a sequence of statements and return it after the scope at its end."""
        pieces: list[Code] = []
        for _ in range(self.rng.randint(1, length)):
            scope, piece = self.generate_statement(scope)
            pieces.append(piece + "\n")
        return scope, join_code(pieces)

    def generate_body(self, scope: Scope) -> Code:
        inner = self.generate_block(scope.replace_fields(depth=scope.depth + 1), 2)[1]
        return "{\n" + inner + "}"

    def generate_statement(self, scope: Scope) -> tuple[Scope, Code]:
        kinds = [
            self.generate_local,
            self.generate_expression_statement,
            self.generate_expression_statement,
            self.generate_jump,
        ]
        if scope.depth < 3:
            kinds += [
                self.generate_if,
                self.generate_while,
                self.generate_do,
                self.generate_for,
                self.generate_foreach,
                self.generate_switch,
                self.generate_try,
                self.generate_endless_loop,
                self.generate_pattern_match,
                self.generate_uninitialised_local,
                self.generate_labelled_loop,
                self.generate_try_with_resource,
            ]
        return self.rng.choice(kinds)(scope)

    def generate_local(self, scope: Scope) -> tuple[Scope, Code]:
        if self.rng.random() < 0.2:
            variable, code = self.generate_declaration(
                scope, Code("box()", "box()"), boxed=True, fixed=True
            )
        else:
            fixed = self.rng.random() < 0.3
            variable, code = self.generate_declaration(
                scope, self.generate_integer(scope), fixed=fixed
            )
        return scope.replace_fields(variables=(*scope.variables, variable)), code

    def generate_uninitialised_local(self, scope: Scope) -> tuple[Scope, Code]:
        variable = Variable(next(self.variables))
        plain, number = self.mark_occurrence(variable)
        log = f"{scope.log}.declare({variable.number}, {number});"
        declared = Code(f"int {plain};", f"int {variable.name}; {log}")
        test = self.generate_condition(scope)
        first, second = (self.generate_plain_assignment(scope, variable, 2) for _ in range(2))
        code = declared + " if (" + test + ") " + first + "; else " + second + ";"
        return scope.replace_fields(variables=(*scope.variables, variable)), code

    def generate_expression_statement(self, scope: Scope) -> tuple[Scope, Code]:
        variable = self.choose_assignable(scope)
        if variable is None or self.rng.random() < 0.3:
            return scope, self.generate_call(scope, 0) + ";"
        kind = self.rng.randrange(3)
        if kind == 0:
            return scope, self.generate_plain_assignment(scope, variable, 0) + ";"
        if kind == 1:
            return scope, self.generate_compound_assignment(scope, variable, 0) + ";"
        return scope, self.generate_increment(scope, variable, self.rng.random() < 0.5) + ";"

    def generate_jump(self, scope: Scope) -> tuple[Scope, Code]:
        jumps = ["throw new Left();"]
        jumps += [scope.returns] if scope.returns else []
        jumps += ["break;"] if scope.breakable else []
        jumps += ["continue;"] if scope.loops else []
        jumps += [
            f"{jump} {name};" for name in scope.loops if name for jump in ("break", "continue")
        ]
        return scope, "if (" + self.generate_condition(scope, 1) + ") " + self.rng.choice(jumps)

    def generate_if(self, scope: Scope) -> tuple[Scope, Code]:
        code = "if (" + self.generate_condition(scope) + ") " + self.generate_body(scope)
        if self.rng.random() < 0.5:
            code = code + " else " + self.generate_body(scope)
        return scope, code

    def generate_pattern_match(self, scope: Scope) -> tuple[Scope, Code]:
        variable = Variable(next(self.variables), boxed=True, fixed=True)
        plain, number = self.mark_occurrence(variable)
        bound = f"{scope.log}.bind({variable.number}, {number})"
        inner = scope.replace_fields(variables=(*scope.variables, variable))
        test = Code(
            f"o() instanceof Integer {plain}", f"o() instanceof Integer {variable.name} && {bound}"
        )
        return scope, (
            "if ("
            + test
            + " && "
            + self.generate_condition(inner)
            + ") "
            + self.generate_body(inner)
            + " else "
            + self.generate_body(scope)
        )

    def enter_loop(self, scope: Scope, name: str = "") -> Scope:
        return scope.replace_fields(loops=(*scope.loops, name), breakable=True)

    def generate_while(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        inner = self.enter_loop(scope, name)
        return scope, "while (" + self.generate_condition(scope) + ") " + self.generate_body(inner)

    def generate_do(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        inner = self.enter_loop(scope, name)
        return scope, "do " + self.generate_body(inner) + " while (" + self.generate_condition(
            scope
        ) + ");"

    def generate_endless_loop(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        inner = self.enter_loop(scope, name)
        opening = self.rng.choice(["for (;;)", "while (true)"])
        block = self.generate_block(inner.replace_fields(depth=scope.depth + 1), 2)[1]
        return scope, f"{opening} {{ if (p()) break;\n" + block + "}"

    def generate_for(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        variable, first = self.generate_declaration(scope, self.generate_integer(scope, 2))
        inner = scope.replace_fields(variables=(*scope.variables, variable))
        condition = self.generate_condition(inner)
        step = self.generate_increment(inner, variable, self.rng.random() < 0.5)
        body = self.generate_body(self.enter_loop(inner, name))
        return scope, "for (" + first + " " + condition + "; " + step + ") " + body

    def generate_foreach(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        variable = Variable(next(self.variables))
        plain, number = self.mark_occurrence(variable)
        inner = self.enter_loop(scope.replace_fields(variables=(*scope.variables, variable)), name)
        head = Code(f"for (int {plain} : array())", f"for (int {variable.name} : array())")
        bound = Code("", f"{scope.log}.bind({variable.number}, {number});")
        block = self.generate_block(inner.replace_fields(depth=scope.depth + 1), 2)[1]
        return scope, head + " { " + bound + block + "}"

    def generate_labelled_loop(self, scope: Scope) -> tuple[Scope, Code]:
        name = f"n{next(self.names)}"
        kind = self.rng.choice(
            [
                self.generate_while,
                self.generate_do,
                self.generate_for,
                self.generate_foreach,
                self.generate_endless_loop,
            ]
        )
        return scope, f"{name}: " + kind(scope, name)[1]

    def generate_switch(self, scope: Scope) -> tuple[Scope, Code]:
        inner = scope.replace_fields(breakable=True, depth=scope.depth + 1)
        if self.rng.random() < 0.3:
            arms = [
                f"case {label} -> " + self.generate_body(inner)
                for label in range(self.rng.randint(1, 3))
            ]
        else:
            arms = []
            for label in range(self.rng.randint(1, 4)):
                code = (
                    f"case {label}: "
                    + self.generate_block(inner.replace_fields(variables=scope.variables), 2)[1]
                )
                arms.append(code + ("break;\n" if self.rng.random() < 0.5 else ""))
            if self.rng.random() < 0.5:
                position = self.rng.randint(0, len(arms))
                arms.insert(position, "default: " + self.generate_block(inner, 2)[1])
        return scope, "switch (" + self.generate_integer(scope) + ") {\n" + join_code(arms) + "}"

    def generate_try(self, scope: Scope) -> tuple[Scope, Code]:
        code = "try " + self.generate_body(scope)
        exceptions = ("Left", "Right", "ArithmeticException")
        catches = self.rng.sample(exceptions, self.rng.randint(0, 2))
        for caught in catches:
            code = code + f" catch ({caught} e{next(self.names)}) " + self.generate_body(scope)
        if not catches or self.rng.random() < 0.6:
            # A jump out of finally would swallow the error that ends a run without fuel.
            without_jumps = scope.replace_fields(loops=(), breakable=False, returns="")
            code = code + " finally " + self.generate_body(without_jumps)
        return scope, code

    def generate_try_with_resource(self, scope: Scope) -> tuple[Scope, Code]:
        name = f"r{next(self.names)}"
        head = f"try (Resource {name} = open(" + self.generate_integer(scope, 2) + ")) "
        caught = f" catch (Left e{next(self.names)}) " + self.generate_body(scope)
        return scope, head + self.generate_body(scope) + caught

    def generate_method(self, name: str) -> Code:
        scope = Scope()
        parameters = [Variable(next(self.variables), fixed=index == 0) for index in range(2)]
        occurrences = [self.mark_occurrence(variable) for variable in parameters]
        plain = ", ".join(f"int {text}" for text, _ in occurrences)
        logged = ", ".join(f"int {variable.name}" for variable in parameters)
        bound = " ".join(
            f"l0.bind({variable.number}, {number});"
            for variable, (_, number) in zip(parameters, occurrences, strict=True)
        )
        _, block = self.generate_block(scope.replace_fields(variables=tuple(parameters)), 5)
        head = Code(
            f"static void {name}({plain}) {{\n",
            f"static void {name}({logged}) {{ FlowLog l0 = new FlowLog(); {bound}\n",
        )
        return head + block + "}\n"


MAIN = """
    public static void main(String[] arguments) {
        for (int run = 0; run < %d; run++) {
            random = new java.util.Random(run);
%s
        }
        observed.forEach(System.out::println);
    }
"""


def generate_program(seed: int) -> tuple[str, str]:
    """Return the text for the analysis, with marked occurrences, and the text that runs."""
    generator = Generator(random.Random(seed))
    code = join_code([generator.generate_method(f"m{index}") + "\n" for index in range(METHODS)])
    calls = "\n".join(
        f"try {{ fuel = 300; m{index}(run, 1); }} catch (Throwable e) {{ }}"
        for index in range(METHODS)
    )
    plain = f"class Generated {{\n{code.plain}}}\n"
    main = MAIN % (RUNS, calls)
    return plain, f"public class Generated extends FlowLog {{\n{code.logged}{main}}}\n"


def run_and_observe(folder: Path, text: str) -> set[tuple[str, int, int]]:
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: running the programs is the oracle")
    (folder / "Generated.java").write_text(text)
    log = Path(__file__).with_name("FlowLog.java")
    compilation = subprocess.run(
        [javac, *JAVAC, "-nowarn", "-d", str(folder), str(log), str(folder / "Generated.java")],
        capture_output=True,
        text=True,
    )
    assert compilation.returncode == 0, compilation.stderr[:2000]
    lines = subprocess.run(
        [java, *JAVA, "-cp", str(folder), "Generated"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    rows = (line.split() for line in lines)
    return {(kind, int(later), int(earlier)) for kind, later, earlier in rows}


def analyse_marked_source(marked: str) -> tuple[set[tuple[str, int, int]], str]:
    pieces = re.split("\x01(\\d+)\x02", marked)
    number_at: dict[int, int] = {}
    source = pieces[0]
    for occurrence_number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        number_at[len(source)] = int(occurrence_number)
        source += piece
    file = JavaFile(source.encode())
    assert not file.syntax.broken
    file_flow = build_flow(file)
    start = file.syntax.start

    def occurrence_number(point: int) -> int:
        return number_at[int(start[file_flow.node[point]])]

    return {
        (kind, occurrence_number(point), occurrence_number(earlier))
        for kind, pairs in (("use", file_flow.last_use), ("write", file_flow.last_write))
        for point, earlier in pairs.tolist()
        if earlier >= 0
    }, source


def test_executed_pairs_are_among_the_analysed_pairs(tmp_path: Path) -> None:
    plain, logged = generate_program(seed=1)
    observed_pairs = run_and_observe(tmp_path, logged)
    analysed_pairs, source = analyse_marked_source(plain)
    assert observed_pairs - analysed_pairs == set(), source
    # Guard against a test that observes too little.
    assert len(observed_pairs) > 5_000
