"""Summarise the class around a method, and its nearest callers and callees, with the answer hidden.

``CorpusContext`` serves callers and callees with their texts, without a bound: a call through an
interface has hundreds, in as many files. This summary is bounded and needs one parsed file and
columns that are read once per shard, so that networks can use it for millions of methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.declarations import NONE, Declarations, TypeDeclaration
from codeacumen.languages.java.syntax.file import JavaFile, parse_snippet
from codeacumen.languages.java.syntax.grammar import among, field
from codeacumen.languages.java.syntax.returned import Returned, returned
from codeacumen.views.masking.files import Edits, applied
from codeacumen.views.masking.text import plain
from codeacumen.views.paths import METHOD_NAME

Row = dict[str, Any]

# A summary has at most this many of each, the nearest.
_MOST_METHODS, _MOST_FIELDS, _MOST_IMPORTS, _MOST_NEIGHBOURS = 60, 60, 60, 10
_LONGEST_HEADER, _LONGEST_DOC = 400, 4000
# Shards whose columns are cached: about a megabyte for ten of them.
_SHARDS = 256
_COLUMNS = ["type", "name", "returns", "parameters"]


class Owners:
    """Summaries of the classes around the methods of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._told = lru_cache(maxsize=_SHARDS)(self._columns)
        self._gives = Gives(corpus)

    def around(
        self,
        number: int,
        place: int,
        file: JavaFile,
        edits: Edits,
        name: str,
        callers: frozenset[int],
        callees: frozenset[int],
    ) -> Mapping[str, Json]:
        """Return the summary of a method.

        ``edits`` hide the answer in the file; ``hidden_name`` is a method's name to mask, or empty.
        """
        declared = file.declarations
        method = declared.methods[place]
        shown = _Shown(file, edits)
        index = self.corpus.index
        own = np.array([number], dtype=np.int32)
        calling = index.callers.gather(index.within.gather(own), guesses=True)
        called = index.sets.gather(index.calls.gather(own, guesses=True))
        told: dict[str, Json] = {
            "header": "",
            "fields": [],
            "imports": shown.imports(),
            "doc": shown.text(method.javadoc, _LONGEST_DOC) if method.javadoc != NONE else "",
            "methods": [],
            "callers": self._neighbours(number, calling, callers, name),
            "callees": self._neighbours(number, called, callees, name),
            "gives": {
                _hidden(called, name): what
                for called, what in self._gives.of_calls(number, callees).items()
            },
        }
        if method.type != NONE:
            told["header"] = shown.header(declared.types[method.type])
            told["fields"] = [
                f"{field_.declared} {field_.name}"
                for field_ in declared.fields
                if field_.type == method.type
            ][:_MOST_FIELDS]
        told["methods"] = _siblings(declared, place, name)
        return told

    def _neighbours(
        self, number: int, found: NDArray[Any], hidden: frozenset[int], name: str
    ) -> list[Json]:
        """Return the methods nearest in the corpus, those of the same file and package first."""
        others = np.unique(found)
        others = others[others != number]
        if hidden:
            others = others[~np.isin(others, list(hidden))]
        order = np.argsort(np.abs(others.astype(np.int64) - number), kind="stable")
        return [self._row(other, name) for other in others[order[:_MOST_NEIGHBOURS]].tolist()]

    def _row(self, number: int, name: str) -> Row:
        shard = self.corpus.shard_of(number)
        columns = self._told(shard)
        at = number - int(self.corpus.first[shard])
        row = {key: columns[key][at].as_py() for key in _COLUMNS}
        parameters = [f"{one['type']} {one['name']}" for one in row["parameters"] or ()]
        return _brief(row["type"], row["name"], row["returns"], parameters, name)

    def _columns(self, shard: int) -> dict[str, Any]:
        path = self.corpus.table(self.corpus.shards[shard], "methods")
        table = self.corpus.read(path, _COLUMNS).combine_chunks()
        return {key: table[key].chunk(0) for key in _COLUMNS}


def _hidden(called: str, hidden: str) -> str:
    return METHOD_NAME if hidden and plain(called) == plain(hidden) else called


def _brief(type_: str, called: str, returns: str, parameters: Sequence[str], hidden: str) -> Row:
    return {
        "type": type_,
        "name": _hidden(called, hidden),
        "returns": returns,
        "parameters": list(parameters),
    }


def _siblings(declared: Declarations, place: int, hidden: str) -> list[Json]:
    """Return the other methods of the class in source order; of too many, the nearest ones."""
    type_ = declared.methods[place].type
    indices = [index for index, method in enumerate(declared.methods) if method.type == type_]
    own = indices.index(place)
    first = max(0, min(own - _MOST_METHODS // 2, len(indices) - _MOST_METHODS - 1))
    type_name = declared.types[type_].name if type_ != NONE else ""
    siblings: list[Json] = []
    for index in indices[first : first + _MOST_METHODS + 1]:
        if index != place:
            method = declared.methods[index]
            parameters = [f"{p.type} {p.name}" for p in method.parameters]
            siblings.append(_brief(type_name, method.name, method.returns, parameters, hidden))
    return siblings


class _Shown:
    """Parts of a file's source, with edits applied."""

    def __init__(self, file: JavaFile, edits: Edits) -> None:
        self.file, self.syntax, self.edits = file, file.syntax, edits

    def text(self, node: int, longest: int) -> str:
        return self._between(int(self.syntax.start[node]), int(self.syntax.end[node]), longest)

    def _between(self, start: int, end: int, longest: int) -> str:
        inside = [
            one._replace(start=one.start - start, end=one.end - start)
            for one in self.edits
            if one.start >= start and one.end <= end
        ]
        text = applied(self.file.source[start:end], inside).decode("utf-8", "replace")
        # Cut after the edits, because half of a hidden name would leak it, too.
        return text[:longest]

    def header(self, type_: TypeDeclaration) -> str:
        """Return a declaration up to its body; for an anonymous class, its creation expression."""
        syntax, node = self.syntax, type_.node
        body = node
        if not among("class_body")[syntax.kind[node]]:
            bodies = [
                child for child in syntax.children(node) if syntax.field[child] == field("body")
            ]
            body = bodies[0] if bodies else int(syntax.stop[node])
        else:
            node = int(syntax.parent[node])
        end = syntax.start[body] if body < len(syntax) else syntax.end[node]
        text = self._between(int(syntax.start[node]), int(end), _LONGEST_HEADER)
        return " ".join(text.split())

    def imports(self) -> list[str]:
        nodes = self.file.once(_imports)
        texts = [self.text(node, _LONGEST_HEADER) for node in nodes[:_MOST_IMPORTS]]
        return [" ".join(text.removeprefix("import").rstrip("; \t\n").split()) for text in texts]


def _imports(file: JavaFile) -> list[int]:
    nodes: list[int] = np.flatnonzero(among("import_declaration")[file.syntax.kind]).tolist()
    return nodes


# Kinds of returned values: null, the result of another call, a variable. They come from the return
# statements alone, as a reader who looks up the called methods, and those whose results they pass
# on, would see them. ``languages/java/nulls``, which decides the labels, also analyses branches,
# values and fields. The most informative kind comes first: of several methods of one name, the
# first of these counts.
KINDS = NULL, PASSED, NAME, OTHER = "null", "passed", "name", "other"

# At most this many possible targets of a call are followed, the nearest, and to this depth.
_TARGETS, _DEPTH = 4, 3
_LONGEST = 20_000
# Numbers of shards and of methods that are cached.
_TEXT_SHARDS, _METHODS = 128, 1 << 18
_PRIMITIVE = frozenset(
    ("", "void", "boolean", "byte", "char", "short", "int", "long", "float", "double")
)
_NOTHING = Returned(null=False, calls=(), variable=False)


def given(text: str) -> Returned:
    """Return what the first method of a text returns; an empty record without a method.

    >>> parse_returned("String f() { return a ? map.get(k) : null; }")
    Returned(null=True, calls=('get',), variable=False)
    """
    syntax = parse_snippet(text[:_LONGEST]).file.syntax
    methods = np.flatnonzero(among("method_declaration")[syntax.kind])
    return returned(syntax, int(methods[0])) if len(methods) else _NOTHING


class Gives:
    """Kinds of the results of the methods of a corpus, one of ``KINDS`` each, with caches."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._read = lru_cache(maxsize=_TEXT_SHARDS)(self._columns)
        self._returned = lru_cache(maxsize=_METHODS)(self._of_text)
        self._known = lru_cache(maxsize=_METHODS)(self._kind)
        self._targets = lru_cache(maxsize=_METHODS)(self._called)

    def of_calls(self, number: int, hidden: frozenset[int]) -> dict[str, str]:
        """Return the kind of result of each method that a method calls, by sorted name.

        Methods in ``hidden`` are skipped.
        """
        found: dict[str, str] = {}
        for name, targets in sorted(self._targets(number).items()):
            kinds = [self._known(one, _DEPTH) for one in targets if one not in hidden]
            if kinds:
                found[name] = min(kinds, key=KINDS.index)
        return found

    def _kind(self, number: int, depth: int) -> str:
        own = self._returned(number)
        if own.null:
            return NULL
        for name in own.calls if depth else ():
            if any(
                self._known(one, depth - 1) in (NULL, PASSED)
                for one in self._targets(number).get(name, ())
            ):
                return PASSED
        return NAME if own.variable else OTHER

    def _called(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return the methods that a method's calls may reach, by name, except the method itself."""
        index = self.corpus.index
        found: dict[str, dict[int, None]] = {}
        for one in index.calls.gather(np.array([number], dtype=np.int32), guesses=True).tolist():
            targets = index.sets[one].astype(np.int64)
            near = np.argsort(np.abs(targets - number), kind="stable")[:_TARGETS]
            for target in targets[near].tolist():
                if target != number:
                    found.setdefault(self._told(target, "name"), {})[target] = None
        return {name: tuple(targets) for name, targets in found.items()}

    def _of_text(self, number: int) -> Returned:
        """Return what a method returns; parsed on demand, because few methods are queried."""
        if self._told(number, "returns") in _PRIMITIVE:
            return _NOTHING
        return given(self._told(number, "text"))

    def _told(self, number: int, column: str) -> str:
        shard = self.corpus.shard_of(number)
        return self._read(shard)[column][number - int(self.corpus.first[shard])].as_py() or ""

    def _columns(self, shard: int) -> dict[str, Any]:
        """Return the columns of a shard, about a megabyte, nearly all of it texts."""
        path = self.corpus.table(self.corpus.shards[shard], "methods")
        table = self.corpus.read(path, ["name", "returns", "text"]).combine_chunks()
        return {name: table[name].chunk(0) for name in table.column_names}
