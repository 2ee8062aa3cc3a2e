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
from codeacumen.languages.java.syntax.grammar import among
from codeacumen.transforms.code import BLOCKS, COMMENTS, Code, code_of
from codeacumen.transforms.completes import any_of, completes, exits, target
from codeacumen.transforms.edits import Part, Rewrite
from codeacumen.transforms.location import Location, Numbered


@dataclass(frozen=True, slots=True)
class Header:
    """Parts of the header of a ``for``.

    ``init_end`` is the node that ends with the first semicolon.
    """

    open: int
    init: tuple[int, ...]
    declares: bool
    first: int
    condition: int
    second: int
    update: tuple[int, ...]
    close: int
    body: int


@dataclass(frozen=True, slots=True)
class For:
    """How to write a ``for`` as a ``while``.

    ``top`` is its outermost label, or the loop itself. ``needs_braces``: braces go around it.
    ``continues`` are the ``continue`` statements that must run the update. ``has_update``: the
    update is kept. ``keeps_block``: the body stays a block of its own. ``is_guarded``: ``if
    (true)`` goes around the body.
    """

    node: int
    header: Header
    top: int
    braces: bool
    continues: tuple[int, ...]
    update: bool
    apart: bool
    guarded: bool


def header(code: Code, node: int) -> Header:
    """Return the parts of the header of a ``for``."""
    init: list[int] = []
    update: list[int] = []
    open_ = first = condition = second = close = body = NONE
    declares = False
    for one in code.children(node):
        kind, field = code.kind[one], code.field[one]
        if field == "body":
            body = one
        elif field == "condition":
            condition = one
        elif kind == "(" and open_ == NONE:
            open_ = one
        elif kind == ")":
            close = one
        elif kind == "local_variable_declaration":
            init.append(one)
            first, declares = one, True
        elif kind == ";":
            first, second = (one, NONE) if first == NONE else (first, one)
        elif field == "init" and kind != ",":
            init.append(one)
        elif field == "update" and kind != ",":
            update.append(one)
    return Header(
        open_, tuple(init), declares, first, condition, second, tuple(update), close, body
    )


def written(code: Code, plan: For, label: str, nested: bool) -> Rewrite:
    """Return the rewrite of a ``for`` as a ``while``.

    ``label`` is for the body, if a ``continue`` needs one. ``nested``: the update contains other
    rewrites.
    """
    head, node, source = plan.header, plan.node, code.source
    lead = _lead(source, code.start[plan.top])
    line = b" " if lead is None else _newline(source) + lead
    parts: list[Part] = []
    start = code.start[node]
    if head.init:
        start = code.start[plan.top]
        parts += (b"{ " if plan.braces else b"", *_init(code, head), line)
        parts.append(source[start : code.start[node]])
    parts += (b"while", source[code.end[node + 1] : code.start[head.open]], b"(")
    if not head.init:
        parts += _comments(code, code.end[head.open], head.first, b"", b" ")
    if head.condition == NONE:
        parts += _comments(code, code.end[head.first], head.second, b"", b" ")
        parts.append(b"true")
    else:
        parts += _trimmed(code, code.end[head.first], head.second)
    if not head.update:
        parts += _comments(code, code.end[head.second], head.close, b" ", b"")
    update = _update(code, head, nested) if plan.update else []
    parts += (b")", *_body(code, plan, label, update, line))
    if plan.braces:
        parts.append(b" }")
    return Rewrite(start, code.end[node], tuple(part for part in parts if part))


def _init(code: Code, head: Header) -> list[Part]:
    """Return the initialisation as statements."""
    start = code.end[head.open]
    if head.declares:
        end = code.end[head.first]
        return [(start + _blank(code.source, start, end), end)]
    return _statements(code, start, head.first, head.init)


def _update(code: Code, head: Header, nested: bool) -> list[Part]:
    """Return the update as statements; as new text unless it contains other rewrites."""
    parts = _statements(code, code.end[head.second], head.close, head.update)
    if nested:
        return parts
    text = (one if isinstance(one, bytes) else code.source[one[0] : one[1]] for one in parts)
    return [b"".join(text)]


def _body(code: Code, plan: For, label: str, update: list[Part], line: bytes) -> list[Part]:
    """Return everything after the closing parenthesis of the header."""
    body, end = plan.header.body, code.end[plan.header.close]
    start, last = code.span(body)
    if not update:
        return [(end, last)]
    block = code.kind[body] == "block"
    wrapped = plan.apart or plan.guarded or bool(label)
    gap: Part = (end, start) if end < start else b" "
    if block and not wrapped:
        return [(end, start) if end < start else b"", *_behind(code, body, update)]
    opening = b"{ " + (b"if (true) " if plan.guarded else b"")
    opening += f"{label}: ".encode() if label else b""
    if block:
        return [gap, opening, (start, last), line, *update, line, b"}"]
    if code.kind[body] == ";":
        return [b" {", gap, *update, line, b"}"]
    lead = _lead(code.source, start)
    inner = b" " if lead is None else _newline(code.source) + lead
    if wrapped:
        return [b" " + opening + b"{", gap, (start, last), b" }", inner, *update, line, b"}"]
    return [b" {", gap, (start, last), inner, *update, line, b"}"]


def _behind(code: Code, block: int, update: Sequence[Part]) -> list[Part]:
    """Return a block with the update as its last statement."""
    source, brace = code.source, code.stop[block] - 1
    first = block + 2  # what follows the opening brace
    end, line = code.end[block + 1], b" "
    if first < brace:
        end += len(source[end : code.start[brace]].rstrip())
        lead = _lead(source, code.start[first])
        if lead is not None or code.kind[brace - 1] == "line_comment":
            line = _newline(source) + (lead or b"")
    after = b" " if first == brace and end == code.start[brace] else b""
    return [(code.start[block], end), line, *update, after, (end, code.end[block])]


def _statements(code: Code, start: int, token: int, nodes: Sequence[int]) -> list[Part]:
    """Return expressions separated by commas as statements, with the comments around them, up to
    ``token`` of the header."""
    parts: list[Part] = []
    at = start + _blank(code.source, start, code.start[nodes[0]])
    for one in nodes[1:]:
        comma = one - 1
        while code.kind[comma] in COMMENTS:
            comma -= 1
        at, begun = code.end[comma], at
        parts += ((begun, code.start[comma]), b";" if _blank(code.source, at, at + 1) else b"; ")
    end = code.end[nodes[-1]]
    return [*parts, (at, end), b";", *_comments(code, end, token, b" ", b"")]


def _comments(code: Code, start: int, token: int, before: bytes, after: bytes) -> list[Part]:
    """Return the comments in front of a token of the header, with text around them; empty if there
    are none."""
    parts = _trimmed(code, start, token)
    return [before, *parts, after] if parts else []


def _trimmed(code: Code, start: int, token: int) -> list[Part]:
    """Return the source up to a token of the header without surrounding white space, but with the
    line end that a comment needs."""
    start += _blank(code.source, start, code.start[token])
    end = start + len(code.source[start : code.start[token]].rstrip())
    if start == end:
        return []
    open_ = code.kind[token - 1] == "line_comment"
    return [(start, end), _newline(code.source) if open_ else b""]


def _blank(source: bytes, start: int, end: int) -> int:
    """Return the number of bytes of white space at the start of a range."""
    return end - start - len(source[start:end].lstrip())


def _lead(source: bytes, at: int) -> bytes | None:
    """Return the white space before an offset if nothing else precedes it on its line."""
    lead = source[source.rfind(b"\n", 0, at) + 1 : at]
    return lead if not lead.strip() else None


def _newline(source: bytes) -> bytes:
    """Return the line end that the source uses."""
    at = source.find(b"\n")
    return b"\r\n" if source[max(at - 1, 0) : at] == b"\r" else b"\n"


_LOOPS = ("for_statement", "while_statement")
PATTERNS = ("instanceof_expression", "type_pattern", "record_pattern_component")
_WORDS = frozenset(("identifier", "type_identifier"))
_LOCAL_TYPES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
# An update of only these nodes throws no checked exception.
_HARMLESS = frozenset(
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

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        loops, patterns, continues = code.file.once(_found).get(method, _NOTHING)
        unreadable = code.unreadable(method) if loops else ""
        numbered = Numbered(self.name)
        found = []
        for node in loops:
            start, why = code.start[node], unreadable
            detail: int | For = node
            if code.kind[node] == "while_statement":
                which, end = "while", code.end[code.child(node, "condition")]
            elif why:
                which, end = "for", code.end[node]
            else:
                detail = _planned(code, node, continues.get(node, []), patterns)
                which, end = "for", code.end[detail.header.close]
                if detail.braces and _shown_after(code, detail, patterns):
                    why = "a pattern variable of its condition is used after it"
            found.append(Location(numbered.id(which), method, start, end, why, detail))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        taken: set[str] = set()
        found: list[Rewrite] = []
        for location in chosen:
            plan = location.detail
            if not isinstance(plan, For):
                found.append(as_for(code, plan))
                continue
            label = ""
            if plan.continues:
                label = code.free("loop", frozenset(taken))
                taken.add(label)
            found += _as_while(code, plan, label, chosen)
        return found


class _Found(NamedTuple):
    """Loops and patterns of a method, and the ``continue`` statements of each loop."""

    loops: list[int]
    patterns: list[int]
    continues: dict[int, list[int]]


_NOTHING = _Found([], [], {})


def _found(file: JavaFile) -> dict[int, _Found]:
    """Return the loops of each method that has loops or patterns, in one pass over the file."""
    code = code_of(file)
    found: dict[int, _Found] = {}
    for node in np.flatnonzero(
        among(*_LOOPS, "continue_statement", *PATTERNS)[file.syntax.kind]
    ).tolist():
        kind, method = code.kind[node], code.method_of[node]
        if method not in found:
            found[method] = _Found([], [], {})
        if kind in _LOOPS:
            found[method].loops.append(node)
        elif kind in PATTERNS:
            found[method].patterns.append(node)
        else:
            found[method].continues.setdefault(target(code, node), []).append(node)
    return found


def as_for(code: Code, node: int) -> Rewrite:
    """Return the rewrite of a ``while`` as a ``for``."""
    condition = code.child(node, "condition")
    start, end = code.start[condition] + 1, code.end[condition] - 1
    keyword = code.end[node + 1]
    parts: tuple[Part, ...] = (b"for", (keyword, start), b"; ", (start, end), b"; ", (end, end + 1))
    return Rewrite(code.start[node], end + 1, parts)


def _as_while(code: Code, plan: For, label: str, chosen: Sequence[Location]) -> list[Rewrite]:
    """Return the rewrites of a ``for`` and of its ``continue`` statements."""
    head = plan.header
    # A range that moves turns the whole loop into one large edit; new text does not.
    low, high = code.end[head.second], code.start[head.close]
    nested = any(low <= one.start < high for one in chosen)
    found = [written(code, plan, label, nested)]
    for one in plan.continues:
        last = code.children(one)[-1]
        found.append(Rewrite(code.start[one], code.start[last], (b"break " + label.encode(),)))
    return found


def _planned(code: Code, node: int, continues: list[int], patterns: list[int]) -> For:
    """Return how to write a ``for`` as a ``while``."""
    head = header(code, node)
    top = node
    while code.kind[code.parent[top]] == "labeled_statement":
        top = code.parent[top]
    place = code.kind[code.parent[top]]
    single = place not in BLOCKS and place != "switch_block_statement_group"
    braces = bool(head.init) and (single or head.declares)
    if not head.update:
        return For(node, head, top, braces, (), False, False, False)
    body = head.body
    on = any_of((completes(code, body), *(exits(code, one, node) for one in continues)))
    if on is False and _harmless(code, head):
        return For(node, head, top, braces, (), False, False, False)
    apart = not continues and clashes(code, head, patterns)
    return For(node, head, top, braces, tuple(continues), True, apart, on is not True)


def _harmless(code: Code, head: Header) -> bool:
    """Return whether dropping the update drops no checked exception."""
    kind = code.kind
    return all(kind[at] in _HARMLESS for at in range(head.second + 1, head.close))


def clashes(code: Code, head: Header, patterns: list[int]) -> bool:
    """Return whether the body declares a name in its own block that the update mentions."""
    body, kind = head.body, code.kind
    declared: list[int] = []
    at, stop = body + 1, code.stop[body]
    while kind[body] == "block" and at < stop:
        if kind[at] == "local_variable_declaration":
            declared += (code.child(one, "name") for one in code.fields(at, "declarator"))
        elif kind[at] in _LOCAL_TYPES:
            declared.append(code.child(at, "name"))
        at = code.stop[at]
    declared += (_bound(code, one) for one in patterns if body < one < stop)
    if not declared:
        return False
    words = {code.bytes(one) for one in range(head.second, head.close) if kind[one] in _WORDS}
    return any(code.bytes(one) in words for one in declared if one != NONE)


def _bound(code: Code, pattern: int) -> int:
    """Return the name of a pattern's variable; NONE in ``x instanceof Type``."""
    if code.kind[pattern] == "instanceof_expression":
        return code.child(pattern, "name")
    return code.children(pattern)[-1]


def _shown_after(code: Code, plan: For, patterns: list[int]) -> bool:
    """Return whether a pattern variable of the loop's condition is used after the loop (JLS
    6.3.2.5), where braces would end its scope.

    Only names are compared, because the case is rare.
    """
    head = plan.header
    inside = [one for one in patterns if head.first < one < head.second]
    names = {code.bytes(name) for one in inside if (name := _bound(code, one)) != NONE}
    around = code.parent[plan.top]
    return bool(names) and any(
        code.kind[at] == "identifier" and code.bytes(at) in names
        for at in range(code.stop[plan.top], code.stop[around])
    )
