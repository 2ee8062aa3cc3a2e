"""Abstract states on paths through a method, and summaries of methods for their callers.

A value is a number that stands for an object or a primitive value of the program: the value of a
parameter, of a constant's text, or the result of a certain instruction. Registers and fields hold
values. A fact is a number too (NULL, NONNULL, …): what is known of a value. Facts belong to values,
so a fact learnt about a value holds wherever the value is held.

-1 has three meanings: as a fact NULL, as a value SOLID, and in place of the object in a key of the
heap, a static field.

A summary lists the outcomes of a method. An outcome is one path as far as null is concerned: what
it requires of the parameters, and what it returns. Together the outcomes are complete: a method
whose every return requires a non-null parameter ensures that; a method without a returning
outcome never returns; one that returns true only for a non-null argument is a null check.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from codeacumen.languages.java.nulls.report import Step

# Facts about a value. All numbers below zero mean null and encode the origin of the null; NULL, the
# highest of them, means that a test found the value null, and in outcomes stands for any null.
# FRESH is an object that no other code has seen. NOTHING: nothing is known. All facts above NOTHING
# mean that the value is not null.
NULL, NOTHING, NONNULL, TRUE, FALSE, FRESH = -1, 0, 1, 2, 3, 4
# Result of a method: a fact, or the number of a parameter ("p"), the name of a field of its object
# ("f"), or the value of a whole number ("n"), which is NUMBER + LIMIT + n, see below.
ResultFact = int | tuple[str, int | str]

# A parameter, the class it is tested against, and the answer; or 0, a field of the object, and
# whether it is null.
ParameterTest = tuple[int, str, bool]
# In place of a class: the parameter was compared with its limit, a size or a length.
BOUND = "<"

# A summary with more outcomes is shortened; at most twice as many failing outcomes remain.
MOST_OUTCOMES = 8
# The fact of a field that holds the i-th parameter is PARAMETER_FACT + i.
PARAMETER_FACT = 16


class Outcome(NamedTuple):
    """A way in which a method can end.

    ``failing_parameter`` is the parameter, counted from 1, on whose null the method fails on this
    path (0: the method returns; such an outcome is called normal). ``needs`` pairs parameters,
    counted from 1, with required facts; ``result`` is the returned value. ``fields`` holds facts
    after the call: of the object's fields, of the results of calls on the object (``()name``) or on
    a parameter (``(1)name``), and of the fields of a returned new object, whose names begin with a
    dot. ``steps`` explains the outcome. ``parameter_tests`` are further tests on this path: whether
    parameters are instances of a class, or (BOUND) within bounds.
    """

    failing_parameter: int
    needs: tuple[tuple[int, int], ...]
    result: ResultFact
    fields: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    parameter_tests: tuple[ParameterTest, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        return (*self[:4], self.parameter_tests)


class Summary(NamedTuple):
    """Effects of a method; None in place of a set stands for any name.

    ``writes`` names the fields of other objects that the method may write, ``own_writes`` those of
    its own object, ``throws`` the exceptions that may leave it. ``changes`` are the written fields
    except those that the method only fills when they are null, as a cache does.
    """

    outcomes: tuple[Outcome, ...]
    writes: frozenset[str] | None
    throws: frozenset[str] | None
    own_writes: frozenset[str] | None = frozenset()
    changes: frozenset[str] | None = frozenset()


def union_names(
    first: frozenset[str] | None, second: frozenset[str] | None
) -> frozenset[str] | None:
    """Return the union of two sets of names; None stands for all names."""
    return None if first is None or second is None else first | second


def return_outcome(result: ResultFact, *needs: tuple[int, int]) -> Outcome:
    """Return the outcome of a method that returns a value if its parameters have these facts."""
    return Outcome(0, needs, result, (), ())


def limit_outcomes(outcomes: list[Outcome]) -> tuple[Outcome, ...]:
    """Merge outcomes until there are few enough.

    Drops facts about fields first, then tests that tell outcomes apart, then parameter needs.
    """
    if len(outcomes) <= MOST_OUTCOMES:
        return tuple(outcomes)
    for keep_tests, keep_needs in ((True, True), (False, True), (False, False)):
        shorter: dict[tuple[object, ...], Outcome] = {}
        for outcome in outcomes:
            if outcome.failing_parameter == 0:
                result = outcome.result
                if not keep_needs and result == NULL and any(need[1] < 0 for need in outcome.needs):
                    result = NOTHING
                tests = outcome.parameter_tests if result == NULL else ()
                outcome = outcome._replace(
                    fields=(),
                    needs=outcome.needs if keep_needs else (),
                    result=result,
                    parameter_tests=tests,
                )
            key = outcome.key if keep_tests else outcome[:4]
            earlier = shorter.get(key)
            if earlier is not None:
                tests = tuple(
                    test for test in earlier.parameter_tests if test in outcome.parameter_tests
                )
                outcome = earlier._replace(parameter_tests=tests)
            shorter[key] = outcome
        outcomes = list(shorter.values())
        if len(outcomes) <= MOST_OUTCOMES:
            break
    normal = [outcome for outcome in outcomes if outcome.failing_parameter == 0]
    return tuple(
        normal + [outcome for outcome in outcomes if outcome.failing_parameter][: 2 * MOST_OUTCOMES]
    )


# Numbering of values: those of instruction i start at i * EACH; then follow parameters (the object
# itself is parameter 0), STALE + register for a register whose old value got lost, because its
# instruction ran again or because merged paths disagree, and constants by the number of their text.
EACH = 16
PARAMETER, STALE, TEXT = 1 << 24, 1 << 25, 1 << 26
THIS = PARAMETER
# The whole number n is the value NUMBER + LIMIT + n; only numbers between -LIMIT and LIMIT count.
NUMBER, LIMIT = 1 << 27, 1 << 20
# The value true, followed by the value false.
TRUTH = 1 << 28
# A value of which only is known that it is not null; as a content of the heap also a mere mark.
SOLID = -1
# Maximum number of states kept apart where paths meet; FEW_PATHS applies to bodies in which nothing
# can produce a null.
MAX_PATHS, FEW_PATHS = 8, 4

# Contents of fields, elements and calls, by a key that begins with the value of the object (-1: a
# static field). (object, "name") is a field, (array, index value) an element, (object, "()", label,
# arguments...) the result of a call, (map, "get", key) the value of a key. Other second parts mark
# relations. Those that hold another value:
#   (boolean, "asks" or "denies"): the object whose method, such as ``hasNext``, returned it
#   (set or iterator, "keys"): the map whose keys it holds; (value, "key of"): the map with this key
#   (number, "size of"): the object of this size
#   (boolean, "void"): the object that is empty if this is true; "more": non-empty if it is true
# Those that hold SOLID, a mere mark:
#   (object, "guard"): a question was answered, so its methods return no null (see ``calls``); for
#     ``this``, this mark and the question may have a third part: a word of the methods' names
#   (value, "from", object, label, arguments...): the value is the result of this call of a getter
#   (map, "table"): a constant map, which is assumed to hold each key that is looked up
#   (object, "full"): non-empty; (string, "blank"): empty; (value, "of string"): concerns a string
#   (class, "of object"): the class of an object; "not root": it is not Object
#   (array, "empty"): a new array of nulls; (object, "seen", name): a nullable field was read
Heap = dict[tuple[object, ...], int]
# Facts by value. Tuples hold relations: ("==" or "<", a, b), ("is", value, class) and
# ("counts", value), the mark of a counter that is never negative, are TRUE or FALSE, (value, "=")
# is the constant that equals the value, and ("thrown",) the number of a set of thrown classes
# (``thrown_sets`` in ``method``, from 1).
ValueFacts = dict[object, int]
# Answers of tests: by value and class, by value and BOUND, or by THIS and field (is it null?).
TestAnswers = dict[tuple[int, str], bool]
NO_ANSWERS: TestAnswers = {}


class BodyProperties(Protocol):
    """Properties of a method body that decide which facts a state retains."""

    has_loops: bool
    is_short: bool
    nullable_fields: frozenset[str]


class State:
    """Registers, heap and facts at one instruction on one path."""

    __slots__ = ("answers", "earlier_values", "facts", "heap", "is_merged", "registers")

    def __init__(
        self, registers: list[int], facts: ValueFacts, heap: Heap, earlier_values: frozenset[object]
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
        self.answers: TestAnswers = NO_ANSWERS

    def copy(self) -> State:
        """Return a state that can change independently of this one."""
        copied = State(
            self.registers.copy(), self.facts.copy(), self.heap.copy(), self.earlier_values
        )
        copied.is_merged = self.is_merged
        copied.answers = self.answers
        return copied

    def record_answer(self, value: int, test: str, answer: bool) -> None:
        """Record the answer of a test of a value; ``test`` is a class, BOUND or a field."""
        self.answers = {**self.answers, (value, test): answer}

    def fact_of(self, value: int) -> int:
        """Return the fact about a value; constants have theirs by their number."""
        if value < 0 or value >= TEXT:
            if value >= TRUTH:
                return TRUE if value == TRUTH else FALSE
            return NONNULL
        return self.facts.get(value, NOTHING)

    def renew_value(self, value: int) -> None:
        """Prepare for an instruction that computes its value again.

        Registers that hold the old value hold it under another number afterwards; facts that
        relate it to other values are dropped.
        """
        registers, facts, heap = self.registers, self.facts, self.heap
        fact_of_value = facts.pop(value, NOTHING)
        for register, held_value in enumerate(registers):
            if held_value == value:
                registers[register] = STALE + register
                if fact_of_value:
                    facts[STALE + register] = fact_of_value
                else:
                    facts.pop(STALE + register, None)
        for key in [key for key, held_value in heap.items() if held_value == value or value in key]:
            del heap[key]
        for fact in [fact for fact in facts if type(fact) is tuple and value in fact]:
            del facts[fact]
        if self.answers:
            self.answers = {key: answer for key, answer in self.answers.items() if key[0] != value}

    def prune_and_key(self, live: list[int], unit: BodyProperties) -> tuple[object, ...]:
        """Drop what the rest of the body cannot use, and return a key that identifies the state.

        ``live`` lists the registers that the rest of the body reads. The key leaves out
        ``answers``.
        """
        registers, facts, heap = self.registers, self.facts, self.heap
        live_registers = [SOLID] * len(registers)
        reachable: set[object] = set()
        for register in live:
            held_value = registers[register]
            live_registers[register] = held_value
            reachable.add(held_value)
        self.registers = live_registers
        if heap:
            if unit.is_short:
                # Results of calls on a parameter may become part of the method's outcome.
                reachable.update(
                    key[0]
                    for key in heap
                    if len(key) == 3 and key[1] == "()" and PARAMETER < key[0] < STALE  # type: ignore[operator]
                )
            times_held: dict[int, int] = {}
            for held_value in heap.values():
                times_held[held_value] = times_held.get(held_value, 0) + 1
            # A value is reachable if a live register or a field of a reachable object holds it.
            has_grown = True
            while has_grown:
                has_grown = False
                for key, held_value in heap.items():
                    base = key[0]
                    reached = base in reachable or base == -1 or base == THIS
                    if reached and held_value not in reachable and held_value >= 0:
                        reachable.add(held_value)
                        has_grown = True
            # Also dropped: a value of which nothing is known and that is held only here, because a
            # load without the entry defines another such value.
            self.heap = heap = {
                key: held_value
                for key, held_value in heap.items()
                if (key[0] in reachable or key[0] == -1 or key[0] == THIS)
                and (
                    held_value in facts
                    or held_value < 0
                    or held_value >= PARAMETER
                    or held_value in live_registers
                    or times_held[held_value] > 1
                    or key[1] in unit.nullable_fields
                )
            }
        self.facts = facts = {
            key: fact
            for key, fact in facts.items()
            if (
                (PARAMETER <= key < STALE or key in reachable)
                if type(key) is int
                else all(
                    type(part) is not int or part in reachable or part >= PARAMETER
                    for part in key  # type: ignore[attr-defined]
                )
            )
        }
        if unit.has_loops:
            used_values: set[object] = set(live_registers)
            for key, held_value in heap.items():
                used_values.update(key)
                used_values.add(held_value)
            for fact in facts:
                if isinstance(fact, tuple):
                    used_values.update(fact)
                else:
                    used_values.add(fact)
            self.earlier_values = frozenset(used_values)
        return (tuple(live_registers), frozenset(facts.items()), frozenset(heap.items()))

    def merge_with(self, other: State) -> State:
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
                first = self.fact_of(self.registers[register])
                second = other.fact_of(other.registers[register])
                if first > 0 and second > 0:
                    facts[value] = first if first == second else NONNULL
        heap = {key: held for key, held in self.heap.items() if other.heap.get(key) == held}
        merged = State(registers, facts, heap, self.earlier_values | other.earlier_values)
        merged.is_merged = True
        merged.answers = common_answers(self.answers, other.answers)
        return merged


def common_answers(first: TestAnswers, second: TestAnswers) -> TestAnswers:
    """Return the answers that two states agree on."""
    if first == second:
        return first
    return {key: answer for key, answer in first.items() if second.get(key) == answer}
