"""Features of codeacumen-base: a method's tokens with their place in the tree, and its context.

``networks.codeacumen_base`` calls ``extract_features`` once for each input. A token has subtokens
(``words``), which the network splits into the *parts* of its BPE (byte-pair encoding), a *role*
(the kind of the lowest node of javac's tree around it, then that of this node's parent), the number
and the nesting depth of its statement, a mark about null (``flag``), and a hash of its name
(``name``). Tokens of the code around the method (class, callees, fields, ...) have subtokens, a
role such as "callee", a mark and this hash, so the network can match a call with the facts about
its callee. A *certified variant* of a method is a transformed text that is checked to mean the same
(``datasets.variants``).

``Tokens`` are the same tokens as numbers. ``rename_variables`` replaces variable names in them; it
needs no text, so a method is parsed once and still looks different in each epoch. It renames the
variables that ``codeacumen transform --kind rename`` renames: those that the method declares.
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
from codeacumen.models.neural.inputs.codeacumen_base_nulls import RETURN_KINDS, find_null_marks
from codeacumen.models.neural.inputs.context import get_owner_facts, split_doc, split_type
from codeacumen.models.neural.inputs.graph import find_method_tree, parse_with_masks
from codeacumen.models.neural.inputs.tokens import get_text, replace_surrogates
from codeacumen.text.columns import Ragged
from codeacumen.text.subtokens import split_lossless
from codeacumen.views.ast import LABELS as TREE_KINDS
from codeacumen.views.masking.files import MASKED_CALL
from codeacumen.views.paths import METHOD_NAME

# Longer texts are cut off.
_MAX_CHARACTERS = 50_000
_WORD = re.compile(r"[^\W\d][\w$]*")
# A literal may be a page of text, so it is cut to this many words and characters.
_MAX_WORDS, _MAX_TOKEN_LENGTH = 6, 60
# Deeper statements count as this deep: the network has an embedding for each depth.
MAX_DEPTH = 15
# Kinds of tree nodes that number their tokens as a statement of their own.
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
# Kinds of nodes that make a method's shape: those at which control flow branches, joins or ends.
_SHAPE_KINDS = frozenset(
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
_IS_SHAPE_KIND = np.isin(TREE_KINDS, sorted(_SHAPE_KINDS))
_NAME_KIND, _STRING = TOKEN_KINDS.index("IDENTIFIER"), TOKEN_KINDS.index("STRINGLITERAL")
# The word of each spelling of a mask.
_HIDDEN = {MASKED_CALL: MASK, MASK: MASK, METHOD_NAME: METHOD_NAME}
# Maximum numbers of names that may replace a masked call, and of the class's other methods.
_MAX_CANDIDATES = 128
_MAX_SIBLINGS = 24
# Columns with a value for each token; a token's BPE parts have a column of their own.
PER_TOKEN = ("role", "depth", "statement", "name", "flag")
# Roles of a name (kinds of the lowest node and of its parent): the declaration of a variable, and
# an identifier that may refer to a variable.
DECLARED, USED = "NAME VARIABLE", "NAME IDENTIFIER"
# Prefix of the roles of tokens whose lowest node is MEMBERS, the body of a class inside the method.
# The fields of such a class look like variables.
MEMBER_PREFIX = "MEMBERS "


class QuestionKind(IntEnum):
    """The task that an input belongs to; encoded examples contain these numbers."""

    NPATH, OPERATOR, NAME, CALL, NULL = range(5)

    @classmethod
    def from_input(cls, item: Input) -> QuestionKind:
        """Return the kind of an input, from its class and from the masks in its text."""
        if isinstance(item, Question):
            return cls.OPERATOR if MASK in item.text else cls.NPATH
        if isinstance(item, Prompt):
            return cls.CALL if MASK in item.text else cls.NULL
        return cls.NAME


@dataclass(slots=True)
class TokenColumns:
    """Columns of a list of tokens. Token ``i`` has the next ``sizes[i]`` entries of ``words``.

    The other columns have an entry for each token: ``role`` has the kinds of two tree nodes, or for
    a token of the context its part of the context (``tokenize_context``), ``statement`` is the
    number of its statement, 0 for none, ``depth`` the nesting of that statement, ``name`` the hash
    of ``hash_name``, 0 for a token that is no name, and ``flag`` the mark about null, an index of
    ``codeacumen_base_nulls.MARKS``, 0 for no mark.
    """

    words: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    role: list[str] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    statement: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    flag: list[int] = field(default_factory=list)

    def add_token(self, text: str, role: str, *, flag: int = 0) -> None:
        """Append a token of the context, which is outside any statement."""
        words = split_token(text, False)
        self.words += words
        self.sizes.append(len(words))
        self.role.append(role)
        self.depth.append(0)
        self.statement.append(0)
        self.name.append(hash_name(text))
        self.flag.append(flag)

    def to_columns(self, prefix: str) -> dict[str, Any]:
        """Return the columns as features, each name with a prefix."""
        return {f"{prefix}_{name}": getattr(self, name) for name in self.__slots__}


@lru_cache(maxsize=1 << 16)
def split_token(token: str, is_string: bool) -> tuple[str, ...]:
    """Return the subtokens of a name, the words of a string, or any other token unchanged.

    >>> split_token("maxValue2", False), split_token('"no such file"', True)
    (('max', 'Value', '2'), ('"', 'no', 'such', 'file'))
    """
    if token in _HIDDEN:
        return (_HIDDEN[token],)
    token = token[:_MAX_TOKEN_LENGTH]
    if is_string:
        return ('"', *(word for part in _WORD.findall(token) for word in split_lossless(part)))[
            : _MAX_WORDS + 1
        ]
    if token[:1].isalpha() or token[:1] in ("_", "$"):
        return split_lossless(token)
    return (token,)


@lru_cache(maxsize=1 << 16)
def hash_name(name: str) -> int:
    """Return a hash of a name, from 1 to 32767, and 0 for a mask; collisions are rare."""
    return 0 if name in _HIDDEN else 1 + crc32(name.encode("utf-8", "replace")) % 0x7FFF


@kernel
def _number_statements(
    parent: NDArray[np.int32], is_statement: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for each node of a tree the number of its innermost statement and its nesting depth.

    All arrays have one entry for each node; a parent precedes its children, and a root has the
    parent -1. Statements are numbered from 1 in source order; nodes outside any have 0 and depth 0.
    """
    statement_of_node = np.zeros(len(parent), np.int32)
    depth = np.zeros(len(parent), np.int32)
    count = 0
    for node in range(len(parent)):
        parent_node = parent[node]
        if parent_node >= 0:
            statement_of_node[node], depth[node] = (
                statement_of_node[parent_node],
                depth[parent_node],
            )
        if is_statement[node]:
            count += 1
            statement_of_node[node] = count
            depth[node] += 1
    return statement_of_node, depth


def tokenize_method(
    text: str, *, hides_operator: bool = False, flags: Mapping[str, int] | None = None
) -> tuple[TokenColumns, list[str]]:
    """Return the tokens of a method's text, and the words that describe its shape.

    A shape word is the kind and the depth, at most 6, of a node of control flow.
    ``hides_operator`` says that the mask in the text replaces an operator, not a name; ``flags`` is
    the result of ``number_returns``. A text without a method gives tokens only, all with the role
    "alone".
    """
    data = replace_surrogates(text[:_MAX_CHARACTERS]).encode()
    snippet = parse_with_masks(data, hides_operator)
    file = snippet.file
    method = find_method_tree(file)
    shape: list[str] = []
    if method is None:
        # ``snippet[1:]`` is the byte range of the text in the file that was parsed.
        first, last = np.searchsorted(file.tokens.start, snippet[1:]).tolist()
        zeros = [0] * (last - first)
        roles, statement, depth = ["alone"] * len(zeros), zeros, zeros
    else:
        first, last = method.tokens
        label, parent = method.tree.label, method.tree.parent
        statement_of_node, depth_of_node = _number_statements(parent, _IS_STATEMENT[label])
        leaf = method.leaf
        parent_of_leaf = np.where(leaf >= 0, parent[leaf], -1)
        # a is the lowest tree node around a token, b its parent; -1 for none.
        role_names = [
            f"{TREE_KINDS[label[a]] if a >= 0 else ''} {TREE_KINDS[label[b]] if b >= 0 else ''}"
            for a, b in zip(leaf.tolist(), parent_of_leaf.tolist(), strict=True)
        ]
        roles = role_names
        statement = np.where(leaf >= 0, statement_of_node[leaf], 0).tolist()
        depth = np.minimum(np.where(leaf >= 0, depth_of_node[leaf], 0), MAX_DEPTH).tolist()
        shape_nodes = np.flatnonzero(_IS_SHAPE_KIND[label])
        shape = [
            f"{TREE_KINDS[kind_number]} {min(node_depth, 6)}"
            for kind_number, node_depth in zip(
                label[shape_nodes].tolist(), depth_of_node[shape_nodes].tolist(), strict=True
            )
        ]
    columns = TokenColumns(role=roles, depth=depth, statement=statement)
    null_marks = find_null_marks(file, method.place, flags or {}) if method is not None else {}
    source = file.source
    token_kinds = file.tokens.kind[first:last].tolist()
    token_columns = (file.tokens.start, file.tokens.end, file.tokens.node)
    spans = zip(*(column[first:last].tolist() for column in token_columns), strict=True)
    for token_kind, (start, end, node) in zip(token_kinds, spans, strict=True):
        token = source[start:end].decode("utf-8", "replace")
        words = split_token(token, token_kind == _STRING)
        columns.words += words
        columns.sizes.append(len(words))
        is_name = token_kind == _NAME_KIND
        columns.name.append(hash_name(token) if is_name else 0)
        columns.flag.append(null_marks.get(node, 0))
    return columns, shape


# --------------------------------------------------------------------------------------


def number_returns(about: Mapping[str, Json]) -> dict[str, int]:
    """Return the index in ``RETURN_KINDS`` of each called method's result, by the method's name.

    ``about`` are the caller's facts (``CodeContext.owner``). Names of unknown kind are left out.
    """
    returns: Mapping[str, Json] = about.get("call_results") or {}
    return {
        name: RETURN_KINDS.index(return_kind)
        for name, return_kind in returns.items()
        if return_kind in RETURN_KINDS
    }


def tokenize_context(owner_facts: Mapping[str, Json], call: Mapping[str, Json]) -> TokenColumns:
    """Return the code around a method as tokens, in order of importance.

    The network cuts off the end of a long context, so the most informative tokens come first.
    ``call`` describes the masked call (``CodeContext.describe``); it is empty for other tasks.
    """
    columns, flags = TokenColumns(), number_returns(owner_facts)
    for word in split_type(str(call.get("receiver") or ""))[:6]:
        columns.add_token(word, "receiver")
    for word in _WORD.findall(str(owner_facts.get("header") or ""))[:12]:
        columns.add_token(word, "header")
    for word in split_doc(str(owner_facts.get("doc") or ""))[:24]:
        columns.add_token(word, "doc")
    for row in owner_facts.get("callees") or ():
        _add_signature(columns, row, "callee", flags.get(str(row["name"]), 0))
    for declaration in (owner_facts.get("fields") or ())[:16]:
        type_, _, name = str(declaration).rpartition(" ")
        for word in split_type(type_)[:2]:
            columns.add_token(word, "field type")
        columns.add_token(name, "field")
    for row in (owner_facts.get("callers") or ())[:5]:
        _add_signature(columns, row, "caller")
    for row in _take_middle(owner_facts.get("methods") or ()):
        _add_signature(columns, row, "sibling")
    return columns


def _add_signature(
    columns: TokenColumns, row: Mapping[str, Json], role: str, flag: int = 0
) -> None:
    for word in split_type(str(row["returns"] or ""))[:2]:
        columns.add_token(word, f"{role} returns")
    columns.add_token(str(row["name"]), role, flag=flag)


def _take_middle(rows: Sequence[Mapping[str, Json]]) -> Sequence[Mapping[str, Json]]:
    """Return the middle rows, at most ``_MAX_SIBLINGS``.

    Siblings are in source order, so the middle ones are next to the method, unless the method is
    near the begin or end of its class.
    """
    start = max(0, (len(rows) - _MAX_SIBLINGS) // 2)
    return rows[start : start + _MAX_SIBLINGS]


def extract_features(item: Input, context: CodeContext | None) -> dict[str, Any] | None:
    """Return all feature columns of an input; None for a text without tokens.

    The prefixes ``own``, ``around`` and ``variant`` distinguish the tokens of the method, of its
    context and of a certified variant, which only a method to be named may have.
    """
    kind = QuestionKind.from_input(item)
    owner_facts = get_owner_facts(item, context)
    method = getattr(item, "method", "") if kind is QuestionKind.CALL else ""
    call = context.describe(method) if context is not None and method else {}
    return_numbers = number_returns(owner_facts)
    own_columns, shape = tokenize_method(
        get_text(item), hides_operator=kind is QuestionKind.OPERATOR, flags=return_numbers
    )
    if not own_columns.words:
        return None
    context_columns = tokenize_context(owner_facts, call)
    variant = TokenColumns()
    if kind is QuestionKind.NAME:
        variant, _ = tokenize_method(_get_variant(item, context), flags=return_numbers)
    names = [str(name) for name in call.get("candidates") or ()]
    return {
        **own_columns.to_columns("own"),
        **context_columns.to_columns("around"),
        **variant.to_columns("variant"),
        "shape": shape,
        "asks": [int(kind)],
        "candidates": list(dict.fromkeys(names))[:_MAX_CANDIDATES],
    }


def _get_variant(item: Input, context: CodeContext | None) -> str:
    """Return a certified variant of the method to learn from; "" if there is none."""
    if isinstance(context, OffersVariants) and isinstance(item, Method):
        return context.get_variant(item.id)
    return ""


@runtime_checkable
class OffersVariants(Protocol):
    """A code context that also has semantically equivalent variants of its methods."""

    def get_variant(self, method: str) -> str:
        """Return a variant of a method; "" if there is none."""
        ...


def iter_words(columns: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of an example that the network's vocabulary counts."""
    for prefix in ("own", "around"):
        yield from columns[f"{prefix}_words"]
    for name in columns["candidates"]:
        yield from split_token(name, False)


# ---------------------------------------------------------------- tokens as numbers


class Tokens(NamedTuple):
    """Tokens of an example as numbers.

    ``parts`` are the numbers of all BPE parts, ``sizes`` has the number of parts of each token, and
    ``columns`` has the arrays of ``PER_TOKEN``, with one entry for each token.
    """

    parts: NDArray[np.int32]
    sizes: NDArray[np.int32]
    columns: dict[str, NDArray[np.int32]]

    @classmethod
    def from_columns(cls, columns: Mapping[str, Ragged], prefix: str, row: int) -> Tokens:
        """Return the tokens of the example ``row``; columns that context tokens lack are 0.

        ``prefix`` is ``own``, ``around`` or ``variant``.
        """

        def take_values(name: str) -> NDArray[np.int32]:
            column = columns[f"{prefix}_{name}"]
            values: NDArray[np.int32] = column.values[column.offsets[row] : column.offsets[row + 1]]
            return values

        sizes = take_values("sizes")
        present = (name for name in PER_TOKEN if f"{prefix}_{name}" in columns)
        no_values = dict.fromkeys(PER_TOKEN, np.zeros(len(sizes), np.int32))
        return cls(
            take_values("parts"), sizes, no_values | {name: take_values(name) for name in present}
        )

    def take_none(self) -> Tokens:
        """Return an empty list of tokens with the same columns."""
        return Tokens(self.parts[:0], self.sizes[:0], {k: v[:0] for k, v in self.columns.items()})

    def mark_starts(self) -> NDArray[np.int32]:
        """Return 1 for the first part of each token and 0 for the other parts."""
        is_start = np.zeros(len(self.parts), np.int32)
        is_start[np.cumsum(self.sizes)[:-1]] = 1
        is_start[:1] = 1
        return is_start

    def number_in_statement(self) -> NDArray[np.int32]:
        """Return each part's position, from 0, among the parts of its statement."""
        statement = np.repeat(self.columns["statement"], self.sizes)
        order = np.argsort(statement, kind="stable")
        sorted_statements = statement[order]
        positions = np.empty(len(order), np.int32)
        positions[order] = np.arange(len(order)) - np.searchsorted(
            sorted_statements, sorted_statements
        )
        return positions


class FreshNames(NamedTuple):
    """New variable names, and the numbers by which ``rename_variables`` recognises variables.

    ``parts`` has the numbers of the BPE parts of each new name, and ``marks`` its hash
    (``hash_name``; it is not a mark about null). ``declared`` and ``used`` are the numbers of the
    roles ``DECLARED`` and ``USED``, -1 for a role that no token has, ``member_roles`` those of the
    roles with ``MEMBER_PREFIX``, and ``bracket`` is the number of the BPE part "(".
    """

    parts: Sequence[NDArray[np.int32]]
    marks: NDArray[np.int32]
    declared: int
    used: int
    member_roles: NDArray[np.int32]
    bracket: int


def rename_variables(
    own: Tokens, fresh: FreshNames, max_parts: int, rng: np.random.Generator | None = None
) -> Tokens | None:
    """Return the tokens with new variable names; None if nothing can be renamed safely.

    Without ``rng`` all variables are renamed, at most as many as there are new names. With ``rng``,
    half of the calls do so, and the other half rename each variable with probability 0.5. Tokens
    beyond ``max_parts`` parts are cut off. A class inside the method prevents renaming.
    """
    role, name = own.columns["role"], own.columns["name"]
    # Masked names have the hash 0, as tokens that are no names, and are not renamed.
    # ``variables`` has the hashes of the names to replace, in the order of their first
    # declarations; ``variables[i]`` is replaced by new name i.
    declarations = np.flatnonzero((role == fresh.declared) & (name > 0))
    _, firsts = np.unique(name[declarations], return_index=True)
    variables = name[declarations[np.sort(firsts)]][: len(fresh.parts)]
    if rng is not None and rng.random() < 0.5:
        variables = variables[rng.random(len(variables)) < 0.5]
    # A new name that already occurs in the method would refer to two things.
    has_collision = np.isin(fresh.marks[: len(variables)], name).any()
    if not len(variables) or has_collision or np.isin(role, fresh.member_roles).any():
        return None
    starts = np.concatenate([[0], np.cumsum(own.sizes)])
    # A method may share a variable's name; "(" follows the name in a call.
    is_call = own.parts[np.minimum(starts[1:], len(own.parts) - 1)] == fresh.bracket
    # The last token has no token after it.
    is_call &= np.arange(1, len(role) + 1) < len(role)
    may_be_variable = (role == fresh.declared) | (role == fresh.used) & ~is_call
    # A binary search finds for each token the index in ``variables`` that its name would have;
    # ``is_renamed`` is True only where the name is there.
    order = np.argsort(variables, kind="stable")
    variable_of_token = order[
        np.minimum(np.searchsorted(variables[order], name), len(variables) - 1)
    ]
    is_renamed = may_be_variable & (variables[variable_of_token] == name)
    pieces = [
        fresh.parts[variable] if is_variable else own.parts[start:end]
        for is_variable, variable, start, end in zip(
            is_renamed.tolist(),
            variable_of_token.tolist(),
            starts[:-1].tolist(),
            starts[1:].tolist(),
            strict=True,
        )
    ]
    sizes = np.fromiter(map(len, pieces), np.int32, len(pieces))
    kept_count = int(np.searchsorted(np.cumsum(sizes), max_parts, side="right"))
    columns = {
        **own.columns,
        "name": np.where(is_renamed, fresh.marks[variable_of_token], name).astype(np.int32),
    }
    return Tokens(
        np.concatenate([own.parts[:0], *pieces[:kept_count]]),
        sizes[:kept_count],
        {key: values[:kept_count] for key, values in columns.items()},
    )
