"""Where null may be dereferenced, by a rule of thumb: what was last assigned null, or came from a
call that likes to give null, and is dereferenced before anybody asks; failing that, what is handed
null, or something that may be, as an argument.

Reads the tokens of the method in the order of its text, once. It knows nothing of branches, other
methods or types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeacumen.api import Prompt
from codeacumen.models.lexer import is_name, tokens
from codeacumen.registry import model

_MOST_TOKENS = 20_000
# An assigned value is read as far as this.
_FAR = 300

# How much a value is to be suspected, the most first.
_NULL, _EXPECTED, _ANNOTATED, _OFTEN_NULL, _NULL_ARGUMENT, _PASSED, _FROM_CALL, _GOT = range(
    8, 0, -1
)
# Called so, a method of the platform or of most projects gives null where there is nothing.
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
    """Answers with the most suspicious dereference, the first among equals."""

    batch_size = 1024
    only = ("gluecode/nulltoken",)

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [suspected(prompt.text) for prompt in prompts]


def suspected(text: str) -> str:
    """
    >>> suspected("void m() { String s = null; if (f) s = \\"\\"; s.trim(); }")
    '<none>'
    >>> suspected("void m() { String s = null; s.trim(); }")
    's'
    >>> suspected("int m() { return map.get(key).size(); }")
    'get'
    """
    # To list the models is not to load the tasks.
    from codeacumen.benchmarks.gluecode.masks import NO_WARNING

    best, token = 0, NO_WARNING
    found = tokens(text)[:_MOST_TOKENS]
    # A test that wants one hands over null.
    expected = "NullPointerException" in found
    for doubt, name in _dereferences(found):
        doubt = _EXPECTED if expected and doubt == _NULL_ARGUMENT else doubt
        if doubt > best:
            best, token = doubt, name
    return token


def _dereferences(found: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Dereferences of what may be null, in order, each with how much it is to be suspected."""
    suspects: dict[str, int] = {}
    opened: list[str] = []
    for place, word in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else ""
        before = found[place - 1] if place else ""
        if word == "(":
            opened.append(before)
        elif word == ")":
            called = opened.pop() if opened else ""
            # What a call gives is dereferenced on the spot, or handed on.
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
            # Whoever asks knows.
            suspects.pop(word, None)
        elif after in (".", "[") and suspects.get(word):
            yield suspects.pop(word), word
        elif after in (")", ",") and suspects.get(word, 0) >= _OFTEN_NULL and opened:
            yield _PASSED, word
        elif place > 1 and found[place - 2] == "Nullable":
            suspects[word] = _ANNOTATED


def _doubt(found: Sequence[str], start: int) -> int:
    """How much a value is to be suspected that is assigned at a place."""
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
    """What was last assigned null, or comes from a call that may give it, and is dereferenced"""
    return LastNull()
