"""Splitting identifiers into subtokens: the one place where it is done.

Rules, in this order:

1. ``_``, ``$``, ``-`` and anything else that is neither letter nor digit separates, and is dropped.
2. A capital after a small letter or a digit starts a subtoken: ``maxValue``, ``utf8Decode``.
3. The last of several capitals starts a subtoken if a small letter follows: ``XMLParser``
   is ``XML``, ``Parser``.
4. Digits stay with what stands before them: ``md5sum`` is one subtoken, ``tag_h4`` is two.

Case is kept as written.
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def subtokens(identifier: str) -> tuple[str, ...]:
    """The subtokens of an identifier.

    >>> subtokens("getHTTPResponse_code2")
    ('get', 'HTTP', 'Response', 'code2')
    """
    pieces: list[str] = []
    start = 0
    for i, char in enumerate(identifier):
        if not char.isalnum():
            pieces.append(identifier[start:i])
            start = i + 1
        elif i > start and char.isupper():
            before = identifier[i - 1]
            after = identifier[i + 1 : i + 2]
            if not before.isupper() or after.islower():
                pieces.append(identifier[start:i])
                start = i
    pieces.append(identifier[start:])
    return tuple(piece for piece in pieces if piece)
