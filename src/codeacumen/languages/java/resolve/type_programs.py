"""Compile the text of a type to postfix steps, which ``scopes`` then evaluates in any scope.

Postfix order makes both compilation and evaluation free of recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from codeacumen.languages.java.resolve.types import (
    MAX_TYPE_DEPTH,
    PRIMITIVES,
    UNBOUNDED_WILDCARD,
    UNKNOWN,
    IntersectionType,
    Type,
    array_of,
    wildcard_type,
)

_TOKEN = re.compile(r"\.\.\.|\[\]|[<>,?&|.\[\]]|[^\s<>,?&|.\[\]]+")
# The number of type arguments in ``<>``.
DIAMOND = -1


class Step(NamedTuple):
    """A step of a stack machine, by its ``operation``.

    ``name`` pushes the type of that name. ``args`` pops n types and applies them to the type below
    (DIAMOND: ``<>``). ``array`` adds n dimensions. ``+`` and ``-`` make the topmost type the bound
    of a wildcard (``extends``, ``super``), ``*`` pushes ``?``. ``&`` and ``|`` join n types.
    """

    operation: str
    name: str = ""
    n: int = 0


@lru_cache(maxsize=1 << 17)
def compile_type(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a type; None if the text is no type, or nests type arguments deeper than
    MAX_TYPE_DEPTH."""
    if text.isidentifier():
        return (Step("name", text),)
    steps: list[Step] = []
    # Stacks with one entry per open ``<``: arguments so far, the wildcard that waits for its bound,
    # types joined by & or |, and the index of the first step.
    argument_counts: list[int] = []
    pending_wildcards: list[str] = []
    pending_joins: list[tuple[str, int]] = [("", 0)]
    first_steps: list[int] = []
    # The first step of the arguments that were closed last.
    last_begin = 0
    wildcard_sign = ""
    tokens = _TOKEN.findall(text)
    position = 0

    def finish_type() -> None:
        """Emit the pending wildcard, then the pending join, at the end of a type or argument."""
        nonlocal wildcard_sign
        if wildcard_sign:
            steps.append(Step(wildcard_sign))
            wildcard_sign = ""
        join_mark, join_count = pending_joins[-1]
        if join_mark:
            steps.append(Step(join_mark, n=join_count + 1))
            pending_joins[-1] = ("", 0)

    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token == "?":
            word = tokens[position] if position < len(tokens) else ""
            if word in ("extends", "super"):
                wildcard_sign = "+" if word == "extends" else "-"
                position += 1
            else:
                steps.append(Step("*"))
        elif token == "<":
            if position < len(tokens) and tokens[position] == ">":
                steps.append(Step("args", n=DIAMOND))
                position += 1
                continue
            argument_counts.append(1)
            first_steps.append(len(steps))
            pending_wildcards.append(wildcard_sign)
            pending_joins.append(("", 0))
            wildcard_sign = ""
            if len(argument_counts) > MAX_TYPE_DEPTH:
                return None
        elif token == ",":
            if not argument_counts:
                return None
            finish_type()
            argument_counts[-1] += 1
        elif token == ">":
            if not argument_counts:
                return None
            finish_type()
            pending_joins.pop()
            last_begin = first_steps.pop()
            steps.append(Step("args", n=argument_counts.pop()))
            wildcard_sign = pending_wildcards.pop()
        elif token in ("&", "|"):
            _join_mark, join_count = pending_joins[-1]
            pending_joins[-1] = (token, join_count + 1)
        elif token in ("[]", "..."):
            steps.append(Step("array", n=1))
        elif token == "." and position < len(tokens):
            # A<B>.C: drop the outer type's arguments.
            inner = tokens[position]
            position += 1
            if steps and steps[-1].operation == "args":
                del steps[last_begin if steps[-1].n != DIAMOND else -1 :]
            if not steps or steps[-1].operation != "name":
                return None
            steps[-1] = Step("name", f"{steps[-1].name}.{inner}")
        elif token in "[]":
            continue
        else:
            steps.append(Step("name", token))
    if argument_counts or not steps:
        return None
    finish_type()
    return tuple(steps)


def evaluate_steps(
    steps: tuple[Step, ...] | None,
    resolve_name: Callable[[str], Type],
    apply_arguments: Callable[[Type, tuple[Type, ...] | None], Type],
    join_alternatives: Callable[[list[Type]], Type],
) -> Type:
    """Return the type that the steps describe; UNKNOWN if they are None or do not fit.

    ``resolve_name`` returns the type of a name, ``apply_arguments`` applies type arguments (None:
    to be inferred), ``join_alternatives`` returns the least upper bound of a union.
    """
    if steps is None:
        return UNKNOWN
    stack: list[Type] = []
    for step in steps:
        operation = step.operation
        if operation == "name":
            stack.append(PRIMITIVES.get(step.name) or resolve_name(step.name))
        elif operation == "*":
            stack.append(UNBOUNDED_WILDCARD)
        elif not stack or len(stack) < step.n:
            return UNKNOWN
        elif operation == "args" and step.n == DIAMOND:
            stack[-1] = apply_arguments(stack[-1], None)
        elif operation == "args":
            args = tuple(stack[-step.n :])
            del stack[-step.n :]
            if not stack:
                return UNKNOWN
            stack[-1] = apply_arguments(stack[-1], args)
        elif operation == "array":
            stack[-1] = array_of(stack[-1], step.n)
        elif operation in "+-":
            stack[-1] = wildcard_type(operation, stack[-1])
        else:
            parts = stack[-step.n :]
            del stack[-step.n :]
            stack.append(
                IntersectionType(tuple(parts)) if operation == "&" else join_alternatives(parts)
            )
    return stack[0] if len(stack) == 1 else UNKNOWN
