"""A language: Python, through its tree-sitter grammar (pip install tree-sitter-python)."""

from tree_sitter import Language

import codeacumen
from codeacumen.languages.base import TreeSitterLanguage


def load_grammar() -> Language:
    import tree_sitter_python

    return Language(tree_sitter_python.language())


@codeacumen.language("python")
def make_python() -> TreeSitterLanguage:
    """Python files, for corpora and identifier embeddings"""
    return TreeSitterLanguage(
        name="python",
        title="Python",
        suffixes=(".py",),
        load_grammar=load_grammar,
        names=("identifier",),
        literals=("integer", "float"),
        quoted=("string_content",),
    )
