"""Switch to if: a switch becomes an equivalent chain of ``if`` statements.

The selector is evaluated once, first of all, and null throws as before. Cases that fall through are
nested: ``case 1: A; case 2: B;`` becomes ``if (x == 1 || x == 2) { if (x == 1) { A } B }``, so that
no statement is duplicated and every test precedes the code that it guards. A ``break`` that is not
the last statement of its case leaves the chain by a label. A switch expression is rewritten
together with the statement that returns, assigns or yields its value or declares a variable with
it: each branch then does that itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codeacumen.languages.java.resolve.static_types import Types
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among
from codeacumen.transforms.code import COMMENTS, SWITCH, Code, code_of
from codeacumen.transforms.completes import target
from codeacumen.transforms.edits import Part, Rewrite, replace
from codeacumen.transforms.location import Location, Numbered
from codeacumen.transforms.switches.parts import (
    ASSIGN,
    DECLARE,
    LISTS,
    RETURN,
    SHARED,
    STATEMENT,
    Case,
    Place,
    RefusedError,
    Switch,
    assigned,
    breaks,
    comments,
    declared,
    find_place,
    is_tail,
    read,
    shared,
    tail,
    yields,
)
from codeacumen.transforms.switches.select import Selector, selector


@dataclass(frozen=True, slots=True)
class Plan:
    """How to rewrite a switch.

    ``moved`` are declarations that more than one case needs.
    """

    switch: Switch
    place: Place
    selector: Selector
    moved: tuple[int, ...]


class Writer:
    """Writes the switches of a method, which may be nested."""

    def __init__(self, code: Code, plans: Sequence[Plan]) -> None:
        self.code = code
        self.plans = {plan.switch.node: plan for plan in plans}
        self.values = {plan.place.node for plan in plans if plan.place.outer != NONE}
        self.taken: set[str] = set()
        self.labels: dict[int, str] = {}
        self.found: list[Rewrite] = []

    def written(self) -> list[Rewrite]:
        """Return the rewrites of all switches."""
        # Inner switches first, because they may add a label to an outer one.
        for node in sorted(self.plans, reverse=True):
            self._switch(self.plans[node])
        return self.found

    def _free(self) -> str:
        """Return an unused name and reserve it."""
        name = self.code.free("s", frozenset(self.taken))
        self.taken.add(name)
        return name

    def _label(self, plan: Plan) -> str:
        """Return the label by which the chain is left: the switch's own if it has one."""
        code, node = self.code, plan.switch.node
        if node not in self.labels:
            above = code.parent[node]
            own = self._is_labelled(plan)
            self.labels[node] = code.text(code.children(above)[0]) if own else self._free()
        return self.labels[node]

    # ---- exits

    def _give(self, plan: Plan, last: bool) -> tuple[bytes, bytes]:
        """Return the text before and after a value.

        ``is_last``: the chain ends after the value without a jump.
        """
        how = plan.place.how
        if how == RETURN:
            return b"return ", b""
        if how in (ASSIGN, DECLARE):
            leaves = b"" if last else f" break {self._label(plan)};".encode()
            return f"{plan.place.target} = ".encode(), leaves
        outer = self.plans.get(plan.place.outer)
        if outer is None:
            return b"yield ", b""
        return self._give(outer, last and is_tail(self.code, outer.switch, plan.place.node))

    def _leave(self, plan: Plan) -> None:
        """Rewrite the ``break`` or ``yield`` statements of a switch."""
        code, switch = self.code, plan.switch
        ends = {tail(code, case) for case in switch.cases}
        if not switch.gives:
            idle = self._idle(switch)
            for node in breaks(code, switch):
                if idle is not None and idle.holds(code, node):
                    continue
                if node in ends:
                    self.found.append(replace(*self._line(node), b""))
                else:
                    text = f"break {self._label(plan)}".encode()
                    self.found.append(replace(*code.span(node + 1), text))
            return
        for node in yields(code, switch):
            if node in self.values:
                continue
            before, after = self._give(plan, node in ends)
            start, end = code.span(node)
            value = code.start[code.children(node)[1]]
            if after and code.kind[code.parent[node]] not in LISTS:
                before, after = b"{ " + before, after + b" }"
            self.found.append(Rewrite(start, end, (before, (value, end), after)))

    def _line(self, node: int) -> tuple[int, int]:
        """Return the span of a statement, including its line if nothing else is on it."""
        source = self.code.source
        start, end = self.code.span(node)
        first, last = source.rfind(b"\n", 0, start) + 1, source.find(b"\n", end)
        if last >= 0 and not source[first:start].strip() and not source[end:last].strip():
            return first, last + 1
        return start, end

    # ---- chains

    def _switch(self, plan: Plan) -> None:
        """Add the rewrites of a switch."""
        code, place = self.code, plan.place
        self._leave(plan)
        self.found += [assigned(code, one) for one in plan.moved]
        start, end = code.span(place.node)
        name, before = self._before(plan, self._pause(start))
        parts = [*before, *self._chain(plan, name)]
        if not place.listed or plan.moved:
            parts = [b"{ ", *parts, b" }"]
        self.found.append(Rewrite(start, end, tuple(filter(_is_something, parts))))

    def _before(self, plan: Plan, pause: bytes) -> tuple[str, list[Part]]:
        """Return the expression that the tests compare, and the statements before the chain."""
        code, switch, kept = self.code, plan.switch, plan.selector
        parts: list[Part] = [self._comments(plan, pause)]
        if plan.place.how == DECLARE:
            declarator = code.fields(plan.place.node, "declarator")[0]
            ends = [code.child(declarator, field) for field in ("name", "dimensions")]
            last = max(code.end[one] for one in ends if one != NONE)
            parts += ((code.start[plan.place.node], last), b";" + pause)
        parts += (declared(code, one) + pause for one in plan.moved)
        name, tests = code.text(switch.selector), _has_tests(switch)
        if not kept.plain or (not tests and kept.unboxes):
            name = self._free()
            parts += (f"{kept.type} {name} = ".encode(), code.span(switch.selector), b";" + pause)
        if not tests and kept.touched(name):
            parts.append(kept.touched(name).encode() + pause)
        label = self.labels.get(switch.node)
        if label and not self._is_labelled(plan):
            parts.append(f"{label}: ".encode())
        return name, parts

    def _pause(self, start: int) -> bytes:
        """Return the separator of statements that replace the one at ``start``: a line break if
        that one begins its line."""
        source = self.code.source
        margin = source[source.rfind(b"\n", 0, start) + 1 : start]
        return b" " if margin.strip() else b"\n" + margin

    def _comments(self, plan: Plan, pause: bytes) -> bytes:
        """Return the comments before the first case, except those in the selector."""
        code, switch = self.code, plan.switch
        first = switch.cases[0].nodes[0] if switch.cases else code.stop[switch.block]
        outer = plan.place.node if plan.place.how != DECLARE else switch.node
        pause = pause if pause.strip(b" ") else b"\n"
        return (
            comments(code, outer, switch.selector, pause)
            + comments(code, code.stop[switch.selector], first, pause)
            + comments(code, code.stop[switch.node], code.stop[outer], pause)
        )

    def _chain(self, plan: Plan, name: str) -> list[Part]:
        """Return the ``if`` statements of a switch."""
        switch = plan.switch
        tested = [run for run in switch.runs if not _is_default(run)]
        others = [run for run in switch.runs if _is_default(run)]
        parts: list[Part] = []
        for run in tested:
            condition = self._test(plan, name, run)
            word = " else if" if parts else "if"
            parts += (f"{word} ({condition}) {{".encode(), *self._run(plan, name, run), b"}")
        if others and self._idle(switch) is None:
            parts += (b" else {" if tested else b"{", *self._run(plan, name, others[0]), b"}")
        elif switch.gives and not others:
            parts.append(f" else {{ throw new {plan.selector.error}(); }}".encode())
        return parts or [b"{ }"]

    def _run(self, plan: Plan, name: str, run: list[Case]) -> list[Part]:
        """Return cases that fall through: all but the last only if control entered there or
        before."""
        parts = self._case(plan, run[0])
        for place in range(1, len(run)):
            if _is_default(run[:place]):
                condition = self._test(plan, name, run[place:], same=False)
            else:
                condition = self._test(plan, name, run[:place])
            parts = [f" if ({condition}) {{".encode(), *parts, b"}", *self._case(plan, run[place])]
        return parts

    def _test(self, plan: Plan, name: str, run: list[Case], same: bool = True) -> str:
        """Return the test for the labels of some cases, or its negation if ``is_equal`` is
        false."""
        labels = [label for case in run for label in case.labels]
        tests = [plan.selector.compared(self.code, name, label, same) for label in labels]
        return (" || " if same else " && ").join(tests)

    def _case(self, plan: Plan, case: Case) -> list[Part]:
        """Return a case's statements with all comments that belong to it."""
        code = self.code
        parts: list[Part] = []
        for node in case.nodes:
            after = self._next(node)
            marks = [one for one in code.children(node) if code.kind[one] in (":", "->")]
            mark = marks[-1]
            parts.append(comments(code, node, mark))
            if plan.switch.rules:
                parts += self._rule(plan, case.statements[0], mark, after)
            elif node == case.nodes[-1] and [code.kind[x] for x in case.statements] == ["block"]:
                parts += self._block(case.statements[0], code.end[mark], after)
            elif node == case.nodes[-1] or self._is_commented(code.end[mark], after):
                parts.append((code.end[mark], after))
        return parts

    def _block(self, block: int, start: int, after: int) -> list[Part]:
        """Return the content of a block that is a whole case, without the braces, with the comments
        around it."""
        first, last = self.code.span(block)
        parts: list[Part] = [(start, first)] if self._is_commented(start, first) else []
        parts.append((first + 1, last - 1))
        return [*parts, (last, after)] if self._is_commented(last, after) else parts

    def _rule(self, plan: Plan, body: int, mark: int, after: int) -> list[Part]:
        """Return the body of a rule ``case ... -> body``."""
        code = self.code
        start, end = code.span(body)
        if code.kind[body] == "block":
            return self._block(body, code.end[mark], after)
        told = comments(code, mark + 1, body)
        if (
            not plan.switch.gives
            or code.kind[body] != "expression_statement"
            or (body in self.values)
        ):
            return [b" " + told, (start, after)]
        before, leaves = self._give(plan, True)
        return [b" " + told + before, (start, end), leaves, (end, after)]

    def _next(self, node: int) -> int:
        """Return the offset at which the next case begins or the switch ends."""
        code = self.code
        block = code.parent[node]
        at = code.stop[node]
        while at < code.stop[block] and code.kind[at] in COMMENTS:
            at = code.stop[at]
        return code.start[at] if at < code.stop[block] else code.end[block] - 1

    def _is_commented(self, start: int, end: int) -> bool:
        """Return whether a range contains anything but white space."""
        return bool(self.code.source[start:end].strip())

    def _idle(self, switch: Switch) -> Case | None:
        """Return a default case without statements and comments, which needs no ``else``; None if
        there is none."""
        code = self.code
        case = next((case for case in switch.cases if case.default), None)
        if case is None or switch.gives or switch.rules or len(switch.runs) < 2:
            return None
        first, last = case.nodes[0], case.nodes[-1]
        if case.falls or self._is_commented(code.end[last], self._next(last)):
            return None
        if len(case.statements) > 1 or any(
            code.kind[one] in COMMENTS for one in range(first, code.stop[last])
        ):
            return None
        for only in case.statements:
            if code.kind[only] != "break_statement" or target(code, only) != switch.node:
                return None
        return None if any(len(run) > 1 and case in run for run in switch.runs) else case

    def _is_labelled(self, plan: Plan) -> bool:
        """Return whether the switch is a labelled statement."""
        above = self.code.parent[plan.switch.node]
        return plan.place.how == STATEMENT and self.code.kind[above] == "labeled_statement"


def _is_default(run: list[Case]) -> bool:
    """Return whether one of the cases is the default."""
    return any(case.default for case in run)


def _has_tests(switch: Switch) -> bool:
    """Return whether the chain compares the selector at all."""
    return any(len(run) > 1 or not _is_default(run) for run in switch.runs)


def _is_something(part: Part) -> bool:
    """Return whether a part is not empty."""
    return bool(part) if isinstance(part, bytes) else part[0] < part[1]


# A longer chain is too deep for javac; many cases that fall through need many tests.
MOST_BRANCHES = 400
MOST_TESTS = 1000
_LONGEST = 30


class SwitchToIf:
    """Conversion of a switch to ``if`` statements (abbreviated SF in the paper)."""

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
    """Return how to rewrite a switch, or None and the reason why it is refused."""
    try:
        switch = read(code, node)
        _check_size(switch)
        where, moved = find_place(code, switch), shared(code, switch)
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
    """Return the switches of each method of a file."""
    found: dict[int, list[int]] = {}
    nodes = np.flatnonzero(among(SWITCH)[file.syntax.kind]).tolist()
    if nodes:
        method = code_of(file).method_of
        for node in nodes:
            found.setdefault(method[node], []).append(node)
    return found


def _told(code: Code, node: int) -> str:
    """Return the selector's text for the location's id."""
    condition = code.child(node, "condition")
    text = code.text(condition) if condition != NONE else ""
    return " ".join(text[1:-1].split())[:_LONGEST]


def _check_size(switch: Switch) -> None:
    """Raise ``RefusedError`` if the chain would be too long."""
    tests = 0
    for run in switch.runs:
        for number, case in enumerate(run):
            tests += len(case.labels) * (len(run) - number)
    if len(switch.cases) > MOST_BRANCHES or tests > MOST_TESTS:
        raise RefusedError("too many cases")
