"""Syntax tree of a file as plain lists, which are faster than arrays for access node by node.

The translation to instructions (``instructions`` and the modules above it) reads only this tree.
"""

from __future__ import annotations

from functools import lru_cache

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.bindings.names import LOCALS, ROLES
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, node_names, symbol_name
from codeacumen.languages.syntax import ListTree

# Fields of the grammar that the translation reads. Their codes, below, begin at 1; 0 is any other
# field, or none.
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
# Roles of names, as numbers: variables that registers hold, names of types, and enum constants.
VARIABLE_ROLES = frozenset(ROLES.index(role) for role in LOCALS)
TYPE_ROLES = frozenset(ROLES.index(role) for role in ("type", "package", "type variable"))
CONSTANT = ROLES.index("enum constant")


@lru_cache(maxsize=1)
def _load_grammar_tables() -> tuple[frozenset[int], dict[int, int]]:
    """Return the symbols except tokens and comments, and the codes of the grammar's fields."""
    grammar = load_grammar()
    named_symbols = frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(symbol) and symbol_name(symbol) not in _COMMENTS
    )
    return named_symbols, {field_number(name): index + 1 for index, name in enumerate(_FIELDS)}


class NodeTree(ListTree[str, int]):
    """Syntax of a file with roles, symbols and declarations of its names, by node.

    Nodes are numbers, in pre-order, so ``node + 1`` is the first child of ``node`` (which may be a
    token), and ``stop[node]`` is the first number after its descendants. Kinds are names of the
    grammar, fields the codes above. ``word`` is the index in ``words`` of an identifier's text (-1:
    no identifier). ``declaration`` is the name's node in its declaration (-1: declared elsewhere).
    """

    def __init__(self, file: JavaFile) -> None:
        syntax, names, bindings = file.syntax, file.names, file.bindings
        kind_names = node_names()
        named_symbols, field_numbers = _load_grammar_tables()
        symbols = syntax.kind.tolist()
        super().__init__(
            syntax,
            [kind_names[symbol] for symbol in symbols],
            [field_numbers.get(number, 0) for number in syntax.field.tolist()],
        )
        self.is_named: list[bool] = [symbol in named_symbols for symbol in symbols]
        self.words = names.words
        self.word: list[int] = names.word_of.tolist()
        columns = (bindings.node, bindings.role, bindings.symbol, bindings.declaration)
        self.role: dict[int, int] = {}
        self.symbol: dict[int, int] = {}
        self.declaration: dict[int, int] = {}
        for node, role, symbol, declared in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            self.role[node] = role
            self.symbol[node] = symbol
            self.declaration[node] = declared

    def named_children(self, node: int) -> list[int]:
        """Return the children except tokens and comments."""
        stop, is_named = self.stop, self.is_named
        child, end = node + 1, stop[node]
        children = []
        while child < end:
            if is_named[child]:
                children.append(child)
            child = stop[child]
        return children

    def first_child_of_kind(self, node: int, *kinds: str) -> int:
        """Return the first child that is of one of some kinds; -1 if there is none."""
        stop, kind = self.stop, self.kind
        child, end = node + 1, stop[node]
        while child < end:
            if kind[child] in kinds:
                return child
            child = stop[child]
        return -1

    def unwrap_expression(self, node: int) -> int:
        """Return the expression inside parentheses and casts."""
        while True:
            if self.kind[node] == "parenthesized_expression":
                inner = self.named_children(node)
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

    def annotation_names(self, node: int) -> list[str]:
        """Return the simple names of a declaration's annotations."""
        modifiers = self.first_child_of_kind(node, "modifiers")
        if modifiers < 0:
            return []
        names = []
        for annotation in self.named_children(modifiers):
            if self.kind[annotation] in ("marker_annotation", "annotation"):
                name = self.child(annotation, NAME)
                names.append(self.text(name).rpartition(".")[2] if name >= 0 else "")
        return names
