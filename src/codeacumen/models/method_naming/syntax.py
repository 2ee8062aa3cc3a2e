"""A Java file's syntax tree as lists, and the calls, reads, writes and returns in its methods.

``BodyContents`` collects them for all methods of a file at once, so each node is visited once.
Module ``facts`` builds the ``Facts`` of each method from its part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.bindings.names import LOCALS, READS, ROLE, UPDATES
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask, symbol_name
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column, ListTree

# Prefix of the name in a call without receiver, on ``this`` or on ``super``; no Java name contains
# it. ``facts`` removes it, or replaces the whole name by SELF in the facts of the method so called.
OWN_CALL_MARK = "\0"
# Maximum number of nested parentheses, branches and the like that are followed in an expression.
_MAX_STEPS = 64
_PARAMETER, _TYPE = ROLE["parameter"], ROLE["type"]
_LOCALS = frozenset(ROLE[role] for role in LOCALS) - {_PARAMETER}
_LITERALS = frozenset(("string_literal", "character_literal", *NUMBER_LITERALS, "class_literal"))
# Kind of value (see ``Facts.returns_kinds``) of each kind of expression in the grammar.
_VALUE_KINDS = {
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
# Binary operators whose result is a boolean.
_LOGICAL = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))


class BodyTree(ListTree[int, int]):
    """Syntax tree of a file with the roles and declarations of its identifiers.

    Nodes are numbered in pre-order: ``node + 1`` is the first child of ``node``, if it has any, and
    ``stop[node] - 1`` its last descendant. Kinds and fields are the grammar's numbers. For each
    node, ``word_of`` is the index of its text in ``words`` (-1: no identifier), ``role`` an index
    into ``ROLES`` (0: unknown, or no identifier), ``declared`` the node of the declared name (-1:
    not in this file).
    """

    def __init__(self, file: JavaFile) -> None:
        syntax, bound = file.syntax, file.bindings
        super().__init__(syntax, syntax.kind.tolist(), syntax.field.tolist())
        self.words = file.names.words
        self.word_of: list[int] = file.names.word_of.tolist()
        self.role = _scatter_values(len(syntax), bound.node, bound.role.astype(np.int32), 0)
        self.declared = _scatter_values(len(syntax), bound.node, bound.declaration, -1)

    def text(self, node: int) -> str:
        if self.word_of[node] >= 0:
            return self.words[self.word_of[node]]
        return super().text(node)

    def get_kind_name(self, node: int) -> str:
        """Return the grammar's name for the kind of a node."""
        return symbol_name(self.kind[node])

    def find_part(self, node: int, name: str) -> int:
        """Return the node's first child in the grammar's field ``name``, or -1."""
        return self.child(node, field_number(name))

    def unwrap_expression(self, node: int) -> int:
        """Return the expression inside parentheses and casts."""
        for _ in range(_MAX_STEPS):
            kind_name = self.get_kind_name(node)
            if kind_name == "parenthesized_expression":
                inner = [
                    child for child in self.children(node)[1:] if self.get_kind_name(child) != ")"
                ]
                inner = [child for child in inner if not _load_comment_mask()[self.kind[child]]]
                inner_node = inner[0] if inner else -1
            elif kind_name == "cast_expression":
                inner_node = self.find_part(node, "value")
            else:
                return node
            if inner_node < 0:
                return node
            node = inner_node
        return node

    def is_own_field(self, node: int) -> bool:
        """Return True if a field's identifier refers to a field of this object or of its classes.

        Such references are ``x``, ``this.x``, ``Outer.this.x``, ``super.x``, and ``Here.X`` for a
        type ``Here`` that this file declares.
        """
        parent_node = self.parent[node]
        if self.get_kind_name(parent_node) != "field_access" or self.field[node] != field_number(
            "field"
        ):
            return True
        object_ = self.find_part(parent_node, "object")
        kind_name = self.get_kind_name(object_)
        if kind_name in ("this", "super"):
            return True
        if kind_name == "identifier":
            return self.role[object_] == _TYPE and self.declared[object_] >= 0
        return kind_name == "field_access" and self.get_kind_name(self.stop[object_] - 1) == "this"

    def find_variable(self, node: int) -> int:
        """Return the identifier ``x`` of an expression ``x``, ``this.x`` or ``a.b.x``, or -1."""
        kind_name = self.get_kind_name(node)
        if kind_name == "identifier":
            return node
        if kind_name == "field_access":
            last = self.find_part(node, "field")
            return last if last >= 0 and self.get_kind_name(last) == "identifier" else -1
        return -1

    def classify_value(self, node: int) -> list[tuple[str, str]]:
        """Return pairs (kind of value, name of the variable, or "" if the value is no variable).

        The kinds are those of ``Facts.returns_kinds``. A conditional expression has a pair for each
        branch; every other expression has one.
        """
        value_kinds: list[tuple[str, str]] = []
        pending = [node]
        for _ in range(_MAX_STEPS):
            if not pending:
                break
            node = self.unwrap_expression(pending.pop())
            kind_name = self.get_kind_name(node)
            if kind_name == "ternary_expression":
                branches = (
                    self.find_part(node, "alternative"),
                    self.find_part(node, "consequence"),
                )
                pending += [branch for branch in branches if branch >= 0]
            elif kind_name in ("identifier", "field_access"):
                value_kinds.append(self._classify_variable(node))
            elif kind_name == "unary_expression":
                value_kinds.append(self._classify_unary(node))
            elif kind_name == "binary_expression":
                operator = self.text(self.find_part(node, "operator"))
                value_kinds.append(
                    ("boolean expression" if operator in _LOGICAL else "arithmetic", "")
                )
            else:
                kind = "literal" if kind_name in _LITERALS else _VALUE_KINDS.get(kind_name, "other")
                value_kinds.append((kind, ""))
        return value_kinds

    def _classify_variable(self, node: int) -> tuple[str, str]:
        identifier = self.find_variable(node)
        if identifier < 0:
            return (
                ("this", "") if self.get_kind_name(self.stop[node] - 1) == "this" else ("other", "")
            )
        role, name = self.role[identifier], self.text(identifier)
        if role == _PARAMETER:
            return ("parameter", name)
        if role in _LOCALS:
            return ("local", name)
        if not self.is_own_field(identifier):
            return ("other field", name)
        return ("constant", name) if name.isupper() and len(name) > 1 else ("field", name)

    def _classify_unary(self, node: int) -> tuple[str, str]:
        operand = self.find_part(node, "operand")
        if self.get_kind_name(node + 1) != "!" or operand < 0:
            return (
                ("literal", "") if self.get_kind_name(operand) in _LITERALS else ("arithmetic", "")
            )
        kind, name = "", ""
        identifier = self.find_variable(self.unwrap_expression(operand))
        if identifier >= 0:
            kind, name = self._classify_variable(self.find_field_access(identifier))
        return ("not field", name) if kind == "field" else ("boolean expression", "")

    def find_field_access(self, identifier: int) -> int:
        """Return the field access that ends with an identifier, or the identifier itself."""
        parent_node = self.parent[identifier]
        selected = self.field[identifier] == field_number("field")
        return (
            parent_node
            if selected and self.get_kind_name(parent_node) == "field_access"
            else identifier
        )

    def describe_receiver(self, call: int) -> str:
        """Return the receiver of a call as one word.

        The word is the name of a variable or type, ``this``, ``super``, ``f()`` for the result of a
        call, ``new`` for a new object, "" if the call names no receiver, or ``?`` for any other
        expression.
        """
        object_ = self.find_part(call, "object")
        if object_ < 0:
            return ""
        if self.get_kind_name(object_) in ("this", "super"):
            return self.get_kind_name(object_)
        object_ = self.unwrap_expression(object_)
        kind_name = self.get_kind_name(object_)
        if kind_name == "method_invocation":
            name = self.find_part(object_, "name")
            own = self.find_part(object_, "object") < 0 or self.get_kind_name(object_ + 1) in (
                "this",
                "super",
            )
            return f"{OWN_CALL_MARK if own else ''}{self.text(name)}()" if name >= 0 else "?"
        if kind_name == "object_creation_expression":
            return "new"
        if kind_name == "field_access" and self.get_kind_name(self.stop[object_] - 1) in (
            "this",
            "super",
        ):
            return self.get_kind_name(self.stop[object_] - 1)
        identifier = self.find_variable(object_)
        return self.text(identifier) if identifier >= 0 else "?"

    def find_assigned_variable(self, node: int) -> tuple[int, bool]:
        """Return the identifier of the variable that an assignment to ``node`` changes, or -1.

        The second value is True if the variable itself changes, False if an element of it does.
        """
        is_whole = True
        node = self.unwrap_expression(node)
        for _ in range(_MAX_STEPS):
            if self.get_kind_name(node) != "array_access":
                break
            is_whole = False
            node = self.unwrap_expression(node + 1)
        return self.find_variable(node), is_whole

    def find_base(self, node: int) -> int:
        """Return the first identifier of ``a.b.c``, or -1 if the expression begins otherwise."""
        while self.get_kind_name(node) in (
            "field_access",
            "array_access",
            "parenthesized_expression",
        ):
            node += 1
        return node if self.get_kind_name(node) == "identifier" else -1

    def read_type_name(self, node: int) -> str:
        """Return the simple name of a type node: ``Entry`` of ``Map.Entry<K, V>``."""
        for _ in range(_MAX_STEPS):
            kind_name = self.get_kind_name(node)
            if kind_name == "generic_type":
                node += 1
            elif kind_name == "annotated_type":
                node = self.children(node)[-1]
            elif kind_name == "scoped_type_identifier":
                node = self.stop[node] - 1
            else:
                break
        return simplify_type_name(self.text(node))


@lru_cache(maxsize=1 << 14)
def simplify_type_name(written: str) -> str:
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
def _load_comment_mask() -> NDArray[np.bool_]:
    return symbol_mask("line_comment", "block_comment")


def _scatter_values(count: int, node: Column, values: Column, empty: int) -> list[int]:
    """Return a list of ``count`` items: ``values`` at the indices ``node``, ``empty`` elsewhere."""
    spread = np.full(count, empty, dtype=np.int32)
    spread[node] = values
    value_list: list[int] = spread.tolist()
    return value_list


@kernel
def find_nearest_ancestors(is_chosen: NDArray[np.bool_], parent: Column) -> Column:
    """Return for each node its nearest proper ancestor with ``is_chosen``, or -1."""
    ancestors = np.full(len(parent), -1, dtype=np.int32)
    for i in range(1, len(parent)):
        parent_node = parent[i]
        ancestors[i] = parent_node if is_chosen[parent_node] else ancestors[parent_node]
    return ancestors


T = TypeVar("T")

# Maximum number of calls, of strings and so on in the facts of a method. Classes in methods of
# classes may be nested 10,000 deep, and each level contains all deeper ones.
MAX_PER_METHOD = 2000
# Characters of a string literal that are read.
_MAX_STRING_LENGTH = 40
# Maximum number of identifiers of an assigned value that may be parameters it is computed from.
_MAX_SOURCES = 16
_FIELD = ROLE["field"]
# Receivers in a call of a method of the same class or of its superclass.
_OWN = frozenset(("", "this", "super"))
# Kinds of **units**: nodes to which the return and throw statements inside them belong, unless an
# inner unit contains these.
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
    """A call.

    ``receiver`` is as ``BodyTree.describe_receiver`` returns it, ``arguments`` the number of
    arguments, and ``declared`` the node of the called method's name in this file, or -1.
    """

    receiver: str
    name: str
    arguments: int
    declared: int


class Write(NamedTuple):
    """An assignment; ``kind`` is the field of ``Facts`` that lists the written name (empty: none).

    ``stored`` and ``derived`` are the pairs that it adds to the fields of ``Facts`` so called.
    """

    kind: str
    name: str
    stored: tuple[tuple[str, str], ...] = ()
    derived: tuple[tuple[str, str], ...] = ()


class Spans(Generic[T]):
    """Values in source order; item i holds those inside the i-th body, up to ``MAX_PER_METHOD``.

    ``node`` is the node of each value, ascending; ``body`` and ``stop`` are the first node of each
    body and the node after its last.
    """

    def __init__(self, node: Column, values: Sequence[T], body: Column, stop: Column) -> None:
        self.values = values
        # Indices in ``values``: of a body's first value, and the one after its last value.
        self.first: list[int] = np.searchsorted(node, body).tolist()
        self.last: list[int] = np.searchsorted(node, stop).tolist()

    def __getitem__(self, i: int) -> Sequence[T]:
        first = self.first[i]
        return self.values[first : min(self.last[i], first + MAX_PER_METHOD)]


class BodyContents:
    """Calls, reads, writes, returns and the like in all bodies of a file.

    ``body`` and ``stop`` are the first node of each body and the node after its last. Item i of a
    ``Spans`` belongs to the i-th body; ``returns`` and ``throws`` have the nodes of the statements
    by the node of the declaration, lambda or class body that contains them.
    """

    def __init__(self, file: JavaFile, tree: BodyTree, body: Column, stop: Column) -> None:
        self.file, self.tree, self.body, self.stop = file, tree, body, stop
        self.kind = file.syntax.kind
        # The innermost unit (``_UNITS``) around each node, -1 outside of all.
        self.unit = find_nearest_ancestors(symbol_mask(*_UNITS)[self.kind], file.syntax.parent)
        # For the name node of each called method of this file, the indices in ``words`` of the
        # names in its calls. ``words`` has the text of each identifier, marked in own calls.
        self.resolved: dict[int, list[int]] = {}
        self.words: list[str] = [tree.words[word] for word in file.names.word.tolist()]
        self.index_of_node = dict(
            zip(file.names.node.tolist(), range(len(self.words)), strict=True)
        )
        self.calls = self._collect_nodes(self._read_call, "method_invocation")
        self._mark_references()
        self.identifiers = Spans(file.names.node, self.words, body, stop)
        self.created = self._collect_nodes(self._read_created_type, "object_creation_expression")
        self.strings = self._collect_nodes(self._read_string, "string_literal")
        self.writes = self._collect_nodes(
            self._read_assignment, "assignment_expression", "update_expression"
        )
        self.reads = self._collect_reads()
        self.returns = self._group_by_unit("return_statement")
        self.throws = self._group_by_unit("throw_statement")

    def count_kinds(self, *kinds: str) -> list[int]:
        """Return the number of nodes of these kinds in each body."""
        return self.count_where(symbol_mask(*kinds)[self.kind])

    def count_where(self, is_counted: NDArray[np.bool_]) -> list[int]:
        """Return the number of nodes of the mask in each body."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_counted)])
        counts: list[int] = (before[self.stop] - before[self.body]).tolist()
        return counts

    def _collect_nodes(self, read_node: Callable[[int], T], *kinds: str) -> Spans[T]:
        nodes = np.flatnonzero(symbol_mask(*kinds)[self.kind]).astype(np.int32)
        return Spans(nodes, [read_node(node) for node in nodes.tolist()], self.body, self.stop)

    def _group_by_unit(self, kind: str) -> dict[int, list[int]]:
        """Return the nodes of a kind by the declaration, lambda or class body that contains them.

        So the returns of a method do not include those of a lambda inside it.
        """
        nodes = np.flatnonzero(symbol_mask(kind)[self.kind])
        nodes_by_unit: dict[int, list[int]] = {}
        for node, unit in zip(nodes.tolist(), self.unit[nodes].tolist(), strict=True):
            nodes_by_unit.setdefault(unit, []).append(node)
        return nodes_by_unit

    def _read_call(self, node: int) -> Call:
        tree = self.tree
        name, arguments = tree.find_part(node, "name"), tree.find_part(node, "arguments")
        receiver = tree.describe_receiver(node)
        if name < 0:
            return Call(receiver, "", 0, -1)
        inner = tree.children(arguments)[1:-1] if arguments >= 0 else []
        argument_count = sum(tree.get_kind_name(child) not in _COMMENTS for child in inner)
        argument_count = (argument_count + 1) // 2  # Every second child is a comma.
        text, declared = tree.text(name), tree.declared[name]
        self._mark_call(name, bare=receiver in _OWN, declared=declared)
        return Call(
            receiver, OWN_CALL_MARK + text if receiver in _OWN else text, argument_count, declared
        )

    def _mark_call(self, name: int, *, bare: bool, declared: int) -> None:
        """Mark a called name in ``words`` if it is of an own method (``bare``), and record its
        index under the called method's name node ``declared``, unless that is -1."""
        index = self.index_of_node[name]
        if bare:
            self.words[index] = OWN_CALL_MARK + self.words[index]
        if declared >= 0:
            self.resolved.setdefault(declared, []).append(index)

    def _mark_references(self) -> None:
        """Mark the names in method references: ``this::name`` is a later call of an own method."""
        for node in np.flatnonzero(symbol_mask("method_reference")[self.kind]).tolist():
            last = self.tree.stop[node] - 1
            if self.tree.get_kind_name(last) == "identifier":
                bare = self.tree.get_kind_name(node + 1) in _OWN
                self._mark_call(last, bare=bare, declared=self.tree.declared[last])

    def _read_created_type(self, node: int) -> str:
        type_ = self.tree.find_part(node, "type")
        return self.tree.read_type_name(type_) if type_ >= 0 else ""

    def _read_string(self, node: int) -> str:
        # Without the quotes; a character has at most four bytes in UTF-8.
        first, last = self.tree.start[node] + 1, self.tree.end[node] - 1
        text = self.tree.source[first : min(last, first + 4 * _MAX_STRING_LENGTH)]
        return text.decode("utf-8", errors="replace")[:_MAX_STRING_LENGTH]

    def _collect_reads(self) -> Spans[str]:
        bound = self.file.bindings
        chosen = (bound.role == _FIELD) & ((bound.access == READS) | (bound.access == UPDATES))
        nodes = [node for node in bound.node[chosen].tolist() if self.tree.is_own_field(node)]
        column = np.array(nodes, dtype=np.int32)
        return Spans(column, [self.tree.text(node) for node in nodes], self.body, self.stop)

    def _read_assignment(self, node: int) -> Write:
        """Return the effect of an assignment, ``x++`` or ``--x``."""
        tree = self.tree
        left = tree.find_part(node, "left")
        if left < 0:
            # ``x++`` has no field ``left``; kinds of signs do not begin with a letter.
            operands = [
                child for child in tree.children(node) if tree.get_kind_name(child)[:1].isalpha()
            ]
            left = operands[0] if operands else -1
        target, is_whole = tree.find_assigned_variable(left) if left >= 0 else (-1, False)
        if target < 0:
            return Write("", "")
        kind, name = self._classify_write(target, is_whole=is_whole)
        if kind not in ("fields_written", "elements_written"):
            return Write(kind, name)
        return self._find_sources(node, kind, name)

    def _classify_write(self, target: int, *, is_whole: bool) -> tuple[str, str]:
        """Return the field of ``Facts`` that lists a write ("" for a local variable), and the name
        that it lists."""
        tree = self.tree
        name, role = tree.text(target), tree.role[target]
        if role == _PARAMETER:
            return ("parameters_written" if is_whole else "filled", name)
        if role != _FIELD:
            return ("", name)
        if tree.is_own_field(target):
            return ("fields_written" if is_whole else "elements_written", name)
        base = tree.find_base(tree.find_field_access(target))
        if base >= 0 and tree.role[base] == _PARAMETER:
            return ("filled", tree.text(base))
        if base >= 0 and tree.role[base] == _FIELD:
            return ("elements_written", tree.text(base))
        return ("others_written", name)

    def _find_sources(self, node: int, kind: str, name: str) -> Write:
        """Return the write of a field, with the parameters that its new value comes from."""
        tree = self.tree
        right, operator = tree.find_part(node, "right"), tree.find_part(node, "operator")
        if right < 0 or operator < 0:
            return Write(kind, name)
        value = tree.unwrap_expression(right)
        if tree.role[value] == _PARAMETER and tree.get_kind_name(operator) == "=":
            return Write(kind, name, stored=((tree.text(value), name),))
        # The identifiers of the right side; ``nodes`` is ascending.
        nodes = self.file.names.node
        first = int(np.searchsorted(nodes, right))
        near = nodes[first : first + _MAX_SOURCES].tolist()
        inside = (identifier for identifier in near if identifier < tree.stop[right])
        sources = [identifier for identifier in inside if tree.role[identifier] == _PARAMETER]
        derived = dict.fromkeys((tree.text(source), name) for source in sources)
        return Write(kind, name, derived=tuple(derived))
