"""Compile the text of a type to postfix steps, which are then evaluated in any scope.

Postfix order makes both compilation and evaluation free of recursion.
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
    """A step of a stack machine.

    ``name`` pushes the type of that name. ``args`` pops n types and applies them to the type below
    (DIAMOND: ``<>``). ``array`` adds n dimensions. ``+``, ``-``, ``*`` make a wildcard. ``&`` and
    ``|`` join n types.
    """

    do: str
    name: str = ""
    n: int = 0


@lru_cache(maxsize=1 << 17)
def program(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a type; None if the text is no type, or nested too deep."""
    if text.isidentifier():
        return (Step("name", text),)
    steps: list[Step] = []
    # Stacks with one entry per open ``<``: arguments so far, the wildcard that waits for its bound,
    # types joined by & or |, and the index of the first step.
    counts: list[int] = []
    waiting: list[str] = []
    joined: list[tuple[str, int]] = [("", 0)]
    begun: list[int] = []
    ended = 0
    sign = ""
    tokens = _TOKEN.findall(text)
    at = 0

    def close() -> None:
        """Finish a type: emit its pending wildcard, then its pending join."""
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
            # A<B>.C: drop the outer type's arguments.
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
    """Evaluate the steps of a type.

    ``resolve_name`` returns the type of a name, ``apply_arguments`` applies type arguments (None:
    to be inferred), ``join_alternatives`` returns the least upper bound of a union.
    """
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
