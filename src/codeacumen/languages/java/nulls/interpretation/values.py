"""Values in the null analysis: origins of nulls, contents of fields, dereferences and reports.

``ValueAnalysis`` is the base of a chain of classes, one file each: ``object_models``, ``outcomes``,
``calls``, ``conditions`` and last ``method``, whose ``MethodAnalysis`` analyses a body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.nulls.facts import RETURNS_MAYBE
from codeacumen.languages.java.nulls.interpretation.method_unit import MethodUnit
from codeacumen.languages.java.nulls.interpretation.state import (
    EACH,
    FALSE,
    FRESH,
    NONNULL,
    NOTHING,
    NULL,
    NUMBER,
    PARAMETER,
    PARAMETER_FACT,
    SOLID,
    TEXT,
    THIS,
    TRUE,
    TRUTH,
    Outcome,
    ParameterTest,
    ResultFact,
    State,
    union_names,
)
from codeacumen.languages.java.nulls.report import Report, Step
from codeacumen.languages.java.nulls.translation import instructions as ir

# Maximum numbers of facts about fields and of tests in one outcome.
_MOST_FIELDS, _MOST_TESTS = 8, 6
# Descriptions of the origins of nulls in fields that belong to a method's outcome.
_CLEARED = "set to null"
_LEFT = (_CLEARED, "not set", "left null")
# Beginning of the reason where the argument is the literal null.
LITERAL = "null is passed to"
# A set of more names of fields, or of exceptions, becomes None, which stands for any.
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


def _limit_names(names: frozenset[str] | None) -> frozenset[str] | None:
    """Return the names of fields, or None, which stands for any, if they are too many."""
    return None if names is None or len(names) > MOST_WRITES else names


class ValueAnalysis:
    """Values, origins of nulls and reports of one body; base of the analysis.

    In all methods, ``position`` is the index of an instruction, ``d`` its destination register, and
    ``a``, ``b``, ``c`` its operands (see ``instructions``); ``unit.instructions[position][7]`` is
    the instruction's byte offset in the source. A ``value`` is the number of a value, not a
    register. A ``row`` or ``expression`` is the row of an expression in the file's facts.

    A null whose origin is known has a fact below NULL. NULL itself, as a fact, means that a test
    found the value null; such a value is reported only by ``report_doubts``.
    """

    def __init__(self, unit: MethodUnit) -> None:
        self.unit = unit
        # The origin of the null with the fact -n has the index n - 1; the first is that of NULL.
        self.origins: list[Origin] = [Origin(False, (), "tested for null")]
        # Facts of the origins by key.
        self._codes: dict[object, int] = {}
        self.outcomes: dict[tuple[object, ...], Outcome] = {}
        self.reports: list[Report] = []
        self.writes: frozenset[str] | None = frozenset()
        self.own_writes: frozenset[str] | None = frozenset()
        self.changes: frozenset[str] | None = frozenset()
        # Parameters, counted from 1, that are compared with a variable limit.
        self.limited_parameters: set[int] = set()
        self.throws: frozenset[str] | None = frozenset()
        # Expressions that are dereferenced after a test found them null, with reason and steps; and
        # expressions that are dereferenced on some path on which they are not known to be null.
        self.doubtful_dereferences: dict[int, tuple[str, tuple[Step, ...]]] = {}
        self.safe_expressions: set[int] = set()
        # Sources of nulls that were tested, with path and line of the origin; below, the source of
        # each report (empty: none).
        self.tested_sources: set[tuple[str, str, int]] = set()
        self.sources: list[str] = []

    # ---- origins

    def line_at(self, offset: int) -> int:
        """Return the line of a byte offset, counted from 1."""
        return int(np.searchsorted(self.unit.facts.lines, offset, side="right")) + 1

    def make_step(self, offset: int, description: str) -> Step:
        """Return a step of a trace in the body itself."""
        return Step(0, self.unit.facts.path, self.line_at(offset), description)

    def add_origin(
        self,
        key: object,
        is_certain: bool,
        steps: tuple[Step, ...],
        description: str,
        source: str = "",
    ) -> int:
        """Return the fact that a value is null, which encodes the origin.

        The same ``key`` returns the fact of the first call; the other arguments are as in Origin.
        """
        fact = self._codes.get(key)
        if fact is None:
            self.origins.append(Origin(is_certain, steps, description, False, source))
            fact = self._codes[key] = -len(self.origins)
        return fact

    def origin_of(self, fact: int) -> Origin:
        return self.origins[-fact - 1]

    def null_literal_fact(self, position: int) -> int:
        """Return the fact of a null literal."""
        offset = self.unit.instructions[position][7]
        return self.add_origin(
            position, True, (self.make_step(offset, "null is assigned here"),), "set to null"
        )

    def unset_element_fact(self, position: int) -> int:
        """Return the fact of an element of a new array."""
        offset = self.unit.instructions[position][7]
        text = "an element of a new array is null until it is set"
        return self.add_origin(
            position, True, (self.make_step(offset, text),), "not set in a new array"
        )

    def unset_field_fact(self, name: str) -> int:
        """Return the fact of a field of a new object, at the beginning of a constructor."""
        text = f"field `{name}` is null until it is set"
        offset = self.unit.instructions[0][7]
        return self.add_origin(("unset", name), True, (self.make_step(offset, text),), "not set")

    def nullable_fact(self, key: object, offset: int, subject: str, source: str = "") -> int:
        """Return the fact of a value whose declaration has an annotation such as ``@Nullable``."""
        text = f"{subject} is declared nullable"
        steps = (self.make_step(offset, text),)
        fact = self.add_origin(key, True, steps, "declared nullable", source)
        self.origins[-fact - 1] = self.origins[-fact - 1]._replace(is_declared=True)
        return fact

    # ---- values

    def define_value(self, position: int, state: State, d: int) -> int:
        """Return the value that an instruction computes, and put it into its register ``d``."""
        value = position * EACH
        if value in state.earlier_values:
            state.renew_value(value)
        if d >= 0:
            state.registers[d] = value
        return value

    def mark_escaped(self, state: State, value: int) -> None:
        """Record that other code may change the object from now on."""
        if state.fact_of(value) == FRESH:
            state.facts[value] = NONNULL
            self.drop_null_fields(state, value)

    def drop_null_fields(self, state: State, base: int) -> None:
        """Forget the nulls in the fields of an object, because other code may have set them."""
        heap = state.heap
        for key in [
            key for key, held in heap.items() if key[0] == base and state.fact_of(held) < 0
        ]:
            del heap[key]

    def load_field(
        self, position: int, state: State, d: int, a: int, declared_kind: int, name: str
    ) -> State | None:
        """Load a field; return a second state if the field is declared nullable, else None.

        In the second state the field is null. ``a`` is the object's register (-1: a static field),
        ``declared_kind`` a kind of field declaration of ``instructions``.
        """
        base = state.registers[a] if a >= 0 else -1
        key = (base, name)
        field_value = state.heap.get(key)
        if field_value is not None:
            state.registers[d] = field_value
            return None
        value = self.define_value(position, state, d)
        if name == "length" and a >= 0 and self.unit.has_loops:
            state.heap[value, "size of"] = state.registers[a]
        # Computing a value again may renumber the object.
        base = state.registers[a] if a >= 0 else -1
        if (base >= 0 or a < 0) and name in self.unit.frequent_names:
            state.heap[base, name] = value
        if declared_kind in (ir.FILLED, ir.TABLE):
            state.facts[value] = NONNULL
            if declared_kind == ir.TABLE:
                state.heap[value, "table"] = SOLID
        elif (
            declared_kind == ir.NULLABLE
            and not state.is_merged
            and (base, "seen", name) not in state.heap
        ):
            state.heap[base, "seen", name] = SOLID
            nullable_state = state.copy()
            nullable_state.facts[value] = self.nullable_fact(
                position,
                self.unit.instructions[position][7],
                f"field `{name}`",
                f"{self.unit.facts.path} {name}",
            )
            state.facts[value] = NONNULL
            return nullable_state
        return None

    def store_field(self, state: State, a: int, b: int, name: str, is_static: bool) -> None:
        """Store register ``b`` into a field of ``a``, and record the write unless ``a`` is new."""
        base = state.registers[a] if a >= 0 else -1
        value = state.registers[b]
        heap = state.heap
        # The same field of another value may be this field, unless the other object is new.
        for key in [key for key in heap if len(key) == 2 and key[1] == name and key[0] != base]:
            if state.fact_of(int(str(key[0]))) != FRESH:
                del heap[key]
        if base >= 0 or a < 0:
            heap[base, name] = value
        if state.fact_of(value) == FRESH:
            state.facts[value] = NONNULL
        if state.fact_of(base) == FRESH:
            # No other code has seen the object.
            return
        fact = state.fact_of(value)
        is_cleared = fact < 0 and self.origin_of(fact).description == _CLEARED
        fills_cache = (
            name in self.unit.null_tested_fields and not is_cleared and (a < 0 or base == THIS)
        )
        names, no_names = frozenset((name,)), frozenset[str]()
        is_own = base == THIS and not is_static
        self.record_writes(
            no_names if is_own else names,
            names if is_own else no_names,
            no_names if fills_cache else names,
        )

    def record_writes(
        self,
        writes: frozenset[str] | None,
        own_writes: frozenset[str] | None,
        changes: frozenset[str] | None,
    ) -> None:
        """Add names of fields to what the method writes; None stands for any name."""
        self.writes = _limit_names(union_names(self.writes, writes))
        self.own_writes = _limit_names(union_names(self.own_writes, own_writes))
        self.changes = _limit_names(union_names(self.changes, changes))

    # ---- what must not be null

    def is_parameter(self, value: int) -> bool:
        """Return whether a value is that of a parameter; the object itself is none."""
        return PARAMETER < value <= PARAMETER + self.unit.parameter_count

    def parameter_needs(self, state: State) -> tuple[tuple[int, int], ...]:
        """Return the parameters with known facts, as pairs of parameter and fact.

        All nulls become NULL, because origins are numbered per body.
        """
        needs = []
        for parameter in range(1, self.unit.parameter_count + 1):
            fact = state.facts.get(PARAMETER + parameter, NOTHING)
            if fact:
                needs.append((parameter, max(fact, NULL) if fact < 0 else fact))
        return tuple(needs)

    def add_failure(self, state: State, parameter: int, steps: tuple[Step, ...]) -> None:
        """Add an outcome in which the method fails because a parameter is null."""
        needs = tuple(sorted({**dict(self.parameter_needs(state)), parameter: NULL}.items()))
        outcome = Outcome(parameter, needs, NOTHING, (), steps)
        self.outcomes.setdefault(outcome.key, outcome)

    def check_dereference(
        self, position: int, state: State, value: int, reason: int, expression: int
    ) -> bool:
        """Handle a dereference; return whether the path continues after it.

        ``reason`` is an index into ``ir.REASONS``, ``expression`` the row of the expression.
        """
        fact = state.fact_of(value)
        if fact >= 0:
            self.safe_expressions.add(expression)
        if fact > 0:
            return True
        offset = self.unit.instructions[position][7]
        if fact == NOTHING:
            if self.is_parameter(value):
                text, _, _, _ = self.describe_expression(expression)
                step = self.make_step(offset, f"`{text}` {ir.REASONS[reason]}")
                self.add_failure(state, value - PARAMETER, (step,))
            state.facts[value] = NONNULL
            return True
        self.handle_null(state, value, fact, expression, ir.REASONS[reason], ())
        return False

    def handle_null(
        self,
        state: State,
        value: int,
        fact: int,
        expression: int,
        reason: str,
        steps_below: tuple[Step, ...],
    ) -> None:
        """Handle a null where none may be: add a report, or a requirement on a parameter.

        ``steps_below`` are the steps in the called method that dereferences the value.
        """
        origin = self.origin_of(fact)
        text, token, offset, is_returned = self.describe_expression(expression)
        step = self.make_step(
            offset, reason if reason.startswith(LITERAL) else f"`{text}` {reason}"
        )
        if fact == NULL and not steps_below:
            self.doubtful_dereferences.setdefault(expression, (reason, (step,)))
        if origin.is_certain:
            # In a merged state, facts that exclude the null may be lost.
            if not state.is_merged:
                self.add_report(
                    origin, text, token, offset, is_returned, reason, (step, *steps_below)
                )
            return
        if self.is_parameter(value):
            self.add_failure(state, value - PARAMETER, (*origin.steps, step, *steps_below))
            return
        null_parameters = [parameter for parameter, need in self.parameter_needs(state) if need < 0]
        if null_parameters and fact != NULL:
            self.add_failure(state, null_parameters[0], (*origin.steps, step, *steps_below))

    def report_doubts(self) -> None:
        """Report dereferences of values that a test found null, where no other value arrives.

        Called once, after all paths have been followed.
        """
        # By offset, because code that is translated more than once, such as a finally block, has
        # several rows for one expression.
        safe_offsets = {
            self.describe_expression(expression)[2] for expression in self.safe_expressions
        }
        for expression, (reason, steps) in self.doubtful_dereferences.items():
            text, token, offset, is_returned = self.describe_expression(expression)
            if offset not in safe_offsets:
                test_steps = (self.make_step(offset, f"`{text}` is null here, by a test"),)
                origin = Origin(True, test_steps, "tested and found null")
                self.add_report(origin, text, token, offset, is_returned, reason, steps)

    def describe_expression(self, row: int) -> tuple[str, str, int, int]:
        """Return an expression's text, its token, the token's offset, and whether it is a call."""
        facts = self.unit.facts
        text, token, offset, is_returned = facts.expressions[row].tolist()
        return facts.texts[text], facts.texts[token], offset, is_returned

    def add_report(
        self,
        origin: Origin,
        text: str,
        token: str,
        offset: int,
        is_returned: int,
        failure: str,
        steps: tuple[Step, ...],
    ) -> None:
        """Add the report of a dereference, and the source of its null.

        ``text`` to ``is_returned`` are the results of ``describe_expression``; ``failure``
        says what fails.
        """
        unit = self.unit
        line = self.line_at(offset)
        is_returned = is_returned and not origin.is_passed_through
        subject = f"the value returned by `{text}`" if is_returned else f"`{text}`"
        source_line = origin.steps[0].line if origin.steps else line
        reason = "" if is_returned else f" ({origin.description} on line {source_line})"
        qualifier = f"{subject} could be null{reason} and {failure} on line {line}"
        if failure.startswith(LITERAL):
            qualifier = f"{failure} on line {line}"
        self.sources.append(origin.source)
        self.reports.append(
            Report(
                unit.facts.path,
                unit.method_index,
                unit.name,
                line,
                offset,
                token,
                text,
                qualifier,
                (*origin.steps, *steps),
            )
        )

    def add_thrown(self, types: frozenset[str] | None) -> None:
        """Add exceptions that leave the method; None stands for any."""
        if types is None or self.throws is None:
            self.throws = None
        else:
            self.throws |= types
            if len(self.throws) > MOST_THROWS:
                self.throws = None

    # ---- the end of a path

    def add_return(self, state: State, a: int, offset: int) -> None:
        """Add the outcome of a path that returns register ``a`` (-1: nothing)."""
        value = state.registers[a] if a >= 0 else -1
        result, steps = self._describe_result(state, value, offset) if a >= 0 else (NOTHING, ())
        outcome = Outcome(
            0,
            self.parameter_needs(state),
            result,
            self._collect_field_facts(state, value if result == FRESH else -1),
            steps,
            self._collect_tests(state, result == NULL) if result in (NULL, TRUE, FALSE) else (),
        )
        self.outcomes.setdefault(outcome.key, outcome)

    def _collect_tests(self, state: State, returns_null: bool) -> tuple[ParameterTest, ...]:
        """Return the tests of parameters on this path; for a null also tests of own fields."""
        if not state.answers:
            return ()
        tests = sorted(
            (value - PARAMETER, test, answer)
            for (value, test), answer in state.answers.items()
            if self.is_parameter(value) or (value == THIS and returns_null)
        )
        return tuple(tests[:_MOST_TESTS])

    def _describe_result(
        self, state: State, value: int, offset: int
    ) -> tuple[ResultFact, tuple[Step, ...]]:
        """Return what callers learn about a returned value, and the steps that explain a null."""
        if NUMBER <= value < TRUTH:
            return ("n", value), ()
        fact = state.fact_of(value)
        if fact < 0:
            origin = self.origin_of(fact)
            if not origin.is_certain and fact != NULL:
                return NOTHING, ()
            if origin.is_declared and not self.unit.flags & RETURNS_MAYBE:
                return NOTHING, ()
            if fact == NULL and not self.is_parameter(value):
                origin = Origin(
                    True,
                    (self.make_step(offset, "a value that a test found null is returned"),),
                    "",
                )
            return NULL, origin.steps or (self.make_step(offset, "null is returned"),)
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

    def _collect_field_facts(self, state: State, new_object: int) -> tuple[tuple[str, int], ...]:
        """Return facts about the object's fields for an outcome; null only if that is certain.

        ``new_object`` is a returned new object, whose fields count too (-1: none).
        """
        facts = []
        for key, held in state.heap.items():
            if key[0] == THIS and len(key) == 2 and type(key[1]) is str:
                fact = state.fact_of(held)
                if fact > 0:
                    facts.append((key[1], NONNULL))
                elif self.is_parameter(held):
                    facts.append((key[1], PARAMETER_FACT + held - PARAMETER))
                elif fact < 0 and self.origin_of(fact).description.startswith(_LEFT):
                    facts.append((key[1], NULL))
            elif len(key) == 3 and key[1] == "()" and state.fact_of(held) > 0:
                if key[0] == THIS:
                    facts.append((f"(){key[2]}", NONNULL))
                elif type(key[0]) is int and self.is_parameter(key[0]):
                    facts.append((f"({key[0] - PARAMETER}){key[2]}", NONNULL))
            elif new_object >= 0 and key[0] == new_object and len(key) == 2 and type(key[1]) is str:
                fact = state.fact_of(held)
                if fact:
                    facts.append((f".{key[1]}", NONNULL if fact > 0 else NULL))
        facts.sort()
        return tuple(facts[:_MOST_FIELDS])
