"""What a leaf is called: code2vec's name, code2seq's parts.

Both are made from the leaf's text as JavaParser prints it. The rules are those of the authors'
extractors, with their slips: a rule meant for white space deletes ``//s``, and ``Integer`` is
``int`` to one and ``integer`` to the other.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.file import JavaFile
from acumen.views.paths.kinds import KIND
from acumen.views.paths.tree import (
    BRACES,
    BRACKETS,
    DIAMOND,
    LEAST_INT,
    LEAST_LONG,
    NAME,
    PARENTHESES,
    TEXT,
    TYPE,
    WILDCARD,
)  # fmt: skip

BLANK = "BLANK"
BOXED = {
    "Boolean": "boolean", "Byte": "byte", "Character": "char", "Double": "double",
    "Float": "float", "Integer": "int", "Long": "long", "Short": "short",
}  # fmt: skip
_KEPT_NUMBERS = ("0", "1", "32", "64")
_LONGEST = 50
_GIVEN = {
    BRACKETS: "[]", BRACES: "{}", PARENTHESES: "()", WILDCARD: "?", LEAST_INT: "-2147483648",
    LEAST_LONG: "-9223372036854775808L",
}  # fmt: skip

_WHITE = "".join(map(chr, range(33)))
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|_|[0-9]|(?<=[A-Z])(?=[A-Z][a-z])|\s+", flags=re.ASCII)
_SIGNS = re.compile(r"""["',]|[^ -~]""")
_NO_LETTER = re.compile(r"[^A-Za-z]+")
_UNICODE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})")


def normalized(text: str, default: str = "") -> str:
    """Lower case letters; if there are none, what else can be printed, blanks as underscores."""
    if text.isascii() and text.isalpha():
        return text.lower()
    # A line break's escape goes first: what then meets may be deleted with it.
    lowered = text.lower().replace("\\n", "")
    if "//s" in lowered:
        lowered = re.sub("//s+", "", lowered)
    printed = _SIGNS.sub("", lowered)
    return _NO_LETTER.sub("", printed) or printed.replace(" ", "_") or default


def name_of(text: str, boxed: bool = False) -> str:
    """code2vec's name. ``boxed``: of a boxed type, which is printed as the primitive one."""
    return BOXED[text] if boxed else normalized(text, BLANK)[:_LONGEST]


def parts_of(text: str) -> str:
    """code2seq's name: parts joined by bars. Of whole numbers only four are told."""
    pieces = _SPLIT.split(text.replace("|", " ").strip(_WHITE))
    parts = "|".join(part for part in map(normalized, pieces) if part)
    if parts:
        return parts
    name = name_of(text)
    return "<NUM>" if text[:1].isdigit() and name not in _KEPT_NUMBERS else name


def target_of(method: str) -> str:
    """What is to be predicted: the parts of a method's name."""
    pieces = _SPLIT.split(method.strip(_WHITE))
    return "|".join(part for part in map(normalized, pieces) if part) or normalized(method, BLANK)


@lru_cache(maxsize=1 << 17)
def _both(text: str, boxed: bool) -> tuple[str, str]:
    return name_of(text, boxed), parts_of(text)


def _spelled(text: str, boxed: bool) -> tuple[str, str]:
    if "\\u" in text:
        # Unicode escapes are characters before a parser sees them.
        text = _UNICODE.sub(lambda match: match[1] + chr(int(match[2], 16)), text)
    # Long texts are literals: each is met once, and would fill the memory.
    return _both(text, boxed) if len(text) <= 40 else _both.__wrapped__(text, boxed)


class _Texts:
    """The file's words, and further texts, numbered on from them."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.further: dict[bytes | tuple[int, int], int] = {}

    def number(self, key: bytes | tuple[int, int]) -> int:
        return self.further.setdefault(key, len(self.words) + len(self.further))

    def spelled(self, numbers: list[int]) -> list[tuple[str, str]]:
        keys = list(self.further)
        found: list[tuple[str, str]] = []
        for number in numbers:
            boxed = False
            if number < len(self.words):
                text = self.words[number]
            else:
                key = keys[number - len(self.words)]
                if isinstance(key, bytes):
                    text = key.decode("utf-8", errors="replace")
                else:
                    word, form = key
                    text = _GIVEN.get(form) or self.words[word]
                    text += "<>" if form == DIAMOND else ""
                    # Only for a boxed type has a word in this form another spelling.
                    boxed = form == TEXT
            found.append(_spelled(text, boxed))
        return found


def leaf_names(
    file: JavaFile,
    kind: NDArray[np.int32],
    anchor: NDArray[np.int32],
    form: NDArray[np.int32],
) -> tuple[tuple[NDArray[np.int32], tuple[str, ...]], tuple[NDArray[np.int32], tuple[str, ...]]]:
    """Names and parts of leaves, each as numbers and the words they number."""
    names, syntax = file.names, file.syntax
    texts = _Texts(names.words)
    word = names.word_of[anchor]
    boxed = (kind == KIND["PrimitiveType"]) & (word >= 0)
    plain = (word >= 0) & ~boxed & ((form == TEXT) | (form == NAME) | (form == TYPE))
    number = word.copy()
    rest = np.flatnonzero(~plain)
    columns = (word[rest], form[rest], syntax.start[anchor[rest]], syntax.end[anchor[rest]])
    number[rest] = [
        texts.number(
            (0, how) if how in _GIVEN else (at, how) if at >= 0 else file.source[start:end]
        )
        for at, how, start, end in zip(*(column.tolist() for column in columns), strict=True)
    ]
    used, place = np.unique(number, return_inverse=True)
    spelled = texts.spelled(used.tolist())
    found = []
    for column in range(2):
        words: dict[str, int] = {}
        codes = [words.setdefault(pair[column], len(words)) for pair in spelled]
        found.append((np.array(codes, dtype=np.int32)[place], tuple(words)))
    return found[0], found[1]
