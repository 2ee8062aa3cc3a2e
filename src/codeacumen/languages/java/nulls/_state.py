"""Abstract states on paths through a method, and summaries of methods for their callers.

Values are numbers: the value of a parameter, of a constant's text, or the result of a certain
instruction. Registers and fields hold values. Facts belong to values, so a fact learnt about a
value holds wherever the value is held.

A summary lists the outcomes of a method. An outcome is one path as far as null is concerned: what
it requires of the parameters, and what it returns. Together the outcomes are complete: a method
whose every return requires a non-null parameter ensures that; a method without a returning
outcome never returns; one that returns true only for a non-null argument is a null check.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from codeacumen.languages.java.nulls.report import Step

# Facts about a value. NULL stands for all numbers below zero, which encode the origin of the null.
NULL, NOTHING, NONNULL, TRUE, FALSE, FRESH = -1, 0, 1, 2, 3, 4
# Other results of a method: a parameter (p), a field of its object (f), or a number (n).
Given = int | tuple[str, int | str]

# A parameter, the class it is tested against, and the answer; or 0, a field of the object, and
# whether it is null.
Asked = tuple[int, str, bool]
# In place of a class: the parameter was compared with its limit, a size or a length.
BOUND = "<"

MOST = 8
# A field that holds the i-th parameter is GIVEN + i.
GIVEN = 16


class Outcome(NamedTuple):
    """One way in which a method can end.

    ``failing_parameter`` is the parameter that must not be null on this path (0: the method
    returns). ``needs`` pairs parameters, counted from 1, with required facts; ``result`` is the
    returned value. ``fields`` holds facts after the call: of the object's fields, of the results
    of calls on the object (``()name``) or on a parameter (``(1)name``), and of the fields of a
    returned new object, whose names begin with a dot. ``steps`` explains the outcome.
    ``parameter_tests`` are further tests on this path: whether parameters are instances of a
    class, or (BOUND) within bounds.
    """

    failing_parameter: int
    needs: tuple[tuple[int, int], ...]
    result: Given
    fields: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    parameter_tests: tuple[Asked, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        return (*self[:4], self.parameter_tests)


class Summary(NamedTuple):
    """Effects of a method; None in place of a set stands for any name.

    ``writes`` names the fields of other objects that the method may write, ``own`` those of its
    own object, ``throws`` the exceptions that may leave it. ``changes`` are the written fields
    except those that the method only fills when they are null, as a cache does.
    """

    outcomes: tuple[Outcome, ...]
    writes: frozenset[str] | None
    throws: frozenset[str] | None
    own: frozenset[str] | None = frozenset()
    changes: frozenset[str] | None = frozenset()


def joined(one: frozenset[str] | None, two: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or two is None else one | two


def returning(gives: Given, *needs: tuple[int, int]) -> Outcome:
    return Outcome(0, needs, gives, (), ())


def bounded(outcomes: list[Outcome]) -> tuple[Outcome, ...]:
    """Merge outcomes until there are few enough: drop fields first, then parameter needs."""
    if len(outcomes) <= MOST:
        return tuple(outcomes)
    for keep_asked, keep_needs in ((True, True), (False, True), (False, False)):
        shorter: dict[tuple[object, ...], Outcome] = {}
        for one in outcomes:
            if one.failing_parameter == 0:
                gives = one.result
                if not keep_needs and gives == NULL and any(need[1] < 0 for need in one.needs):
                    gives = NOTHING
                asked = one.parameter_tests if gives == NULL else ()
                one = one._replace(
                    fields=(),
                    needs=one.needs if keep_needs else (),
                    result=gives,
                    parameter_tests=asked,
                )
            key = one.key if keep_asked else one[:4]
            before = shorter.get(key)
            if before is not None:
                asked = tuple(
                    part for part in before.parameter_tests if part in one.parameter_tests
                )
                one = before._replace(parameter_tests=asked)
            shorter[key] = one
        outcomes = list(shorter.values())
        if len(outcomes) <= MOST:
            break
    normal = [one for one in outcomes if one.failing_parameter == 0]
    return tuple(normal + [one for one in outcomes if one.failing_parameter][: 2 * MOST])


# Numbering of values: those of instruction i start at i * EACH; then follow parameters, the old
# values of registers whose instruction ran again, and texts.
EACH = 16
PARAMETER, STALE, TEXT = 1 << 24, 1 << 25, 1 << 26
THIS = PARAMETER
# Constants that are whole numbers, from -LIMIT on.
NUMBER, LIMIT = 1 << 27, 1 << 20
# The value true, followed by the value false.
TRUTH = 1 << 28
SOLID = -1
# Maximum number of states kept apart where paths meet.
WAYS, FEW_WAYS = 8, 4

Heap = dict[tuple[object, ...], int]
Facts = dict[object, int]
AnswersSoFar = dict[tuple[int, str], bool]
NONE_ASKED: AnswersSoFar = {}


class Kept(Protocol):
    """Properties of a method body that decide which facts a state retains."""

    loops: bool
    short: bool
    nullable: frozenset[str]


class State:
    """Registers, heap and facts at one instruction on one path."""

    __slots__ = ("answers", "earlier_values", "facts", "heap", "is_merged", "registers")

    def __init__(
        self, registers: list[int], facts: Facts, heap: Heap, earlier_values: frozenset[object]
    ) -> None:
        self.registers = registers
        # Values that existed where paths last met; only their instructions can run again.
        self.earlier_values = earlier_values
        # True where facts were dropped to merge paths.
        self.is_merged = False
        self.facts = facts
        self.heap = heap
        # Results of tests (instance of a class, within bounds) that do not keep states apart.
        # Never changed in place, because states share the dictionary.
        self.answers: AnswersSoFar = NONE_ASKED

    def copy(self) -> State:
        copied = State(
            self.registers.copy(), self.facts.copy(), self.heap.copy(), self.earlier_values
        )
        copied.is_merged = self.is_merged
        copied.answers = self.answers
        return copied

    def record_answer(self, value: int, test: str, answer: bool) -> None:
        self.answers = {**self.answers, (value, test): answer}

    def fact(self, value: int) -> int:
        if value < 0 or value >= TEXT:
            if value >= TRUTH:
                return TRUE if value == TRUTH else FALSE
            return NONNULL
        return self.facts.get(value, NOTHING)

    def renew(self, value: int) -> None:
        """Prepare for an instruction that computes its value again.

        Registers that hold the old value hold it under another number afterwards; facts that
        relate it to other values are dropped.
        """
        registers, facts, heap = self.registers, self.facts, self.heap
        fact_of_value = facts.pop(value, NOTHING)
        for place, held in enumerate(registers):
            if held == value:
                registers[place] = STALE + place
                if fact_of_value:
                    facts[STALE + place] = fact_of_value
                else:
                    facts.pop(STALE + place, None)
        for key in [key for key, held in heap.items() if held == value or value in key]:
            del heap[key]
        for fact in [fact for fact in facts if type(fact) is tuple and value in fact]:
            del facts[fact]
        if self.answers:
            self.answers = {key: answer for key, answer in self.answers.items() if key[0] != value}

    def tidied(self, live: list[int], unit: Kept) -> tuple[object, ...]:
        """Drop what the rest of the body cannot use, and return a key that identifies the state."""
        registers, facts, heap = self.registers, self.facts, self.heap
        kept = [SOLID] * len(registers)
        known: set[object] = set()
        for place in live:
            held = registers[place]
            kept[place] = held
            known.add(held)
        self.registers = kept
        if heap:
            if unit.short:
                # Results of calls on a parameter may become part of the method's outcome.
                known.update(
                    key[0]
                    for key in heap
                    if len(key) == 3 and key[1] == "()" and PARAMETER < key[0] < STALE  # type: ignore[operator]
                )
            held_often: dict[int, int] = {}
            for held in heap.values():
                held_often[held] = held_often.get(held, 0) + 1
            grown = True
            while grown:
                grown = False
                for key, held in heap.items():
                    base = key[0]
                    reached = base in known or base == -1 or base == THIS
                    if reached and held not in known and held >= 0:
                        known.add(held)
                        grown = True
            self.heap = heap = {
                key: held
                for key, held in heap.items()
                if (key[0] in known or key[0] == -1 or key[0] == THIS)
                and (
                    held in facts
                    or held < 0
                    or held >= PARAMETER
                    or held in kept
                    or held_often[held] > 1
                    or key[1] in unit.nullable
                )
            }
        self.facts = facts = {
            key: fact
            for key, fact in facts.items()
            if (
                (PARAMETER <= key < STALE or key in known)
                if type(key) is int
                else all(
                    type(part) is not int or part in known or part >= PARAMETER
                    for part in key  # type: ignore[attr-defined]
                )
            )
        }
        if unit.loops:
            old: set[object] = set(kept)
            for key, held in heap.items():
                old.update(key)
                old.add(held)
            for fact in facts:
                if isinstance(fact, tuple):
                    old.update(fact)
                else:
                    old.add(fact)
            self.earlier_values = frozenset(old)
        return (tuple(kept), frozenset(facts.items()), frozenset(heap.items()))

    def merged(self, other: State) -> State:
        """Return the state with the facts that hold in both states."""
        registers = [
            value if value == other_value else STALE + register
            for register, (value, other_value) in enumerate(
                zip(self.registers, other.registers, strict=True)
            )
        ]
        facts = {key: fact for key, fact in self.facts.items() if other.facts.get(key) == fact}
        for register, value in enumerate(registers):
            if value == STALE + register:
                facts.pop(value, None)
                first = self.fact(self.registers[register])
                second = other.fact(other.registers[register])
                if first > 0 and second > 0:
                    facts[value] = first if first == second else NONNULL
        heap = {key: held for key, held in self.heap.items() if other.heap.get(key) == held}
        merged = State(registers, facts, heap, self.earlier_values | other.earlier_values)
        merged.is_merged = True
        merged.answers = common(self.answers, other.answers)
        return merged


def common(one: AnswersSoFar, two: AnswersSoFar) -> AnswersSoFar:
    if one == two:
        return one
    return {key: answer for key, answer in one.items() if two.get(key) == answer}
