"""Which tokens differ between two texts of Java, for marking them where both are shown.

White space is no token: code that only moved to the right is not marked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile

# Offsets of a stretch, in characters.
Stretch = tuple[int, int]

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|//[^\n]*|/\*.*?\*/|[\w$]+|\S",
    re.DOTALL,
)


def differences(before: str, after: str) -> tuple[list[Stretch], list[Stretch]]:
    """The stretches of each text that the other does not have.

    >>> differences("int a = b;", "int c = b;")
    ([(4, 5)], [(4, 5)])
    """
    old, new = _tokens(before), _tokens(after)
    words, others = ([text for text, _ in tokens] for tokens in (old, new))
    # Most of two variants is alike; the search is for what stands between.
    first = _alike(words, others)
    last = _alike(words[first:][::-1], others[first:][::-1])
    middle = SequenceMatcher(
        None, words[first : len(words) - last], others[first : len(others) - last], autojunk=False
    )
    gone: list[Stretch] = []
    come: list[Stretch] = []
    for what, i1, i2, j1, j2 in middle.get_opcodes():
        if what != "equal":
            gone += _stretches(before, old[first + i1 : first + i2])
            come += _stretches(after, new[first + j1 : first + j2])
    return gone, come


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    """How many stand at the beginning of both."""
    pairs = zip(some, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _tokens(text: str) -> list[tuple[str, Stretch]]:
    return [(found[0], found.span()) for found in _TOKEN.finditer(text)]


def _stretches(text: str, tokens: Sequence[tuple[str, Stretch]]) -> list[Stretch]:
    """One for the tokens of a line, so that no indentation is among them."""
    found: list[Stretch] = []
    for _, (start, end) in tokens:
        if found and "\n" not in text[found[-1][1] : start]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def dedented(*texts: str) -> list[str]:
    """Methods without the indentation that all of their lines after the first share."""
    margins = [
        line[: len(line) - len(line.lstrip(" \t"))]
        for text in texts
        for line in text.split("\n")[1:]
        if line.strip()
    ]
    margin = min((_alike(margins[0], one) for one in margins), default=0)
    return [
        "\n".join([first, *(line[margin:] if line.strip() else "" for line in rest)])
        for first, *rest in (text.split("\n") for text in texts)
    ]
