"""Calls: of methods whose outcomes are known, and of all others."""

from __future__ import annotations

from codeacumen.languages.java.nulls import models
from codeacumen.languages.java.nulls._choices import Choices, Found
from codeacumen.languages.java.nulls._invocations import CONSTRUCTS, CREATES
from codeacumen.languages.java.nulls._sizes import WALKS, tells
from codeacumen.languages.java.nulls._state import (
    BOUND,
    EACH,
    FRESH,
    GIVEN,
    NONNULL,
    NOTHING,
    NULL,
    PARAMETER,
    SOLID,
    TEXT,
    THIS,
    Outcome,
    State,
    bounded,
    joined,
    returning,
)
from codeacumen.languages.java.nulls._unit import CallSite
from codeacumen.languages.java.nulls._values import LITERAL
from codeacumen.languages.java.nulls.facts import BODILESS, RETURNS_MAYBE, RETURNS_NEVER
from codeacumen.languages.java.nulls.report import Step


class Calls(Choices):
    def call(self, at: int, state: State, call: CallSite, d: int) -> list[State]:
        """The states after a call: one for each way it may end."""
        plain = models.plain(call.label)
        registers = state.registers
        receiver = registers[call.receiver] if call.receiver >= 0 else -1
        given = [registers[one] for one in call.arguments]
        kind = models.kind_of(call.label, plain)
        of_object = (receiver, "of object") in state.heap
        if kind:
            after = self.keyed(at, state, kind, receiver, given, d)
        else:
            after = self._called(at, state, call, receiver, given, d)
        name = plain.rpartition(".")[2]
        if receiver >= 0 and self.sizes_matter and tells(name):
            for one in after:
                value = one.registers[d] if d >= 0 else -1
                self.sized(one, call.label, name, one.registers[call.receiver], value)
        elif name == "equals" and len(given) == 1 and receiver >= 0 and d >= 0:
            after = [
                one
                for one in after
                if self.equalled(
                    one,
                    call.label,
                    one.registers[d],
                    one.registers[call.receiver],
                    one.registers[call.arguments[0]],
                )
            ]
        elif name in WALKS:
            self.walked(after, name, of_object, d)
        if (receiver, "keys") in state.heap:
            self.keys(state.heap[receiver, "keys"], name, after, d)
        asks = models.asks(name) if receiver >= 0 else ""
        if asks and d >= 0:
            for one in after:
                if asks == models.ANY:
                    one.heap[receiver, "guard"] = SOLID
                elif one.registers[d] >= 0:
                    now = one.registers[call.receiver]
                    one.heap[one.registers[d], asks] = now
                    if now == THIS:
                        word = models.asked_for(name)
                        one.heap[one.registers[d], asks, word] = now
        return after

    def _called(
        self, at: int, state: State, call: CallSite, receiver: int, given: list[int], d: int
    ) -> list[State]:
        if not call.targets and models.name_of(call.label) == "assertNotNull":
            self.make(at, state, d)
            return self._asserted(state, given)
        found = self.found_of(call)
        if found is None:
            if models.minds_its_own(call.label):
                self._share(state, receiver, given)
            else:
                self._unknown(state, receiver, given)
            value = self.make(at, state, d)
            if call.flags & CREATES or models.never_null(call.label):
                state.facts[value] = NONNULL
            if self.looks_up and models.is_pure(call.label):
                base = state.registers[call.receiver] if call.receiver >= 0 else -1
                now = [state.registers[place] for place in call.arguments]
                state.heap[(value, "from", base, call.label, *now)] = SOLID
            return [state]
        if not found.outside:
            self._merge_writes(state, call, found, receiver)
        return self._known(at, state, call, found, receiver, given, d)

    def _asserted(self, state: State, given: list[int]) -> list[State]:
        """What a test asserts, whatever its library."""
        for value in given:
            fact = state.fact(value)
            if fact < 0:
                return []
            if fact == NOTHING:
                state.facts[value] = NONNULL
        return [state]

    def asked(self, state: State, value: int, answer: bool) -> None:
        """An object was asked about itself, and the answer taken: what it gives afterwards is
        what the question was about."""
        self.filled(state, value, answer)
        receiver = state.heap.get((value, models.WHEN_TRUE if answer else models.WHEN_FALSE))
        if receiver is None:
            return
        if receiver != THIS:
            state.heap[receiver, "guard"] = SOLID
            return
        if (value, models.WHEN_FALSE) in state.heap:
            state.heap[THIS, "guard"] = SOLID
            return
        # Of the object's own methods only those count that share a word with the question.
        for key in list(state.heap):
            if key[0] == value and len(key) == 3:
                state.heap[THIS, "guard", str(key[2])] = SOLID

    def _unknown(self, state: State, receiver: int, given: list[int]) -> None:
        """Nulls in fields that somebody else can reach may be gone."""
        self._share(state, receiver, given)
        heap = state.heap
        for key in [
            key
            for key, held in heap.items()
            if state.fact(held) < 0 and not (key[0] != -1 and state.fact(key[0]) == FRESH)  # type: ignore[arg-type]
        ]:
            del heap[key]

    def _share(self, state: State, receiver: int, given: list[int]) -> None:
        for value in given:
            self.escape(state, value)
        if receiver >= 0:
            self.escape(state, receiver)

    def _known(
        self,
        at: int,
        state: State,
        call: CallSite,
        found: Found,
        receiver: int,
        given: list[int],
        d: int,
    ) -> list[State]:
        outcomes = found.outcomes
        memo = (receiver, "()", call.label, *given)
        held = state.heap.get(memo)
        if held is not None and state.fact(held) > 0:
            # The same call gave something before: it is taken to do so again.
            outcomes = tuple(one for one in outcomes if one.failing_parameter or one.result != NULL)
        elif (
            (state.is_merged and call.label in self.unit.often)
            or self.is_guarded(state, call, receiver)
            or self.holds(state, outcomes, receiver)
            or self.has_superclass(state, call.label, receiver)
        ):
            outcomes = tuple(one for one in outcomes if one.failing_parameter or one.result != NULL)
        outcomes = self.within_bounds(outcomes, call)
        possible = [one for one in outcomes if self.fits(state, one, receiver, given)]
        normal = [one for one in possible if not one.failing_parameter]
        self._failures(at, state, call, possible, normal, given)
        if not normal:
            return []
        calm = found.changes is not None and not found.changes
        steady = calm if not found.outside else not models.changes(call.label)
        if held is not None and steady and all(one.result != NULL for one in normal):
            # What gives the same each time, and is no news.
            if d >= 0:
                state.registers[d] = held
            return [state]
        self._forget(state, found, receiver, given, bool(call.flags & CREATES))
        used = d >= 0 and self.unit.is_live(at + 1, d)
        after = [
            self._after(at, state.copy(), call, one, d, used, found.outside)
            for one in self.told_apart(at, state, call, normal, given, used)
        ]
        if used and steady and not call.flags & CREATES and call.label in self.unit.often:
            for one_state in after:
                registers = one_state.registers
                value = registers[d]
                if value >= 0 and one_state.fact(value) >= 0:
                    base = registers[call.receiver] if call.receiver >= 0 else -1
                    now = [registers[place] for place in call.arguments]
                    one_state.heap[(base, "()", call.label, *now)] = value
        return after

    def _after(
        self,
        at: int,
        state: State,
        call: CallSite,
        one: Outcome,
        d: int,
        used: bool,
        outside: bool,
    ) -> State:
        good = True
        registers = state.registers
        for place, need in one.needs:
            if place > len(call.arguments):
                continue
            value = registers[call.arguments[place - 1]]
            fact = state.fact(value)
            if need < 0 and not (fact < 0 and self.of(fact).is_certain):
                good = False
            if fact == NOTHING and value >= 0:
                state.facts[value] = need
        for place, what, answer in one.parameter_tests:
            if what != BOUND and 0 < place <= len(call.arguments):
                value = registers[call.arguments[place - 1]]
                if 0 <= value < TEXT:
                    state.record_answer(value, what, answer)
        value = self.make(at, state, d)
        # To make a value anew may have given other names to these.
        receiver = registers[call.receiver] if call.receiver >= 0 else -1
        given = [registers[place] for place in call.arguments]
        base = receiver
        if call.flags & CREATES:
            base = value
            state.facts[value] = FRESH
        elif used:
            self._give(at, state, call, one, receiver, given, d, good, outside)
        self._set_fields(at, state, call, one, base, value, given)
        return state

    def _give(
        self,
        at: int,
        state: State,
        call: CallSite,
        one: Outcome,
        receiver: int,
        given: list[int],
        d: int,
        good: bool,
        outside: bool,
    ) -> None:
        value = state.registers[d]
        gives = one.result
        if isinstance(gives, tuple):
            kind, which = gives
            if kind == "n" and isinstance(which, int):
                state.registers[d] = which
            elif kind == "p" and isinstance(which, int):
                if which <= len(given):
                    self._give_back(at, state, call, value, given[which - 1], d)
            elif receiver >= 0:
                held = state.heap.get((receiver, which))
                if held is None:
                    state.heap[receiver, which] = value
                else:
                    state.registers[d] = held
            return
        if gives > 0:
            state.facts[value] = NONNULL if gives == FRESH else gives
        elif gives < 0:
            offset = self.unit.instructions[at][7]
            name = self.expression(call.expression)[0]
            step = self.step(offset, f"`{name}` may return null")
            steps = (step, *self._below(one.steps))
            what = f"is what `{name}` returned"
            source = "" if outside else call.label
            state.facts[value] = self.origin((at, good, one.key), good, steps, what, source)

    def _give_back(
        self, at: int, state: State, call: CallSite, value: int, given: int, d: int
    ) -> None:
        """A method returns what it was given; a reader is told so if that is null."""
        fact = state.fact(given)
        if fact >= NULL or not self.of(fact).is_certain:
            state.registers[d] = given
            return
        name = self.expression(call.expression)[0]
        origin = self.of(fact)
        step = self.step(self.unit.instructions[at][7], f"`{name}` gives back what it is given")
        state.facts[value] = self.origin(
            (at, "back", fact), True, (*origin.steps, step), origin.description, origin.source
        )
        now = self.of(state.facts[value])
        self.origins[-state.facts[value] - 1] = now._replace(
            is_declared=origin.is_declared, is_passed_through=True
        )

    def _set_fields(
        self,
        at: int,
        state: State,
        call: CallSite,
        one: Outcome,
        base: int,
        made: int,
        given: list[int],
    ) -> None:
        offset = self.unit.instructions[at][7]
        for number, (name, fact) in enumerate(one.fields[: EACH - 2]):
            if name[0] == "(":
                # What another method of the object, or of a parameter, gave.
                place, _, label = name[1:].partition(")")
                owner = base
                if place:
                    owner = given[int(place) - 1] if int(place) <= len(given) else -1
                if owner >= 0:
                    state.heap[owner, "()", label] = SOLID
                continue
            if name[0] == ".":
                # Of a new object that is returned.
                if call.flags & CREATES or made < 0:
                    continue
                name, owner = name[1:], made
                state.facts[made] = FRESH
            else:
                owner = base
            if owner < 0:
                continue
            if fact > GIVEN:
                if fact - GIVEN <= len(given):
                    state.heap[owner, name] = given[fact - GIVEN - 1]
                continue
            if fact < 0 and not call.flags & (CREATES | CONSTRUCTS):
                held = state.heap.get((owner, name))
                if held is not None and state.fact(held) < 0:
                    continue
            value = at * EACH + 1 + number
            if value in state.earlier_values:
                state.renew(value)
            state.heap[owner, name] = value
            if fact < 0:
                step = self.step(offset, f"field `{name}` is left null")
                what = f"is left null by `{self.expression(call.expression)[0]}`"
                state.facts[value] = self.origin((at, name), True, (step,), what)
            else:
                state.facts[value] = fact

    def _below(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(step._replace(level=step.level + 1) for step in steps[:12])

    def _failures(
        self,
        at: int,
        state: State,
        call: CallSite,
        possible: list[Outcome],
        normal: list[Outcome],
        given: list[int],
    ) -> None:
        """Ways on which a method fails because of what it is given."""
        for one in possible:
            if not one.failing_parameter or one.failing_parameter > len(given):
                continue
            value = given[one.failing_parameter - 1]
            fact = state.fact(value)
            told = call.argument_expressions[one.failing_parameter - 1]
            name = self.expression(call.expression)[0]
            why = f"is passed to `{name}`, which needs it,"
            if fact < 0 and not normal and told >= 0:
                text, token, _, _ = self.expression(told)
                if token != "null" and models.plain(call.label) in models.CHECKS:
                    return
                self.wrong(
                    state,
                    value,
                    fact,
                    told if token != "null" else call.expression,
                    why if token != "null" else f"{LITERAL} `{name}`, which needs something,",
                    self._below(one.steps),
                )
                return
            if fact == NOTHING and self.is_parameter(value) and told >= 0:
                offset = self.unit.instructions[at][7]
                text = self.expression(told)[0]
                step = self.step(offset, f"`{text}` {why}")
                self.fail(state, value - PARAMETER, (step, *self._below(one.steps)))

    def _forget(
        self, state: State, found: Found, receiver: int, given: list[int], creates: bool
    ) -> None:
        """Fields that a method of the project may change."""
        if found.outside:
            for value in given:
                self.escape(state, value)
            return
        heap = state.heap
        # A constructor writes its own fields into what nobody has seen yet.
        writes = found.writes if creates else joined(found.writes, found.own)
        for key in list(heap):
            base, field = key[0], key[1]
            if len(key) != 2 or type(field) is not str:
                continue
            reachable = (
                base == -1
                or base == receiver
                or base in given
                or (
                    state.fact(base) != FRESH  # type: ignore[arg-type]
                )
            )
            if reachable and (writes is None or field in writes):
                fact = state.fact(heap[key])
                if writes is not None or fact <= 0:
                    del heap[key]
        for value in given:
            if state.fact(value) == FRESH:
                state.facts[value] = NONNULL

    def _merge_writes(self, state: State, call: CallSite, found: Found, receiver: int) -> None:
        """What a method writes is what its caller writes, except into new objects."""
        silent = found.writes is not None and not found.writes
        if silent and (call.flags & CREATES or (found.own is not None and not found.own)):
            return
        nothing: frozenset[str] = frozenset()
        writes, own, changes = found.writes, found.own, found.changes
        if call.flags & CREATES or state.fact(receiver) == FRESH:
            own = nothing
            changes = writes if changes is None or writes is None else changes & writes
        elif receiver == THIS:
            changes = None if changes is None else changes - self.unit.lacking
        else:
            writes, own = joined(writes, own), nothing
        if writes is None or writes or own is None or own:
            self.wrote(writes, own, changes)

    def _limited(self, one: Outcome) -> Outcome:
        """To be below zero is to be out of bounds only if there are others."""
        if not one.parameter_tests:
            return one
        asked = tuple(
            part
            for part in one.parameter_tests
            if part[1] != BOUND or (one.result == NULL and part[0] in self.limited)
        )
        return one._replace(parameter_tests=asked)

    def _outcomes(self) -> tuple[Outcome, ...]:
        flags = self.unit.flags
        found = [self._limited(one) for one in self.found.values()]
        found = list({one.key: one for one in reversed(found)}.values())[::-1]
        if flags & RETURNS_NEVER:
            found = [one for one in found if one.failing_parameter or one.result != NULL]
        elif flags & RETURNS_MAYBE and (flags & BODILESS or _may_be_anything(found)):
            step = self.step(self.unit.instructions[0][7], "the method is declared nullable")
            found.append(returning(NULL)._replace(steps=(step,)))
        return bounded(found)


def _may_be_anything(outcomes: list[Outcome]) -> bool:
    """Whether a body leaves open what it returns: then its declaration counts."""
    gives = [one.result for one in outcomes if not one.failing_parameter]
    return NULL not in gives and any(one == NOTHING or isinstance(one, tuple) for one in gives)
