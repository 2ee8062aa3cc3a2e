"""Which methods do something like this one? Answered from an index, for a method of anybody's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acumen.api import AcumenError
from acumen.similar.index import Index, Method
from acumen.similar.words import words

if TYPE_CHECKING:
    from tree_sitter import Node

# So many are looked at for each that is told: overloads are told once.
_OVERLOADS = 8
_SHARED = np.float32(1e-6)
HINT = "FILE.java:LINE, FILE.java:NAME, or the id of a method in the corpus"


@dataclass(frozen=True, slots=True)
class Asked:
    """A method, as it is asked about; ``method_id`` where it is one of the corpus."""

    name: str
    javadoc: str
    text: str
    method_id: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """``others``: how many methods of the same type and name were found with it: overloads, and
    copies of the file."""

    method: Method
    score: float
    others: int = 0


def asked(reference: str, corpus: Path) -> Asked:
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
    return Asked(row["name"], row["javadoc"] or "", row["text"], row["method_id"])


@dataclass(frozen=True, slots=True)
class _Method:
    name: str
    first: int
    last: int
    javadoc: str
    text: str


def _in_file(path: Path, at: str) -> Asked:
    source = path.read_bytes()
    methods = _methods(source)
    if not methods:
        # A method alone is no Java; in a class it is.
        methods = _methods(b"class Asked {\n" + source + b"\n}")
        at = str(int(at) + 1) if at.isdecimal() else at
    found = [
        one
        for one in methods
        if not at or one.name == at or (at.isdecimal() and one.first <= int(at) <= one.last)
    ]
    if not found:
        known = ", ".join(dict.fromkeys(one.name for one in methods)) or "none"
        raise AcumenError(f"{path} has no method at {at!r}", f"its methods: {known}")
    if not at.isdecimal() and len(found) > 1:
        places = ", ".join(str(one.first) for one in found[:8])
        raise AcumenError(
            f"{path} has {len(found)} methods{f' called {at}' if at else ''}",
            f"say which by a line: {places}",
        )
    # A line inside a local class is inside two: the inner one begins last.
    chosen = found[-1]
    return Asked(chosen.name, chosen.javadoc, chosen.text)


def _methods(source: bytes) -> list[_Method]:
    """The methods and constructors with a body, as they begin. By tree-sitter alone: what the rest
    of acumen knows of a file takes longer to load than the whole answer may."""
    from tree_sitter import Parser, Query, QueryCursor

    from acumen.lang.java import language

    tree = Parser(language()).parse(source)
    nodes = QueryCursor(Query(language(), _QUERY)).captures(tree.root_node).get("method", [])
    found = []
    for node in sorted(nodes, key=lambda one: one.start_byte):
        name, comment = node.child_by_field_name("name"), node.prev_named_sibling
        is_javadoc = comment is not None and comment.type == "block_comment"
        javadoc = _text(comment) if comment is not None and is_javadoc else ""
        found.append(
            _Method(
                _text(name) if name is not None else "",
                node.start_point.row + 1,
                node.end_point.row + 1,
                javadoc if javadoc.startswith("/**") else "",
                _text(node),
            )
        )
    return found


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_QUERY = """
[(method_declaration body: (block)) (constructor_declaration body: (constructor_body))
 (compact_constructor_declaration body: (block))] @method
"""


def find(index: Index, method: Asked, most: int = 10) -> list[Hit]:
    """The methods most like it, from like to unlike; those that share no word are none."""
    scores = index.scores(words(method.name, method.javadoc, method.text))
    many = min(most * _OVERLOADS, len(scores))
    if not many:
        return []
    least = np.partition(scores, len(scores) - many)[len(scores) - many]
    among = np.flatnonzero(scores >= max(least, _SHARED))
    # Among equals: as they stand in the corpus.
    best = among[np.argsort(-scores[among], kind="stable")][:many].tolist()
    hits: dict[tuple[str, str, str], Hit] = {}
    for number, about in zip(best, index.about(best), strict=True):
        if about.method_id == method.method_id:
            continue
        key = (about.project, about.type, about.signature.partition("(")[0])
        if key in hits:
            hits[key] = replace(hits[key], others=hits[key].others + 1)
        else:
            hits[key] = Hit(about, round(float(scores[number]), 4))
    return list(hits.values())[:most]
