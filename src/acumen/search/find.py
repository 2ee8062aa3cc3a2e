"""The methods of a corpus whose words are most like those of a given method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acumen.api import AcumenError
from acumen.search.index import top_k
from acumen.search.word_index import IndexedMethod, WordIndex
from acumen.search.words import words

if TYPE_CHECKING:
    from tree_sitter import Node

# So many candidates for each answer: overloads are one answer.
_OVERLOADS = 8
_SHARED = np.float32(1e-6)
HINT = "FILE.java:LINE, FILE.java:NAME, or the id of a method in the corpus"


@dataclass(frozen=True, slots=True)
class QueryMethod:
    """The method to find others like; ``method_id`` where it is one of the corpus."""

    name: str
    javadoc: str
    text: str
    method_id: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """``others``: how many more methods have the same type and name (overloads, copies of the
    file)."""

    method: IndexedMethod
    score: float
    others: int = 0


def read_query(reference: str, corpus: Path) -> QueryMethod:
    """The method that a reference names."""
    file, _, at = reference.rpartition(":")
    if file and Path(file).is_file():
        return _in_file(Path(file), at)
    if Path(reference).is_file():
        return _in_file(Path(reference), "")
    from acumen.corpus import Corpus

    try:
        row = Corpus.open(corpus).method(reference)
    except AcumenError as error:
        raise AcumenError(f"{reference!r}: no file and no method: {error}", HINT) from error
    return QueryMethod(row["name"], row["javadoc"] or "", row["text"], row["method_id"])


@dataclass(frozen=True, slots=True)
class _Method:
    name: str
    first: int
    last: int
    javadoc: str
    text: str


def _in_file(path: Path, at: str) -> QueryMethod:
    source = path.read_bytes()
    methods = _methods(source)
    if not methods:
        # A method alone is no Java; in a class it is.
        methods = _methods(b"class Asked {\n" + source + b"\n}")
        at = str(int(at) + 1) if at.isdecimal() else at
    matches = [
        method
        for method in methods
        if not at or method.name == at
        or (at.isdecimal() and method.first <= int(at) <= method.last)
    ]  # fmt: skip
    if not matches:
        names = ", ".join(dict.fromkeys(method.name for method in methods)) or "none"
        raise AcumenError(f"{path} has no method at {at!r}", f"its methods: {names}")
    if not at.isdecimal() and len(matches) > 1:
        lines = ", ".join(str(method.first) for method in matches[:8])
        raise AcumenError(
            f"{path} has {len(matches)} methods{f' called {at}' if at else ''}",
            f"name one by its line: {lines}",
        )
    # A line inside a local class is inside two methods: the inner one begins last.
    chosen = matches[-1]
    return QueryMethod(chosen.name, chosen.javadoc, chosen.text)


def _methods(source: bytes) -> list[_Method]:
    """The methods and constructors with a body, in source order. By tree-sitter alone: the rest of
    acumen takes longer to load than the whole answer may."""
    from tree_sitter import Parser, Query, QueryCursor

    from acumen.lang.java import language

    tree = Parser(language()).parse(source)
    nodes = QueryCursor(Query(language(), _QUERY)).captures(tree.root_node).get("method", [])
    methods = []
    for node in sorted(nodes, key=lambda node: node.start_byte):
        name, comment = node.child_by_field_name("name"), node.prev_named_sibling
        is_javadoc = comment is not None and comment.type == "block_comment"
        javadoc = _text(comment) if comment is not None and is_javadoc else ""
        methods.append(
            _Method(
                _text(name) if name is not None else "",
                node.start_point.row + 1,
                node.end_point.row + 1,
                javadoc if javadoc.startswith("/**") else "",
                _text(node),
            )
        )
    return methods


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_QUERY = """
[(method_declaration body: (block)) (constructor_declaration body: (constructor_body))
 (compact_constructor_declaration body: (block))] @method
"""


def find(index: WordIndex, query: QueryMethod, most: int = 10) -> list[Hit]:
    """The methods most like it, best first, equal ones in the order of the corpus; none that
    share no word with it."""
    scores = index.scores(words(query.name, query.javadoc, query.text))
    best = top_k(scores, most * _OVERLOADS)
    best = best[scores[best] >= _SHARED]
    hits: dict[tuple[str, str, str], Hit] = {}
    for number, method in zip(best.tolist(), index.describe(best.tolist()), strict=True):
        if method.method_id == query.method_id:
            continue
        key = (method.project, method.type, method.signature.partition("(")[0])
        if key in hits:
            hits[key] = replace(hits[key], others=hits[key].others + 1)
        else:
            hits[key] = Hit(method, round(float(scores[number]), 4))
    return list(hits.values())[:most]
