"""Occurrences of each identifier of a corpus by role, and a comparison with IdBench's counts.

IdBench, section II-A, c. Roles are function, property and variable; for JavaScript
``languages.javascript.identifiers`` defines them. In Java, the names of methods and constructors
are functions, in declarations and in calls; names of fields are properties, in declarations and
after a dot; names of types, packages, annotations and labels have the role ``other``.

Minified, generated and vendored files are skipped, and so are copies of a file.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import Stretch, chosen, read, worked
from codeacumen.engines import Engine
from codeacumen.languages.syntax import Column, Syntax
from codeacumen.survey.votes import Ints, spearman

LANGUAGES = ("java", "javascript")
ROLES = ("function", "property", "variable", "other")
ROLE = {role: code for code, role in enumerate(ROLES)}
MIXED = "mixed"


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
_SYMBOLS, _FIELDS = 1 << 16, 1 << 6


@dataclass(frozen=True, slots=True)
class Named:
    """The identifiers of a file.

    ``word`` are indices of ``words``, ``role`` indices of ROLES, ``start`` byte offsets.
    """

    word: Column
    words: tuple[str, ...]
    role: Ints
    start: Column


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Counts of identifiers.

    ``counts`` has an entry for each name, language and role. Names are ordered by falling total
    count, then alphabetically.
    """

    names: tuple[str, ...]
    counts: Ints
    files: dict[str, int]
    left_out: int = 0

    @property
    def total(self) -> Ints:
        """Number of occurrences of each name."""
        found: Ints = self.counts.sum(axis=(1, 2))
        return found

    def more_than(self, least: int) -> Occurrences:
        """Return the counts of the names that occur more than ``minimum`` times."""
        often = int((self.total > least).sum())
        return Occurrences(self.names[:often], self.counts[:often], self.files, self.left_out)

    def role(self, place: int) -> str:
        """Return the role of more than half of a name's occurrences, or MIXED."""
        roles = self.counts[place].sum(axis=0)
        most = int(roles.argmax())
        return ROLES[most] if 2 * roles[most] > roles.sum() else MIXED


def occurrences(
    corpora: Sequence[Corpus],
    engine: Engine,
    step: Progress = ignore_progress,
) -> Occurrences:
    """Count the identifiers of some corpora."""
    files = chosen(corpora, LANGUAGES)
    results, left_out = worked(_counted, files.stretches, engine, "counting", step)
    places: dict[str, int] = {}
    parts = []
    for words, counts in results:
        parts.append((np.array([places.setdefault(one, len(places)) for one in words]), counts))
    total = np.zeros((len(places), len(LANGUAGES), len(ROLES)), dtype=np.int64)
    for place, counts in parts:
        if len(place):
            total[place] += counts
    names = np.array(list(places), dtype=object)
    order = sorted(range(len(names)), key=lambda i: (-int(total[i].sum()), names[i]))
    return Occurrences(tuple(names[order].tolist()), total[order], files.files, left_out)


def _counted(stretch: Stretch) -> tuple[list[str], Ints]:
    """Return the names in some files, and their counts."""
    places: dict[str, int] = {}
    found: list[tuple[int, Ints, Ints]] = []
    for _, language, source in read(stretch):
        named = identifiers_of(language, source)
        counts = np.bincount(
            named.word * len(ROLES) + named.role, minlength=len(named.words) * len(ROLES)
        ).reshape(-1, len(ROLES))
        mine = np.array([_place(word, places) for word in named.words], dtype=np.int64)
        known = mine >= 0
        found.append((LANGUAGES.index(language), mine[known], counts[: len(mine)][known]))
    total = np.zeros((len(places), len(LANGUAGES), len(ROLES)), dtype=np.int64)
    for language_place, mine, counts in found:
        np.add.at(total[:, language_place], mine, counts)
    return list(places), total


def _place(word: str, places: dict[str, int]) -> int:
    """Return the index of a name; -1 if it cannot be displayed, as in a broken file."""
    if not word.isprintable() or "\ufffd" in word:
        return -1
    return places.setdefault(word, len(places))


def identifiers_of(language: str, source: bytes) -> Named:
    """Return the identifiers of a source file."""
    if language == "java":
        from codeacumen.languages.java import parse_java
        from codeacumen.languages.java.bindings.names import names

        syntax = parse_java(source)
        found = names(syntax)
        return Named(
            found.word, found.words, _java_roles(syntax, found.node), syntax.start[found.node]
        )
    from codeacumen.languages.javascript import parse_javascript
    from codeacumen.languages.javascript.identifiers import ROLES as THEIRS
    from codeacumen.languages.javascript.identifiers import identifiers

    syntax = parse_javascript(source)
    mine = identifiers(syntax)
    role = np.array([ROLE[one] for one in THEIRS])[mine.role]
    words = tuple(word.removeprefix("#") for word in mine.words)
    return Named(mine.word, words, role, syntax.start[mine.node])


def _java_roles(syntax: Syntax, node: Column) -> Ints:
    from codeacumen.languages.java.syntax.grammar import among

    parent = np.maximum(syntax.parent[node], 0)
    role = _java_table()[syntax.kind[parent], syntax.field[node]].astype(np.int64)
    role[among("type_identifier")[syntax.kind[node]]] = ROLE["other"]
    # Only the last name of ``list::add`` is a function.
    referred = among("method_reference")[syntax.kind[parent]] & (syntax.child[node] > 0)
    role[referred] = ROLE["function"]
    declared = among("variable_declarator")[syntax.kind[parent]]
    above = syntax.kind[np.maximum(syntax.parent[parent], 0)]
    is_name = syntax.field[node] == _name_field()
    fields = among("field_declaration", "constant_declaration")[above]
    role[declared & is_name & fields] = ROLE["property"]
    return role


@lru_cache(maxsize=1)
def _name_field() -> int:
    from codeacumen.languages.java.syntax.grammar import field

    return field("name")


@lru_cache(maxsize=1)
def _java_table() -> NDArray[np.int8]:
    """Return the role of an identifier by its parent's symbol (row) and its field (column)."""
    from codeacumen.languages.java.syntax.grammar import field, symbols

    found = np.full((_SYMBOLS, _FIELDS), ROLE["variable"], dtype=np.int8)
    for (parent, name), role in _JAVA.items():
        for symbol in symbols(parent):
            found[symbol, field(name) if name else slice(None)] = ROLE[role]
    return found


FREQUENCIES = "identifier_cross_lang_freq_stats.csv"
ROLE_COUNTS = "identifier_role_stats.csv"
# Columns of the published files.
_COLUMN = {"java": "Occurrences-java", "javascript": "Occurrences-javascript"}
_ROLE_COLUMN = {
    "function": "function-count",
    "property": "property-count",
    "variable": "variable-count",
    "other": "others-count",
}
_KNOWN = ("function", "property", "variable")


def compared(found: Occurrences, folder: Path) -> dict[str, Json]:
    """Return by language the figures of IdBench's Table I for these counts, and Spearman's ρ with
    the published counts; for JavaScript the share of names with each primary role, too.

    ``folder`` is IdBench's. Its files count names in small letters, so ``tabIndex`` and
    ``tabindex`` are one name there and here.
    """
    rows = _rows(folder / FREQUENCIES)
    counts = _in_small_letters(found)
    none = np.zeros((len(LANGUAGES), len(ROLES)), dtype=np.int64)
    names = list(rows)
    ours = np.array([counts.get(name, none) for name in names]).reshape(-1, *none.shape)
    told: dict[str, Json] = {"names": len(names), "languages": {}}
    for place, language in enumerate(LANGUAGES):
        everything = int(found.counts[:, place].sum())
        if not everything:
            continue
        mine = ours[:, place].sum(axis=1)
        theirs = np.array([int(rows[name][_COLUMN[language]]) for name in names])
        told["languages"][language] = {
            "total": int(mine.sum()),
            "share": float(mine.sum() / everything),
            "min": int(mine.min()),
            "mean": float(mine.mean()),
            "max": int(mine.max()),
            "occurring": int((mine > 0).sum()),
            "spearman": spearman(mine, theirs),
        }
    if "javascript" in told["languages"]:
        told["roles"] = _roles(counts, _rows(folder / ROLE_COUNTS), none)
    return told


def _roles(counts: Mapping[str, Ints], rows: Mapping[str, Mapping[str, str]], none: Ints) -> Json:
    names = list(rows)
    place = LANGUAGES.index("javascript")
    ours = np.array([counts.get(name, none)[place] for name in names])
    theirs = np.array([[int(rows[name][_ROLE_COLUMN[role]]) for role in ROLES] for name in names])
    seen = ours.sum(axis=1) > 0
    return {
        "names": int(seen.sum()),
        "spearman": {
            role: spearman(ours[seen, ROLES.index(role)], theirs[seen, ROLES.index(role)])
            for role in _KNOWN
        },
        "primary": {"ours": _shares(ours[seen]), "published": _shares(theirs[seen])},
    }


def _shares(counts: Ints) -> dict[str, float]:
    """Return the share of names with each role in more than half of the occurrences of known role.

    The published counts have many occurrences of unknown role, mostly uses of variables.
    """
    counts = counts[:, [ROLES.index(role) for role in _KNOWN]]
    most = counts.argmax(axis=1)
    clear = 2 * counts.max(axis=1) > counts.sum(axis=1)
    found = {role: float((clear & (most == i)).mean()) for i, role in enumerate(_KNOWN)}
    return {**found, MIXED: float((~clear).mean())}


def _rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["Identifier"].lower(): row for row in csv.DictReader(stream)}


def _in_small_letters(found: Occurrences) -> dict[str, Ints]:
    counts: dict[str, Ints] = {}
    for place, name in enumerate(found.names):
        small = name.lower()
        before = counts.get(small)
        counts[small] = found.counts[place] if before is None else before + found.counts[place]
    return counts
