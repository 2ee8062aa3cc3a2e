"""The instructions in which a method is analysed, and the builder that emits them.

A method is a list of instructions, each WIDTH numbers: operation, ``d``, ``a``, ``b``, ``c``,
``e``, the instruction that handles an exception (-1: none), the byte it stands at. Registers hold
values; register THIS is the object itself, then the parameters follow, then variables and
intermediate values. Jumps name instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeacumen.languages.java.nulls import _tree as t
from codeacumen.languages.java.nulls._tree import FIELD, LEFT, NAME, Tree

WIDTH = 8
THIS = 0

(
    CONST,  # d := a value of kind a
    TEXT,  # d := the constant whose text is c
    COPY,  # d := a
    LOAD,  # d := field c of a (-1: of a class), b: what the declaration tells
    STORE,  # field c of a := b; e: 1 if it is the class's
    INDEX,  # d := a[b]
    SET_INDEX,  # a[b] := c
    ARRAY,  # d := a new array; a: its elements are null at first
    EACH,  # d := some element of a
    STEP,  # d := a + c
    AWAY,  # what follows runs some other time
    CALL,  # d := call c
    DEREF,  # a must not be null; b: why; c: the expression
    JUMP,  # to c
    IF_NULL,  # a is null: to c, else to e
    IF_TRUE,  # a is true: to c, else to e
    IF_EQUAL,  # a and b are the same: to c, else to e
    IF_LESS,  # a < b: to c, else to e
    IF_KIND,  # a is an instance of the class in text b (-1: of something): to c, else to e
    IF_CAUGHT,  # what was thrown is one of the classes in text a: to c, else to e
    EITHER,  # to c or to e; with a: to c if there is something in it, else to e
    RETURN,  # a (-1: nothing)
    THROW,  # to its handler, or out: a new object of class c (-1: what was caught)
    HALT,  # never left
) = range(24)

# How the class is written that has none above it.
ROOT = ("Object.class", "java.lang.Object.class")
# Kinds of constants.
UNKNOWN, NONNULL, NULL, TRUE, FALSE = range(5)
# What a field's declaration tells: nothing; may be null; no reference; never null; never null
# and the same for all.
PLAIN, NULLABLE, PRIMITIVE, FILLED, TABLE = range(5)
# Why something must not be null, as a reader is told.
WHY = (
    "is dereferenced by a call",
    "is dereferenced for a field",
    "is dereferenced as an array",
    "is unboxed",
    "is thrown",
    "is locked",
    "is iterated over",
    "is switched on",
)
BY_CALL, BY_FIELD, BY_INDEX, BY_UNBOXING, BY_THROW, BY_LOCK, BY_LOOP, BY_SWITCH = range(len(WHY))


# A method that is larger, or nested deeper, than anybody writes is left out.
LARGEST, DEEPEST = 6000, 80
_LONGEST_TEXT = 80


class UnreadableError(Exception):
    """A body that is left out: too large, too deep, or not what the grammar promises."""


class Site(NamedTuple):
    """A linked call: the byte of its name, what it names, whose methods may run (paths and
    places), whether its meaning is uncertain, and whether it names a method of the project. The
    kind is S for a static method."""

    offset: int
    callee: str
    targets: tuple[tuple[str, int], ...]
    ambiguous: bool
    inside: bool
    kind: str = ""


class Frame(NamedTuple):
    """What encloses a place. ``kind``: method, function (a lambda), loop, switch, answer (a switch
    that is an expression), label, try or finally; ``handler`` is the label an exception goes to."""

    kind: str
    outer: Frame | None
    handler: int
    node: int = -1
    broken: int = -1
    continued: int = -1
    word: str = ""
    result: int = -1


class Pool:
    """What the methods of a file share: texts, expressions, calls, sets of targets."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.expressions: list[int] = []
        self.calls: list[int] = []
        self.targets: dict[tuple[tuple[str, int], ...], int] = {(): 0}

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def target(self, targets: tuple[tuple[str, int], ...]) -> int:
        return self.targets.setdefault(targets, len(self.targets))


class Builder:
    """The state of a translation; what it translates is in the classes below this one."""

    def __init__(self, tree: Tree, pool: Pool, sites: Mapping[int, Site]) -> None:
        self.tree = tree
        self.pool = pool
        self.sites = sites
        # What the file's fields are, by the names that declare them; those that are constants.
        self.fields: dict[int, int] = {}
        self.truths: dict[int, int] = {}
        self.numbers: dict[int, str] = {}
        self.statics: set[int] = set()
        self.begin()

    def begin(self) -> None:
        self.out: list[int] = []
        self.placed: list[int] = []
        self.registers: dict[int, int] = {}
        self.primitive: set[int] = set()
        self.count = 1
        self.depth = 0
        self.caught = 0
        self.switch_at = 0
        self.returns_primitive = False
        # The catch clauses of each try, with their labels.
        self.clauses: dict[int, list[tuple[int, int]]] = {}
        self.frame = Frame("method", None, -1)

    # ---- instructions

    def emit(
        self, op: int, d: int = -1, a: int = -1, b: int = -1, c: int = -1, e: int = -1, at: int = 0
    ) -> None:
        if len(self.out) > LARGEST * WIDTH:
            raise UnreadableError
        handler = self.frame.handler if op in (CALL, THROW) else -1
        self.out += (op, d, a, b, c, e, handler, at)

    def label(self) -> int:
        self.placed.append(-1)
        return len(self.placed) - 1

    def place(self, label: int) -> None:
        self.placed[label] = len(self.out) // WIDTH

    def jump(self, label: int) -> None:
        self.emit(JUMP, c=label)

    def resolved(self) -> list[int]:
        """The instructions with places instead of labels, and a last one for labels at the end."""
        self.emit(RETURN)
        out, placed = self.out, self.placed
        for at in range(0, len(out), WIDTH):
            op = out[at]
            if op == JUMP:
                out[at + 4] = placed[out[at + 4]]
            elif IF_NULL <= op <= EITHER:
                out[at + 4] = placed[out[at + 4]]
                out[at + 5] = placed[out[at + 5]]
            elif out[at + 6] >= 0:
                out[at + 6] = placed[out[at + 6]]
        return out

    # ---- values

    def new(self) -> int:
        self.count += 1
        return self.count - 1

    def constant(self, kind: int, at: int = 0) -> int:
        made = self.new()
        self.emit(CONST, made, kind, at=at)
        return made

    def register(self, node: int) -> int:
        """The register of a local variable, by a node that names it."""
        symbol = self.tree.symbol.get(node, -1)
        if symbol < 0:
            return self.new()
        found = self.registers.get(symbol)
        if found is None:
            found = self.registers[symbol] = self.new()
        return found

    # ---- how an expression is told to a reader

    def expression(self, node: int) -> int:
        """A row: text, the text of its last identifier, the byte of that, whether it is what a
        call returned."""
        tree, pool = self.tree, self.pool
        node = tree.bare(node)
        token, returned = self.token(node)
        text = " ".join(tree.text(node).split())
        if len(text) > _LONGEST_TEXT:
            text = text[: _LONGEST_TEXT - 3] + "..."
        pool.expressions += (
            pool.text(text),
            pool.text(tree.text(token)),
            tree.start[token],
            returned,
        )
        return len(pool.expressions) // 4 - 1

    def token(self, node: int) -> tuple[int, int]:
        """The node of an expression's last identifier, and whether it is a method's name."""
        tree = self.tree
        while True:
            node = tree.bare(node)
            kind = tree.kind[node]
            if kind in ("method_invocation", "object_creation_expression"):
                name = tree.child(node, NAME)
                return (name if name >= 0 else node), 1
            if kind == "field_access":
                name = tree.child(node, FIELD)
                return (name if name >= 0 else node), 0
            if kind == "array_access":
                node += 1
            elif kind == "assignment_expression":
                node = tree.child(node, LEFT)
            else:
                return node, 0

    # ---- what the classes below define

    def value(self, node: int) -> int:
        raise NotImplementedError

    def decide(self, node: int, yes: int, no: int) -> None:
        raise NotImplementedError

    def statement(self, node: int) -> None:
        raise NotImplementedError

    def statements(self, nodes: Sequence[int]) -> None:
        for node in nodes:
            self.statement(node)


PRIMITIVES = frozenset(("integral_type", "floating_point_type", "boolean_type"))
NUMBERS = frozenset(
    (
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "character_literal",
    )
)
# Values that are never null, and that nobody has to look into.
SOLID = frozenset(
    (
        "string_literal",
        "class_literal",
        "this",
        "super",
        "object_creation_expression",
        "array_creation_expression",
        "lambda_expression",
        "method_reference",
        *NUMBERS,
        "true",
        "false",
        "binary_expression",
        "unary_expression",
        "update_expression",
        "instanceof_expression",
    )
)


class Names(Builder):
    def deref(self, node: int, register: int, why: int) -> None:
        """The value of an expression must not be null here."""
        bare = self.tree.bare(node)
        if self.caught or self.tree.kind[bare] in SOLID:
            return
        at = self.tree.start[node]
        self.emit(DEREF, a=register, b=why, c=self.expression(node), at=at)

    def number(self, node: int, register: int) -> None:
        """The value is used as a number or a truth value: a box is opened."""
        bare = self.tree.bare(node)
        kind = self.tree.kind[bare]
        if kind == "identifier" and self.is_primitive(bare):
            return
        if kind in (
            "identifier",
            "method_invocation",
            "field_access",
            "array_access",
            "null_literal",
            "ternary_expression",
        ):
            self.deref(node, register, BY_UNBOXING)

    def is_primitive(self, node: int) -> bool:
        tree = self.tree
        symbol = tree.symbol.get(node, -1)
        declared = tree.declared.get(node, -1)
        return symbol in self.primitive or self.fields.get(declared) == PRIMITIVE

    def is_null(self, node: int) -> bool:
        return self.tree.kind[self.tree.bare(node)] == "null_literal"

    def identifier(self, node: int) -> int:
        role = self.tree.role.get(node, 0)
        if role in t.VARIABLES:
            return self.register(node)
        if role == t.CONSTANT or role in t.OF_TYPE:
            made = self.new()
            self.emit(TEXT, made, c=self.pool.text(self.tree.text(node)))
            return made
        return self.load(THIS, node, node)

    def load(self, base: int, name: int, node: int) -> int:
        made = self.new()
        declared = self.tree.declared.get(name, -1)
        if declared in self.truths:
            self.emit(CONST, made, self.truths[declared])
            return made
        if declared in self.numbers:
            self.emit(TEXT, made, c=self.pool.text(self.numbers[declared]))
            return made
        told = self.fields.get(declared, PLAIN)
        if declared < 0 and base <= THIS and _is_constant(self.tree.text(name)):
            told = FILLED
        text = self.pool.text(self.tree.text(name))
        self.emit(LOAD, made, base, told, text, at=self.tree.start[name])
        return made

    def is_class(self, node: int) -> bool:
        """Whether an expression names a type or a package."""
        tree = self.tree
        if tree.kind[node] == "field_access":
            name = tree.child(node, t.FIELD)
            return name >= 0 and tree.role.get(name, 0) in t.OF_TYPE
        if tree.kind[node] in (
            "scoped_identifier",
            "type_identifier",
            "scoped_type_identifier",
            "generic_type",
        ):
            return True
        return tree.kind[node] == "identifier" and tree.role.get(node, 0) in t.OF_TYPE

    def field_access(self, node: int) -> int:
        tree = self.tree
        base, name = tree.child(node, t.OBJECT), tree.child(node, t.FIELD)
        if base < 0 or name < 0:
            return self.constant(UNKNOWN)
        if tree.kind[name] == "this":
            # Fields of an enclosing object are taken for the object's own.
            return THIS
        if self.is_class(base):
            if tree.role.get(name, 0) == t.CONSTANT:
                return self.identifier(name)
            return self.load(-1, name, node)
        register = self.value(base)
        self.deref(base, register, BY_FIELD)
        return self.load(register, name, node)

    def array_access(self, node: int) -> int:
        tree = self.tree
        array, index = tree.child(node, t.ARRAY), tree.child(node, t.INDEX)
        if array < 0 or index < 0:
            return self.constant(UNKNOWN)
        base, place = self.value(array), self.value(index)
        self.number(index, place)
        self.deref(array, base, BY_INDEX)
        made = self.new()
        self.emit(INDEX, made, base, place, at=tree.start[node])
        return made


def _is_constant(name: str) -> bool:
    """Whether the name of a field that another file declares is written as constants are: those
    are not null."""
    return len(name) > 1 and name.isupper()
