"""What stands in the bodies of a file: calls, writes, reads, returns. Each is looked at once; a
method takes its stretch of what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.bindings import READS, ROLE, UPDATES
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among
from acumen.lang.syntax import Column
from acumen.models.naming._facts_tree import BARE, Tree, nearest

T = TypeVar("T")

# Of one method so many of a kind are kept: classes may stand in methods of classes 10,000 deep.
MOST = 2000
_LONGEST_STRING = 40
_MOST_SOURCES = 16
_PARAMETER, _FIELD = ROLE["parameter"], ROLE["field"]
_OWN = frozenset(("", "this", "super"))
_UNITS = (
    "method_declaration", "constructor_declaration", "compact_constructor_declaration",
    "lambda_expression", "class_body", "enum_body", "interface_body",
)  # fmt: skip
_COMMENTS = frozenset(("line_comment", "block_comment"))


class Call(NamedTuple):
    receiver: str
    name: str
    arguments: int
    declared: int


class Write(NamedTuple):
    """``kind`` is the list of Facts that the name goes into."""

    kind: str
    name: str
    stored: tuple[tuple[str, str], ...] = ()
    derived: tuple[tuple[str, str], ...] = ()


class Spans(Generic[T]):
    """Things in the order of the source, and which of them each body holds."""

    def __init__(self, node: Column, values: Sequence[T], body: Column, stop: Column) -> None:
        self.values = values
        self.first: list[int] = np.searchsorted(node, body).tolist()
        self.last: list[int] = np.searchsorted(node, stop).tolist()

    def __getitem__(self, i: int) -> Sequence[T]:
        first = self.first[i]
        return self.values[first : min(self.last[i], first + MOST)]


class Found:
    def __init__(self, file: JavaFile, tree: Tree, body: Column, stop: Column) -> None:
        self.file, self.tree, self.body, self.stop = file, tree, body, stop
        self.kind = file.syntax.kind
        self.unit = nearest(among(*_UNITS)[self.kind], file.syntax.parent)
        # Calls by the name of the method declared here that they mean: places among the names.
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
        """How many nodes of these kinds stand in each body."""
        return self.count_where(among(*kinds)[self.kind])

    def count_where(self, chosen: NDArray[np.bool_]) -> list[int]:
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])
        found: list[int] = (before[self.stop] - before[self.body]).tolist()
        return found

    def _each(self, make: Callable[[int], T], *kinds: str) -> Spans[T]:
        nodes = np.flatnonzero(among(*kinds)[self.kind]).astype(np.int32)
        return Spans(nodes, [make(node) for node in nodes.tolist()], self.body, self.stop)

    def _own(self, kind: str) -> dict[int, list[int]]:
        """Nodes of a kind by the declaration of the method whose they are, not a lambda's."""
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
        given = (given + 1) // 2  # Every second is a comma.
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
        """``this::name`` is a call of an own method that comes later."""
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
        """What an assignment, ``x++`` or ``--x`` changes."""
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
