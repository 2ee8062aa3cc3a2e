"""Identifiers and their contexts from paths in the syntax tree, Java's and JavaScript's.

A context is a path from the identifier's leaf to another leaf, with the word at that leaf, as one
hash; each path serves both its ends. JavaScript's paths are those of
``acumen.lang.javascript.paths``; Java's are taken in the same way from Java's tree without
punctuation, comments, parentheses and lists.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from acumen.lang.abstract_tree import (
    Flags,
    LeafPaths,
    Limits,
    Treatment,
    abstract_tree,
    leaf_paths,
    leaf_words,
    symbol_hashes,
    treatment,
)
from acumen.lang.kernel import STEP, Words, mixed
from acumen.lang.syntax import Column

# Characters of a literal.
LONGEST = 40
_PASSED = (
    "parenthesized_expression", "argument_list", "formal_parameters", "modifiers",
    "switch_block", "type_arguments", "dimensions", "dimensions_expr", "superclass",
    "super_interfaces", "type_list", "annotation_argument_list",
)  # fmt: skip
_LEFT_OUT = ("line_comment", "block_comment", "string_fragment", "escape_sequence")
_LEAVES = (
    "identifier", "type_identifier", "string_literal", "character_literal", "null_literal", "true",
    "false", "this", "super", "decimal_integer_literal", "hex_integer_literal",
    "octal_integer_literal", "binary_integer_literal", "decimal_floating_point_literal",
    "hex_floating_point_literal", "boolean_type", "void_type", "integral_type",
    "floating_point_type",
)  # fmt: skip
# What stands below these plays its part by its place.
_PARTS = ("method_invocation", "field_access", "array_access", "assignment_expression")


def contexts_of(
    language: str, source: bytes, limits: Limits, places: dict[str, int]
) -> tuple[Column, Words]:
    """Pairs of a file: the identifier, as a place in a dictionary that grows, and the hash of its
    context."""
    found = _javascript(source, limits) if language == "javascript" else _java(source, limits)
    paths, word, words, is_name = found
    hashes = np.fromiter(
        (
            int.from_bytes(hashlib.blake2b(_bytes(text), digest_size=8).digest(), "little")
            for text in words
        ),
        dtype=np.uint64,
        count=len(words),
    )
    names = np.full(len(words), -1, dtype=np.int32)
    for i in np.unique(word[is_name]).tolist():
        text = words[i].removeprefix("#").encode("utf-8", "replace").decode()
        names[i] = places.setdefault(text, len(places))
    one, other = word[paths.left], word[paths.right]
    forth, against = is_name[paths.left], is_name[paths.right]
    return (
        np.concatenate([names[one[forth]], names[other[against]]]),
        np.concatenate([
            mixed(paths.path[forth] + STEP * hashes[other[forth]]),
            mixed(paths.back[against] + STEP * hashes[one[against]]),
        ]),
    )  # fmt: skip


_Found = tuple[LeafPaths, Column, tuple[str, ...], Flags]


def _javascript(source: bytes, limits: Limits) -> _Found:
    from acumen.lang.javascript import parse_javascript
    from acumen.lang.javascript.paths import paths

    found = paths(parse_javascript(source), limits.length, limits.width, limits.most)
    between = LeafPaths(found.left, found.right, found.path, found.back)
    return between, found.word, found.words, found.is_name


def _java(source: bytes, limits: Limits) -> _Found:
    from acumen.lang.java import parse_java
    from acumen.lang.java.grammar import field, symbols

    syntax = parse_java(source)
    tree = abstract_tree(syntax, _treatment(), field("operator"))
    kind = syntax.kind[tree.node]
    shows_place = np.isin(kind[np.maximum(tree.up, 0)], list(symbols(*_PARTS))) & (tree.up >= 0)
    shows_place[tree.leaf] = True
    between = leaf_paths(kind, tree, shows_place, _hashes(), limits)
    word, words = leaf_words(
        syntax, tree, lambda text: text[:LONGEST] if text[:1] in "'\"" else text
    )
    is_name = np.isin(kind[tree.leaf], list(symbols("identifier", "type_identifier")))
    return between, word, words, is_name


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=1)
def _treatment() -> Treatment:
    from acumen.lang.java import language
    from acumen.lang.java.grammar import symbols

    return treatment(language(), symbols(*_LEFT_OUT), symbols(*_PASSED), symbols(*_LEAVES))


@lru_cache(maxsize=1)
def _hashes() -> Words:
    from acumen.lang.java import language

    return symbol_hashes(language())
