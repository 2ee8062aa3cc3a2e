"""toksim: how alike two methods' bodies are to one who sees only the kinds of their tokens.

All identifiers are one kind, and so are all strings, all integers, …; each keyword and each
operator is its own. ``int`` and the other primitive types are identifiers, as every other type is;
``void`` is not. Two ``>`` that close generics are one ``>>``: a scanner knows no grammar. toksim is
one minus the Levenshtein distance as a share of the longer body, so 1 for bodies of equal shape.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import parse_java
from acumen.lang.java.declarations import NONE, declarations
from acumen.lang.java.tokens import tokens
from acumen.similar._bodies import bodies, kinds_of_tokens

Floats = NDArray[np.float64]

# Pairs that are compared in one call.
_BATCH = 1 << 14


def kinds(text: str) -> bytes:
    """Kinds of the tokens of a method's body, braces too; one byte a token.

    The text may be a method, or a class around it as SeSaMe prints one: then it is the first method
    with a body that has JavaDoc, or the first at all. A text without any gives all its tokens.
    """
    (body,) = bodies([text])
    if body.nodes:
        return body.kinds
    syntax = parse_java(text.encode("utf-8", "surrogatepass"))
    found = tokens(syntax)
    codes = kinds_of_tokens(found)
    methods = [one for one in declarations(syntax).methods if one.body != NONE]
    told = [one for one in methods if one.javadoc != NONE and one.kind == "method"]
    for method in (told or methods)[:1]:
        start, end = int(syntax.start[method.body]), int(syntax.end[method.body])
        codes = codes[(found.start >= start) & (found.start < end)]
    return codes.tobytes()


def toksim(left: bytes, right: bytes) -> float:
    """From 0 to 1; two bodies without tokens are the same."""
    from rapidfuzz.distance import Levenshtein

    longest = max(len(left), len(right))
    return 1.0 - Levenshtein.distance(left, right) / longest if longest else 1.0


def toksims(
    bodies: Sequence[bytes], left: NDArray[np.int32], right: NDArray[np.int32], workers: int = 1
) -> Floats:
    """toksim of each pair of rows. Memory does not grow with what is compared, only the answer."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    found = np.ones(len(left), dtype=np.float64)
    for first in range(0, len(left), _BATCH):
        one = [bodies[row] for row in left[first : first + _BATCH].tolist()]
        other = [bodies[row] for row in right[first : first + _BATCH].tolist()]
        distance = cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int32, workers=workers)
        longest = [max(len(a), len(b), 1) for a, b in zip(one, other, strict=True)]
        found[first : first + _BATCH] = 1.0 - distance / np.array(longest, dtype=np.int64)
    return found
