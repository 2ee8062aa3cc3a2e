"""Analysis of calls: of methods whose outcomes are known, and of all others.

Part of the chain of classes that ``values`` describes. ``method`` calls ``run_call``.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls import library_models
from codeacumen.languages.java.nulls.facts import BODILESS, RETURNS_MAYBE, RETURNS_NEVER
from codeacumen.languages.java.nulls.interpretation.method_unit import CallSite
from codeacumen.languages.java.nulls.interpretation.object_models import (
    CLASS_GETTERS,
    concerns_emptiness,
)
from codeacumen.languages.java.nulls.interpretation.outcomes import CallEffects, OutcomeSelection
from codeacumen.languages.java.nulls.interpretation.state import (
    BOUND,
    EACH,
    FRESH,
    NONNULL,
    NOTHING,
    NULL,
    PARAMETER,
    PARAMETER_FACT,
    SOLID,
    TEXT,
    THIS,
    Outcome,
    State,
    limit_outcomes,
    return_outcome,
    union_names,
)
from codeacumen.languages.java.nulls.interpretation.values import LITERAL
from codeacumen.languages.java.nulls.report import Step
from codeacumen.languages.java.nulls.translation.invocations import CONSTRUCTS, CREATES


class CallAnalysis(OutcomeSelection):
    """Update the state for a call: results, failures, and the fields that the call may change."""

    def run_call(self, position: int, state: State, call: CallSite, d: int) -> list[State]:
        """Return the states after a call, one for each outcome that is possible.

        ``position`` is the index of the instruction and ``d`` the register of the result. First the
        outcomes or the map's method are applied; then marks of the heap (see ``state.Heap``) record
        what the name of the method reveals about sizes, classes, keys and questions.
        """
        plain_label = library_models.strip_parameters(call.label)
        registers = state.registers
        receiver = registers[call.receiver] if call.receiver >= 0 else -1
        argument_values = [registers[register] for register in call.arguments]
        map_method = library_models.find_map_method(call.label, plain_label)
        of_object = (receiver, "of object") in state.heap
        if map_method:
            states = self.run_map_call(position, state, map_method, receiver, argument_values, d)
        else:
            states = self._run_method_call(position, state, call, receiver, argument_values, d)
        name = plain_label.rpartition(".")[2]
        if receiver >= 0 and self.sizes_matter and concerns_emptiness(name):
            for next_state in states:
                value = next_state.registers[d] if d >= 0 else -1
                self.record_size_call(
                    next_state, call.label, name, next_state.registers[call.receiver], value
                )
        elif name == "equals" and len(argument_values) == 1 and receiver >= 0 and d >= 0:
            states = [
                next_state
                for next_state in states
                if self.record_equals(
                    next_state,
                    call.label,
                    next_state.registers[d],
                    next_state.registers[call.receiver],
                    next_state.registers[call.arguments[0]],
                )
            ]
        elif name in CLASS_GETTERS:
            self.mark_classes(states, name, of_object, d)
        if (receiver, "keys") in state.heap:
            self.mark_key_iterators(state.heap[receiver, "keys"], name, states, d)
        question = library_models.find_question_kind(name) if receiver >= 0 else ""
        if question and d >= 0:
            for next_state in states:
                if question == library_models.ANY:
                    next_state.heap[receiver, "guard"] = SOLID
                elif next_state.registers[d] >= 0:
                    receiver_now = next_state.registers[call.receiver]
                    next_state.heap[next_state.registers[d], question] = receiver_now
                    if receiver_now == THIS:
                        word = library_models.question_subject(name)
                        next_state.heap[next_state.registers[d], question, word] = receiver_now
        return states

    def _run_method_call(
        self,
        position: int,
        state: State,
        call: CallSite,
        receiver: int,
        argument_values: list[int],
        d: int,
    ) -> list[State]:
        """Return the states after a call that is not modelled as a map's method.

        ``receiver`` (-1: none) and ``argument_values`` are values, not registers.
        """
        if not call.targets and library_models.method_name(call.label) == "assertNotNull":
            self.define_value(position, state, d)
            return self._assume_asserted(state, argument_values)
        effects = self.effects_of(call)
        if effects is None:
            if library_models.has_no_callbacks(call.label):
                self._mark_arguments_escaped(state, receiver, argument_values)
            else:
                self._forget_shared_nulls(state, receiver, argument_values)
            value = self.define_value(position, state, d)
            if call.flags & CREATES or library_models.never_returns_null(call.label):
                state.facts[value] = NONNULL
            if self.looks_up and library_models.is_pure(call.label):
                receiver_now = state.registers[call.receiver] if call.receiver >= 0 else -1
                current_arguments = [state.registers[register] for register in call.arguments]
                state.heap[(value, "from", receiver_now, call.label, *current_arguments)] = SOLID
            return [state]
        if not effects.is_external:
            self._merge_writes(state, call, effects, receiver)
        return self._run_known_call(position, state, call, effects, receiver, argument_values, d)

    def _assume_asserted(self, state: State, argument_values: list[int]) -> list[State]:
        """Assume that the arguments are not null, because a test asserts it (with any library).

        Returns no state if an argument is null.
        """
        for value in argument_values:
            fact = state.fact_of(value)
            if fact < 0:
                return []
            if fact == NOTHING:
                state.facts[value] = NONNULL
        return [state]

    def learn_from_question(self, state: State, value: int, answer: bool) -> None:
        """Record the answer of a method such as ``hasNext`` that a condition tested.

        ``value`` is the boolean that the method returned. Later calls on the same object are
        assumed to return a value that is not null.
        """
        self.record_emptiness_test(state, value, answer)
        receiver = state.heap.get(
            (value, library_models.WHEN_TRUE if answer else library_models.WHEN_FALSE)
        )
        if receiver is None:
            return
        if receiver != THIS:
            state.heap[receiver, "guard"] = SOLID
            return
        if (value, library_models.WHEN_FALSE) in state.heap:
            state.heap[THIS, "guard"] = SOLID
            return
        # On ``this``, only methods whose name contains the subject of the question are assumed so.
        for key in list(state.heap):
            if key[0] == value and len(key) == 3:
                state.heap[THIS, "guard", str(key[2])] = SOLID

    def _forget_shared_nulls(self, state: State, receiver: int, argument_values: list[int]) -> None:
        """Drop nulls in fields that other code can reach: an unknown method may have set them."""
        self._mark_arguments_escaped(state, receiver, argument_values)
        heap = state.heap
        for key in [
            key
            for key, held in heap.items()
            if state.fact_of(held) < 0 and not (key[0] != -1 and state.fact_of(key[0]) == FRESH)  # type: ignore[arg-type]
        ]:
            del heap[key]

    def _mark_arguments_escaped(
        self, state: State, receiver: int, argument_values: list[int]
    ) -> None:
        """Record that other code may change the receiver and the arguments from now on."""
        for value in argument_values:
            self.mark_escaped(state, value)
        if receiver >= 0:
            self.mark_escaped(state, receiver)

    def _run_known_call(
        self,
        position: int,
        state: State,
        call: CallSite,
        effects: CallEffects,
        receiver: int,
        argument_values: list[int],
        d: int,
    ) -> list[State]:
        """Return the states after a call of methods whose outcomes are known."""
        outcomes = effects.outcomes
        memo_key = (receiver, "()", call.label, *argument_values)
        earlier_result = state.heap.get(memo_key)
        if (
            # The same call returned a value before; assume that it does so again.
            (earlier_result is not None and state.fact_of(earlier_result) > 0)
            or (state.is_merged and call.label in self.unit.frequent_names)
            or self.is_guarded(state, call, receiver)
            or self.returns_known_field(state, outcomes, receiver)
            or self.has_superclass(state, call.label, receiver)
        ):
            outcomes = tuple(
                outcome
                for outcome in outcomes
                if outcome.failing_parameter or outcome.result != NULL
            )
        outcomes = self.drop_out_of_bounds_nulls(outcomes, call)
        possible = [
            outcome
            for outcome in outcomes
            if self.is_possible(state, outcome, receiver, argument_values)
        ]
        normal = [outcome for outcome in possible if not outcome.failing_parameter]
        self._handle_failures(position, state, call, possible, normal, argument_values)
        if not normal:
            return []
        # A repeatable call returns the same value again for equal arguments.
        changes_nothing = effects.changes is not None and not effects.changes
        is_repeatable = (
            changes_nothing
            if not effects.is_external
            else not library_models.returns_changing_values(call.label)
        )
        if (
            earlier_result is not None
            and is_repeatable
            and all(outcome.result != NULL for outcome in normal)
        ):
            # The call returns the earlier value again, so it adds no facts.
            if d >= 0:
                state.registers[d] = earlier_result
            return [state]
        self._forget_fields(state, effects, receiver, argument_values, bool(call.flags & CREATES))
        is_used = d >= 0 and self.unit.is_live(position + 1, d)
        states = [
            self._apply_outcome(
                position, state.copy(), call, outcome, d, is_used, effects.is_external
            )
            for outcome in self.distinguish_outcomes(
                position, state, call, normal, argument_values, is_used
            )
        ]
        if (
            is_used
            and is_repeatable
            and not call.flags & CREATES
            and call.label in self.unit.frequent_names
        ):
            for next_state in states:
                registers = next_state.registers
                value = registers[d]
                if value >= 0 and next_state.fact_of(value) >= 0:
                    receiver_now = registers[call.receiver] if call.receiver >= 0 else -1
                    current_arguments = [registers[register] for register in call.arguments]
                    next_state.heap[(receiver_now, "()", call.label, *current_arguments)] = value
        return states

    def _apply_outcome(
        self,
        position: int,
        state: State,
        call: CallSite,
        outcome: Outcome,
        d: int,
        is_used: bool,
        is_external: bool,
    ) -> State:
        """Return the state after one outcome of a call.

        ``is_used`` is false if no code reads the result; ``is_external`` is as in CallEffects.
        """
        is_certain = True
        registers = state.registers
        for parameter, need in outcome.needs:
            # A call with variable arity may have fewer arguments than there are parameters.
            if parameter > len(call.arguments):
                continue
            value = registers[call.arguments[parameter - 1]]
            fact = state.fact_of(value)
            if need < 0 and not (fact < 0 and self.origin_of(fact).is_certain):
                is_certain = False
            if fact == NOTHING and value >= 0:
                state.facts[value] = need
        for parameter, test, answer in outcome.parameter_tests:
            if test != BOUND and 0 < parameter <= len(call.arguments):
                value = registers[call.arguments[parameter - 1]]
                if 0 <= value < TEXT:
                    state.record_answer(value, test, answer)
        value = self.define_value(position, state, d)
        # Defining a value again may have renumbered the values of these registers.
        receiver = registers[call.receiver] if call.receiver >= 0 else -1
        argument_values = [registers[register] for register in call.arguments]
        base = receiver
        if call.flags & CREATES:
            base = value
            state.facts[value] = FRESH
        elif is_used:
            self._set_result(
                position,
                state,
                call,
                outcome,
                receiver,
                argument_values,
                d,
                is_certain,
                is_external,
            )
        self._set_fields(position, state, call, outcome, base, value, argument_values)
        return state

    def _set_result(
        self,
        position: int,
        state: State,
        call: CallSite,
        outcome: Outcome,
        receiver: int,
        argument_values: list[int],
        d: int,
        is_certain: bool,
        is_external: bool,
    ) -> None:
        """Set the result register of a call to what an outcome returns.

        ``is_certain`` is false if the outcome needs a null that is only assumed.
        """
        value = state.registers[d]
        result = outcome.result
        if isinstance(result, tuple):
            kind, source_index = result
            if kind == "n" and isinstance(source_index, int):
                state.registers[d] = source_index
            elif kind == "p" and isinstance(source_index, int):
                if source_index <= len(argument_values):
                    self._return_argument(
                        position, state, call, value, argument_values[source_index - 1], d
                    )
            elif receiver >= 0:
                known_field = state.heap.get((receiver, source_index))
                if known_field is None:
                    state.heap[receiver, source_index] = value
                else:
                    state.registers[d] = known_field
            return
        if result > 0:
            state.facts[value] = NONNULL if result == FRESH else result
        elif result < 0:
            offset = self.unit.instructions[position][7]
            name = self.describe_expression(call.expression)[0]
            step = self.make_step(offset, f"`{name}` may return null")
            steps = (step, *self._deepen_steps(outcome.steps))
            description = f"returned by `{name}`"
            source = "" if is_external else call.label
            state.facts[value] = self.add_origin(
                (position, is_certain, outcome.key), is_certain, steps, description, source
            )

    def _return_argument(
        self, position: int, state: State, call: CallSite, value: int, argument: int, d: int
    ) -> None:
        """Set the result to an argument that the method returns; a null gets one more step."""
        fact = state.fact_of(argument)
        if fact >= NULL or not self.origin_of(fact).is_certain:
            state.registers[d] = argument
            return
        name = self.describe_expression(call.expression)[0]
        origin = self.origin_of(fact)
        step = self.make_step(self.unit.instructions[position][7], f"`{name}` returns its argument")
        state.facts[value] = self.add_origin(
            (position, "back", fact), True, (*origin.steps, step), origin.description, origin.source
        )
        passed_origin = self.origin_of(state.facts[value])
        self.origins[-state.facts[value] - 1] = passed_origin._replace(
            is_declared=origin.is_declared, is_passed_through=True
        )

    def _set_fields(
        self,
        position: int,
        state: State,
        call: CallSite,
        outcome: Outcome,
        base: int,
        new_object: int,
        argument_values: list[int],
    ) -> None:
        """Set fields to what is known of them after an outcome: facts, arguments or nulls.

        ``outcome.fields`` and the beginnings of its names are explained at ``state.Outcome``.

        ``base`` is the object whose method runs, ``new_object`` the value that the call returns.
        """
        offset = self.unit.instructions[position][7]
        # An instruction has EACH values of its own; the first is the result of the call.
        for number, (name, fact) in enumerate(outcome.fields[: EACH - 2]):
            if name[0] == "(":
                # The result of another method of the object or of a parameter.
                parameter, _, label = name[1:].partition(")")
                owner = base
                if parameter:
                    owner = (
                        argument_values[int(parameter) - 1]
                        if int(parameter) <= len(argument_values)
                        else -1
                    )
                if owner >= 0:
                    state.heap[owner, "()", label] = SOLID
                continue
            if name[0] == ".":
                # A field of a new object that the method returns.
                if call.flags & CREATES or new_object < 0:
                    continue
                name, owner = name[1:], new_object
                state.facts[new_object] = FRESH
            else:
                owner = base
            if owner < 0:
                continue
            if fact > PARAMETER_FACT:
                # The field holds an argument.
                if fact - PARAMETER_FACT <= len(argument_values):
                    state.heap[owner, name] = argument_values[fact - PARAMETER_FACT - 1]
                continue
            if fact < 0 and not call.flags & (CREATES | CONSTRUCTS):
                known_field = state.heap.get((owner, name))
                if known_field is not None and state.fact_of(known_field) < 0:
                    continue
            value = position * EACH + 1 + number
            if value in state.earlier_values:
                state.renew_value(value)
            state.heap[owner, name] = value
            if fact < 0:
                step = self.make_step(offset, f"field `{name}` is left null")
                description = f"left null by `{self.describe_expression(call.expression)[0]}`"
                state.facts[value] = self.add_origin((position, name), True, (step,), description)
            else:
                state.facts[value] = fact

    def _deepen_steps(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Return the first 12 steps of a callee, one level further down."""
        return tuple(step._replace(level=step.level + 1) for step in steps[:12])

    def _handle_failures(
        self,
        position: int,
        state: State,
        call: CallSite,
        possible: list[Outcome],
        normal: list[Outcome],
        argument_values: list[int],
    ) -> None:
        """Handle the outcomes in which a method fails because an argument is null.

        ``possible`` holds all outcomes that agree with the state, ``normal`` those that return. A
        null argument is reported only if no normal outcome accepts it.
        """
        for outcome in possible:
            if not outcome.failing_parameter or outcome.failing_parameter > len(argument_values):
                continue
            value = argument_values[outcome.failing_parameter - 1]
            fact = state.fact_of(value)
            expression = call.argument_expressions[outcome.failing_parameter - 1]
            name = self.describe_expression(call.expression)[0]
            reason = f"is passed to `{name}`, which fails on null,"
            if fact < 0 and not normal and expression >= 0:
                text, token, _, _ = self.describe_expression(expression)
                if (
                    token != "null"
                    and library_models.strip_parameters(call.label) in library_models.CHECKS
                ):
                    return
                self.handle_null(
                    state,
                    value,
                    fact,
                    expression if token != "null" else call.expression,
                    reason if token != "null" else f"{LITERAL} `{name}`, which fails on null,",
                    self._deepen_steps(outcome.steps),
                )
                return
            if fact == NOTHING and self.is_parameter(value) and expression >= 0:
                offset = self.unit.instructions[position][7]
                text = self.describe_expression(expression)[0]
                step = self.make_step(offset, f"`{text}` {reason}")
                self.add_failure(
                    state, value - PARAMETER, (step, *self._deepen_steps(outcome.steps))
                )

    def _forget_fields(
        self,
        state: State,
        effects: CallEffects,
        receiver: int,
        argument_values: list[int],
        is_creation: bool,
    ) -> None:
        """Drop the facts of fields that a method of the project may change.

        A method outside the project changes no fields, but it may keep its arguments.
        """
        if effects.is_external:
            for value in argument_values:
                self.mark_escaped(state, value)
            return
        heap = state.heap
        # A constructor writes its own fields to an object that no other code has seen.
        writes = effects.writes if is_creation else union_names(effects.writes, effects.own_writes)
        for key in list(heap):
            base, field = key[0], key[1]
            if len(key) != 2 or type(field) is not str:
                continue
            reachable = (
                base == -1
                or base == receiver
                or base in argument_values
                or (
                    state.fact_of(base) != FRESH  # type: ignore[arg-type]
                )
            )
            if reachable and (writes is None or field in writes):
                fact = state.fact_of(heap[key])
                if writes is not None or fact <= 0:
                    del heap[key]
        for value in argument_values:
            if state.fact_of(value) == FRESH:
                state.facts[value] = NONNULL

    def _merge_writes(
        self, state: State, call: CallSite, effects: CallEffects, receiver: int
    ) -> None:
        """Add a callee's writes to those of the caller, except writes to new objects."""
        writes_nothing = effects.writes is not None and not effects.writes
        if writes_nothing and (
            call.flags & CREATES or (effects.own_writes is not None and not effects.own_writes)
        ):
            return
        no_names: frozenset[str] = frozenset()
        writes, own_writes, changes = effects.writes, effects.own_writes, effects.changes
        if call.flags & CREATES or state.fact_of(receiver) == FRESH:
            own_writes = no_names
            changes = writes if changes is None or writes is None else changes & writes
        elif receiver == THIS:
            changes = None if changes is None else changes - self.unit.null_tested_fields
        else:
            writes, own_writes = union_names(writes, own_writes), no_names
        if writes is None or writes or own_writes is None or own_writes:
            self.record_writes(writes, own_writes, changes)

    def _keep_valid_bounds(self, outcome: Outcome) -> Outcome:
        """Return the outcome with tests of bounds only where they explain a null result.

        That a parameter is below zero counts only if it is also compared with another limit.
        """
        if not outcome.parameter_tests:
            return outcome
        tests = tuple(
            test
            for test in outcome.parameter_tests
            if test[1] != BOUND or (outcome.result == NULL and test[0] in self.limited_parameters)
        )
        return outcome._replace(parameter_tests=tests)

    def _collect_outcomes(self) -> tuple[Outcome, ...]:
        """Return the outcomes of the body, corrected by the annotation of the method."""
        flags = self.unit.flags
        outcomes = [self._keep_valid_bounds(outcome) for outcome in self.outcomes.values()]
        outcomes = list({outcome.key: outcome for outcome in reversed(outcomes)}.values())[::-1]
        if flags & RETURNS_NEVER:
            outcomes = [
                outcome
                for outcome in outcomes
                if outcome.failing_parameter or outcome.result != NULL
            ]
        elif flags & RETURNS_MAYBE and (flags & BODILESS or _leaves_result_open(outcomes)):
            step = self.make_step(self.unit.instructions[0][7], "the method is declared nullable")
            outcomes.append(return_outcome(NULL)._replace(steps=(step,)))
        return limit_outcomes(outcomes)


def _leaves_result_open(outcomes: list[Outcome]) -> bool:
    """Return whether the body leaves its result open; then the method's annotation counts."""
    results = [outcome.result for outcome in outcomes if not outcome.failing_parameter]
    return NULL not in results and any(
        result == NOTHING or isinstance(result, tuple) for result in results
    )
