"""Loop exchange: ``while`` becomes ``for`` and ``for`` becomes ``while``.

``while (c) body`` becomes ``for (; c; ) body``; nothing else changes. ``for (init; c; update)
body`` becomes ``{ init; while (c) { body update; } }``, where

* labels stay on the loop: they move behind the initialisation;
* a ``continue`` must not skip the update, and the update must not run inside a ``try``, a lock or
  another loop that the ``continue`` leaves. The body therefore becomes a labelled block, and each
  ``continue`` a ``break`` out of it. This is correct wherever the ``continue`` is, and the update,
  which may contain a lambda or a class, is not duplicated;
* the update must not see declarations of the body: the body stays a block of its own if it
  declares a name that the update mentions;
* the update must be reachable for the compiler (JLS 14.22). If the body cannot complete, the
  update never runs: ``i++`` and the like are dropped, any other update stays, and ``if (true)``
  goes around the body. A call is never dropped, because a handler may catch the exceptions it
  declares. If the file does not show whether the body completes, ``if (true)`` is correct in both
  cases.

Both loops have the same rules for definite assignment (JLS 16.2.10, 16.2.12), and a labelled block
and ``if (true)`` preserve it (16.2.5, 16.2.7).

The text of the loop stays in place byte for byte, including comments; only the update moves behind
the body, and labels behind the initialisation. New lines are inserted only where the source has
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import symbol_mask
from codeacumen.transforms.code import BLOCKS, COMMENTS, Code, code_of
from codeacumen.transforms.edits import Part, Rewrite
from codeacumen.transforms.location import Location, LocationIds
from codeacumen.transforms.normal_completion import any_of, can_complete, jump_reaches, jump_target


@dataclass(frozen=True, slots=True)
class ForHeader:
    """Parts of the header of a ``for``, as nodes; NONE where there is none.

    ``init_end`` is the node that ends with the first semicolon: a declaration or the semicolon.
    """

    open_parenthesis: int
    init: tuple[int, ...]
    declares_variable: bool
    init_end: int
    condition: int
    second_semicolon: int
    update: tuple[int, ...]
    close_parenthesis: int
    body: int


@dataclass(frozen=True, slots=True)
class ForExchange:
    """A plan to rewrite a ``for`` as a ``while``.

    ``node`` is the loop, ``top`` its outermost labelled statement, or the loop itself if it has no
    label. ``needs_braces``: braces go around the result. ``continues`` are the ``continue``
    statements that must run the update. ``has_update``: the update is kept. ``keeps_block``: the
    body stays a block of its own. ``is_guarded``: ``if (true)`` goes around the body.
    """

    node: int
    header: ForHeader
    top: int
    needs_braces: bool
    continues: tuple[int, ...]
    has_update: bool
    keeps_block: bool
    is_guarded: bool


def parse_header(code: Code, node: int) -> ForHeader:
    """Return the parts of the header of a ``for``."""
    init: list[int] = []
    update: list[int] = []
    open_parenthesis = init_end = condition = second_semicolon = close_parenthesis = body = NONE
    declares_variable = False
    for child in code.children(node):
        kind, field = code.kind[child], code.field[child]
        if field == "body":
            body = child
        elif field == "condition":
            condition = child
        elif kind == "(" and open_parenthesis == NONE:
            open_parenthesis = child
        elif kind == ")":
            close_parenthesis = child
        elif kind == "local_variable_declaration":
            init.append(child)
            init_end, declares_variable = child, True
        elif kind == ";":
            init_end, second_semicolon = (child, NONE) if init_end == NONE else (init_end, child)
        elif field == "init" and kind != ",":
            init.append(child)
        elif field == "update" and kind != ",":
            update.append(child)
    return ForHeader(
        open_parenthesis,
        tuple(init),
        declares_variable,
        init_end,
        condition,
        second_semicolon,
        tuple(update),
        close_parenthesis,
        body,
    )


def rewrite_as_while(code: Code, plan: ForExchange, label: str, nested: bool) -> Rewrite:
    """Return the rewrite of a ``for`` as a ``while``.

    ``label`` is for the body, if a ``continue`` needs one. ``nested``: the update contains other
    rewrites.
    """
    head, node, source = plan.header, plan.node, code.source
    indent = _line_indent(source, code.start[plan.top])
    line_break = b" " if indent is None else _detect_newline(source) + indent
    parts: list[Part] = []
    start = code.start[node]
    if head.init:
        start = code.start[plan.top]
        parts += (b"{ " if plan.needs_braces else b"", *_init_parts(code, head), line_break)
        parts.append(source[start : code.start[node]])
    # ``node + 1`` is the keyword ``for``; the text between it and the parenthesis stays.
    parts += (b"while", source[code.end[node + 1] : code.start[head.open_parenthesis]], b"(")
    if not head.init:
        parts += _comment_parts(code, code.end[head.open_parenthesis], head.init_end, b"", b" ")
    if head.condition == NONE:
        parts += _comment_parts(code, code.end[head.init_end], head.second_semicolon, b"", b" ")
        parts.append(b"true")
    else:
        parts += _trim_range(code, code.end[head.init_end], head.second_semicolon)
    if not head.update:
        parts += _comment_parts(
            code, code.end[head.second_semicolon], head.close_parenthesis, b" ", b""
        )
    update = _update_parts(code, head, nested) if plan.has_update else []
    parts += (b")", *_body_parts(code, plan, label, update, line_break))
    if plan.needs_braces:
        parts.append(b" }")
    return Rewrite(start, code.end[node], tuple(part for part in parts if part))


def _init_parts(code: Code, head: ForHeader) -> list[Part]:
    """Return the initialisation as statements."""
    start = code.end[head.open_parenthesis]
    if head.declares_variable:
        end = code.end[head.init_end]
        return [(start + _count_leading_space(code.source, start, end), end)]
    return _statement_parts(code, start, head.init_end, head.init)


def _update_parts(code: Code, head: ForHeader, nested: bool) -> list[Part]:
    """Return the update as statements; as new text unless it contains other rewrites."""
    parts = _statement_parts(
        code, code.end[head.second_semicolon], head.close_parenthesis, head.update
    )
    if nested:
        return parts
    text = (part if isinstance(part, bytes) else code.source[part[0] : part[1]] for part in parts)
    return [b"".join(text)]


def _body_parts(
    code: Code, plan: ForExchange, label: str, update: list[Part], line_break: bytes
) -> list[Part]:
    """Return everything after the closing parenthesis of the header."""
    body, end = plan.header.body, code.end[plan.header.close_parenthesis]
    start, end_of_body = code.span(body)
    if not update:
        return [(end, end_of_body)]
    is_block = code.kind[body] == "block"
    needs_block = plan.keeps_block or plan.is_guarded or bool(label)
    gap: Part = (end, start) if end < start else b" "
    if is_block and not needs_block:
        return [(end, start) if end < start else b"", *_append_update(code, body, update)]
    opening = b"{ " + (b"if (true) " if plan.is_guarded else b"")
    opening += f"{label}: ".encode() if label else b""
    if is_block:
        return [gap, opening, (start, end_of_body), line_break, *update, line_break, b"}"]
    if code.kind[body] == ";":
        return [b" {", gap, *update, line_break, b"}"]
    indent = _line_indent(code.source, start)
    inner_break = b" " if indent is None else _detect_newline(code.source) + indent
    if needs_block:
        return [
            b" " + opening + b"{",
            gap,
            (start, end_of_body),
            b" }",
            inner_break,
            *update,
            line_break,
            b"}",
        ]
    return [b" {", gap, (start, end_of_body), inner_break, *update, line_break, b"}"]


def _append_update(code: Code, block: int, update: Sequence[Part]) -> list[Part]:
    """Return a block with the update as its last statement."""
    source, brace = code.source, code.stop[block] - 1
    first = block + 2  # what follows the opening brace
    end, line_break = code.end[block + 1], b" "
    if first < brace:
        end += len(source[end : code.start[brace]].rstrip())
        indent = _line_indent(source, code.start[first])
        if indent is not None or code.kind[brace - 1] == "line_comment":
            line_break = _detect_newline(source) + (indent or b"")
    after = b" " if first == brace and end == code.start[brace] else b""
    return [(code.start[block], end), line_break, *update, after, (end, code.end[block])]


def _statement_parts(code: Code, start: int, token: int, nodes: Sequence[int]) -> list[Part]:
    """Return expressions separated by commas as statements, with the comments around them, from the
    offset ``start`` up to ``token`` of the header."""
    parts: list[Part] = []
    start_of_next = start + _count_leading_space(code.source, start, code.start[nodes[0]])
    for node in nodes[1:]:
        comma = node - 1
        while code.kind[comma] in COMMENTS:
            comma -= 1
        start_of_next, statement_start = code.end[comma], start_of_next
        parts += (
            (statement_start, code.start[comma]),
            b";" if _count_leading_space(code.source, start_of_next, start_of_next + 1) else b"; ",
        )
    end = code.end[nodes[-1]]
    return [*parts, (start_of_next, end), b";", *_comment_parts(code, end, token, b" ", b"")]


def _comment_parts(code: Code, start: int, token: int, before: bytes, after: bytes) -> list[Part]:
    """Return the comments from the offset ``start`` up to a token of the header, between ``before``
    and ``after``; empty if there are none."""
    parts = _trim_range(code, start, token)
    return [before, *parts, after] if parts else []


def _trim_range(code: Code, start: int, token: int) -> list[Part]:
    """Return the source from the offset ``start`` up to a token of the header, without surrounding
    white space, but with the line end that a comment needs."""
    start += _count_leading_space(code.source, start, code.start[token])
    end = start + len(code.source[start : code.start[token]].rstrip())
    if start == end:
        return []
    ends_in_line_comment = code.kind[token - 1] == "line_comment"
    return [(start, end), _detect_newline(code.source) if ends_in_line_comment else b""]


def _count_leading_space(source: bytes, start: int, end: int) -> int:
    """Return the number of bytes of white space at the start of a range."""
    return end - start - len(source[start:end].lstrip())


def _line_indent(source: bytes, offset: int) -> bytes | None:
    """Return the white space before an offset on its line; None if anything else precedes it."""
    indent = source[source.rfind(b"\n", 0, offset) + 1 : offset]
    return indent if not indent.strip() else None


def _detect_newline(source: bytes) -> bytes:
    """Return the line end of the source's first line."""
    position = source.find(b"\n")
    return b"\r\n" if source[max(position - 1, 0) : position] == b"\r" else b"\n"


_LOOPS = ("for_statement", "while_statement")
PATTERNS = ("instanceof_expression", "type_pattern", "record_pattern_component")
_NAME_KINDS = frozenset(("identifier", "type_identifier"))
_LOCAL_TYPES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
# An update of only these nodes throws no checked exception.
_HARMLESS_UPDATE_KINDS = frozenset(
    (
        "update_expression", "assignment_expression", "binary_expression", "unary_expression",
        "field_access", "array_access", "parenthesized_expression", "identifier", "this",
        "decimal_integer_literal", "hex_integer_literal", "true", "false", "null_literal", ",",
        "(", ")", "[", "]", ".", "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=",
        ">>>=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "~",
    )
)  # fmt: skip


class Loop:
    """Exchange of ``for`` and ``while`` (abbreviated LX in the paper)."""

    name = "loop"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        loops, patterns, continues = code.file.compute_once(_collect_loops).get(method, _NO_LOOPS)
        unreadable = code.unreadable_reason(method) if loops else ""
        location_ids = LocationIds(self.name)
        locations = []
        for node in loops:
            start, refusal = code.start[node], unreadable
            # The node of a ``while``, or the plan for a ``for``.
            detail: int | ForExchange = node
            if code.kind[node] == "while_statement":
                keyword, end = "while", code.end[code.child(node, "condition")]
            elif refusal:
                keyword, end = "for", code.end[node]
            else:
                detail = _plan_exchange(code, node, continues.get(node, []), patterns)
                keyword, end = "for", code.end[detail.header.close_parenthesis]
                if detail.needs_braces and _is_pattern_used_after(code, detail, patterns):
                    refusal = "a pattern variable of its condition is used after it"
            locations.append(
                Location(location_ids.next_id(keyword), method, start, end, refusal, detail)
            )
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        labels: set[str] = set()
        rewrites: list[Rewrite] = []
        for location in selected:
            plan = location.detail
            if not isinstance(plan, ForExchange):
                rewrites.append(rewrite_as_for(code, plan))
                continue
            label = ""
            if plan.continues:
                label = code.find_free_name("loop", frozenset(labels))
                labels.add(label)
            rewrites += _exchange_for(code, plan, label, selected)
        return rewrites


class _MethodLoops(NamedTuple):
    """Loops and patterns of a method, and the ``continue`` statements by the loop they continue."""

    loops: list[int]
    patterns: list[int]
    continues: dict[int, list[int]]


_NO_LOOPS = _MethodLoops([], [], {})


def _collect_loops(file: JavaFile) -> dict[int, _MethodLoops]:
    """Return the loops of each method that has loops or patterns, in one pass over the file."""
    code = code_of(file)
    by_method: dict[int, _MethodLoops] = {}
    for node in np.flatnonzero(
        symbol_mask(*_LOOPS, "continue_statement", *PATTERNS)[file.syntax.kind]
    ).tolist():
        kind, method = code.kind[node], code.method_of[node]
        if method not in by_method:
            by_method[method] = _MethodLoops([], [], {})
        if kind in _LOOPS:
            by_method[method].loops.append(node)
        elif kind in PATTERNS:
            by_method[method].patterns.append(node)
        else:
            by_method[method].continues.setdefault(jump_target(code, node), []).append(node)
    return by_method


def rewrite_as_for(code: Code, node: int) -> Rewrite:
    """Return the rewrite of a ``while`` as a ``for``."""
    condition = code.child(node, "condition")
    start, end = code.start[condition] + 1, code.end[condition] - 1  # without the parentheses
    keyword = code.end[node + 1]  # the end of ``while``
    parts: tuple[Part, ...] = (b"for", (keyword, start), b"; ", (start, end), b"; ", (end, end + 1))
    return Rewrite(code.start[node], end + 1, parts)


def _exchange_for(
    code: Code, plan: ForExchange, label: str, selected: Sequence[Location]
) -> list[Rewrite]:
    """Return the rewrites of a ``for`` and of its ``continue`` statements."""
    head = plan.header
    # A range that moves turns the whole loop into one large edit; new text does not.
    low, high = code.end[head.second_semicolon], code.start[head.close_parenthesis]
    nested = any(low <= location.start < high for location in selected)
    rewrites = [rewrite_as_while(code, plan, label, nested)]
    for continue_statement in plan.continues:
        semicolon = code.children(continue_statement)[-1]
        rewrites.append(
            Rewrite(
                code.start[continue_statement], code.start[semicolon], (b"break " + label.encode(),)
            )
        )
    return rewrites


def _plan_exchange(code: Code, node: int, continues: list[int], patterns: list[int]) -> ForExchange:
    """Return the plan to write a ``for`` as a ``while``, given its own ``continue`` statements and
    the patterns of the method."""
    head = parse_header(code, node)
    top = node
    while code.kind[code.parent[top]] == "labeled_statement":
        top = code.parent[top]
    parent_kind = code.kind[code.parent[top]]
    is_single_statement = (
        parent_kind not in BLOCKS and parent_kind != "switch_block_statement_group"
    )
    needs_braces = bool(head.init) and (is_single_statement or head.declares_variable)
    # The last three arguments are ``has_update``, ``keeps_block`` and ``is_guarded``.
    if not head.update:
        return ForExchange(node, head, top, needs_braces, (), False, False, False)
    body = head.body
    may_complete = any_of(
        (
            can_complete(code, body),
            *(jump_reaches(code, continue_statement, node) for continue_statement in continues),
        )
    )
    if may_complete is False and _has_harmless_update(code, head):
        return ForExchange(node, head, top, needs_braces, (), False, False, False)
    keeps_block = not continues and has_name_clash(code, head, patterns)
    return ForExchange(
        node, head, top, needs_braces, tuple(continues), True, keeps_block, may_complete is not True
    )


def _has_harmless_update(code: Code, head: ForHeader) -> bool:
    """Return whether dropping the update drops no checked exception."""
    kind = code.kind
    return all(
        kind[node] in _HARMLESS_UPDATE_KINDS
        for node in range(head.second_semicolon + 1, head.close_parenthesis)
    )


def has_name_clash(code: Code, head: ForHeader, patterns: list[int]) -> bool:
    """Return whether the body declares a name in its own block that the update mentions."""
    body, kind = head.body, code.kind
    declared: list[int] = []
    statement, stop = body + 1, code.stop[body]
    while kind[body] == "block" and statement < stop:
        if kind[statement] == "local_variable_declaration":
            declared += (
                code.child(declarator, "name")
                for declarator in code.children_in_field(statement, "declarator")
            )
        elif kind[statement] in _LOCAL_TYPES:
            declared.append(code.child(statement, "name"))
        statement = code.stop[statement]
    declared += (_pattern_variable(code, pattern) for pattern in patterns if body < pattern < stop)
    if not declared:
        return False
    words = {
        code.node_bytes(node)
        for node in range(head.second_semicolon, head.close_parenthesis)
        if kind[node] in _NAME_KINDS
    }
    return any(code.node_bytes(name) in words for name in declared if name != NONE)


def _pattern_variable(code: Code, pattern: int) -> int:
    """Return the name of a pattern's variable; NONE in ``x instanceof Type``."""
    if code.kind[pattern] == "instanceof_expression":
        return code.child(pattern, "name")
    return code.children(pattern)[-1]


def _is_pattern_used_after(code: Code, plan: ForExchange, patterns: list[int]) -> bool:
    """Return whether a pattern variable of the loop's condition is used after the loop (JLS
    6.3.2.5), where braces would end its scope.

    Only names are compared, because the case is rare.
    """
    head = plan.header
    inside = [pattern for pattern in patterns if head.init_end < pattern < head.second_semicolon]
    names = {
        code.node_bytes(name)
        for pattern in inside
        if (name := _pattern_variable(code, pattern)) != NONE
    }
    around = code.parent[plan.top]
    return bool(names) and any(
        code.kind[node] == "identifier" and code.node_bytes(node) in names
        for node in range(code.stop[plan.top], code.stop[around])
    )
