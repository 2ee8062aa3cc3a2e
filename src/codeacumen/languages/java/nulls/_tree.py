"""A file's syntax as plain lists, for code that looks at one node after the other."""

from __future__ import annotations

from functools import lru_cache

from codeacumen.languages.java import language
from codeacumen.languages.java.bindings.names import ROLES
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field, name_of, node_names
from codeacumen.languages.syntax import ListTree

_FIELDS = (
    "name",
    "type",
    "value",
    "object",
    "arguments",
    "field",
    "array",
    "index",
    "left",
    "right",
    "operator",
    "operand",
    "condition",
    "consequence",
    "alternative",
    "body",
    "init",
    "update",
    "resources",
    "constructor",
    "dimensions",
    "parameters",
)
(
    NAME,
    TYPE,
    VALUE,
    OBJECT,
    ARGUMENTS,
    FIELD,
    ARRAY,
    INDEX,
    LEFT,
    RIGHT,
    OPERATOR,
    OPERAND,
    CONDITION,
    CONSEQUENCE,
    ALTERNATIVE,
    BODY,
    INIT,
    UPDATE,
    RESOURCES,
    CONSTRUCTOR,
    DIMENSIONS,
    PARAMETERS,
) = range(1, 1 + len(_FIELDS))
_COMMENTS = ("line_comment", "block_comment")
VARIABLES = frozenset(
    ROLES.index(role)
    for role in (
        "local",
        "parameter",
        "lambda parameter",
        "catch parameter",
        "pattern variable",
        "resource",
    )
)
OF_TYPE = frozenset(ROLES.index(role) for role in ("type", "package", "type variable"))
CONSTANT = ROLES.index("enum constant")


@lru_cache(maxsize=1)
def _grammar() -> tuple[frozenset[int], dict[int, int]]:
    """Symbols that are more than tokens and comments, and our numbers of fields."""
    grammar = language()
    named = frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(symbol) and name_of(symbol) not in _COMMENTS
    )
    return named, {field(name): place + 1 for place, name in enumerate(_FIELDS)}


class Tree(ListTree[str, int]):
    """To be asked with nodes of the file's syntax."""

    def __init__(self, file: JavaFile) -> None:
        syntax, names, bound = file.syntax, file.names, file.bindings
        spelt = node_names()
        named, numbers = _grammar()
        symbols = syntax.kind.tolist()
        super().__init__(
            syntax,
            [spelt[symbol] for symbol in symbols],
            [numbers.get(number, 0) for number in syntax.field.tolist()],
        )
        self.named: list[bool] = [symbol in named for symbol in symbols]
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
