"""JavaScript, up to ECMAScript 2025 and with JSX, through tree-sitter."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from codeacumen.languages.syntax import Syntax, parse_source
from codeacumen.registry import language as register_language

if TYPE_CHECKING:
    from tree_sitter import Language

    from codeacumen.languages.base import TokenKind
    from codeacumen.languages.javascript.tokens import JavaScriptTokens


@lru_cache(maxsize=1)
def load_grammar() -> Language:
    """Return tree-sitter's grammar of JavaScript."""
    import tree_sitter_javascript
    from tree_sitter import Language

    return Language(tree_sitter_javascript.language())


def parse_javascript(source: bytes) -> Syntax:
    """Return the syntax of a JavaScript file; any bytes can be parsed."""
    return parse_source(load_grammar(), source)


@register_language("javascript")
class JavaScript:
    """JavaScript, for identifier embeddings and surveys."""

    name, title, suffixes = "javascript", "JavaScript", (".js", ".mjs", ".cjs", ".jsx")

    def parse(self, source: bytes) -> Syntax:
        return parse_javascript(source)

    def tokens(self, syntax: Syntax) -> JavaScriptTokens:
        from codeacumen.languages.javascript.tokens import tokenize_javascript

        return tokenize_javascript(syntax)

    @cached_property
    def token_kinds(self) -> list[TokenKind]:
        from codeacumen.languages.base import KEYWORD, LITERAL, NAME, SIGN, TokenKind
        from codeacumen.languages.javascript.tokens import KINDS

        quoted = ("string", "template", "regex", "jsx text")
        roles = {"keyword": KEYWORD, "identifier": NAME, "private name": NAME, "number": LITERAL}
        roles |= dict.fromkeys(quoted, LITERAL)
        return [TokenKind(roles.get(kind, SIGN), kind in quoted) for kind in KINDS]
