"""The words of a method, with how often each is said: its name, what its JavaDoc says, and the
identifiers of its code, all as subtokens in small letters."""

from __future__ import annotations

import re
from functools import lru_cache

from codeacumen.languages.java.syntax.lexical import KEYWORDS
from codeacumen.text.subtokens import split_subtokens

# A name says what a method does in a few words: each counts as much as several of its body.
NAME_WEIGHT = 3

# Comments and literals are passed over as a whole, so that nothing in them is taken for code.
_CODE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"\"\".*?(?:\"\"\"|\Z)|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    r"|([^\W\d]\w*)",
    re.DOTALL,
)
_KEYWORDS = frozenset(KEYWORDS)
_WORD = re.compile(r"[^\W\d_][\w$]*")
_TAG = re.compile(r"<[^<>]{0,200}>|&\w{1,8};|[{]?@\w+")


@lru_cache(maxsize=1 << 17)
def _lower_subtokens(identifier: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in split_subtokens(identifier) if len(part) > 1)


def count_words(name: str, javadoc: str, text: str) -> dict[str, int]:
    """``text`` is the source of the method, with or without its JavaDoc.

    >>> words("isEmpty", "/** Whether it is empty. */", "boolean isEmpty() { return size == 0; }")
    {'is': 4, 'empty': 4, 'whether': 1, 'it': 1, 'size': 1}
    """
    counts: dict[str, int] = {}
    for word in _lower_subtokens(name):
        counts[word] = counts.get(word, 0) + NAME_WEIGHT
    for identifier in _WORD.findall(_TAG.sub(" ", javadoc)):
        for word in _lower_subtokens(identifier):
            counts[word] = counts.get(word, 0) + 1
    for identifier in _CODE.findall(text):
        # Its own name stands in its text again.
        if identifier and identifier != name and identifier not in _KEYWORDS:
            for word in _lower_subtokens(identifier):
                counts[word] = counts.get(word, 0) + 1
    return counts
