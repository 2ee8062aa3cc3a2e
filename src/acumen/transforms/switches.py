"""Switch to if: a switch becomes a chain of ``if`` that does the same.

The selector is evaluated once, before everything else, and null throws as before. Cases that fall
into the next are nested: for ``case 1: A; case 2: B;`` stands ``if (x == 1 || x == 2) { if (x == 1)
{ A } B }``, so that no statement is there twice and every test comes before what it guards. A
``break`` that is not the last of its case leaves the chain by a label. A switch that gives a value
is written anew where that value is returned, assigned, yielded, or a variable's first: each branch
then does that itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among
from acumen.lang.java.types import Types
from acumen.transforms._switch_parts import RefusedError, Switch, read
from acumen.transforms._switch_place import DECLARE, place
from acumen.transforms._switch_select import selector
from acumen.transforms._switch_shared import SHARED, shared
from acumen.transforms._switch_write import Plan, Writer
from acumen.transforms.code import SWITCH, Code, code_of
from acumen.transforms.edits import Rewrite
from acumen.transforms.location import Location, Numbered

# A chain of more is too deep for javac; and tests are many where many cases run into each other.
MOST_BRANCHES = 400
MOST_TESTS = 1000
_LONGEST = 30


class SwitchToIf:
    name = "switch"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        numbered = Numbered(self.name)
        found = []
        for node in code.file.once(_switches).get(method, ()):
            why = code.unreadable(method)
            plan, why = (None, why) if why else _plan(code, node)
            id_ = numbered.id(_told(code, node))
            found.append(Location(id_, method, *code.span(node), why, plan))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return Writer(code, [location.detail for location in chosen]).written()


def _plan(code: Code, node: int) -> tuple[Plan | None, str]:
    """How a switch is written anew, or why it is not."""
    try:
        switch = read(code, node)
        _check_size(switch)
        where, moved = place(code, switch), shared(code, switch)
        code.bytes(where.node).decode()
        if moved and where.how == DECLARE:
            raise RefusedError(SHARED)
        kept = selector(code, code.file.once(Types), switch)
        return Plan(switch, where, kept, tuple(moved)), ""
    except RefusedError as refused:
        return None, str(refused)
    except UnicodeDecodeError:
        return None, "the source is not UTF-8"


def _switches(file: JavaFile) -> dict[int, list[int]]:
    """The switches of a file, by the method they stand in."""
    found: dict[int, list[int]] = {}
    nodes = np.flatnonzero(among(SWITCH)[file.syntax.kind]).tolist()
    if nodes:
        method = code_of(file).method_of
        for node in nodes:
            found.setdefault(method[node], []).append(node)
    return found


def _told(code: Code, node: int) -> str:
    """The selector as a person would call it."""
    condition = code.child(node, "condition")
    text = code.text(condition) if condition != NONE else ""
    return " ".join(text[1:-1].split())[:_LONGEST]


def _check_size(switch: Switch) -> None:
    tests = 0
    for run in switch.runs:
        for number, case in enumerate(run):
            tests += len(case.labels) * (len(run) - number)
    if len(switch.cases) > MOST_BRANCHES or tests > MOST_TESTS:
        raise RefusedError("too many cases")
