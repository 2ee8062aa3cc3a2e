"""A ``switch`` becomes a chain of ``if``, each label by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acumen.lang.java.declarations import NONE
from acumen.lang.java.types import Types
from acumen.transforms._switch_parts import GROUP, RefusedError, Switch, breaks, gives, read
from acumen.transforms._switch_select import NUMBER, STRING, selector
from acumen.transforms._switch_shared import SHARED, shared
from acumen.transforms.code import SWITCH, Code
from acumen.transforms.edits import Part, Rewrite
from acumen.transforms.location import Doubt, Location, Numbered, worst
from acumen.transforms.published.names import method_node

_LABEL, _BREAK = "switch_label", "break_statement"
_COMPUTED = ("method_invocation", "assignment_expression", "update_expression",
             "object_creation_expression")  # fmt: skip


class _Entry(NamedTuple):
    """A label, none for ``default``, and the statements right behind it."""

    label: int
    statements: list[int]


class PublishedSwitch:
    name = "published-switch"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        why, numbered = code.unreadable(method), Numbered(self.name)
        found: list[Location] = []
        for node in code.of_kind(method_node(code, method), SWITCH):
            block = code.child(node, "body")
            groups = [] if block == NONE else code.children(block)[1:-1]
            # Arrows and values came to Java after the tool.
            if not groups or gives(code, node) or any(code.kind[one] != GROUP for one in groups):
                continue
            doubt = None if why else worst(_doubts(code, node))
            id_ = numbered.id("switch")
            found.append(Location(id_, method, *code.span(node), why, node, doubt=doubt))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [_as_ifs(code, location.detail) for location in chosen]


def _entries(code: Code, node: int) -> Iterator[_Entry]:
    for group in code.children(code.child(node, "body"))[1:-1]:
        inside = code.children(group)
        labels = [one for one in inside if code.kind[one] == _LABEL]
        rest = [one for one in inside if code.kind[one] not in (_LABEL, ":")]
        for label in labels:
            # Of several values only the first is compared.
            value = next(iter(code.children(label)[1:]), NONE)
            yield _Entry(value, rest if label == labels[-1] else [])


def _as_ifs(code: Code, node: int) -> Rewrite:
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
    for one in entry.statements:
        if code.kind[one] != _BREAK:
            yield code.span(one)
            yield b" "


def _doubts(code: Code, node: int) -> Iterator[Doubt]:
    """What speaks against a switch, as far as it can be read."""
    try:
        yield from _seen(code, read(code, node))
    except RefusedError as refused:
        yield Doubt(str(refused), wrong=str(refused) == SHARED)


def _runs_on(code: Code, switch: Switch) -> bool:
    """Whether a case falls into statements of a later one: what only breaks is not missed."""
    nothing = True  # follows the last
    for case in reversed(switch.cases):
        if case.falls and not nothing:
            return True
        own = any(code.kind[one] != _BREAK for one in case.statements)
        nothing = not own and (nothing or not case.falls)
    return False


def _seen(code: Code, switch: Switch) -> Iterator[Doubt]:
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
