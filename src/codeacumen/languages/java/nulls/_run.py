"""One body, run on what is known instead of on values, along all its ways.

Ways are kept apart until they meet and know the same; where too many meet, some are merged and
what only one of them knew is forgotten. So a report always has a way behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

from codeacumen.languages.java.nulls import code, models
from codeacumen.languages.java.nulls._choices import Found
from codeacumen.languages.java.nulls._sizes import ZERO
from codeacumen.languages.java.nulls._state import (
    EACH,
    FALSE,
    FEW_WAYS,
    FRESH,
    NONNULL,
    NULL,
    NUMBER,
    PARAMETER,
    SOLID,
    THIS,
    TRUE,
    TRUTH,
    WAYS,
    State,
    Summary,
    common,
)
from codeacumen.languages.java.nulls._tests import Tests
from codeacumen.languages.java.nulls._unit import CallSite, Unit
from codeacumen.languages.java.nulls.facts import CONSTRUCTOR
from codeacumen.languages.java.nulls.models import ANY_RUNTIME, catches
from codeacumen.languages.java.nulls.report import Report

_CONSTANTS = {code.NONNULL: NONNULL, code.TRUE: TRUE, code.FALSE: FALSE}
# Work on one body: so many instructions for each that it has.
_BUDGET, _LEAST = 30, 2000
_MOST_FIELDS = 12
_THROWN = ("thrown",)


class Run(Tests):
    def __init__(self, unit: Unit, find: Callable[[CallSite], Found | None]) -> None:
        super().__init__(unit, find)
        self.waiting: dict[int, list[State]] = {}
        self.order: list[int] = []
        self.seen: dict[int, set[tuple[object, ...]]] = {}
        # Sets of classes that are thrown; the first is that of which nothing is known.
        self.thrown: list[frozenset[str] | None] = [None]
        self.ways = WAYS if self._has_source() else FEW_WAYS
        self.steps_left = _LEAST + _BUDGET * len(unit.instructions)

    def _has_source(self) -> bool:
        """Whether anything in the body can give a null."""
        unit = self.unit
        if unit.maybe or unit.flags & CONSTRUCTOR:
            return True
        for op, _, a, b, c, _, _, _ in unit.instructions:
            if op == code.CONST:
                if a == code.NULL:
                    return True
            elif op == code.LOAD:
                if b == code.NULLABLE:
                    return True
            elif op == code.ARRAY:
                if a:
                    return True
            elif op == code.CALL and self.may_give_null(unit.calls[c]):
                return True
        return False

    def run(self) -> Summary:
        for state in self._start():
            self.arrive(0, state)
        while self.order and self.steps_left > 0:
            place = heappop(self.order)
            for state in self._met(place, self.waiting.pop(place)):
                todo = [(place, state)]
                while todo and self.steps_left > 0:
                    at, one = todo.pop()
                    self._follow(at, one, todo)
        if self.steps_left > 0:
            self.settle()
        throws = self.throws
        if throws is None:
            # What has to be declared is declared.
            throws = self.unit.throws | {ANY_RUNTIME}
        return Summary(self._outcomes(), self.writes, throws, self.own, self.changes)

    def _start(self) -> list[State]:
        """What is known at the beginning; once more for each parameter that may be null."""
        unit = self.unit
        registers = [SOLID] * unit.registers
        facts: dict[object, int] = {THIS: NONNULL}
        heap: dict[tuple[object, ...], int] = {}
        registers[0] = THIS
        for place in range(1, unit.parameters + 1):
            registers[place] = PARAMETER + place
        if unit.flags & CONSTRUCTOR:
            names = unit.facts.classes.get(unit.owner, ())
            for number, name in enumerate(names[:_MOST_FIELDS]):
                text = unit.facts.texts[name]
                heap[THIS, text] = self.unset_value(number)
                facts[self.unset_value(number)] = self.unset(text)
        states = [State(registers, facts, heap, frozenset())]
        for place in range(1, unit.parameters + 1):
            if unit.maybe >> (place - 1) & 1:
                other = states[0].copy()
                offset = unit.instructions[0][7]
                key = ("parameter", place)
                other.facts[PARAMETER + place] = self.told(key, offset, "the parameter")
                states.append(other)
        return states

    def unset_value(self, number: int) -> int:
        return len(self.unit.instructions) * EACH + number

    def arrive(self, place: int, state: State) -> None:
        waiting = self.waiting.get(place)
        if waiting is None:
            self.waiting[place] = [state]
            heappush(self.order, place)
        else:
            waiting.append(state)

    def _met(self, place: int, states: list[State]) -> list[State]:
        """The ways that go on from a place and have not been gone."""
        if len(states) == 1 and not self.unit.looping[place] and place not in self.seen:
            self.seen[place] = set()
            return states
        live = self.unit.live(place)
        seen = self.seen.setdefault(place, set())
        if len(seen) > 4 * WAYS:
            return []
        found: list[State] = []
        here: dict[tuple[object, ...], State] = {}
        for state in states:
            key = state.tidied(live, self.unit)
            if key not in seen:
                seen.add(key)
                found.append(state)
                here[key] = state
            elif key in here:
                here[key].answers = common(here[key].answers, state.answers)
        ways = self.ways
        if len(found) <= ways:
            return found
        found.sort(key=self._worth)
        rest = found[ways - 1 :]
        merged = rest[0]
        for other in rest[1:]:
            merged = merged.merged(other)
        key = merged.tidied(live, self.unit)
        if key in seen:
            return found[: ways - 1]
        seen.add(key)
        return [*found[: ways - 1], merged]

    def _worth(self, state: State) -> int:
        """Ways on which something is null come first."""
        return -sum(1 for fact in state.facts.values() if fact < NULL)

    def _follow(self, at: int, state: State, todo: list[tuple[int, State]]) -> None:
        """Along a way until it ends, meets others, or parts."""
        unit = self.unit
        instructions, meets = unit.instructions, unit.meets
        first = True
        while True:
            if not first and meets[at]:
                self.arrive(at, state)
                return
            first = False
            self.steps_left -= 1
            op, d, a, b, c, e, handler, offset = instructions[at]
            if op == code.CALL:
                self._may_throw(state, unit.calls[c], handler)
                after = self.call(at, state, unit.calls[c], d)
                if len(after) != 1:
                    for one in after:
                        self.arrive(at + 1, one)
                    return
                state = after[0]
                at += 1
            elif op == code.DEREF:
                if not self.must_not_be_null(at, state, state.registers[a], b, c):
                    return
                at += 1
            elif op == code.COPY:
                state.registers[d] = state.registers[a]
                at += 1
            elif op == code.LOAD:
                second = self.load(at, state, d, a, b, unit.facts.texts[c])
                at += 1
                if second is not None:
                    self.arrive(at, state)
                    self.arrive(at, second)
                    return
            elif op == code.JUMP:
                at = c
            elif op >= code.IF_NULL:
                if op >= code.RETURN:
                    if op == code.RETURN:
                        self.returned(state, a, offset)
                    elif op == code.THROW:
                        self._thrown(state, c, handler)
                    return
                if op == code.IF_CAUGHT:
                    self._caught(state, a, c, e)
                    return
                ways = self.ways_of(at, state, op, a, b)
                if ways is None:
                    other = state.copy()
                    self.learn(at, state, op, a, b, True)
                    self.learn(at, other, op, a, b, False)
                    if meets[e]:
                        self.arrive(e, other)
                    else:
                        todo.append((e, other))
                    at = c
                else:
                    if op == code.IF_TRUE:
                        self.asked(state, state.registers[a], ways)
                    at = c if ways else e
            else:
                self.plain(at, state, op, d, a, b, c)
                at += 1

    def _may_throw(self, state: State, call: CallSite, handler: int) -> None:
        found = self.found_of(call)
        types = found.throws if found is not None else models.throws(call.label)
        if handler < 0:
            self.throw(types)
        elif types is None or types:
            other = state.copy()
            other.facts[_THROWN] = self._class(types)
            self.arrive(handler, other)

    def _class(self, types: frozenset[str] | None) -> int:
        """A number for a set of classes that may have been thrown."""
        if types not in self.thrown:
            self.thrown.append(types)
        return 1 + self.thrown.index(types)

    def _thrown(self, state: State, text: int, handler: int) -> None:
        types = self.thrown[state.facts.get(_THROWN, 1) - 1]
        if text >= 0:
            types = frozenset((self.unit.facts.texts[text],))
        if handler < 0:
            self.throw(types)
            return
        state.facts[_THROWN] = self._class(types)
        self.arrive(handler, state)

    def _caught(self, state: State, text: int, clause: int, following: int) -> None:
        """To a catch clause, or past it, or both."""
        types = self.unit.facts.texts[text].split("|")
        thrown = self.thrown[state.facts.get(_THROWN, 1) - 1]
        sure = [None] if thrown is None else [catches(types, one) for one in sorted(thrown)]
        if any(one is None or one for one in sure):
            other = state.copy()
            other.facts.pop(_THROWN, None)
            self.arrive(clause, other)
        if any(not one for one in sure):
            self.arrive(following, state)

    def plain(self, at: int, state: State, op: int, d: int, a: int, b: int, c: int) -> None:
        """Instructions that only make or move values."""
        registers = state.registers
        if op == code.TEXT:
            registers[d] = self.constant(c)
            return
        if op == code.AWAY:
            for key in [key for key, held in state.heap.items() if state.fact(held) < 0]:
                del state.heap[key]
            return
        if op == code.STEP:
            before = registers[a]
            if NUMBER <= before < TRUTH and not self.unit.looping[at]:
                registers[d] = before + c
            else:
                counts = ZERO <= before < TRUTH or ("counts", before) in state.facts
                value = self.make(at, state, d)
                state.facts[value] = NONNULL
                if counts and c > 0:
                    state.facts["counts", value] = TRUE
            return
        if op == code.STORE:
            shared = self.unit.instructions[at][5] == 1
            self.store(state, a, b, self.unit.facts.texts[c], shared)
            return
        if op == code.SET_INDEX:
            base, value = registers[a], registers[c]
            if state.fact(value) == FRESH:
                state.facts[value] = NONNULL
            for key in [key for key in state.heap if key[0] == base and len(key) == 2]:
                del state.heap[key]
            state.heap[base, registers[b]] = value
            if state.fact(base) == FRESH:
                state.facts[base] = NONNULL
            return
        value = at * EACH
        if op == code.INDEX:
            base = registers[a]
            held = state.heap.get((base, registers[b]))
            if held is not None:
                registers[d] = held
                return
            fresh = state.heap.get((base, "empty")) is not None and state.fact(base) == FRESH
            self.make(at, state, d)
            base = registers[a]
            key = (base, registers[b])
            if fresh:
                state.facts[value] = self.element(at)
            elif base >= 0 and at in self.unit.correlated:
                state.heap[key] = value
            return
        if op == code.CONST and a in (code.TRUE, code.FALSE):
            registers[d] = TRUTH if a == code.TRUE else TRUTH + 1
            return
        self.make(at, state, d)
        if op == code.CONST:
            if a == code.NULL:
                state.facts[value] = self.literal(at)
            elif a != code.UNKNOWN:
                if a == code.NONNULL:
                    registers[d] = SOLID if not self.unit.looping[at] else value
                state.facts[value] = _CONSTANTS[a]
        elif op == code.ARRAY:
            state.facts[value] = FRESH
            if a and not self.unit.fills:
                state.heap[value, "empty"] = SOLID
        elif op == code.EACH and a >= 0:
            keys = state.heap.get((registers[a], "keys"))
            if keys is not None:
                state.heap[value, "key of"] = keys


class Result(NamedTuple):
    """``sources`` names for each report whose null it is; ``tested`` which of these are tested
    for null, and where they were got."""

    summary: Summary
    reports: list[Report]
    sources: list[str]
    tested: set[tuple[str, str, int]]


def analyse_unit(unit: Unit, find: Callable[[CallSite], Found | None]) -> Result:
    run = Run(unit, find)
    summary = run.run()
    return Result(summary, run.reports, run.sources, run.tested)
