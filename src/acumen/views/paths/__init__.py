"""The **code2vec** and **code2seq** views: path contexts, as the authors' extractor prints them.

A path context is two leaves of a method's syntax tree and the path between them. The tree is that
of JavaParser 3.0.0-alpha.4, with which the extractors were published: ``rules`` says how it follows
from the syntax, ``details`` and ``tree`` build it, ``contexts`` finds the pairs, ``leaves`` names
their ends, ``build`` puts it all into arrays and ``lines`` prints them.

Unlike the original, comments change nothing: there, a comment attached to a leaf becomes part of
its name. Annotations on an array's brackets are left out. Methods of any length are examples.
Constructs newer than Java 8, which that parser rejects, are taken as written, under the names later
versions gave them.
"""

from acumen.views.paths.build import (
    METHOD_NAME,
    MethodPaths,
    OwnName,
    Paths,
    Style,
    code2seq_line,
    code2vec_line,
    method_paths,
    path_string,
    paths,
    shape,
)
from acumen.views.paths.leaves import KINDS

__all__ = [
    "KINDS",
    "METHOD_NAME",
    "MethodPaths",
    "OwnName",
    "Paths",
    "Style",
    "code2seq_line",
    "code2vec_line",
    "method_paths",
    "path_string",
    "paths",
    "shape",
]
