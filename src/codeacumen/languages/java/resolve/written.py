"""Types as they are written, read once into a small program that any scope can run.

The program is in postfix order, so that neither reading nor running it needs recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from codeacumen.languages.java.resolve.types import (
    ANY,
    DEEPEST,
    PRIMITIVES,
    UNKNOWN,
    Both,
    Type,
    array_of,
    wildcard,
)

_TOKEN = re.compile(r"\.\.\.|\[\]|[<>,?&|.\[\]]|[^\s<>,?&|.\[\]]+")
DIAMOND = -1


class Step(NamedTuple):
    """``name``: put the type of that name. ``args``: give n types to the one below them (DIAMOND:
    ``<>``). ``array``: n dimensions. ``+``, ``-``, ``*``: a wildcard. ``&``, ``|``: one of n."""

    do: str
    name: str = ""
    n: int = 0


@lru_cache(maxsize=1 << 17)
def program(text: str) -> tuple[Step, ...] | None:
    """None if this is not a type, or nested too deep."""
    if text.isidentifier():
        return (Step("name", text),)
    steps: list[Step] = []
    # Open lists of type arguments: how many there are so far, where they begin, wildcards that
    # wait for a bound, types joined by & or |.
    counts: list[int] = []
    waiting: list[str] = []
    joined: list[tuple[str, int]] = [("", 0)]
    begun: list[int] = []
    ended = 0
    sign = ""
    tokens = _TOKEN.findall(text)
    at = 0

    def close() -> None:
        """Ends a type: its wildcard, then what it is joined with."""
        nonlocal sign
        if sign:
            steps.append(Step(sign))
            sign = ""
        mark, n = joined[-1]
        if mark:
            steps.append(Step(mark, n=n + 1))
            joined[-1] = ("", 0)

    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token == "?":
            word = tokens[at] if at < len(tokens) else ""
            if word in ("extends", "super"):
                sign = "+" if word == "extends" else "-"
                at += 1
            else:
                steps.append(Step("*"))
        elif token == "<":
            if at < len(tokens) and tokens[at] == ">":
                steps.append(Step("args", n=DIAMOND))
                at += 1
                continue
            counts.append(1)
            begun.append(len(steps))
            waiting.append(sign)
            joined.append(("", 0))
            sign = ""
            if len(counts) > DEEPEST:
                return None
        elif token == ",":
            if not counts:
                return None
            close()
            counts[-1] += 1
        elif token == ">":
            if not counts:
                return None
            close()
            joined.pop()
            ended = begun.pop()
            steps.append(Step("args", n=counts.pop()))
            sign = waiting.pop()
        elif token in ("&", "|"):
            _mark, n = joined[-1]
            joined[-1] = (token, n + 1)
        elif token in ("[]", "..."):
            steps.append(Step("array", n=1))
        elif token == "." and at < len(tokens):
            # A<B>.C: the outer type's arguments are not kept.
            inner = tokens[at]
            at += 1
            if steps and steps[-1].do == "args":
                del steps[ended if steps[-1].n != DIAMOND else -1 :]
            if not steps or steps[-1].do != "name":
                return None
            steps[-1] = Step("name", f"{steps[-1].name}.{inner}")
        elif token in "[]":
            continue
        else:
            steps.append(Step("name", token))
    if counts or not steps:
        return None
    close()
    return tuple(steps)


def run(
    steps: tuple[Step, ...] | None,
    name: Callable[[str], Type],
    apply: Callable[[Type, tuple[Type, ...] | None], Type],
    common: Callable[[list[Type]], Type],
) -> Type:
    """The type a program makes where ``name`` tells what names mean; ``apply`` gives a type its
    arguments (None: to be inferred); ``common`` is what alternatives have in common."""
    if steps is None:
        return UNKNOWN
    stack: list[Type] = []
    for step in steps:
        do = step.do
        if do == "name":
            stack.append(PRIMITIVES.get(step.name) or name(step.name))
        elif do == "*":
            stack.append(ANY)
        elif not stack or len(stack) < step.n:
            return UNKNOWN
        elif do == "args" and step.n == DIAMOND:
            stack[-1] = apply(stack[-1], None)
        elif do == "args":
            args = tuple(stack[-step.n :])
            del stack[-step.n :]
            if not stack:
                return UNKNOWN
            stack[-1] = apply(stack[-1], args)
        elif do == "array":
            stack[-1] = array_of(stack[-1], step.n)
        elif do in "+-":
            stack[-1] = wildcard(do, stack[-1])
        else:
            parts = stack[-step.n :]
            del stack[-step.n :]
            stack.append(Both(tuple(parts)) if do == "&" else common(parts))
    return stack[0] if len(stack) == 1 else UNKNOWN
