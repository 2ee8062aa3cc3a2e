"""Java, up to version 21, through tree-sitter."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language

    from codeacumen.languages.syntax import Syntax


@lru_cache(maxsize=1)
def language() -> Language:
    import tree_sitter_java
    from tree_sitter import Language

    return Language(tree_sitter_java.language())


def parse_java(source: bytes) -> Syntax:
    from codeacumen.languages.syntax import parse

    return parse(language(), source)
