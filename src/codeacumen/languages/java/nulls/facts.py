"""What one file contributes to the analysis of its project: its methods, translated.

Made without looking at any other file, except that calls are linked already; small, and plain
enough to be sent from one process to another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._statements import Statements
from codeacumen.languages.java.nulls._tree import NAME, TYPE, VALUE, Tree
from codeacumen.languages.java.nulls.code import NUMBERS, PRIMITIVES, Pool, Site, UnreadableError
from codeacumen.languages.java.resolve.link import Call
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.text.lines import line_starts

Ints = NDArray[np.int32]

MAY_BE_NULL = frozenset(("Nullable", "CheckForNull", "NullableDecl", "PossiblyNull"))
NEVER_NULL = frozenset(("NonNull", "Nonnull", "NotNull", "NonNullDecl"))
_WORDS = frozenset(("int", "long", "boolean", "char", "byte", "short", "float", "double", "void"))
# Columns of a unit: the method's place in the file, where its code begins, registers, parameters,
# flags, name, class, then masks of parameters that may be, and are never, null.
PLACE, FIRST, REGISTERS, PARAMETERS, FLAGS, NAMED, CLASS, MAYBE, NEVER, COLUMNS = range(10)
# A unit's flags.
CONSTRUCTOR, STATIC, RETURNS_MAYBE, RETURNS_NEVER, BODILESS = 1, 2, 4, 8, 16
_MOST_PARAMETERS = 30
_MOST_NULLABLE = 3
_TRUTHS = {"true": code.TRUE, "false": code.FALSE}
# What a field begins with, if it is not null for certain.
_FILLED = frozenset(
    (
        "string_literal",
        "object_creation_expression",
        "array_creation_expression",
        "array_initializer",
        "class_literal",
        "lambda_expression",
        "method_reference",
    )
)


@dataclass(frozen=True, slots=True)
class Facts:
    """``units`` has a row of COLUMNS numbers for each body, ``code`` its instructions
    (``nulls.code``); ``expressions`` rows of text, token, offset and whether it is what a call
    returned; ``calls`` rows of label, targets, flags, receiver, expression, number of arguments,
    then register and expression of each. ``classes`` tells of each class, by its qualified name,
    the fields that are null in a new object until somebody sets them, ``records`` the components of
    each record; ``throws`` the exceptions that methods declare, by place."""

    path: str
    texts: tuple[str, ...]
    units: Ints
    code: Ints
    expressions: Ints
    calls: Ints
    targets: tuple[tuple[tuple[str, int], ...], ...]
    classes: dict[str, tuple[int, ...]]
    records: dict[str, tuple[int, ...]]
    throws: dict[int, tuple[int, ...]]
    lines: Ints


def facts(file: JavaFile, calls: Iterable[Call | Site], path: str = "") -> Facts:
    """``calls`` are the linked calls of the file; ``path`` is the file's in its project, as the
    targets of calls name it."""
    made = _File(file)
    sites = {
        one.offset: Site(one.offset, one.callee, one.targets, one.ambiguous, one.inside, one.kind)
        for one in calls
    }
    made.translate(sites)
    pool = made.pool
    lines = line_starts(file.source)
    return Facts(
        path,
        tuple(pool.texts),
        _ints(made.units).reshape(-1, COLUMNS),
        _ints(made.code),
        _ints(pool.expressions).reshape(-1, 4),
        _ints(pool.calls),
        tuple(pool.targets),
        made.classes,
        made.records,
        made.throws,
        lines.astype(np.int32),
    )


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int32)


class _File:
    def __init__(self, file: JavaFile) -> None:
        self.file = file
        self.tree = Tree(file)
        self.pool = Pool()
        self.units: list[int] = []
        self.code: list[int] = []
        self.classes: dict[str, tuple[int, ...]] = {}
        self.records: dict[str, tuple[int, ...]] = {}
        self.throws: dict[int, tuple[int, ...]] = {}
        self._labels: dict[int, str] = {}

    def translate(self, sites: dict[int, Site]) -> None:
        builder = Statements(self.tree, self.pool, sites)
        builder.fields, builder.truths, builder.numbers = self._fields()
        builder.statics = {
            self.tree.child(one.node, NAME)
            for one in self.file.declarations.fields
            if "static" in one.modifiers
        }
        for place, method in enumerate(self.file.declarations.methods):
            builder.begin()
            row = self._row(place, method)
            if method.body == NONE:
                if row[FLAGS] & RETURNS_MAYBE:
                    row[FLAGS] |= BODILESS
                    builder.count = 1 + len(method.parameters)
                    # Its declaration is all that is known of it.
                    builder.emit(code.RETURN, a=-1, at=self.tree.start[method.node])
                    self._keep(builder, row)
                continue
            try:
                self._parameters(builder, method, row)
                builder.statement(method.body)
                self._keep(builder, row)
            except UnreadableError:
                continue

    def _keep(self, builder: Statements, row: list[int]) -> None:
        row[FIRST], row[REGISTERS] = len(self.code), 0
        self.code += builder.resolved()
        row[REGISTERS] = builder.count
        self.units += row

    def _row(self, place: int, method: MethodDeclaration) -> list[int]:
        flags = 0
        if method.kind != "method":
            flags |= CONSTRUCTOR
        if "static" in method.modifiers:
            flags |= STATIC
        told = {name.rpartition(".")[2] for name in method.annotations}
        # Before an array it is the elements that an annotation speaks of, often.
        if method.returns not in _WORDS and not method.returns.endswith("]"):
            flags |= RETURNS_MAYBE if told & MAY_BE_NULL else 0
            flags |= RETURNS_NEVER if told & NEVER_NULL else 0
        row = [0] * COLUMNS
        row[PLACE], row[FLAGS], row[NAMED] = place, flags, self.pool.text(method.name)
        row[PARAMETERS] = len(method.parameters)
        row[CLASS] = self.pool.text(self._label(method.type))
        listed = self.tree.first(method.node, "throws")
        if listed >= 0:
            self.throws[place] = tuple(
                self.pool.text(self.tree.text(one).rpartition(".")[2])
                for one in self.tree.kids(listed)
            )
        return row

    def _label(self, type_: int) -> str:
        if type_ == NONE:
            return ""
        found = self._labels.get(type_)
        if found is None:
            declared = self.file.declarations
            types = declared.types
            names: list[str] = []
            at = type_
            while at != NONE and len(names) < 64:
                names.append(types[at].name)
                at = types[at].owner
            if declared.package:
                names.append(declared.package)
            found = self._labels[type_] = ".".join(reversed(names))
        return found

    def _parameters(self, builder: Statements, method: MethodDeclaration, row: list[int]) -> None:
        """Parameters have the first registers, in their order."""
        tree = self.tree
        builder.returns_primitive = method.returns in _WORDS and method.returns != "void"
        builder.count = 1 + len(method.parameters)
        group = tree.first(method.node, "formal_parameters")
        place = 0
        for node in tree.kids(group) if group >= 0 else ():
            if tree.kind[node] not in ("formal_parameter", "spread_parameter"):
                continue
            type_ = tree.child(node, TYPE)
            name = tree.child(node, NAME)
            if name < 0:
                declarator = tree.first(node, "variable_declarator")
                name = tree.child(declarator, NAME) if declarator >= 0 else -1
            symbol = tree.symbol.get(name, -1)
            if symbol >= 0:
                builder.registers[symbol] = 1 + place
            told = set(tree.annotations(node))
            written = method.parameters[place].type if place < len(method.parameters) else ""
            if written in _WORDS or (
                type_ >= 0 and tree.kind[type_] in PRIMITIVES and written in _WORDS
            ):
                builder.primitive.add(symbol)
            if place < _MOST_PARAMETERS and not written.endswith(("]", "...")):
                row[MAYBE] |= bool(told & MAY_BE_NULL) << place
                row[NEVER] |= bool(told & NEVER_NULL) << place
            place += 1

    def _fields(self) -> tuple[dict[int, int], dict[int, int], dict[int, str]]:
        """What the fields' declarations tell, by the names that declare them, those that are
        constantly true or false, and those that are numbers; on the way, what each class leaves
        null."""
        tree, declared = self.tree, self.file.declarations
        told: dict[int, int] = {}
        truths: dict[int, int] = {}
        numbers: dict[int, str] = {}
        empty: dict[int, list[str]] = {}
        for one in declared.fields:
            name, value = tree.child(one.node, NAME), tree.child(one.node, VALUE)
            static, final = "static" in one.modifiers, "final" in one.modifiers
            if one.type != NONE and declared.types[one.type].kind in ("interface", "annotation"):
                static = final = True
            kind = tree.kind[value] if value >= 0 else ""
            if one.declared in _WORDS:
                told[name] = code.PRIMITIVE
                if final and kind in _TRUTHS:
                    truths[name] = _TRUTHS[kind]
                elif final and kind in NUMBERS:
                    numbers[name] = tree.text(value)
            elif not one.declared.endswith("]") and MAY_BE_NULL.intersection(
                tree.annotations(tree.parent[one.node])
            ):
                told[name] = code.NULLABLE
            elif final and static and kind != "null_literal":
                told[name] = code.TABLE
            elif final and kind in _FILLED:
                told[name] = code.FILLED
            if not static and value < 0 and one.declared not in _WORDS:
                empty.setdefault(one.type, []).append(one.name)
        # Who annotates that many has a tool that checks them, and other reasons to be sure.
        nullable = [name for name, one in told.items() if one == code.NULLABLE]
        if len(nullable) > _MOST_NULLABLE:
            told.update(dict.fromkeys(nullable, code.PLAIN))
        written = self._initialised()
        for place, type_ in enumerate(declared.types):
            label = self._label(place)
            if type_.kind == "class":
                left = [
                    self.pool.text(name)
                    for name in empty.get(place, ())
                    if name not in written.get(type_.node, ())
                ]
                self.classes[label] = tuple(left)
            elif type_.kind == "record":
                self.records[label] = tuple(self.pool.text(one.name) for one in type_.components)
        return told, truths, numbers

    def _initialised(self) -> dict[int, set[str]]:
        """Names that initialiser blocks speak of, by the class's node: taken to be set there."""
        tree = self.tree
        found: dict[int, set[str]] = {}
        for node, kind in enumerate(tree.kind):
            if kind == "block" and tree.kind[tree.parent[node]] == "class_body":
                owner = tree.parent[tree.parent[node]]
                names = found.setdefault(owner, set())
                for at in range(node, tree.stop[node]):
                    if tree.kind[at] == "identifier":
                        names.add(tree.text(at))
        return found
