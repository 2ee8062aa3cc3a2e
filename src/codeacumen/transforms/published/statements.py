"""Edits of statements as the published tool applies them.

Loops: ``while`` becomes ``for``, and ``for`` becomes a ``while`` that ends with the update.
Permutation: two statements are swapped if they share no word with each other or with the statements
between them. Switches: a ``switch`` becomes a chain of ``if``, with a branch for each label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from codeacumen.languages.java.resolve.static_types import StaticTypes
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import BLOCKS, SWITCH, Code
from codeacumen.transforms.edits import Part, Rewrite
from codeacumen.transforms.location import Doubt, Location, LocationIds, worst_doubt
from codeacumen.transforms.loops import PATTERNS, has_name_clash, parse_header, rewrite_as_for
from codeacumen.transforms.normal_completion import can_complete, jump_target
from codeacumen.transforms.permute import (
    BLOCK_KINDS,
    SIMPLE_STATEMENTS,
    abbreviate_statement,
    explain_conflict,
    swap_statements,
)
from codeacumen.transforms.published.variables import find_words, method_node, token_texts
from codeacumen.transforms.switches.parts import (
    GROUP,
    SHARED_REASON,
    RefusedError,
    Switch,
    find_breaks,
    find_shared_declarations,
    is_switch_expression,
    parse_switch,
)
from codeacumen.transforms.switches.selector import NUMBER, STRING, choose_selector

_LOOPS = ("for_statement", "while_statement")


class PublishedLoop:
    """Loop exchange as in the published tool: a location stands for all loops with the same
    text."""

    name = "published-loop"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, refusal, location_ids = (
            method_node(code, method),
            code.unreadable_reason(method),
            LocationIds(self.name),
        )
        loops = code.descendants_of_kind(top, *_LOOPS)
        if not loops or refusal:
            return [
                Location(location_ids.next_id("loop"), method, *code.span(loop), refusal)
                for loop in loops
            ]
        loops_by_shape: dict[tuple[bytes, ...], list[int]] = {}
        # Loops with the same tokens are the same to the tool.
        shapes = [token_texts(code, loop) for loop in loops]
        for loop, loop_shape in zip(loops, shapes, strict=True):
            loops_by_shape.setdefault(loop_shape, []).append(loop)
        return [
            Location(
                location_ids.next_id(code.kind[loop].removesuffix("_statement")),
                method,
                *code.span(loop),
                detail=tuple(loops_by_shape[loop_shape]),
                doubt=worst_doubt(
                    _find_loop_doubt(code, equal_loop) for equal_loop in loops_by_shape[loop_shape]
                ),
            )
            for loop, loop_shape in zip(loops, shapes, strict=True)
        ]

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        nodes = sorted({node for location in selected for node in location.detail})
        return [
            rewrite_as_for(code, node)
            if code.kind[node] == "while_statement"
            else _rewrite_as_while(code, node)
            for node in nodes
        ]


def _rewrite_as_while(code: Code, node: int) -> Rewrite:
    """Return the rewrite of a ``for`` as a ``while``."""
    head = parse_header(code, node)
    parts: list[Part] = [b"{ "]
    for node_in_header in head.init:
        parts += (code.span(node_in_header), b" " if head.declares_variable else b"; ")
    parts += (b"while (", b"true" if head.condition == NONE else code.span(head.condition), b") { ")
    start, end = code.span(head.body)
    if code.kind[head.body] in BLOCKS:
        start, end = start + 1, end - 1
    if start < end:
        parts += ((start, end), b" ")
    for node_in_header in head.update:
        parts += (code.span(node_in_header), b"; ")
    return Rewrite(*code.span(node), (*parts, b"} }"))


def _find_loop_doubt(code: Code, node: int) -> Doubt | None:
    """Return why the exchange of a loop may be wrong; None if it is correct."""
    if code.kind[node] == "while_statement":
        return None
    head = parse_header(code, node)
    continues = [
        continue_statement
        for continue_statement in code.descendants_of_kind(node, "continue_statement")
        if jump_target(code, continue_statement) == node
    ]
    if any(
        code.descendants_of_kind(continue_statement, "identifier")
        for continue_statement in continues
    ):
        return Doubt("a continued label would not label a loop")
    if not head.update:
        return None
    if continues:
        return Doubt("a continue skips the update")
    may_complete = can_complete(code, head.body)
    if may_complete is not True:
        return Doubt("the update may not be reachable", may_complete is False)
    has_clash = has_name_clash(code, head, code.descendants_of_kind(node, *PATTERNS))
    return Doubt("the update would refer to a variable of the body") if has_clash else None


# Largest number of statements of a run that are paired, because the pairs grow with its square.
_MAX_RUN_LENGTH = 60


class PublishedPermute:
    """Statement permutation as in the published tool."""

    name = "published-permute"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, refusal, location_ids = (
            method_node(code, method),
            code.unreadable_reason(method),
            LocationIds(self.name),
        )
        locations: list[Location] = []
        for run in _find_runs(code, top):
            for first, second, doubt in _find_pairs(code, run):
                id_ = location_ids.next_id(
                    f"{abbreviate_statement(code, first)}/{abbreviate_statement(code, second)}"
                )
                start, end = code.start[first], code.end[second]
                locations.append(
                    Location(
                        id_, method, start, end, refusal, (first, second), (start, end), doubt=doubt
                    )
                )
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        return [swap_statements(code, *location.detail) for location in selected]


def _find_runs(code: Code, top: int) -> Iterator[list[int]]:
    """Yield runs of statements that follow each other in a depth-first traversal and call no
    method.

    The two branches of an ``if``, and a ``try`` and its ``finally``, follow each other, too.
    """
    for statements in _statement_lists(code, top):
        run: list[int] = []
        for node in statements:
            if code.kind[node] in SIMPLE_STATEMENTS and not code.descendants_of_kind(
                node, "method_invocation"
            ):
                run.append(node)
                continue
            if len(run) > 1:
                yield run[:_MAX_RUN_LENGTH]
            run = []
        if len(run) > 1:
            yield run[:_MAX_RUN_LENGTH]


def _statement_lists(code: Code, top: int) -> Iterator[list[int]]:
    """Yield the statements of each block, together with those of the block that follows it."""
    visited: set[int] = set()
    for block in code.descendants_of_kind(top, *BLOCK_KINDS):
        if block in visited:
            continue
        statements = _block_statements(code, block)
        following_block = _next_block(code, block)
        if following_block != NONE:
            visited.add(following_block)
            statements += _block_statements(code, following_block)
        yield statements


def _block_statements(code: Code, block: int) -> list[int]:
    """Return the statements of a block."""
    punctuation = ("{", "}", ":", "switch_label")
    return [child for child in code.children(block) if code.kind[child] not in punctuation]


def _next_block(code: Code, block: int) -> int:
    """Return the block whose statements directly follow those of a block in a depth-first
    traversal; NONE if there is none."""
    parent = code.parent[block]
    if code.kind[parent] == "if_statement" and code.field[block] == "consequence":
        alternative = code.child(parent, "alternative")
        return alternative if alternative != NONE and code.kind[alternative] in BLOCKS else NONE
    if code.kind[parent] == "try_statement" and code.field[block] == "body":
        clauses = [child for child in code.children(parent) if code.kind[child].endswith("_clause")]
        if [code.kind[clause] for clause in clauses] == ["finally_clause"]:
            return code.children(clauses[0])[-1]
    return NONE


def _find_pairs(code: Code, run: Sequence[int]) -> Iterator[tuple[int, int, Doubt | None]]:
    """Yield the pairs of a run that share no word, with the reason why a swap may be wrong."""
    words_by_statement = [
        {code.node_bytes(word_node) for word_node in find_words(code, node)} for node in run
    ]
    parents = [code.parent[node] for node in run]
    # By node, its tokens: blocks, or statements, with the same tokens are the same to the tool.
    shapes = {statement: token_texts(code, statement) for statement in {*parents, *run}}
    for i, j in combinations(range(len(run)), 2):
        words_between = set().union(*words_by_statement[i + 1 : j])
        if words_by_statement[i] & words_by_statement[j] or words_between & (
            words_by_statement[i] | words_by_statement[j]
        ):
            continue
        if parents[i] == parents[j]:
            reason = explain_conflict(code, run[i : j + 1])
            doubt = Doubt(reason, wrong=False) if reason else None
        elif shapes[parents[i]] == shapes[parents[j]]:
            doubt = Doubt("they are in different blocks")
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
    """The node of a label's value (NONE for ``default``), and the statements directly after it."""

    label: int
    statements: list[int]


class PublishedSwitch:
    """Conversion of a switch to ``if`` as in the published tool."""

    name = "published-switch"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        refusal, location_ids = code.unreadable_reason(method), LocationIds(self.name)
        locations: list[Location] = []
        for node in code.descendants_of_kind(method_node(code, method), SWITCH):
            block = code.child(node, "body")
            groups = [] if block == NONE else code.children(block)[1:-1]
            # Arrows and switch expressions are newer than the tool.
            if (
                not groups
                or is_switch_expression(code, node)
                or any(code.kind[group] != GROUP for group in groups)
            ):
                continue
            doubt = None if refusal else worst_doubt(_find_switch_doubts(code, node))
            id_ = location_ids.next_id("switch")
            locations.append(Location(id_, method, *code.span(node), refusal, node, doubt=doubt))
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        return [_rewrite_as_ifs(code, location.detail) for location in selected]


def _list_entries(code: Code, node: int) -> Iterator[_Entry]:
    """Yield the labels of a switch with their statements."""
    for group in code.children(code.child(node, "body"))[1:-1]:  # without the braces
        children = code.children(group)
        labels = [child for child in children if code.kind[child] == _LABEL]
        statements = [child for child in children if code.kind[child] not in (_LABEL, ":")]
        for label in labels:
            # The tool compares only the first of several values. The first child of a label is the
            # keyword ``case`` or ``default``.
            value = next(iter(code.children(label)[1:]), NONE)
            yield _Entry(value, statements if label == labels[-1] else [])


def _rewrite_as_ifs(code: Code, node: int) -> Rewrite:
    """Return the rewrite of a switch as a chain of ``if``, one for each entry."""
    start, end = code.span(code.child(node, "condition"))
    selector_text = code.source[start + 1 : end - 1].strip()
    entries = list(_list_entries(code, node))
    cases = [entry for entry in entries if entry.label != NONE]
    defaults = [entry for entry in entries if entry.label == NONE]
    parts: list[Part] = []
    for entry in cases:
        parts += (b" else " if parts else b"", b"if (" + selector_text + b" == ")
        parts += (code.span(entry.label), b") { ", *_body_parts(code, entry), b"}")
    for entry in defaults:
        parts.append(
            b" else { " if cases else b"if (" + selector_text + b" == " + selector_text + b") { "
        )
        parts += (*_body_parts(code, entry), b"}")
    return Rewrite(*code.span(node), tuple(parts))


def _body_parts(code: Code, entry: _Entry) -> Iterator[Part]:
    """Yield the statements of an entry without ``break``."""
    for statement in entry.statements:
        if code.kind[statement] != _BREAK:
            yield code.span(statement)
            yield b" "


def _find_switch_doubts(code: Code, node: int) -> Iterator[Doubt]:
    """Yield the reasons why the conversion of a switch may be wrong."""
    try:
        yield from _find_supported_doubts(code, parse_switch(code, node))
    except RefusedError as error:
        yield Doubt(str(error), wrong=str(error) == SHARED_REASON)


def _has_fall_through(code: Code, switch: Switch) -> bool:
    """Return whether a case falls through into statements of a later one other than ``break``."""
    next_is_empty = True  # no statements follow the last case
    for case in reversed(switch.cases):
        if case.falls_through and not next_is_empty:
            return True
        has_statements = any(code.kind[statement] != _BREAK for statement in case.statements)
        next_is_empty = not has_statements and (next_is_empty or not case.falls_through)
    return False


def _find_supported_doubts(code: Code, switch: Switch) -> Iterator[Doubt]:
    """Yield the reasons for a switch whose parts are all supported."""
    if _has_fall_through(code, switch):
        yield Doubt("a case falls into the next")
    if any(len(case.labels) + case.is_default > 1 for case in switch.cases):
        yield Doubt("a case has several labels")
    top_statements = [statement for case in switch.cases for statement in case.statements]
    if any(statement not in top_statements for statement in find_breaks(code, switch)):
        yield Doubt("a break inside a statement is not removed")
    if any(
        code.kind[statement] == _BREAK and code.descendants_of_kind(statement, "identifier")
        for statement in top_statements
    ):
        yield Doubt("a break that leaves an outer statement is dropped")
    if find_shared_declarations(code, switch):
        yield Doubt(SHARED_REASON)
    kind = choose_selector(code, code.file.compute_once(StaticTypes), switch).kind
    if kind == STRING:
        yield Doubt("strings are compared by ==", wrong=False)
    elif kind != NUMBER:
        yield Doubt("an enum's constants are named without their type")
    if sum(len(case.labels) for case in switch.cases) > 1 and (
        code.kind[switch.selector] in _COMPUTED
        or code.descendants_of_kind(switch.selector, *_COMPUTED)
    ):
        yield Doubt("the selector is computed again", wrong=False)
