"""Abstract interpretation of one method body along all its paths; called by ``solve``.

Paths are kept apart until they meet with the same facts at a merge point (see ``method_unit``).
Where too many meet, some are merged, and facts that only one of them has are dropped. A merged
state reports no null of known origin, so each such report is backed by a path.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

from codeacumen.languages.java.nulls import library_models
from codeacumen.languages.java.nulls.facts import CONSTRUCTOR
from codeacumen.languages.java.nulls.interpretation.conditions import ConditionAnalysis
from codeacumen.languages.java.nulls.interpretation.method_unit import CallSite, MethodUnit
from codeacumen.languages.java.nulls.interpretation.object_models import ZERO
from codeacumen.languages.java.nulls.interpretation.outcomes import CallEffects
from codeacumen.languages.java.nulls.interpretation.state import (
    EACH,
    FALSE,
    FEW_PATHS,
    FRESH,
    MAX_PATHS,
    NONNULL,
    NULL,
    NUMBER,
    PARAMETER,
    SOLID,
    THIS,
    TRUE,
    TRUTH,
    State,
    Summary,
    common_answers,
)
from codeacumen.languages.java.nulls.library_models import ANY_RUNTIME, catches_exception
from codeacumen.languages.java.nulls.report import Report
from codeacumen.languages.java.nulls.translation import instructions as ir

_CONSTANTS = {ir.NONNULL: NONNULL, ir.TRUE: TRUE, ir.FALSE: FALSE}
# Limit on steps: _LEAST_BUDGET, and _BUDGET more for each instruction of the body.
_BUDGET, _LEAST_BUDGET = 30, 2000
# Fields of a new object that the analysis of a constructor follows; less than EACH, because their
# values are numbered like those of one instruction.
_MOST_FIELDS = 12
# Key of the fact that holds the number of the set of classes that may have been thrown.
_THROWN = ("thrown",)


class MethodAnalysis(ConditionAnalysis):
    """Analysis of one method body: reports, and the summary for callers."""

    def __init__(
        self, unit: MethodUnit, find_effects: Callable[[CallSite], CallEffects | None]
    ) -> None:
        super().__init__(unit, find_effects)
        # States that wait at each merge point; the heap of these merge points, so that the first in
        # the body continues first; and the keys of the states that have continued there.
        self.waiting_states: dict[int, list[State]] = {}
        self.pending: list[int] = []
        self.seen_keys: dict[int, set[tuple[object, ...]]] = {}
        # Sets of classes that may be thrown; the first, None, stands for any class.
        self.thrown_sets: list[frozenset[str] | None] = [None]
        self.max_paths = MAX_PATHS if self._has_source() else FEW_PATHS
        self.steps_left = _LEAST_BUDGET + _BUDGET * len(unit.instructions)

    def _has_source(self) -> bool:
        """Return whether anything in the body can produce a null."""
        unit = self.unit
        if unit.nullable_parameters or unit.flags & CONSTRUCTOR:
            return True
        for op, _, a, b, c, _, _, _ in unit.instructions:
            if op == ir.CONST:
                if a == ir.NULL:
                    return True
            elif op == ir.LOAD:
                if b == ir.NULLABLE:
                    return True
            elif op == ir.ARRAY:
                if a:
                    return True
            elif op == ir.CALL and self.may_return_null(unit.calls[c]):
                return True
        return False

    def run_method(self) -> Summary:
        """Follow all paths within the budget, and return the summary of the method."""
        for state in self._initial_states():
            self.add_arrival(0, state)
        while self.pending and self.steps_left > 0:
            merge_point = heappop(self.pending)
            for state in self._merge_arrivals(merge_point, self.waiting_states.pop(merge_point)):
                todo = [(merge_point, state)]
                while todo and self.steps_left > 0:
                    position, next_state = todo.pop()
                    self._follow_path(position, next_state, todo)
        if self.steps_left > 0:
            self.report_doubts()
        throws = self.throws
        if throws is None:
            # Checked exceptions are declared; unchecked ones may always be thrown.
            throws = self.unit.throws | {ANY_RUNTIME}
        return Summary(self._collect_outcomes(), self.writes, throws, self.own_writes, self.changes)

    def _initial_states(self) -> list[State]:
        """Return the states at the beginning: one, and one for each parameter that may be null.

        A parameter may be null if it is declared nullable.
        """
        unit = self.unit
        registers = [SOLID] * unit.register_count
        facts: dict[object, int] = {THIS: NONNULL}
        heap: dict[tuple[object, ...], int] = {}
        registers[0] = THIS
        for parameter in range(1, unit.parameter_count + 1):
            registers[parameter] = PARAMETER + parameter
        if unit.flags & CONSTRUCTOR:
            names = unit.facts.classes.get(unit.owner, ())
            for number, name in enumerate(names[:_MOST_FIELDS]):
                text = unit.facts.texts[name]
                heap[THIS, text] = self.unset_field_value(number)
                facts[self.unset_field_value(number)] = self.unset_field_fact(text)
        states = [State(registers, facts, heap, frozenset())]
        for parameter in range(1, unit.parameter_count + 1):
            if unit.nullable_parameters >> (parameter - 1) & 1:
                other = states[0].copy()
                offset = unit.instructions[0][7]
                key = ("parameter", parameter)
                other.facts[PARAMETER + parameter] = self.nullable_fact(
                    key, offset, "the parameter"
                )
                states.append(other)
        return states

    def unset_field_value(self, number: int) -> int:
        """Return the value of an unset field, numbered after the values of all instructions."""
        return len(self.unit.instructions) * EACH + number

    def add_arrival(self, position: int, state: State) -> None:
        """Add a state to those that wait at a merge point."""
        states = self.waiting_states.get(position)
        if states is None:
            self.waiting_states[position] = [state]
            heappush(self.pending, position)
        else:
            states.append(state)

    def _merge_arrivals(self, position: int, states: list[State]) -> list[State]:
        """Return the states that continue from a merge point and were not there before."""
        if len(states) == 1 and not self.unit.in_loop[position] and position not in self.seen_keys:
            self.seen_keys[position] = set()
            return states
        live = self.unit.live_registers(position)
        seen_keys = self.seen_keys.setdefault(position, set())
        if len(seen_keys) > 4 * MAX_PATHS:
            # Enough different states have passed; this also bounds the rounds of a loop.
            return []
        distinct: list[State] = []
        state_by_key: dict[tuple[object, ...], State] = {}
        for state in states:
            key = state.prune_and_key(live, self.unit)
            if key not in seen_keys:
                seen_keys.add(key)
                distinct.append(state)
                state_by_key[key] = state
            elif key in state_by_key:
                state_by_key[key].answers = common_answers(state_by_key[key].answers, state.answers)
        max_paths = self.max_paths
        if len(distinct) <= max_paths:
            return distinct
        distinct.sort(key=self._null_priority)
        rest = distinct[max_paths - 1 :]
        merged = rest[0]
        for other in rest[1:]:
            merged = merged.merge_with(other)
        key = merged.prune_and_key(live, self.unit)
        if key in seen_keys:
            return distinct[: max_paths - 1]
        seen_keys.add(key)
        return [*distinct[: max_paths - 1], merged]

    def _null_priority(self, state: State) -> int:
        """Return the sort key of a state: those with the most nulls of known origin come first."""
        return -sum(1 for fact in state.facts.values() if fact < NULL)

    def _follow_path(self, position: int, state: State, todo: list[tuple[int, State]]) -> None:
        """Follow a path until it ends, reaches a merge point, or splits.

        At a branch the path goes on with one result; the other result is added to ``todo``.
        """
        unit = self.unit
        instructions, meets = unit.instructions, unit.is_merge_point
        is_first = True
        while True:
            if not is_first and meets[position]:
                self.add_arrival(position, state)
                return
            is_first = False
            self.steps_left -= 1
            op, d, a, b, c, e, handler, offset = instructions[position]
            if op == ir.CALL:
                self._propagate_exceptions(state, unit.calls[c], handler)
                states = self.run_call(position, state, unit.calls[c], d)
                if len(states) != 1:
                    for next_state in states:
                        self.add_arrival(position + 1, next_state)
                    return
                state = states[0]
                position += 1
            elif op == ir.DEREF:
                if not self.check_dereference(position, state, state.registers[a], b, c):
                    return
                position += 1
            elif op == ir.COPY:
                state.registers[d] = state.registers[a]
                position += 1
            elif op == ir.LOAD:
                nullable_state = self.load_field(position, state, d, a, b, unit.facts.texts[c])
                position += 1
                if nullable_state is not None:
                    self.add_arrival(position, state)
                    self.add_arrival(position, nullable_state)
                    return
            elif op == ir.JUMP:
                position = c
            elif op >= ir.IF_NULL:
                if op >= ir.RETURN:
                    if op == ir.RETURN:
                        self.add_return(state, a, offset)
                    elif op == ir.THROW:
                        self._run_throw(state, c, handler)
                    return
                if op == ir.IF_CAUGHT:
                    self._run_catch(state, a, c, e)
                    return
                is_taken = self.decide_branch(position, state, op, a, b)
                if is_taken is None:
                    other_state = state.copy()
                    self.learn_from_branch(position, state, op, a, b, True)
                    self.learn_from_branch(position, other_state, op, a, b, False)
                    if meets[e]:
                        self.add_arrival(e, other_state)
                    else:
                        todo.append((e, other_state))
                    position = c
                else:
                    if op == ir.IF_TRUE:
                        self.learn_from_question(state, state.registers[a], is_taken)
                    position = c if is_taken else e
            else:
                self.run_simple_instruction(position, state, op, d, a, b, c)
                position += 1

    def _propagate_exceptions(self, state: State, call: CallSite, handler: int) -> None:
        """Continue at the handler with the exceptions of a call, or add them to the summary."""
        effects = self.effects_of(call)
        types = effects.throws if effects is not None else library_models.find_thrown(call.label)
        if handler < 0:
            self.add_thrown(types)
        elif types is None or types:
            other = state.copy()
            other.facts[_THROWN] = self._encode_thrown(types)
            self.add_arrival(handler, other)

    def _encode_thrown(self, types: frozenset[str] | None) -> int:
        """Return a positive number for a set of classes that may have been thrown."""
        if types not in self.thrown_sets:
            self.thrown_sets.append(types)
        return 1 + self.thrown_sets.index(types)

    def _run_throw(self, state: State, text: int, handler: int) -> None:
        """Run a ``throw`` of a new object, or rethrow what was caught (``text`` is -1).

        ``text`` is the index of the class's name, ``handler`` -1 if no code catches the exception.
        """
        # Numbers of sets count from 1; 1 is the set None, any class.
        types = self.thrown_sets[state.facts.get(_THROWN, 1) - 1]
        if text >= 0:
            types = frozenset((self.unit.facts.texts[text],))
        if handler < 0:
            self.add_thrown(types)
            return
        state.facts[_THROWN] = self._encode_thrown(types)
        self.add_arrival(handler, state)

    def _run_catch(self, state: State, types_text: int, clause: int, following: int) -> None:
        """Continue in a catch clause, or at the next clause, or both.

        ``clause`` and ``following`` are positions; the text holds the caught classes between ``|``.
        """
        types = self.unit.facts.texts[types_text].split("|")
        thrown = self.thrown_sets[state.facts.get(_THROWN, 1) - 1]
        answers = (
            [None]
            if thrown is None
            else [catches_exception(types, class_name) for class_name in sorted(thrown)]
        )
        if any(answer is None or answer for answer in answers):
            other = state.copy()
            other.facts.pop(_THROWN, None)
            self.add_arrival(clause, other)
        if any(not answer for answer in answers):
            self.add_arrival(following, state)

    def run_simple_instruction(
        self, position: int, state: State, op: int, d: int, a: int, b: int, c: int
    ) -> None:
        """Run an instruction that only defines or moves values."""
        registers = state.registers
        if op == ir.TEXT:
            registers[d] = self.constant_value(c)
            return
        if op == ir.AWAY:
            for key in [key for key, element in state.heap.items() if state.fact_of(element) < 0]:
                del state.heap[key]
            return
        if op == ir.STEP:
            old_value = registers[a]
            if NUMBER <= old_value < TRUTH and not self.unit.in_loop[position]:
                registers[d] = old_value + c
            else:
                is_counter = ZERO <= old_value < TRUTH or ("counts", old_value) in state.facts
                value = self.define_value(position, state, d)
                state.facts[value] = NONNULL
                if is_counter and c > 0:
                    state.facts["counts", value] = TRUE
            return
        if op == ir.STORE:
            # Operand e: whether the field is static.
            shared = self.unit.instructions[position][5] == 1
            self.store_field(state, a, b, self.unit.facts.texts[c], shared)
            return
        if op == ir.SET_INDEX:
            base, value = registers[a], registers[c]
            if state.fact_of(value) == FRESH:
                state.facts[value] = NONNULL
            # Any known element may be the one that is set, and the mark "empty" no longer holds.
            for key in [key for key in state.heap if key[0] == base and len(key) == 2]:
                del state.heap[key]
            state.heap[base, registers[b]] = value
            if state.fact_of(base) == FRESH:
                state.facts[base] = NONNULL
            return
        value = position * EACH
        if op == ir.INDEX:
            base = registers[a]
            element = state.heap.get((base, registers[b]))
            if element is not None:
                registers[d] = element
                return
            has_null_elements = (
                state.heap.get((base, "empty")) is not None and state.fact_of(base) == FRESH
            )
            self.define_value(position, state, d)
            base = registers[a]
            key = (base, registers[b])
            if has_null_elements:
                state.facts[value] = self.unset_element_fact(position)
            elif base >= 0 and position in self.unit.correlated:
                state.heap[key] = value
            return
        if op == ir.CONST and a in (ir.TRUE, ir.FALSE):
            registers[d] = TRUTH if a == ir.TRUE else TRUTH + 1
            return
        self.define_value(position, state, d)
        if op == ir.CONST:
            if a == ir.NULL:
                state.facts[value] = self.null_literal_fact(position)
            elif a != ir.UNKNOWN:
                if a == ir.NONNULL:
                    registers[d] = SOLID if not self.unit.in_loop[position] else value
                state.facts[value] = _CONSTANTS[a]
        elif op == ir.ARRAY:
            state.facts[value] = FRESH
            if a and not self.unit.fills_arrays:
                state.heap[value, "empty"] = SOLID
        elif op == ir.EACH and a >= 0:
            keys = state.heap.get((registers[a], "keys"))
            if keys is not None:
                state.heap[value, "key of"] = keys


class UnitResult(NamedTuple):
    """Result of a method's analysis.

    ``sources`` names for each report the source of its null. ``tested_sources`` are those that the
    method tests for null, with path and line of their origin.
    """

    summary: Summary
    reports: list[Report]
    sources: list[str]
    tested_sources: set[tuple[str, str, int]]


def analyse_unit(
    unit: MethodUnit, find_effects: Callable[[CallSite], CallEffects | None]
) -> UnitResult:
    """Analyse a body; ``find_effects`` returns the effects of a call, None if they are unknown."""
    analysis = MethodAnalysis(unit, find_effects)
    summary = analysis.run_method()
    return UnitResult(summary, analysis.reports, analysis.sources, analysis.tested_sources)
