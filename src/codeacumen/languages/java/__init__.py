"""Java, up to version 21, through tree-sitter."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from codeacumen.registry import language as register_language

if TYPE_CHECKING:
    from tree_sitter import Language

    from codeacumen.languages.base import TokenKind
    from codeacumen.languages.java.syntax.tokens import JavaTokens
    from codeacumen.languages.syntax import Syntax


@lru_cache(maxsize=1)
def load_grammar() -> Language:
    import tree_sitter_java
    from tree_sitter import Language

    return Language(tree_sitter_java.language())


def parse_java(source: bytes) -> Syntax:
    from codeacumen.languages.syntax import parse_source

    return parse_source(load_grammar(), source)


# The class around a snippet. The tail has a line of its own, because the snippet may end in a
# line comment.
SNIPPET_HEAD, SNIPPET_TAIL = b"class T {", b"\n}"


def wrap_snippet(
    snippet: bytes, *, leading_newline: bool = False, trailing_newline: bool = False
) -> tuple[bytes, int]:
    """Return a class whose body is the snippet, and the offset of the snippet in it.

    Without a leading newline, the lines of the snippet have the same numbers in the class.
    """
    head = SNIPPET_HEAD + b"\n" * leading_newline
    return b"".join((head, snippet, SNIPPET_TAIL, b"\n" * trailing_newline)), len(head)


@register_language("java")
class Java:
    """Java, the language of all tasks about methods."""

    name, title, suffixes = "java", "Java", (".java",)

    def parse(self, source: bytes) -> Syntax:
        return parse_java(source)

    def tokens(self, syntax: Syntax) -> JavaTokens:
        from codeacumen.languages.java.syntax.tokens import tokenize_java

        return tokenize_java(syntax)

    @cached_property
    def token_kinds(self) -> list[TokenKind]:
        from codeacumen.languages.base import KEYWORD, LITERAL, NAME, SIGN, TokenKind
        from codeacumen.languages.java.syntax.lexical import KEYWORDS
        from codeacumen.languages.java.syntax.tokens import KINDS, LITERALS

        roles = dict.fromkeys(("IDENTIFIER", "UNDERSCORE"), NAME)
        roles |= dict.fromkeys((word.upper() for word in KEYWORDS), KEYWORD)
        roles |= dict.fromkeys(LITERALS, LITERAL)
        quoted = ("CHARLITERAL", "STRINGLITERAL")
        return [TokenKind(roles.get(kind, SIGN), kind in quoted) for kind in KINDS]
