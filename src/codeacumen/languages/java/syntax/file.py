"""A Java file, parsed once, with the results of its analyses, and snippets parsed each inside a
class of its own.

For valid code the newlines of a snippet's wrapper change line numbers only. For code with syntax
errors tree-sitter's error recovery counts the characters and lines that it skips, so about 1 broken
snippet in 300 gets another tree with another wrapper. Callers therefore choose the newlines, and
keep the choice with which their scores were measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import SNIPPET_HEAD, SNIPPET_TAIL, parse_java, wrap_snippet
from codeacumen.languages.java.bindings.names import (
    Bindings,
    Identifiers,
    collect_names,
    resolve_bindings,
)
from codeacumen.languages.java.syntax.declarations import (
    NONE,
    Declarations,
    MethodDeclaration,
    find_declarations,
)
from codeacumen.languages.java.syntax.tokens import JavaTokens, tokenize_java
from codeacumen.languages.syntax import Syntax

T = TypeVar("T")


class JavaFile:
    """A parsed Java file. Syntax, declarations, tokens, names and further results are computed at
    first use and kept with the object."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._results: dict[object, object] = {}

    def compute_once(self, function: Callable[[JavaFile], T]) -> T:
        """Return the result of a function or class called with the file, computed at the first
        call. Results are stored by the function object, so callers pass the same one each time."""
        if function not in self._results:
            self._results[function] = function(self)
        return cast(T, self._results[function])

    def store_result(self, function: Callable[[JavaFile], T], result: T) -> None:
        """Store the result that ``compute_once`` returns for a function, for callers that know more
        than the file, such as its project."""
        self._results[function] = result

    @cached_property
    def syntax(self) -> Syntax:
        return parse_java(self.source)

    @cached_property
    def declarations(self) -> Declarations:
        return find_declarations(self.syntax)

    @cached_property
    def tokens(self) -> JavaTokens:
        return tokenize_java(self.syntax)

    @cached_property
    def names(self) -> Identifiers:
        return collect_names(self.syntax)

    @cached_property
    def bindings(self) -> Bindings:
        return resolve_bindings(self.syntax, self.declarations, self.names)

    @cached_property
    def bodies(self) -> list[int]:
        """Methods and constructors with a body, as indices into ``declarations.methods``. Views
        exist for exactly these."""
        return [
            place for place, method in enumerate(self.declarations.methods) if method.body != NONE
        ]


class Snippet(NamedTuple):
    """A snippet, the bytes ``[start, stop)`` of ``file.source``."""

    file: JavaFile
    start: int
    stop: int


class Snippets(NamedTuple):
    """Snippets in one file: arrays of the first byte of each and of the byte after its last."""

    file: JavaFile
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


def parse_snippet(
    text: str | bytes, *, leading_newline: bool = False, trailing_newline: bool = False
) -> Snippet:
    """Return the file of a class whose body is ``text``, and where the text is in it.

    >>> file, start, stop = parse_snippet("int f() { return 1; }")
    >>> file.source[start:stop]
    b'int f() { return 1; }'
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    source, start = wrap_snippet(
        data, leading_newline=leading_newline, trailing_newline=trailing_newline
    )
    return Snippet(JavaFile(source), start, start + len(data))


def parse_method(text: str) -> tuple[JavaFile, MethodDeclaration | None]:
    """Return the file of a class whose body is ``text``, and the first method in it, if any."""
    file = parse_snippet(text, leading_newline=True, trailing_newline=True).file
    # Type 0 is the wrapper's class; NONE occurs in a source with errors.
    own_methods = (method for method in file.declarations.methods if method.type in (0, NONE))
    return file, next(own_methods, None)


def parse_snippets(texts: Sequence[bytes], *, leading_newline: bool = False) -> Iterator[Snippets]:
    """Yield all texts in one file, each in a class of its own with a trailing newline.

    One parse of many methods is several times as fast as many parses. If a text is broken or
    closes its class early, each text is yielded in a file of its own, so that it spoils no other.
    """
    head, tail = SNIPPET_HEAD + b"\n" * leading_newline, SNIPPET_TAIL + b"\n"
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = np.cumsum(lengths + len(head) + len(tail))
    starts = ends - len(tail) - lengths
    file = JavaFile(b"".join(head + text + tail for text in texts))
    if len(texts) > 1:
        # Each wrapper must have exactly one node below the root, which begins where it begins.
        top = file.syntax.depth == 1
        if file.syntax.broken or not np.array_equal(file.syntax.start[top], starts - len(head)):
            for text in texts:
                yield from parse_snippets([text], leading_newline=leading_newline)
            return
    yield Snippets(file, starts, starts + lengths)
