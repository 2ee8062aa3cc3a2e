"""Loop exchange: ``while`` becomes ``for`` and ``for`` becomes ``while``.

``while (c) body`` is ``for (; c; ) body``, and nothing else changes. ``for (init; c; update) body``
is ``{ init; while (c) { body update; } }``, where

* labels stay on the loop: they move behind what comes first;
* a ``continue`` must not skip the update, nor may the update run inside a ``try``, a lock or
  another loop that the ``continue`` leaves. So the body becomes a labelled block and each
  ``continue`` a ``break`` out of it. That is right wherever it stands, and the update, which may
  hold a lambda or a class, is there once;
* the update must not see what the body declares: the body stays a block of its own if it declares
  a name that the update mentions;
* the update must be reachable for the compiler (JLS 14.22). Where the body cannot complete, the
  update never runs: ``i++`` and the like are left out, anything else stays, behind ``if (true)``
  around the body. A call is never left out, for the exceptions it declares may be caught. Where
  the file does not show whether the body completes, ``if (true)`` is right either way.

Both loops have the same rules for definite assignment (JLS 16.2.10, 16.2.12), and a labelled block
and ``if (true)`` keep them (16.2.5, 16.2.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among
from acumen.transforms._loop_layout import For, Header, header, written
from acumen.transforms.code import BLOCKS, Code, code_of
from acumen.transforms.completes import any_of, completes, exits, target
from acumen.transforms.edits import Part, Rewrite
from acumen.transforms.location import Location, Numbered

_LOOPS = ("for_statement", "while_statement")
PATTERNS = ("instanceof_expression", "type_pattern", "record_pattern_component")
_WORDS = frozenset(("identifier", "type_identifier"))
_LOCAL_TYPES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
# An update of nothing but these throws nothing that must be declared.
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
    """What a method has: loops, patterns, and for each loop what continues it."""

    loops: list[int]
    patterns: list[int]
    continues: dict[int, list[int]]


_NOTHING = _Found([], [], {})


def _found(file: JavaFile) -> dict[int, _Found]:
    """For each method with loops or patterns what it has, in one walk over the file."""
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
    condition = code.child(node, "condition")
    start, end = code.start[condition] + 1, code.end[condition] - 1
    keyword = code.end[node + 1]
    parts: tuple[Part, ...] = (b"for", (keyword, start), b"; ", (start, end), b"; ", (end, end + 1))
    return Rewrite(code.start[node], end + 1, parts)


def _as_while(code: Code, plan: For, label: str, chosen: Sequence[Location]) -> list[Rewrite]:
    head = plan.header
    # The update moves, and a moved stretch makes one large edit of the loop: new text does not.
    low, high = code.end[head.second], code.start[head.close]
    nested = any(low <= one.start < high for one in chosen)
    found = [written(code, plan, label, nested)]
    for one in plan.continues:
        last = code.children(one)[-1]
        found.append(Rewrite(code.start[one], code.start[last], (b"break " + label.encode(),)))
    return found


def _planned(code: Code, node: int, continues: list[int], patterns: list[int]) -> For:
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
    kind = code.kind
    return all(kind[at] in _HARMLESS for at in range(head.second + 1, head.close))


def clashes(code: Code, head: Header, patterns: list[int]) -> bool:
    """Whether the body declares a name, for what follows in its block, that the update has."""
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
    """The name of a pattern's variable; NONE in ``x instanceof Type``."""
    if code.kind[pattern] == "instanceof_expression":
        return code.child(pattern, "name")
    return code.children(pattern)[-1]


def _shown_after(code: Code, plan: For, patterns: list[int]) -> bool:
    """A loop's condition may declare a variable for what follows the loop (JLS 6.3.2.5), which
    braces would end. Names are compared: this is rare."""
    head = plan.header
    inside = [one for one in patterns if head.first < one < head.second]
    names = {code.bytes(name) for one in inside if (name := _bound(code, one)) != NONE}
    around = code.parent[plan.top]
    return bool(names) and any(
        code.kind[at] == "identifier" and code.bytes(at) in names
        for at in range(code.stop[plan.top], code.stop[around])
    )
