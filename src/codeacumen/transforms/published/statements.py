"""Edits of statements as the published tool applies them.

Loops: ``while`` becomes ``for``, and ``for`` becomes a ``while`` that ends with the update.
Permutation: two statements are swapped if they share no word with each other or with the statements
between them. Switches: a ``switch`` becomes a chain of ``if``, with a branch for each label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from codeacumen.languages.java.resolve.static_types import Types
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import BLOCKS, SWITCH, Code
from codeacumen.transforms.completes import completes, target
from codeacumen.transforms.edits import Part, Rewrite
from codeacumen.transforms.location import Doubt, Location, Numbered, worst
from codeacumen.transforms.loops import PATTERNS, as_for, clashes, header
from codeacumen.transforms.permute import PLACES, SIMPLE, conflict, shown, swapped
from codeacumen.transforms.published.variables import method_node, shape, words
from codeacumen.transforms.switches.parts import (
    GROUP,
    SHARED,
    RefusedError,
    Switch,
    breaks,
    gives,
    read,
    shared,
)
from codeacumen.transforms.switches.select import NUMBER, STRING, selector

_LOOPS = ("for_statement", "while_statement")


class PublishedLoop:
    """Loop exchange as in the published tool: a location stands for all loops with the same
    text."""

    name = "published-loop"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why, numbered = method_node(code, method), code.unreadable(method), Numbered(self.name)
        loops = code.of_kind(top, *_LOOPS)
        if not loops or why:
            return [Location(numbered.id("loop"), method, *code.span(one), why) for one in loops]
        alike: dict[tuple[bytes, ...], list[int]] = {}
        shapes = [shape(code, one) for one in loops]
        for one, known in zip(loops, shapes, strict=True):
            alike.setdefault(known, []).append(one)
        return [
            Location(
                numbered.id(code.kind[one].removesuffix("_statement")),
                method,
                *code.span(one),
                detail=tuple(alike[known]),
                doubt=worst(_doubt(code, same) for same in alike[known]),
            )
            for one, known in zip(loops, shapes, strict=True)
        ]

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        nodes = sorted({node for location in chosen for node in location.detail})
        return [
            as_for(code, node) if code.kind[node] == "while_statement" else _as_while(code, node)
            for node in nodes
        ]


def _as_while(code: Code, node: int) -> Rewrite:
    """Return the rewrite of a ``for`` as a ``while``."""
    head = header(code, node)
    parts: list[Part] = [b"{ "]
    for one in head.init:
        parts += (code.span(one), b" " if head.declares else b"; ")
    parts += (b"while (", b"true" if head.condition == NONE else code.span(head.condition), b") { ")
    start, end = code.span(head.body)
    if code.kind[head.body] in BLOCKS:
        start, end = start + 1, end - 1
    if start < end:
        parts += ((start, end), b" ")
    for one in head.update:
        parts += (code.span(one), b"; ")
    return Rewrite(*code.span(node), (*parts, b"} }"))


def _doubt(code: Code, node: int) -> Doubt | None:
    """Return why the exchange of a loop may be wrong; None if it is correct."""
    if code.kind[node] == "while_statement":
        return None
    head = header(code, node)
    continues = [
        one for one in code.of_kind(node, "continue_statement") if target(code, one) == node
    ]
    if any(code.of_kind(one, "identifier") for one in continues):
        return Doubt("a label that is continued is no longer a loop's")
    if not head.update:
        return None
    if continues:
        return Doubt("a continue skips the update")
    on = completes(code, head.body)
    if on is not True:
        return Doubt("the update may not be reachable", on is False)
    hidden = clashes(code, head, code.of_kind(node, *PATTERNS))
    return Doubt("the update means a variable of the body") if hidden else None


# Largest number of statements of a run that are paired, because the pairs grow with its square.
_LONGEST = 60


class PublishedPermute:
    """Statement permutation as in the published tool."""

    name = "published-permute"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why, numbered = method_node(code, method), code.unreadable(method), Numbered(self.name)
        found: list[Location] = []
        for run in _runs(code, top):
            for first, second, doubt in _pairs(code, run):
                id_ = numbered.id(f"{shown(code, first)}/{shown(code, second)}")
                start, end = code.start[first], code.end[second]
                found.append(
                    Location(
                        id_, method, start, end, why, (first, second), (start, end), doubt=doubt
                    )
                )
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [swapped(code, *location.detail) for location in chosen]


def _runs(code: Code, top: int) -> Iterator[list[int]]:
    """Yield runs of statements that follow each other in a depth-first traversal and call no
    method.

    The two branches of an ``if``, and a ``try`` and its ``finally``, follow each other, too.
    """
    for row in _rows(code, top):
        run: list[int] = []
        for node in row:
            if code.kind[node] in SIMPLE and not code.of_kind(node, "method_invocation"):
                run.append(node)
                continue
            if len(run) > 1:
                yield run[:_LONGEST]
            run = []
        if len(run) > 1:
            yield run[:_LONGEST]


def _rows(code: Code, top: int) -> Iterator[list[int]]:
    """Yield the statements of each block, together with those of the block that follows it."""
    behind: set[int] = set()
    for holder in code.of_kind(top, *PLACES):
        if holder in behind:
            continue
        row = _inside(code, holder)
        after = _next(code, holder)
        if after != NONE:
            behind.add(after)
            row += _inside(code, after)
        yield row


def _inside(code: Code, holder: int) -> list[int]:
    """Return the statements of a block."""
    skipped = ("{", "}", ":", "switch_label")
    return [one for one in code.children(holder) if code.kind[one] not in skipped]


def _next(code: Code, block: int) -> int:
    """Return the block whose statements directly follow those of a block in a depth-first
    traversal."""
    above = code.parent[block]
    if code.kind[above] == "if_statement" and code.field[block] == "consequence":
        other = code.child(above, "alternative")
        return other if other != NONE and code.kind[other] in BLOCKS else NONE
    if code.kind[above] == "try_statement" and code.field[block] == "body":
        clauses = [one for one in code.children(above) if code.kind[one].endswith("_clause")]
        if [code.kind[one] for one in clauses] == ["finally_clause"]:
            return code.children(clauses[0])[-1]
    return NONE


def _pairs(code: Code, run: Sequence[int]) -> Iterator[tuple[int, int, Doubt | None]]:
    """Yield the pairs of a run that share no word, with the reason why a swap may be wrong."""
    said = [{code.bytes(one) for one in words(code, node)} for node in run]
    parents = [code.parent[node] for node in run]
    shapes = {one: shape(code, one) for one in {*parents, *run}}
    for i, j in combinations(range(len(run)), 2):
        between = set().union(*said[i + 1 : j])
        if said[i] & said[j] or between & (said[i] | said[j]):
            continue
        if parents[i] == parents[j]:
            why = conflict(code, run[i : j + 1])
            doubt = Doubt(why, wrong=False) if why else None
        elif shapes[parents[i]] == shapes[parents[j]]:
            doubt = Doubt("they stand in different blocks")
        else:
            continue
        if shapes[run[i]] != shapes[run[j]]:
            yield run[i], run[j], doubt


_LABEL, _BREAK = "switch_label", "break_statement"
_COMPUTED = (
    "method_invocation",
    "assignment_expression",
    "update_expression",
    "object_creation_expression",
)


class _Entry(NamedTuple):
    """A label (NONE for ``default``) and the statements directly behind it."""

    label: int
    statements: list[int]


class PublishedSwitch:
    """Conversion of a switch to ``if`` as in the published tool."""

    name = "published-switch"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        why, numbered = code.unreadable(method), Numbered(self.name)
        found: list[Location] = []
        for node in code.of_kind(method_node(code, method), SWITCH):
            block = code.child(node, "body")
            groups = [] if block == NONE else code.children(block)[1:-1]
            # Arrows and switch expressions are newer than the tool.
            if not groups or gives(code, node) or any(code.kind[one] != GROUP for one in groups):
                continue
            doubt = None if why else worst(_doubts(code, node))
            id_ = numbered.id("switch")
            found.append(Location(id_, method, *code.span(node), why, node, doubt=doubt))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [_as_ifs(code, location.detail) for location in chosen]


def _entries(code: Code, node: int) -> Iterator[_Entry]:
    """Yield the labels of a switch with their statements."""
    for group in code.children(code.child(node, "body"))[1:-1]:
        inside = code.children(group)
        labels = [one for one in inside if code.kind[one] == _LABEL]
        rest = [one for one in inside if code.kind[one] not in (_LABEL, ":")]
        for label in labels:
            # The tool compares only the first of several values.
            value = next(iter(code.children(label)[1:]), NONE)
            yield _Entry(value, rest if label == labels[-1] else [])


def _as_ifs(code: Code, node: int) -> Rewrite:
    """Return the rewrite of a switch."""
    start, end = code.span(code.child(node, "condition"))
    subject = code.source[start + 1 : end - 1].strip()
    entries = list(_entries(code, node))
    cases = [one for one in entries if one.label != NONE]
    others = [one for one in entries if one.label == NONE]
    parts: list[Part] = []
    for one in cases:
        parts += (b" else " if parts else b"", b"if (" + subject + b" == ")
        parts += (code.span(one.label), b") { ", *_body(code, one), b"}")
    for one in others:
        parts.append(b" else { " if cases else b"if (" + subject + b" == " + subject + b") { ")
        parts += (*_body(code, one), b"}")
    return Rewrite(*code.span(node), tuple(parts))


def _body(code: Code, entry: _Entry) -> Iterator[Part]:
    """Yield the statements of an entry without ``break``."""
    for one in entry.statements:
        if code.kind[one] != _BREAK:
            yield code.span(one)
            yield b" "


def _doubts(code: Code, node: int) -> Iterator[Doubt]:
    """Yield the reasons why the conversion of a switch may be wrong."""
    try:
        yield from _seen(code, read(code, node))
    except RefusedError as refused:
        yield Doubt(str(refused), wrong=str(refused) == SHARED)


def _runs_on(code: Code, switch: Switch) -> bool:
    """Return whether a case falls through into statements of a later one other than ``break``."""
    nothing = True  # no statements follow the last case
    for case in reversed(switch.cases):
        if case.falls and not nothing:
            return True
        own = any(code.kind[one] != _BREAK for one in case.statements)
        nothing = not own and (nothing or not case.falls)
    return False


def _seen(code: Code, switch: Switch) -> Iterator[Doubt]:
    """Yield the reasons for a switch whose parts are all supported."""
    if _runs_on(code, switch):
        yield Doubt("a case falls into the next")
    if any(len(case.labels) + case.default > 1 for case in switch.cases):
        yield Doubt("a case has several labels")
    direct = [one for case in switch.cases for one in case.statements]
    if any(one not in direct for one in breaks(code, switch)):
        yield Doubt("a break inside a statement is left")
    if any(code.kind[one] == _BREAK and code.of_kind(one, "identifier") for one in direct):
        yield Doubt("a break that leaves more than the switch is dropped")
    if shared(code, switch):
        yield Doubt(SHARED)
    kind = selector(code, code.file.once(Types), switch).kind
    if kind == STRING:
        yield Doubt("texts are compared by ==", wrong=False)
    elif kind != NUMBER:
        yield Doubt("an enum's constants are named without their type")
    if sum(len(case.labels) for case in switch.cases) > 1 and (
        code.kind[switch.selector] in _COMPUTED or code.of_kind(switch.selector, *_COMPUTED)
    ):
        yield Doubt("the selector is computed again", wrong=False)
