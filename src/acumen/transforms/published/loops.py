"""``while`` becomes ``for``, and ``for`` a ``while`` that ends with the update."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.lang.java.declarations import NONE
from acumen.transforms._loop_layout import header
from acumen.transforms.code import BLOCKS, Code
from acumen.transforms.completes import completes, target
from acumen.transforms.edits import Part, Rewrite
from acumen.transforms.location import Doubt, Location, Numbered, worst
from acumen.transforms.loops import PATTERNS, as_for, clashes
from acumen.transforms.published.names import method_node, shape

_LOOPS = ("for_statement", "while_statement")


class PublishedLoop:
    """One place is every loop that reads the same."""

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
                numbered.id(code.kind[one].removesuffix("_statement")), method, *code.span(one),
                detail=tuple(alike[known]),
                doubt=worst(_doubt(code, same) for same in alike[known]),
            )
            for one, known in zip(loops, shapes, strict=True)
        ]  # fmt: skip

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        nodes = sorted({node for location in chosen for node in location.detail})
        return [
            as_for(code, node) if code.kind[node] == "while_statement" else _as_while(code, node)
            for node in nodes
        ]


def _as_while(code: Code, node: int) -> Rewrite:
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
