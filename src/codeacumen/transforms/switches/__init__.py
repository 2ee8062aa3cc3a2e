"""Switch to if: a switch becomes an equivalent chain of ``if`` statements.

The selector is evaluated once, first of all, and null throws as before. Cases that fall through are
nested: ``case 1: A; case 2: B;`` becomes ``if (x == 1 || x == 2) { if (x == 1) { A } B }``, so that
no statement is duplicated and every test precedes the code that it guards. A ``break`` that is not
the last statement of its case leaves the chain by a label. A switch expression is rewritten
together with the statement that returns, assigns or yields its value or declares a variable with
it: each branch then does that itself.

The **chain** is the sequence of ``if`` and ``else if`` that replaces a switch. A **run** is a list
of cases that fall through into each other, often a single case; it becomes one branch of the chain.
The **name** is the expression that the tests compare: the selector's own text, or a new variable
that holds its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codeacumen.languages.java.resolve.static_types import StaticTypes
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import symbol_mask
from codeacumen.transforms.code import COMMENTS, SWITCH, Code, code_of
from codeacumen.transforms.edits import Part, Rewrite, replace_range
from codeacumen.transforms.location import Location, LocationIds
from codeacumen.transforms.normal_completion import jump_target
from codeacumen.transforms.switches.parts import (
    ASSIGN,
    DECLARE,
    LISTS,
    RETURN,
    SHARED_REASON,
    STATEMENT,
    Case,
    RefusedError,
    Switch,
    SwitchUse,
    collect_comments,
    declare_without_values,
    find_breaks,
    find_shared_declarations,
    find_use,
    find_yields,
    is_last_statement,
    last_statement,
    parse_switch,
    replace_by_assignments,
)
from codeacumen.transforms.switches.selector import Selector, choose_selector


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """A plan to rewrite a switch.

    ``moved`` are the declarations that move before the chain, because several cases use them.
    """

    switch: Switch
    use: SwitchUse
    selector: Selector
    moved: tuple[int, ...]


class SwitchWriter:
    """Writes the switches of a method, which may be nested."""

    def __init__(self, code: Code, plans: Sequence[SwitchPlan]) -> None:
        self.code = code
        self.plans = {plan.switch.node: plan for plan in plans}
        # Statements that yield an inner switch to an outer one; the inner one rewrites them.
        self.value_statements = {plan.use.node for plan in plans if plan.use.outer != NONE}
        # Names that this writer introduces, and the label of each chain by its switch's node.
        self.reserved: set[str] = set()
        self.labels: dict[int, str] = {}
        self.rewrites: list[Rewrite] = []

    def make_rewrites(self) -> list[Rewrite]:
        """Return the rewrites of all switches."""
        # Inner switches first, because they may add a label to an outer one.
        for node in sorted(self.plans, reverse=True):
            self._rewrite_switch(self.plans[node])
        return self.rewrites

    def _reserve_name(self) -> str:
        """Return an unused name and reserve it."""
        name = self.code.find_free_name("s", frozenset(self.reserved))
        self.reserved.add(name)
        return name

    def _chain_label(self, plan: SwitchPlan) -> str:
        """Return the label for a ``break`` out of the chain: the switch's own if it has one, else a
        new one."""
        code, node = self.code, plan.switch.node
        if node not in self.labels:
            parent = code.parent[node]
            has_own_label = self._is_labelled(plan)
            self.labels[node] = (
                code.text(code.children(parent)[0]) if has_own_label else self._reserve_name()
            )
        return self.labels[node]

    # ---- exits

    def _value_wrapping(self, plan: SwitchPlan, is_last: bool) -> tuple[bytes, bytes]:
        """Return the text before and after a value that a branch returns, assigns or yields.

        ``is_last``: the chain ends after the value without a jump.
        """
        kind = plan.use.kind
        if kind == RETURN:
            return b"return ", b""
        if kind in (ASSIGN, DECLARE):
            jump = b"" if is_last else f" break {self._chain_label(plan)};".encode()
            return f"{plan.use.target} = ".encode(), jump
        outer = self.plans.get(plan.use.outer)
        if outer is None:  # the outer switch is not rewritten
            return b"yield ", b""
        return self._value_wrapping(
            outer, is_last and is_last_statement(self.code, outer.switch, plan.use.node)
        )

    def _rewrite_exits(self, plan: SwitchPlan) -> None:
        """Rewrite the ``break`` or ``yield`` statements of a switch."""
        code, switch = self.code, plan.switch
        last_statements = {last_statement(code, case) for case in switch.cases}
        if not switch.is_expression:
            idle_default = self._find_idle_default(switch)
            for node in find_breaks(code, switch):
                if idle_default is not None and idle_default.contains(code, node):
                    continue
                if node in last_statements:
                    self.rewrites.append(replace_range(*self._full_line_span(node), b""))
                else:
                    text = f"break {self._chain_label(plan)}".encode()
                    # The first child of the statement is its keyword.
                    self.rewrites.append(replace_range(*code.span(node + 1), text))
            return
        for node in find_yields(code, switch):
            if node in self.value_statements:
                continue
            before, after = self._value_wrapping(plan, node in last_statements)
            start, end = code.span(node)
            value = code.start[code.children(node)[1]]  # what follows the keyword
            if after and code.kind[code.parent[node]] not in LISTS:
                before, after = b"{ " + before, after + b" }"
            self.rewrites.append(Rewrite(start, end, (before, (value, end), after)))

    def _full_line_span(self, node: int) -> tuple[int, int]:
        """Return the span of a statement, including its line if nothing else is on it."""
        source = self.code.source
        start, end = self.code.span(node)
        line_start, line_end = source.rfind(b"\n", 0, start) + 1, source.find(b"\n", end)
        if (
            line_end >= 0
            and not source[line_start:start].strip()
            and not source[end:line_end].strip()
        ):
            return line_start, line_end + 1
        return start, end

    # ---- chains

    def _rewrite_switch(self, plan: SwitchPlan) -> None:
        """Add the rewrites of a switch."""
        code, use = self.code, plan.use
        self._rewrite_exits(plan)
        self.rewrites += [replace_by_assignments(code, declaration) for declaration in plan.moved]
        start, end = code.span(use.node)
        name, prefix = self._chain_prefix(plan, self._statement_separator(start))
        parts = [*prefix, *self._chain_parts(plan, name)]
        if not use.is_in_list or plan.moved:
            parts = [b"{ ", *parts, b" }"]
        self.rewrites.append(Rewrite(start, end, tuple(filter(_is_non_empty, parts))))

    def _chain_prefix(self, plan: SwitchPlan, separator: bytes) -> tuple[str, list[Part]]:
        """Return the expression that the tests compare, and the statements before the chain."""
        code, switch, selector = self.code, plan.switch, plan.selector
        parts: list[Part] = [self._leading_comments(plan, separator)]
        if plan.use.kind == DECLARE:
            declarator = code.children_in_field(plan.use.node, "declarator")[0]
            declarator_parts = [code.child(declarator, field) for field in ("name", "dimensions")]
            declarator_end = max(code.end[node] for node in declarator_parts if node != NONE)
            parts += ((code.start[plan.use.node], declarator_end), b";" + separator)
        parts += (
            declare_without_values(code, declaration) + separator for declaration in plan.moved
        )
        name, has_tests = code.text(switch.selector), _has_tests(switch)
        if not selector.is_repeatable or (not has_tests and selector.unboxes):
            name = self._reserve_name()
            parts += (
                f"{selector.type} {name} = ".encode(),
                code.span(switch.selector),
                b";" + separator,
            )
        if not has_tests and selector.format_null_check(name):
            parts.append(selector.format_null_check(name).encode() + separator)
        label = self.labels.get(switch.node)
        if label and not self._is_labelled(plan):
            parts.append(f"{label}: ".encode())
        return name, parts

    def _statement_separator(self, start: int) -> bytes:
        """Return the separator of statements that replace the one at ``start``: a line break if
        that one begins its line."""
        source = self.code.source
        indent = source[source.rfind(b"\n", 0, start) + 1 : start]
        return b" " if indent.strip() else b"\n" + indent

    def _leading_comments(self, plan: SwitchPlan, separator: bytes) -> bytes:
        """Return the comments before the first case, except those in the selector."""
        code, switch = self.code, plan.switch
        first_node = switch.cases[0].nodes[0] if switch.cases else code.stop[switch.block]
        outer = plan.use.node if plan.use.kind != DECLARE else switch.node
        separator = separator if separator.strip(b" ") else b"\n"
        return (
            collect_comments(code, outer, switch.selector, separator)
            + collect_comments(code, code.stop[switch.selector], first_node, separator)
            + collect_comments(code, code.stop[switch.node], code.stop[outer], separator)
        )

    def _chain_parts(self, plan: SwitchPlan, name: str) -> list[Part]:
        """Return the ``if`` statements of a switch."""
        switch = plan.switch
        tested_runs = [run for run in switch.fall_through_runs if not _has_default(run)]
        # At most one run has the default; it comes last, because it applies if no test holds.
        default_runs = [run for run in switch.fall_through_runs if _has_default(run)]
        parts: list[Part] = []
        for run in tested_runs:
            condition = self._format_condition(plan, name, run)
            keyword = " else if" if parts else "if"
            parts += (
                f"{keyword} ({condition}) {{".encode(),
                *self._run_parts(plan, name, run),
                b"}",
            )
        if default_runs and self._find_idle_default(switch) is None:
            parts += (
                b" else {" if tested_runs else b"{",
                *self._run_parts(plan, name, default_runs[0]),
                b"}",
            )
        elif switch.is_expression and not default_runs:
            parts.append(f" else {{ throw new {plan.selector.error}(); }}".encode())
        return parts or [b"{ }"]

    def _run_parts(self, plan: SwitchPlan, name: str, run: list[Case]) -> list[Part]:
        """Return the statements of cases that fall through into each other.

        A nested test before each next case runs the earlier ones only if control entered there.
        """
        parts = self._case_parts(plan, run[0])
        for index in range(1, len(run)):
            if _has_default(run[:index]):
                condition = self._format_condition(plan, name, run[index:], is_equal=False)
            else:
                condition = self._format_condition(plan, name, run[:index])
            parts = [
                f" if ({condition}) {{".encode(),
                *parts,
                b"}",
                *self._case_parts(plan, run[index]),
            ]
        return parts

    def _format_condition(
        self, plan: SwitchPlan, name: str, run: list[Case], is_equal: bool = True
    ) -> str:
        """Return the test for the labels of some cases, or its negation if ``is_equal`` is
        false."""
        labels = [label for case in run for label in case.labels]
        tests = [plan.selector.format_test(self.code, name, label, is_equal) for label in labels]
        return (" || " if is_equal else " && ").join(tests)

    def _case_parts(self, plan: SwitchPlan, case: Case) -> list[Part]:
        """Return a case's statements with all comments that belong to it.

        A mark is the colon or the arrow after the labels.
        """
        code = self.code
        parts: list[Part] = []
        for node in case.nodes:
            next_start = self._next_case_start(node)
            marks = [child for child in code.children(node) if code.kind[child] in (":", "->")]
            mark = marks[-1]
            parts.append(collect_comments(code, node, mark))
            if plan.switch.has_rules:
                parts += self._rule_parts(plan, case.statements[0], mark, next_start)
            elif node == case.nodes[-1] and [
                code.kind[statement] for statement in case.statements
            ] == ["block"]:
                parts += self._block_parts(case.statements[0], code.end[mark], next_start)
            elif node == case.nodes[-1] or self._has_text(code.end[mark], next_start):
                parts.append((code.end[mark], next_start))
        return parts

    def _block_parts(self, block: int, start: int, next_start: int) -> list[Part]:
        """Return the content of a block that is a whole case, without the braces, with the comments
        around it."""
        first, last = self.code.span(block)
        parts: list[Part] = [(start, first)] if self._has_text(start, first) else []
        parts.append((first + 1, last - 1))
        return [*parts, (last, next_start)] if self._has_text(last, next_start) else parts

    def _rule_parts(self, plan: SwitchPlan, body: int, mark: int, next_start: int) -> list[Part]:
        """Return the body of a rule ``case ... -> body``."""
        code = self.code
        start, end = code.span(body)
        if code.kind[body] == "block":
            return self._block_parts(body, code.end[mark], next_start)
        leading_comments = collect_comments(code, mark + 1, body)
        if (
            not plan.switch.is_expression
            or code.kind[body] != "expression_statement"
            or (body in self.value_statements)
        ):
            return [b" " + leading_comments, (start, next_start)]
        before, jump = self._value_wrapping(plan, True)
        return [b" " + leading_comments + before, (start, end), jump, (end, next_start)]

    def _next_case_start(self, node: int) -> int:
        """Return the offset at which the next case begins or the switch ends."""
        code = self.code
        block = code.parent[node]
        sibling = code.stop[node]
        while sibling < code.stop[block] and code.kind[sibling] in COMMENTS:
            sibling = code.stop[sibling]
        return code.start[sibling] if sibling < code.stop[block] else code.end[block] - 1

    def _has_text(self, start: int, end: int) -> bool:
        """Return whether a range contains anything but white space."""
        return bool(self.code.source[start:end].strip())

    def _find_idle_default(self, switch: Switch) -> Case | None:
        """Return a default case without statements and comments, which needs no ``else``; None if
        there is none."""
        code = self.code
        case = next((case for case in switch.cases if case.is_default), None)
        if (
            case is None
            or switch.is_expression
            or switch.has_rules
            or len(switch.fall_through_runs) < 2
        ):
            return None
        first, last = case.nodes[0], case.nodes[-1]
        if case.falls_through or self._has_text(code.end[last], self._next_case_start(last)):
            return None
        if len(case.statements) > 1 or any(
            code.kind[node] in COMMENTS for node in range(first, code.stop[last])
        ):
            return None
        for statement in case.statements:
            if (
                code.kind[statement] != "break_statement"
                or jump_target(code, statement) != switch.node
            ):
                return None
        return (
            None if any(len(run) > 1 and case in run for run in switch.fall_through_runs) else case
        )

    def _is_labelled(self, plan: SwitchPlan) -> bool:
        """Return whether the switch is a labelled statement."""
        parent = self.code.parent[plan.switch.node]
        return plan.use.kind == STATEMENT and self.code.kind[parent] == "labeled_statement"


def _has_default(run: list[Case]) -> bool:
    """Return whether one of the cases is the default."""
    return any(case.is_default for case in run)


def _has_tests(switch: Switch) -> bool:
    """Return whether the chain compares the selector at all."""
    return any(len(run) > 1 or not _has_default(run) for run in switch.fall_through_runs)


def _is_non_empty(part: Part) -> bool:
    """Return whether a part is not empty."""
    return bool(part) if isinstance(part, bytes) else part[0] < part[1]


# A longer chain is too deep for javac; many cases that fall through need many tests.
MAX_BRANCHES = 400
MAX_TESTS = 1000
# Characters of the selector's text in the id of a location.
_ID_TEXT_LENGTH = 30


class SwitchToIf:
    """Conversion of a switch to ``if`` statements (abbreviated SF in the paper)."""

    name = "switch"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        location_ids = LocationIds(self.name)
        locations = []
        for node in code.file.compute_once(_find_switches).get(method, ()):
            refusal = code.unreadable_reason(method)
            plan, refusal = (None, refusal) if refusal else _plan_switch(code, node)
            id_ = location_ids.next_id(_abbreviate_selector(code, node))
            locations.append(Location(id_, method, *code.span(node), refusal, plan))
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        return SwitchWriter(code, [location.detail for location in selected]).make_rewrites()


def _plan_switch(code: Code, node: int) -> tuple[SwitchPlan | None, str]:
    """Return how to rewrite a switch, or None and the reason why it is refused."""
    try:
        switch = parse_switch(code, node)
        _check_size(switch)
        use, moved = find_use(code, switch), find_shared_declarations(code, switch)
        code.node_bytes(use.node).decode()
        if moved and use.kind == DECLARE:
            raise RefusedError(SHARED_REASON)
        selector = choose_selector(code, code.file.compute_once(StaticTypes), switch)
        return SwitchPlan(switch, use, selector, tuple(moved)), ""
    except RefusedError as error:
        return None, str(error)
    except UnicodeDecodeError:
        return None, "the source is not UTF-8"


def _find_switches(file: JavaFile) -> dict[int, list[int]]:
    """Return the nodes of the switches by the index of their method."""
    by_method: dict[int, list[int]] = {}
    nodes = np.flatnonzero(symbol_mask(SWITCH)[file.syntax.kind]).tolist()
    if nodes:
        method_of = code_of(file).method_of
        for node in nodes:
            by_method.setdefault(method_of[node], []).append(node)
    return by_method


def _abbreviate_selector(code: Code, node: int) -> str:
    """Return the beginning of the selector's text on one line, for the location's id."""
    condition = code.child(node, "condition")
    text = code.text(condition) if condition != NONE else ""
    return " ".join(text[1:-1].split())[:_ID_TEXT_LENGTH]


def _check_size(switch: Switch) -> None:
    """Raise ``RefusedError`` if the chain would be too long."""
    test_count = 0
    for run in switch.fall_through_runs:
        for index, case in enumerate(run):
            test_count += len(case.labels) * (len(run) - index)
    if len(switch.cases) > MAX_BRANCHES or test_count > MAX_TESTS:
        raise RefusedError("too many cases")
