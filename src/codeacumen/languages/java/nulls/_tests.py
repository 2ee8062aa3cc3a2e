"""Conditions on what is known: which way is taken, and what is learnt on it."""

from __future__ import annotations

from functools import cache

from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._calls import Calls
from codeacumen.languages.java.nulls._sizes import ZERO
from codeacumen.languages.java.nulls._state import (
    BOUND,
    FALSE,
    LIMIT,
    NONNULL,
    NOTHING,
    NULL,
    NUMBER,
    PARAMETER,
    TEXT,
    THIS,
    TRUE,
    State,
)

_LONGEST = 12


class Tests(Calls):
    def ways_of(self, at: int, state: State, op: int, a: int, b: int) -> bool | None:
        """Which way a condition takes; None: both are possible."""
        if op == code.EITHER:
            return None if a < 0 else self.is_full(state, state.registers[a])
        value = state.registers[a]
        fact = state.fact(value)
        if op == code.IF_NULL:
            if fact < NULL:
                source = self.of(fact).source
                if source:
                    self.tested.add((source, self.unit.facts.path, self.of(fact).steps[0].line))
            return None if fact == NOTHING else fact < 0
        if op == code.IF_TRUE:
            return None if fact not in (TRUE, FALSE) else fact == TRUE
        if op == code.IF_KIND:
            if fact < 0:
                return False
            return state.answers.get((value, self._kind(b))) if b >= 0 else None
        other = state.registers[b]
        if op == code.IF_EQUAL:
            return self._equal(state, value, other, fact)
        if value >= NUMBER and other >= NUMBER:
            return value < other
        known = state.facts.get(("<", value, other))
        return self.below(state, value, other) if known is None else known == TRUE

    def _kind(self, text: int) -> str:
        return self.unit.facts.texts[text]

    def _equal(self, state: State, value: int, other: int, fact: int) -> bool | None:
        if value == other and value >= 0:
            return True
        second = state.fact(other)
        if fact < 0 and second < 0:
            return True
        if (fact < 0 and second > 0) or (fact > 0 and second < 0):
            return False
        if {fact, second} <= {TRUE, FALSE}:
            return fact == second
        constant = state.facts.get((value, "="), value) if value < TEXT else value
        if constant >= TEXT and other >= TEXT:
            if constant == other:
                return True
            if constant >= NUMBER and other >= NUMBER:
                return False
            kind = self._spelling(constant)
            return False if kind and kind == self._spelling(other) else None
        if self.differs(state, value, other):
            return False
        empty = self.is_no_size(state, value, other)
        if empty is not None:
            return empty
        known = state.facts.get(("==", value, other))
        return None if known is None else known == TRUE

    def _spelling(self, value: int) -> str:
        """The kind of a constant that differs from all of its kind that are spelt otherwise."""
        if value >= NUMBER:
            return ""
        text = self.unit.facts.texts[value - TEXT]
        return "name" if text.isidentifier() else text[:1] if text[:1] in "'\"" else ""

    def constant(self, text: int) -> int:
        spelt = self.unit.facts.texts[text]
        number = _number(spelt)
        return TEXT + text if number is None else NUMBER + LIMIT + number

    def learn(self, at: int, state: State, op: int, a: int, b: int, taken: bool) -> None:
        if op == code.EITHER:
            return
        value = state.registers[a]
        facts = state.facts
        if op == code.IF_NULL:
            if value >= 0 and not value >= TEXT:
                facts[value] = NULL if taken else NONNULL
                self._tested(state, value, taken)
        elif op == code.IF_TRUE:
            if value >= 0:
                facts[value] = TRUE if taken else FALSE
                self.asked(state, value, taken)
        elif op == code.IF_KIND:
            if taken and value >= 0 and state.fact(value) == NOTHING:
                facts[value] = NONNULL
            if b >= 0 and 0 <= value < TEXT:
                state.record_answer(value, self._kind(b), taken)
                if at in self.unit.correlated:
                    facts["is", value, self._kind(b)] = TRUE if taken else FALSE
        else:
            other = state.registers[b]
            if op == code.IF_EQUAL and taken:
                fact, second = state.fact(value), state.fact(other)
                if fact < 0 and second == NOTHING and other >= 0:
                    facts[other] = NULL
                elif second < 0 and fact == NOTHING and value >= 0:
                    facts[value] = NULL
            elif op == code.IF_EQUAL:
                self.not_root(state, value, other)
            self.compared(state, op == code.IF_LESS, value, other, taken)
            if op == code.IF_LESS:
                self._limits(state, value, other, taken)
            if value >= 0 and other >= 0:
                if op == code.IF_EQUAL and taken and other >= TEXT > value:
                    if at in self.unit.linked:
                        facts[value, "="] = other
                elif at in self.unit.correlated:
                    facts["==" if op == code.IF_EQUAL else "<", value, other] = (
                        TRUE if taken else FALSE
                    )

    def _tested(self, state: State, value: int, null: bool) -> None:
        """A field of the object was tested, which the method only reads."""
        for name in self.unit.tested:
            if state.heap.get((THIS, name)) == value:
                state.record_answer(THIS, name, null)
                return

    def _limits(self, state: State, value: int, other: int, taken: bool) -> None:
        """A number parameter was compared with what is no literal, or is below zero."""
        for one, limit in ((value, other), (other, value)):
            if self.is_parameter(one):
                if limit < TEXT:
                    self.limited.add(one - PARAMETER)
                    state.record_answer(one, BOUND, True)
                elif one == value and taken and limit == ZERO:
                    state.record_answer(one, BOUND, True)


@cache
def _number(text: str) -> int | None:
    """A small whole number, as Java writes it; None: something else."""
    digits = text.removeprefix("-").rstrip("lL").replace("_", "")
    if not digits[:1].isdigit() or not digits.isascii() or len(digits) > _LONGEST:
        return None
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    try:
        found = int(digits, 8 if octal else 0)
    except ValueError:
        return None
    return None if found >= LIMIT else -found if text[0] == "-" else found
