"""A Java file's syntax tree as plain lists, and the calls, writes, reads and returns in its bodies.

``BodyContents`` collects them for all methods at once, so each node is visited once; ``facts``
selects the part of each method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.bindings.names import READS, ROLE, UPDATES
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, name_of
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column, ListTree

# Prefix of the name in a call of an own method. ``facts`` removes it, or replaces the name by SELF
# in the facts of the method that the call refers to.
BARE = "\0"
_MOST_STEPS = 64
_PARAMETER, _TYPE = ROLE["parameter"], ROLE["type"]
_LOCALS = frozenset(
    ROLE[role]
    for role in ("local", "lambda parameter", "catch parameter", "pattern variable", "resource")
)
_LITERALS = frozenset(
    (
        "string_literal",
        "character_literal",
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "class_literal",
    )
)
_OF_KIND = {
    "this": "this",
    "null_literal": "null",
    "true": "true",
    "false": "false",
    "object_creation_expression": "new",
    "array_creation_expression": "new",
    "method_invocation": "call",
    "instanceof_expression": "boolean expression",
    "lambda_expression": "lambda",
    "method_reference": "lambda",
    "array_access": "element",
    "assignment_expression": "assignment",
    "update_expression": "arithmetic",
    "switch_expression": "switch",
}
_LOGICAL = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))


class Tree(ListTree[int, int]):
    """Syntax tree of a file with roles and declarations of its identifiers.

    Kinds and fields are the grammar's numbers.
    """

    def __init__(self, file: JavaFile) -> None:
        syntax, bound = file.syntax, file.bindings
        super().__init__(syntax, syntax.kind.tolist(), syntax.field.tolist())
        self.words = file.names.words
        self.word_of: list[int] = file.names.word_of.tolist()
        self.role = _spread(len(syntax), bound.node, bound.role.astype(np.int32), 0)
        self.declared = _spread(len(syntax), bound.node, bound.declaration, -1)

    def text(self, node: int) -> str:
        if self.word_of[node] >= 0:
            return self.words[self.word_of[node]]
        return super().text(node)

    def called(self, node: int) -> str:
        """Return the grammar's name for the kind of a node."""
        return name_of(self.kind[node])

    def part(self, node: int, name: str) -> int:
        """Return the node's first child in a field, or -1."""
        return self.child(node, field(name))

    def peeled(self, node: int) -> int:
        """Return the expression inside parentheses and casts."""
        for _ in range(_MOST_STEPS):
            called = self.called(node)
            if called == "parenthesized_expression":
                inner = [child for child in self.children(node)[1:] if self.called(child) != ")"]
                inner = [child for child in inner if not _comments()[self.kind[child]]]
                after = inner[0] if inner else -1
            elif called == "cast_expression":
                after = self.part(node, "value")
            else:
                return node
            if after < 0:
                return node
            node = after
        return node

    def own(self, node: int) -> bool:
        """Return True if a field's identifier refers to this object or its class.

        Such references are ``x``, ``this.x``, ``Outer.this.x``, ``super.x`` and ``Here.X``.
        """
        mother = self.parent[node]
        if self.called(mother) != "field_access" or self.field[node] != field("field"):
            return True
        object_ = self.part(mother, "object")
        called = self.called(object_)
        if called in ("this", "super"):
            return True
        if called == "identifier":
            return self.role[object_] == _TYPE and self.declared[object_] >= 0
        return called == "field_access" and self.called(self.stop[object_] - 1) == "this"

    def variable(self, node: int) -> int:
        """Return the identifier ``x`` of an expression ``x``, ``this.x`` or ``a.b.x``, or -1."""
        called = self.called(node)
        if called == "identifier":
            return node
        if called == "field_access":
            last = self.part(node, "field")
            return last if last >= 0 and self.called(last) == "identifier" else -1
        return -1

    def kinds(self, node: int) -> list[tuple[str, str]]:
        """Return the kind of an expression's value, and the variable's name if it is a variable.

        A conditional expression has one entry for each branch. A negated field is ``not field``.
        """
        found: list[tuple[str, str]] = []
        left = [node]
        for _ in range(_MOST_STEPS):
            if not left:
                break
            node = self.peeled(left.pop())
            called = self.called(node)
            if called == "ternary_expression":
                branches = (self.part(node, "alternative"), self.part(node, "consequence"))
                left += [branch for branch in branches if branch >= 0]
            elif called in ("identifier", "field_access"):
                found.append(self._variable_kind(node))
            elif called == "unary_expression":
                found.append(self._unary_kind(node))
            elif called == "binary_expression":
                operator = self.text(self.part(node, "operator"))
                found.append(("boolean expression" if operator in _LOGICAL else "arithmetic", ""))
            else:
                kind = "literal" if called in _LITERALS else _OF_KIND.get(called, "other")
                found.append((kind, ""))
        return found

    def _variable_kind(self, node: int) -> tuple[str, str]:
        identifier = self.variable(node)
        if identifier < 0:
            return ("this", "") if self.called(self.stop[node] - 1) == "this" else ("other", "")
        role, name = self.role[identifier], self.text(identifier)
        if role == _PARAMETER:
            return ("parameter", name)
        if role in _LOCALS:
            return ("local", name)
        if not self.own(identifier):
            return ("other field", name)
        return ("constant", name) if name.isupper() and len(name) > 1 else ("field", name)

    def _unary_kind(self, node: int) -> tuple[str, str]:
        operand = self.part(node, "operand")
        if self.called(node + 1) != "!" or operand < 0:
            return ("literal", "") if self.called(operand) in _LITERALS else ("arithmetic", "")
        kind, name = "", ""
        identifier = self.variable(self.peeled(operand))
        if identifier >= 0:
            kind, name = self._variable_kind(self.parent_access(identifier))
        return ("not field", name) if kind == "field" else ("boolean expression", "")

    def parent_access(self, identifier: int) -> int:
        """Return the field access that ends with an identifier, or the identifier itself."""
        mother = self.parent[identifier]
        selected = self.field[identifier] == field("field")
        return mother if selected and self.called(mother) == "field_access" else identifier

    def receiver(self, call: int) -> str:
        """Return the receiver of a call as one word.

        It is a variable or type, ``this``, ``super``, ``f()`` for the result of a call, ``new``,
        an empty string for a call of an own method, or ``?`` for any other expression.
        """
        object_ = self.part(call, "object")
        if object_ < 0:
            return ""
        if self.called(object_) in ("this", "super"):
            return self.called(object_)
        object_ = self.peeled(object_)
        called = self.called(object_)
        if called == "method_invocation":
            name = self.part(object_, "name")
            own = self.part(object_, "object") < 0 or self.called(object_ + 1) in ("this", "super")
            return f"{BARE if own else ''}{self.text(name)}()" if name >= 0 else "?"
        if called == "object_creation_expression":
            return "new"
        if called == "field_access" and self.called(self.stop[object_] - 1) in ("this", "super"):
            return self.called(self.stop[object_] - 1)
        identifier = self.variable(object_)
        return self.text(identifier) if identifier >= 0 else "?"

    def target(self, node: int) -> tuple[int, bool]:
        """Return the variable that an assignment to this expression changes, or -1.

        The second value is True if the variable itself changes, False if an element of it does.
        """
        whole = True
        node = self.peeled(node)
        for _ in range(_MOST_STEPS):
            if self.called(node) != "array_access":
                break
            whole = False
            node = self.peeled(node + 1)
        return self.variable(node), whole

    def base(self, node: int) -> int:
        """Return the first identifier of ``a.b.c``, or -1 if the expression begins otherwise."""
        while self.called(node) in ("field_access", "array_access", "parenthesized_expression"):
            node += 1
        return node if self.called(node) == "identifier" else -1

    def head(self, node: int) -> str:
        """Return a type's simple name without arguments: ``Entry`` of ``Map.Entry<K, V>``."""
        for _ in range(_MOST_STEPS):
            called = self.called(node)
            if called == "generic_type":
                node += 1
            elif called == "annotated_type":
                node = self.children(node)[-1]
            elif called == "scoped_type_identifier":
                node = self.stop[node] - 1
            else:
                break
        return head(self.text(node))


@lru_cache(maxsize=1 << 14)
def head(written: str) -> str:
    """Return the simple name of a written type, without its arguments; arrays keep their ``[]``.

    >>> types = ("java.util.Map<K,V>.Entry<K,V>[]", "int...", "void")
    >>> [simplify_type_name(written) for written in types]
    ['Entry[]', 'int[]', 'void']
    """
    text, level = "", 0
    for character in written.replace("...", "[]"):
        level -= character == ">"
        if level <= 0 and character != ">" and character != "<" and not character.isspace():
            text += character
        level += character == "<"
    return text.rsplit(".", 1)[-1]


@lru_cache(maxsize=1)
def _comments() -> NDArray[np.bool_]:
    return among("line_comment", "block_comment")


def _spread(count: int, node: Column, values: Column, empty: int) -> list[int]:
    spread = np.full(count, empty, dtype=np.int32)
    spread[node] = values
    found: list[int] = spread.tolist()
    return found


@kernel
def nearest(chosen: NDArray[np.bool_], parent: Column) -> Column:
    """Return for each node its nearest proper ancestor with ``is_chosen``, or -1."""
    found = np.full(len(parent), -1, dtype=np.int32)
    for i in range(1, len(parent)):
        mother = parent[i]
        found[i] = mother if chosen[mother] else found[mother]
    return found


T = TypeVar("T")

# Maximum number of things of a kind in the facts of a method. Classes in methods of classes may be
# nested 10,000 deep, and each level contains all deeper ones.
MOST = 2000
_LONGEST_STRING = 40
_MOST_SOURCES = 16
_FIELD = ROLE["field"]
_OWN = frozenset(("", "this", "super"))
_UNITS = (
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "lambda_expression",
    "class_body",
    "enum_body",
    "interface_body",
)
_COMMENTS = frozenset(("line_comment", "block_comment"))


class Call(NamedTuple):
    """A call; ``declared`` is the node of the called method's name in this file, or -1."""

    receiver: str
    name: str
    arguments: int
    declared: int


class Write(NamedTuple):
    """An assignment; ``kind`` is the field of ``Facts`` that lists the written name."""

    kind: str
    name: str
    stored: tuple[tuple[str, str], ...] = ()
    derived: tuple[tuple[str, str], ...] = ()


class Spans(Generic[T]):
    """Values in source order, indexed by body: item i is the values inside the i-th body."""

    def __init__(self, node: Column, values: Sequence[T], body: Column, stop: Column) -> None:
        self.values = values
        self.first: list[int] = np.searchsorted(node, body).tolist()
        self.last: list[int] = np.searchsorted(node, stop).tolist()

    def __getitem__(self, i: int) -> Sequence[T]:
        first = self.first[i]
        return self.values[first : min(self.last[i], first + MOST)]


class Found:
    """Calls, reads, writes, returns and the like in all bodies of a file, by body."""

    def __init__(self, file: JavaFile, tree: Tree, body: Column, stop: Column) -> None:
        self.file, self.tree, self.body, self.stop = file, tree, body, stop
        self.kind = file.syntax.kind
        self.unit = nearest(among(*_UNITS)[self.kind], file.syntax.parent)
        # For the name node of each method declared here, the indices in ``words`` of its calls.
        self.resolved: dict[int, list[int]] = {}
        self.words: list[str] = [tree.words[word] for word in file.names.word.tolist()]
        self.place_of = dict(zip(file.names.node.tolist(), range(len(self.words)), strict=True))
        self.calls = self._each(self._call, "method_invocation")
        self._mark_references()
        self.identifiers = Spans(file.names.node, self.words, body, stop)
        self.created = self._each(self._created, "object_creation_expression")
        self.strings = self._each(self._string, "string_literal")
        self.writes = self._each(self._write, "assignment_expression", "update_expression")
        self.reads = self._reads()
        self.returns = self._own("return_statement")
        self.throws = self._own("throw_statement")

    def count(self, *kinds: str) -> list[int]:
        """Return the number of nodes of these kinds in each body."""
        return self.count_where(among(*kinds)[self.kind])

    def count_where(self, chosen: NDArray[np.bool_]) -> list[int]:
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])
        found: list[int] = (before[self.stop] - before[self.body]).tolist()
        return found

    def _each(self, make: Callable[[int], T], *kinds: str) -> Spans[T]:
        nodes = np.flatnonzero(among(*kinds)[self.kind]).astype(np.int32)
        return Spans(nodes, [make(node) for node in nodes.tolist()], self.body, self.stop)

    def _own(self, kind: str) -> dict[int, list[int]]:
        """Return the nodes of a kind by the declaration, lambda or class body that contains them.

        So the returns of a method do not include those of a lambda inside it.
        """
        nodes = np.flatnonzero(among(kind)[self.kind])
        found: dict[int, list[int]] = {}
        for node, unit in zip(nodes.tolist(), self.unit[nodes].tolist(), strict=True):
            found.setdefault(unit, []).append(node)
        return found

    def _call(self, node: int) -> Call:
        tree = self.tree
        name, arguments = tree.part(node, "name"), tree.part(node, "arguments")
        receiver = tree.receiver(node)
        if name < 0:
            return Call(receiver, "", 0, -1)
        inner = tree.children(arguments)[1:-1] if arguments >= 0 else []
        given = sum(tree.called(one) not in _COMMENTS for one in inner)
        given = (given + 1) // 2  # Every second child is a comma.
        text, declared = tree.text(name), tree.declared[name]
        self._mark(name, bare=receiver in _OWN, declared=declared)
        return Call(receiver, BARE + text if receiver in _OWN else text, given, declared)

    def _mark(self, name: int, *, bare: bool, declared: int) -> None:
        place = self.place_of[name]
        if bare:
            self.words[place] = BARE + self.words[place]
        if declared >= 0:
            self.resolved.setdefault(declared, []).append(place)

    def _mark_references(self) -> None:
        """Mark the names in method references: ``this::name`` is a later call of an own method."""
        for node in np.flatnonzero(among("method_reference")[self.kind]).tolist():
            last = self.tree.stop[node] - 1
            if self.tree.called(last) == "identifier":
                bare = self.tree.called(node + 1) in _OWN
                self._mark(last, bare=bare, declared=self.tree.declared[last])

    def _created(self, node: int) -> str:
        type_ = self.tree.part(node, "type")
        return self.tree.head(type_) if type_ >= 0 else ""

    def _string(self, node: int) -> str:
        first, last = self.tree.start[node] + 1, self.tree.end[node] - 1
        text = self.tree.source[first : min(last, first + 4 * _LONGEST_STRING)]
        return text.decode("utf-8", errors="replace")[:_LONGEST_STRING]

    def _reads(self) -> Spans[str]:
        bound = self.file.bindings
        chosen = (bound.role == _FIELD) & ((bound.access == READS) | (bound.access == UPDATES))
        nodes = [node for node in bound.node[chosen].tolist() if self.tree.own(node)]
        column = np.array(nodes, dtype=np.int32)
        return Spans(column, [self.tree.text(node) for node in nodes], self.body, self.stop)

    def _write(self, node: int) -> Write:
        """Return the effect of an assignment, ``x++`` or ``--x``."""
        tree = self.tree
        left = tree.part(node, "left")
        if left < 0:
            operands = [child for child in tree.children(node) if tree.called(child)[:1].isalpha()]
            left = operands[0] if operands else -1
        target, whole = tree.target(left) if left >= 0 else (-1, False)
        if target < 0:
            return Write("", "")
        kind, name = self._changed(target, whole=whole)
        if kind not in ("fields_written", "elements_written"):
            return Write(kind, name)
        return self._stored(node, kind, name)

    def _changed(self, target: int, *, whole: bool) -> tuple[str, str]:
        tree = self.tree
        name, role = tree.text(target), tree.role[target]
        if role == _PARAMETER:
            return ("parameters_written" if whole else "filled", name)
        if role != _FIELD:
            return ("", name)
        if tree.own(target):
            return ("fields_written" if whole else "elements_written", name)
        base = tree.base(tree.parent_access(target))
        if base >= 0 and tree.role[base] == _PARAMETER:
            return ("filled", tree.text(base))
        if base >= 0 and tree.role[base] == _FIELD:
            return ("elements_written", tree.text(base))
        return ("others_written", name)

    def _stored(self, node: int, kind: str, name: str) -> Write:
        tree = self.tree
        right, operator = tree.part(node, "right"), tree.part(node, "operator")
        if right < 0 or operator < 0:
            return Write(kind, name)
        value = tree.peeled(right)
        if tree.role[value] == _PARAMETER and tree.called(operator) == "=":
            return Write(kind, name, stored=((tree.text(value), name),))
        nodes = self.file.names.node
        first = int(np.searchsorted(nodes, right))
        near = nodes[first : first + _MOST_SOURCES].tolist()
        inside = (one for one in near if one < tree.stop[right])
        sources = [one for one in inside if tree.role[one] == _PARAMETER]
        derived = dict.fromkeys((tree.text(one), name) for one in sources)
        return Write(kind, name, derived=tuple(derived))
