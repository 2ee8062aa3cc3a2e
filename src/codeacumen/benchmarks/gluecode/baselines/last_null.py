"""Find a possible null dereference by a heuristic over the tokens of a method.

Suspects are variables whose last assigned value is null or the result of a call that often returns
null, and that are dereferenced before a check; calls whose result is dereferenced at once; and
calls with null or a suspect as an argument. One pass reads the tokens in the order of the text,
without branches, other methods or types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeacumen.api import Prompt
from codeacumen.models.lexer import is_name, split_tokens
from codeacumen.registry import model

# Maximum number of a method's tokens to read.
_MOST_TOKENS = 20_000
# Maximum number of tokens of an assigned value.
_MOST_VALUE_TOKENS = 300

# Degrees of suspicion from 8 down to 1: null itself, null passed in a test that expects the
# exception, a variable annotated as nullable, the result of a method that often returns null, null
# as an argument, a suspect as an argument, the result of a call, and that of a getter.
_NULL, _EXPECTED, _ANNOTATED, _OFTEN_NULL, _NULL_ARGUMENT, _PASSED, _FROM_CALL, _FROM_GETTER = (
    range(8, 0, -1)
)
# Methods with these names, in the platform and in most projects, return null for a missing value.
_NULLABLE_METHODS = (
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
    """Model that predicts the most suspicious dereference, the first of equally suspicious ones."""

    batch_size = 1024
    only = ("gluecode/nulltoken",)

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [find_suspect(prompt.text) for prompt in prompts]


def find_suspect(text: str) -> str:
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
    method_tokens = split_tokens(text)[:_MOST_TOKENS]
    # A test that expects the exception passes null.
    expects_exception = "NullPointerException" in method_tokens
    for suspicion, name in _list_dereferences(method_tokens):
        suspicion = _EXPECTED if expects_exception and suspicion == _NULL_ARGUMENT else suspicion
        if suspicion > best:
            best, token = suspicion, name
    return token


def _list_dereferences(method_tokens: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield degree of suspicion and token of the possible null dereferences, in source order."""
    # Degree of suspicion by variable; the token before each open bracket, innermost last.
    suspects: dict[str, int] = {}
    open_calls: list[str] = []
    for index, word in enumerate(method_tokens):
        after = method_tokens[index + 1] if index + 1 < len(method_tokens) else ""
        before = method_tokens[index - 1] if index else ""
        if word == "(":
            open_calls.append(before)
        elif word == ")":
            called = open_calls.pop() if open_calls else ""
            # The result is dereferenced at once, or passed on.
            if after in (".", "[") and is_name(called):
                if called in _NULLABLE_METHODS:
                    yield _OFTEN_NULL, called
                elif called.startswith("get"):
                    yield _FROM_GETTER, called
            elif (
                called in _NULLABLE_METHODS
                and after in (")", ",")
                and open_calls
                and is_name(open_calls[-1])
            ):
                yield _PASSED, called
        elif word == "null" and after in (")", ",") and before in ("(", ",", ")"):
            called = open_calls[-1] if open_calls else ""
            if is_name(called) and not called.startswith("assert"):
                yield _NULL_ARGUMENT, called
        if not is_name(word):
            continue
        # Only variables and fields of ``this`` are tracked, not fields of other objects.
        is_unqualified = before != "." or (index > 1 and method_tokens[index - 2] == "this")
        if not is_unqualified:
            continue
        if after == "=":
            suspects[word] = _rate_assigned_value(method_tokens, index + 2)
        elif after in ("==", "!=", "instanceof") or before in ("==", "!="):
            # A checked variable is no longer suspect.
            suspects.pop(word, None)
        elif after in (".", "[") and suspects.get(word):
            yield suspects.pop(word), word
        elif after in (")", ",") and suspects.get(word, 0) >= _OFTEN_NULL and open_calls:
            yield _PASSED, word
        elif index > 1 and method_tokens[index - 2] == "Nullable":
            suspects[word] = _ANNOTATED


def _rate_assigned_value(method_tokens: Sequence[str], start: int) -> int:
    """Return the degree of suspicion of the value that starts at an index; 0 for none."""
    if start < len(method_tokens) and method_tokens[start] == "null":
        return _NULL
    depth, called = 0, ""
    for index in range(start, min(len(method_tokens), start + _MOST_VALUE_TOKENS)):
        token = method_tokens[index]
        if token in "([{":
            # The last call at depth 0 returns the value: in a.b().c(), c.
            if token == "(" and depth == 0:
                called = method_tokens[index - 1]
            depth += 1
        elif token in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and token in (";", ",")):
            break
    is_constructed = start < len(method_tokens) and method_tokens[start] == "new"
    if is_constructed or not is_name(called):
        return 0
    return _OFTEN_NULL if called in _NULLABLE_METHODS else _FROM_CALL


@model("last-null")
def make_last_null() -> LastNull:
    """Last variable that may be null, by assignment or call, and is dereferenced"""
    return LastNull()
