"""JavaScript, up to ECMAScript 2025 and with JSX, through tree-sitter."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from codeacumen.languages.syntax import Syntax, parse

if TYPE_CHECKING:
    from tree_sitter import Language


@lru_cache(maxsize=1)
def language() -> Language:
    import tree_sitter_javascript
    from tree_sitter import Language

    return Language(tree_sitter_javascript.language())


def parse_javascript(source: bytes) -> Syntax:
    return parse(language(), source)
