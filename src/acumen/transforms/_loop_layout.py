"""The text of a ``for`` written as a ``while``.

What stands in the loop stays where it stands, byte for byte, comments too; only the update moves,
behind the body, and labels, behind what comes first. New lines are begun only where the source
does so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import COMMENTS, Code
from acumen.transforms.edits import Part, Rewrite


@dataclass(frozen=True, slots=True)
class Header:
    """A ``for``'s parts. ``first`` is the node that ends with the first semicolon, ``second``
    the second semicolon."""

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
    """How a ``for`` is written as a ``while``. ``top`` is its outermost label, or itself;
    ``braces`` go around it all; ``continues`` are those that must go to the update; ``update``
    is kept, ``apart`` from the body's own block, ``guarded`` by ``if (true)``."""

    node: int
    header: Header
    top: int
    braces: bool
    continues: tuple[int, ...]
    update: bool
    apart: bool
    guarded: bool


def header(code: Code, node: int) -> Header:
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
    """``label`` is for the body, if something continues the loop; ``nested`` tells that the
    update is itself written anew."""
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
    start = code.end[head.open]
    if head.declares:
        end = code.end[head.first]
        return [(start + _blank(code.source, start, end), end)]
    return _statements(code, start, head.first, head.init)


def _update(code: Code, head: Header, nested: bool) -> list[Part]:
    parts = _statements(code, code.end[head.second], head.close, head.update)
    if nested:
        return parts
    text = (one if isinstance(one, bytes) else code.source[one[0] : one[1]] for one in parts)
    return [b"".join(text)]


def _body(code: Code, plan: For, label: str, update: list[Part], line: bytes) -> list[Part]:
    """What follows the closing parenthesis of the header."""
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
    """A block with the update as its last statement."""
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
    """Expressions with commas between them as statements, with the comments around them, up to
    a mark of the header."""
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
    """What stands before a mark of the header: comments, or nothing."""
    parts = _trimmed(code, start, token)
    return [before, *parts, after] if parts else []


def _trimmed(code: Code, start: int, token: int) -> list[Part]:
    """What stands before a mark of the header, without white space around it, but with the new
    line that ends a comment."""
    start += _blank(code.source, start, code.start[token])
    end = start + len(code.source[start : code.start[token]].rstrip())
    if start == end:
        return []
    open_ = code.kind[token - 1] == "line_comment"
    return [(start, end), _newline(code.source) if open_ else b""]


def _blank(source: bytes, start: int, end: int) -> int:
    """How many bytes of white space a stretch begins with."""
    return end - start - len(source[start:end].lstrip())


def _lead(source: bytes, at: int) -> bytes | None:
    """The white space before a place, if nothing else stands before it on its line."""
    lead = source[source.rfind(b"\n", 0, at) + 1 : at]
    return lead if not lead.strip() else None


def _newline(source: bytes) -> bytes:
    at = source.find(b"\n")
    return b"\r\n" if source[max(at - 1, 0) : at] == b"\r" else b"\n"
