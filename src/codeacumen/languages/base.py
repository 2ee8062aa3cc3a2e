"""The interface of a programming language to the rest of the package.

A corpus stores the syntax data of the files of every registered language, and embeddings are
trained on their tokens. Everything about methods (declarations, bindings, calls, views, tasks)
exists for Java only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.languages.syntax import Column, Syntax, parse_source
from codeacumen.registry import find_entry, list_loadable_names

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar

# Roles of tokens in the token streams that embeddings are trained on. A stream may leave out some
# roles.
NAME, KEYWORD, LITERAL, SIGN = range(4)


class TokenKind(NamedTuple):
    """Role of a kind of token: NAME, KEYWORD, LITERAL or SIGN.

    In a token stream, a token of a quoted kind is a quote followed by its value (``'text``), so
    that no string equals a name.
    """

    role: int
    is_quoted: bool = False


class Tokens(Protocol):
    """The tokens of a file in source order, in columns; ``kind`` indexes ``token_kinds``."""

    @property
    def source(self) -> bytes: ...
    @property
    def kind(self) -> NDArray[np.unsignedinteger]: ...
    @property
    def start(self) -> Column: ...
    @property
    def end(self) -> Column: ...
    def __len__(self) -> int: ...
    def text(self, i: int) -> str:
        """Return the text of a token as it is in the source."""
        ...

    def value(self, i: int) -> str:
        """Return the value of a name or a literal: escapes resolved, quotes left out."""
        ...


class Language(Protocol):
    """A programming language. The decorator ``codeacumen.language`` registers its factory."""

    @property
    def name(self) -> str:
        """The name in the corpus, such as ``javascript``."""
        ...

    @property
    def title(self) -> str:
        """The name for people, such as ``JavaScript``."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of file names, with the dot, in lower case."""
        ...

    @property
    def token_kinds(self) -> Sequence[TokenKind]:
        """The kinds of tokens, which ``Tokens.kind`` indexes."""
        ...

    def parse(self, source: bytes) -> Syntax:
        """Return the syntax of a file; any bytes can be parsed."""
        ...

    def tokens(self, syntax: Syntax) -> Tokens:
        """Return the tokens of a file."""
        ...


@dataclass(frozen=True)
class LeafTokens:
    """Tokens that are the leaves of a syntax tree; their kind is the grammar's symbol."""

    source: bytes
    kind: NDArray[np.uint16]
    start: Column
    end: Column

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, i: int) -> str:
        return self.source[self.start[i] : self.end[i]].decode("utf-8", errors="replace")

    # A grammar does not define which quotes to leave out or how to resolve escapes.
    value = text


@dataclass(frozen=True)
class TreeSitterLanguage:
    """A language defined by its tree-sitter grammar, with every leaf of the tree as a token.

    ``names``, ``literals`` and ``quoted`` are types of leaves: identifiers, literals, and the
    literals that are strings. Unnamed leaves are keywords if they are words. Comments are not
    tokens: leaves whose type contains ``comment`` are left out.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    load_grammar: Callable[[], Grammar]
    names: tuple[str, ...]
    literals: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()

    @cached_property
    def _grammar(self) -> Grammar:
        return self.load_grammar()

    @cached_property
    def _symbols(self) -> list[tuple[str, bool]]:
        grammar = self._grammar
        numbers = range(grammar.node_kind_count)
        return [(grammar.node_kind_for_id(i) or "", grammar.node_kind_is_named(i)) for i in numbers]

    @cached_property
    def token_kinds(self) -> list[TokenKind]:
        return [self._classify_symbol(symbol, is_named) for symbol, is_named in self._symbols]

    def _classify_symbol(self, symbol: str, is_named: bool) -> TokenKind:
        """Return the token kind of a grammar symbol."""
        if symbol in self.names:
            return TokenKind(NAME)
        if symbol in self.literals or symbol in self.quoted:
            return TokenKind(LITERAL, symbol in self.quoted)
        is_word = symbol.replace("_", "a").isalpha()
        return TokenKind(KEYWORD if is_word and not is_named else SIGN)

    @cached_property
    def _is_comment(self) -> NDArray[np.bool_]:
        return np.array(["comment" in symbol for symbol, _ in self._symbols])

    def parse(self, source: bytes) -> Syntax:
        return parse_source(self._grammar, source)

    def tokens(self, syntax: Syntax) -> LeafTokens:
        # The symbol of tree-sitter's error node is beyond those of the grammar.
        kind = np.minimum(syntax.kind, len(self._symbols) - 1)
        is_token = syntax.is_leaf & (syntax.end > syntax.start) & ~self._is_comment[kind]
        return LeafTokens(
            syntax.source, kind[is_token], syntax.start[is_token], syntax.end[is_token]
        )


def load_language(name: str) -> Language:
    """Return a registered language."""
    return _create_language(find_entry("language", name).factory)


@lru_cache(maxsize=32)
def _create_language(factory: Callable[[], object]) -> Language:
    return cast(Language, factory())


def list_languages() -> dict[str, Language]:
    """Return the registered languages by the suffixes of their files.

    The suffixes have the dot, as in ``.js``. A language whose package cannot be imported is left
    out.
    """
    by_suffix: dict[str, Language] = {}
    for name in list_loadable_names("language")[0]:
        language = load_language(name)
        for suffix in language.suffixes:
            other = by_suffix.setdefault(suffix, language)
            if other is not language:
                raise CodeacumenError(
                    f"two languages have files *{suffix}: {other.name} and {name}",
                    "remove one of the plug-ins",
                )
    return by_suffix
