"""Conditions in the analysis: which branch is possible, and the facts that hold in it.

Part of the chain of classes that ``values`` describes. ``method`` calls it at each branch.
"""

from __future__ import annotations

from functools import cache

from codeacumen.languages.java.nulls.interpretation.calls import CallAnalysis
from codeacumen.languages.java.nulls.interpretation.object_models import ZERO
from codeacumen.languages.java.nulls.interpretation.state import (
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
from codeacumen.languages.java.nulls.translation import instructions as ir

# Maximum number of characters of a whole number; longer literals stay texts.
_LONGEST = 12


class ConditionAnalysis(CallAnalysis):
    """Decide conditions from the facts of a state, and add the facts that a branch implies."""

    def decide_branch(self, position: int, state: State, op: int, a: int, b: int) -> bool | None:
        """Return the result of a condition; None if both results are possible.

        ``op`` is a branch of ``instructions``, from IF_NULL to EITHER; ``a`` and ``b`` are its
        operands.
        """
        if op == ir.EITHER:
            return None if a < 0 else self.is_full(state, state.registers[a])
        value = state.registers[a]
        fact = state.fact_of(value)
        if op == ir.IF_NULL:
            if fact < NULL:
                source = self.origin_of(fact).source
                if source:
                    self.tested_sources.add(
                        (source, self.unit.facts.path, self.origin_of(fact).steps[0].line)
                    )
            return None if fact == NOTHING else fact < 0
        if op == ir.IF_TRUE:
            return None if fact not in (TRUE, FALSE) else fact == TRUE
        if op == ir.IF_KIND:
            if fact < 0:
                return False
            return state.answers.get((value, self._class_text(b))) if b >= 0 else None
        other = state.registers[b]
        if op == ir.IF_EQUAL:
            return self._are_equal(state, value, other, fact)
        if value >= NUMBER and other >= NUMBER:
            return value < other
        known_fact = state.facts.get(("<", value, other))
        return self.is_below(state, value, other) if known_fact is None else known_fact == TRUE

    def _class_text(self, text: int) -> str:
        """Return the class that IF_KIND tests for."""
        return self.unit.facts.texts[text]

    def _are_equal(self, state: State, value: int, other: int, fact: int) -> bool | None:
        """Return whether two values are equal; None if unknown. ``fact`` is that of ``value``."""
        if value == other and value >= 0:
            return True
        second = state.fact_of(other)
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
            constant_kind = self._constant_kind(constant)
            return False if constant_kind and constant_kind == self._constant_kind(other) else None
        if self.differ_in_sign(state, value, other):
            return False
        is_zero = self.is_zero_size(state, value, other)
        if is_zero is not None:
            return is_zero
        known_fact = state.facts.get(("==", value, other))
        return None if known_fact is None else known_fact == TRUE

    def _constant_kind(self, value: int) -> str:
        """Return the kind of a constant: a name, a string or a character.

        Constants of one kind with different texts are different. Empty for other constants, of
        which different texts may denote the same value.
        """
        if value >= NUMBER:
            return ""
        text = self.unit.facts.texts[value - TEXT]
        return "name" if text.isidentifier() else text[:1] if text[:1] in "'\"" else ""

    def constant_value(self, text: int) -> int:
        """Return the value of a constant: small whole numbers by value, others by text.

        ``text`` is the index of the constant's text in the file's texts.
        """
        spelling = self.unit.facts.texts[text]
        number = _parse_whole_number(spelling)
        return TEXT + text if number is None else NUMBER + LIMIT + number

    def learn_from_branch(
        self, position: int, state: State, op: int, a: int, b: int, is_true: bool
    ) -> None:
        """Add the facts that hold after a condition was true or false.

        Comparisons are remembered only at the positions in ``unit.linked`` and ``unit.correlated``.
        """
        if op == ir.EITHER:
            return
        value = state.registers[a]
        facts = state.facts
        if op == ir.IF_NULL:
            if value >= 0 and not value >= TEXT:
                facts[value] = NULL if is_true else NONNULL
                self._record_field_test(state, value, is_true)
        elif op == ir.IF_TRUE:
            if value >= 0:
                facts[value] = TRUE if is_true else FALSE
                self.learn_from_question(state, value, is_true)
        elif op == ir.IF_KIND:
            if is_true and value >= 0 and state.fact_of(value) == NOTHING:
                facts[value] = NONNULL
            if b >= 0 and 0 <= value < TEXT:
                state.record_answer(value, self._class_text(b), is_true)
                if position in self.unit.correlated:
                    facts["is", value, self._class_text(b)] = TRUE if is_true else FALSE
        else:
            other = state.registers[b]
            if op == ir.IF_EQUAL and is_true:
                fact, second = state.fact_of(value), state.fact_of(other)
                if fact < 0 and second == NOTHING and other >= 0:
                    facts[other] = NULL
                elif second < 0 and fact == NOTHING and value >= 0:
                    facts[value] = NULL
            elif op == ir.IF_EQUAL:
                self.record_not_root(state, value, other)
            self.record_size_comparison(state, op == ir.IF_LESS, value, other, is_true)
            if op == ir.IF_LESS:
                self._record_limits(state, value, other, is_true)
            if value >= 0 and other >= 0:
                if op == ir.IF_EQUAL and is_true and other >= TEXT > value:
                    if position in self.unit.linked:
                        facts[value, "="] = other
                elif position in self.unit.correlated:
                    facts["==" if op == ir.IF_EQUAL else "<", value, other] = (
                        TRUE if is_true else FALSE
                    )

    def _record_field_test(self, state: State, value: int, is_null: bool) -> None:
        """Record the null test of a field of the object that the method does not write.

        ``value`` is the tested value; nothing is recorded if no such field holds it.
        """
        for name in self.unit.only_tested_fields:
            if state.heap.get((THIS, name)) == value:
                state.record_answer(THIS, name, is_null)
                return

    def _record_limits(self, state: State, value: int, other: int, is_true: bool) -> None:
        """Record that a parameter was compared with a variable limit, or is below zero."""
        for compared, limit in ((value, other), (other, value)):
            if self.is_parameter(compared):
                if limit < TEXT:
                    self.limited_parameters.add(compared - PARAMETER)
                    state.record_answer(compared, BOUND, True)
                elif compared == value and is_true and limit == ZERO:
                    state.record_answer(compared, BOUND, True)


@cache
def _parse_whole_number(text: str) -> int | None:
    """Return the value of an integer literal of Java below LIMIT; None for other texts."""
    digits = text.removeprefix("-").rstrip("lL").replace("_", "")
    if not digits[:1].isdigit() or not digits.isascii() or len(digits) > _LONGEST:
        return None
    is_octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    try:
        number = int(digits, 8 if is_octal else 0)
    except ValueError:
        return None
    return None if number >= LIMIT else -number if text[0] == "-" else number
