"""Summarise the class around a method, and its nearest callers and callees, with the answer hidden.

``CorpusContext.owner`` returns the summary. Its ``callers`` and ``callees`` return the texts of all
methods without a bound: a call through an interface has hundreds of targets, in as many files. This
summary is bounded and needs one parsed file and columns that are read once per shard, so that
networks can use it for millions of methods. Methods are numbers (indices in the corpus), which are
near for methods of the same file or package, so the nearest ones are chosen where there are too
many. ``corpus.index.CorpusIndex`` explains the sets of call targets.
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
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask
from codeacumen.languages.java.syntax.returned_expressions import Returned, describe_returned
from codeacumen.views.masking.files import Edits, apply_edits
from codeacumen.views.masking.text import decode_name
from codeacumen.views.paths import METHOD_NAME

Row = dict[str, Any]

# A summary has at most this many siblings, fields, imports, and callers or callees.
_MOST_METHODS, _MOST_FIELDS, _MOST_IMPORTS, _MOST_NEIGHBOURS = 60, 60, 60, 10
# Maximum characters of the class's header or an import, and of the JavaDoc.
_LONGEST_HEADER, _LONGEST_DOC = 400, 4000
# Number of shards whose columns are cached: about a megabyte for ten of them.
_SHARDS = 256
_COLUMNS = ["type", "name", "returns", "parameters"]


class OwnerSummaries:
    """Summaries of the classes around the methods of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._load_columns = lru_cache(maxsize=_SHARDS)(self._read_columns)
        self._result_kinds = ResultKinds(corpus)

    def summarize(
        self,
        number: int,
        method_index: int,
        file: JavaFile,
        edits: Edits,
        hidden_name: str,
        hidden_callers: frozenset[int],
        hidden_callees: frozenset[int],
    ) -> Mapping[str, Json]:
        """Return the summary of a method, described at ``CodeContext``.

        ``number`` is the method's number, ``method_index`` its index in the parsed file. ``edits``
        hide the answer in the file; ``hidden_name`` is a name to mask where another method has it,
        or empty. ``hidden_callers`` and ``hidden_callees`` are numbers of methods to leave out.
        """
        declarations = file.declarations
        method = declarations.methods[method_index]
        masked_source = _MaskedSource(file, edits)
        index = self.corpus.index
        number_array = np.array([number], dtype=np.int32)
        calling_methods = index.set_callers.gather_distinct(
            index.containing_sets.gather_distinct(number_array), guesses=True
        )
        called_methods = index.target_sets.gather_distinct(
            index.called_sets.gather_distinct(number_array, guesses=True)
        )
        summary: dict[str, Json] = {
            "header": "",
            "fields": [],
            "imports": masked_source.list_imports(),
            "doc": masked_source.get_text(method.javadoc, _LONGEST_DOC)
            if method.javadoc != NONE
            else "",
            "methods": [],
            "callers": self._list_neighbours(number, calling_methods, hidden_callers, hidden_name),
            "callees": self._list_neighbours(number, called_methods, hidden_callees, hidden_name),
            "call_results": {
                _mask_name(called_name, hidden_name): kind
                for called_name, kind in self._result_kinds.classify_calls(
                    number, hidden_callees
                ).items()
            },
        }
        if method.type != NONE:
            summary["header"] = masked_source.format_header(declarations.types[method.type])
            summary["fields"] = [
                f"{field_.declared} {field_.name}"
                for field_ in declarations.fields
                if field_.type == method.type
            ][:_MOST_FIELDS]
        summary["methods"] = _list_siblings(declarations, method_index, hidden_name)
        return summary

    def _list_neighbours(
        self, number: int, numbers: NDArray[Any], hidden: frozenset[int], hidden_name: str
    ) -> list[Json]:
        """Return the descriptions of the methods with the nearest numbers, nearest first."""
        others = np.unique(numbers)
        others = others[others != number]
        if hidden:
            others = others[~np.isin(others, list(hidden))]
        order = np.argsort(np.abs(others.astype(np.int64) - number), kind="stable")
        return [
            self._describe_method(other, hidden_name)
            for other in others[order[:_MOST_NEIGHBOURS]].tolist()
        ]

    def _describe_method(self, number: int, hidden_name: str) -> Row:
        shard = self.corpus.shard_of(number)
        columns = self._load_columns(shard)
        index = number - int(self.corpus.first_numbers[shard])
        row = {key: columns[key][index].as_py() for key in _COLUMNS}
        parameters = [
            f"{parameter['type']} {parameter['name']}" for parameter in row["parameters"] or ()
        ]
        return _make_row(row["type"], row["name"], row["returns"], parameters, hidden_name)

    def _read_columns(self, shard: int) -> dict[str, Any]:
        path = self.corpus.table_path(self.corpus.shards[shard], "methods")
        table = self.corpus.read_table(path, _COLUMNS).combine_chunks()
        return {key: table[key].chunk(0) for key in _COLUMNS}


def _mask_name(name: str, hidden_name: str) -> str:
    return METHOD_NAME if hidden_name and decode_name(name) == decode_name(hidden_name) else name


def _make_row(
    type_: str, name: str, returns: str, parameters: Sequence[str], hidden_name: str
) -> Row:
    return {
        "type": type_,
        "name": _mask_name(name, hidden_name),
        "returns": returns,
        "parameters": list(parameters),
    }


def _list_siblings(declarations: Declarations, method_index: int, hidden_name: str) -> list[Json]:
    """Return descriptions of the other methods of the class, in source order.

    If there are more than ``_MOST_METHODS``, those around the method are returned.
    """
    type_ = declarations.methods[method_index].type
    indices = [index for index, method in enumerate(declarations.methods) if method.type == type_]
    rank = indices.index(method_index)
    # A window of ``_MOST_METHODS`` + 1 methods, because the method itself is in it.
    first = max(0, min(rank - _MOST_METHODS // 2, len(indices) - _MOST_METHODS - 1))
    type_name = declarations.types[type_].name if type_ != NONE else ""
    siblings: list[Json] = []
    for index in indices[first : first + _MOST_METHODS + 1]:
        if index != method_index:
            method = declarations.methods[index]
            parameters = [f"{parameter.type} {parameter.name}" for parameter in method.parameters]
            siblings.append(
                _make_row(type_name, method.name, method.returns, parameters, hidden_name)
            )
    return siblings


class _MaskedSource:
    """Source of a file, parts of which are returned with edits applied."""

    def __init__(self, file: JavaFile, edits: Edits) -> None:
        self.file, self.syntax, self.edits = file, file.syntax, edits

    def get_text(self, node: int, longest: int) -> str:
        return self._extract_span(int(self.syntax.start[node]), int(self.syntax.end[node]), longest)

    def _extract_span(self, start: int, end: int, longest: int) -> str:
        shifted_edits = [
            edit._replace(start=edit.start - start, end=edit.end - start)
            for edit in self.edits
            if edit.start >= start and edit.end <= end
        ]
        text = apply_edits(self.file.source[start:end], shifted_edits).decode("utf-8", "replace")
        # Cut after the edits, because half of a hidden name would leak it, too.
        return text[:longest]

    def format_header(self, type_: TypeDeclaration) -> str:
        """Return a declaration up to its body; for an anonymous class, its creation expression."""
        syntax, node = self.syntax, type_.node
        body = node
        if not symbol_mask("class_body")[syntax.kind[node]]:
            bodies = [
                child
                for child in syntax.children(node)
                if syntax.field[child] == field_number("body")
            ]
            # Without a body, as in a broken file, the header ends before the next node.
            body = bodies[0] if bodies else int(syntax.stop[node])
        else:
            # The node of a class without a name is its body.
            node = int(syntax.parent[node])
        end = syntax.start[body] if body < len(syntax) else syntax.end[node]
        text = self._extract_span(int(syntax.start[node]), int(end), _LONGEST_HEADER)
        return " ".join(text.split())

    def list_imports(self) -> list[str]:
        nodes = self.file.compute_once(_find_imports)
        texts = [self.get_text(node, _LONGEST_HEADER) for node in nodes[:_MOST_IMPORTS]]
        return [" ".join(text.removeprefix("import").rstrip("; \t\n").split()) for text in texts]


def _find_imports(file: JavaFile) -> list[int]:
    nodes: list[int] = np.flatnonzero(symbol_mask("import_declaration")[file.syntax.kind]).tolist()
    return nodes


# Kinds of a method's result: null, the result of a method that may return null (PASSED), the value
# of a variable (NAME), or anything else. They come from the return statements alone, as a reader
# who looks up the called methods, and those whose results they pass on, would see them.
# ``languages/java/nulls``, which decides the labels, also analyses branches, values and fields. The
# most informative kind comes first: of several methods of one name, the first of these kinds
# counts.
KINDS = NULL, PASSED, NAME, OTHER = "null", "passed", "name", "other"

# Of a call's possible targets, this many of the nearest are followed, to this depth.
_TARGETS, _DEPTH = 4, 3
# Maximum characters of a method's text to parse.
_LONGEST = 20_000
# Numbers of shards and of methods that are cached.
_TEXT_SHARDS, _METHODS = 128, 1 << 18
_PRIMITIVE = frozenset(
    ("", "void", "boolean", "byte", "char", "short", "int", "long", "float", "double")
)
_NOTHING = Returned(null=False, calls=(), variable=False)


def parse_returned(text: str) -> Returned:
    """Return the description of what the first method of a text returns; empty if there is none.

    >>> parse_returned("String f() { return a ? map.get(k) : null; }")
    Returned(null=True, calls=('get',), variable=False)
    """
    syntax = parse_snippet(text[:_LONGEST]).file.syntax
    methods = np.flatnonzero(symbol_mask("method_declaration")[syntax.kind])
    return describe_returned(syntax, int(methods[0])) if len(methods) else _NOTHING


class ResultKinds:
    """Kinds of the results of the methods of a corpus, one of ``KINDS`` each, with caches."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._load_columns = lru_cache(maxsize=_TEXT_SHARDS)(self._read_columns)
        self._load_returned = lru_cache(maxsize=_METHODS)(self._parse_method)
        self._load_kind = lru_cache(maxsize=_METHODS)(self._classify_result)
        self._load_targets = lru_cache(maxsize=_METHODS)(self._find_targets)

    def classify_calls(self, number: int, hidden: frozenset[int]) -> dict[str, str]:
        """Return the kind of result of each method that a method calls, by name, in sorted order.

        Called methods in ``hidden`` are skipped.
        """
        kind_by_name: dict[str, str] = {}
        for name, targets in sorted(self._load_targets(number).items()):
            kinds = [self._load_kind(target, _DEPTH) for target in targets if target not in hidden]
            if kinds:
                kind_by_name[name] = min(kinds, key=KINDS.index)
        return kind_by_name

    def _classify_result(self, number: int, depth: int) -> str:
        """Return the kind of a method's result; ``depth`` bounds the calls that are followed."""
        result = self._load_returned(number)
        if result.null:
            return NULL
        for name in result.calls if depth else ():
            if any(
                self._load_kind(target, depth - 1) in (NULL, PASSED)
                for target in self._load_targets(number).get(name, ())
            ):
                return PASSED
        return NAME if result.variable else OTHER

    def _find_targets(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return the methods that a method's calls may reach, by name, except the method itself."""
        index = self.corpus.index
        targets_by_name: dict[str, dict[int, None]] = {}
        for set_id in index.called_sets.gather_distinct(
            np.array([number], dtype=np.int32), guesses=True
        ).tolist():
            targets = index.target_sets[set_id].astype(np.int64)
            nearest = np.argsort(np.abs(targets - number), kind="stable")[:_TARGETS]
            for target in targets[nearest].tolist():
                if target != number:
                    targets_by_name.setdefault(self._read_cell(target, "name"), {})[target] = None
        return {name: tuple(targets) for name, targets in targets_by_name.items()}

    def _parse_method(self, number: int) -> Returned:
        """Return the description of what a method returns.

        It is parsed on demand, because few methods are queried; primitive results are empty.
        """
        if self._read_cell(number, "returns") in _PRIMITIVE:
            return _NOTHING
        return parse_returned(self._read_cell(number, "text"))

    def _read_cell(self, number: int, column: str) -> str:
        shard = self.corpus.shard_of(number)
        return (
            self._load_columns(shard)[column][
                number - int(self.corpus.first_numbers[shard])
            ].as_py()
            or ""
        )

    def _read_columns(self, shard: int) -> dict[str, Any]:
        """Return name, return type and text of a shard's methods: about a megabyte, mostly text."""
        path = self.corpus.table_path(self.corpus.shards[shard], "methods")
        table = self.corpus.read_table(path, ["name", "returns", "text"]).combine_chunks()
        return {name: table[name].chunk(0) for name in table.column_names}
