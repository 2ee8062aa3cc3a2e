"""Paths between leaves of JavaScript's abstract tree, on which path-based embeddings are trained.

As in PigeonJS (Alon et al., "A general path-based representation for predicting program
properties", PLDI 2018): 7 and 3 are the paper's limits of length and width for JavaScript. A node
goes by its kind and operator, and by its place among its siblings if it is a leaf or stands below a
call, a member, a subscript or an assignment, where the place tells the part played. Otherwise than
there, paths are taken from the whole file, not function by function; two leaves of the same name
are no exception to the limits; and a leaf has paths to a limited number of leaves after it.

The grammar's tree is concrete. Limits on paths were published for abstract trees, so punctuation,
comments, empty statements and the inside of literals are left out, and parentheses, lists of
arguments or parameters and the like are passed through. What is left has the shape of ESTree's
trees, but for a few nodes that the grammar makes one (``{x}``, ``{x() {}}``,
``for (const x of y)``, ``<x/>``). Leaves are identifiers, literals, ``this`` and ``super``. A
template with substitutions is no leaf, and its characters are none. ``await (a, b)()`` is a call of
``await`` in the grammar's trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.abstract_tree import (
    Limits,
    Treatment,
    Tree,
    abstract_tree,
    leaf_paths,
    leaf_words,
    symbol_hashes,
    treatment,
)
from codeacumen.languages.javascript import language
from codeacumen.languages.javascript.grammar import IDENTIFIERS, among, field, symbols
from codeacumen.languages.javascript.tokens import name_value, string_value
from codeacumen.languages.kernel import Words
from codeacumen.languages.syntax import Column, Syntax

_LITERALS = ("string", "number", "regex", "true", "false", "null", "this", "super")
_PASSED = (
    "parenthesized_expression",
    "arguments",
    "formal_parameters",
    "computed_property_name",
    "template_substitution",
    "class_heritage",
    "switch_body",
    "else_clause",
    "finally_clause",
    "import_clause",
    "named_imports",
    "export_clause",
)
_LEFT_OUT = (
    "comment",
    "html_comment",
    "hash_bang_line",
    "empty_statement",
    "optional_chain",
    "import",
    "string_fragment",
    "escape_sequence",
    "regex_pattern",
    "regex_flags",
    "jsx_text",
    "html_character_reference",
)


@lru_cache(maxsize=1)
def _treatment() -> Treatment:
    return treatment(
        language(),
        symbols(*_LEFT_OUT),
        symbols(*_PASSED),
        symbols(*IDENTIFIERS, *_LITERALS),
        symbols("template_string"),
    )


def tree(syntax: Syntax) -> Tree:
    return abstract_tree(syntax, _treatment(), field("operator"))


LENGTH, WIDTH, MOST = 7, 3, 200
# PigeonJS cuts literals here.
_LONGEST = 64
_PARTS = (
    "call_expression",
    "member_expression",
    "subscript_expression",
    "assignment_expression",
    "augmented_assignment_expression",
)


@dataclass(frozen=True)
class Paths:
    """``left`` and ``right`` are places in ``tree.leaf``, left before right in the source.
    ``path`` is a hash of the path from left to right and ``back`` one of the path from right to
    left; a path has the same hash in all files. Of each leaf, ``word`` is the place of its text
    in ``words``, and ``is_name`` tells whether it is an identifier. ``shows_place`` is of the
    nodes of the tree: whether the place is part of the name."""

    syntax: Syntax
    tree: Tree
    left: Column
    right: Column
    path: Words
    back: Words
    word: Column
    words: tuple[str, ...]
    is_name: NDArray[np.bool_]
    shows_place: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    def string(self, i: int) -> str:
        """The path from left to right, as PigeonJS writes paths: that of ``a + 1`` is
        ``(identifier0)^(binary_expression+)_(number1)``."""
        return self.between(int(self.left[i]), int(self.right[i]))

    def between(self, one: int, other: int) -> str:
        """The path from one leaf to another, whatever its length."""
        up, depth, kind, label = self._steps
        a, b = int(self.tree.leaf[one]), int(self.tree.leaf[other])
        rising: list[str] = []
        falling: list[str] = []
        while a != b:
            if depth[a] >= depth[b]:
                rising.append(f"({label[a]})^")
                a = up[a]
            else:
                falling.append(f"_({label[b]})")
                b = up[b]
        return "".join((*rising, f"({kind[a]})", *reversed(falling)))

    @cached_property
    def _steps(self) -> tuple[list[int], list[int], list[str], list[str]]:
        """Parent, depth, kind and name of all nodes of the tree, for quick reading."""
        symbol = self.syntax.kind[self.tree.node].tolist()
        kind = [
            _name(one) + (_name(operator) if operator else "")
            for one, operator in zip(symbol, self.tree.operator.tolist(), strict=True)
        ]
        place = np.where(self.shows_place, self.tree.place, -1).tolist()
        label = [
            f"{one}{where}" if where >= 0 else one for one, where in zip(kind, place, strict=True)
        ]
        return self.tree.up.tolist(), self.tree.depth.tolist(), kind, label


def paths(syntax: Syntax, length: int = LENGTH, width: int = WIDTH, most: int = MOST) -> Paths:
    """All paths of a file within the limits, by the left leaf and from near to far."""
    shape = tree(syntax)
    kind = syntax.kind[shape.node]
    shows_place = among(*_PARTS)[kind[np.maximum(shape.up, 0)]] & (shape.up >= 0)
    shows_place[shape.leaf] = True
    found = leaf_paths(kind, shape, shows_place, _hashes(), Limits(length, width, most))
    word, words = leaf_words(syntax, shape, _word)
    is_name = among(*IDENTIFIERS)[kind[shape.leaf]]
    return Paths(
        syntax,
        shape,
        found.left,
        found.right,
        found.path,
        found.back,
        word,
        words,
        is_name,
        shows_place,
    )


def _word(text: str) -> str:
    if text[0] in "'\"":
        return f'"{string_value(text)[:_LONGEST]}"'
    return text[:_LONGEST] if text[0] in "`/" else name_value(text)


@cache
def _name(symbol: int) -> str:
    return language().node_kind_for_id(symbol) or ""


@lru_cache(maxsize=1)
def _hashes() -> Words:
    return symbol_hashes(language())
