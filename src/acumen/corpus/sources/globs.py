"""Patterns of a recipe's ``include`` and ``exclude``.

``*`` and ``?`` stay inside one name, ``[ab]`` is one of these characters, ``**`` is any number of
folders. A pattern that fits a folder takes all that is below it.
"""

from __future__ import annotations

import re
from functools import lru_cache


def fits(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns takes this path.

    >>> fits("src/main/A.java", ("src/**/*.java",)), fits("src/main/A.java", ("main",))
    (True, False)
    """
    return _compiled(patterns).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    each = "|".join(_expression(pattern) for pattern in patterns)
    return re.compile(f"(?s:(?:{each})(?:/.*)?)")


def _expression(pattern: str) -> str:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    expression = ""
    for place, name in enumerate(names):
        last = place == len(names) - 1
        if name == "**":
            # Twice in a row says nothing more, and would make matching slow.
            if place and names[place - 1] == "**":
                continue
            expression += ".+" if last else "(?:[^/]+/)*"
        else:
            expression += _name(name) + ("" if last else "/")
    return expression


def _name(name: str) -> str:
    expression, place = "", 0
    while place < len(name):
        char = name[place]
        end = name.find("]", place + 2) if char == "[" else -1
        if end > 0:
            inside = name[place + 1 : end]
            negated = inside.startswith("!")
            letters = re.sub(r"([\\\]\[^&~|])", r"\\\1", inside[negated:])
            expression += f"[^/{letters}]" if negated else f"[{letters}]"
            place = end
        else:
            expression += {"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char)
        place += 1
    return expression
