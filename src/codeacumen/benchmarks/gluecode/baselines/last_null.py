"""Find a possible null dereference by a heuristic over the tokens of a method.

Suspects are variables that were last assigned null, or the result of a call that often returns
null, and that are dereferenced before a check; failing that, calls with null or a suspect as an
argument. One pass reads the tokens in the order of the text, without branches, other methods or
types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeacumen.api import Prompt
from codeacumen.models.lexer import is_name, tokens
from codeacumen.registry import model

_MOST_TOKENS = 20_000
# Maximum number of tokens of an assigned value.
_FAR = 300

# Degrees of suspicion, highest first.
_NULL, _EXPECTED, _ANNOTATED, _OFTEN_NULL, _NULL_ARGUMENT, _PASSED, _FROM_CALL, _GOT = range(
    8, 0, -1
)
# Methods with these names, in the platform and in most projects, return null for a missing value.
_OFTEN = (
    "get",
    "find",
    "lookup",
    "poll",
    "peek",
    "remove",
    "readLine",
    "readObject",
    "list",
    "listFiles",
    "getProperty",
    "getResource",
    "getResourceAsStream",
    "getParent",
    "getParentFile",
    "getAttribute",
    "getParameter",
    "getenv",
    "getMessage",
    "getCause",
    "pollFirst",
    "pollLast",
    "peekFirst",
    "peekLast",
    "firstEntry",
    "lastEntry",
    "floorEntry",
    "ceilingEntry",
    "higherEntry",
    "lowerEntry",
    "getFileName",
    "putIfAbsent",
    "put",
)


class LastNull:
    """Predicts the most suspicious dereference, the first of equal ones."""

    batch_size = 1024
    only = ("gluecode/nulltoken",)

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [suspected(prompt.text) for prompt in prompts]


def suspected(text: str) -> str:
    """Return the token at which a method may dereference null, or ``<none>``.

    >>> find_suspect("void m() { String s = null; if (f) s = \\"\\"; s.trim(); }")
    '<none>'
    >>> find_suspect("void m() { String s = null; s.trim(); }")
    's'
    >>> find_suspect("int m() { return map.get(key).size(); }")
    'get'
    """
    # Imported here because listing the models must not load the tasks.
    from codeacumen.benchmarks.gluecode.masks import NO_WARNING

    best, token = 0, NO_WARNING
    found = tokens(text)[:_MOST_TOKENS]
    # A test that expects the exception passes null.
    expected = "NullPointerException" in found
    for doubt, name in _dereferences(found):
        doubt = _EXPECTED if expected and doubt == _NULL_ARGUMENT else doubt
        if doubt > best:
            best, token = doubt, name
    return token


def _dereferences(found: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the possible null dereferences in order, each with its degree of suspicion."""
    suspects: dict[str, int] = {}
    opened: list[str] = []
    for place, word in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else ""
        before = found[place - 1] if place else ""
        if word == "(":
            opened.append(before)
        elif word == ")":
            called = opened.pop() if opened else ""
            # The result is dereferenced at once, or passed on.
            if after in (".", "[") and is_name(called):
                if called in _OFTEN:
                    yield _OFTEN_NULL, called
                elif called.startswith("get"):
                    yield _GOT, called
            elif called in _OFTEN and after in (")", ",") and opened and is_name(opened[-1]):
                yield _PASSED, called
        elif word == "null" and after in (")", ",") and before in ("(", ",", ")"):
            called = opened[-1] if opened else ""
            if is_name(called) and not called.startswith("assert"):
                yield _NULL_ARGUMENT, called
        if not is_name(word):
            continue
        own = before != "." or (place > 1 and found[place - 2] == "this")
        if not own:
            continue
        if after == "=":
            suspects[word] = _doubt(found, place + 2)
        elif after in ("==", "!=", "instanceof") or before in ("==", "!="):
            # A checked variable is no longer suspect.
            suspects.pop(word, None)
        elif after in (".", "[") and suspects.get(word):
            yield suspects.pop(word), word
        elif after in (")", ",") and suspects.get(word, 0) >= _OFTEN_NULL and opened:
            yield _PASSED, word
        elif place > 1 and found[place - 2] == "Nullable":
            suspects[word] = _ANNOTATED


def _doubt(found: Sequence[str], start: int) -> int:
    """Return the degree of suspicion of the value assigned at an index."""
    if start < len(found) and found[start] == "null":
        return _NULL
    depth, called = 0, ""
    for place in range(start, min(len(found), start + _FAR)):
        token = found[place]
        if token in "([{":
            if token == "(" and depth == 0:
                called = found[place - 1]
            depth += 1
        elif token in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and token in (";", ",")):
            break
    constructed = start < len(found) and found[start] == "new"
    if constructed or not is_name(called):
        return 0
    return _OFTEN_NULL if called in _OFTEN else _FROM_CALL


@model("last-null")
def make_last_null() -> LastNull:
    """Last variable that may be null, by assignment or call, and is dereferenced"""
    return LastNull()
