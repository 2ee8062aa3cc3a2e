"""A file's syntax as plain lists, for code that looks at one node after the other."""

from __future__ import annotations

from functools import lru_cache

from acumen.lang.java import language
from acumen.lang.java.bindings import ROLES
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import field

_FIELDS = (
    "name", "type", "value", "object", "arguments", "field", "array", "index", "left", "right",
    "operator", "operand", "condition", "consequence", "alternative", "body", "init", "update",
    "resources", "constructor", "dimensions", "parameters",
)  # fmt: skip
(
    NAME, TYPE, VALUE, OBJECT, ARGUMENTS, FIELD, ARRAY, INDEX, LEFT, RIGHT, OPERATOR, OPERAND,
    CONDITION, CONSEQUENCE, ALTERNATIVE, BODY, INIT, UPDATE, RESOURCES, CONSTRUCTOR, DIMENSIONS,
    PARAMETERS,
) = range(1, 1 + len(_FIELDS))  # fmt: skip
_COMMENTS = ("line_comment", "block_comment")
VARIABLES = frozenset(
    ROLES.index(role)
    for role in (
        "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource"
    )
)  # fmt: skip
OF_FIELD = ROLES.index("field")
OF_TYPE = frozenset(ROLES.index(role) for role in ("type", "package", "type variable"))
CONSTANT = ROLES.index("enum constant")


@lru_cache(maxsize=1)
def _grammar() -> tuple[tuple[str, ...], tuple[bool, ...], dict[int, int]]:
    """The name of each symbol, whether it is more than a token, and our numbers of fields."""
    grammar = language()
    count = grammar.node_kind_count
    names = tuple(grammar.node_kind_for_id(symbol) or "" for symbol in range(count))
    named = tuple(
        grammar.node_kind_is_named(symbol) and names[symbol] not in _COMMENTS
        for symbol in range(count)
    )
    return names, named, {field(name): place + 1 for place, name in enumerate(_FIELDS)}


class Tree:
    """To be asked with nodes of the file's syntax."""

    def __init__(self, file: JavaFile) -> None:
        syntax, names, bound = file.syntax, file.names, file.bindings
        self.source = syntax.source
        spelt, named, numbers = _grammar()
        kind = syntax.kind.tolist()
        last = len(spelt)
        self.kind: list[str] = [spelt[one] if one < last else "ERROR" for one in kind]
        self.named: list[bool] = [one < last and named[one] for one in kind]
        self.field: list[int] = [numbers.get(one, 0) for one in syntax.field.tolist()]
        self.start: list[int] = syntax.start.tolist()
        self.end: list[int] = syntax.end.tolist()
        self.stop: list[int] = syntax.stop.tolist()
        self.parent: list[int] = syntax.parent.tolist()
        self.words = names.words
        self.word: list[int] = names.word_of.tolist()
        columns = (bound.node, bound.role, bound.symbol, bound.declaration)
        self.role: dict[int, int] = {}
        self.symbol: dict[int, int] = {}
        self.declared: dict[int, int] = {}
        for node, role, symbol, declared in zip(*(one.tolist() for one in columns), strict=True):
            self.role[node] = role
            self.symbol[node] = symbol
            self.declared[node] = declared

    def text(self, node: int) -> str:
        return self.source[self.start[node] : self.end[node]].decode("utf-8", errors="replace")

    def kids(self, node: int) -> list[int]:
        """Children that are more than tokens and comments."""
        stop, named = self.stop, self.named
        at, end = node + 1, stop[node]
        found = []
        while at < end:
            if named[at]:
                found.append(at)
            at = stop[at]
        return found

    def child(self, node: int, which: int) -> int:
        """The first child in a field; -1 if there is none."""
        stop, field_ = self.stop, self.field
        at, end = node + 1, stop[node]
        while at < end:
            if field_[at] == which:
                return at
            at = stop[at]
        return -1

    def first(self, node: int, *kinds: str) -> int:
        """The first child of some kinds; -1 if there is none."""
        stop, kind = self.stop, self.kind
        at, end = node + 1, stop[node]
        while at < end:
            if kind[at] in kinds:
                return at
            at = stop[at]
        return -1

    def bare(self, node: int) -> int:
        """Without the parentheses and casts around it."""
        while True:
            if self.kind[node] == "parenthesized_expression":
                inner = self.kids(node)
                if not inner:
                    return node
                node = inner[0]
            elif self.kind[node] == "cast_expression":
                inner_value = self.child(node, VALUE)
                if inner_value < 0:
                    return node
                node = inner_value
            else:
                return node

    def annotations(self, node: int) -> list[str]:
        """Simple names of the annotations of a declaration."""
        group = self.first(node, "modifiers")
        if group < 0:
            return []
        found = []
        for one in self.kids(group):
            if self.kind[one] in ("marker_annotation", "annotation"):
                name = self.child(one, NAME)
                found.append(self.text(name).rpartition(".")[2] if name >= 0 else "")
        return found
