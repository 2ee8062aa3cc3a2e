"""Which methods do something like this one? Answered from an index, for a method of anybody's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from acumen.api import AcumenError
from acumen.lang.syntax import Syntax
from acumen.similar.index import Index, Method
from acumen.similar.words import words

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


def _in_file(path: Path, at: str) -> Asked:
    from acumen.lang.java.file import JavaFile

    source = path.read_bytes()
    file = JavaFile(source)
    if not file.declarations.methods:
        # A method alone is no Java; in a class it is.
        file = JavaFile(b"class Asked {\n" + source + b"\n}")
        at = str(int(at) + 1) if at.isdecimal() else at
    syntax, methods = file.syntax, file.declarations.methods
    lines = {one: _lines(syntax, methods[one].node) for one in file.bodies}
    found = [
        one
        for one, (first, last) in lines.items()
        if not at or methods[one].name == at or (at.isdecimal() and first <= int(at) <= last)
    ]
    if not found:
        known = ", ".join(dict.fromkeys(methods[one].name for one in file.bodies)) or "none"
        raise AcumenError(f"{path} has no method at {at!r}", f"its methods: {known}")
    # A line inside a local class is inside two: the inner one begins last.
    chosen = methods[found[-1] if at.isdecimal() else found[0]]
    if not at.isdecimal() and len(found) > 1:
        places = ", ".join(str(lines[one][0]) for one in found[:8])
        raise AcumenError(
            f"{path} has {len(found)} methods{f' called {at}' if at else ''}",
            f"say which by a line: {places}",
        )

    def text(node: int) -> str:
        data = syntax.source[int(syntax.start[node]) : int(syntax.end[node])]
        return data.decode("utf-8", "replace")

    javadoc = text(chosen.javadoc) if chosen.javadoc >= 0 else ""
    return Asked(chosen.name, javadoc, text(chosen.node))


def _lines(syntax: Syntax, node: int) -> tuple[int, int]:
    start, end = int(syntax.start[node]), int(syntax.end[node])
    first = syntax.source.count(b"\n", 0, start) + 1
    return first, first + syntax.source.count(b"\n", start, end)


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
