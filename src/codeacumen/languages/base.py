"""What a language is to the rest of the package.

A corpus stores the files of every registered language with what their syntax tells; embeddings
learn from their tokens. Everything about methods (declarations, bindings, calls, views, tasks)
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
from codeacumen.languages.syntax import Column, Syntax, parse
from codeacumen.registry import entry, names

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar

# What a token is to an embedding. Streams may be read without some of them.
NAME, KEYWORD, LITERAL, SIGN = range(4)


class TokenKind(NamedTuple):
    """``role`` is NAME, KEYWORD, LITERAL or SIGN; a quoted token stands by its value after a
    quote, so that a text is never taken for a name."""

    role: int
    is_quoted: bool = False


class Tokens(Protocol):
    """The tokens of a file in source order, in columns; ``kind`` numbers the language's kinds."""

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
        """Return what a name or a literal means: escapes resolved, quotes left out."""
        ...


class Language(Protocol):
    """A programming language. ``codeacumen.language`` registers a factory of one."""

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
        """What the numbers of ``Tokens.kind`` mean."""
        ...

    def parse(self, source: bytes) -> Syntax:
        """Return the syntax of a file; any bytes have one."""
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

    value = text


@dataclass(frozen=True)
class TreeSitterLanguage:
    """A language through its tree-sitter grammar, with every leaf of the tree as a token.

    ``names``, ``literals`` and ``quoted`` are types of leaves: identifiers, literals, and those of
    the literals that are texts. Leaves without a type of their own are keywords where they are
    words. Comments are no tokens: a type that contains ``comment`` is left out.
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
        return [self._classify(symbol, is_named) for symbol, is_named in self._symbols]

    def _classify(self, symbol: str, is_named: bool) -> TokenKind:
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
        return parse(self._grammar, source)

    def tokens(self, syntax: Syntax) -> LeafTokens:
        # The grammar's error node has a symbol beyond its own.
        kind = np.minimum(syntax.kind, len(self._symbols) - 1)
        chosen = syntax.is_leaf & (syntax.end > syntax.start) & ~self._is_comment[kind]
        return LeafTokens(syntax.source, kind[chosen], syntax.start[chosen], syntax.end[chosen])


def load_language(name: str) -> Language:
    """Return a registered language."""
    return _create_language(entry("language", name).factory)


@lru_cache(maxsize=32)
def _create_language(factory: Callable[[], object]) -> Language:
    return cast(Language, factory())


def list_languages() -> dict[str, Language]:
    """Return the registered languages by the suffixes of their files."""
    by_suffix: dict[str, Language] = {}
    for name in names("language"):
        language = load_language(name)
        for suffix in language.suffixes:
            other = by_suffix.setdefault(suffix, language)
            if other is not language:
                raise CodeacumenError(
                    f"two languages have files *{suffix}: {other.name} and {name}",
                    "remove one of the plug-ins",
                )
    return by_suffix
