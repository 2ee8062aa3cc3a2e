"""Values in the null analysis: origins of nulls, contents of fields, dereferences and reports."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._state import (
    EACH,
    FALSE,
    FRESH,
    GIVEN,
    NONNULL,
    NOTHING,
    NULL,
    NUMBER,
    PARAMETER,
    SOLID,
    TEXT,
    THIS,
    TRUE,
    TRUTH,
    Asked,
    Given,
    Outcome,
    State,
    joined,
)
from codeacumen.languages.java.nulls._unit import Unit
from codeacumen.languages.java.nulls.facts import RETURNS_MAYBE
from codeacumen.languages.java.nulls.report import Report, Step

_MOST_FIELDS, _MOST_ASKED = 8, 6
# Origins of nulls in fields that belong to a method's outcome.
_CLEARED = "is set to null"
_LEFT = (_CLEARED, "is not set", "is left null")
# Beginning of the reason where the argument is the literal null.
LITERAL = "null is given to"
MOST_WRITES, MOST_THROWS = 40, 10


class Origin(NamedTuple):
    """Source of a null.

    A null that is only assumed, because the code tests for it or because a parameter would have
    to be null, is not ``is_certain`` and not reported. ``is_declared`` marks nulls that come from
    an annotation. ``source`` names the method or the field whose other uses decide whether the
    null is believed. ``is_passed_through``: a method returned the null that it was passed.
    """

    is_certain: bool
    steps: tuple[Step, ...]
    description: str
    is_declared: bool = False
    source: str = ""
    is_passed_through: bool = False


def _few(names: frozenset[str] | None) -> frozenset[str] | None:
    return None if names is None or len(names) > MOST_WRITES else names


class Values:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.origins: list[Origin] = [Origin(False, (), "is tested for null")]
        self._codes: dict[object, int] = {}
        self.found: dict[tuple[object, ...], Outcome] = {}
        self.reports: list[Report] = []
        self.writes: frozenset[str] | None = frozenset()
        self.own: frozenset[str] | None = frozenset()
        self.changes: frozenset[str] | None = frozenset()
        # Parameters that are compared with their limits.
        self.limited: set[int] = set()
        self.throws: frozenset[str] | None = frozenset()
        # Dereferences of values that a test found null, and dereferences that some value passes.
        self.doubts: dict[int, tuple[str, tuple[Step, ...]]] = {}
        self.fine: set[int] = set()
        # Sources of nulls that were tested, with path and line of the origin.
        self.tested: set[tuple[str, str, int]] = set()
        self.sources: list[str] = []

    # ---- origins

    def line(self, offset: int) -> int:
        return int(np.searchsorted(self.unit.facts.lines, offset, side="right")) + 1

    def step(self, offset: int, description: str) -> Step:
        return Step(0, self.unit.facts.path, self.line(offset), description)

    def origin(
        self, key: object, good: bool, steps: tuple[Step, ...], what: str, source: str = ""
    ) -> int:
        """Return the fact that a value is null, which encodes the origin."""
        found = self._codes.get(key)
        if found is None:
            self.origins.append(Origin(good, steps, what, False, source))
            found = self._codes[key] = -len(self.origins)
        return found

    def of(self, fact: int) -> Origin:
        return self.origins[-fact - 1]

    def literal(self, at: int) -> int:
        offset = self.unit.instructions[at][7]
        return self.origin(at, True, (self.step(offset, "null is given here"),), "is set to null")

    def element(self, at: int) -> int:
        offset = self.unit.instructions[at][7]
        text = "an element of a new array is null until it is set"
        return self.origin(at, True, (self.step(offset, text),), "is not set in a new array")

    def unset(self, name: str) -> int:
        text = f"field `{name}` is null until it is set"
        offset = self.unit.instructions[0][7]
        return self.origin(("unset", name), True, (self.step(offset, text),), "is not set")

    def told(self, key: object, offset: int, what: str, source: str = "") -> int:
        text = f"{what} is declared to be null at times"
        steps = (self.step(offset, text),)
        found = self.origin(key, True, steps, "is declared nullable", source)
        self.origins[-found - 1] = self.origins[-found - 1]._replace(is_declared=True)
        return found

    # ---- values

    def make(self, at: int, state: State, d: int) -> int:
        """Return the value that an instruction computes, and put it into its register."""
        value = at * EACH
        if value in state.earlier_values:
            state.renew(value)
        if d >= 0:
            state.registers[d] = value
        return value

    def escape(self, state: State, value: int) -> None:
        """Record that other code may change the object from now on."""
        if state.fact(value) == FRESH:
            state.facts[value] = NONNULL
            self.forget_nulls(state, value)

    def forget_nulls(self, state: State, base: int) -> None:
        heap = state.heap
        for key in [key for key, held in heap.items() if key[0] == base and state.fact(held) < 0]:
            del heap[key]

    def load(self, at: int, state: State, d: int, a: int, told: int, name: str) -> State | None:
        """Load a field; return a second state if the field is declared nullable, else None."""
        base = state.registers[a] if a >= 0 else -1
        key = (base, name)
        held = state.heap.get(key)
        if held is not None:
            state.registers[d] = held
            return None
        value = self.make(at, state, d)
        if name == "length" and a >= 0 and self.unit.loops:
            state.heap[value, "size of"] = state.registers[a]
        # Computing a value again may renumber the object.
        base = state.registers[a] if a >= 0 else -1
        if (base >= 0 or a < 0) and name in self.unit.often:
            state.heap[base, name] = value
        if told in (code.FILLED, code.TABLE):
            state.facts[value] = NONNULL
            if told == code.TABLE:
                state.heap[value, "table"] = SOLID
        elif (
            told == code.NULLABLE and not state.is_merged and (base, "seen", name) not in state.heap
        ):
            state.heap[base, "seen", name] = SOLID
            other = state.copy()
            other.facts[value] = self.told(
                at,
                self.unit.instructions[at][7],
                f"field `{name}`",
                f"{self.unit.facts.path} {name}",
            )
            state.facts[value] = NONNULL
            return other
        return None

    def store(self, state: State, a: int, b: int, name: str, shared: bool) -> None:
        base = state.registers[a] if a >= 0 else -1
        value = state.registers[b]
        heap = state.heap
        for key in [key for key in heap if len(key) == 2 and key[1] == name and key[0] != base]:
            if state.fact(int(str(key[0]))) != FRESH:
                del heap[key]
        if base >= 0 or a < 0:
            heap[base, name] = value
        if state.fact(value) == FRESH:
            state.facts[value] = NONNULL
        if state.fact(base) == FRESH:
            # No other code has seen the object.
            return
        fact = state.fact(value)
        cleared = fact < 0 and self.of(fact).description == _CLEARED
        filled = name in self.unit.lacking and not cleared and (a < 0 or base == THIS)
        names, none = frozenset((name,)), frozenset[str]()
        own = base == THIS and not shared
        self.wrote(none if own else names, names if own else none, none if filled else names)

    def wrote(
        self,
        writes: frozenset[str] | None,
        own: frozenset[str] | None,
        changes: frozenset[str] | None,
    ) -> None:
        self.writes = _few(joined(self.writes, writes))
        self.own = _few(joined(self.own, own))
        self.changes = _few(joined(self.changes, changes))

    # ---- what must not be null

    def is_parameter(self, value: int) -> bool:
        return PARAMETER < value <= PARAMETER + self.unit.parameters

    def needs(self, state: State) -> tuple[tuple[int, int], ...]:
        """Return the parameters with known facts, as pairs of parameter and fact."""
        found = []
        for place in range(1, self.unit.parameters + 1):
            fact = state.facts.get(PARAMETER + place, NOTHING)
            if fact:
                found.append((place, max(fact, NULL) if fact < 0 else fact))
        return tuple(found)

    def fail(self, state: State, parameter: int, steps: tuple[Step, ...]) -> None:
        """Add an outcome in which the method fails because a parameter is null."""
        needs = tuple(sorted({**dict(self.needs(state)), parameter: NULL}.items()))
        one = Outcome(parameter, needs, NOTHING, (), steps)
        self.found.setdefault(one.key, one)

    def must_not_be_null(self, at: int, state: State, value: int, why: int, told: int) -> bool:
        """Handle a dereference; return whether the path continues after it."""
        fact = state.fact(value)
        if fact >= 0:
            self.fine.add(told)
        if fact > 0:
            return True
        offset = self.unit.instructions[at][7]
        if fact == NOTHING:
            if self.is_parameter(value):
                text, _, _, _ = self.expression(told)
                step = self.step(offset, f"`{text}` {code.WHY[why]}")
                self.fail(state, value - PARAMETER, (step,))
            state.facts[value] = NONNULL
            return True
        self.wrong(state, value, fact, told, code.WHY[why], ())
        return False

    def wrong(
        self, state: State, value: int, fact: int, told: int, why: str, below: tuple[Step, ...]
    ) -> None:
        """Handle a null where none may be: add a report, or a requirement on a parameter."""
        origin = self.of(fact)
        text, token, offset, returned = self.expression(told)
        step = self.step(offset, why if why.startswith(LITERAL) else f"`{text}` {why}")
        if fact == NULL and not below:
            self.doubts.setdefault(told, (why, (step,)))
        if origin.is_certain:
            # In a merged state, facts that exclude the null may be lost.
            if not state.is_merged:
                self.report(origin, text, token, offset, returned, why, (step, *below))
            return
        if self.is_parameter(value):
            self.fail(state, value - PARAMETER, (*origin.steps, step, *below))
            return
        null = [place for place, need in self.needs(state) if need < 0]
        if null and fact != NULL:
            self.fail(state, null[0], (*origin.steps, step, *below))

    def settle(self) -> None:
        """Report dereferences of values that a test found null, where no other value arrives."""
        fine = {self.expression(told)[2] for told in self.fine}
        for told, (why, steps) in self.doubts.items():
            text, token, offset, returned = self.expression(told)
            if offset not in fine:
                tested = (self.step(offset, f"`{text}` was tested, and is null here"),)
                origin = Origin(True, tested, "was tested and found null")
                self.report(origin, text, token, offset, returned, why, steps)

    def expression(self, row: int) -> tuple[str, str, int, int]:
        facts = self.unit.facts
        text, token, offset, returned = facts.expressions[row].tolist()
        return facts.texts[text], facts.texts[token], offset, returned

    def report(
        self,
        origin: Origin,
        text: str,
        token: str,
        offset: int,
        returned: int,
        why: str,
        steps: tuple[Step, ...],
    ) -> None:
        unit = self.unit
        line = self.line(offset)
        returned = returned and not origin.is_passed_through
        what = f"the value returned by `{text}`" if returned else f"`{text}`"
        source = origin.steps[0].line if origin.steps else line
        reason = "" if returned else f" ({origin.description} on line {source})"
        qualifier = f"{what} could be null{reason} and {why} on line {line}"
        if why.startswith(LITERAL):
            qualifier = f"{why} on line {line}"
        self.sources.append(origin.source)
        self.reports.append(
            Report(
                unit.facts.path,
                unit.place,
                unit.name,
                line,
                offset,
                token,
                text,
                qualifier,
                (*origin.steps, *steps),
            )
        )

    def throw(self, types: frozenset[str] | None) -> None:
        """Add exceptions that leave the method."""
        if types is None or self.throws is None:
            self.throws = None
        else:
            self.throws |= types
            if len(self.throws) > MOST_THROWS:
                self.throws = None

    # ---- the end of a way

    def returned(self, state: State, a: int, offset: int) -> None:
        value = state.registers[a] if a >= 0 else -1
        gives, steps = self._given(state, value, offset) if a >= 0 else (NOTHING, ())
        one = Outcome(
            0,
            self.needs(state),
            gives,
            self._fields(state, value if gives == FRESH else -1),
            steps,
            self._asked(state, gives == NULL) if gives in (NULL, TRUE, FALSE) else (),
        )
        self.found.setdefault(one.key, one)

    def _asked(self, state: State, null: bool) -> tuple[Asked, ...]:
        """Return the tests of parameters on this path."""
        if not state.answers:
            return ()
        found = sorted(
            (value - PARAMETER, what, answer)
            for (value, what), answer in state.answers.items()
            if self.is_parameter(value) or (value == THIS and null)
        )
        return tuple(found[:_MOST_ASKED])

    def _given(self, state: State, value: int, offset: int) -> tuple[Given, tuple[Step, ...]]:
        if NUMBER <= value < TRUTH:
            return ("n", value), ()
        fact = state.fact(value)
        if fact < 0:
            origin = self.of(fact)
            if not origin.is_certain and fact != NULL:
                return NOTHING, ()
            if origin.is_declared and not self.unit.flags & RETURNS_MAYBE:
                return NOTHING, ()
            if fact == NULL and not self.is_parameter(value):
                origin = Origin(True, (self.step(offset, "what was found null is returned"),), "")
            return NULL, origin.steps or (self.step(offset, "null is returned"),)
        if self.is_parameter(value):
            return ("p", value - PARAMETER), ()
        if fact:
            return fact, ()
        if value >= TEXT:
            return NONNULL, ()
        for key, held in state.heap.items():
            if held == value and key[0] == THIS and len(key) == 2 and type(key[1]) is str:
                return ("f", key[1]), ()
        return NOTHING, ()

    def _fields(self, state: State, made: int) -> tuple[tuple[str, int], ...]:
        """Return facts about the object's fields for an outcome; null only if that is certain."""
        found = []
        for key, held in state.heap.items():
            if key[0] == THIS and len(key) == 2 and type(key[1]) is str:
                fact = state.fact(held)
                if fact > 0:
                    found.append((key[1], NONNULL))
                elif self.is_parameter(held):
                    found.append((key[1], GIVEN + held - PARAMETER))
                elif fact < 0 and self.of(fact).description.startswith(_LEFT):
                    found.append((key[1], NULL))
            elif len(key) == 3 and key[1] == "()" and state.fact(held) > 0:
                if key[0] == THIS:
                    found.append((f"(){key[2]}", NONNULL))
                elif type(key[0]) is int and self.is_parameter(key[0]):
                    found.append((f"({key[0] - PARAMETER}){key[2]}", NONNULL))
            elif made >= 0 and key[0] == made and len(key) == 2 and type(key[1]) is str:
                fact = state.fact(held)
                if fact:
                    found.append((f".{key[1]}", NONNULL if fact > 0 else NULL))
        found.sort()
        return tuple(found[:_MOST_FIELDS])
