"""Paths between leaves of JavaScript's abstract tree, on which path-based embeddings are trained.

The paths follow PigeonJS (Alon et al., "A general path-based representation for predicting program
properties", PLDI 2018): 7 and 3 are the paper's limits of length and width for JavaScript. A node
is labelled by its kind and operator, and by its index among its siblings if it is a leaf or a child
of a call, a member, a subscript or an assignment, where the index determines its function. Three
things differ from the paper: paths are taken from the whole file, not function by function; two
leaves of the same name are no exception to the limits; and a leaf has paths to a limited number of
later leaves.

The grammar's tree is concrete. Limits on paths were published for abstract trees, so punctuation,
comments, empty statements and the inside of literals are left out, and parentheses, lists of
arguments or parameters and the like are passed through. The result has the shape of ESTree's
trees, except for a few pairs of nodes that the grammar merges (``{x}``, ``{x() {}}``,
``for (const x of y)``, ``<x/>``). Leaves are identifiers, literals, ``this`` and ``super``. Neither
a template with substitutions nor its characters are leaves. ``await (a, b)()`` is a call of
``await`` in the grammar's trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.abstract_tree import (
    Limits,
    Treatment,
    Tree,
    build_abstract_tree,
    find_leaf_paths,
    hash_symbols,
    make_treatment,
    number_leaf_words,
)
from codeacumen.languages.javascript import load_grammar
from codeacumen.languages.javascript.tokens import (
    IDENTIFIERS,
    field_number,
    find_symbols,
    name_value,
    string_value,
    symbol_mask,
)
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
def _load_treatment() -> Treatment:
    """Return the treatment of each symbol of JavaScript's grammar."""
    return make_treatment(
        load_grammar(),
        find_symbols(*_LEFT_OUT),
        find_symbols(*_PASSED),
        find_symbols(*IDENTIFIERS, *_LITERALS),
        find_symbols("template_string"),
    )


def build_javascript_tree(syntax: Syntax) -> Tree:
    """Return the abstract tree of a file."""
    return build_abstract_tree(syntax, _load_treatment(), field_number("operator"))


# Default limits, as in ``Limits``.
LENGTH, WIDTH, MOST = 7, 3, 200
# PigeonJS truncates literals to this number of characters.
_LONGEST = 64
# Kinds of nodes whose children are labelled by their index, too.
_PARTS = (
    "call_expression",
    "member_expression",
    "subscript_expression",
    "assignment_expression",
    "augmented_assignment_expression",
)


@dataclass(frozen=True)
class Paths:
    """Paths between the leaves of a file.

    ``left`` and ``right`` are indices into ``tree.leaf``, left before right in the source. ``path``
    is the hash of the path from left to right, ``back`` that of the path from right to left; a path
    has the same hash in all files. For each leaf, ``word`` is the index of its text in ``words``
    and ``is_name`` is true for identifiers. ``shows_place`` is a mask of the tree's nodes whose
    label includes their index among their siblings.
    """

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


def find_javascript_paths(
    syntax: Syntax, length: int = LENGTH, width: int = WIDTH, most: int = MOST
) -> Paths:
    """Return all paths of a file within the limits, by the left leaf and from near to far."""
    tree = build_javascript_tree(syntax)
    kind = syntax.kind[tree.node]
    shows_place = symbol_mask(*_PARTS)[kind[np.maximum(tree.parent, 0)]] & (tree.parent >= 0)
    shows_place[tree.leaf] = True
    leaf_paths = find_leaf_paths(
        kind, tree, shows_place, _symbol_hashes(), Limits(length, width, most)
    )
    word, words = number_leaf_words(syntax, tree, _normalize_leaf)
    is_name = symbol_mask(*IDENTIFIERS)[kind[tree.leaf]]
    return Paths(
        syntax,
        tree,
        leaf_paths.left,
        leaf_paths.right,
        leaf_paths.path,
        leaf_paths.back,
        word,
        words,
        is_name,
        shows_place,
    )


def _normalize_leaf(text: str) -> str:
    """Return the word of a leaf: names and strings decoded, literals truncated."""
    if text[0] in "'\"":
        return f'"{string_value(text)[:_LONGEST]}"'
    return text[:_LONGEST] if text[0] in "`/" else name_value(text)


@lru_cache(maxsize=1)
def _symbol_hashes() -> Words:
    return hash_symbols(load_grammar())
