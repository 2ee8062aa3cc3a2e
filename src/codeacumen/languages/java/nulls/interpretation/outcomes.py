"""Selection of the outcomes of a call that are possible in the caller's state.

Part of the chain of classes that ``values`` describes. ``state.Outcome`` explains outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from codeacumen.languages.java.nulls import library_models
from codeacumen.languages.java.nulls.facts import CONSTRUCTOR
from codeacumen.languages.java.nulls.interpretation.method_unit import CallSite, MethodUnit
from codeacumen.languages.java.nulls.interpretation.object_models import ClassModel
from codeacumen.languages.java.nulls.interpretation.state import (
    BOUND,
    FALSE,
    FRESH,
    NONNULL,
    NOTHING,
    NULL,
    PARAMETER,
    TEXT,
    THIS,
    TRUE,
    Outcome,
    ParameterTest,
    State,
)
from codeacumen.languages.java.nulls.translation.invocations import CREATES

# A call with more different results of the kinds "n", "p" and "f" is not split by whole numbers.
_MOST_NUMBERS = 3


class CallEffects(NamedTuple):
    """Effects of the methods that a call may run.

    ``writes`` names the fields that may change (None: any), ``throws`` the exceptions that may be
    thrown (None: any). ``is_external``: the methods do not belong to the project and do not touch
    its fields. ``own_writes`` and ``changes`` are as in a summary.
    """

    outcomes: tuple[Outcome, ...]
    writes: frozenset[str] | None
    is_external: bool
    throws: frozenset[str] | None = None
    own_writes: frozenset[str] | None = frozenset()
    changes: frozenset[str] | None = frozenset()


class OutcomeSelection(ClassModel):
    """Select the outcomes of a call that agree with the caller's facts, and merge equal ones.

    ``find_effects`` returns the effects of a call, None if they are unknown.
    """

    def __init__(
        self, unit: MethodUnit, find_effects: Callable[[CallSite], CallEffects | None]
    ) -> None:
        super().__init__(unit)
        self.find_effects = find_effects
        # By the identity of the call; in a tuple, because None is a result too.
        self._effects_by_call: dict[int, tuple[CallEffects | None]] = {}
        self._observed_names: frozenset[str] | None = None

    def effects_of(self, call: CallSite) -> CallEffects | None:
        """Return the effects of the methods that a call may run; None if they are unknown."""
        cached = self._effects_by_call.get(id(call))
        if cached is None:
            cached = self._effects_by_call[id(call)] = (self.find_effects(call),)
        return cached[0]

    def may_return_null(self, call: CallSite) -> bool:
        """Return whether a call may return null or leave a field null."""
        plain_label = library_models.strip_parameters(call.label)
        if library_models.find_map_method(call.label, plain_label):
            return True
        effects = self.effects_of(call)
        return effects is not None and any(
            not outcome.failing_parameter
            and (outcome.result == NULL or any(fact < 0 for _, fact in outcome.fields))
            for outcome in effects.outcomes
        )

    def is_guarded(self, state: State, call: CallSite, receiver: int) -> bool:
        """Return whether a test such as ``hasNext`` allows to assume a result that is not null.

        ``receiver`` is the value of the call's object.
        """
        if receiver != THIS or (THIS, "guard") in state.heap:
            return (receiver, "guard") in state.heap
        name = call.label.partition("(")[0].rpartition(".")[2].lower()
        return any(
            key[0] == THIS and len(key) == 3 and key[1] == "guard" and str(key[2]) in name
            for key in state.heap
        )

    def returns_known_field(
        self, state: State, outcomes: tuple[Outcome, ...], receiver: int
    ) -> bool:
        """Return whether some outcome returns a receiver's field that is known not to be null."""
        for outcome in outcomes:
            if isinstance(outcome.result, tuple) and outcome.result[0] == "f":
                field_value = state.heap.get((receiver, outcome.result[1]))
                if field_value is not None and state.fact_of(field_value) > 0:
                    return True
        return False

    def is_possible(
        self, state: State, outcome: Outcome, receiver: int, argument_values: list[int]
    ) -> bool:
        """Return whether an outcome agrees with the facts about the arguments."""
        for parameter, need in outcome.needs:
            if parameter > len(argument_values):
                continue
            fact = state.fact_of(argument_values[parameter - 1])
            if fact == NOTHING:
                continue
            if need < 0:
                if fact > 0:
                    return False
            elif fact < 0 or (need in (TRUE, FALSE) and fact in (TRUE, FALSE) and need != fact):
                return False
        return not outcome.parameter_tests or self._tests_agree(
            state, outcome.parameter_tests, receiver, argument_values
        )

    def _tests_agree(
        self,
        state: State,
        tests: tuple[ParameterTest, ...],
        receiver: int,
        argument_values: list[int],
    ) -> bool:
        """Return whether an outcome's tests of parameters agree with the facts in the state."""
        for parameter, test, answer in tests:
            if parameter == 0:
                field_value = state.heap.get((receiver, test))
                fact = NOTHING if field_value is None else state.fact_of(field_value)
                if fact and answer != (fact < 0):
                    return False
                continue
            if parameter > len(argument_values) or test == BOUND:
                continue
            value = argument_values[parameter - 1]
            known_answer = state.answers.get((value, test))
            if (known_answer is not None and known_answer != answer) or (
                answer and state.fact_of(value) < 0
            ):
                return False
        return True

    def drop_out_of_bounds_nulls(
        self, outcomes: tuple[Outcome, ...], call: CallSite
    ) -> tuple[Outcome, ...]:
        """Replace results that are null only out of bounds by unknown ones.

        The analysis assumes that a caller keeps within the bounds. Only a null for an argument that
        is no reported expression, such as a literal, remains.
        """
        if not any(outcome.parameter_tests for outcome in outcomes):
            return outcomes
        return tuple(
            outcome._replace(result=NOTHING, parameter_tests=())
            if outcome.result == NULL
            and any(
                test == BOUND
                and 0 < parameter <= len(call.argument_expressions)
                and call.argument_expressions[parameter - 1] >= 0
                for parameter, test, _ in outcome.parameter_tests
            )
            else outcome
            for outcome in outcomes
        )

    def distinguish_outcomes(
        self,
        position: int,
        state: State,
        call: CallSite,
        normal: list[Outcome],
        argument_values: list[int],
        is_used: bool,
    ) -> list[Outcome]:
        """Return the outcomes that differ in what the caller can observe, one path for each.

        ``normal`` holds the returning outcomes; ``is_used`` is false if no code reads the result.
        """
        if len(normal) == 1 and not normal[0].fields and not normal[0].parameter_tests:
            return normal
        may_be_anything = any(outcome.result == NOTHING for outcome in normal)
        numbers = {outcome.result for outcome in normal if isinstance(outcome.result, tuple)}
        has_many_numbers = len(numbers) > _MOST_NUMBERS
        live_values = {
            state.registers[register] for register in self.unit.live_registers(position + 1)
        }
        names = self.collect_observed_names()
        distinct: dict[tuple[object, ...], Outcome] = {}
        for outcome in normal:
            result = outcome.result if is_used or call.flags & CREATES else NOTHING
            if isinstance(result, tuple):
                if result[0] == "n" and has_many_numbers:
                    result = NOTHING
            elif (result == NONNULL and may_be_anything) or (
                result == FRESH and not call.flags & CREATES and not _describes_new_object(outcome)
            ):
                result = NOTHING if may_be_anything else NONNULL
            needs = outcome.needs
            if result != NULL:
                needs = tuple(
                    (parameter, need)
                    for parameter, need in needs
                    if parameter <= len(argument_values)
                    and self._is_worth_recording(state, argument_values[parameter - 1], live_values)
                )
            fields = outcome.fields
            # A short body may return the new object, and its caller may read the fields.
            if not (self.unit.is_short and call.flags & CREATES):
                fields = tuple(entry for entry in fields if _observed_name(entry[0]) in names)
            tests = outcome.parameter_tests
            if tests and result != NULL:
                tests = tuple(
                    entry
                    for entry in tests
                    if is_used
                    and 0 < entry[0] <= len(argument_values)
                    and argument_values[entry[0] - 1] in live_values
                )
            reduced = outcome._replace(
                result=result, needs=needs, fields=fields, parameter_tests=tests
            )
            distinct.setdefault(reduced.key, reduced)
        return list(distinct.values())

    def _is_worth_recording(self, state: State, value: int, live_values: set[int]) -> bool:
        """Return whether new facts about a value are worth recording.

        That is so if nothing is known of it yet, and a parameter, register or field holds it.
        """
        if value < 0 or value >= TEXT or state.fact_of(value) != NOTHING:
            return False
        return value >= PARAMETER or value in live_values or value in state.heap.values()

    def collect_observed_names(self) -> frozenset[str]:
        """Return the names of the fields that the body reads, and ``()label`` for each call.

        Fields read through methods that only return them count too.
        """
        if self._observed_names is None:
            observed = set(self.unit.loaded_fields)
            if self.unit.flags & CONSTRUCTOR:
                observed.update(self.unit.fields)
            for call in self.unit.calls.values():
                observed.add(f"(){call.label}")
                effects = self.effects_of(call)
                for outcome in effects.outcomes if effects is not None else ():
                    if isinstance(outcome.result, tuple) and outcome.result[0] == "f":
                        observed.add(str(outcome.result[1]))
            self._observed_names = frozenset(observed)
        return self._observed_names


def _observed_name(name: str) -> str:
    """Return the name under which a body reads a field or call of an outcome, for any owner."""
    return f"(){name.partition(')')[2]}" if name[0] == "(" else name.lstrip(".")


def _describes_new_object(outcome: Outcome) -> bool:
    """Return whether an outcome has facts about a new object that is returned."""
    return any(name[0] == "." for name, _ in outcome.fields)
