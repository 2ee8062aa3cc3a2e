"""What codeacumen-base reads of a method, in words: its tokens, where each stands, what is around
it.

A token has its words, a *role* (the nodes of javac's tree that it stands in), the statement that it
belongs to, how deep that is nested, and a mark of its name, the same wherever the name is written.
Tokens of the surroundings (class, callees, fields, ...) have words, a role and that mark: so a call
is tied to what is told about who is called.

``Tokens`` are a stretch of these tokens as numbers. ``renamed`` gives them other variable names,
the one transformation that numbers alone allow: a method is read once and differs each time it is
shown. It renames what ``codeacumen transform --kind rename`` renames: variables declared in the
method, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeContext, Input, Json, Method, Prompt, Question
from codeacumen.languages.java.syntax.tokens import KINDS as TOKEN_KINDS
from codeacumen.languages.kernel import kernel
from codeacumen.models.lexer import MASK
from codeacumen.models.neural.inputs.base_nulls import GIVES, marks
from codeacumen.models.neural.inputs.context import around, doc_words, type_words
from codeacumen.models.neural.inputs.graph import method_tree, parsed
from codeacumen.models.neural.inputs.tokens import text_of, writable
from codeacumen.text.columns import Ragged
from codeacumen.text.subtokens import split_lossless
from codeacumen.views.ast import LABELS as TREE_KINDS
from codeacumen.views.masking.files import MASKED_CALL
from codeacumen.views.paths import METHOD_NAME

_MOST_CHARACTERS = 50_000
_WORD = re.compile(r"[^\W\d][\w$]*")
# A literal may be a page of text: so many words of it are read.
_MOST_WORDS, _LONGEST = 6, 60
DEEPEST = 15
_STATEMENTS = frozenset(
    (
        "ASSERT",
        "BREAK",
        "CASE",
        "CATCH",
        "CONTINUE",
        "DO_WHILE_LOOP",
        "ENHANCED_FOR_LOOP",
        "EXPRESSION_STATEMENT",
        "FOR_LOOP",
        "IF",
        "LABELED_STATEMENT",
        "RETURN",
        "SWITCH",
        "SWITCH_EXPRESSION",
        "SYNCHRONIZED",
        "THROW",
        "TRY",
        "VARIABLE",
        "WHILE_LOOP",
        "YIELD",
        "EMPTY_STATEMENT",
        "LAMBDA_EXPRESSION",
        "ELSE_STATEMENT",
        "FINALLY_BLOCK",
    )
)
# What a method's shape is told by: where its ways part and where they end.
_PARTS = frozenset(
    (
        "IF",
        "ELSE_STATEMENT",
        "FOR_LOOP",
        "ENHANCED_FOR_LOOP",
        "WHILE_LOOP",
        "DO_WHILE_LOOP",
        "SWITCH",
        "SWITCH_EXPRESSION",
        "CASE",
        "CATCH",
        "TRY",
        "FINALLY_BLOCK",
        "RETURN",
        "THROW",
        "BREAK",
        "CONTINUE",
        "CONDITIONAL_EXPRESSION",
        "CONDITIONAL_AND",
        "CONDITIONAL_OR",
        "LAMBDA_EXPRESSION",
        "EXPRESSION_STATEMENT",
        "VARIABLE",
        "SYNCHRONIZED",
    )
)
_IS_STATEMENT = np.isin(TREE_KINDS, sorted(_STATEMENTS))
_IS_PART = np.isin(TREE_KINDS, sorted(_PARTS))
_NAME_KIND, _STRING = TOKEN_KINDS.index("IDENTIFIER"), TOKEN_KINDS.index("STRINGLITERAL")
_HIDDEN = {MASKED_CALL: MASK, MASK: MASK, METHOD_NAME: METHOD_NAME}
_MOST_CANDIDATES = 128
# What is known of each token, besides its parts.
PER_TOKEN = ("role", "depth", "statement", "name", "flag")
# Roles of a name: where a variable is declared, and where one may be meant.
DECLARED, MEANT = "NAME VARIABLE", "NAME IDENTIFIER"
# Those of a class within a method begin so: its fields look like variables.
WITHIN = "MEMBERS "


class Asks(IntEnum):
    """What a question asks for: told by its form, and by whether something is masked in it."""

    NPATH, OPERATOR, NAME, CALL, NULL = range(5)

    @classmethod
    def of(cls, asked: Input) -> Asks:
        if isinstance(asked, Question):
            return cls.OPERATOR if MASK in asked.text else cls.NPATH
        if isinstance(asked, Prompt):
            return cls.CALL if MASK in asked.text else cls.NULL
        return cls.NAME


@dataclass(slots=True)
class Told:
    """Columns of tokens; ``words`` has ``sizes`` of them for each."""

    words: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    role: list[str] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    statement: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    flag: list[int] = field(default_factory=list)

    def add(self, text: str, role: str, *, flag: int = 0) -> None:
        mine = words_of(text, False)
        self.words += mine
        self.sizes.append(len(mine))
        self.role.append(role)
        self.depth.append(0)
        self.statement.append(0)
        self.name.append(mark(text))
        self.flag.append(flag)

    def columns(self, start: str) -> dict[str, Any]:
        return {f"{start}_{name}": getattr(self, name) for name in self.__slots__}


@lru_cache(maxsize=1 << 16)
def words_of(token: str, string: bool) -> tuple[str, ...]:
    """
    >>> words_of("maxValue2", False), words_of('"no such file"', True)
    (('max', 'Value', '2'), ('"', 'no', 'such', 'file'))
    """
    if token in _HIDDEN:
        return (_HIDDEN[token],)
    token = token[:_LONGEST]
    if string:
        return ('"', *(word for part in _WORD.findall(token) for word in split_lossless(part)))[
            : _MOST_WORDS + 1
        ]
    if token[:1].isalpha() or token[:1] in ("_", "$"):
        return split_lossless(token)
    return (token,)


@lru_cache(maxsize=1 << 16)
def mark(name: str) -> int:
    """A number for a name, never 0; two names of a method hardly ever share one."""
    return 0 if name in _HIDDEN else 1 + crc32(name.encode("utf-8", "replace")) % 0x7FFF


@kernel
def _nested(
    parent: NDArray[np.int32], statement: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each node of a tree the number of the statement around it, and how deep that is; a
    parent comes before its children."""
    around = np.zeros(len(parent), np.int32)
    depth = np.zeros(len(parent), np.int32)
    count = 0
    for node in range(len(parent)):
        above = parent[node]
        if above >= 0:
            around[node], depth[node] = around[above], depth[above]
        if statement[node]:
            count += 1
            around[node] = count
            depth[node] += 1
    return around, depth


def own_tokens(
    text: str, *, operator: bool = False, flags: Mapping[str, int] | None = None
) -> tuple[Told, list[str]]:
    """The tokens of a method's text, and the words of its shape. A text that holds no method is its
    tokens alone."""
    data = writable(text[:_MOST_CHARACTERS]).encode()
    snippet = parsed(data, operator)
    file = snippet.file
    held = method_tree(file)
    shape: list[str] = []
    if held is None:
        first, last = np.searchsorted(file.tokens.start, snippet[1:]).tolist()
        none = [0] * (last - first)
        roles, statement, depth = ["alone"] * len(none), none, none
    else:
        first, last = held.tokens
        label, parent = held.tree.label, held.tree.parent
        around, deep = _nested(parent, _IS_STATEMENT[label])
        leaf = held.leaf
        above = np.where(leaf >= 0, parent[leaf], -1)
        kinds = [
            f"{TREE_KINDS[label[a]] if a >= 0 else ''} {TREE_KINDS[label[b]] if b >= 0 else ''}"
            for a, b in zip(leaf.tolist(), above.tolist(), strict=True)
        ]
        roles = kinds
        statement = np.where(leaf >= 0, around[leaf], 0).tolist()
        depth = np.minimum(np.where(leaf >= 0, deep[leaf], 0), DEEPEST).tolist()
        parts = np.flatnonzero(_IS_PART[label])
        shape = [
            f"{TREE_KINDS[one]} {min(at, 6)}"
            for one, at in zip(label[parts].tolist(), deep[parts].tolist(), strict=True)
        ]
    told = Told(role=roles, depth=depth, statement=statement)
    known = marks(file, held.place, flags or {}) if held is not None else {}
    source = file.source
    kind = file.tokens.kind[first:last].tolist()
    columns = (file.tokens.start, file.tokens.end, file.tokens.node)
    spans = zip(*(column[first:last].tolist() for column in columns), strict=True)
    for one, (start, end, node) in zip(kind, spans, strict=True):
        token = source[start:end].decode("utf-8", "replace")
        mine = words_of(token, one == _STRING)
        told.words += mine
        told.sizes.append(len(mine))
        named = one == _NAME_KIND
        told.name.append(mark(token) if named else 0)
        told.flag.append(known.get(node, 0))
    return told, shape


# --------------------------------------------------------------------------------------


def null_flags(about: Mapping[str, Json]) -> dict[str, int]:
    """What methods of a name give back, by numbers: those of ``GIVES``, 0 where it is not known."""
    gives: Mapping[str, Json] = about.get("gives") or {}
    return {name: GIVES.index(what) for name, what in gives.items() if what in GIVES}


def around_tokens(about: Mapping[str, Json], call: Mapping[str, Json]) -> Told:
    """The surroundings as tokens, the most telling first: what is too much is cut off behind."""
    told, flags = Told(), null_flags(about)
    for word in type_words(str(call.get("receiver") or ""))[:6]:
        told.add(word, "receiver")
    for word in _WORD.findall(str(about.get("header") or ""))[:12]:
        told.add(word, "header")
    for word in doc_words(str(about.get("doc") or ""))[:24]:
        told.add(word, "doc")
    for row in about.get("callees") or ():
        _signature(told, row, "callee", flags.get(str(row["name"]), 0))
    for one in (about.get("fields") or ())[:16]:
        type_, _, name = str(one).rpartition(" ")
        for word in type_words(type_)[:2]:
            told.add(word, "field type")
        told.add(name, "field")
    for row in (about.get("callers") or ())[:5]:
        _signature(told, row, "caller")
    for row in _nearest(about.get("methods") or ()):
        _signature(told, row, "sibling")
    return told


def _signature(told: Told, row: Mapping[str, Json], role: str, flag: int = 0) -> None:
    for word in type_words(str(row["returns"] or ""))[:2]:
        told.add(word, f"{role} returns")
    told.add(str(row["name"]), role, flag=flag)


def _nearest(rows: Sequence[Mapping[str, Json]], most: int = 24) -> Sequence[Mapping[str, Json]]:
    """Those in the middle: siblings come in the order of the source, around the method."""
    start = max(0, (len(rows) - most) // 2)
    return rows[start : start + most]


def features(asked: Input, context: CodeContext | None) -> dict[str, Any] | None:
    """All columns of words; None for a text without a token."""
    kind = Asks.of(asked)
    about = around(asked, context)
    method = getattr(asked, "method", "") if kind is Asks.CALL else ""
    call = context.describe(method) if context is not None and method else {}
    flags = null_flags(about)
    own, shape = own_tokens(text_of(asked), operator=kind is Asks.OPERATOR, flags=flags)
    if not own.words:
        return None
    outside = around_tokens(about, call)
    variant = Told()
    if kind is Asks.NAME:
        variant, _ = own_tokens(_variant(asked, context), flags=flags)
    names = [str(one) for one in call.get("candidates") or ()]
    return {
        **own.columns("own"),
        **outside.columns("around"),
        **variant.columns("variant"),
        "shape": shape,
        "asks": [int(kind)],
        "candidates": list(dict.fromkeys(names))[:_MOST_CANDIDATES],
    }


def _variant(asked: Input, context: CodeContext | None) -> str:
    """Return a certified variant of the method, where there is one to learn from."""
    if isinstance(context, OffersVariants) and isinstance(asked, Method):
        return context.variant(asked.id)
    return ""


@runtime_checkable
class OffersVariants(Protocol):
    """A code context that also has texts of the same meaning to learn from."""

    def variant(self, method: str) -> str:
        """Return a variant of a method; empty where there is none."""
        ...


def all_words(columns: Mapping[str, Any]) -> Iterator[str]:
    for start in ("own", "around"):
        yield from columns[f"{start}_words"]
    for name in columns["candidates"]:
        yield from words_of(name, False)


# ---------------------------------------------------------------- tokens as numbers


class Tokens(NamedTuple):
    """Their parts, how many each has, and its columns."""

    parts: NDArray[np.int32]
    sizes: NDArray[np.int32]
    columns: dict[str, NDArray[np.int32]]

    @classmethod
    def of(cls, columns: Mapping[str, Ragged], start: str, row: int) -> Tokens:
        """Of an example; what is not known of the surroundings' tokens is 0."""

        def mine(name: str) -> NDArray[np.int32]:
            column = columns[f"{start}_{name}"]
            found: NDArray[np.int32] = column.values[column.offsets[row] : column.offsets[row + 1]]
            return found

        sizes = mine("sizes")
        known = (name for name in PER_TOKEN if f"{start}_{name}" in columns)
        held = dict.fromkeys(PER_TOKEN, np.zeros(len(sizes), np.int32))
        return cls(mine("parts"), sizes, held | {name: mine(name) for name in known})

    def nothing(self) -> Tokens:
        return Tokens(self.parts[:0], self.sizes[:0], {k: v[:0] for k, v in self.columns.items()})

    def first(self) -> NDArray[np.int32]:
        """1 where a token begins."""
        made = np.zeros(len(self.parts), np.int32)
        made[np.cumsum(self.sizes)[:-1]] = 1
        made[:1] = 1
        return made

    def within(self) -> NDArray[np.int32]:
        """For each part which one of its statement it is."""
        statement = np.repeat(self.columns["statement"], self.sizes)
        order = np.argsort(statement, kind="stable")
        held = statement[order]
        made = np.empty(len(order), np.int32)
        made[order] = np.arange(len(order)) - np.searchsorted(held, held)
        return made


class Fresh(NamedTuple):
    """Names to give: their parts, and the marks they are known by; and the numbers that tell where
    a variable is: of the two roles, of those within a class, of the part that is a bracket."""

    parts: Sequence[NDArray[np.int32]]
    marks: NDArray[np.int32]
    declared: int
    meant: int
    within: NDArray[np.int32]
    bracket: int


def renamed(
    own: Tokens, fresh: Fresh, room: int, draw: np.random.Generator | None = None
) -> Tokens | None:
    """With other names for all variables, or, where there is something to draw by, half of the time
    for each with an even chance; None where there is nothing to rename. Of what has no room the end
    is cut off."""
    role, name = own.columns["role"], own.columns["name"]
    # What is hidden has no mark: its name is not to be told, and others have none either.
    places = np.flatnonzero((role == fresh.declared) & (name > 0))
    _, firsts = np.unique(name[places], return_index=True)
    variables = name[places[np.sort(firsts)]][: len(fresh.parts)]
    if draw is not None and draw.random() < 0.5:
        variables = variables[draw.random(len(variables)) < 0.5]
    # A name that is there already would mean two things.
    known = np.isin(fresh.marks[: len(variables)], name).any()
    if not len(variables) or known or np.isin(role, fresh.within).any():
        return None
    starts = np.concatenate([[0], np.cumsum(own.sizes)])
    # A method may have a variable's name: behind it a bracket opens.
    opens = own.parts[np.minimum(starts[1:], len(own.parts) - 1)] == fresh.bracket
    opens &= np.arange(1, len(role) + 1) < len(role)
    may = (role == fresh.declared) | (role == fresh.meant) & ~opens
    order = np.argsort(variables, kind="stable")
    which = order[np.minimum(np.searchsorted(variables[order], name), len(variables) - 1)]
    hit = may & (variables[which] == name)
    pieces = [
        fresh.parts[new] if is_new else own.parts[start:end]
        for is_new, new, start, end in zip(
            hit.tolist(), which.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True
        )
    ]
    sizes = np.fromiter(map(len, pieces), np.int32, len(pieces))
    kept = int(np.searchsorted(np.cumsum(sizes), room, side="right"))
    columns = {**own.columns, "name": np.where(hit, fresh.marks[which], name).astype(np.int32)}
    return Tokens(
        np.concatenate([own.parts[:0], *pieces[:kept]]),
        sizes[:kept],
        {key: values[:kept] for key, values in columns.items()},
    )
