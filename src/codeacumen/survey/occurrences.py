"""Occurrences of each identifier of a corpus by role, as in section II-A, c of IdBench.

Roles are function, property and variable; for JavaScript
``languages.javascript.identifiers`` defines them. In Java, the names of methods and constructors
are functions, in declarations and in calls; names of fields are properties, in declarations and
after a dot; names of types, packages, annotations and labels have the role ``other``.

Minified, generated and vendored files are skipped, and so are copies of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import ShardFiles, process_files, read_files, select_files
from codeacumen.engines import Engine
from codeacumen.languages.syntax import Column, Syntax
from codeacumen.survey.votes import Ints

LANGUAGES = ("java", "javascript")
ROLES = ("function", "property", "variable", "other")
ROLE = {role: code for code, role in enumerate(ROLES)}
# Primary role of a name without a role in more than half of its occurrences.
MIXED = "mixed"


# Role of an identifier by its parent's kind in the syntax tree and the field of the grammar that it
# fills there (empty: any); others are variables.
_JAVA = {
    ("method_declaration", "name"): "function",
    ("annotation_type_element_declaration", "name"): "function",
    ("method_invocation", "name"): "function",
    ("constructor_declaration", "name"): "function",
    ("compact_constructor_declaration", "name"): "function",
    ("field_access", "field"): "property",
    ("enum_constant", "name"): "property",
    ("element_value_pair", "key"): "property",
    **{
        (kind, ""): "other"
        for kind in (
            "class_declaration", "interface_declaration", "enum_declaration",
            "record_declaration", "annotation_type_declaration", "scoped_identifier",
            "scoped_type_identifier", "package_declaration", "import_declaration", "annotation",
            "marker_annotation", "labeled_statement", "break_statement", "continue_statement",
            "module_declaration", "type_parameter",
        )
    },
}  # fmt: skip
# Upper bounds of the numbers of symbols and fields of a grammar: the shape of the table of roles.
_SYMBOLS, _FIELDS = 1 << 16, 1 << 6


@dataclass(frozen=True, slots=True)
class FileIdentifiers:
    """The identifiers of a file.

    ``word``, ``role`` and ``start`` have an item for each occurrence: the index in ``words``, the
    index in ROLES, and the byte offset.
    """

    word: Column
    words: tuple[str, ...]
    role: Ints
    start: Column


@dataclass(frozen=True, slots=True)
class IdentifierCounts:
    """Counts of identifiers.

    ``counts`` has shape (names, LANGUAGES, ROLES). Names are ordered by falling total count, then
    alphabetically. ``files`` are the numbers of files by language; ``left_out`` counts files that
    could not be processed.
    """

    names: tuple[str, ...]
    counts: Ints
    files: dict[str, int]
    left_out: int = 0

    @property
    def total(self) -> Ints:
        """Number of occurrences of each name."""
        totals: Ints = self.counts.sum(axis=(1, 2))
        return totals

    def keep_more_than(self, minimum: int) -> IdentifierCounts:
        """Return the counts of the names that occur more than ``minimum`` times."""
        kept_count = int((self.total > minimum).sum())
        return IdentifierCounts(
            self.names[:kept_count], self.counts[:kept_count], self.files, self.left_out
        )

    def get_primary_role(self, index: int) -> str:
        """Return the role of more than half of a name's occurrences, or MIXED."""
        roles = self.counts[index].sum(axis=0)
        most = int(roles.argmax())
        return ROLES[most] if 2 * roles[most] > roles.sum() else MIXED


def count_identifiers(
    corpora: Sequence[Corpus],
    engine: Engine,
    step: Progress = ignore_progress,
) -> IdentifierCounts:
    """Count the identifiers of some corpora in worker processes."""
    files = select_files(corpora, LANGUAGES)
    results, left_out = process_files(_count_stretch, files.shards, engine, "counting", step)
    name_indices: dict[str, int] = {}
    parts = []
    for words, counts in results:
        parts.append(
            (np.array([name_indices.setdefault(word, len(name_indices)) for word in words]), counts)
        )
    total = np.zeros((len(name_indices), len(LANGUAGES), len(ROLES)), dtype=np.int64)
    for indices, counts in parts:
        if len(indices):
            total[indices] += counts
    names = np.array(list(name_indices), dtype=object)
    order = sorted(range(len(names)), key=lambda i: (-int(total[i].sum()), names[i]))
    return IdentifierCounts(tuple(names[order].tolist()), total[order], files.file_counts, left_out)


def _count_stretch(stretch: ShardFiles) -> tuple[list[str], Ints]:
    """Return the names in a stretch (some files of a shard), and their counts, of shape (names,
    LANGUAGES, ROLES)."""
    name_indices: dict[str, int] = {}
    # For each file the index of its language, the indices of its names, and their counts by role.
    counts_by_file: list[tuple[int, Ints, Ints]] = []
    for _, language, source in read_files(stretch):
        identifiers = read_identifiers(language, source)
        counts = np.bincount(
            identifiers.word * len(ROLES) + identifiers.role,
            minlength=len(identifiers.words) * len(ROLES),
        ).reshape(-1, len(ROLES))
        word_indices = np.array(
            [_index_word(word, name_indices) for word in identifiers.words], dtype=np.int64
        )
        is_shown = word_indices >= 0
        counts_by_file.append(
            (
                LANGUAGES.index(language),
                word_indices[is_shown],
                counts[: len(word_indices)][is_shown],
            )
        )
    total = np.zeros((len(name_indices), len(LANGUAGES), len(ROLES)), dtype=np.int64)
    for language_index, word_indices, counts in counts_by_file:
        # Not +=: an index may occur twice, because ``#x`` and ``x`` of JavaScript are one name.
        np.add.at(total[:, language_index], word_indices, counts)
    return list(name_indices), total


def _index_word(word: str, name_indices: dict[str, int]) -> int:
    """Return the index of a name; -1 if it cannot be displayed, as in a broken file."""
    if not word.isprintable() or "\ufffd" in word:
        return -1
    return name_indices.setdefault(word, len(name_indices))


def read_identifiers(language: str, source: bytes) -> FileIdentifiers:
    """Return the identifiers of a source file."""
    if language == "java":
        from codeacumen.languages.java import parse_java
        from codeacumen.languages.java.bindings.names import collect_names

        syntax = parse_java(source)
        java_names = collect_names(syntax)
        return FileIdentifiers(
            java_names.word,
            java_names.words,
            _classify_java_roles(syntax, java_names.node),
            syntax.start[java_names.node],
        )
    from codeacumen.languages.javascript import parse_javascript
    from codeacumen.languages.javascript.identifiers import ROLES as THEIRS
    from codeacumen.languages.javascript.identifiers import find_identifiers

    syntax = parse_javascript(source)
    js_identifiers = find_identifiers(syntax)
    role = np.array([ROLE[role_name] for role_name in THEIRS])[js_identifiers.role]
    words = tuple(word.removeprefix("#") for word in js_identifiers.words)
    return FileIdentifiers(js_identifiers.word, words, role, syntax.start[js_identifiers.node])


def _classify_java_roles(syntax: Syntax, node: Column) -> Ints:
    from codeacumen.languages.java.syntax.grammar import symbol_mask

    parent = np.maximum(syntax.parent[node], 0)
    role = _build_java_table()[syntax.kind[parent], syntax.field[node]].astype(np.int64)
    role[symbol_mask("type_identifier")[syntax.kind[node]]] = ROLE["other"]
    # Only the last name of ``list::add`` is a function.
    referred = symbol_mask("method_reference")[syntax.kind[parent]] & (syntax.child_index[node] > 0)
    role[referred] = ROLE["function"]
    # A declared variable is a property if the declaration is that of a field.
    declared = symbol_mask("variable_declarator")[syntax.kind[parent]]
    above = syntax.kind[np.maximum(syntax.parent[parent], 0)]
    is_name = syntax.field[node] == _name_field()
    fields = symbol_mask("field_declaration", "constant_declaration")[above]
    role[declared & is_name & fields] = ROLE["property"]
    return role


@lru_cache(maxsize=1)
def _name_field() -> int:
    from codeacumen.languages.java.syntax.grammar import field_number

    return field_number("name")


@lru_cache(maxsize=1)
def _build_java_table() -> NDArray[np.int8]:
    """Return the role of an identifier by its parent's symbol (row) and its field (column)."""
    from codeacumen.languages.java.syntax.grammar import field_number, find_symbols

    table = np.full((_SYMBOLS, _FIELDS), ROLE["variable"], dtype=np.int8)
    for (parent, name), role in _JAVA.items():
        for symbol in find_symbols(parent):
            table[symbol, field_number(name) if name else slice(None)] = ROLE[role]
    return table
