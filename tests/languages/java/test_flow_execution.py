"""Oracle: the virtual machine. Generated programs log what they really do to their variables;
whatever one occurrence follows, or whichever write it sees, must be among what we say may be.
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

from codeacumen.languages.java.flow.graph import flow
from codeacumen.languages.java.syntax.file import JavaFile
from javac import JAVA, JAVAC

METHODS, RUNS = 150, 300


@dataclass(frozen=True)
class Code:
    """A piece of a program, as it is analysed and as it is run. In the first an occurrence is
    marked by its number; in the second it is a call to the log."""

    plain: str
    logged: str

    def __add__(self, other: Code | str) -> Code:
        if isinstance(other, str):
            other = Code(other, other)
        return Code(self.plain + other.plain, self.logged + other.logged)

    def __radd__(self, other: str) -> Code:
        return Code(other, other) + self


def joined(pieces: list[Code]) -> Code:
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
    """What stands around a piece: variables, loops that may be left, the log's name, and whether
    ``return`` and ``yield`` are allowed."""

    variables: tuple[Variable, ...] = ()
    loops: tuple[str, ...] = ()
    breakable: bool = False
    log: str = "l0"
    returns: str = "return;"
    depth: int = 0

    def with_(self, **changes: object) -> Scope:
        return Scope(**{**self.__dict__, **changes})  # type: ignore[arg-type]


@dataclass
class Generator:
    chance: random.Random
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    variables: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    names: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))

    def occurrence(self, variable: Variable) -> tuple[str, int]:
        number = next(self.numbers)
        return f"\x01{number}\x02{variable.name}", number

    def declare(self, scope: Scope, value: Code, **traits: bool) -> tuple[Variable, Code]:
        variable = Variable(next(self.variables), **traits)
        plain, number = self.occurrence(variable)
        type_ = "Integer" if variable.boxed else "int"
        call = f"{scope.log}.bind({variable.number}, {number}, {value.logged})"
        return variable, Code(
            f"{type_} {plain} = {value.plain};", f"{type_} {variable.name} = {call};"
        )

    # Expressions.

    def integer(self, scope: Scope, depth: int = 0) -> Code:
        kinds = [self.literal, self.read, self.read, self.call]
        if depth < 2:
            kinds += [
                self.binary,
                self.ternary,
                self.assign,
                self.assign,
                self.update,
                self.element,
                self.choice,
                self.deferred,
            ]
        return self.chance.choice(kinds)(scope, depth + 1)

    def literal(self, scope: Scope, depth: int) -> Code:
        return "" + Code(*[str(self.chance.randrange(4))] * 2)

    def read(self, scope: Scope, depth: int) -> Code:
        if not scope.variables:
            return self.literal(scope, depth)
        variable = self.chance.choice(scope.variables)
        plain, number = self.occurrence(variable)
        return Code(plain, f"{scope.log}.read({variable.number}, {number}, {variable.name})")

    def call(self, scope: Scope, depth: int) -> Code:
        if depth > 3 or self.chance.random() < 0.5:
            return Code("f()", "f()")
        return "g(" + self.integer(scope, depth) + ", " + self.integer(scope, depth) + ")"

    def binary(self, scope: Scope, depth: int) -> Code:
        operator = self.chance.choice("+-*/%")
        left, right = self.integer(scope, depth), self.integer(scope, depth)
        return "(" + left + f" {operator} " + right + ")"

    def ternary(self, scope: Scope, depth: int) -> Code:
        condition = self.condition(scope, depth)
        return (
            "("
            + condition
            + " ? "
            + self.integer(scope, depth)
            + " : "
            + self.integer(scope, depth)
            + ")"
        )

    def changed(self, scope: Scope) -> Variable | None:
        free = [v for v in scope.variables if not v.fixed and not v.boxed]
        return self.chance.choice(free) if free else None

    def assignment(self, scope: Scope, variable: Variable, depth: int) -> Code:
        plain, number = self.occurrence(variable)
        value = self.integer(scope, depth)
        written = f"{scope.log}.write({variable.number}, {number}, {value.logged})"
        return Code(f"{plain} = {value.plain}", f"{variable.name} = {written}")

    def compounded(self, scope: Scope, variable: Variable, depth: int) -> Code:
        plain, number = self.occurrence(variable)
        operator = self.chance.choice("+-*/")
        value = self.integer(scope, depth)
        place = f"{variable.number}, {number}"
        read = f"{scope.log}.read({place}, {variable.name})"
        written = f"{scope.log}.write({place}, {read} {operator} ({value.logged}))"
        return Code(f"{plain} {operator}= {value.plain}", f"{variable.name} = {written}")

    def increment(self, scope: Scope, variable: Variable, after: bool) -> Code:
        plain, number = self.occurrence(variable)
        place = f"{variable.number}, {number}"
        read = f"{scope.log}.read({place}, {variable.name})"
        written = f"{variable.name} = {scope.log}.write({place}, {read} + 1)"
        return Code(f"{plain}++" if after else f"++{plain}", written)

    def assign(self, scope: Scope, depth: int) -> Code:
        variable = self.changed(scope)
        if variable is None:
            return self.literal(scope, depth)
        kind = self.chance.choice([self.assignment, self.compounded])
        return "(" + kind(scope, variable, depth) + ")"

    def update(self, scope: Scope, depth: int) -> Code:
        variable = self.changed(scope)
        if variable is None:
            return self.literal(scope, depth)
        after = self.chance.random() < 0.5
        code = self.increment(scope, variable, after)
        return Code(f"({code.plain})", f"(({code.logged}) {'- 1' if after else ''})")

    def element(self, scope: Scope, depth: int) -> Code:
        return "array()[" + self.integer(scope, depth) + "]"

    def choice(self, scope: Scope, depth: int) -> Code:
        inner = scope.with_(loops=(), breakable=False, returns="", depth=scope.depth + 2)
        block = self.block(inner, 2)
        return (
            "switch ("
            + self.integer(scope, depth)
            + ") { case 0 -> "
            + self.integer(inner, depth)
            + "; case 1, 2 -> { "
            + block[1]
            + "yield 0 + "
            + self.integer(block[0], depth)
            + "; } default -> "
            + self.integer(inner, depth)
            + "; }"
        )

    def deferred(self, scope: Scope, depth: int) -> Code:
        """A lambda: it may only read what never changes, and has a log of its own."""
        log = f"l{next(self.names)}x"
        inner = scope.with_(
            variables=tuple(v for v in scope.variables if v.fixed),
            loops=(),
            breakable=False,
            log=log,
            returns="return 1;",
            depth=scope.depth + 2,
        )
        scope, block = self.block(inner, 2)
        opening = Code("", f"FlowLog {log} = new FlowLog(); ")
        return "run(() -> { " + opening + block + "return " + self.integer(scope, depth) + "; })"

    def condition(self, scope: Scope, depth: int = 0) -> Code:
        kind = self.chance.randrange(6 if depth < 2 else 2)
        if kind == 0:
            return Code("p()", "p()")
        if kind == 1:
            # Not constant: javac would find code that is never reached.
            return "(f() < " + self.integer(scope, depth + 1) + ")"
        left, right = self.condition(scope, depth + 1), self.condition(scope, depth + 1)
        if kind == 2:
            return "(" + left + " && " + right + ")"
        if kind == 3:
            return "(" + left + " || " + right + ")"
        if kind == 4:
            return "!(" + left + ")"
        return "(" + left + " ? " + right + " : " + self.condition(scope, depth + 1) + ")"

    # Statements.

    def block(self, scope: Scope, length: int = 4) -> tuple[Scope, Code]:
        """Statements one after the other, and the scope at their end."""
        pieces: list[Code] = []
        for _ in range(self.chance.randint(1, length)):
            scope, piece = self.statement(scope)
            pieces.append(piece + "\n")
        return scope, joined(pieces)

    def body(self, scope: Scope) -> Code:
        inner = self.block(scope.with_(depth=scope.depth + 1), 2)[1]
        return "{\n" + inner + "}"

    def statement(self, scope: Scope) -> tuple[Scope, Code]:
        kinds = [self.local, self.expression, self.expression, self.leave]
        if scope.depth < 3:
            kinds += [
                self.if_,
                self.while_,
                self.do,
                self.for_,
                self.foreach,
                self.switch,
                self.try_,
                self.forever,
                self.matched,
                self.uninitialised,
                self.named,
                self.resource,
            ]
        return self.chance.choice(kinds)(scope)

    def local(self, scope: Scope) -> tuple[Scope, Code]:
        if self.chance.random() < 0.2:
            variable, code = self.declare(scope, Code("box()", "box()"), boxed=True, fixed=True)
        else:
            fixed = self.chance.random() < 0.3
            variable, code = self.declare(scope, self.integer(scope), fixed=fixed)
        return scope.with_(variables=(*scope.variables, variable)), code

    def uninitialised(self, scope: Scope) -> tuple[Scope, Code]:
        variable = Variable(next(self.variables))
        plain, number = self.occurrence(variable)
        log = f"{scope.log}.declare({variable.number}, {number});"
        declared = Code(f"int {plain};", f"int {variable.name}; {log}")
        test = self.condition(scope)
        first, second = (self.assignment(scope, variable, 2) for _ in range(2))
        code = declared + " if (" + test + ") " + first + "; else " + second + ";"
        return scope.with_(variables=(*scope.variables, variable)), code

    def expression(self, scope: Scope) -> tuple[Scope, Code]:
        variable = self.changed(scope)
        if variable is None or self.chance.random() < 0.3:
            return scope, self.call(scope, 0) + ";"
        kind = self.chance.randrange(3)
        if kind == 0:
            return scope, self.assignment(scope, variable, 0) + ";"
        if kind == 1:
            return scope, self.compounded(scope, variable, 0) + ";"
        return scope, self.increment(scope, variable, self.chance.random() < 0.5) + ";"

    def leave(self, scope: Scope) -> tuple[Scope, Code]:
        ways = ["throw new Left();"]
        ways += [scope.returns] if scope.returns else []
        ways += ["break;"] if scope.breakable else []
        ways += ["continue;"] if scope.loops else []
        ways += [
            f"{jump} {name};" for name in scope.loops if name for jump in ("break", "continue")
        ]
        return scope, "if (" + self.condition(scope, 1) + ") " + self.chance.choice(ways)

    def if_(self, scope: Scope) -> tuple[Scope, Code]:
        code = "if (" + self.condition(scope) + ") " + self.body(scope)
        if self.chance.random() < 0.5:
            code = code + " else " + self.body(scope)
        return scope, code

    def matched(self, scope: Scope) -> tuple[Scope, Code]:
        variable = Variable(next(self.variables), boxed=True, fixed=True)
        plain, number = self.occurrence(variable)
        bound = f"{scope.log}.bind({variable.number}, {number})"
        inner = scope.with_(variables=(*scope.variables, variable))
        test = Code(
            f"o() instanceof Integer {plain}", f"o() instanceof Integer {variable.name} && {bound}"
        )
        return scope, (
            "if ("
            + test
            + " && "
            + self.condition(inner)
            + ") "
            + self.body(inner)
            + " else "
            + self.body(scope)
        )

    def in_loop(self, scope: Scope, name: str = "") -> Scope:
        return scope.with_(loops=(*scope.loops, name), breakable=True)

    def while_(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        inner = self.in_loop(scope, name)
        return scope, "while (" + self.condition(scope) + ") " + self.body(inner)

    def do(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        inner = self.in_loop(scope, name)
        return scope, "do " + self.body(inner) + " while (" + self.condition(scope) + ");"

    def forever(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        inner = self.in_loop(scope, name)
        opening = self.chance.choice(["for (;;)", "while (true)"])
        block = self.block(inner.with_(depth=scope.depth + 1), 2)[1]
        return scope, f"{opening} {{ if (p()) break;\n" + block + "}"

    def for_(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        variable, first = self.declare(scope, self.integer(scope, 2))
        inner = scope.with_(variables=(*scope.variables, variable))
        condition = self.condition(inner)
        step = self.increment(inner, variable, self.chance.random() < 0.5)
        body = self.body(self.in_loop(inner, name))
        return scope, "for (" + first + " " + condition + "; " + step + ") " + body

    def foreach(self, scope: Scope, name: str = "") -> tuple[Scope, Code]:
        variable = Variable(next(self.variables))
        plain, number = self.occurrence(variable)
        inner = self.in_loop(scope.with_(variables=(*scope.variables, variable)), name)
        head = Code(f"for (int {plain} : array())", f"for (int {variable.name} : array())")
        bound = Code("", f"{scope.log}.bind({variable.number}, {number});")
        block = self.block(inner.with_(depth=scope.depth + 1), 2)[1]
        return scope, head + " { " + bound + block + "}"

    def named(self, scope: Scope) -> tuple[Scope, Code]:
        name = f"n{next(self.names)}"
        kind = self.chance.choice([self.while_, self.do, self.for_, self.foreach, self.forever])
        return scope, f"{name}: " + kind(scope, name)[1]

    def switch(self, scope: Scope) -> tuple[Scope, Code]:
        inner = scope.with_(breakable=True, depth=scope.depth + 1)
        if self.chance.random() < 0.3:
            arms = [f"case {at} -> " + self.body(inner) for at in range(self.chance.randint(1, 3))]
        else:
            arms = []
            for at in range(self.chance.randint(1, 4)):
                code = f"case {at}: " + self.block(inner.with_(variables=scope.variables), 2)[1]
                arms.append(code + ("break;\n" if self.chance.random() < 0.5 else ""))
            if self.chance.random() < 0.5:
                place = self.chance.randint(0, len(arms))
                arms.insert(place, "default: " + self.block(inner, 2)[1])
        return scope, "switch (" + self.integer(scope) + ") {\n" + joined(arms) + "}"

    def try_(self, scope: Scope) -> tuple[Scope, Code]:
        code = "try " + self.body(scope)
        exceptions = ("Left", "Right", "ArithmeticException")
        catches = self.chance.sample(exceptions, self.chance.randint(0, 2))
        for caught in catches:
            code = code + f" catch ({caught} e{next(self.names)}) " + self.body(scope)
        if not catches or self.chance.random() < 0.6:
            # No jumps out of finally: it would swallow what ends a run.
            calm = scope.with_(loops=(), breakable=False, returns="")
            code = code + " finally " + self.body(calm)
        return scope, code

    def resource(self, scope: Scope) -> tuple[Scope, Code]:
        name = f"r{next(self.names)}"
        head = f"try (Resource {name} = open(" + self.integer(scope, 2) + ")) "
        caught = f" catch (Left e{next(self.names)}) " + self.body(scope)
        return scope, head + self.body(scope) + caught

    def method(self, name: str) -> Code:
        scope = Scope()
        parameters = [Variable(next(self.variables), fixed=at == 0) for at in range(2)]
        marked = [self.occurrence(variable) for variable in parameters]
        plain = ", ".join(f"int {text}" for text, _ in marked)
        logged = ", ".join(f"int {variable.name}" for variable in parameters)
        bound = " ".join(
            f"l0.bind({variable.number}, {number});"
            for variable, (_, number) in zip(parameters, marked, strict=True)
        )
        _, block = self.block(scope.with_(variables=tuple(parameters)), 5)
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


def program(seed: int) -> tuple[str, str]:
    """The text that is analysed, with marks, and the one that is run."""
    generator = Generator(random.Random(seed))
    code = joined([generator.method(f"m{at}") + "\n" for at in range(METHODS)])
    calls = "\n".join(
        f"try {{ fuel = 300; m{at}(run, 1); }} catch (Throwable e) {{ }}" for at in range(METHODS)
    )
    plain = f"class Generated {{\n{code.plain}}}\n"
    main = MAIN % (RUNS, calls)
    return plain, f"public class Generated extends FlowLog {{\n{code.logged}{main}}}\n"


def observed(folder: Path, text: str) -> set[tuple[str, int, int]]:
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: running the programs is the oracle")
    (folder / "Generated.java").write_text(text)
    log = Path(__file__).with_name("FlowLog.java")
    done = subprocess.run(
        [javac, *JAVAC, "-nowarn", "-d", str(folder), str(log), str(folder / "Generated.java")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[:2000]
    lines = subprocess.run(
        [java, *JAVA, "-cp", str(folder), "Generated"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    rows = (line.split() for line in lines)
    return {(kind, int(later), int(earlier)) for kind, later, earlier in rows}


def analysed(marked: str) -> tuple[set[tuple[str, int, int]], str]:
    pieces = re.split("\x01(\\d+)\x02", marked)
    number_at: dict[int, int] = {}
    text = pieces[0]
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        number_at[len(text)] = int(number)
        text += piece
    file = JavaFile(text.encode())
    assert not file.syntax.broken
    found = flow(file)
    start = file.syntax.start

    def number(point: int) -> int:
        return number_at[int(start[found.node[point]])]

    return {
        (kind, number(point), number(earlier))
        for kind, pairs in (("use", found.last_use), ("write", found.last_write))
        for point, earlier in pairs.tolist()
        if earlier >= 0
    }, text


def test_what_happens_is_among_what_may_happen(tmp_path: Path) -> None:
    plain, logged = program(seed=1)
    seen = observed(tmp_path, logged)
    told, text = analysed(plain)
    assert seen - told == set(), text
    # Enough happened for that to mean something.
    assert len(seen) > 5_000
